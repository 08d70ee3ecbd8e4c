//! Answers over two bindings. The words of an answer are the same over each: how a binding carries them is not for this
//! oracle.

use serde_json::{Value, json};

use super::script::{COMPLETED, Script, WORKING, task, task_with};
use super::{Row, broken, hold, right, unseen, wrong};
use crate::profile::Operation::GetTask;

/// Two readings of a task.
fn two(first: Value, second: Value) -> Script {
    Script::v1_0().result("a", GetTask, first).result("b", GetTask, second)
}

/// Two refusals with these codes.
fn refusals(first: i64, second: i64) -> Script {
    let error = |code: i64| json!({ "code": code, "message": "no" });
    Script::v1_0().error("a", GetTask, error(first)).error("b", GetTask, error(second))
}

/// Two refusals with these codes and reasons.
fn reasons(first: (i64, &str), second: (i64, &str)) -> Script {
    let error = |(code, reason): (i64, &str)| {
        let kind = "type.googleapis.com/google.rpc.ErrorInfo";
        let info = json!({ "@type": kind, "reason": reason, "domain": "a2a-protocol.org" });
        json!({ "code": code, "message": "no", "data": [info] })
    };
    Script::v1_0().error("a", GetTask, error(first)).error("b", GetTask, error(second))
}

/// A task whose status has this time.
fn at(time: &str) -> Value {
    task_with("t", COMPLETED, json!({ "status": { "timestamp": time } }))
}

/// A task whose status has no time.
fn untimed() -> Value {
    task_with("t", COMPLETED, json!({ "status": { "timestamp": null } }))
}

pub(super) fn rows() -> Vec<Row> {
    let oracle = "same-answers";
    let pair = || json!(["a", "b"]);
    let control = || json!(["a", "b", "again"]);
    let again = |script: Script, code: i64| script.error("again", GetTask, json!({ "code": code, "message": "no" }));
    let done = || task("t", COMPLETED);
    let later = json!({ "status": { "timestamp": "2026-01-31T12:00:00Z" }, "history": [], "metadata": {} });
    let served_once = Script::v1_0().result("a", GetTask, done()).error("b", GetTask, json!({ "code": -32001 }));
    let lost = Script::v1_0().result("a", GetTask, done()).answer("b", GetTask, "");
    vec![
        right(oracle, pair(), two(done(), done())),
        right(oracle, pair(), two(done(), task_with("t", COMPLETED, later))),
        wrong(oracle, pair(), two(done(), task("t", WORKING)), "disagree: the same request has different responses"),
        right(oracle, pair(), refusals(-32001, -32001)),
        wrong(oracle, pair(), refusals(-32001, -32002), "they give different errors"),
        // What a reason says counts for more than the code beside it.
        right(oracle, pair(), reasons((-32001, "TASK_NOT_FOUND"), (-32002, "TASK_NOT_FOUND"))),
        wrong(
            oracle,
            pair(),
            reasons((-32001, "TASK_NOT_FOUND"), (-32001, "TASK_NOT_CANCELABLE")),
            "they give different errors",
        ),
        unseen(oracle, pair(), refusals(-32099, -32001), "an error does not name itself, so it cannot be compared"),
        wrong(oracle, pair(), served_once, "disagree: one accepts a request that the other refuses"),
        unseen(oracle, pair(), lost, "the responses are not two results but"),
        // A third answer is the control.
        wrong(oracle, control(), again(refusals(-32001, -32002), -32001), "they give different errors"),
        unseen(oracle, control(), again(refusals(-32001, -32002), -32002), "in two ways over one binding"),
        right(oracle, control(), again(refusals(-32001, -32001), -32001)),
        broken(oracle, json!("a"), two(done(), done()), "expected an array"),
        broken(oracle, json!(["a"]), two(done(), done()), "expected an array of two or three names"),
        broken(oracle, json!(["a", "b", "a", "b"]), two(done(), done()), "expected an array of two or three names"),
        right("same-time", pair(), two(at("2026-01-31T12:00:00Z"), at("2026-01-31T13:00:00.4+01:00"))),
        wrong("same-time", pair(), two(at("2026-01-31T12:00:00Z"), at("2026-01-31T13:00:00Z")), "another time"),
        wrong("same-time", pair(), two(at("2026-01-31T12:00:00Z"), untimed()), "another time"),
        unseen("same-time", pair(), two(untimed(), untimed()), "fewer than two"),
        wrong(
            oracle,
            pair(),
            two(at("2026-01-31T12:00:00Z"), untimed()),
            "disagree: the same request has different responses",
        ),
    ]
}

#[test]
fn answers_are_held_against_each_other() {
    hold(&rows());
}
