//! What an agent lost in its restart. No version of A2A demands that anything lasts; the user has declared it durable.

use serde_json::{Value, json};

use super::Sides;
use crate::case::Durable;
use crate::finding::{Finding, Kind};
use crate::judge::{Judgement, StepRecord, is_unfound};
use crate::profile::Operation;
use crate::session::Session;
use crate::transcript::Answer;

const PURPOSE: &str = "is the task still there?";
const NOT_FOUND: &str = "TaskNotFoundError";

/// The loss with which a conversation ended, if it did: the agent does not find what it had before. `played` are the steps since
/// the restart.
pub(super) async fn look(judgement: &Judgement, played: &[StepRecord], sides: &Sides) -> Option<Finding> {
    if !matches!(judgement, Judgement::Unseen(_) | Judgement::Wrong(_)) {
        return None;
    }
    let is_unknown = |answer: &&Answer| answer.refusal().is_some_and(|error| error.is(NOT_FOUND));
    let answer = played.last()?.seen.answers().iter().find(is_unknown)?;
    let operation = answer.exchange.request.operation?;
    let session = sides.all().find(|session| session.connection.interface.binding == answer.binding)?;
    let lost = match operation {
        _ if operation.is_of_webhooks() && has_task(answer, session).await => Durable::PushConfigs,
        Operation::SubscribeToTask if has_task(answer, session).await => Durable::Subscriptions,
        _ => Durable::Tasks,
    };
    let finding = Finding::new(Kind::LostInRestart { what: lost.words().to_owned() });
    let finding = finding.compare("what it had before its restart", NOT_FOUND);
    Some(Finding { exchange: Some(answer.exchange.number), ..finding })
}

/// Whether the agent still has the task that a request was about.
async fn has_task(answer: &Answer, session: &Session) -> bool {
    let params = &answer.exchange.request.params;
    let Some(id) = ["taskId", "id"].iter().find_map(|name| params.get(*name).and_then(Value::as_str)) else {
        return false;
    };
    let plain = session.call(Operation::GetTask, json!({ "id": id }), PURPOSE).await;
    plain.is_ok_and(|plain| !is_unfound(&plain))
}
