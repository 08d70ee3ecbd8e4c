//! How many inputs a second `a2aspec fuzz --parser` gives a parser, against a loop that gives the same adapter the same inputs and
//! judges nothing: `cargo bench --bench parsers [-- SECONDS]`.
//!
//! The adapter is this program, in Rust, with one reader for each kind; it reads and answers as `docs/parsers.md` says. The loop has
//! its inputs before it begins and does not look at the answers. The last column does not change with the machine as the rates do.
//! Beside them stands how often the reader itself reads these inputs in a second, without any adapter.

// Without a word to print there is no bench: it may fail as a test may.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use a2aspec::corpus::{Kind, Makers};
use a2aspec::generate::{Choices, seeded};
use a2aspec::profile;
use a2aspec::wire::json::{self, Limits};
use a2aspec::wire::{base64, grpc, jsonrpc, sse};
use serde_json::{Value, json};

/// Seconds of each row, unless the command line says how many.
const SECONDS: u64 = 5;
/// What is to be reached, as part of what the loop reaches.
const LEAST: f64 = 0.5;
/// What makes this program the adapter of a kind.
const ADAPTER: &str = "--adapter";
const KINDS: [Kind; 5] = [Kind::Json, Kind::Sse, Kind::Envelope, Kind::Grpc, Kind::Task];
const SEED: u64 = 1;
/// Choices for each input, as the search has them.
const CHOICES: usize = 256;

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some(ADAPTER) {
        let kind = arguments.next().expect("a kind").parse().expect("a kind");
        return adapter(kind);
    }
    // Cargo adds flags of its own, such as `--bench`.
    let seconds = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(SECONDS);
    println!("{:<10} {:>10} {:>10} {:>12} {:>8}", "kind", "fuzz", "loop", "reader alone", "of loop");
    let mut is_right = true;
    for kind in KINDS {
        let (count, rate) = fuzz(kind, seconds);
        let inputs = inputs(kind, count);
        let bare = bare(kind, &inputs);
        let alone = alone(kind, &inputs);
        println!("{:<10} {rate:>10.0} {bare:>10.0} {alone:>12.0} {:>8.2}", kind.name(), rate / bare);
        is_right &= rate / bare >= LEAST;
    }
    std::process::exit(i32::from(!is_right));
}

/// This program as the adapter of a kind, as a command for the shell.
fn command(kind: Kind) -> String {
    let own = std::env::current_exe().expect("this program has a path");
    format!("exec '{}' {ADAPTER} {kind}", own.display())
}

/// How many inputs the search gives in this time, and how many a second.
fn fuzz(kind: Kind, seconds: u64) -> (usize, f64) {
    let findings = std::env::temp_dir().join(format!("a2aspec-bench-{}", std::process::id()));
    let output = Command::new(env!("CARGO_BIN_EXE_a2aspec"))
        .args(["fuzz", "--report", "json", "--kind", kind.name(), "--parser", &command(kind)])
        .args(["--time", &seconds.to_string(), "--seed", &SEED.to_string(), "--findings"])
        .arg(&findings)
        .output()
        .expect("the program starts");
    let _none_where_nothing_was_found = std::fs::remove_dir_all(findings);
    let report: Value = serde_json::from_slice(&output.stdout).expect("the report is JSON");
    let inputs = report["inputs"].as_u64().expect("it counts inputs");
    (usize::try_from(inputs).unwrap(), inputs as f64 / report["seconds"].as_f64().expect("it tells the time"))
}

/// The inputs that the search gives.
fn inputs(kind: Kind, count: usize) -> Vec<Vec<u8>> {
    let newest = profile::bundled().unwrap().pop();
    let makers = Makers::new(kind, newest.as_ref()).unwrap();
    let classes = makers.classes();
    let made = (0..).filter_map(|number: u64| {
        let class = &classes[usize::try_from(number).unwrap() % classes.len()];
        makers.make(class, &mut Choices::new(&seeded(SEED, number, CHOICES))).map(|input| input.bytes)
    });
    made.take(count).collect()
}

/// How many inputs a second an adapter takes from who reads its answers and does nothing with them.
fn bare(kind: Kind, inputs: &[Vec<u8>]) -> f64 {
    /// What is written at once, as the search does it.
    const BATCH: usize = 64;
    let mut child = Command::new("sh")
        .args(["-c", &command(kind)])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the adapter starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let mut answers = BufReader::new(child.stdout.take().expect("it is piped"));
    let began = Instant::now();
    thread::scope(|scope| {
        scope.spawn(move || {
            for batch in inputs.chunks(BATCH) {
                stdin.write_all(&batch.iter().flat_map(|input| framed(input)).collect::<Vec<u8>>()).unwrap();
            }
        });
        let mut line = Vec::new();
        for _ in inputs {
            line.clear();
            assert_ne!(answers.read_until(b'\n', &mut line).unwrap(), 0, "the adapter ended");
        }
    });
    let rate = inputs.len() as f64 / began.elapsed().as_secs_f64();
    child.wait().expect("it ends with its input");
    rate
}

fn framed(input: &[u8]) -> Vec<u8> {
    [&u32::try_from(input.len()).unwrap().to_be_bytes(), input].concat()
}

/// How many inputs a second the reader reads.
fn alone(kind: Kind, inputs: &[Vec<u8>]) -> f64 {
    let began = Instant::now();
    for input in inputs {
        let _ = black_box(read(kind, input));
    }
    inputs.len() as f64 / began.elapsed().as_secs_f64()
}

/// The adapter: inputs behind their lengths, a line for each.
fn adapter(kind: Kind) {
    let (mut inputs, mut answers) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut length = [0; 4];
    while inputs.read_exact(&mut length).is_ok() {
        let mut input = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap()];
        inputs.read_exact(&mut input).expect("the input is whole");
        let answer = match read(kind, &input) {
            Ok(value) => json!({ "accepted": true, "value": value }),
            Err(error) => json!({ "accepted": false, "error": error }),
        };
        writeln!(answers, "{answer}").and_then(|()| answers.flush()).expect("somebody reads the answers");
    }
}

/// What the reader of a kind makes of an input.
fn read(kind: Kind, input: &[u8]) -> Result<Value, String> {
    let document = || json::parse(input, &Limits::default()).map_err(|error| error.to_string());
    match kind {
        Kind::Sse => {
            let mut decoder = sse::Decoder::new(sse::Limits::default());
            let items = decoder.push(input).map_err(|error| error.to_string())?;
            let event = |item| match item {
                sse::Item::Event(event) => Some(json!({
                    "event": event.event_type, "data": event.data, "id": &*event.last_event_id, "retry": event.retry,
                })),
                sse::Item::Comment(_) | sse::Item::Undispatched(_) => None,
            };
            Ok(items.into_iter().filter_map(event).collect())
        }
        Kind::Envelope => {
            let document = document()?;
            let reading = jsonrpc::read_response(&document);
            match reading.problems.first() {
                Some(problem) => Err(format!("{problem:?}")),
                None => Ok(document.value()),
            }
        }
        Kind::Grpc => {
            let mut decoder = grpc::Decoder::new(None, 8 << 20);
            let frames = decoder.push(input).map_err(|error| error.to_string())?;
            decoder.finish().map_err(|error| error.to_string())?;
            Ok(frames.iter().map(|frame| json!(base64::encode(&frame.message))).collect())
        }
        _ => document().map(|document| document.value()),
    }
}
