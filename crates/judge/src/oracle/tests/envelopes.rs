//! JSON texts and JSON-RPC envelopes.

use serde_json::{Value, json};

use super::script::{COMPLETED, INPUT_REQUIRED, Script, WORKING, task, task_with};
use super::{Judged, Row, ask, broken, findings, hold, right, unseen, wrong};
use crate::profile::Operation::{self, GetTask, SendMessage};
use crate::transcript::Ended;

fn body(text: &str) -> Script {
    Script::v1_0().answer("s", GetTask, text)
}

fn typed(content_type: &str) -> Script {
    body(r#"{"jsonrpc":"2.0","id":"ID","result":1}"#)
        .but(|draft| draft.headers = vec![("content-type".to_owned(), content_type.to_owned())])
}

/// An answer to something that an agent can hardly read.
fn to(request: &str, answer: &str) -> Script {
    body(answer).but(|draft| draft.request = Some(request.to_owned()))
}

/// A request that is declared as plain text.
fn foreign(script: Script) -> Script {
    script.but(|draft| {
        draft.request_headers.insert("Content-Type".to_owned(), Some("text/plain".to_owned()));
    })
}

fn status(script: Script, status: u16) -> Script {
    script.but(|draft| draft.status = status)
}

fn refused(error: Value) -> Script {
    Script::v1_0().error("s", GetTask, error)
}

fn denied() -> Script {
    refused(json!({ "code": -32601, "message": "no such method" }))
}

fn unsupported() -> Script {
    refused(json!({ "code": -32004, "message": "not supported" }))
}

fn not_found(data: Value) -> Script {
    refused(json!({ "code": -32001, "message": "no such task", "data": data }))
}

fn info(reason: &str, domain: &str) -> Value {
    json!([{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": domain }])
}

/// An `ErrorInfo` with these members.
fn typed_info(members: Value) -> Value {
    let mut info = info("TASK_NOT_FOUND", "a2a-protocol.org");
    crate::case::merge(&mut info[0], &members);
    info
}

/// A `BadRequest` with these violations.
fn violations(violations: Value) -> Value {
    json!([{ "@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": violations }])
}

const RESULT: &str = r#"{"jsonrpc":"2.0","id":"ID","result":1}"#;
/// An event with an error that is null.
const NULL_ERROR: &str = "data: {\"jsonrpc\":\"2.0\",\"id\":\"ID\",\"result\":{},\"error\":null}\n\n";
const WITHOUT_ID: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"m"}}"#;
const ID_IN_A_LIST: &str = r#"{"jsonrpc":"2.0","id":[],"error":{"code":-32602,"message":"m"}}"#;
const NO_REQUEST: &str = r#"{"jsonrpc":"2.0","id":"x","params":{}}"#;

/// A task that failed, and says this.
fn fails(text: &str) -> Script {
    let message = json!({ "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": text }] });
    let task = task_with("t", "TASK_STATE_FAILED", json!({ "status": { "message": message } }));
    Script::v1_0().result("s", Operation::GetTask, task)
}

/// An agent that does not find the task which it has made in this state, and has answered the operation about it before.
fn unfound(state: &str, before: Option<Operation>) -> Script {
    let made = Script::v1_0().result("s", SendMessage, json!({ "task": task("t", state) }));
    let asked = match before {
        Some(GetTask) => made.result("r", GetTask, task("t", state)).asked(json!({ "id": "t" })),
        Some(operation) => {
            let named = json!({ "message": { "taskId": "t" } });
            made.error("r", operation, json!({ "code": -32603, "message": "m" })).asked(named)
        }
        None => made,
    };
    let error = json!({ "code": -32001, "message": "m" });
    asked.error("g", GetTask, error).asked(json!({ "id": "t" })).serving(&[SendMessage, GetTask], &[])
}

pub(super) fn rows() -> Vec<Row> {
    let nothing = || json!(null);
    let two = r#"[{"jsonrpc":"2.0","id":"a","result":1},{"jsonrpc":"2.0","id":"b","error":{"code":1,"message":"m"}}]"#;
    let batch = || json!({ "step": "s", "ids": ["a", "b"] });
    let with_id = || json!({ "stream": "s", "id": 1 });
    let denial = |operation| {
        let script = denied().but(|draft| draft.operation = Some(operation)).serving(&[], &[operation]);
        wrong("operations-served", json!(null), script, "does not know")
    };
    let rows = vec![
        right("json-text", nothing(), body(RESULT)),
        wrong("json-text", nothing(), body("{\"jsonrpc\":\"2.0\",}"), "not JSON"),
        wrong("json-text", nothing(), body(&format!("\u{feff}{RESULT}")), "not JSON"),
        // What was cut off, and what is a stream, is not for this oracle.
        unseen("json-text", nothing(), body("{").ended(Ended::HungUp), "no JSON body"),
        unseen(
            "json-text",
            nothing(),
            Script::v1_0().raw_stream("s", "data: x\n\n").but(|draft| {
                draft.headers = vec![("content-type".to_owned(), "application/json".to_owned())];
            }),
            "no JSON body",
        ),
        // A page of HTML that says so is no JSON text gone wrong.
        unseen("json-text", nothing(), typed("text/html"), "no JSON body"),
        right("duplicate-keys", nothing(), body(RESULT)),
        wrong(
            "duplicate-keys",
            nothing(),
            body(r#"{"jsonrpc":"2.0","id":"ID","result":{"a":1,"a":2}}"#),
            "\"a\" twice",
        ),
        right("envelope", nothing(), body(RESULT)),
        right("envelope", nothing(), refused(json!({ "code": -32603, "message": "m" }))),
        // Codes outside of the reserved range are the agent's, and some within it are JSON-RPC's, or the server's.
        right("envelope", nothing(), refused(json!({ "code": -32769, "message": "m" }))),
        right("envelope", nothing(), refused(json!({ "code": -32099, "message": "m" }))),
        right("envelope", nothing(), refused(json!({ "code": -32700, "message": "m" }))),
        wrong("envelope", nothing(), refused(json!({ "code": -32100, "message": "m" })), "JSON-RPC response is"),
        wrong("envelope", nothing(), refused(json!({ "code": -32604, "message": "m" })), "JSON-RPC response is"),
        wrong("envelope", nothing(), refused(json!({ "code": -32768, "message": "m" })), "JSON-RPC response is"),
        // Ids are judged apart.
        right("envelope", nothing(), body(r#"{"jsonrpc":"2.0","result":1}"#)),
        wrong("envelope", nothing(), body(r#"{"id":"ID","result":1}"#), "JSON-RPC response is"),
        wrong(
            "envelope",
            nothing(),
            body(r#"{"jsonrpc":"2.0","id":"ID","result":1,"error":{}}"#),
            "JSON-RPC response is",
        ),
        wrong("envelope", nothing(), refused(json!({ "code": "x", "message": "m" })), "JSON-RPC response is"),
        wrong("envelope", nothing(), body("<html>"), "a response is not a JSON-RPC response"),
        wrong("envelope", nothing(), body("{}"), "JSON-RPC response is"),
        wrong(
            "envelope",
            nothing(),
            Script::v1_0().raw_stream("s", "data: {\"id\":\"ID\",\"result\":{}}\n\n"),
            "JSON-RPC response is",
        ),
        // 0.1, and only in an event.
        right("envelope", nothing(), Script::v0_1().raw_stream("s", NULL_ERROR)),
        wrong("envelope", nothing(), Script::v1_0().raw_stream("s", NULL_ERROR), "JSON-RPC response is"),
        wrong(
            "envelope",
            nothing(),
            Script::v0_1().answer("s", GetTask, r#"{"jsonrpc":"2.0","id":"ID","result":{},"error":null}"#),
            "JSON-RPC response is",
        ),
        unseen("envelope", nothing(), body("").ended(Ended::HungUp), "no response"),
        // Turned away before it came to JSON-RPC.
        unseen("envelope", nothing(), body("no JSON, please").but(|draft| draft.status = 415), "no response"),
        unseen("envelope", nothing(), status(body("<html>"), 413), "no response"),
        unseen("envelope", nothing(), status(body(r#"{"detail":"too large"}"#), 431), "no response"),
        unseen("envelope", nothing(), foreign(status(body("no JSON, please"), 400)), "no response"),
        wrong("envelope", nothing(), foreign(body("<html>")), "a response is not a JSON-RPC response"),
        wrong("envelope", nothing(), status(body("<html>"), 404), "a response is not a JSON-RPC response"),
        right("response-id", nothing(), body(RESULT)),
        wrong("response-id", nothing(), body(r#"{"jsonrpc":"2.0","id":99,"result":1}"#), "id of its request"),
        wrong("response-id", nothing(), body(r#"{"jsonrpc":"2.0","id":"1","result":1}"#), "id of its request"),
        wrong("response-id", nothing(), body(r#"{"jsonrpc":"2.0","result":1}"#), "id of its request"),
        wrong(
            "response-id",
            nothing(),
            body(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"m"}}"#),
            "id of its request",
        ),
        // Who could not read the request cannot know its id.
        unseen(
            "response-id",
            nothing(),
            body(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}"#),
            "no response",
        ),
        // Who refused it before looking into the body does not know it either.
        unseen("response-id", nothing(), foreign(body(WITHOUT_ID)), "no response"),
        unseen("response-id", nothing(), status(body(WITHOUT_ID), 401), "no response"),
        wrong(
            "response-id",
            nothing(),
            foreign(body(r#"{"jsonrpc":"2.0","id":null,"result":1}"#)),
            "id of its request",
        ),
        right(
            "unreadable-id",
            nothing(),
            to("{", r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#),
        ),
        right(
            "unreadable-id",
            nothing(),
            to(NO_REQUEST, r#"{"jsonrpc":"2.0","id":"x","error":{"code":-32600,"message":"m"}}"#),
        ),
        wrong(
            "unreadable-id",
            nothing(),
            to("{", r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32700,"message":"m"}}"#),
            "id null",
        ),
        wrong(
            "unreadable-id",
            nothing(),
            to("{", r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}"#),
            "id null",
        ),
        wrong(
            "unreadable-id",
            nothing(),
            to(NO_REQUEST, r#"{"jsonrpc":"2.0","id":"y","error":{"code":-32600,"message":"m"}}"#),
            "id null",
        ),
        unseen("unreadable-id", nothing(), body(RESULT), "answer to what is no request"),
        right("media-type", nothing(), typed("application/json; charset=utf-8")),
        wrong("media-type", nothing(), typed("text/plain"), "not declared as JSON"),
        wrong("media-type", nothing(), body(RESULT).but(|draft| draft.headers.clear()), "not declared as JSON"),
        wrong(
            "media-type",
            nothing(),
            refused(json!({ "code": 1, "message": "m" })).but(|draft| draft.headers.clear()),
            "not declared as JSON",
        ),
        unseen("media-type", nothing(), body("<html>"), "no response"),
        right("error-details", nothing(), not_found(info("r", "d"))),
        wrong("error-details", nothing(), not_found(json!({ "id": "t" })), "not an array"),
        wrong("error-details", nothing(), not_found(json!([{ "id": "t" }])), "does not name its type"),
        right("error-details", nothing(), not_found(typed_info(json!({ "reason": null, "metadata": { "id": "t" } })))),
        wrong("error-details", nothing(), not_found(typed_info(json!({ "reason": 1 }))), "does not fit the type"),
        wrong("error-details", nothing(), not_found(typed_info(json!({ "domain": 1 }))), "does not fit the type"),
        wrong("error-details", nothing(), not_found(typed_info(json!({ "metadata": [] }))), "does not fit the type"),
        wrong(
            "error-details",
            nothing(),
            not_found(typed_info(json!({ "metadata": { "tries": 1 } }))),
            "does not fit the type",
        ),
        right("error-details", nothing(), not_found(violations(json!([{ "field": "id", "description": "is empty" }])))),
        right("error-details", nothing(), not_found(violations(json!(null)))),
        wrong("error-details", nothing(), not_found(violations(json!({ "field": "id" }))), "does not fit the type"),
        wrong("error-details", nothing(), not_found(violations(json!(["id"]))), "does not fit the type"),
        wrong("error-details", nothing(), not_found(violations(json!([{ "field": 1 }]))), "does not fit the type"),
        wrong(
            "error-details",
            nothing(),
            not_found(violations(json!([{ "description": 1 }]))),
            "does not fit the type",
        ),
        wrong("error-details", nothing(), not_found(violations(json!([{ "reason": 1 }]))), "does not fit the type"),
        right("error-details", nothing(), not_found(json!([{ "@type": "example.org/an.Unknown", "reason": 1 }]))),
        unseen("error-details", nothing(), not_found(json!(null)), "no error with details"),
        right("error-data", nothing(), not_found(json!({ "id": "t" }))),
        right("error-data", nothing(), not_found(json!(["t"]))),
        wrong("error-data", nothing(), not_found(json!("t")), "have no structure"),
        unseen("error-data", nothing(), not_found(json!(null)), "no error with data"),
        right("error-info", nothing(), not_found(info("TASK_NOT_FOUND", "a2a-protocol.org"))),
        wrong("error-info", nothing(), not_found(json!(null)), "has no ErrorInfo"),
        wrong("error-info", nothing(), not_found(info("NOT_FOUND", "a2a-protocol.org")), "has no ErrorInfo"),
        wrong("error-info", nothing(), not_found(info("TASK_NOT_FOUND", "agent.example")), "has no ErrorInfo"),
        // Requests in another version's name may be answered in that version's shape.
        unseen(
            "error-info",
            nothing(),
            not_found(json!(null)).but(|draft| {
                draft.request_headers.insert("A2A-Version".to_owned(), Some("0.3".to_owned()));
            }),
            "no error of A2A",
        ),
        unseen("error-info", nothing(), refused(json!({ "code": -32603, "message": "m" })), "no error of A2A"),
        right("error-message", nothing(), refused(json!({ "code": 1, "message": "m" }))),
        wrong("error-message", nothing(), refused(json!({ "code": 1, "message": " " })), "no message for people"),
        wrong("error-message", nothing(), refused(json!({ "code": 1 })), "no message for people"),
        unseen("error-message", nothing(), body(RESULT), "no error"),
        right("stack-traces", nothing(), refused(json!({ "code": 1, "message": "no such task" }))),
        wrong(
            "stack-traces",
            nothing(),
            refused(json!({ "code": 1, "message": "Traceback (most recent call last): a.py" })),
            "an error has a stack trace",
        ),
        unseen("stack-traces", nothing(), body(RESULT), "no error"),
        right("plain-errors", nothing(), refused(json!({ "code": 1, "message": "no <b> here" }))),
        right("plain-errors", nothing(), refused(json!({ "code": 1, "message": "no", "data": { "at": "night" } }))),
        wrong(
            "plain-errors",
            nothing(),
            refused(json!({ "code": 1, "message": "upstream: <!DOCTYPE HTML><title>502</title>" })),
            "an error is an HTML page",
        ),
        wrong(
            "plain-errors",
            nothing(),
            refused(json!({ "code": 1, "message": "no", "data": "at a (/a.js:1:2)\nat b (/b.js:3:4)" })),
            "an error has a stack trace",
        ),
        wrong(
            "plain-errors",
            nothing(),
            refused(json!({ "code": 1, "message": "at a (/a.js:1:2)\nat b (/b.js:3:4)" })),
            "an error has a stack trace",
        ),
        wrong("plain-errors", nothing(), fails("<html><body>bad gateway"), "an error is an HTML page"),
        right("plain-errors", nothing(), fails("the service behind this agent is down")),
        unseen("plain-errors", nothing(), body(RESULT), "no error"),
        // Whatever the code is.
        wrong("unreadable-id", nothing(), to(NO_REQUEST, ID_IN_A_LIST), "does not have the id null"),
        right("stream-rpc-id", with_id(), Script::v1_0().stream("s", &[json!({ "task": task("t", WORKING) })])),
        wrong(
            "stream-rpc-id",
            with_id(),
            Script::v1_0().raw_stream("s", "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n"),
            "an event does not carry the id",
        ),
        unseen("stream-rpc-id", with_id(), body(RESULT), "not a stream"),
        broken(
            "stream-rpc-id",
            json!({ "stream": "s", "id": [] }),
            Script::v1_0().stream("s", &[json!({ "task": task("t", WORKING) })]),
            "expected a string, a number or null",
        ),
        right("operations-served", nothing(), body(RESULT).serving(&Operation::ALL, &[])),
        // What was answered once is there, whatever came of it at another time.
        right("operations-served", nothing(), denied().serving(&[GetTask], &[GetTask])),
        unseen("operations-served", nothing(), denied(), "no call"),
        // What does something does not support a part of it.
        right(
            "operations-served",
            nothing(),
            unsupported().serving(&[GetTask], &[]).not_supporting(&[GetTask], &[GetTask]),
        ),
        // An agent that looks at parameters first has nothing more of the operation for it.
        wrong(
            "operations-served",
            nothing(),
            unsupported().serving(&[GetTask], &[]).not_supporting(&[GetTask], &[]),
            "does not support GetTask",
        ),
        // A task that waits is there; one that has ended may be gone, and so may one that was named since.
        wrong("operations-served", nothing(), unfound(INPUT_REQUIRED, None), "finds none of the tasks"),
        right("operations-served", nothing(), unfound(COMPLETED, None)),
        right("operations-served", nothing(), unfound(INPUT_REQUIRED, Some(SendMessage))),
        right("operations-served", nothing(), unfound(INPUT_REQUIRED, Some(GetTask))),
        right("served", json!("s"), body(RESULT)),
        wrong("served", json!("s"), refused(json!({ "code": -32601, "message": "m" })), "refuses a request"),
        right("not-served", json!("s"), refused(json!({ "code": -32600, "message": "m" }))),
        right("not-served", json!("s"), status(body(""), 400)),
        right("not-served", json!("s"), status(body(""), 499)),
        wrong("not-served", json!("s"), body(RESULT), "accepts a request"),
        wrong("not-served", json!("s"), body("").but(|draft| draft.status = 500), "accepts a request"),
        right("batch-answers", batch(), body(two)),
        right("batch-answers", batch(), refused(json!({ "code": -32600, "message": "m" }))),
        wrong("batch-answers", batch(), refused(json!({ "code": -32602, "message": "m" })), "answers with"),
        wrong("batch-answers", batch(), refused(json!({ "code": -32603, "message": "m" })), "fails with InternalError"),
        wrong("batch-answers", batch(), status(body("Internal Server Error"), 500), "fails with HTTP 500"),
        wrong("batch-answers", batch(), body(RESULT), "neither an array nor an error"),
        wrong("batch-answers", batch(), body(r#"[{"jsonrpc":"2.0","id":"a","result":1}]"#), "the call \"b\""),
        wrong(
            "batch-answers",
            batch(),
            body(r#"[{"id":"a","result":1},{"jsonrpc":"2.0","id":"b","result":1}]"#),
            "is not a response",
        ),
    ];
    rows.into_iter().chain(Operation::ALL.map(denial)).collect()
}

/// A detail that is not as its type has it is cited by the member that is not.
#[test]
fn members_of_details_are_cited() {
    let cited = |details: Value| findings("error-details", json!(null), not_found(details)).remove(0).pointer;
    for member in ["reason", "domain", "metadata"] {
        assert_eq!(cited(typed_info(json!({ member: 1 }))), Some(format!("/error/data/0/{member}")));
    }
    assert_eq!(cited(violations(json!(1))).as_deref(), Some("/error/data/0/fieldViolations"));
}

#[test]
fn envelopes_are_judged() {
    hold(&rows());
}

/// An object with neither a result nor an error is an object that says its version: what is wrong with it is what it lacks.
#[test]
fn what_has_neither_result_nor_error_is_a_response_without_them() {
    let asked = |text: &str| {
        let Judged { held, violated, .. } = ask(&right("envelope", json!(null), body(text)));
        (held, violated)
    };
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        asked(r#"{"jsonrpc":"2.0","id":"ID"}"#),
        (names(&[":/jsonrpc", ":object"]), names(&[":result-or-error"]))
    );
    assert_eq!(asked("<html>"), (names(&[]), names(&[":object"])));
}
