use serde_json::{Value, json};

use super::{asked, call, call_below, fault};
use crate::fault::edit;

/// What becomes of an answer to GetTask in 1.0.
fn edited(lines: &str, mut answer: Value) -> Value {
    let asked = call("1.0", "GetTask", json!({ "id": "t" }));
    for edit in &fault(&format!("edit:\n- {{ {lines} }}")).edit {
        edit::apply(edit, &mut answer, &asked);
    }
    answer
}

fn task() -> Value {
    json!({
        "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_WORKING" },
        "artifacts": [{ "artifactId": "a", "parts": [{ "text": "x" }] }],
        "history": [{ "messageId": "m1", "parts": [{ "text": "1" }] }, { "messageId": "m2", "parts": [{ "text": "2" }] }],
        "metadata": { "id": "free", "status": {} },
    })
}

#[test]
fn every_change_does_what_it_says() {
    let rows = [
        ("of: Task, drop: [/contextId]", "/contextId", Value::Null),
        ("of: Task, set: { /status/message/text: z }", "/status/message/text", json!("z")),
        ("of: Task, rename: { /contextId: context }", "/context", json!("c")),
        ("of: Task, append: { /id: '-2' }", "/id", json!("t-2")),
        ("of: Task, append: { /artifacts: { a: 1 } }", "/artifacts/1/a", json!(1)),
        ("of: Task, add: { /n: 1 }", "/n", Value::Null),
        ("of: Task, stringify: [/status]", "/status", json!("{\"state\":\"TASK_STATE_WORKING\"}")),
        ("of: Task, copy: { /id: /contextId }", "/contextId", json!("t")),
        ("of: Task, reverse: [/history]", "/history/0/messageId", json!("m2")),
        ("of: Task, double: [/artifacts]", "/artifacts/1/artifactId", json!("a")),
        ("of: Task, keep: { /history: 1 }", "/history/1", Value::Null),
        ("of: Task, keep: { /history: -1 }", "/history/0/messageId", json!("m2")),
        (
            "of: Task, set: { /status/state: '${state:input-required}' }",
            "/status/state",
            json!("TASK_STATE_INPUT_REQUIRED"),
        ),
        ("of: Task, set: { /contextId: '${request:/id}' }", "/contextId", json!("t")),
        ("of: Message, which: last, set: { /messageId: z }", "/history/1/messageId", json!("z")),
        ("of: Message, which: later, set: { /messageId: z }", "/history/0/messageId", json!("m1")),
        ("of: Part, under: artifacts, set: { /text: z }", "/artifacts/0/parts/0/text", json!("z")),
        ("of: Part, not-under: artifacts, set: { /text: z }", "/artifacts/0/parts/0/text", json!("x")),
        (
            "of: Status, if: { /state: '${state:failed}' }, set: { /state: z }",
            "/status/state",
            json!("TASK_STATE_WORKING"),
        ),
        ("of: Status, if: { /message: null }, set: { /state: z }", "/status/state", json!("z")),
        ("of: Artifact, if: { /artifactId: '${any}' }, replace: 5", "/artifacts/0", json!(5)),
        ("of: Task, drop: [/history/0]", "/history/0/messageId", json!("m2")),
    ];
    for (lines, pointer, expected) in rows {
        let edited = edited(lines, task());
        assert_eq!(edited.pointer(pointer).cloned().unwrap_or_default(), expected, "{lines}: {edited}");
    }
}

#[test]
fn what_belongs_to_the_client_is_left_alone() {
    let edited = edited("of: Task, set: { /id: z }", json!({ "result": task() }));
    assert_eq!((&edited["result"]["id"], &edited["result"]["metadata"]["id"]), (&json!("z"), &json!("free")));
}

#[test]
fn older_versions_have_their_own_words() {
    let of_0_3 = call("0.3", "tasks/get", json!({ "id": "t" }));
    let mut answer = json!({ "result": { "kind": "task", "id": "t", "status": { "state": "working" } } });
    let change = "edit:\n- { of: Task, set: { /status/state: '${state:canceled}' } }";
    edit::apply(&fault(change).edit[0], &mut answer, &of_0_3);
    assert_eq!(answer["result"]["status"]["state"], "canceled");

    let of_draft = call("1.0-draft/a2a", "GetTask", json!({ "id": "t" }));
    let mut answer = json!({ "result": { "id": "t", "status": { "state": "working" } } });
    edit::apply(&fault(change).edit[0], &mut answer, &of_draft);
    assert_eq!(answer["result"]["status"]["state"], "cancelled");

    let proto = asked("GET", "/rest/v1/tasks/t", &[], "");
    let mut answer = json!({ "id": "t", "status": { "state": "TASK_STATE_WORKING", "update": { "content": [] } } });
    edit::apply(&fault(change).edit[0], &mut answer, &proto);
    assert_eq!(answer["status"]["state"], "TASK_STATE_CANCELLED");
    edit::apply(&fault("edit:\n- { of: Task, drop: [/status/message/parts] }").edit[0], &mut answer, &proto);
    assert_eq!(answer["status"]["update"], json!({}));
}

#[test]
fn the_oldest_versions_are_edited_by_the_names_of_later_ones() {
    let of_0_1 = call_below("0.1", "tasks/send", json!({ "id": "t" }));
    let message = || json!({ "role": "agent", "parts": [{ "type": "text", "text": "x" }] });
    let artifact = || json!({ "index": 0, "parts": [{ "type": "text", "text": "x" }], "append": true });
    let task = json!({
        "id": "t", "sessionId": "s", "status": { "state": "working", "message": message() },
        "artifacts": [artifact()], "history": [message()],
    });
    let status = json!({ "id": "t", "status": { "state": "working" }, "final": false });
    let update = json!({ "id": "t", "artifact": artifact() });
    let config = json!({ "id": "t", "pushNotificationConfig": { "url": "u:" } });
    for (lines, answer, pointer, expected) in [
        ("of: Task, drop: [/contextId]", &task, "/result/sessionId", Value::Null),
        ("of: Task, set: { /id: z }", &status, "/result/id", json!("t")),
        ("of: Message, which: first, set: { /role: user }", &task, "/result/status/message/role", json!("user")),
        ("of: Part, under: history, set: { /kind: z }", &task, "/result/history/0/parts/0/type", json!("z")),
        ("of: Artifact, set: { /artifactId: 5 }", &task, "/result/artifacts/0/index", json!(5)),
        ("of: StatusUpdate, set: { /taskId: z, /final: true }", &status, "/result/id", json!("z")),
        ("of: Status, set: { /state: '${state:failed}' }", &status, "/result/status/state", json!("failed")),
        ("of: ArtifactUpdate, set: { /taskId: z }", &update, "/result/id", json!("z")),
        ("of: ArtifactUpdate, set: { /append: false }", &update, "/result/artifact/append", json!(false)),
        ("of: ArtifactUpdate, if: { /append: false }, set: { /taskId: z }", &update, "/result/id", json!("t")),
        ("of: PushConfig, set: { /url: z }", &config, "/result/pushNotificationConfig/url", json!("z")),
        ("of: Envelope, drop: [/result/taskId]", &config, "/result/id", Value::Null),
    ] {
        let mut answer = json!({ "jsonrpc": "2.0", "id": 1, "result": answer });
        edit::apply(&fault(&format!("edit:\n- {{ {lines} }}")).edit[0], &mut answer, &of_0_1);
        assert_eq!(answer.pointer(pointer).cloned().unwrap_or_default(), expected, "{lines}: {answer}");
    }
}
