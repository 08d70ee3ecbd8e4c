//! The course of streams.

use std::time::Duration;

use serde_json::{Value, json};

use super::script::{INPUT_REQUIRED, Script, WORKING, task_with};
use super::{Row, hold, right, unseen, wrong};
use crate::profile::Operation::{GetTask, SendStreamingMessage};

/// A task at work since a time.
fn begins(time: &str) -> Value {
    json!({ "task": task_with("t", WORKING, json!({ "status": { "timestamp": time } })) })
}

/// An update that ends it at another.
fn ends(time: &str) -> Value {
    let status = json!({ "state": "TASK_STATE_COMPLETED", "timestamp": time });
    json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": status } })
}

/// A stream of work that took three seconds, whose two events came so many milliseconds apart.
fn three_seconds(script: Script, apart: u64) -> Script {
    let events = [begins("2026-01-31T12:00:00Z"), ends("2026-01-31T12:00:03Z")];
    script.stream("s", &events).but(|draft| draft.pace = Duration::from_millis(apart))
}

/// Four readings of another task, one a second, which come before what is written next.
fn awake() -> Script {
    let page = || json!({ "tasks": [] });
    Script::v1_0().walk("c", &[page(), page(), page(), page()])
}

/// A task that asks, in a stream and in an answer, with these messages in its status.
fn asks(shown: Value, held: Value) -> Script {
    let status = |message: Value| json!({ "status": { "message": message } });
    let event = json!({ "task": task_with("t", INPUT_REQUIRED, status(shown)) });
    Script::v1_0().stream("s", &[event]).result("t", GetTask, task_with("t", INPUT_REQUIRED, status(held)))
}

/// A task that was streamed to one state, and is read in another.
fn ended(told: &str, read: &str) -> Script {
    let events = [begins("2026-01-31T12:00:00Z"), json!({ "task": task_with("t", told, json!({})) })];
    Script::v1_0().stream("s", &events).result("t", GetTask, task_with("t", read, json!({})))
}

fn says(id: &str, text: &str) -> Value {
    json!({ "messageId": id, "role": "ROLE_AGENT", "parts": [{ "text": text }] })
}

pub(super) fn rows() -> Vec<Row> {
    let time = || json!({ "stream": "s", "clock": "c" });
    let both = || json!({ "stream": "s", "task": "t" });
    let short = [begins("2026-01-31T12:00:00Z"), ends("2026-01-31T12:00:00.4Z")];
    let moved = task_with("t", WORKING, json!({}));
    vec![
        right("stream-in-time", time(), three_seconds(awake(), 1000)),
        wrong(
            "stream-in-time",
            time(),
            three_seconds(awake(), 10),
            "all events of a stream arrive at once, when the work is over",
        ),
        // A tenth of the time is enough.
        right("stream-in-time", time(), three_seconds(awake(), 300)),
        // The suite may have slept.
        unseen(
            "stream-in-time",
            time(),
            three_seconds(Script::v1_0(), 10).walk("c", &[json!({ "tasks": [] })]),
            "no other request was answered while the stream was silent",
        ),
        unseen("stream-in-time", time(), awake().stream("s", &short), "less than half a second"),
        unseen(
            "stream-in-time",
            time(),
            awake().error("s", SendStreamingMessage, json!({ "code": 1, "message": "no" })),
            "does not name",
        ),
        right("end-as-read", both(), ended("TASK_STATE_COMPLETED", "TASK_STATE_COMPLETED")),
        wrong(
            "end-as-read",
            both(),
            ended("TASK_STATE_COMPLETED", "TASK_STATE_WORKING"),
            "GetTask shows another state than the end of the stream",
        ),
        wrong(
            "end-as-read",
            both(),
            ended("TASK_STATE_COMPLETED", "TASK_STATE_FAILED"),
            "GetTask shows another state than the end of the stream",
        ),
        unseen("end-as-read", both(), ended("TASK_STATE_WORKING", "TASK_STATE_WORKING"), "the stream was over"),
        right("status-message-as-read", both(), asks(says("1", "colour?"), says("2", "colour?"))),
        wrong("status-message-as-read", both(), asks(says("1", "colour?"), json!(null)), "the task has none"),
        wrong("status-message-as-read", both(), asks(json!(null), says("1", "colour?")), "the stream has none"),
        wrong("status-message-as-read", both(), asks(says("1", "colour?"), says("1", "size?")), "their parts differ"),
        unseen("status-message-as-read", both(), asks(json!(null), json!(null)), "no message in its status"),
        unseen(
            "status-message-as-read",
            both(),
            Script::v1_0()
                .stream("s", &[begins("2026-01-31T12:00:00Z"), ends("2026-01-31T12:00:01Z")])
                .result("t", GetTask, moved),
            "had another status",
        ),
    ]
}

#[test]
fn streams_are_held_against_what_else_is_known() {
    hold(&rows());
}
