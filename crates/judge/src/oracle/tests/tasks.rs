//! Tasks and messages.

use std::time::Duration;

use serde_json::{Value, json};

use super::script::{COMPLETED, INPUT_REQUIRED, Script, WORKING, task, task_with};
use super::{Row, compared, findings, hold, right, unseen, wrong};
use crate::finding::show;
use crate::profile::Operation::{CancelTask, GetTask, ListTasks, SendMessage};

fn message(id: &str, text: &str) -> Value {
    json!({ "messageId": id, "role": "ROLE_AGENT", "parts": [{ "text": text }] })
}

fn reads(first: Value, second: Value) -> Script {
    Script::v1_0().result("a", GetTask, first).result("b", GetTask, second)
}

fn got(task: Value) -> Script {
    Script::v1_0().result("t", GetTask, task)
}

fn artifacts(parts: Value) -> Script {
    got(task_with("t", COMPLETED, json!({ "artifacts": [{ "artifactId": "x", "parts": parts }] })))
}

fn history(messages: Value) -> Value {
    task_with("t", COMPLETED, json!({ "history": messages }))
}

/// A task with these messages, for a request that asks for so many.
fn shows(asked: u32, messages: Value) -> Script {
    got(history(messages)).asked(json!({ "id": "t", "historyLength": asked }))
}

/// A list of one task with these messages, for a request that asks for one.
fn lists(script: Script, messages: Value) -> Script {
    script.result("l", ListTasks, json!({ "tasks": [history(messages)] })).asked(json!({ "historyLength": 1 }))
}

fn says(message: Value) -> Script {
    Script::v1_0().result("s", SendMessage, json!({ "message": message }))
}

/// A status of A2A 0.1 with a message in the user's role, after the text "x" was sent.
fn quotes_without_ids(text: &str) -> Script {
    let message = json!({ "role": "user", "parts": [{ "type": "text", "text": text }] });
    let task = json!({ "id": "t", "status": { "state": "working", "message": message } });
    let asked = json!({ "message": { "messageId": "1", "role": "ROLE_USER", "parts": [{ "text": "x" }] } });
    Script::v0_1().result("s", SendMessage, task).asked(asked)
}

/// A task whose status holds a message of the client's with these parts; the client sent the text x.
fn quotes(parts: Value) -> Script {
    let message = |parts: Value| json!({ "messageId": "1", "role": "ROLE_USER", "parts": parts });
    let status = json!({ "status": { "message": message(parts) } });
    let script = Script::v1_0().result("s", SendMessage, json!({ "task": task_with("t", WORKING, status) }));
    script.asked(json!({ "message": message(json!([{ "text": "x" }])) }))
}

pub(super) fn rows() -> Vec<Row> {
    let pair = || json!(["a", "b"]);
    let on = |place: &str| json!({ "on": place, "tasks": ["a", "b"] });
    let one_of = json!({ "in": "s", "of": ["task", "message"] });
    let files = json!({ "task": "t", "members": ["raw", "url"] });
    let recent = json!({ "part": "a", "whole": "b" });
    let (one, two, three) = (message("1", "x"), message("2", "y"), message("3", "z"));
    let nothing = || json!(null);
    let noted = |reads: u32| task_with("t", COMPLETED, json!({ "metadata": { "reads": reads } }));
    let status = |state: &str| json!({ "statusUpdate": { "taskId": "t", "status": { "state": state } } });
    let spoken = json!({ "messageId": "1", "role": "ROLE_USER", "parts": [] });
    let speaking = json!({ "statusUpdate": { "taskId": "t", "status": { "state": WORKING, "message": spoken } } });
    let silent = json!({ "status": { "message": "none" } });
    vec![
        right("unchanged", pair(), reads(task("t", COMPLETED), task("t", COMPLETED))),
        wrong("unchanged", pair(), reads(task("t", COMPLETED), task("t", WORKING)), "changed at `/status/state`"),
        wrong("unchanged", pair(), reads(history(json!([one])), history(json!([]))), "changed at `/history`"),
        wrong("unchanged", pair(), reads(task("t", COMPLETED), history(json!([]))), "changed at `/history`"),
        wrong("unchanged", pair(), reads(history(json!([one])), history(json!([two]))), "changed at `/history/0/"),
        unseen("unchanged", pair(), reads(task("t", COMPLETED), json!({})), "returned no task"),
        // What an agent notes in the metadata is its own affair.
        right("unchanged", pair(), reads(noted(1), noted(2))),
        right(
            "agree",
            on("/artifacts"),
            reads(task("t", COMPLETED), task_with("t", WORKING, json!({ "artifacts": [] }))),
        ),
        wrong(
            "agree",
            on("/status/state"),
            reads(task("t", COMPLETED), task("t", WORKING)),
            "differ at `/status/state`",
        ),
        right("exactly-one", one_of.clone(), Script::v1_0().result("s", SendMessage, json!({ "message": one }))),
        wrong("exactly-one", one_of.clone(), Script::v1_0().result("s", SendMessage, json!({})), "exactly one"),
        wrong(
            "exactly-one",
            one_of.clone(),
            Script::v1_0().result("s", SendMessage, json!({ "message": one, "task": task("t", WORKING) })),
            "exactly one",
        ),
        unseen(
            "exactly-one",
            one_of,
            Script::v1_0().error("s", SendMessage, json!({ "code": 1, "message": "" })),
            "no result",
        ),
        right(
            "history-keeps-context",
            json!("t"),
            got(history(json!([{ "taskId": "t", "contextId": "c" }, { "taskId": "t" }]))),
        ),
        right(
            "history-keeps-context",
            json!("t"),
            got(history(json!([{ "taskId": "u", "contextId": "d" }, { "taskId": "t", "contextId": "" }]))),
        ),
        wrong(
            "history-keeps-context",
            json!("t"),
            got(history(json!([{ "taskId": "t", "contextId": "d" }]))),
            "another context",
        ),
        right(
            "history-keeps-task",
            json!("t"),
            got(history(json!([{ "taskId": "t" }, { "taskId": "" }, { "messageId": "m" }]))),
        ),
        wrong("history-keeps-task", json!("t"), got(history(json!([{ "taskId": "u" }]))), "names another task"),
        unseen("history-keeps-task", json!("t"), got(history(json!([{ "messageId": "m" }]))), "names a task"),
        right("parts-with", files.clone(), artifacts(json!([{ "raw": "aGk=" }, { "url": "http://agent.example/f" }]))),
        right("parts-with", json!({ "task": "t", "members": ["data"] }), artifacts(json!([{ "data": {} }]))),
        wrong("parts-with", files.clone(), artifacts(json!([{ "raw": "a" }])), "not base64"),
        wrong("parts-with", files.clone(), artifacts(json!([{ "raw": 1 }])), "not base64"),
        wrong(
            "parts-with",
            files.clone(),
            artifacts(json!([{ "raw": "aGk=", "text": "hi" }])),
            "more than one content",
        ),
        right(
            "file-media-types",
            json!("t"),
            artifacts(json!([{ "raw": "aGk=", "mediaType": "text/plain" }, { "text": "hi" }])),
        ),
        wrong("file-media-types", json!("t"), artifacts(json!([{ "url": "http://agent.example/f" }])), "mediaType"),
        wrong("file-media-types", json!("t"), artifacts(json!([{ "raw": "", "mediaType": "" }])), "mediaType"),
        unseen("file-media-types", json!("t"), artifacts(json!([{ "text": "hi" }])), "raw or url"),
        right("file-urls", json!("t"), artifacts(json!([{ "raw": "aGk=" }, { "url": "https://agent.example/f" }]))),
        wrong(
            "file-urls",
            json!("t"),
            artifacts(json!([{ "url": "https://agent.example/f" }, { "url": "/f" }])),
            "url",
        ),
        unseen("file-urls", json!("t"), artifacts(json!([{ "raw": "aGk=" }])), "with url"),
        unseen("parts-with", files, artifacts(json!([{ "text": "hi" }])), "raw or url"),
        right("most-recent", recent.clone(), reads(history(json!([two, three])), history(json!([one, two, three])))),
        wrong(
            "most-recent",
            recent.clone(),
            reads(history(json!([one, two])), history(json!([one, two, three]))),
            "the shortened history does not have the most recent messages",
        ),
        wrong(
            "most-recent",
            recent.clone(),
            reads(history(json!([three, two])), history(json!([one, two, three]))),
            "the shortened history does not have the most recent messages",
        ),
        wrong(
            "most-recent",
            recent.clone(),
            reads(history(json!([two])), history(json!([one, two, three]))),
            "the shortened history does not have the most recent messages",
        ),
        unseen("most-recent", recent, reads(history(json!([one])), history(json!([one]))), "1 and 1 messages"),
        right("history-within-limit", nothing(), shows(1, json!([one]))),
        wrong(
            "history-within-limit",
            nothing(),
            shows(1, json!([one, two])),
            "a history has more messages than requested",
        ),
        unseen("history-within-limit", nothing(), shows(0, json!([one])), "no history"),
        right("history-within-limit", nothing(), lists(Script::v1_0(), json!([one]))),
        wrong("history-within-limit", nothing(), lists(Script::v1_0(), json!([one, two])), "more messages than"),
        // GET /v1/tasks of 0.3 has no parameters.
        unseen("history-within-limit", nothing(), lists(Script::v0_3(), json!([one, two])), "no history"),
        unseen("history-within-limit", nothing(), got(history(json!([one, two]))), "no history"),
        right("transitions", nothing(), reads(task("t", WORKING), task("t", COMPLETED))),
        // Whatever was asked for before the end was known may show what was before it.
        right(
            "transitions",
            nothing(),
            got(task("t", COMPLETED)).but(|draft| draft.elapsed = Duration::from_secs(2)).result(
                "b",
                GetTask,
                task("t", WORKING),
            ),
        ),
        right(
            "transitions",
            nothing(),
            Script::v1_0()
                .stream("s", &[json!({ "task": task("t", COMPLETED) })])
                .but(|draft| draft.pace = Duration::from_secs(2))
                .result("b", GetTask, task("t", WORKING)),
        ),
        // What one list shows, it shows at one time.
        right(
            "transitions",
            nothing(),
            Script::v1_0().walk("w", &[json!({ "tasks": [task("t", COMPLETED), task("t", WORKING)] })]),
        ),
        // Another task is another matter.
        right("transitions", nothing(), reads(task("t", COMPLETED), task("u", WORKING))),
        right(
            "transitions",
            nothing(),
            Script::v1_0().result("a", SendMessage, json!({ "task": task("t", INPUT_REQUIRED) })).result(
                "b",
                CancelTask,
                task("t", "TASK_STATE_CANCELED"),
            ),
        ),
        // Its client made it in a version that lets it be reopened.
        unseen(
            "transitions",
            nothing(),
            reads(task("a2aspec-1", COMPLETED), task("a2aspec-1", WORKING)),
            "saw no task",
        ),
        wrong("transitions", nothing(), reads(task("t", COMPLETED), task("t", WORKING)), "leaves the terminal state"),
        wrong(
            "transitions",
            nothing(),
            reads(task("t", COMPLETED), task("t", "TASK_STATE_CANCELED")),
            "leaves the terminal state",
        ),
        wrong(
            "transitions",
            nothing(),
            Script::v1_0()
                .stream("s", &[json!({ "task": task("t", COMPLETED) }), json!({ "task": task("t", WORKING) })]),
            "leaves the terminal state",
        ),
        wrong(
            "transitions",
            nothing(),
            Script::v1_0()
                .result("s", GetTask, task("t", COMPLETED))
                .walk("w", &[json!({ "tasks": [task("u", WORKING), task("t", WORKING)] })]),
            "the task t leaves",
        ),
        wrong("transitions", nothing(), Script::v1_0().stream("s", &[status(COMPLETED), status(WORKING)]), "leaves"),
        // Bytes that called no operation are not read, and their states have the names of the wire.
        right(
            "transitions",
            nothing(),
            Script::v0_3()
                .result("s", GetTask, task("t", "completed"))
                .result("w", GetTask, task("t", "completed"))
                .but(|draft| draft.operation = None),
        ),
        unseen("transitions", nothing(), says(message("1", "x")), "no task"),
        right("agent-role", nothing(), says(message("1", "x"))),
        unseen("agent-role", nothing(), says(message("1", "x")).but(|draft| draft.operation = None), "no message"),
        wrong(
            "agent-role",
            nothing(),
            says(json!({ "messageId": "1", "role": "ROLE_USER", "parts": [] })),
            "another role",
        ),
        wrong(
            "agent-role",
            nothing(),
            got(task_with("t", WORKING, json!({ "status": { "message": { "messageId": "1", "parts": [] } } }))),
            "another role",
        ),
        wrong("agent-role", nothing(), Script::v1_0().stream("s", &[speaking]), "another role"),
        unseen("agent-role", nothing(), got(task("t", WORKING)), "no message of the agent"),
        unseen("agent-role", nothing(), got(task_with("t", WORKING, silent)), "no message of the agent"),
        unseen("agent-role", nothing(), quotes(json!([{ "text": "x" }])), "no message"),
        wrong("agent-role", nothing(), quotes(json!([{ "text": "y" }])), "another role"),
        // Without ids, any message that was sent may be the one that is quoted.
        unseen("agent-role", nothing(), quotes_without_ids("x"), "no message"),
        wrong("agent-role", nothing(), quotes_without_ids("y"), "another role"),
        right("unique-message-ids", nothing(), quotes(json!([{ "text": "x" }]))),
        wrong(
            "unique-message-ids",
            nothing(),
            quotes(json!([{ "text": "y" }])),
            "has the id \"1\" of a message that the client sent",
        ),
        right(
            "unique-message-ids",
            nothing(),
            says(message("1", "x")).result("t", SendMessage, json!({ "message": two })),
        ),
        // The same message may be shown twice.
        right(
            "unique-message-ids",
            nothing(),
            says(message("1", "x")).result("t", SendMessage, json!({ "message": one })),
        ),
        wrong(
            "unique-message-ids",
            nothing(),
            says(message("1", "x")).result("t", SendMessage, json!({ "message": message("1", "other") })),
            "two messages have the id \"1\"",
        ),
        unseen("unique-message-ids", nothing(), got(task("t", WORKING)), "no message of the agent"),
        right("unique-artifact-ids", nothing(), artifacts(json!([{ "text": "x" }]))),
        wrong(
            "unique-artifact-ids",
            nothing(),
            got(task_with("t", COMPLETED, json!({ "artifacts": [{ "artifactId": "x" }, { "artifactId": "x" }] }))),
            "two artifacts of one task have the id \"x\"",
        ),
        unseen("unique-artifact-ids", nothing(), got(task("t", WORKING)), "no artifact"),
    ]
}

/// Where a task stands in what a step brought, and what was there.
#[test]
fn differences_are_cited() {
    let cited = |oracle, args: Value, script: Script| {
        let found = findings(oracle, args, script);
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        let place = (finding.exchange, finding.event, finding.pointer.clone().unwrap_or_default());
        let compared = compared(&found).first().map(|(wanted, got)| format!("{wanted} / {got}"));
        (place, compared.unwrap_or_default())
    };
    let pair = || json!(["a", "b"]);
    let first = || Script::v1_0().result("a", GetTask, task("t", WORKING));
    let states = format!("{:?} / {:?}", WORKING, COMPLETED);
    let place = |event, pointer: &str| (Some(2), event, pointer.to_owned());
    assert_eq!(
        cited("unchanged", pair(), first().result("b", GetTask, task("t", COMPLETED))),
        (place(None, "/result/status/state"), states.clone())
    );
    assert_eq!(
        cited("unchanged", pair(), first().result("b", SendMessage, json!({ "task": task("t", COMPLETED) }))),
        (place(None, "/result/task/status/state"), states.clone())
    );
    let events = [json!({ "message": message("1", "x") }), json!({ "task": task("t", COMPLETED) })];
    assert_eq!(
        cited("unchanged", pair(), first().stream("b", &events)),
        (place(Some(1), "/result/task/status/state"), states)
    );
    let (one, two, three) = (message("1", "x"), message("2", "y"), message("3", "z"));
    assert_eq!(
        cited("unchanged", pair(), reads(history(json!([one])), history(json!([one, two])))),
        (place(None, "/result/history"), format!("1 items / 2 items, among them {}", show(&two)))
    );
    let part_of = json!({ "part": "b", "whole": "a" });
    assert_eq!(
        cited("most-recent", part_of.clone(), reads(history(json!([one, two, three])), history(json!([two, two])))),
        (place(None, "/result/history/1"), "message \"3\" / message \"2\"".to_owned())
    );
    assert_eq!(
        cited("most-recent", part_of, reads(history(json!([one, two, three])), history(json!([one])))),
        (place(None, "/result/history/0"), "message \"3\" / message \"1\"".to_owned())
    );
}

/// A message is cited by its event in a stream, and without one elsewhere.
#[test]
fn what_the_agent_says_is_cited() {
    let wrong_role = || json!({ "message": { "messageId": "1", "role": "ROLE_USER", "parts": [] } });
    let event = |script: Script| findings("agent-role", json!(null), script).remove(0).event;
    assert_eq!(event(says(wrong_role()["message"].clone())), None);
    assert_eq!(event(Script::v1_0().stream("s", &[json!({ "task": task("t", WORKING) }), wrong_role()])), Some(1));
}

#[test]
fn tasks_are_judged() {
    hold(&rows());
}
