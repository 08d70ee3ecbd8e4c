//! What a hunt costs whoever starts it: how long until its first request, and how much memory over time: `cargo bench --bench hunt
//! [-- MINUTES]`.
//!
//! The hunts are the program itself, each started anew, against the small agent of `benches/common/echo.rs`. Each start is measured up to
//! the card, and up to the first message: what is asked before that finds out what the agent speaks. Memory is told at each quarter of
//! a hunt of so many minutes, and its peak at the end; it is read from procfs and so is known on Linux only.

// Without a word to print there is no bench: it may fail as a test may.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/block_on.rs"]
mod block_on;
#[path = "common/echo.rs"]
mod echo;
#[path = "common/memory.rs"]
mod memory;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use block_on::block_on;
use echo::{Echo, SERVE, routes, serve};

/// Minutes of the long hunt, unless the command line says how many.
const MINUTES: f64 = 1.0;
/// How often the start is measured.
const STARTS: usize = 9;
/// What is to be reached.
const MOST_START: Duration = Duration::from_millis(200);
/// In KiB.
const MOST_MEMORY: u64 = 100_000;
/// By how much the last quarter may be above the first, in KiB: what the allocator holds back moves about.
const MOST_GROWTH: u64 = 8 << 10;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == SERVE) {
        return block_on(serve());
    }
    // Cargo adds flags of its own, such as `--bench`.
    let minutes = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(MINUTES);
    let is_quick = starts();
    let is_small = long_hunt(Duration::from_secs_f64(minutes * 60.0));
    std::process::exit(i32::from(!(is_quick && is_small)));
}

/// A hunt of the agent at this URL, for so many seconds.
fn hunt(url: &str, seconds: f64) -> Child {
    Command::new(env!("CARGO_BIN_EXE_a2aspec"))
        .args([
            "fuzz",
            url,
            "--seed",
            "1",
            "--max-messages",
            "1000000000",
            "--time",
            &seconds.to_string(),
            "--findings",
        ])
        .arg(findings())
        // Whatever settings lie about where the bench is started are not its own.
        .current_dir(std::env::temp_dir())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

fn findings() -> PathBuf {
    std::env::temp_dir().join(format!("a2aspec-bench-{}", std::process::id()))
}

/// How long it takes from the start of the program to the card, and to the first message.
fn starts() -> bool {
    let (tell, seen) = channel();
    let address = listen(tell);
    let (mut cards, mut messages) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let began = Instant::now();
        let mut child = hunt(&format!("http://{address}"), 0.1);
        let (card, message) = first(&seen);
        cards.push(card.duration_since(began));
        messages.push(message.duration_since(began));
        child.wait().expect("the program can be waited for");
        // What it asked afterwards is of no interest.
        while seen.try_recv().is_ok() {}
    }
    let (card, message) = (median(&mut cards), median(&mut messages));
    println!("from the start to the card {card:.0?}, to the first message {message:.0?} (median of {STARTS})");
    message <= MOST_START
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// What was asked, and when.
type Asked = (Instant, Vec<u8>);

/// When the card was asked for, and when the first message came.
fn first(seen: &Receiver<Asked>) -> (Instant, Instant) {
    let next = || seen.recv_timeout(Duration::from_secs(30)).expect("the program asks");
    let (card, _) = next();
    loop {
        let (at, body) = next();
        if body.windows(13).any(|window| window == br#""SendMessage""#) {
            return (card, at);
        }
    }
}

/// The small agent on a thread of this process, which tells what it is asked.
fn listen(tell: Sender<Asked>) -> SocketAddr {
    let (started, address) = channel();
    thread::spawn(move || {
        block_on(async {
            let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
            let address = listener.local_addr().unwrap();
            started.send(address).expect("somebody waits for it");
            let watch = from_fn(move |request: Request, next: Next| {
                let (at, tell) = (Instant::now(), tell.clone());
                async move {
                    let (head, body) = request.into_parts();
                    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
                    let _ended = tell.send((at, body.to_vec()));
                    next.run(Request::from_parts(head, Body::from(body))).await
                }
            });
            axum::serve(listener, routes(address).layer(watch)).await.unwrap();
        });
    });
    address.recv().expect("the agent starts")
}

/// How much memory a hunt has at each quarter of its time.
fn long_hunt(time: Duration) -> bool {
    let agent = Echo::start();
    let began = Instant::now();
    let mut child = hunt(&format!("http://{}", agent.address), time.as_secs_f64());
    let mut quarters = Vec::new();
    for quarter in 1..=4_u32 {
        // The last look is a moment before the end, when the program is still there.
        let until = (time * quarter / 4).saturating_sub(Duration::from_millis(500));
        thread::sleep(until.saturating_sub(began.elapsed()));
        quarters.extend(memory::of(child.id(), "VmRSS"));
    }
    let mut peak = None;
    while child.try_wait().expect("the program can be waited for").is_none() {
        peak = memory::of(child.id(), "VmHWM").max(peak);
        thread::sleep(Duration::from_millis(2));
    }
    let _none_where_nothing_was_found = std::fs::remove_dir_all(findings());
    let (Some(peak), [first, .., last]) = (peak, quarters.as_slice()) else {
        println!("nobody tells here how much memory a process has");
        return true;
    };
    println!("a hunt of {:.0} s has at its quarters {quarters:?} KiB, and {peak} KiB at most", time.as_secs_f64());
    peak <= MOST_MEMORY && last.saturating_sub(*first) <= MOST_GROWTH
}
