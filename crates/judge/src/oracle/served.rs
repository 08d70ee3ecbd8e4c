//! Whether requests were served: one, where only the conversation shows whether it had to be, and every operation.

use std::collections::BTreeSet;

use serde_json::Value;

use super::args::{Nothing, Step};
use super::judgement_of;
use super::sent::{payloads, tasks};
use crate::finding::{Finding, Follows, Kind};
use crate::profile::Operation;
use crate::reason::Reason;
use crate::transcript::Answer;
use crate::{CaseView, Judged, Judgement, RunView, denies, describe, is_unfound, not_there, says_unsupported};

/// The agent does not serve the request: an error, or HTTP 4xx.
pub(super) fn not_served(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let Some(answer) = view.step(args)?.seen.answer() else {
            return Err(Judgement::Unseen(Reason::NothingCame));
        };
        let refused_by_http =
            answer.exchange.response.as_ref().is_some_and(|response| (400..500).contains(&response.status));
        if answer.refusal().is_some() || refused_by_http {
            return Ok(Judgement::Right);
        }
        let finding = Finding::new(Kind::ServedNeedlessly)
            .compare("an error, or HTTP 4xx", describe(answer))
            .in_exchange(answer.exchange.number);
        Ok(Judgement::Wrong(vec![finding]))
    })())
}

/// A request was served: for requests of which only a later step shows that they had to be.
pub(super) fn served(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let Some(answer) = view.step(args)?.seen.answer() else {
            return Err(Judgement::Unseen(Reason::NothingCame));
        };
        let Some(error) = answer.refusal() else { return Ok(Judgement::Right) };
        let finding = Finding::new(Kind::RefusedWrongly)
            .compare("a result", describe(answer))
            .at(answer.exchange.number, format!("{}/code", error.base));
        Ok(Judgement::Wrong(vec![finding]))
    })())
}

/// What [`operations_served`] asserts: that there is the operation of this name.
pub(super) const OPERATIONS: &[&str] = &[
    "SendMessage",
    "SendStreamingMessage",
    "GetTask",
    "ListTasks",
    "CancelTask",
    "SubscribeToTask",
    "CreateTaskPushNotificationConfig",
    "GetTaskPushNotificationConfig",
    "ListTaskPushNotificationConfigs",
    "DeleteTaskPushNotificationConfig",
    "GetExtendedAgentCard",
];

/// The interface has each operation that it was asked for and that its card does not exempt. Each is an assertion of its own:
/// `operations-served:ListTasks`.
pub(super) fn operations_served(view: RunView<'_>, _: &Nothing) -> Judged {
    let service = view.service;
    let name = |operation: &Operation| format!(":{operation}");
    let told = |operation: Operation, number: u64, kind: Kind, is_such: &dyn Fn(&Answer) -> bool| {
        let is_one = |answer: &&Answer| answer.exchange.request.operation == Some(operation) && is_such(answer);
        let shown = view.answers.iter().find(|answer| answer.exchange.number == number);
        let answer = shown.or_else(|| view.answers.iter().find(is_one))?;
        let mut finding = Finding::new(kind)
            .compare("an answer of the operation", describe(answer))
            .in_exchange(answer.exchange.number);
        finding.assertion = name(&operation);
        Some(finding)
    };
    let denied = service.denied.iter().filter(|(operation, _)| !service.served.contains(*operation));
    let denied = denied.filter_map(|(operation, number)| {
        let kind = Kind::OperationDenied { operation: operation.to_string() };
        told(*operation, *number, kind, &|answer| denies(view.profile, answer))
    });
    let unsupported = || service.unsupported.iter().filter(|(operation, _)| !service.worked.contains(*operation));
    let of_unsupported = unsupported().filter_map(|(operation, number)| {
        let kind = Kind::OperationUnsupported { operation: operation.to_string() };
        told(*operation, *number, kind, &says_unsupported)
    });
    if let Some(number) = service.alike {
        // Who answers everything alike serves none of them.
        return Judged::new([], told(Operation::GetTask, number, Kind::AnswersAlike, &|_| true).into_iter().collect());
    }
    let is_told_already =
        |finding: &Finding| service.messages_alone.keys().any(|operation| finding.assertion == name(operation));
    // One cause, whatever is missing. One of the two ways to send a message may be, too: that is told last, since messages are served.
    let (others_alone, sends_alone): (Vec<_>, Vec<_>) =
        service.messages_alone.iter().partition(|(operation, _)| !operation.sends_a_message());
    let alone = others_alone.into_iter().chain(sends_alone).filter_map(|(operation, number)| {
        told(*operation, *number, Kind::MessagesAlone, &|answer| not_there(view.profile, answer))
    });
    let unfound = finds_no_task(view).map(|answer| {
        let finding =
            Finding::new(Kind::TasksNotFound).compare("the task, which waits for the client", describe(answer));
        let (assertion, entails) = (name(&Operation::GetTask), vec![Follows::UnfoundTask]);
        Finding { assertion, entails, ..finding.in_exchange(answer.exchange.number) }
    });
    let others = denied.chain(of_unsupported).chain(unfound).filter(|finding| !is_told_already(finding));
    let findings: Vec<Finding> = alone.chain(others).collect();
    let is_served = |operation: &&Operation| unsupported().all(|(other, _)| other != *operation);
    match service.served.is_empty() && findings.is_empty() {
        true => Judgement::Unseen(Reason::run_saw_no("call of an operation")).into(),
        false => Judged::new(service.served.iter().filter(is_served).map(name), findings),
    }
}

/// An answer of GetTask to which a task is unknown that waits for its client, where GetTask has found no task at all. A task that has ended
/// may be gone, one that waits may not.
fn finds_no_task(view: RunView<'_>) -> Option<&Answer> {
    let (mut waiting, mut unfound) = (BTreeSet::new(), None);
    for answer in view.answers.iter().filter(|answer| answer.binding == view.binding) {
        let is_read = answer.exchange.request.operation == Some(Operation::GetTask);
        if is_read && answer.result().is_some() {
            return None;
        }
        if is_read {
            let id = answer.exchange.request.params.get("id").and_then(Value::as_str);
            let is_waiting = id.is_some_and(|id| waiting.contains(id));
            unfound = unfound.or((is_waiting && is_unfound(answer)).then_some(answer));
        } else {
            // Whatever else names the task may change its state.
            let named = ["/message/taskId", "/id"]
                .into_iter()
                .filter_map(|place| answer.exchange.request.params.pointer(place)?.as_str());
            named.for_each(|id| _ = waiting.remove(id));
        }
        for (payload, _) in payloads(answer) {
            for (_, task) in tasks(&payload.reading.value) {
                let state = task.pointer("/status/state").and_then(Value::as_str);
                let id = task.get("id").and_then(Value::as_str);
                waiting.extend(id.filter(|_| state.is_some_and(|state| view.profile.is_interrupted(state))));
            }
        }
    }
    unfound
}
