//! What `a2aspec proxy` adds to the time of a call, beside a proxy that only passes calls on: `cargo bench --bench proxy`.
//!
//! The agent and the proxy are the program itself. A client calls GetTask over JSON-RPC on one connection of this machine, again and
//! again: directly, through the plain proxy, and through `a2aspec proxy`, in turns.

// Without a word to print there is no bench: it may fail as a test may.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;

/// How many calls are measured each way, in so many turns.
const CALLS: usize = 4_000;
const TURNS: usize = 8;
/// What the proxy may add at the median.
const MOST_ADDED: Duration = Duration::from_millis(1);

fn main() {
    let agent = Program::start(&["agent", "--port", "0", "--only", "1.0"], "reference agent at ", false);
    let proxy = Program::start(&["proxy", "--to", &format!("http://{}", agent.host)], "proxy at ", true);
    let plain = plain(agent.host.clone());
    let mut ways = [("directly", &agent.host), ("plain proxy", &plain), ("a2aspec proxy", &proxy.host)]
        .map(|(name, host)| (name, Connection::open(host), Vec::new()));
    for _ in 0..TURNS {
        for (_, connection, times) in &mut ways {
            times.extend((0..CALLS / TURNS).map(|_| connection.call()));
        }
    }
    println!("{CALLS} calls each way, in microseconds\n{:<16}{:>8}{:>8}", "", "median", "99 %");
    let [direct, plain, own] = ways.map(|(name, _, mut times)| {
        times.sort();
        let at = |share: usize| times[times.len() * share / 100];
        println!("{name:<16}{:>8}{:>8}", at(50).as_micros(), at(99).as_micros());
        at(50)
    });
    let added = own.saturating_sub(direct);
    println!(
        "added at the median: {} by the plain proxy, {} by a2aspec",
        plain.saturating_sub(direct).as_micros(),
        added.as_micros()
    );
    assert!(added < MOST_ADDED, "the proxy adds {added:?}");
}

/// The program at work; it is ended when this is dropped.
struct Program {
    process: Child,
    /// Where it listens.
    host: String,
}

impl Program {
    /// Starts it; where it listens follows these words, on standard error or standard output.
    fn start(arguments: &[&str], words: &str, on_stderr: bool) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_a2aspec"));
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = match on_stderr {
            true => command.stderr(Stdio::piped()).spawn().unwrap(),
            false => command.stdout(Stdio::piped()).spawn().unwrap(),
        };
        let out: Box<dyn Read + Send> = match on_stderr {
            true => Box::new(process.stderr.take().unwrap()),
            false => Box::new(process.stdout.take().unwrap()),
        };
        let mut lines = BufReader::new(out).lines();
        let host = lines.by_ref().map(Result::unwrap).find_map(|line| {
            let url = line.split_once(words)?.1.split(' ').next()?.to_owned();
            Some(url.trim_start_matches("http://").trim_end_matches('/').to_owned())
        });
        // A pipe that nobody reads would hold it up.
        std::thread::spawn(move || lines.for_each(drop));
        Self { process, host: host.expect("it says where it listens") }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A proxy that only passes calls on; where it listens.
fn plain(target: String) -> String {
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async move {
            let client: Client<_, Body> = Client::builder(TokioExecutor::new()).build_http();
            let pass = move |mut request: Request| {
                let (client, path) = (client.clone(), request.uri().path().to_owned());
                *request.uri_mut() = format!("http://{target}{path}").parse().unwrap();
                async move { client.request(request).await.unwrap() }
            };
            let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
            tell.send(listener.local_addr().unwrap().to_string()).unwrap();
            axum::serve(
                listener,
                Router::new().fallback(move |request| {
                    let passed = pass(request);
                    async move { passed.await.map(Body::new) }
                }),
            )
            .await
            .unwrap();
        });
    });
    told.recv().unwrap()
}

/// A connection of a client.
struct Connection {
    stream: BufReader<TcpStream>,
    request: String,
}

impl Connection {
    fn open(host: &str) -> Self {
        let stream = TcpStream::connect(host).unwrap();
        stream.set_nodelay(true).unwrap();
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"no-such-task"}}"#;
        let request = format!(
            "POST /1.0 HTTP/1.1\r\nhost: {host}\r\na2a-version: 1.0\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        Self { stream: BufReader::new(stream), request }
    }

    /// How long one call takes.
    fn call(&mut self) -> Duration {
        let began = Instant::now();
        self.stream.get_mut().write_all(self.request.as_bytes()).unwrap();
        let (mut line, mut length) = (String::new(), 0);
        while line != "\r\n" {
            line.clear();
            self.stream.read_line(&mut line).unwrap();
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        assert!(length > 0 && body.starts_with(b"{"), "{}", String::from_utf8_lossy(&body));
        began.elapsed()
    }
}
