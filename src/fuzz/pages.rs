//! The list of a context that has two tasks, page by page.

use serde_json::{Value, json};

use super::probe::{Probe, step};
use super::request;
use crate::generate::Choices;
use crate::profile::Operation;

/// A context with two tasks, and the first page of its list.
pub(super) struct Paged {
    pub steps: Vec<Probe>,
    /// References to the context, and to the token of the page.
    pub context: Value,
    pub token: String,
}

/// The context of the first step with one more task, and the first page of its list.
pub(super) fn first(number: usize) -> Paged {
    let context = json!("${made.task.contextId}");
    let mut params = request::message("go on");
    request::put(&mut params, "/message/contextId", context.clone());
    let name = format!("page{number}");
    let token = format!("${{{name}.result.nextPageToken}}");
    let page = step(Operation::ListTasks, json!({ "contextId": context, "pageSize": 1 }));
    let steps = vec![
        Probe { is_needed: true, ..step(Operation::SendMessage, params) },
        Probe { name, is_needed: true, ..page },
    ];
    Paged { steps, context, token }
}

/// Two pages: with the token of the first page, with one that is not quite it, and with one that was given for another list.
pub(super) fn further(number: usize, choices: &mut Choices<'_>) -> Vec<Probe> {
    let Paged { mut steps, context, token } = first(number);
    let (class, with) = match choices.below(4) {
        0 => ("plain-read", json!({ "contextId": context, "pageSize": 1, "pageToken": token })),
        1 => ("open", json!({ "contextId": context, "pageSize": 1, "pageToken": format!("{token}x") })),
        2 => ("open", json!({ "contextId": context, "pageSize": 1, "pageToken": format!("x{token}") })),
        _ => ("open", json!({ "contextId": context, "status": "TASK_STATE_WORKING", "pageToken": token })),
    };
    steps.push(Probe { class: class.to_owned(), ..step(Operation::ListTasks, with) });
    steps
}
