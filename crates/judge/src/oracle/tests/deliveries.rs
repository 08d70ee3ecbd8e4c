//! What is posted to webhooks.

use serde_json::{Value, json};

use super::script::{COMPLETED, INPUT_REQUIRED, Posted, Script, WORKING, task, task_with};
use super::{Row, hold, right, unseen, wrong};
use crate::profile::Operation;

/// A conversation in which a task was read as `t`, and these were posted.
fn v1_0(posted: &[Value]) -> Script {
    let parts = json!([{ "text": "done" }]);
    let artifacts = json!([{ "artifactId": "a", "parts": parts }]);
    let read = task_with("t", COMPLETED, json!({ "artifacts": artifacts }));
    Script::v1_0().result("t", Operation::GetTask, read).delivered("d", posted.iter().map(plain).collect())
}

fn v0_3(posted: &[Value]) -> Script {
    let read = json!({ "kind": "task", "id": "t", "contextId": "c", "status": { "state": "completed" } });
    Script::v0_3().result("t", Operation::GetTask, read).delivered("d", posted.iter().map(plain).collect())
}

fn plain(body: &Value) -> Posted {
    (Vec::new(), body.to_string())
}

/// One delivery with these headers.
fn headed(headers: &[(&'static str, &'static str)]) -> Script {
    Script::v1_0().delivered("d", vec![(headers.to_vec(), status(COMPLETED).to_string())])
}

fn status(state: &str) -> Value {
    let status = json!({ "state": state, "timestamp": "2026-01-31T12:00:00.000Z" });
    json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": status } })
}

fn saying(state: &str, text: &str) -> Value {
    let mut update = status(state);
    update["statusUpdate"]["status"]["message"] = question(text);
    update
}

fn question(text: &str) -> Value {
    json!({ "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": text }] })
}

/// A conversation in which a task was read that asks something, and these were posted.
fn asked(posted: &[Value]) -> Script {
    let held = saying(INPUT_REQUIRED, "Which?")["statusUpdate"]["status"].clone();
    let read = task_with("t", INPUT_REQUIRED, json!({ "status": held }));
    Script::v1_0().result("t", Operation::GetTask, read).delivered("d", posted.iter().map(plain).collect())
}

fn artifact(id: &str, text: &str, members: Value) -> Value {
    let artifact = json!({ "artifactId": id, "parts": [{ "text": text }] });
    let mut update = json!({ "taskId": "t", "contextId": "c", "artifact": artifact });
    crate::case::merge(&mut update, &members);
    json!({ "artifactUpdate": update })
}

fn whole(id: &str, text: &str) -> Value {
    artifact(id, text, json!({ "lastChunk": true }))
}

/// A value with another at a place.
fn with(mut value: Value, pointer: &str, other: Value) -> Value {
    *value.pointer_mut(pointer).unwrap() = other;
    value
}

fn payloads() -> Vec<Row> {
    let d = || json!("d");
    let not_json = Script::v1_0().delivered("d", vec![(Vec::new(), "<p>".to_owned())]);
    let both = json!({ "task": task("t", COMPLETED), "statusUpdate": status(COMPLETED)["statusUpdate"] });
    vec![
        right("delivery-payload", d(), v1_0(&[status(WORKING), whole("a", "done"), status(COMPLETED)])),
        right("delivery-payload", d(), v1_0(&[json!({ "task": task("t", COMPLETED) })])),
        wrong("delivery-payload", d(), v1_0(&[json!([])]), "a delivery is not a JSON object"),
        wrong("delivery-payload", d(), not_json, "a delivery is not a JSON object"),
        wrong("delivery-payload", d(), v1_0(&[task("t", COMPLETED)]), "a delivery does not have exactly one"),
        wrong("delivery-payload", d(), v1_0(&[both]), "a delivery does not have exactly one"),
        wrong(
            "delivery-payload",
            d(),
            v1_0(&[with(status(WORKING), "/statusUpdate/status/timestamp", json!(7))]),
            "of a delivery",
        ),
        unseen("delivery-payload", d(), v1_0(&[]), "no delivery reached the webhooks"),
        right("delivery-media-type", d(), headed(&[("content-type", "Application/A2A+json; charset=utf-8")])),
        right("delivery-media-type", d(), headed(&[("content-type", "application/json")])),
        wrong("delivery-media-type", d(), headed(&[("content-type", "text/plain")]), "another media type"),
        wrong("delivery-media-type", d(), headed(&[]), "another media type"),
        unseen("delivery-media-type", d(), v1_0(&[]), "no delivery reached the webhooks"),
        right("delivery-time", d(), v1_0(&[status(WORKING)])),
        right("delivery-time", d(), Script::v1_0().delivered("d", vec![(vec![("date", "x")], "{}".to_owned())])),
        wrong("delivery-time", d(), v1_0(&[whole("a", "done")]), "no delivery has a timestamp"),
        unseen("delivery-time", d(), v1_0(&[]), "no delivery reached the webhooks"),
    ]
}

fn tasks() -> Vec<Row> {
    let args = || json!({ "deliveries": "d", "task": "t" });
    let other = || json!("other");
    let in_0_3 = |id: &str| json!({ "kind": "task", "id": id, "contextId": "c", "status": { "state": "completed" } });
    vec![
        right("delivery-task", args(), v1_0(&[status(WORKING), whole("a", "done"), status(COMPLETED)])),
        right("delivery-task", args(), v1_0(&[json!({ "task": task("t", COMPLETED) })])),
        right("delivery-task", args(), v0_3(&[in_0_3("t")])),
        // In 0.3 the payload is left open.
        right("delivery-task", args(), v0_3(&[json!({ "task": "t", "finalStatus": "completed" })])),
        right("delivery-task", args(), v0_3(&[json!({ "taskId": "t" })])),
        wrong("delivery-task", args(), v0_3(&[in_0_3("u")]), "about another task"),
        wrong("delivery-task", args(), v0_3(&[json!({ "finalStatus": "completed" })]), "about another task"),
        wrong(
            "delivery-task",
            args(),
            v1_0(&[status(WORKING), with(status(COMPLETED), "/statusUpdate/taskId", other())]),
            "about another task",
        ),
        wrong("delivery-task", args(), v1_0(&[json!({ "task": task("u", COMPLETED) })]), "about another task"),
        wrong(
            "delivery-task",
            args(),
            v1_0(&[with(status(COMPLETED), "/statusUpdate/contextId", other())]),
            "a delivery has another context",
        ),
        unseen("delivery-task", args(), v1_0(&[]), "no delivery reached the webhooks"),
        // Late, twice, and in another order.
        right(
            "delivery-state",
            args(),
            v1_0(&[status(COMPLETED), whole("a", "done"), status(WORKING), status(COMPLETED)]),
        ),
        right("delivery-state", args(), v1_0(&[status(INPUT_REQUIRED), status(COMPLETED)])),
        right("delivery-state", args(), v1_0(&[artifact("a", "do", json!({}))])),
        right("delivery-state", args(), v1_0(&[whole("a", "first"), whole("a", "done")])),
        wrong(
            "delivery-state",
            args(),
            v1_0(&[status("TASK_STATE_FAILED")]),
            "a delivery reports another final state than the task has",
        ),
        wrong("delivery-state", args(), v1_0(&[whole("b", "done")]), "an artifact that the task does not have"),
        wrong("delivery-state", args(), v1_0(&[whole("a", "else")]), "an artifact that the task does not have"),
        unseen("delivery-state", args(), v1_0(&[status(WORKING)]), "no update"),
        unseen("delivery-state", args(), v1_0(&[]), "no delivery reached the webhooks"),
        right("delivery-shows", args(), asked(&[status(INPUT_REQUIRED), status(COMPLETED)])),
        right("delivery-shows", args(), asked(&[status(INPUT_REQUIRED)])),
        wrong("delivery-shows", args(), asked(&[status(COMPLETED)]), "was not posted"),
        wrong("delivery-shows", args(), asked(&[status(WORKING), status(COMPLETED)]), "was not posted"),
        unseen("delivery-shows", args(), asked(&[status(WORKING)]), "end"),
        unseen("delivery-shows", args(), asked(&[]), "no delivery reached the webhooks"),
        right("delivery-message", args(), asked(&[saying(INPUT_REQUIRED, "Which?")])),
        right("delivery-message", args(), asked(&[status(WORKING), saying(INPUT_REQUIRED, "Which?")])),
        wrong(
            "delivery-message",
            args(),
            asked(&[status(INPUT_REQUIRED)]),
            "a delivery lacks the message of the task's status",
        ),
        wrong(
            "delivery-message",
            args(),
            asked(&[saying(INPUT_REQUIRED, "What?")]),
            "a delivery lacks the message of the task's status",
        ),
        unseen("delivery-message", args(), asked(&[status(WORKING)]), "no update"),
        unseen("delivery-message", args(), v1_0(&[status(COMPLETED)]), "no message in its status"),
        right("delivery-end-untold", json!("d"), v1_0(&[])),
        right("delivery-end-untold", json!("d"), v1_0(&[status(INPUT_REQUIRED)])),
        wrong("delivery-end-untold", json!("d"), v1_0(&[status(COMPLETED)]), "after it was deleted"),
        unseen("delivery-end-untold", json!("other"), v1_0(&[]), "had no response"),
    ]
}

fn credentials() -> Vec<Row> {
    let bearer = || json!({ "deliveries": "d", "scheme": "Bearer", "credentials": "s3cret" });
    let any = || json!({ "deliveries": "d", "scheme": "Bearer" });
    let with = |value: &'static str| headed(&[("authorization", value)]);
    let token = || json!({ "deliveries": "d", "token": "tok" });
    vec![
        right("delivery-authorization", bearer(), with("bearer s3cret")),
        right("delivery-authorization", any(), with("Bearer of.its.own")),
        wrong(
            "delivery-authorization",
            bearer(),
            with("Bearer other"),
            "a delivery lacks the credentials of its webhook",
        ),
        wrong("delivery-authorization", any(), with("Basic s3cret"), "a delivery lacks the credentials of its webhook"),
        wrong("delivery-authorization", any(), with("Bearer "), "a delivery lacks the credentials of its webhook"),
        wrong("delivery-authorization", any(), headed(&[]), "a delivery lacks the credentials of its webhook"),
        unseen("delivery-authorization", any(), v1_0(&[]), "no delivery reached the webhooks"),
        right("delivery-token", token(), headed(&[("x-a2a-notification-token", "tok")])),
        right("delivery-token", token(), v1_0(&[json!({ "token": "tok" })])),
        wrong(
            "delivery-token",
            token(),
            headed(&[("x-a2a-notification-token", "other")]),
            "a delivery lacks the token of its webhook",
        ),
        unseen("delivery-token", token(), v1_0(&[]), "no delivery reached the webhooks"),
    ]
}

/// Webhooks where an agent must not post.
fn refused() -> Vec<Row> {
    let of = || json!({ "asked": "s", "deliveries": "d" });
    let error = json!({ "code": -32602, "message": "no" });
    let refusing = || Script::v1_0().error("s", Operation::SendMessage, error.clone());
    let taking = || Script::v1_0().result("s", Operation::SendMessage, json!({ "task": task("t", COMPLETED) }));
    let posted = || vec![plain(&status(COMPLETED))];
    vec![
        right("webhook-refused", of(), refusing().delivered("d", Vec::new())),
        wrong(
            "webhook-refused",
            of(),
            taking().delivered("d", posted()),
            "the agent calls an address on its own machine that a client chose",
        ),
        wrong(
            "webhook-refused",
            of(),
            refusing().delivered("d", posted()),
            "the agent calls an address on its own machine that a client chose",
        ),
        unseen("webhook-refused", of(), taking().delivered("d", Vec::new()), "proves nothing"),
    ]
}

pub(super) fn rows() -> Vec<Row> {
    [payloads(), tasks(), credentials(), refused()].into_iter().flatten().collect()
}

#[test]
fn deliveries_are_judged() {
    hold(&rows());
}
