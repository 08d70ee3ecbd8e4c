//! Values that a client wrote and the agent only shows again, as in the history of a task: what is wrong with them is the client's.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::finding::Finding;
use crate::judge::{Judged, Judgement};
use crate::profile::Operation;
use crate::reason::Reason;
use crate::transcript::{Answer, EventContent};

/// The oracles that judge the form of values, whoever wrote these.
const OF_FORM: [&str; 7] = ["schema", "camel-case", "base64", "spelled", "formed", "timestamps", "duplicate-keys"];
/// How the role of a client is spelled, in every version.
const CLIENT: [&str; 2] = ["user", "ROLE_USER"];

/// The same without what is wrong with values that the client wrote. If nothing else is wrong, that shows nothing.
pub(super) fn without_clients(oracle: &str, judged: Judged, answers: &[Answer]) -> Judged {
    let Judged { judgement, held, violated } = judged;
    let Judgement::Wrong(findings) = judgement else { return Judged { judgement, held, violated } };
    if !OF_FORM.contains(&oracle) {
        return Judged { judgement: Judgement::Wrong(findings), held, violated };
    }
    let sent = ids_of_clients(answers);
    let own: Vec<Finding> = findings.into_iter().filter(|finding| !is_of_a_client(finding, answers, &sent)).collect();
    let named: BTreeSet<&String> = own.iter().map(|finding| &finding.assertion).collect();
    let violated = violated.into_iter().filter(|name| named.contains(name)).collect();
    let judgement = if own.is_empty() { Judgement::Unseen(Reason::OnlyOfClients) } else { Judgement::Wrong(own) };
    Judged { judgement, held, violated }
}

/// The ids of the messages that clients have sent.
fn ids_of_clients(answers: &[Answer]) -> BTreeSet<&str> {
    let messages = answers.iter().filter_map(|answer| answer.exchange.request.params.get("message"));
    messages.filter_map(|message| message.get("messageId")?.as_str()).collect()
}

/// Whether a place is in what a client wrote: its message, or its webhook.
fn is_of_a_client(finding: &Finding, answers: &[Answer], sent: &BTreeSet<&str>) -> bool {
    let cited = |answer: &&Answer| Some(answer.exchange.number) == finding.exchange;
    let (Some(answer), Some(pointer)) = (answers.iter().find(cited), &finding.pointer) else { return false };
    let Some(root) = root(answer, finding.event) else { return false };
    if is_about_webhooks(answer) {
        return true;
    }
    let is_in_history = pointer.contains("/history/");
    let mut around = pointer.as_str();
    loop {
        if root.pointer(around).is_some_and(|value| is_client_message(value, sent, is_in_history)) {
            return true;
        }
        let Some((outer, _)) = around.rsplit_once('/') else { return false };
        around = outer;
    }
}

/// Whether a value is a message of the client's: by its role, or by its id if the role is wrong.
fn is_client_message(value: &Value, sent: &BTreeSet<&str>, is_in_history: bool) -> bool {
    let Some(message) =
        value.as_object().filter(|message| message.contains_key("parts") || message.contains_key("role"))
    else {
        return false;
    };
    let text = |name: &str| message.get(name).and_then(Value::as_str);
    let is_agents = text("role").is_some_and(|role| role.to_ascii_lowercase().contains("agent"));
    let id = ["messageId", "message_id"].into_iter().find_map(text);
    text("role").is_some_and(|role| CLIENT.contains(&role))
        || id.is_some_and(|id| sent.contains(id))
        || (is_in_history && !is_agents)
}

fn is_about_webhooks(answer: &Answer) -> bool {
    matches!(
        answer.exchange.request.operation,
        Some(
            Operation::CreateTaskPushNotificationConfig
                | Operation::GetTaskPushNotificationConfig
                | Operation::ListTaskPushNotificationConfigs
        )
    )
}

/// The JSON in which a finding has its place.
fn root(answer: &Answer, event: Option<usize>) -> Option<Value> {
    match event {
        Some(index) => match &answer.events().get(index)?.content {
            EventContent::Result(payload) => Some(payload.document.value()),
            EventContent::Error(error) => Some(error.document.value()),
            EventContent::Unreadable(_) => None,
        },
        None => Some(answer.payloads().first()?.document.value()),
    }
}
