//! What was sent and asked for, held against what is shown.

use serde_json::{Value, json};

use super::script::{COMPLETED, Script, WORKING, task_with};
use super::{Row, compared, findings, hold, right, unseen, wrong};
use crate::profile::Operation::{
    self, CreateTaskPushNotificationConfig, GetTask, GetTaskPushNotificationConfig, ListTaskPushNotificationConfigs,
    ListTasks, SendMessage,
};

const SENT: &str = "messages-as-sent";
const SET: &str = "webhooks-as-set";
const ASKED: &str = "as-asked";
const HEADS: &str = "heads";
const ALIKE: &str = "shown-alike";

fn message(part: &Value) -> Value {
    json!({ "messageId": "m", "role": "ROLE_USER", "parts": [part], "metadata": { "a": { "b": 1 } } })
}

/// A message with this part, which the task shows with that one.
fn shown(sent: &Value, shown: &Value) -> Script {
    let shows = |message: Value| task_with("t", COMPLETED, json!({ "history": [message] }));
    let script = Script::v1_0().result("sent", SendMessage, json!({ "task": shows(message(sent)) }));
    script.asked(json!({ "message": message(sent) })).result("read", GetTask, shows(message(shown)))
}

fn same(part: &Value) -> Script {
    shown(part, part)
}

/// The message of [`shown`] with other metadata, as a list shows it.
fn noted(metadata: Value) -> Script {
    let text = json!({ "text": "x" });
    let mut other = message(&text);
    other["metadata"] = metadata;
    let page = json!({ "tasks": [task_with("t", COMPLETED, json!({ "history": [other] }))] });
    same(&text).result("list", ListTasks, page)
}

/// A message that is sent twice, with another text.
fn again(text: &str) -> Script {
    let again = message(&json!({ "text": text }));
    let task = task_with("t", COMPLETED, json!({ "history": [again] }));
    same(&json!({ "text": "x" }))
        .result("again", SendMessage, json!({ "task": task }))
        .asked(json!({ "message": again }))
}

const ID: &str = "a2aspec-0198c3a2-51de-7c07";

fn config(url: &str, token: Option<&str>) -> Value {
    let mut config = json!({ "taskId": "t", "id": ID, "url": url });
    if let Some(token) = token {
        config["token"] = json!(token);
    }
    config
}

/// A webhook that is answered so when it is set, and so when it is read and listed.
fn set(answered: Value, read: Value) -> Script {
    let asked = config("https://a.example/x", Some("secret"));
    let script = Script::v1_0().result("set", CreateTaskPushNotificationConfig, answered).asked(asked);
    let script =
        script.result("read", GetTaskPushNotificationConfig, read.clone()).asked(json!({ "taskId": "t", "id": ID }));
    script.result("list", ListTaskPushNotificationConfigs, json!({ "configs": [read] })).asked(json!({ "taskId": "t" }))
}

/// A webhook that is set with credentials of a scheme, and read with these.
fn with_scheme(scheme: &str, read: Value) -> Script {
    let with = |authentication: Value| {
        let mut config = as_set();
        config["authentication"] = authentication;
        config
    };
    let set = with(json!({ "scheme": scheme, "credentials": "c" }));
    let script = Script::v1_0().result("set", CreateTaskPushNotificationConfig, as_set()).asked(set);
    script.result("read", GetTaskPushNotificationConfig, with(read)).asked(json!({ "taskId": "t", "id": ID }))
}

fn as_set() -> Value {
    config("https://a.example/x", Some("secret"))
}

fn asked(operation: Operation, params: Value, result: Value) -> Script {
    Script::v1_0().result("asked", operation, result).asked(params)
}

fn one(id: &str, more: Value) -> Value {
    task_with(id, COMPLETED, more)
}

fn listed(params: Value, tasks: Value) -> Script {
    asked(ListTasks, params, json!({ "tasks": tasks, "nextPageToken": "", "pageSize": 5, "totalSize": 1 }))
}

fn at(time: &str) -> Value {
    let mut task = one("t", json!({}));
    task["status"]["timestamp"] = json!(time);
    json!([task])
}

fn with_header(name: &'static str, value: &'static str) -> Script {
    let text = json!({ "message": message(&json!({ "text": "hello, this is a text" })) });
    let script = asked(SendMessage, text, json!({ "task": one("t", json!({})) }));
    script.but(|draft| draft.headers.push((name.to_owned(), value.to_owned())))
}

/// A list that was asked for under this tenant, with a field in the head of its answer.
fn of_tenant(tenant: &str, value: &'static str) -> Script {
    let script = asked(ListTasks, json!({ "tenant": tenant }), list_of(&["a"], ""));
    script.but(|draft| draft.headers.push(("x-shard".to_owned(), value.to_owned())))
}

/// A history of messages with these ids.
fn history(ids: &[&str]) -> Value {
    let messages = ids.iter().map(|id| json!({ "messageId": id, "role": "ROLE_AGENT", "parts": [{ "text": id }] }));
    json!({ "contextId": "c", "history": messages.collect::<Vec<_>>() })
}

fn list_of(ids: &[&str], token: &str) -> Value {
    let tasks: Vec<Value> = ids.iter().map(|id| one(id, json!({}))).collect();
    json!({ "tasks": tasks, "nextPageToken": token })
}

/// Two lists, and a task that was made between them.
fn changed(before: &Value, made: &str, after: &Value) -> Script {
    let script = Script::v1_0().result("before", ListTasks, before.clone());
    let script = script.result("made", SendMessage, json!({ "task": one(made, json!({})) }));
    script.result("after", ListTasks, after.clone())
}

fn paged(whole: &Value, pages: [Value; 2]) -> Script {
    let [first, second] = pages;
    let script = Script::v1_0().result("whole", ListTasks, whole.clone());
    script.result("first", ListTasks, first).result("second", ListTasks, second)
}

/// An ended task that is read so between two readings that are alike.
fn between(usual: Value, odd: Value) -> Script {
    let script = Script::v1_0().result("first", GetTask, one("t", usual.clone()));
    script.result("odd", GetTask, one("t", odd)).result("last", GetTask, one("t", usual))
}

fn artifacts(text: &str) -> Value {
    json!({ "contextId": "c", "artifacts": [{ "artifactId": "a", "parts": [{ "text": text }] }] })
}

pub(super) fn rows() -> Vec<Row> {
    let nothing = || Value::Null;
    let text = |text: &str| json!({ "text": text });
    let raw = |raw: &str| json!({ "raw": raw, "mediaType": "image/png" });
    let data = |data: Value| json!({ "data": data });
    let otherwise = "a message is not shown as it was sent";
    let hook = "a webhook is not shown as it was sent";
    let grown = || json!({ "before": "before", "after": "after", "made": "made" });
    let shrunk = || json!({ "before": "before", "after": "after", "gone": "made" });
    let pages = || json!({ "whole": "whole", "pages": ["first", "second"] });
    let abc = list_of(&["a", "b", "c"], "");
    let other = "has another";
    let stated = |state: &str| json!([task_with("t", state, json!({}))]);
    let extended = |extensions: Value| {
        let with = |extensions: Value| {
            let mut message = message(&json!({ "text": "x" }));
            message["extensions"] = extensions;
            message
        };
        let shows = |message: Value| task_with("t", COMPLETED, json!({ "history": [message] }));
        let sent = with(json!(["https://a.example/a", "https://a.example/b"]));
        let script = Script::v1_0().result("sent", SendMessage, json!({ "task": shows(sent.clone()) }));
        script.asked(json!({ "message": sent })).result("read", GetTask, shows(with(extensions)))
    };
    let differ = "two answers about one task differ at";
    vec![
        right(ALIKE, nothing(), between(artifacts("x"), artifacts("x"))),
        wrong(ALIKE, nothing(), between(artifacts("xyz"), artifacts("xy")), differ),
        wrong(ALIKE, nothing(), between(artifacts("x"), json!({ "contextId": "c" })), differ),
        wrong(
            ALIKE,
            nothing(),
            between(artifacts("x"), json!({ "contextId": "d", "artifacts": artifacts("x")["artifacts"] })),
            differ,
        ),
        wrong(
            ALIKE,
            nothing(),
            {
                let said = |context: &str| {
                    let mut said = message(&json!({ "text": "x" }));
                    said["contextId"] = json!(context);
                    json!({ "history": [said] })
                };
                between(said("c"), said("d"))
            },
            differ,
        ),
        wrong(ASKED, nothing(), listed(json!({}), json!([one("t", json!({})), one("t", json!({}))])), "task twice"),
        // Whoever asks for less of a history gets a part of it.
        right(ALIKE, nothing(), between(history(&["a", "b", "c"]), history(&["b", "c"]))),
        wrong(ALIKE, nothing(), between(history(&["a", "b"]), history(&["b", "a"])), "differ at `/history`"),
        wrong(ALIKE, nothing(), between(history(&["a", "b"]), history(&["a", "a", "b"])), "message twice"),
        wrong(
            ALIKE,
            nothing(),
            {
                let script = Script::v1_0().result("first", GetTask, one("t", artifacts("xyz")));
                let list = json!({ "tasks": [one("t", artifacts("xy"))] });
                script.result("list", ListTasks, list).result("last", GetTask, one("t", artifacts("xyz")))
            },
            differ,
        ),
        // An operation may write what is empty, and another may leave it out; extensions are a set.
        right(ALIKE, nothing(), {
            let said = |extensions: Value| {
                let mut said = message(&json!({ "text": "x" }));
                said["extensions"] = extensions;
                one("t", json!({ "contextId": "c", "history": [said] }))
            };
            let script = Script::v1_0().result("first", GetTask, said(json!(["a", "b"])));
            let script = script.result("list", ListTasks, json!({ "tasks": [said(json!(["b", "a"]))] }));
            script.result("last", GetTask, said(json!(["a", "b"])))
        }),
        right(ALIKE, nothing(), {
            let mut empty = message(&json!({ "text": "x", "filename": "" }));
            empty["extensions"] = json!([]);
            let bare = json!({ "contextId": "c", "history": [message(&json!({ "text": "x" }))] });
            let script = Script::v1_0().result("first", GetTask, one("t", bare.clone()));
            let list = json!({ "tasks": [one("t", json!({ "contextId": "c", "history": [empty] }))] });
            script.result("list", ListTasks, list).result("last", GetTask, one("t", bare))
        }),
        // Lists may leave artifacts out.
        right(ALIKE, nothing(), {
            let listed = json!({ "tasks": [one("t", json!({ "contextId": "c" }))] });
            between(artifacts("x"), artifacts("x")).result("list", ListTasks, listed)
        }),
        // Of one that changed for good nothing is said, nor of one that is at work.
        right(ALIKE, nothing(), {
            let script = Script::v1_0().result("a", GetTask, one("t", artifacts("x")));
            script.result("b", GetTask, one("t", artifacts("x"))).result("c", GetTask, one("t", artifacts("y")))
        }),
        unseen(
            ALIKE,
            nothing(),
            {
                let at_work = |text: &str| task_with("t", WORKING, artifacts(text));
                let script = Script::v1_0().result("a", GetTask, at_work("x"));
                script.result("b", GetTask, at_work("y")).result("c", GetTask, at_work("x"))
            },
            "no task that was shown three times",
        ),
        right(SENT, nothing(), same(&text("e\u{301}\0\u{feff}"))),
        wrong(SENT, nothing(), shown(&text("e\u{301}"), &text("\u{e9}")), otherwise),
        wrong(SENT, nothing(), shown(&text(&"x".repeat(5_000)), &text(&"x".repeat(4_096))), otherwise),
        wrong(SENT, nothing(), shown(&text("a "), &text("a")), otherwise),
        right(SENT, nothing(), extended(json!(["https://a.example/a", "https://a.example/b"]))),
        right(SENT, nothing(), extended(json!(["https://a.example/b", "https://a.example/a"]))),
        wrong(SENT, nothing(), extended(json!(["https://a.example/b"])), otherwise),
        wrong(SET, nothing(), set(as_set(), json!({ "id": ID, "url": "https://a.example/x" })), hook),
        // What is spelled otherwise is the same, and what cannot be read as a double is not looked at as more.
        right(SENT, nothing(), shown(&raw("+/8="), &raw("-_8="))),
        right(
            SENT,
            nothing(),
            shown(&data(json!([5, 9_007_199_254_740_993_u64])), &data(json!([5.0, 9_007_199_254_740_992_u64]))),
        ),
        right(SENT, nothing(), shown(&data(json!({ "a": null, "b": 1 })), &data(json!({ "b": 1 })))),
        right(
            SENT,
            nothing(),
            shown(&raw("AAA="), &json!({ "url": "https://a.example/kept", "mediaType": "image/png" })),
        ),
        wrong(SENT, nothing(), shown(&raw("AAA="), &raw("AAE=")), otherwise),
        wrong(SENT, nothing(), shown(&data(json!({ "a": 1 })), &data(json!({ "a": 2 }))), otherwise),
        wrong(SENT, nothing(), shown(&data(json!([1, 2])), &data(json!([2, 1]))), otherwise),
        right(SENT, nothing(), noted(json!({ "a": { "b": 1 }, "seen": true }))),
        wrong(SENT, nothing(), noted(json!({ "a": { "b": 2 } })), otherwise),
        wrong(SENT, nothing(), noted(json!({})), otherwise),
        // One id for two messages tells nothing of either.
        unseen(SENT, nothing(), again("y"), "no message"),
        // Of a request that is wrong, an agent may make something.
        right(SENT, nothing(), shown(&text("x"), &text("x"))),
        right(SENT, nothing(), shown(&json!({ "text": "x", "mediaType": 7 }), &text("y"))),
        right(SET, nothing(), set(as_set(), as_set())),
        right(SET, nothing(), set(config("https://a.example/x", None), config("https://a.example/x", Some("****")))),
        right(SET, nothing(), set(config("https://A.example:443/x", Some("secret")), as_set())),
        wrong(SET, nothing(), set(config("https://a.example/", Some("secret")), as_set()), hook),
        wrong(SET, nothing(), set(as_set(), config("https://a.example/x", Some("Secret"))), hook),
        right(SET, nothing(), with_scheme("Bearer", json!({ "scheme": "bearer" }))),
        right(SET, nothing(), with_scheme("Bearer", Value::Null)),
        wrong(SET, nothing(), with_scheme("Bearer", json!({ "scheme": "Bear" })), "`/authentication/scheme` is cut"),
        right(ASKED, nothing(), asked(GetTask, json!({ "id": "t" }), one("t", json!({})))),
        wrong(ASKED, nothing(), asked(GetTask, json!({ "id": "T" }), one("t", json!({}))), other),
        right(
            ASKED,
            nothing(),
            asked(
                SendMessage,
                json!({ "message": { "contextId": "c" } }),
                json!({ "task": one("t", json!({ "contextId": "c" })) }),
            ),
        ),
        wrong(
            ASKED,
            nothing(),
            asked(
                SendMessage,
                json!({ "message": { "contextId": "d" } }),
                json!({ "task": one("t", json!({ "contextId": "c" })) }),
            ),
            other,
        ),
        wrong(
            ASKED,
            nothing(),
            asked(SendMessage, json!({ "message": { "taskId": "s" } }), json!({ "task": one("t", json!({})) })),
            other,
        ),
        right(ASKED, nothing(), set(as_set(), as_set())),
        wrong(
            ASKED,
            nothing(),
            asked(GetTaskPushNotificationConfig, json!({ "taskId": "t", "id": "p" }), as_set()),
            other,
        ),
        right(ASKED, nothing(), listed(json!({ "pageSize": 1, "status": COMPLETED }), stated(COMPLETED))),
        wrong(
            ASKED,
            nothing(),
            listed(json!({ "pageSize": 1 }), json!([one("t", json!({})), one("s", json!({}))])),
            "more items",
        ),
        wrong(ASKED, nothing(), listed(json!({ "status": COMPLETED }), stated(WORKING)), "`status` excludes"),
        // A task that is at work may have ended since it was looked for.
        right(ASKED, nothing(), listed(json!({ "status": WORKING }), stated(COMPLETED))),
        wrong(
            ASKED,
            nothing(),
            listed(json!({ "contextId": "c" }), json!([one("t", json!({ "contextId": "d" }))])),
            "`contextId` excludes",
        ),
        right(
            ASKED,
            nothing(),
            listed(json!({ "statusTimestampAfter": "2026-01-31T13:00:00+02:00" }), at("2026-01-31T11:00:00Z")),
        ),
        wrong(
            ASKED,
            nothing(),
            listed(json!({ "statusTimestampAfter": "2026-01-31T13:00:00+02:00" }), at("2026-01-31T10:59:59Z")),
            "`statusTimestampAfter` excludes",
        ),
        wrong(
            ASKED,
            nothing(),
            listed(
                json!({ "includeArtifacts": false }),
                json!([one("t", json!({ "artifacts": [{ "artifactId": "x", "parts": [{ "text": "y" }] }] }))]),
            ),
            "`includeArtifacts` excludes",
        ),
        right(HEADS, nothing(), with_header("content-location", "/hello, this is a text")),
        wrong(
            HEADS,
            nothing(),
            with_header("x-title", "hello, this is a text"),
            "the header x-title has a text of the request",
        ),
        wrong(HEADS, nothing(), with_header("a2aspec-split", "1"), "makes a header field"),
        // An agent may say which tenant it has answered for; of a text that is no name it has none.
        right(HEADS, nothing(), of_tenant("acme-production", "acme-production")),
        wrong(HEADS, nothing(), of_tenant("é acme & production", "acme & production"), "the header x-shard"),
        right("list-changed", grown(), changed(&list_of(&["a"], ""), "b", &list_of(&["b", "a"], ""))),
        right("list-changed", shrunk(), changed(&list_of(&["a", "b"], ""), "b", &list_of(&["a"], ""))),
        wrong(
            "list-changed",
            grown(),
            changed(&list_of(&["a"], ""), "b", &list_of(&["a"], "")),
            "changed in another way",
        ),
        wrong(
            "list-changed",
            grown(),
            changed(&list_of(&["a"], ""), "b", &list_of(&["b"], "")),
            "changed in another way",
        ),
        wrong(
            "list-changed",
            grown(),
            changed(&list_of(&[], ""), "b", &list_of(&["b", "b"], "")),
            "changed in another way",
        ),
        unseen(
            "list-changed",
            grown(),
            changed(&list_of(&["a"], "more"), "b", &list_of(&["b"], "")),
            "returned no tasks",
        ),
        right("pages-agree", pages(), paged(&abc, [list_of(&["a"], "1"), list_of(&["b"], "2")])),
        wrong(
            "pages-agree",
            pages(),
            paged(&abc, [list_of(&["a"], "1"), list_of(&["c"], "2")]),
            "pages of another size",
        ),
        wrong(
            "pages-agree",
            pages(),
            paged(&abc, [list_of(&["a"], "1"), list_of(&["b"], "")]),
            "pages of another size",
        ),
    ]
}

#[test]
fn what_is_shown_is_what_was_sent_and_asked_for() {
    hold(&rows());
    let long = |length| json!({ "text": "x".repeat(length) });
    let found = findings(SENT, Value::Null, shown(&long(5_000), &long(4_096)));
    let wanted = "5000 characters, from the 4097th on \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"";
    assert_eq!(compared(&found), [(wanted, "4096 characters, from the 4097th on \"\"")]);
    assert_eq!((found[0].exchange, found[0].against), (Some(2), Some(1)));
}
