//! Lists of tasks.

use serde_json::{Value, json};

use super::script::{COMPLETED, Script, WORKING, task_with};
use super::{Row, compared, findings, hold, right, unseen, wrong};
use crate::profile::Operation;

fn at(id: &str, second: u32) -> Value {
    let time = format!("2026-01-31T12:00:{second:02}.000Z");
    task_with(id, COMPLETED, json!({ "status": { "timestamp": time } }))
}

fn page(tasks: &[&Value], total: i64) -> Value {
    json!({ "tasks": tasks, "nextPageToken": "", "pageSize": 2, "totalSize": total })
}

fn walk(pages: &[Value]) -> Script {
    Script::v1_0().walk("w", pages)
}

/// Tasks that are read, and then listed.
fn read_first(read: &[&Value], listed: &[&Value]) -> Script {
    let script =
        read.iter().fold(Script::v1_0(), |script, task| script.result("r", Operation::GetTask, Value::clone(task)));
    script.result("l", Operation::ListTasks, page(listed, 2))
}

/// A task that is read, listed with its artifacts or without them, and read again.
fn read_around(task: &Value, listed: &Value, has_artifacts: bool) -> Script {
    let script = Script::v1_0().result("r", Operation::GetTask, task.clone());
    let script = script.result("l", Operation::ListTasks, page(&[listed], 1));
    let script = script.asked(json!({ "includeArtifacts": has_artifacts }));
    script.result("again", Operation::GetTask, task.clone())
}

pub(super) fn rows() -> Vec<Row> {
    let (a, b, c) = (at("a", 3), at("b", 2), at("c", 1));
    let whole = || walk(&[page(&[&a, &b], 3), page(&[&c], 3)]);
    let w = || json!("w");
    let as_read = || json!({ "list": "l", "task": "r", "again": "again" });
    let working = task_with("a", WORKING, json!({}));
    let with = |task: &Value, artifact: &str| {
        let mut task = task.clone();
        task["artifacts"] = json!([{ "artifactId": artifact, "parts": [{ "text": "a" }] }]);
        task
    };
    let once = || json!({ "list": "l", "task": "r" });
    let more_pages = |read: &Value, listed: &Value| {
        let page = json!({ "tasks": [listed], "nextPageToken": "next", "pageSize": 1, "totalSize": 2 });
        let script = Script::v1_0().result("r", Operation::GetTask, read.clone());
        script.result("l", Operation::ListTasks, page)
    };
    let covers = json!({ "walk": "w", "tasks": "many" });
    let since = |time: &str| json!({ "list": "w", "time": time });
    let of_others = || json!({ "list": "w", "of": "others", "time": "2026-01-31T12:00:03.000Z" });
    let within = |time: &str| json!({ "list": "w", "time": time, "unit": "milliseconds" });
    vec![
        right("newest-first", w(), whole()),
        right("newest-first", w(), walk(&[page(&[&at("a", 2), &at("b", 2)], 2)])),
        wrong("newest-first", w(), walk(&[page(&[&b, &a], 2)]), "b is listed before the more recent a"),
        wrong("newest-first", w(), walk(&[page(&[&b], 2), page(&[&a], 2)]), "more recent"),
        unseen("newest-first", w(), walk(&[page(&[&a], 1)]), "fewer than two"),
        right("listed-newest-first", json!(null), read_first(&[&a, &b], &[&a, &b])),
        wrong(
            "listed-newest-first",
            json!(null),
            read_first(&[&a, &b], &[&b, &a]),
            "b is listed before the more recent a",
        ),
        // What had not ended before may have changed while it was listed.
        unseen("listed-newest-first", json!(null), read_first(&[&a], &[&b, &a]), "fewer than two"),
        right("no-repeats", w(), whole()),
        wrong("no-repeats", w(), walk(&[page(&[&a], 2), page(&[&a], 2)]), "have the task a twice"),
        unseen("no-repeats", w(), walk(&[page(&[&a], 1)]), "fewer than two"),
        right("listed-once", once(), read_first(&[&a], &[&a, &b])),
        wrong("listed-once", once(), read_first(&[&a], &[&b]), "the task a is not on the pages"),
        wrong("listed-once", once(), read_first(&[&a], &[&a, &a]), "the task a is not on the pages exactly once"),
        unseen("listed-once", once(), more_pages(&a, &b), "several pages"),
        right("listed-as-read", as_read(), read_around(&with(&a, "x"), &with(&a, "x"), true)),
        right("listed-as-read", as_read(), read_around(&with(&a, "x"), &with(&a, "y"), false)),
        wrong(
            "listed-as-read",
            as_read(),
            read_around(&with(&a, "x"), &with(&a, "y"), true),
            "`/artifacts/0/artifactId`",
        ),
        wrong("listed-as-read", as_read(), read_around(&with(&a, "x"), &a, true), "`/artifacts`"),
        wrong(
            "listed-as-read",
            as_read(),
            read_around(&a, &task_with("a", "TASK_STATE_FAILED", json!({})), true),
            "`/state`",
        ),
        unseen("listed-as-read", as_read(), read_around(&working, &a, true), "had not ended"),
        unseen("listed-as-read", as_read(), read_around(&a, &b, true), "no task"),
        right("covers", covers.clone(), whole().given("many", json!([a, c]))),
        wrong(
            "covers",
            covers.clone(),
            whole().given("many", json!([a, at("d", 1)])),
            "the task d is not on the pages",
        ),
        wrong("covers", covers, walk(&[page(&[&a], 2), page(&[&a], 2)]).given("many", json!([a])), "exactly once"),
        right("same-total", w(), whole()),
        wrong("same-total", w(), walk(&[page(&[&a, &b], 2), page(&[&c], 1)]), "`totalSize`"),
        wrong("same-total", w(), walk(&[page(&[&a, &b], 3), json!({ "tasks": [c] })]), "`totalSize`"),
        unseen("same-total", w(), walk(&[json!({ "tasks": [a] })]), "has a number in `totalSize"),
        unseen("same-total", json!("s"), Script::v1_0().result("s", Operation::GetTask, page(&[], 0)), "not a walk"),
        right("at-or-after", since("2026-01-31T12:00:01.000Z"), whole()),
        right("at-or-after", since("2026-01-31T13:00:01.000+01:00"), whole()),
        wrong("at-or-after", since("2026-01-31T12:00:02.000Z"), whole(), "the task c is older than the filter allows"),
        unseen("at-or-after", since("yesterday"), whole(), "is not a timestamp"),
        right("at-or-after", of_others(), whole().given("others", json!([a]))),
        right("at-or-after", within("2026-01-31T12:00:01.000999Z"), whole()),
        wrong("at-or-after", since("2026-01-31T12:00:01.000999Z"), whole(), "the task c is older"),
        wrong("at-or-after", within("2026-01-31T12:00:01.001Z"), whole(), "the task c is older"),
    ]
}

/// A walk is cited by its last page.
#[test]
fn walks_are_cited() {
    let (a, b) = (at("a", 3), at("b", 2));
    let found = findings("newest-first", json!("w"), walk(&[page(&[&b], 2), page(&[&a], 2)]));
    assert_eq!(found.iter().map(|finding| finding.exchange).collect::<Vec<_>>(), [Some(2)]);
    let bound = "2026-01-31T12:00:03.000Z";
    let found = findings("at-or-after", json!({ "list": "w", "time": bound }), walk(&[page(&[&a, &b], 2)]));
    assert_eq!(compared(&found), [(format!("{bound} or later").as_str(), "\"2026-01-31T12:00:02.000Z\"")]);
}

/// The list of one context is shown, whichever came first: with it its case shows the mistake by itself.
#[test]
fn lists_of_a_context_are_cited_first() {
    let (a, b) = (at("a", 3), at("b", 2));
    let listed = read_first(&[&a, &b], &[&b, &a]);
    let both = listed.result("c", Operation::ListTasks, page(&[&b, &a], 2)).asked(json!({ "contextId": "c" })).result(
        "m",
        Operation::ListTasks,
        page(&[&b, &a], 2),
    );
    let found = findings("listed-newest-first", json!(null), both);
    assert_eq!(found.iter().map(|finding| finding.exchange).collect::<Vec<_>>(), [Some(4)]);
}

/// Of these, the list of tasks that were made for one purpose, as their context was: other cases may have added to another.
#[test]
fn lists_of_one_maker_are_cited_first() {
    let made = |script: Script, purpose: &'static str, task: &Value| {
        script.result("s", Operation::SendMessage, json!({ "task": task })).made_for(purpose)
    };
    let of = |context: &str, id: &str, second: u32| {
        let mut task = at(id, second);
        task["contextId"] = json!(context);
        task
    };
    let listed = |script: Script, context: &str, older: &Value, newer: &Value| {
        script.result("l", Operation::ListTasks, page(&[older, newer], 2)).asked(json!({ "contextId": context }))
    };
    let (shared, added, more) = (of("shared", "a", 1), of("shared", "b", 2), of("shared", "c", 3));
    let (own, second) = (of("own", "d", 4), of("own", "e", 5));
    let script = made(Script::v1_0(), "a task", &shared);
    let script = made(made(script, "list/x", &added), "list/x", &more);
    let script = made(made(script, "list/y", &own), "list/y", &second);
    let script = listed(script, "shared", &shared, &added);
    let script = listed(script, "shared", &added, &more);
    let script = listed(script, "own", &own, &second);
    let found = findings("listed-newest-first", json!(null), script);
    assert_eq!(found.iter().map(|finding| finding.exchange).collect::<Vec<_>>(), [Some(8)]);
}

#[test]
fn lists_are_judged() {
    hold(&rows());
}
