//! The data model, over the whole run.

use serde_json::{Value, json};

use super::script::{COMPLETED, Script, WORKING, task, task_with};
use super::{Row, broken, compared, findings, hold, right, unseen, wrong};
use crate::profile::Binding;
use crate::profile::Operation::{
    CreateTaskPushNotificationConfig, GetTask, GetTaskPushNotificationConfig, ListTasks, SendMessage,
};
use crate::transcript::OWN_IDS;

fn got(task: Value) -> Script {
    Script::v1_0().result("t", GetTask, task)
}

/// A task of 0.3 with these members.
fn spelled_0_3(members: Value) -> Script {
    let mut task = json!({ "kind": "task", "id": "t", "status": { "state": "working" } });
    let own = members.as_object().unwrap().clone();
    task.as_object_mut().unwrap().extend(own);
    Script::v0_3().result("t", GetTask, task)
}

fn but(mut value: Value, member: &str, other: Value) -> Value {
    value[member] = other;
    value
}

fn without(mut value: Value, member: &str) -> Value {
    value.as_object_mut().unwrap().remove(member);
    value
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

/// A push configuration that was set so, and is then read as one without a URL.
fn configured(set: Value) -> Script {
    let kept = || json!({ "id": "p", "taskId": "t" });
    let script = Script::v1_0().result("set", CreateTaskPushNotificationConfig, kept()).asked(set);
    script.result("read", GetTaskPushNotificationConfig, kept()).asked(json!({ "id": "p", "taskId": "t" }))
}

fn part(part: Value) -> Script {
    got(task_with("t", COMPLETED, json!({ "artifacts": [{ "artifactId": "x", "parts": [part] }] })))
}

fn asked(part: Value) -> Script {
    let message = json!({ "messageId": "1", "role": "ROLE_USER", "parts": [part] });
    got(task_with("t", WORKING, json!({ "history": [message] })))
}

/// A task with one message in its history.
fn told(message: Value) -> Value {
    task_with("t", WORKING, json!({ "history": [message] }))
}

/// A task of A2A 0.3 with one message in its history, which has these members.
fn got_0_3(members: Value) -> Script {
    let mut message = json!({ "kind": "message", "messageId": "1" });
    crate::case::merge(&mut message, &members);
    let status = json!({ "state": "working" });
    let task = json!({ "kind": "task", "id": "t", "contextId": "c", "status": status, "history": [message] });
    Script::v0_3().result("t", GetTask, task)
}

/// A task of A2A 0.3 over HTTP+JSON whose history has a message with a broken part, which the dialect keeps under another name.
fn got_in_proto(role: &str) -> Script {
    let message = json!({ "messageId": "1", "role": role, "content": [{ "text": 1 }] });
    let status = json!({ "state": "TASK_STATE_WORKING" });
    let task = json!({ "id": "t", "contextId": "c", "status": status, "history": [message] });
    Script::v0_3().over(Binding::HttpJson).answer("t", GetTask, &task.to_string())
}

/// A message of the suite's that was sent so, and shown so later.
fn sent_and_shown(sent: Value, shown: Value) -> Script {
    let script = Script::v1_0().result("s", SendMessage, json!({ "task": task("t", WORKING) }));
    script.asked(json!({ "message": sent })).result("t", GetTask, told(shown))
}

pub(super) fn rows() -> Vec<Row> {
    [model(), choices(), dialects()].into_iter().flatten().collect()
}

fn model() -> Vec<Row> {
    let of = |kinds: &[&str]| json!(kinds);
    let nothing = || json!(null);
    let ours = || json!({ "messageId": format!("{OWN_IDS}1"), "role": "ROLE_USER", "parts": [{ "text": "x" }] });
    // Sent whole in the form of 0.3, and shown without its role.
    let sent_and_shown_0_3 = got_0_3(json!({ "messageId": format!("{OWN_IDS}1"), "parts": [] }))
        .but(|draft| draft.params = json!({ "message": ours() }));
    let refused_and_shown = Script::v1_0()
        .error("s", SendMessage, json!({ "code": -32602, "message": "no" }))
        .asked(json!({ "message": without(ours(), "messageId") }))
        .result("t", GetTask, told(without(ours(), "messageId")));
    vec![
        right("schema", of(&["Task"]), got(task("t", WORKING))),
        wrong("schema", of(&["Task"]), got(task_with("t", WORKING, json!({ "id": 1 }))), "Task is"),
        // A violation belongs to the innermost object around it.
        right("schema", of(&["Task"]), got(task_with("t", WORKING, json!({ "status": { "timestamp": 1 } })))),
        wrong("schema", of(&["TaskStatus"]), got(json!({ "id": "t", "status": {} })), "TaskStatus is"),
        wrong("schema", of(&["TaskStatus", "Timestamp"]), stamped(json!(1_769_860_800)), "Timestamp is"),
        wrong("schema", of(&["Part", "Bytes"]), part(json!({ "raw": [1, 2] })), "Bytes is"),
        wrong("schema", of(&["Part"]), part(json!({ "text": "x", "data": 1 })), "Part is"),
        wrong(
            "schema",
            of(&["Task"]),
            Script::v1_0().stream("s", &[json!({ "task": task("t", WORKING) }), json!({ "task": { "id": 1 } })]),
            "Task is",
        ),
        // What the client wrote is the client's.
        right("schema", of(&["Part"]), asked(json!({ "text": 1 }))),
        right("schema", of(&["Part"]), got_0_3(json!({ "role": "user", "parts": [{ "kind": "text", "text": 1 }] }))),
        wrong(
            "schema",
            of(&["Part"]),
            got_0_3(json!({ "role": "agent", "parts": [{ "kind": "text", "text": 1 }] })),
            " is ",
        ),
        right("schema", of(&["Part"]), got_in_proto("ROLE_USER")),
        wrong("schema", of(&["Part"]), got_in_proto("ROLE_AGENT"), " is "),
        wrong("schema", of(&["Message"]), got(told(but(ours(), "messageId", json!(1)))), "Message is"),
        wrong(
            "schema",
            of(&["Part"]),
            got(told(json!({ "messageId": "1", "role": "ROLE_AGENT", "parts": [{ "text": 1 }] }))),
            "Part is",
        ),
        // What the suite broke on purpose, it may be shown again: now, or out of an earlier run.
        right("schema", of(&["Message"]), sent_and_shown(without(ours(), "role"), without(ours(), "role"))),
        right("schema", of(&["Message"]), got(told(without(ours(), "role")))),
        right("schema", of(&["Message"]), sent_and_shown(without(ours(), "messageId"), without(ours(), "messageId"))),
        wrong("schema", of(&["Message"]), got(told(without(ours(), "messageId"))), "Message is"),
        // What the agent took without an id is no excuse for its own messages, nor for what it has in place of one.
        wrong(
            "schema",
            of(&["Message"]),
            sent_and_shown(
                without(ours(), "messageId"),
                but(without(ours(), "messageId"), "role", json!("ROLE_AGENT")),
            ),
            "Message is",
        ),
        wrong("schema", of(&["Message"]), sent_and_shown(without(ours(), "messageId"), json!("failed")), "Message is"),
        wrong("schema", of(&["Message"]), sent_and_shown_0_3, "Message is"),
        wrong("schema", of(&["Message"]), refused_and_shown, "Message is"),
        wrong("schema", of(&["Message"]), sent_and_shown(ours(), without(ours(), "role")), "Message is"),
        wrong(
            "schema",
            of(&["Message"]),
            got(told(but(without(ours(), "role"), "messageId", json!("1")))),
            "Message is",
        ),
        wrong("schema", of(&["Task"]), got(but(told(without(ours(), "role")), "id", json!(1))), "Task is"),
        wrong(
            "schema",
            of(&["Task"]),
            Script::v0_3().result("t", GetTask, json!({ "kind": "task", "id": "t", "status": { "state": "working" } })),
            "Task is",
        ),
        unseen("schema", of(&["Artifact"]), got(task("t", WORKING)), "no Artifact"),
        right("camel-case", nothing(), got(task_with("t", WORKING, json!({ "metadata": { "snake_case": 1 } })))),
        right("camel-case", nothing(), got(task_with("t", WORKING, json!({ "x_own": 1 })))),
        wrong("camel-case", nothing(), got(task_with("t", WORKING, json!({ "context_id": "c" }))), "not in camelCase"),
        // No text of 0.3 forbids a member beside the one that clients look for.
        right("camel-case", nothing(), spelled_0_3(json!({ "contextId": "c", "context_id": "c" }))),
        wrong("camel-case", nothing(), spelled_0_3(json!({ "context_id": "c" })), "not in camelCase"),
        wrong(
            "camel-case",
            nothing(),
            got(task_with("t", WORKING, json!({ "contextId": "c", "context_id": "c" }))),
            "not in camelCase",
        ),
        unseen("camel-case", nothing(), Script::v1_0(), "no object"),
        // What the suite itself sent wrong comes back wrong.
        right("schema", json!(["TaskPushNotificationConfig"]), configured(json!({ "taskId": "t" }))),
        wrong(
            "schema",
            json!(["TaskPushNotificationConfig"]),
            configured(json!({ "taskId": "t", "url": "https://agent.example/" })),
            "url",
        ),
        wrong("schema", json!(["TaskPushNotificationConfig"]), configured(json!({ "taskId": "u" })), "url"),
        right("timestamps", nothing(), at("2026-01-31T12:00:00.123Z")),
        wrong("timestamps", nothing(), at("2026-01-31T12:00:00.123+01:00"), "expected"),
        wrong("timestamps", nothing(), at("2026-01-31T12:00:00.123+00:00"), "expected"),
        wrong("timestamps", nothing(), at("2026-02-31T12:00:00Z"), "expected"),
        right("timestamps", nothing(), at_0_3("2026-01-31T12:00:00+01:00")),
        wrong("timestamps", nothing(), at_0_3("31.1.2026"), "expected"),
        unseen("timestamps", nothing(), got(json!({ "id": "t", "status": { "state": WORKING } })), "no timestamp"),
        right("timestamps-in-utc", nothing(), at_0_3("2026-01-31T12:00:00Z")),
        right("timestamps-in-utc", nothing(), at_0_3("2026-01-31T12:00:00+00:00")),
        right("timestamps-in-utc", nothing(), at_0_3("2026-01-31T12:00:00")),
        right("timestamps-in-utc", nothing(), at_0_3("31.1.2026")),
        wrong("timestamps-in-utc", nothing(), at_0_3("2026-01-31T12:00:00+01:00"), "expected"),
        unseen(
            "timestamps-in-utc",
            nothing(),
            got(json!({ "id": "t", "status": { "state": WORKING } })),
            "no timestamp",
        ),
        right("milliseconds", nothing(), at("2026-01-31T12:00:00.123456Z")),
        wrong("milliseconds", nothing(), at("2026-01-31T12:00:00Z"), "expected"),
        // By ProtoJSON a time on the whole second has no fraction.
        right("milliseconds", nothing(), later(later(at("2026-01-31T12:00:00Z"), "12:00:00.004"), "12:00:00.123456")),
        wrong("milliseconds", nothing(), later(at("2026-01-31T12:00:00Z"), "12:00:00.004"), "expected"),
        unseen("milliseconds", nothing(), got(json!({ "id": "t", "status": { "state": WORKING } })), "no timestamp"),
        right("base64", nothing(), part(json!({ "raw": "aGk=" }))),
        unseen("base64", nothing(), asked(json!({ "raw": "a b" })), "no file"),
        wrong("base64", nothing(), part(json!({ "raw": "a b" })), "expected"),
        unseen(
            "base64",
            nothing(),
            Script::v1_0().result("s", SendMessage, json!({ "task": task("t", WORKING) })),
            "no file",
        ),
    ]
}

/// What is said of one task where a version leaves the dialect open.
fn dialects() -> Vec<Row> {
    let task = |id: &str, state: &str| json!({ "id": id, "contextId": "c", "status": { "state": state } });
    let (in_proto, in_rest) = (|id: &str| task(id, "TASK_STATE_COMPLETED"), |id: &str| task(id, "completed"));
    let sent = |step: &str, task: Value| {
        let body = json!({ "task": task }).to_string();
        Script::v0_3().over(Binding::HttpJson).answer(step, SendMessage, &body)
    };
    let and = |script: Script, step: &str, operation, body: Value| script.answer(step, operation, &body.to_string());
    let event = json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": { "state": "completed" } } });
    let nothing = || Value::Null;
    let other = "in another dialect than before";
    vec![
        right("one-dialect", nothing(), and(sent("s", in_proto("t")), "g", GetTask, in_proto("t"))),
        right("one-dialect", nothing(), and(sent("tried", in_rest("t")), "tried-get", GetTask, in_rest("t"))),
        right(
            "one-dialect",
            nothing(),
            and(and(sent("tried", in_rest("a")), "s", GetTask, in_proto("b")), "g", GetTask, in_proto("b")),
        ),
        wrong("one-dialect", nothing(), and(sent("s", in_proto("t")), "g", GetTask, in_rest("t")), other),
        wrong("one-dialect", nothing(), and(sent("tried", in_rest("t")), "tried-get", GetTask, in_proto("t")), other),
        wrong("one-dialect", nothing(), sent("s", in_proto("t")).raw_stream("e", &format!("data: {event}\n\n")), other),
        // A list is in one dialect, whoever began its tasks.
        unseen(
            "one-dialect",
            nothing(),
            and(sent("s", in_proto("t")), "l", ListTasks, json!([in_rest("t")])),
            "no task",
        ),
        unseen("one-dialect", nothing(), and(sent("s", in_proto("t")), "g", GetTask, task("t", "done")), "no task"),
    ]
}

/// Which of several right ways the draft of A2A 1.0 is spoken in.
fn choices() -> Vec<Row> {
    let task = |state: &str| json!({ "id": "t", "contextId": "c", "status": { "state": state } });
    let got = |state: &str| Script::v1_0_draft().result("t", GetTask, task(state));
    let sent = |answer: Value| Script::v1_0_draft().result("s", SendMessage, answer);
    let (spelled, formed) = (|| json!("TaskState"), || json!(["SendMessageResult", "StreamEvent"]));
    vec![
        right("spelled", spelled(), got("cancelled")),
        wrong("spelled", spelled(), got("canceled"), "has another spelling"),
        unseen("spelled", spelled(), got("working"), "no TaskState with two spellings"),
        unseen("spelled", spelled(), at("2026-01-31T12:00:00Z"), "one spelling of every TaskState"),
        right("formed", formed(), sent(task("working"))),
        wrong("formed", formed(), sent(json!({ "task": task("working") })), "has another form"),
        unseen("formed", formed(), got("working"), "no SendMessageResult or StreamEvent"),
        broken("formed", json!("SendMessageResult"), sent(task("working")), "expected an array"),
    ]
}

/// The same mistake in two answers is told once, two mistakes are told both.
#[test]
fn violations_are_told_once() {
    let without_state = |id: &str| json!({ "id": id, "status": {} });
    let twice = got(without_state("t")).result("u", GetTask, without_state("u"));
    assert_eq!(findings("schema", json!(["TaskStatus"]), twice).len(), 1);
    let different = got(task_with("t", WORKING, json!({ "contextId": 1, "history": 2 })));
    assert_eq!(findings("schema", json!(["Task"]), different).len(), 2);
}

/// Only times without milliseconds are told.
#[test]
fn coarse_times_are_shown() {
    let script = later(later(at("2026-01-31T12:00:00Z"), "12:00:01"), "12:00:02.003");
    let findings = findings("milliseconds", json!(null), script);
    let wanted = "milliseconds, such as 2026-01-31T12:00:00.000Z";
    assert_eq!(compared(&findings), [(wanted, "\"2026-01-31T12:00:00Z\""), (wanted, "\"2026-01-31T12:00:01Z\"")]);
}

#[test]
fn the_data_model_is_judged() {
    hold(&rows());
}
