//! gRPC below A2A, and what its errors tell.

use std::time::Duration;

use prost::Message;
use serde_json::{Value, json};

use super::script::Script;
use super::{Row, broken, hold, right, unseen, wrong};
use crate::case::{Asserts, OracleCall};
use crate::finding::Kind;
use crate::oracle::over_run;
use crate::profile::Binding::Grpc;
use crate::profile::Operation::{GetTask, SendStreamingMessage};
use crate::transcript::{Content, Ended, EventContent, StreamEvent, Unreadable};
use crate::wire::base64;
use crate::{Judgement, RunView};

#[derive(Clone, PartialEq, Message)]
struct Status {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
    #[prost(message, repeated, tag = "3")]
    details: Vec<Any>,
}

#[derive(Clone, PartialEq, Message)]
struct Any {
    #[prost(string, tag = "1")]
    type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    value: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
struct ErrorInfo {
    #[prost(string, tag = "1")]
    reason: String,
    #[prost(string, tag = "2")]
    domain: String,
}

/// One message of two bytes.
const FRAME: &[u8] = &[0, 0, 0, 0, 2, 10, 0];
const TYPE: &str = "type.googleapis.com/google.rpc.ErrorInfo";
const DOMAIN: &str = "a2a-protocol.org";

fn called(body: &[u8], trailers: &[(&str, &str)]) -> Script {
    Script::v1_0().over(Grpc).call("s", Some(GetTask), body, trailers)
}

fn ended(trailers: &[(&str, &str)]) -> Script {
    called(&[], trailers)
}

fn ok(body: &[u8]) -> Script {
    called(body, &[("grpc-status", "0")])
}

fn header(script: Script, name: &str, value: &str) -> Script {
    script.but(|draft| draft.headers.push((name.to_owned(), value.to_owned())))
}

fn asked_as(script: Script, content_type: &str) -> Script {
    script.but(|draft| {
        draft.request_headers.insert("content-type".to_owned(), Some(content_type.to_owned()));
    })
}

fn typed(types: &[&str]) -> Script {
    let types = types.iter().map(|kind| ("content-type".to_owned(), (*kind).to_owned())).collect();
    ok(FRAME).but(|draft| draft.headers = types)
}

fn http(status: u16, trailers: &[(&str, &str)]) -> Script {
    ended(trailers).but(|draft| draft.status = status)
}

fn content(message: &str) -> Script {
    ended(&[("grpc-status", "5"), ("grpc-message", message)])
}

fn bytes(code: i32, message: &str, details: &[(&str, &str, &str)]) -> Vec<u8> {
    let details = details.iter().map(|(type_url, reason, domain)| Any {
        type_url: (*type_url).to_owned(),
        value: ErrorInfo { reason: (*reason).to_owned(), domain: (*domain).to_owned() }.encode_to_vec(),
    });
    Status { code, message: message.to_owned(), details: details.collect() }.encode_to_vec()
}

/// NOT_FOUND, "no task", and these details.
fn detailed(text: &str) -> Script {
    ended(&[("grpc-status", "5"), ("grpc-message", "no task"), ("grpc-status-details-bin", text)])
}

fn with(type_url: &str, reason: &str, domain: &str) -> Script {
    detailed(&base64::encode(&bytes(5, "no task", &[(type_url, reason, domain)])))
}

pub(super) fn rows() -> Vec<Row> {
    [types_and_statuses(), messages(), frames(), details(), infos(), spellings()].into_iter().flatten().collect()
}

fn types_and_statuses() -> Vec<Row> {
    let nothing = || json!(null);
    let fields = || -> [(&str, &str); 1] { [("grpc-status", "5")] };
    vec![
        right("grpc-content-type", nothing(), typed(&["application/grpc"])),
        right("grpc-content-type", nothing(), typed(&["application/grpc+proto"])),
        right("grpc-content-type", nothing(), typed(&["Application/gRPC; charset=utf-8"])),
        wrong("grpc-content-type", nothing(), typed(&["application/grpc-web"]), "not declared as gRPC"),
        wrong("grpc-content-type", nothing(), typed(&["application/grpc", "text/html"]), "not declared as gRPC"),
        wrong("grpc-content-type", nothing(), typed(&[]), "not declared as gRPC"),
        unseen("grpc-content-type", nothing(), http(404, &[]), "no answer"),
        unseen("grpc-content-type", nothing(), asked_as(typed(&["text/html"]), "text/plain"), "no answer"),
        right("grpc-status", nothing(), ok(FRAME)),
        right("grpc-status", nothing(), ended(&[("grpc-status", "16")])),
        right("grpc-status", nothing(), header(ended(&[]), "grpc-status", "5")),
        wrong("grpc-status", nothing(), ended(&[]), "without a grpc-status"),
        wrong("grpc-status", nothing(), ended(&[("grpc-status", "17")]), "a grpc-status is not a code"),
        wrong("grpc-status", nothing(), ended(&[("grpc-status", "05")]), "a grpc-status is not a code"),
        wrong("grpc-status", nothing(), ended(&[("grpc-status", "NOT_FOUND")]), "a grpc-status is not a code"),
        wrong("grpc-status", nothing(), header(ok(FRAME), "grpc-status", "0"), "more than one"),
        wrong(
            "grpc-status",
            nothing(),
            header(called(FRAME, &[]), "grpc-status", "0"),
            "a grpc-status precedes the messages",
        ),
        wrong("grpc-status", nothing(), http(404, &[]), "not answered with HTTP 200"),
        wrong("grpc-status", nothing(), http(500, &fields()), "not answered with HTTP 200"),
        // What one server library says where it cannot read the headers.
        unseen("grpc-status", nothing(), http(400, &fields()), "no call"),
        unseen("grpc-status", nothing(), http(404, &[]).but(|draft| draft.operation = None), "no call"),
        unseen("grpc-status", nothing(), http(503, &[]), "no call"),
        unseen("grpc-status", nothing(), asked_as(http(415, &[]), "text/plain"), "no call"),
        unseen("grpc-status", nothing(), ended(&[]).ended(Ended::HungUp), "no call"),
    ]
}

fn messages() -> Vec<Row> {
    let nothing = || json!(null);
    vec![
        right("grpc-message", nothing(), content("a task that is 100%25 gone: caf%C3%a9")),
        right("grpc-message", nothing(), content("%E2%82%ac")),
        right("grpc-message", nothing(), content("")),
        wrong("grpc-message", nothing(), content("100% gone"), "not percent-encoded"),
        wrong("grpc-message", nothing(), content("gone%"), "not percent-encoded"),
        wrong("grpc-message", nothing(), content("%+1"), "not percent-encoded"),
        wrong("grpc-message", nothing(), content("café"), "not percent-encoded"),
        wrong("grpc-message", nothing(), content("%FF"), "not percent-encoded"),
        wrong("grpc-message", nothing(), header(ended(&[]), "grpc-message", "a\tb"), "not percent-encoded"),
        unseen("grpc-message", nothing(), ok(FRAME), "no grpc-message"),
    ]
}

fn frames() -> Vec<Row> {
    let nothing = || json!(null);
    let twice = [FRAME, FRAME].concat();
    let compressed = [&[1], FRAME.get(1..).unwrap()].concat();
    let stream = Script::v1_0().over(Grpc).call("s", Some(SendStreamingMessage), &twice, &[("grpc-status", "0")]);
    vec![
        right("grpc-framing", nothing(), ok(FRAME)),
        right("grpc-framing", nothing(), stream),
        right("grpc-framing", nothing(), ended(&[("grpc-status", "5")])),
        wrong("grpc-framing", nothing(), header(ok(&compressed), "grpc-encoding", "gzip"), "accepts no compression"),
        right("grpc-framing", nothing(), header(ok(FRAME), "grpc-encoding", "gzip")),
        wrong("grpc-framing", nothing(), ok(&compressed), "does not consist of messages"),
        wrong("grpc-framing", nothing(), ok(&[FRAME, &[0]].concat()), "does not consist of messages"),
        wrong("grpc-framing", nothing(), ok(FRAME.get(..6).unwrap()), "does not consist of messages"),
        wrong("grpc-framing", nothing(), ok(&[2, 0, 0, 0, 0]), "does not consist of messages"),
        wrong("grpc-framing", nothing(), ok(&twice), "does not have one answer"),
        wrong("grpc-framing", nothing(), ok(&[]), "does not have one answer"),
        unseen("grpc-framing", nothing(), typed(&["text/html"]), "no answer"),
    ]
}

fn details() -> Vec<Row> {
    let aspect = |name: &str| json!(name);
    let same = || base64::encode(&bytes(5, "no task", &[(TYPE, "TASK_NOT_FOUND", DOMAIN)]));
    let other = |code: i32, message: &str| base64::encode(&bytes(code, message, &[]));
    let bare = ErrorInfo { reason: "TASK_NOT_FOUND".to_owned(), domain: DOMAIN.to_owned() }.encode_to_vec();
    // Bytes whose base64 has a letter in which the alphabets differ.
    let url_safe = base64::encode(&bytes(5, "\u{3ff}\u{3ff}\u{3ff}", &[])).replace('+', "-").replace('/', "_");
    assert!(url_safe.contains(['-', '_']), "{url_safe}");
    let broken_info = Any { type_url: TYPE.to_owned(), value: vec![0xFF] };
    let broken_info = Status { code: 5, message: String::new(), details: vec![broken_info] }.encode_to_vec();
    let unnamed = |script: &str| with(script, "TASK_NOT_FOUND", DOMAIN);
    vec![
        right("grpc-status-details", aspect("readable"), detailed(&same())),
        right("grpc-status-details", aspect("readable"), detailed(same().trim_end_matches('='))),
        right("grpc-status-details", aspect("readable"), detailed(&format!("{}, {}", same(), same()))),
        right("grpc-status-details", aspect("readable"), unnamed("example.org/an.Unknown")),
        wrong("grpc-status-details", aspect("readable"), detailed(&base64::encode(&bare)), "cannot be read"),
        wrong("grpc-status-details", aspect("readable"), detailed(&base64::encode(&broken_info)), "cannot be read"),
        wrong("grpc-status-details", aspect("readable"), detailed(&url_safe), "cannot be read"),
        wrong("grpc-status-details", aspect("readable"), detailed("{}"), "cannot be read"),
        wrong("grpc-status-details", aspect("readable"), unnamed("google.rpc.ErrorInfo"), "of a status"),
        wrong("grpc-status-details", aspect("readable"), unnamed("type.googleapis.com/"), "of a status"),
        unseen("grpc-status-details", aspect("readable"), content("m"), "no status with details"),
        right("grpc-status-details", aspect("code"), detailed(&same())),
        wrong("grpc-status-details", aspect("code"), detailed(&other(9, "no task")), "of a status"),
        unseen("grpc-status-details", aspect("code"), detailed("{}"), "no status with details"),
        right("grpc-status-details", aspect("message"), detailed(&other(9, "no task "))),
        wrong("grpc-status-details", aspect("message"), detailed(&other(5, "")), "of a status"),
        broken("grpc-status-details", aspect("colour"), detailed(&same()), "`colour` is nothing that"),
    ]
}

fn infos() -> Vec<Row> {
    let nothing = || json!(null);
    vec![
        right("error-info", nothing(), with(TYPE, "TASK_NOT_FOUND", DOMAIN)),
        right("error-info", nothing(), with("example.org/google.rpc.ErrorInfo", "TASK_NOT_FOUND", DOMAIN)),
        wrong("error-info", nothing(), with("google.rpc.ErrorInfo", "TASK_NOT_FOUND", DOMAIN), "another type"),
        wrong("error-info", nothing(), with(TYPE, "TASK_NOT_FOUND", "a.example"), "another domain"),
        wrong("error-info", nothing(), with(TYPE, "TASK_NOT_CANCELABLE", DOMAIN), "has a status of another error"),
        unseen("error-info", nothing(), with(TYPE, "INVALID_PARAMS", DOMAIN), "no ErrorInfo"),
        unseen("error-details", nothing(), with(TYPE, "TASK_NOT_FOUND", DOMAIN), "no error with details"),
    ]
}

/// The JSON form of messages is the suite's own: its spelling says nothing of the agent.
fn spellings() -> Vec<Row> {
    let oracles = ["camel-case", "timestamps", "milliseconds", "base64"];
    oracles.into_iter().map(|oracle| unseen(oracle, Value::Null, ok(FRAME), "not text")).collect()
}

#[test]
fn grpc_is_judged() {
    hold(&rows());
}

/// What a codec could not decode is no message of the method's type.
#[test]
fn a_message_of_another_type_is_found() {
    let judge = |content: Content| {
        let talk = ok(FRAME).play();
        let mut answers = talk.run_view().answers.to_vec();
        answers[0].content = content;
        let view = RunView { answers: &answers, ..talk.run_view() };
        let (name, at) = ("grpc-framing".to_owned(), String::new());
        over_run(view, &OracleCall { name, args: Value::Null, asserts: Asserts::One, at }).judgement
    };
    let unreadable = |reason: &str| Unreadable::new(reason, None);
    let event =
        |content: EventContent| StreamEvent { after: Duration::ZERO, data: String::new(), content, mended: None };
    let other = unreadable("bytes that are no Task: no wire type");
    for content in [Content::Unreadable(other.clone()), Content::Stream(vec![event(EventContent::Unreadable(other))])] {
        let Judgement::Wrong(findings) = judge(content) else { panic!("nothing was found") };
        assert_eq!(findings[0].kind, Kind::GrpcMessageOfOtherType);
    }
    assert_eq!(judge(Content::Unreadable(unreadable("no message at all"))), Judgement::Right);
}
