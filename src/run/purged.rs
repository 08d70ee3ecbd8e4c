//! Tasks that have ended and are gone: an agent may purge them (1.0 section 3.3.2; 0.3 section 8.2). A case whose request is refused since
//! its task is not found shows nothing where the plain question for the task is answered alike.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::Sides;
use crate::judge::{Judgement, is_unfound};
use crate::profile::Operation;
use crate::reason::Reason;
use crate::transcript::Answer;

const PURPOSE: &str = "is the task there?";

/// Why a case shows nothing whose findings are all that a fixture is not found which has ended: GetTask alone does not find it, either.
pub(super) async fn look<'a>(
    judgement: &Judgement,
    fixtures: &BTreeMap<String, Arc<Value>>,
    seen: impl Iterator<Item = &'a Answer> + Clone,
    sides: &Sides,
) -> Option<Reason> {
    let Judgement::Wrong(findings) = judgement else { return None };
    let mut unfound = None;
    for finding in findings {
        let answer = seen.clone().find(|answer| Some(answer.exchange.number) == finding.exchange)?;
        is_unfound(answer).then_some(())?;
        unfound = Some(answer);
    }
    let answer = unfound?;
    let tasks = fixtures.values().flat_map(|fixture| match &**fixture {
        Value::Array(tasks) => tasks.as_slice(),
        task => std::slice::from_ref(task),
    });
    let (id, state) = tasks.filter_map(named_in(answer)).next()?;
    let mut read = seen.filter(|answer| answer.exchange.request.operation == Some(Operation::GetTask));
    let was_found = read.any(|answer| answer.result().and_then(|task| task.get("id")?.as_str()) == Some(id));
    if was_found || !sides.first.profile().is_terminal(state) {
        return None;
    }
    let session = sides.all().find(|session| session.connection.interface.binding == answer.binding)?;
    let plain = session.call(Operation::GetTask, json!({ "id": id }), PURPOSE).await.ok()?;
    is_unfound(&plain).then_some(Reason::TaskGone)
}

/// The id and the state of a task that the request of an answer names.
fn named_in(answer: &Answer) -> impl Fn(&Value) -> Option<(&str, &str)> {
    let request = &answer.exchange.request;
    move |task| {
        let id = task.get("id")?.as_str()?;
        // Exact bytes have no parameters.
        let is_named = request.params.get("id").and_then(Value::as_str) == Some(id) || request.holds(id);
        is_named.then_some((id, task.pointer("/status/state")?.as_str()?))
    }
}
