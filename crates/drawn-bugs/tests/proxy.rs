//! The proxy without a bug is not seen, and each bug can be.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::net::SocketAddr;

use drawn_bugs::bug::Effect;
use drawn_bugs::hunt::agent;
use drawn_bugs::proxy::Proxy;
use drawn_bugs::reach::{SLOW, reachable};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// How many seeds are tried.
const SEEDS: u64 = 200;
/// How many of them at once: what takes time is to wait for deliveries that do not come.
const AT_ONCE: u64 = 8;

/// The bytes of an answer, without its date.
async fn raw(host: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(host).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let answer = String::from_utf8(answer).unwrap();
    let lines = answer.split_inclusive("\r\n").filter(|line| !line.starts_with("date: "));
    lines.collect()
}

#[tokio::test]
async fn without_a_bug_no_byte_is_changed() {
    let (agent, address) = agent(SLOW).await.unwrap();
    let proxy = Proxy::start(address, None).await.unwrap();
    let head = "Host: 127.0.0.1\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nConnection: close\r\n";
    let post =
        |path: &str, body: &str| format!("POST {path} HTTP/1.1\r\n{head}Content-Length: {}\r\n\r\n{body}", body.len());
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\n{head}\r\n");
    let make = r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"complete é"}]}}"#;
    raw(address, &post("/rest/message:send", make)).await;
    let list = r#"{"jsonrpc":"2.0","id":1e2,"method":"ListTasks","params":{"pageSize":1}}"#;
    let requests = [
        get("/.well-known/agent-card.json"),
        get("/rest/tasks"),
        get("/rest/tasks/none?historyLength=2"),
        get("/rest/tasks/%zz"),
        get("/nowhere"),
        post("/1.0", list),
        post("/1.0", r#"{"jsonrpc":"2.0","id":null,"method":"Nothing"}"#),
        post("/1.0", r#"[{"id":1}"#),
        post("/rest/tasks/none:cancel", ""),
        get("/rest/tasks/none:subscribe"),
        format!("HEAD /rest/tasks HTTP/1.1\r\n{head}\r\n"),
        format!("DELETE /rest/tasks HTTP/1.1\r\n{head}\r\n"),
        format!("OPTIONS * HTTP/1.1\r\n{head}\r\n"),
        format!(
            "POST /1.0 HTTP/1.1\r\n{head}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{list}\r\n0\r\n\r\n",
            list.len()
        ),
    ];
    for request in requests {
        assert_eq!(raw(proxy.address, &request).await, raw(address, &request).await, "{request}");
    }
    // A stream makes a task, whose ids and times are its own.
    let make = r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"chunks"}]}}"#;
    let shape = |answer: String| {
        let data: Vec<&str> = answer.lines().filter(|line| !line.starts_with("data: ")).collect();
        (
            data.join("\n").split_whitespace().filter(|word| word.len() > 4).map(str::to_owned).collect::<Vec<_>>(),
            answer.matches("data: ").count(),
        )
    };
    let through = shape(raw(proxy.address, &post("/rest/message:stream", make)).await);
    assert_eq!(through, shape(raw(address, &post("/rest/message:stream", make)).await));
    assert!(through.1 > 3);
    proxy.stop().await;
    agent.stop().await;
}

/// Shows one bug of each of some seeds, in front of an agent of its own; says how many were drawn again, and what effects were had.
async fn show(seeds: impl Iterator<Item = u64>) -> (u64, BTreeSet<&'static str>) {
    let (agent, address) = agent(SLOW).await.unwrap();
    let (mut drawn_again, mut shown) = (0, BTreeSet::new());
    for seed in seeds {
        let (bug, attempts) = reachable(seed, 0, address).await.unwrap();
        drawn_again += attempts;
        shown.insert(bug.effect.class());
    }
    agent.stop().await;
    (drawn_again, shown)
}

#[tokio::test]
async fn each_drawn_bug_is_shown_by_a_sender_that_knows_it() {
    let mut tasks = JoinSet::new();
    for first in 0..AT_ONCE {
        tasks.spawn(show((first..SEEDS).step_by(AT_ONCE as usize)));
    }
    let (mut drawn_again, mut shown) = (0, BTreeSet::new());
    while let Some(done) = tasks.join_next().await {
        let (again, of_it) = done.unwrap();
        drawn_again += again;
        shown.extend(of_it);
    }
    println!("{drawn_again} were drawn again for {SEEDS} bugs");
    // So each effect was applied to an answer, a stream, a connection or a delivery.
    assert_eq!(shown, Effect::CLASSES.into_iter().collect());
}
