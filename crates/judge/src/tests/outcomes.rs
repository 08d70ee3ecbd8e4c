//! Outcomes: what an answer is, what an expectation asks for, and how the two are told.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::transcript::{Limit, TransportError};

#[test]
fn outcomes_are_judged() {
    let result = || any_of(&[]);
    let not_found = || named("TaskNotFoundError");
    let refusal = || any_of(&[Outcome::Refusal]);
    let either = || any_of(&[Outcome::Result, Outcome::Error("TaskNotFoundError".to_owned())]);
    let stream = || Script::v1_0().stream("s", &[json!({ "task": { "id": "t" } })]);
    let error = |code: i64| json!({ "jsonrpc": "2.0", "id": "ID", "error": { "code": code, "message": "no" } });
    let refused_stream = |code: i64| Script::v1_0().raw_stream("s", &format!("data: {}\n\n", error(code)));
    hold(vec![
        (result(), got(json!({})), "right"),
        (result(), stream(), "right"),
        (
            result(),
            refused(-32001),
            "the agent answers with the wrong error: wanted a result, got TaskNotFoundError (-32001) \"no\"",
        ),
        (
            result(),
            refused_stream(-32001),
            "the agent answers with the wrong error: wanted a result, got TaskNotFoundError (-32001) \"no\"",
        ),
        (result(), body(""), "the answer is of the wrong kind: wanted a result, got an empty body"),
        (not_found(), refused(-32001), "right"),
        (not_found(), refused_stream(-32001), "right"),
        // An event that announces the end serves nothing.
        (
            not_found(),
            Script::v1_0().raw_stream("s", &format!("data: {}\n\nevent: close\ndata:\n\n", error(-32001))),
            "right",
        ),
        (
            not_found(),
            Script::v1_0().raw_stream(
                "s",
                &format!(
                    "data: {}\n\ndata: {}\n\n",
                    error(-32001),
                    json!({ "jsonrpc": "2.0", "id": "ID", "result": { "task": { "id": "t" } } })
                ),
            ),
            "the agent accepts a request that it must refuse: wanted TaskNotFoundError (-32001), got a stream of 2 events",
        ),
        (
            not_found(),
            refused(-32002),
            "the agent answers with the wrong error: wanted TaskNotFoundError (-32001), got TaskNotCancelableError (-32002) \"no\"",
        ),
        (
            not_found(),
            got(json!({ "id": "t" })),
            "the agent accepts a request that it must refuse: wanted TaskNotFoundError (-32001), got the result {\"id\":\"t\"}",
        ),
        (
            not_found(),
            stream(),
            "the agent accepts a request that it must refuse: wanted TaskNotFoundError (-32001), got a stream of 1 event",
        ),
        (either(), got(json!({})), "right"),
        (either(), refused(-32001), "right"),
        (
            either(),
            Script::v1_0().raw_stream("s", "data: x\n\n"),
            "the answer is of the wrong kind: wanted a result, or TaskNotFoundError (-32001), got a stream \
             that begins with an event whose data is not JSON: found 'x' instead of a value",
        ),
        (refusal(), refused(-32602), "right"),
        (
            refusal(),
            refused(-32603),
            "the agent fails at a request that it may refuse: wanted an error that refuses the request, got InternalError (-32603) \"no\"",
        ),
    ]);
}

/// Where there should be no response object, and where any HTTP answer will do.
#[test]
fn outcomes_below_the_protocol_are_judged() {
    let nothing = || any_of(&[Outcome::Nothing]);
    let turned_away = || any_of(&[Outcome::HttpRefusal]);
    let not_nothing = |got: &str| format!("the answer is of the wrong kind: wanted no response object, got {got}");
    let not_turned_away =
        |got: &str| format!("the answer is of the wrong kind: wanted HTTP 4xx, 501 or 505, got {got}");
    let empty = |number: u16| status(body(" \r\n"), number);
    let without_body = |number: u16| format!("HTTP {number} without a body");
    hold(vec![
        (nothing(), empty(204), "right"),
        (nothing(), empty(400), "right"),
        (nothing(), empty(499), "right"),
        (nothing(), empty(500), &not_nothing(&without_body(500))),
        (
            nothing(),
            body("{}"),
            &not_nothing("a JSON object that is no JSON-RPC response: it has neither result nor error"),
        ),
        (nothing(), body("").ended(Ended::HungUp), "no response: wanted no response object, got left by the suite"),
        (turned_away(), empty(400), "right"),
        (turned_away(), empty(499), "right"),
        (turned_away(), empty(501), "right"),
        (turned_away(), empty(505), "right"),
        (turned_away(), empty(500), &not_turned_away(&without_body(500))),
        (turned_away(), empty(399), &not_turned_away(&without_body(399))),
        // An error of JSON-RPC says more than the status that came with it.
        (
            turned_away(),
            status(refused(-32602), 400),
            "the agent answers with the wrong error: wanted HTTP 4xx, 501 or 505, got InvalidParamsError (-32602) \"no\"",
        ),
        (turned_away(), status(refused(-32602).over(HttpJson), 400), "right"),
        (
            turned_away(),
            status(called(3), 400),
            "the agent answers with the wrong error: wanted HTTP 4xx, 501 or 505, got an error that the specification does not name (INVALID_ARGUMENT) \"no\"",
        ),
        (any_of(&[Outcome::Http]), empty(500), "right"),
        (any_of(&[Outcome::Grpc]), called(5), "right"),
        (
            any_of(&[Outcome::Grpc]),
            refused(-32001),
            "the agent answers with the wrong error: wanted a gRPC status, got TaskNotFoundError (-32001) \"no\"",
        ),
    ]);
}

/// A connection that was lost is nobody's fault that can be told, unless the agent had begun to answer.
/// What a step was seen to hold, and what it violates.
fn assertions(expect: &Expect, script: &Script) -> (Vec<String>, Vec<String>) {
    let judged = step(script.play().profile(), &played(expect, script));
    (judged.held, judged.violated)
}

#[test]
fn what_was_seen_to_hold_is_told_apart_from_what_was_violated() {
    let not_found = || named("TaskNotFoundError");
    let either = || any_of(&[Outcome::Result, Outcome::Error("TaskNotFoundError".to_owned())]);
    let two_errors =
        || any_of(&["InvalidParamsError", "InvalidRequestError"].map(|name| Outcome::Error(name.to_owned())));
    let two_places = Expect {
        at: on("/id", json!("a")).into_iter().chain(on("/contextId", json!("b"))).collect(),
        ..Expect::default()
    };
    let rows: Vec<(Expect, Script, &[&str], &[&str])> = vec![
        (not_found(), refused(-32001), &["error:TaskNotFoundError", "refused"], &[]),
        // It is refused, by whatever error.
        (not_found(), refused(-32002), &["refused"], &["error"]),
        // Who says that it broke refuses nothing.
        (not_found(), refused(-32603), &[], &["error"]),
        (not_found(), got(json!({})), &[], &["refused"]),
        // A result says nothing of an error that might have been.
        (either(), got(json!({})), &["result"], &[]),
        (either(), refused(-32001), &["error:TaskNotFoundError"], &[]),
        (either(), refused(-32002), &[], &["error"]),
        (either(), body("oops"), &[], &["error"]),
        (any_of(&[Outcome::Refusal]), refused(-32002), &["error", "refused"], &[]),
        // Which of two it is a status does not tell.
        (two_errors(), refused(-32602), &["error:InvalidParamsError", "refused"], &[]),
        (two_errors(), status(body("{}").over(HttpJson), 400), &["error", "refused"], &[]),
        (any_of(&[]), refused(-32001), &[], &["result"]),
        (two_places, got(json!({ "id": "a", "contextId": "c" })), &["/id", "result"], &["/contextId"]),
        // What did not come shows nothing.
        (any_of(&[]), lost(too_slow()), &[], &[]),
    ];
    for (expect, script, held, violated) in rows {
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(assertions(&expect, &script), (own(held), own(violated)), "{:?}", expect.outcome);
    }
}

/// Whoever is not answered knows nothing of what the case asks, whatever the case.
#[test]
fn a_request_that_is_left_without_an_answer_proves_nothing() {
    let reset = || Ended::Failed(TransportError::Reset);
    let stream = Script::v1_0().stream("s", &[json!({ "task": task("t", WORKING) })]);
    let lost_how = "the connection was lost before the answer was complete";
    let closed = format!("unseen: {lost_how}");
    let slow = |what: &str| format!("unseen: no response to {what} within 10 s; increase --timeout for a slow agent");
    let sent = |ended| Script::v1_0().result("s", SendMessage, json!({})).ended(ended);
    let own_limit = || Ended::Failed(TransportError::OwnLimit("16 KiB of it".to_owned()));
    let ours = format!("broken: {}", own_limit());
    hold(vec![
        (any_of(&[]), lost(reset()), &closed),
        (any_of(&[]), got(json!({})).ended(reset()), &closed),
        (named("TaskNotFoundError"), sent(Ended::Reset(2)), "unseen: reset by the agent (HTTP/2 error 2)"),
        (any_of(&[]), sent(too_slow()), &slow("SendMessage")),
        (named("TaskNotFoundError"), sent(too_slow()), &slow("SendMessage")),
        (any_of(&[Outcome::Refusal]), got(json!({})).ended(too_slow()), &slow("GetTask")),
        // Nobody was there, or the suite itself hung up.
        (any_of(&[]), lost(Ended::Failed(TransportError::Refused)), "broken: connection refused"),
        // What our own client does not read says nothing about the agent, whatever the case asks.
        (any_of(&[]), got(json!({})).ended(own_limit()), &ours),
        (named("TaskNotFoundError"), lost(own_limit()), &ours),
        (any_of(&[Outcome::Closed]), got(json!({})).ended(own_limit()), &ours),
        // What is no HTTP is the agent's.
        (
            any_of(&[]),
            lost(Ended::Failed(TransportError::NotHttp1("x".to_owned()))),
            "unseen: the response is not HTTP/1.1: x",
        ),
        (any_of(&[]), sent(Ended::HungUp), "no response: wanted a result, got left by the suite"),
        // What was begun is judged elsewhere.
        (any_of(&[]), stream.ended(reset()), &format!("broken: {lost_how}")),
        (any_of(&[]), Script::v1_0().walk("s", &[]), "broken: a step came to nothing"),
    ]);
    let nothing_expected = StepRecord { expect: None, ..played(&any_of(&[]), &lost(reset())) };
    let judged = step(got(json!({})).play().profile(), &nothing_expected).judgement;
    assert!(matches!(judged, Judgement::Unseen(Reason::ConnectionLost { .. })), "{judged:?}");
}

/// An answer that is too large to be read says nothing about a result, and is none of the errors that a case demands.
#[test]
fn an_answer_that_is_too_large_proves_nothing() {
    let cut = || lost(Ended::Endless(Limit::Bytes(16 << 20)));
    let large = "unseen: the agent sent an answer of more than 16 MiB, more than the suite reads";
    let either = any_of(&[Outcome::Result, Outcome::Error("TaskNotFoundError".to_owned())]);
    hold(vec![
        (any_of(&[]), cut(), large),
        (either, cut(), large),
        (
            named("TaskNotFoundError"),
            cut(),
            "no response: wanted TaskNotFoundError (-32001), got an answer of more than 16 MiB",
        ),
        // That other answers took all the room is nothing that the agent did.
        (
            named("TaskNotFoundError"),
            lost(Ended::Endless(Limit::Memory)),
            "unseen: the response is too large to be held beside the others; --jobs 1 gives it more memory",
        ),
    ]);
}

/// What stands before an agent proves nothing of the agent, unless it is what the case asks for.
#[test]
fn barriers_are_told_from_the_agent() {
    let credentials =
        |label: &str| format!("unseen: the agent requires credentials ({label}); pass --bearer or --header");
    let unavailable = |label: &str| format!("unseen: the agent is not available ({label})");
    let other = over_http("status", json!(401));
    for (expect, at) in [(any_of(&[]), 401), (any_of(&[]), 403), (any_of(&[]), 407), (other, 403)] {
        hold(vec![(expect, status(refused(-32603), at), &credentials(&format!("HTTP {at}")))]);
    }
    for at in [429, 502, 503, 504] {
        hold(vec![(any_of(&[]), status(refused(-32603), at), &unavailable(&format!("HTTP {at}")))]);
    }
    for (code, name) in [(16, "UNAUTHENTICATED"), (7, "PERMISSION_DENIED")] {
        hold(vec![(any_of(&[]), called(code), &credentials(name))]);
    }
    for (code, name) in [(14, "UNAVAILABLE"), (8, "RESOURCE_EXHAUSTED")] {
        hold(vec![(any_of(&[]), called(code), &unavailable(name))]);
    }
    hold(vec![
        (over_http("status", json!(401)), status(body(""), 401), "right"),
        (over_http("status", json!({ "at-least": 400 })), status(body(""), 503), "right"),
        (over_http("www-authenticate", json!("Basic")), status(body(""), 401), &credentials("HTTP 401")),
        (over_grpc("status", json!("UNAUTHENTICATED")), called(16), "right"),
        (over_grpc("status", json!("NOT_FOUND")), called(16), &credentials("UNAUTHENTICATED")),
        // Each binding has conditions of its own.
        (
            Expect { grpc: on("status", json!("NOT_FOUND")), ..over_http("status", json!(200)) },
            called(14),
            &unavailable("UNAVAILABLE"),
        ),
        (
            Expect { grpc: on("status", json!({ "present": false })), ..over_http("x", json!(1)) },
            status(body(""), 503),
            &unavailable("HTTP 503"),
        ),
    ]);
}

/// A finding about an outcome cites the code of the error, and the event that holds it.
#[test]
fn a_wrong_outcome_is_cited() {
    let cited = |script: Script| {
        let findings = findings(&any_of(&[]), &script);
        let [finding] = findings.as_slice() else { panic!("{findings:?}") };
        assert_eq!((finding.exchange, finding.source.as_deref()), (Some(1), Some("cases/a.yaml:3")));
        (finding.pointer.clone(), finding.event)
    };
    let error = json!({ "jsonrpc": "2.0", "id": "ID", "error": { "code": -32001, "message": "no" } });
    let stream = Script::v1_0().raw_stream("s", &format!("data: {error}\n\n"));
    assert_eq!(cited(refused(-32001)), (Some("/error/code".to_owned()), None));
    assert_eq!(cited(stream), (Some("/error/code".to_owned()), Some(0)));
    assert_eq!(cited(Script::v1_0().error("s", GetTask, json!({ "message": "no" }))), (None, None));
    assert_eq!(cited(body("")), (None, None));
}

/// Errors are expected by their name, with the code that they have over the binding.
#[test]
fn expected_errors_are_spelled_by_binding() {
    let wanted = |name: &str, script: Script| findings(&named(name), &script).remove(0).expected;
    assert_eq!(wanted("TaskNotFoundError", got(json!({}))).as_deref(), Some("TaskNotFoundError (-32001)"));
    let served = || got(json!({})).over(HttpJson);
    assert_eq!(
        wanted("TaskNotCancelableError", served()).as_deref(),
        Some("TaskNotCancelableError (HTTP 400 or 409, TASK_NOT_CANCELABLE)")
    );
    assert_eq!(wanted("InternalError", served()).as_deref(), Some("InternalError (HTTP 500 or 503)"));
    let call = called(3);
    assert_eq!(wanted("TaskNotFoundError", call).as_deref(), Some("TaskNotFoundError (NOT_FOUND, TASK_NOT_FOUND)"));
    assert_eq!(wanted("NoSuchError", got(json!({}))).as_deref(), Some("NoSuchError"));
}

#[test]
fn answers_are_described() {
    let described = |script: Script| describe(script.play().last().seen.answer().unwrap());
    let error = |error: Value| described(Script::v1_0().error("s", GetTask, error));
    let with_reason = |code: i64, reason: &str| {
        let info = json!({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason });
        error(json!({ "code": code, "message": "no", "data": [info] }))
    };
    assert_eq!(error(json!({ "code": -32001, "message": "no" })), "TaskNotFoundError (-32001) \"no\"");
    assert_eq!(error(json!({ "code": -32001 })), "TaskNotFoundError (-32001)");
    assert_eq!(error(json!({ "code": 1 })), "an error that the specification does not name (1)");
    assert_eq!(error(json!({ "message": "no" })), "an error without a code: {\"message\":\"no\"}");
    assert_eq!(with_reason(-32001, "TASK_NOT_FOUND"), "TaskNotFoundError (-32001) \"no\"");
    assert_eq!(with_reason(-32001, "NO_TASK"), "TaskNotFoundError with the reason NO_TASK (-32001) \"no\"");
    assert_eq!(with_reason(1, "NO_TASK"), "NO_TASK (1) \"no\"");
    // A status that several errors have says not which it is.
    let several = status(body(r#"{"error":{"code":400,"message":"no"}}"#).over(HttpJson), 400);
    assert_eq!(described(several), "an error (HTTP 400) \"no\"");
    assert_eq!(described(got(json!({ "id": "t" }))), "the result {\"id\":\"t\"}");
    assert_eq!(described(Script::v1_0().stream("s", &[])), "a stream without events, closed by the agent");
    assert_eq!(described(Script::v1_0().stream("s", &[json!({}), json!({})])), "a stream of 2 events");
    assert_eq!(described(body("[]")), "a batch of responses");
    assert_eq!(described(body("")), "an empty body");
    assert_eq!(described(status(body(""), 500)), "HTTP 500 without a body");
}

#[test]
fn ends_are_described() {
    let ten = Duration::from_secs(10);
    for (ended, words) in [
        (Ended::Complete, "closed by the agent"),
        (Ended::LeftOpen, "left open by the agent"),
        (Ended::HungUp, "left by the suite"),
        (Ended::TimedOut(ten), "no answer within 10 s"),
        (Ended::Endless(Limit::Bytes(9)), "an answer of more than 9 bytes"),
        (Ended::Endless(Limit::Events(9)), "a stream of more than 9 events"),
        (Ended::Endless(Limit::Time(ten)), "a stream still open after 10 s"),
        (Ended::Reset(8), "reset by the agent (HTTP/2 error 8)"),
        (Ended::Failed(TransportError::Refused), "connection refused"),
    ] {
        assert_eq!(ended.to_string(), words);
    }
}
