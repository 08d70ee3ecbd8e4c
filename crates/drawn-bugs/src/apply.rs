//! Changes an answer as an effect says.

use serde_json::{Number, Value, json};

use crate::bug::{Effect, How, Language, OtherId};
use crate::call::Call;
use crate::memory::Memory;
use crate::pointer;

/// How many tasks a page has if the request does not say.
const USUAL_PAGE: usize = 50;

/// An answer as both bindings have it.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Whether it refuses.
    pub is_refusal: bool,
    /// The result, or the error.
    pub payload: Value,
    /// Fields of the head that it gets.
    pub head: Vec<(String, String)>,
}

/// Changes an answer; says whether something changed. Effects on connections, streams and deliveries are not here.
pub fn apply(effect: &Effect, call: &Call, answer: &mut Answer, memory: &Memory) -> bool {
    if let Effect::Trace(language) = effect {
        return answer.is_refusal
            && pointer::each(&mut answer.payload, "/message", &mut |message| {
                let Value::String(text) = message else { return false };
                text.push_str(trace(*language));
                true
            });
    }
    if let Effect::Reflect(name, at) = effect {
        return reflect(name, at, call, answer);
    }
    if *effect == Effect::Stale {
        let Some(first) = memory.first(call).filter(|first| answer.is_refusal || **first != answer.payload) else {
            return false;
        };
        (answer.payload, answer.is_refusal) = (first.clone(), false);
        return true;
    }
    !answer.is_refusal && change(effect, call, &mut answer.payload, memory)
}

/// Changes the payload of an answer or of an event.
pub fn change(effect: &Effect, call: &Call, payload: &mut Value, memory: &Memory) -> bool {
    match effect {
        Effect::Lose(at) => pointer::remove(payload, at),
        Effect::Cut(at, keep) => pointer::each(payload, at, &mut |value| {
            let Value::String(text) = value else { return false };
            match text.char_indices().nth(*keep) {
                Some((end, _)) => {
                    text.truncate(end);
                    true
                }
                None => false,
            }
        }),
        Effect::Normalise(at, how) => pointer::each(payload, at, &mut |value| normalise(value, *how)),
        Effect::OtherId(at, kind) => {
            let mut is_changed = false;
            pointer::each(payload, at, &mut |value| {
                let Some(other) = value.as_str().and_then(|id| other_id(at, id, *kind, memory)) else { return false };
                *value = Value::String(other);
                is_changed = true;
                true
            });
            is_changed
        }
        Effect::Swap(at) => pointer::each(payload, at, &mut |value| match value {
            Value::Array(items) if items.len() > 1 && items[0] != items[1] => {
                items.swap(0, 1);
                true
            }
            _ => false,
        }),
        Effect::Repeat(at) => pointer::each(payload, at, &mut |value| match value {
            Value::Array(items) => match items.first().cloned() {
                Some(first) => {
                    items.insert(1, first);
                    true
                }
                None => false,
            },
            _ => false,
        }),
        Effect::Leak => leak(call, payload, memory),
        Effect::WrongOrder => pointer::each(payload, "/tasks", &mut |tasks| match tasks {
            Value::Array(tasks) if tasks.len() > 1 => {
                tasks.reverse();
                true
            }
            _ => false,
        }),
        Effect::WrongPageSize(is_more) => page(*is_more, call, payload, memory),
        _ => false,
    }
}

/// A value of the request in the head; only what can be told from chance.
fn reflect(name: &str, at: &str, call: &Call, answer: &mut Answer) -> bool {
    let sent = pointer::at(&call.params, at).first().and_then(|value| value.as_str());
    let shown: String = sent.unwrap_or_default().chars().filter(|one| (' '..='~').contains(one)).take(200).collect();
    if shown.trim().len() < 4 {
        return false;
    }
    answer.head.push((name.to_owned(), shown.trim().to_owned()));
    true
}

fn normalise(value: &mut Value, how: How) -> bool {
    match value {
        Value::String(text) => {
            let new = normalised(text, how);
            let is_changed = new != *text;
            *text = new;
            is_changed
        }
        Value::Number(number) => {
            let new = number.as_f64().and_then(|number| match how {
                How::Single => Number::from_f64(f64::from(number as f32)),
                How::Whole => Number::from_f64(number.trunc()),
                _ => None,
            });
            // A number that is the same in another spelling is the same.
            let new = new.filter(|new| new.as_f64() != number.as_f64());
            let is_changed = new.is_some();
            *number = new.unwrap_or_else(|| number.clone());
            is_changed
        }
        // All of them, and not only up to the first that changes.
        Value::Array(items) => items.iter_mut().filter_map(|item| normalise(item, how).then_some(())).count() > 0,
        Value::Object(members) => {
            members.values_mut().filter_map(|member| normalise(member, how).then_some(())).count() > 0
        }
        _ => false,
    }
}

fn normalised(text: &str, how: How) -> String {
    match how {
        How::Lower => text.to_lowercase(),
        How::Trim => text.trim().to_owned(),
        How::Squeeze => text.split_whitespace().collect::<Vec<_>>().join(" "),
        How::Ascii => text.chars().map(|one| if one.is_ascii() { one } else { '?' }).collect(),
        How::Controls => text.chars().filter(|one| !one.is_control()).collect(),
        How::Html => text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"),
        How::Single | How::Whole => text.to_owned(),
    }
}

fn other_id(at: &str, id: &str, kind: OtherId, memory: &Memory) -> Option<String> {
    match kind {
        OtherId::Near => {
            let mut near = id.to_owned();
            let last = near.pop()?;
            near.push(if last == '0' { '1' } else { '0' });
            Some(near)
        }
        OtherId::Known => {
            let member = at.rsplit('/').next().unwrap_or_default();
            let of = if member == "contextId" { "contextId" } else { "id" };
            let objects = if at == "/id" && memory.webhooks.iter().any(|webhook| webhook["id"] == *id) {
                &memory.webhooks
            } else {
                &memory.tasks
            };
            objects.iter().rev().filter_map(|object| object[of].as_str()).find(|other| *other != id).map(str::to_owned)
        }
    }
}

/// A task of another context or another id, or a webhook of another task.
fn leak(call: &Call, payload: &mut Value, memory: &Memory) -> bool {
    if call.operation.name == "GetTask" {
        let other = memory.tasks.iter().rev().find(|task| task["id"] != payload["id"]);
        return other.is_some_and(|other| {
            *payload = other.clone();
            true
        });
    }
    let (list, member, asked, known) = match call.operation.name.as_str() {
        "ListTasks" => ("/tasks", "contextId", call.params.get("contextId"), &memory.tasks),
        _ => ("/configs", "taskId", call.params.get("taskId"), &memory.webhooks),
    };
    let Some(asked) = asked.filter(|asked| asked.as_str().is_some_and(|asked| !asked.is_empty())) else { return false };
    let Some(foreign) = known.iter().rev().find(|one| one[member] != *asked) else { return false };
    pointer::each(payload, list, &mut |list| match list {
        // In place of the last one, so that the size of the page is right.
        Value::Array(items) => {
            items.pop();
            items.push(foreign.clone());
            true
        }
        _ => false,
    })
}

fn page(is_more: bool, call: &Call, payload: &mut Value, memory: &Memory) -> bool {
    let asked = call.params.get("pageSize").and_then(|size| match size {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64().and_then(|size| usize::try_from(size).ok()),
    });
    pointer::each(payload, "/tasks", &mut |tasks| {
        let Value::Array(tasks) = tasks else { return false };
        if !is_more {
            return tasks.len() > 1 && tasks.pop().is_some();
        }
        let missing = (asked.unwrap_or(USUAL_PAGE) + 1).saturating_sub(tasks.len());
        let others: Vec<Value> =
            memory.tasks.iter().filter(|task| tasks.iter().all(|other| other["id"] != task["id"])).cloned().collect();
        if others.len() < missing {
            return false;
        }
        tasks.extend(others.into_iter().take(missing));
        true
    })
}

/// An event of another task, made of one.
#[must_use]
pub fn foreign(event: &Value, memory: &Memory) -> Option<Value> {
    let mut event = event.clone();
    let update = ["statusUpdate", "artifactUpdate"].into_iter().find(|name| event.get(*name).is_some())?;
    let other = memory.tasks.iter().rev().find(|task| task["id"] != event[update]["taskId"])?;
    event[update]["taskId"] = other["id"].clone();
    event[update]["contextId"] = other["contextId"].clone();
    Some(event)
}

/// Gives an answer a member that no client knows, which the protocol allows everywhere; a refusal gets another text.
pub fn hint(name: &str, answer: &mut Answer) {
    if answer.is_refusal {
        pointer::each(&mut answer.payload, "/message", &mut |message| {
            if let Value::String(text) = message {
                text.push_str(" (");
                text.push_str(name);
                text.push(')');
            }
            true
        });
        return;
    }
    let inside = ["task", "message", "statusUpdate", "artifactUpdate"].into_iter();
    let inside = inside.map(|name| format!("/{name}")).find(|at| answer.payload.pointer(at).is_some());
    pointer::each(&mut answer.payload, &inside.unwrap_or_default(), &mut |object| {
        if let Value::Object(members) = object {
            members.insert(name.to_owned(), json!(true));
        }
        true
    });
}

const fn trace(language: Language) -> &'static str {
    match language {
        Language::Python => {
            "\nTraceback (most recent call last):\n  File \"/srv/agent/handlers.py\", line 214, in handle\n    \
             task = self.tasks[key]\nKeyError: 'key'"
        }
        Language::Java => {
            "\njava.lang.NullPointerException: task\n\tat org.example.agent.Handler.handle(Handler.java:91)\n\tat \
             java.base/java.lang.Thread.run(Thread.java:1583)"
        }
        Language::JavaScript => {
            "\nTypeError: Cannot read properties of undefined (reading 'id')\n    at Handler.handle \
             (/srv/agent/dist/handler.js:88:17)\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)"
        }
        Language::Go => {
            "\ngoroutine 41 [running]:\nmain.(*Handler).handle(0xc00011e000)\n\t/srv/agent/handler.go:77 +0x1d4"
        }
        Language::Rust => {
            "\nthread 'tokio-runtime-worker' panicked at src/handler.rs:61:18:\ncalled `Option::unwrap()` on a `None` value\nstack \
             backtrace:\n   0: rust_begin_unwind"
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::{HeaderMap, Method};

    use super::*;

    fn call(body: &Value) -> Call {
        let body = Bytes::from(body.to_string());
        Call::read(&Method::POST, "/1.0", "", &HeaderMap::new(), &body).unwrap()
    }

    fn task(id: &str, context: &str) -> Value {
        json!({ "id": id, "contextId": context, "status": { "state": "TASK_STATE_COMPLETED" },
            "history": [{ "messageId": "m1", "parts": [{ "text": " Ab é" }, { "data": 0.1 }] }, { "messageId": "m2" }] })
    }

    /// What an effect makes of a list of two tasks, of which the memory knows a third.
    fn listed(effect: &Effect) -> (bool, Value) {
        let call = call(&json!({ "id": 1, "method": "ListTasks", "params": { "contextId": "c", "pageSize": 2 } }));
        let mut memory = Memory::default();
        memory.keep(&call, &json!({ "tasks": [task("t9", "d")] }), None);
        let payload = json!({ "tasks": [task("t1", "c"), task("t2", "c")] });
        let mut answer = Answer { is_refusal: false, payload, head: Vec::new() };
        let is_shown = apply(effect, &call, &mut answer, &memory);
        let head = answer.head.pop().map(|(_, value)| value);
        (is_shown, head.map_or(answer.payload, Value::String))
    }

    fn ids(payload: &Value) -> Vec<&str> {
        pointer::at(payload, "/tasks/*/id").into_iter().filter_map(Value::as_str).collect()
    }

    #[test]
    fn each_effect_on_a_page_is_applied() {
        let text = |payload: &Value| payload["tasks"][0]["history"][0]["parts"][0]["text"].clone();
        let text_at = || "/tasks/*/history/*/parts/*/text".to_owned();
        let (is_shown, payload) = listed(&Effect::Lose("/tasks/*/status/state".to_owned()));
        assert!(is_shown && payload["tasks"][1]["status"] == json!({}));
        let (is_shown, payload) = listed(&Effect::Cut(text_at(), 2));
        assert!(is_shown && text(&payload) == " A");
        for (how, wanted) in [(How::Lower, " ab é"), (How::Trim, "Ab é"), (How::Squeeze, "Ab é"), (How::Ascii, " Ab ?")]
        {
            let (is_shown, payload) = listed(&Effect::Normalise(text_at(), how));
            assert!(is_shown && text(&payload) == wanted, "{how:?}");
        }
        assert!(!listed(&Effect::Normalise(text_at(), How::Controls)).0);
        let data = |how| listed(&Effect::Normalise("/tasks/*/history/*/parts/*/data".to_owned(), how)).0;
        assert!(data(How::Single) && data(How::Whole) && !data(How::Lower));
        let (_, payload) = listed(&Effect::OtherId("/tasks/*/id".to_owned(), OtherId::Near));
        assert_eq!(ids(&payload), ["t0", "t0"]);
        let (_, payload) = listed(&Effect::OtherId("/tasks/*/id".to_owned(), OtherId::Known));
        assert_eq!(ids(&payload), ["t9", "t9"]);
        let (is_shown, payload) = listed(&Effect::Swap("/tasks/*/history".to_owned()));
        assert!(is_shown && payload["tasks"][0]["history"][0]["messageId"] == "m2");
        let (_, payload) = listed(&Effect::Repeat("/tasks".to_owned()));
        assert_eq!(ids(&payload), ["t1", "t1", "t2"]);
        let (_, payload) = listed(&Effect::Leak);
        assert_eq!(ids(&payload), ["t1", "t9"]);
        let (_, payload) = listed(&Effect::WrongOrder);
        assert_eq!(ids(&payload), ["t2", "t1"]);
        let (_, payload) = listed(&Effect::WrongPageSize(true));
        assert_eq!(ids(&payload), ["t1", "t2", "t9"]);
        let (_, payload) = listed(&Effect::WrongPageSize(false));
        assert_eq!(ids(&payload), ["t1"]);
        assert_eq!(
            listed(&Effect::Reflect("x-a".to_owned(), "/contextId".to_owned())),
            (
                false,
                json!({
            "tasks": [task("t1", "c"), task("t2", "c")] })
            )
        );
        // The page is right, so that there is nothing to trace.
        assert!(!listed(&Effect::Trace(Language::Go)).0);
    }

    #[test]
    fn a_value_is_reflected_and_a_refusal_traced() {
        let call = call(&json!({ "id": 1, "method": "GetTask", "params": { "id": "task-é-1\r\nx" } }));
        let payload = json!({ "code": -32001, "message": "there is no such task" });
        let mut answer = Answer { is_refusal: true, payload, head: Vec::new() };
        let reflect = Effect::Reflect("x-a".to_owned(), "/id".to_owned());
        assert!(apply(&reflect, &call, &mut answer, &Memory::default()));
        assert_eq!(answer.head, [("x-a".to_owned(), "task--1x".to_owned())]);
        for language in [Language::Python, Language::Java, Language::JavaScript, Language::Go, Language::Rust] {
            assert!(apply(&Effect::Trace(language), &call, &mut answer, &Memory::default()));
        }
    }

    #[test]
    fn a_stale_answer_is_the_first_one() {
        let call = call(&json!({ "id": 1, "method": "GetTask", "params": { "id": "t1" } }));
        let mut memory = Memory::default();
        memory.keep(&call, &task("t1", "old"), None);
        let mut answer = Answer { is_refusal: false, payload: task("t1", "old"), head: Vec::new() };
        assert!(!apply(&Effect::Stale, &call, &mut answer, &memory));
        answer.payload = task("t1", "new");
        assert!(apply(&Effect::Stale, &call, &mut answer, &memory));
        assert_eq!(answer.payload, task("t1", "old"));
        let mut gone = Answer { is_refusal: true, payload: json!({}), head: Vec::new() };
        assert!(apply(&Effect::Stale, &call, &mut gone, &memory) && !gone.is_refusal);
    }
}
