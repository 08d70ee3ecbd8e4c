//! The data model, over the whole run.

use serde_json::{Value, json};

use super::script::{COMPLETED, Script, WORKING, task, task_with};
use super::{Row, hold, right, unseen, wrong};
use crate::profile::Operation::{GetTask, SendMessage};

fn got(task: Value) -> Script {
    Script::v1_0().result("t", GetTask, task)
}

fn stamped(time: Value) -> Script {
    got(json!({ "id": "t", "status": { "state": COMPLETED, "timestamp": time } }))
}

fn at(time: &str) -> Script {
    stamped(json!(time))
}

fn later(script: Script, time: &str) -> Script {
    let stamp = format!("2026-01-31T{time}Z");
    script.result("t", GetTask, json!({ "id": "t", "status": { "state": COMPLETED, "timestamp": stamp } }))
}

fn at_0_3(time: &str) -> Script {
    let task =
        json!({ "kind": "task", "id": "t", "contextId": "c", "status": { "state": "working", "timestamp": time } });
    Script::v0_3().result("t", GetTask, task)
}

fn part(part: Value) -> Script {
    got(task_with("t", COMPLETED, json!({ "artifacts": [{ "artifactId": "x", "parts": [part] }] })))
}

fn asked(part: Value) -> Script {
    let message = json!({ "messageId": "1", "role": "ROLE_USER", "parts": [part] });
    got(task_with("t", WORKING, json!({ "history": [message] })))
}

pub(super) fn rows() -> Vec<Row> {
    let of = |kinds: &[&str]| json!(kinds);
    let nothing = || json!(null);
    vec![
        right("schema", of(&["Task"]), got(task("t", WORKING))),
        wrong("schema", of(&["Task"]), got(task_with("t", WORKING, json!({ "id": 1 }))), "a Task does not keep"),
        // A violation belongs to the innermost object around it.
        right("schema", of(&["Task"]), got(task_with("t", WORKING, json!({ "status": { "timestamp": 1 } })))),
        wrong("schema", of(&["TaskStatus"]), got(json!({ "id": "t", "status": {} })), "a TaskStatus does not keep"),
        wrong("schema", of(&["TaskStatus", "Timestamp"]), stamped(json!(1_769_860_800)), "a Timestamp does not keep"),
        wrong("schema", of(&["Part", "Bytes"]), part(json!({ "raw": [1, 2] })), "a Bytes does not keep"),
        wrong("schema", of(&["Part"]), part(json!({ "text": "x", "data": 1 })), "a Part does not keep"),
        // What the client wrote is the client's.
        right("schema", of(&["Part"]), asked(json!({ "text": 1 }))),
        wrong(
            "schema",
            of(&["Task"]),
            Script::v0_3().result("t", GetTask, json!({ "kind": "task", "id": "t", "status": { "state": "working" } })),
            "a Task does not keep",
        ),
        unseen("schema", of(&["Artifact"]), got(task("t", WORKING)), "no Artifact"),
        right("camel-case", nothing(), got(task_with("t", WORKING, json!({ "metadata": { "snake_case": 1 } })))),
        wrong("camel-case", nothing(), got(task_with("t", WORKING, json!({ "context_id": "c" }))), "not in camelCase"),
        unseen("camel-case", nothing(), Script::v1_0(), "no object"),
        right("timestamps", nothing(), at("2026-01-31T12:00:00.123Z")),
        wrong("timestamps", nothing(), at("2026-01-31T12:00:00.123+01:00"), "not spelled"),
        wrong("timestamps", nothing(), at("2026-02-31T12:00:00Z"), "not spelled"),
        right("timestamps", nothing(), at_0_3("2026-01-31T12:00:00+01:00")),
        wrong("timestamps", nothing(), at_0_3("31.1.2026"), "not spelled"),
        unseen("timestamps", nothing(), got(json!({ "id": "t", "status": { "state": WORKING } })), "no timestamp"),
        right("milliseconds", nothing(), at("2026-01-31T12:00:00.123456Z")),
        wrong("milliseconds", nothing(), at("2026-01-31T12:00:00Z"), "not spelled"),
        // By ProtoJSON a time on the whole second has no fraction.
        right("milliseconds", nothing(), later(later(at("2026-01-31T12:00:00Z"), "12:00:00.004"), "12:00:00.123456")),
        right("base64", nothing(), part(json!({ "raw": "aGk=" }))),
        wrong("base64", nothing(), part(json!({ "raw": "a b" })), "not spelled"),
        unseen(
            "base64",
            nothing(),
            Script::v1_0().result("s", SendMessage, json!({ "task": task("t", WORKING) })),
            "no file",
        ),
    ]
}

#[test]
fn the_data_model_is_judged() {
    hold(&rows());
}
