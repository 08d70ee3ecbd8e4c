//! What the reference agent takes for many tasks: messages a second, memory for each task, and the time of list pages at a
//! thousand, a hundred thousand and a million tasks: `cargo bench --bench agent [-- TASKS]`, where TASKS is the most.
//!
//! The agent is the program itself, started anew, and asked over JSON-RPC on this machine. Memory is read from procfs and so
//! is known on Linux only.

// Without a word to print there is no bench: it may fail as a test may.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/memory.rs"]
mod memory;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How many tasks there are when pages are asked for.
const SIZES: [usize; 3] = [1_000, 100_000, 1_000_000];
/// How many messages are sent to find out how many go in a second, and over how many connections.
const SENDS: usize = 50_000;
const CONNECTIONS: usize = 16;
/// How many messages go to one and the same task.
const FOLLOW_UPS: usize = 3_000;
/// How many messages go in one request where only their tasks matter.
const BATCH: usize = 250;
/// Every other task is in one of so many contexts; the rest have one each.
const CONTEXTS: usize = 10;
/// How often each page is asked for.
const LOOKS: usize = 50;
/// How many tasks a page has.
const PAGE: usize = 50;

/// What the agent may take at most on two cores: for a page that nobody else waits for, for all follow-ups, and for each task.
const MOST_PAGE: Duration = Duration::from_millis(5);
const MOST_FOLLOW_UPS: Duration = Duration::from_secs(5);
const MOST_MEMORY: u64 = 1_900;

fn main() {
    // Cargo adds flags of its own, such as `--bench`.
    let most = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(usize::MAX);
    let mut is_right = true;
    let agent = Agent::start();
    sends(&agent);
    is_right &= follow_ups(&agent);
    drop(agent);
    let agent = Agent::start();
    let empty = agent.memory();
    let mut made = 0;
    let mut middle = Value::Null;
    for size in SIZES.into_iter().filter(|size| *size <= most) {
        let began = Instant::now();
        // The moment at which half of the tasks had been made.
        fill(&agent, made, (size / 2).max(made));
        middle = if size / 2 > made { agent.connect().newest() } else { middle };
        fill(&agent, (size / 2).max(made), size);
        made = size;
        println!("{size} tasks, the last of them made in {:.1?}", began.elapsed());
        if let (Some(empty), Some(memory)) = (empty, agent.memory()) {
            let each = (memory - empty) * 1024 / size as u64;
            println!("memory       {} MiB, {each} bytes a task (at most {MOST_MEMORY} of many)", memory >> 10);
            is_right &= each <= MOST_MEMORY || size < 100_000;
        }
        for (name, filter) in [
            ("all", json!({})),
            ("by context", json!({ "contextId": "shared-3" })),
            ("by state", json!({ "status": "TASK_STATE_FAILED" })),
            ("by both", json!({ "contextId": "shared-3", "status": "TASK_STATE_FAILED" })),
            ("by time", json!({ "statusTimestampAfter": middle })),
        ] {
            is_right &= pages(&agent, name, &filter);
        }
    }
    std::process::exit(i32::from(!is_right));
}

/// How many messages go in a second, each beginning a task and waiting for its end.
fn sends(agent: &Agent) {
    let began = Instant::now();
    let clients: Vec<_> = (0..CONNECTIONS)
        .map(|_| {
            let mut connection = agent.connect();
            thread::spawn(move || {
                for number in 0..SENDS / CONNECTIONS {
                    connection.exchange("/1.0", &send(number, "complete", None).to_string());
                }
            })
        })
        .collect();
    for client in clients {
        client.join().expect("a client ends");
    }
    let wall = began.elapsed();
    let rate = SENDS as f64 / wall.as_secs_f64();
    println!("{SENDS} sends over {CONNECTIONS} connections");
    println!("wall time    {wall:.2?}, {rate:.0} a second");
}

/// How long messages take that all go to one task, which begins anew each time: 0.1 lets clients name tasks.
fn follow_ups(agent: &Agent) -> bool {
    let mut connection = agent.connect();
    let part = json!({ "type": "text", "text": "complete" });
    let params = json!({ "id": "one", "message": { "role": "user", "parts": [part] } });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tasks/send", "params": params }).to_string();
    let began = Instant::now();
    let bytes: usize = (0..FOLLOW_UPS).map(|_| connection.exchange("/0.1/a2a", &body).len()).sum();
    let wall = began.elapsed();
    println!("{FOLLOW_UPS} sends to one task of 0.1");
    println!("wall time    {wall:.2?} (at most {MOST_FOLLOW_UPS:.0?}), {} MiB of answers", bytes >> 20);
    wall <= MOST_FOLLOW_UPS
}

/// Makes the tasks with these numbers.
fn fill(agent: &Agent, from: usize, to: usize) {
    let mut connection = agent.connect();
    for first in (from..to).step_by(BATCH) {
        let calls: Vec<Value> = (first..to.min(first + BATCH))
            .map(|number| {
                let context = (number % 2 == 0).then(|| format!("shared-{}", number / 2 % CONTEXTS));
                send(number, if number % 3 == 0 { "fail" } else { "complete" }, context)
            })
            .collect();
        let answer = connection.exchange("/1.0", &Value::Array(calls).to_string());
        assert!(!answer.contains("\"error\""), "{answer}");
    }
}

/// A message that begins a task.
fn send(number: usize, text: &str, context: Option<String>) -> Value {
    let mut message =
        json!({ "messageId": format!("message-{number}"), "role": "ROLE_USER", "parts": [{ "text": text }] });
    if let Some(context) = context {
        message["contextId"] = context.into();
    }
    json!({ "jsonrpc": "2.0", "id": number, "method": "SendMessage", "params": { "message": message } })
}

/// Asks for the first page of a list and for one in its middle, and says whether both are fast enough.
fn pages(agent: &Agent, name: &str, filter: &Value) -> bool {
    let mut connection = agent.connect();
    let (first, page) = connection.page(filter, None);
    let total = page["totalSize"].as_u64().expect("a page has a total size");
    let mut token = page["nextPageToken"].clone();
    let walk = Instant::now();
    let mut walked = 1;
    while walked * 2 * PAGE < usize::try_from(total).expect("a list fits into memory") {
        let mut asked = filter.clone();
        // The largest pages there are, to get there sooner.
        asked["pageSize"] = (2 * PAGE).into();
        token = connection.list(&asked, Some(&token))["nextPageToken"].clone();
        walked += 2;
    }
    let walk = walk.elapsed();
    // A list of one page has none deeper.
    let deep = token.as_str().is_some_and(|token| !token.is_empty()).then(|| connection.page(filter, Some(&token)).0);
    let shown = deep.map_or_else(|| "none".to_owned(), |deep| format!("{deep:.2?}"));
    let name = format!("{name}:");
    println!(
        "{name:<12} first page {first:.2?}, a deep one {shown} (at most {MOST_PAGE:.0?}); {total} in all, {walk:.1?} to the middle"
    );
    first.max(deep.unwrap_or_default()) <= MOST_PAGE
}

/// The program, serving its agent.
struct Agent {
    child: Child,
    /// Kept open: the agent has more to say than is read.
    _output: BufReader<ChildStdout>,
    address: String,
}

impl Agent {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_a2aspec"))
            .args(["agent", "--port", "0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut output = BufReader::new(child.stdout.take().expect("its output is piped"));
        let mut line = String::new();
        output.read_line(&mut line).expect("it says a line");
        let (_, address) = line.trim().split_once("http://").expect("it says where it is");
        Self { address: address.to_owned(), child, _output: output }
    }

    fn connect(&self) -> Connection {
        let stream = TcpStream::connect(&self.address).expect("the agent listens");
        stream.set_nodelay(true).expect("a new connection can be set up");
        Connection { stream: BufReader::new(stream) }
    }

    /// Resident memory in KiB, where the system tells.
    fn memory(&self) -> Option<u64> {
        memory::of(self.child.id(), "VmRSS")
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// A connection that is kept: one that is made anew each time would be measured instead of the agent.
struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    /// Posts a body and gives that of the response.
    fn exchange(&mut self, path: &str, body: &str) -> String {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len(),
        );
        self.stream.get_mut().write_all(format!("{head}{body}").as_bytes()).expect("the agent reads");
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).expect("the agent answers");
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().expect("a length is a number");
            }
            assert!(!line.is_empty(), "the agent hung up");
            if line == "\r\n" {
                break;
            }
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer).expect("the body is as long as it says");
        String::from_utf8(answer).expect("JSON is UTF-8")
    }

    /// A page of tasks.
    fn list(&mut self, filter: &Value, token: Option<&Value>) -> Value {
        let body = list(filter, token);
        let mut answer: Value = serde_json::from_str(&self.exchange("/1.0", &body)).expect("an answer is JSON");
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].take()
    }

    /// How long a page takes, the median of many looks, and the page.
    fn page(&mut self, filter: &Value, token: Option<&Value>) -> (Duration, Value) {
        let body = list(filter, token);
        let mut walls: Vec<Duration> = (0..LOOKS)
            .map(|_| {
                let began = Instant::now();
                self.exchange("/1.0", &body);
                began.elapsed()
            })
            .collect();
        walls.sort_unstable();
        (walls[LOOKS / 2], self.list(filter, token))
    }

    /// The status timestamp of the newest task.
    fn newest(&mut self) -> Value {
        self.list(&json!({ "pageSize": 1 }), None)["tasks"][0]["status"]["timestamp"].take()
    }
}

/// A call for a page.
fn list(filter: &Value, token: Option<&Value>) -> String {
    let mut params = filter.clone();
    if params.get("pageSize").is_none() {
        params["pageSize"] = PAGE.into();
    }
    if let Some(token) = token {
        params["pageToken"] = token.clone();
    }
    json!({ "jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": params }).to_string()
}
