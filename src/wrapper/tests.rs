use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::tcp::OwnedWriteHalf;
use tokio::net::{TcpListener, TcpStream};

use super::link::Link;
use super::*;

/// Longer than anything here takes, on a machine with much else to do.
const LONG: Duration = Duration::from_secs(60);

/// A link, and the other end of its connection.
struct Pair {
    link: Link,
    lines: tokio::io::Lines<BufReader<tokio::net::tcp::OwnedReadHalf>>,
    writer: OwnedWriteHalf,
}

async fn pair() -> Pair {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (near, far) = tokio::join!(TcpStream::connect(listener.local_addr().unwrap()), listener.accept());
    let (reader, writer) = far.unwrap().0.into_split();
    let link = Link::new(near.unwrap(), Vec::new(), Duration::ZERO);
    Pair { link, lines: BufReader::new(reader).lines(), writer }
}

impl Pair {
    fn begin(&self, case: &str, word: &str, limit: Duration) -> Pending {
        let (case, word) = (case.to_owned(), word.to_owned());
        self.link.begin(Command { case, word, members: Map::new(), limit })
    }

    async fn say(&mut self, text: &str) {
        self.writer.write_all(format!("{text}\n").as_bytes()).await.unwrap();
    }
}

#[tokio::test]
async fn answers_find_their_commands_in_any_order() {
    let mut pair = pair().await;
    let (mut first, mut second) = (pair.begin("a", "GetTask", LONG), pair.begin("b", "SendStreamingMessage", LONG));
    let line = pair.lines.next_line().await.unwrap().unwrap();
    let command: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(command, json!({ "id": 1, "case": "a", "do": "GetTask", "limit": 60_000 }));
    pair.say(r#"{"say":"event","id":2,"value":{"task":{}}}"#).await;
    pair.say(r#"{"say":"end","id":2,"by":"agent"}"#).await;
    pair.say(r#"{"say":"error","id":1,"kind":"agent","code":-32001,"name":null,"message":"no","more":1}"#).await;
    assert_eq!(second.next().await, Said::Event(json!({ "task": {} })));
    assert_eq!(second.next().await, Said::Final(Final::End("agent".to_owned())));
    let (kind, message) = ("agent".to_owned(), "no".to_owned());
    assert_eq!(first.last().await, Said::Final(Final::Error { kind, code: json!(-32001), name: None, message }));
    assert_eq!((pair.link.broken("a"), pair.link.broken("b")), (None, None));
}

/// Each row: what is said, and the cases that it breaks of two that are under way.
#[tokio::test]
async fn what_breaks_the_contract_breaks_the_cases_that_it_is_about() {
    for (said, broken) in [
        ("?", &["a", "b"][..]),
        ("[]", &["a", "b"]),
        (r#"{"say":"result"}"#, &["a", "b"]),
        (r#"{"say":"result","id":77,"value":1}"#, &["a", "b"]),
        (r#"{"say":"done","id":2}"#, &["a"]),
        (r#"{"say":"error","id":2}"#, &["a"]),
        (r#"{"say":"result","id":1,"value":1}"#, &["a"]),
    ] {
        let mut pair = pair().await;
        let mut over = pair.begin("a", "GetTask", LONG);
        pair.say(r#"{"say":"result","id":1,"value":1}"#).await;
        assert_eq!(over.last().await, Said::Final(Final::Result(json!(1))));
        let (mut of_a, mut of_b) = (pair.begin("a", "GetTask", LONG), pair.begin("b", "GetTask", LONG));
        pair.say(said).await;
        pair.say(r#"{"say":"result","id":3,"value":2}"#).await;
        assert!(matches!(of_a.next().await, Said::Broken(_)), "{said}");
        assert_eq!(matches!(of_b.next().await, Said::Broken(_)), broken.contains(&"b"), "{said}");
        for case in ["a", "b"] {
            assert_eq!(pair.link.broken(case).is_some(), broken.contains(&case), "{said}");
        }
    }
}

#[tokio::test]
async fn a_line_without_an_end_takes_no_more_memory_than_the_longest() {
    let mut pair = pair().await;
    let mut pending = pair.begin("a", "GetTask", LONG);
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..40 {
        pair.writer.write_all(&piece).await.unwrap();
    }
    pair.say("").await;
    assert!(matches!(pending.next().await, Said::Broken(why) if why.contains("16 MiB")));
    // What comes behind it is read.
    let mut next = pair.begin("b", "GetTask", LONG);
    pair.say(r#"{"say":"result","id":2}"#).await;
    assert_eq!(next.last().await, Said::Final(Final::Result(Value::Null)));
}

#[tokio::test(start_paused = true)]
async fn silences_are_counted_until_something_comes() {
    let mut pair = pair().await;
    for silences in 1..=MOST_SILENCES {
        let mut pending = pair.begin("a", "GetTask", Duration::from_secs(1));
        assert_eq!((pending.next().await, pair.link.silences()), (Said::Silent, silences));
    }
    let mut pending = pair.begin("b", "receive", Duration::from_secs(1));
    pair.say(r#"{"say":"ready","id":4,"url":"http://127.0.0.1:1/h"}"#).await;
    let (url, token_header) = ("http://127.0.0.1:1/h".to_owned(), None);
    assert_eq!((pending.next().await, pair.link.silences()), (Said::Ready { url, token_header }, 0));
}

#[tokio::test]
async fn who_closes_the_connection_is_gone() {
    let pair = pair().await;
    let mut pending = pair.begin("a", "GetTask", LONG);
    drop((pair.writer, pair.lines));
    assert_eq!(pending.next().await, Said::Gone);
    let mut later = {
        let (case, word) = ("a".to_owned(), "GetTask".to_owned());
        pair.link.begin(Command { case, word, members: Map::new(), limit: LONG })
    };
    assert_eq!(later.next().await, Said::Gone);
    assert!(pair.link.gone().is_some());
}

#[test]
fn a_hello_is_read_or_refused_with_the_reason() {
    let hello = |change: fn(&mut Value)| {
        let mut hello = json!({
            "say": "hello", "contract": 1, "token": "t", "sdk": { "name": "x", "version": "1.2" },
            "does": ["resolve", "client", "close", "SendMessage"], "bindings": ["JSONRPC"], "versions": ["1.0"],
        });
        change(&mut hello);
        Hello::read(hello.to_string().as_bytes(), "t")
    };
    let read = hello(|hello| hello["jobs"] = json!(2)).unwrap();
    assert_eq!((read.title().as_str(), read.jobs, read.does("GetTask")), ("x 1.2", Some(2), false));
    assert_eq!(hello(|hello| hello["sdk"] = json!({ "name": "x", "version": null, "more": 1 })).unwrap().title(), "x");
    for (change, why) in [
        ((|hello| hello["contract"] = json!(2)) as fn(&mut Value), "the contract 2"),
        (|hello| hello["token"] = json!("u"), "token"),
        (|hello| hello["say"] = json!("hi"), "no hello"),
        (|hello| hello["does"] = json!(["resolve", "client", "close"]), "`SendMessage`"),
        (|hello| hello["bindings"] = json!("JSONRPC"), "misshapen"),
        (|hello| hello["jobs"] = json!(0), "`jobs`"),
    ] {
        let refused = hello(change).unwrap_err();
        assert!(refused.contains(why), "{refused}");
    }
    assert!(Hello::read(b"?", "t").unwrap_err().contains("no JSON"));
}

#[cfg(unix)]
#[tokio::test]
async fn commands_that_are_no_wrappers_are_told_apart() {
    let patience = Patience { connect: Duration::from_millis(200), ..Patience::default() };
    let start = |line: &str| {
        let command = vec!["sh".to_owned(), "-c".to_owned(), line.to_owned()];
        async move { Wrapper::start(&command, 8, patience).await.unwrap_err() }
    };
    let (error, output) = start("echo lost >&2; exit 3").await;
    assert!(matches!(error, WrapperError::EndedAtOnce(_)), "{error}");
    assert!(output.stderr.is_empty() || output.stderr == "lost\n");
    let (error, _) = start("exec sleep 60").await;
    assert!(matches!(error, WrapperError::Silent(_)), "{error}");
    let nowhere = ["/nowhere/a2aspec-wrapper".to_owned()];
    let (error, _) = Wrapper::start(&nowhere, 8, patience).await.unwrap_err();
    assert!(matches!(error, WrapperError::Start { .. }), "{error}");
}
