//! Generations of tasks.

use serde_json::{Value, json};

use super::script::{COMPLETED, Script, WORKING};
use super::{Row, ask, right, unseen, wrong};
use crate::profile::Operation::{GetTask, SendMessage};

/// An update to a state, with a generation; 0 for none.
fn status(state: &str, generation: i64) -> Value {
    json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": { "state": state }, "generation": shown(generation) } })
}

fn artifact(generation: i64) -> Value {
    let artifact = json!({ "artifactId": "a", "parts": [{ "text": "x" }] });
    json!({ "artifactUpdate": { "taskId": "t", "contextId": "c", "artifact": artifact, "generation": shown(generation) } })
}

fn whole(state: &str, generation: i64) -> Value {
    json!({ "id": "t", "contextId": "c", "status": { "state": state }, "generation": shown(generation) })
}

/// Even ones as ProtoJSON writes them, the others as numbers.
fn shown(generation: i64) -> Value {
    match generation {
        0 => Value::Null,
        even if even % 2 == 0 => json!(even.to_string()),
        odd => json!(odd),
    }
}

/// A stream that begins with the task at its first generation, and the task as it is read later.
fn told(updates: &[Value], read: i64) -> Script {
    let events: Vec<Value> =
        [json!({ "task": whole(WORKING, 1) })].into_iter().chain(updates.iter().cloned()).collect();
    Script::v1_0().stream("s", &events).result("t", GetTask, whole(COMPLETED, read))
}

/// What was posted to a webhook.
fn posted(updates: &[Value]) -> Script {
    Script::v1_0().delivered("d", updates.iter().map(|update| (Vec::new(), update.to_string())).collect())
}

pub(super) fn rows() -> Vec<Row> {
    let oracle = "generations";
    let args = || json!({ "stream": "s", "task": "t" });
    let sent = |script: Script, step: &str| script.result(step, SendMessage, json!({ "task": whole(COMPLETED, 3) }));
    let refused =
        |script: Script, step: &str| script.error(step, SendMessage, json!({ "code": -32010, "message": "no" }));
    let until = || json!({ "answer": "a", "until": "u" });
    let both = || json!(["a", "b"]);
    vec![
        right(oracle, args(), told(&[artifact(2), artifact(3), status(COMPLETED, 4)], 4)),
        right(oracle, args(), told(&[status(WORKING, 1), artifact(2), status(COMPLETED, 3)], 3)),
        right(oracle, args(), told(&[status(WORKING, 2), artifact(3), status(COMPLETED, 4)], 4)),
        wrong(oracle, args(), told(&[artifact(2), artifact(4)], 4), "is not the next one"),
        wrong(oracle, args(), told(&[artifact(2), artifact(2)], 4), "is not the next one"),
        wrong(oracle, args(), told(&[artifact(3), status(COMPLETED, 4)], 4), "is not the next one"),
        wrong(oracle, args(), told(&[artifact(2), status(COMPLETED, 0)], 3), "does not show the generation"),
        wrong(oracle, args(), told(&[artifact(2), status(COMPLETED, 3)], 4), "another generation than the last"),
        unseen(oracle, args(), told(&[], 1), "the stream has no update"),
        right("delivery-generations", json!("d"), posted(&[artifact(2), artifact(2), status(COMPLETED, 3)])),
        right("delivery-generations", json!("d"), posted(&[status(WORKING, 1), status(COMPLETED, 3), artifact(2)])),
        wrong(
            "delivery-generations",
            json!("d"),
            posted(&[artifact(2), status(COMPLETED, 2)]),
            "two different updates",
        ),
        wrong("delivery-generations", json!("d"), posted(&[artifact(0)]), "does not show the generation"),
        unseen("delivery-generations", json!("d"), posted(&[json!({ "task": whole(COMPLETED, 3) })]), "has no update"),
        right("answered-at-once", until(), sent(sent(Script::v1_0(), "a"), "u")),
        wrong("answered-at-once", until(), sent(sent(Script::v1_0(), "u"), "a"), "is held back"),
        right("one-accepted", both(), refused(sent(Script::v1_0(), "a"), "b")),
        right("one-accepted", both(), sent(refused(Script::v1_0(), "a"), "b")),
        wrong("one-accepted", both(), sent(sent(Script::v1_0(), "a"), "b"), "two messages for one generation"),
        unseen("one-accepted", both(), refused(refused(Script::v1_0(), "a"), "b"), "both requests are refused"),
    ]
}

#[test]
fn each_assertion_about_generations_fails_alone() {
    let violated = |updates: &[Value], read| {
        ask(&right("generations", json!({ "stream": "s", "task": "t" }), told(updates, read))).violated
    };
    assert_eq!(violated(&[artifact(2), artifact(4), status(COMPLETED, 5)], 5), [":next"]);
    assert_eq!(violated(&[artifact(3), status(COMPLETED, 4)], 4), [":joined"]);
    assert_eq!(violated(&[artifact(2), status(COMPLETED, 0)], 2), [":shown"]);
    assert_eq!(violated(&[artifact(2), status(COMPLETED, 3)], 4), [":as-read"]);
}
