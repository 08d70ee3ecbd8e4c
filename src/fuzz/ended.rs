//! A task that has ended, in two places: on a list and by itself, in the answer that was waited for and afterwards.

use serde_json::json;

use super::aim::Aim;
use super::hunt::judging::AGREE;
use super::probe::{Hold, Probe, step};
use super::request;
use crate::profile::Operation;

/// The oracle about a list, and a task read before it and after it.
const AS_READ: &str = "listed-as-read";

/// The names of the steps.
const MADE: &str = "made";
const READ: &str = "read";
const LISTED: &str = "listed";
const AGAIN: &str = "again";

/// The task is on the list of its context as it is read: the list with its artifacts, for without them nobody says what it holds.
pub(super) fn listed(aim: &Aim) -> Option<Vec<Probe>> {
    let mut list = json!({ "contextId": "${made.task.contextId}", "pageSize": 100 });
    aim.add(Operation::ListTasks, &mut list, ("/includeArtifacts", json!(true)));
    let args = json!({ "list": LISTED, "task": READ, "again": AGAIN });
    let holds = vec![Hold::new(AS_READ, args, "list/artifacts-included")];
    let list = Probe { name: LISTED.to_owned(), class: "plain-read".to_owned(), ..step(Operation::ListTasks, list) };
    let all = vec![made(aim), read(READ), list, Probe { holds, ..read(AGAIN) }];
    is_there(aim, all)
}

/// The answer that was waited for shows what the task has then.
pub(super) fn waited(aim: &Aim) -> Option<Vec<Probe>> {
    let args = json!({ "on": "/artifacts", "tasks": [MADE, READ] });
    let holds = vec![Hold::new(AGREE, args, "blocking/shows-artifacts")];
    is_there(aim, vec![made(aim), Probe { holds, ..read(READ) }])
}

fn is_there(aim: &Aim, steps: Vec<Probe>) -> Option<Vec<Probe>> {
    steps.iter().all(|step| aim.operations.contains(&step.operation)).then_some(steps)
}

/// The client waits for the end.
fn made(aim: &Aim) -> Probe {
    let mut params = request::message(&aim.word);
    aim.answer_at_once(&mut params, false);
    Probe { name: MADE.to_owned(), is_needed: true, ..step(Operation::SendMessage, params) }
}

fn read(name: &str) -> Probe {
    let params = json!({ "id": "${made.task.id}" });
    Probe { name: name.to_owned(), is_needed: true, class: "plain-read".to_owned(), ..step(Operation::GetTask, params) }
}
