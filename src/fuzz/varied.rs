//! Steps of sequences that say more than they have to: what depends on the state of a task may depend on a value, too, and a step that is the
//! same each time tries one thing.

use serde_json::Value;

use super::aim::Aim;
use super::base::Spot;
use super::free;
use super::probe::{Probe, Send};
use super::request;
use crate::auth::Caller;
use crate::generate::Choices;
use crate::profile::Operation;

/// The most members that a step says beside its own.
const MOST: usize = 2;
/// The same of one step in four.
const MANY: usize = 12;
/// Of so many steps one is as it was.
const PLAIN: usize = 8;
/// What a step is about, and what makes the agent do what the sequence rests on.
const OWN: [&str; 7] = ["id", "taskId", "contextId", "messageId", "pageToken", "role", "url"];

/// The same step with further members, or other values in those that it does not rest on. It may be served, or refused.
pub(super) fn varied(aim: &Aim, mut step: Probe, choices: &mut Choices<'_>) -> Probe {
    if step.class != "open" || step.by != Caller::Own || choices.below(PLAIN) == 0 {
        return step;
    }
    let (operation, is_needed) = (step.operation, step.is_needed);
    // A token that a page gives is good for the same list alone.
    if !step.name.is_empty() && operation == Operation::ListTasks {
        return step;
    }
    let (Send::Call { params }, Some(base)) = (&mut step.send, aim.base(operation, true)) else { return step };
    // Tasks of other tenants are others.
    let is_of_a_tenant = |spot: &Spot| is_needed && spot.pointer == "/tenant";
    let spots = base.spots.iter().filter(|spot| is_free(operation, &spot.pointer) && !is_of_a_tenant(spot));
    let spots: Vec<&Spot> = spots.collect();
    let most = if choices.below(4) == 3 { MANY } else { MOST };
    for _ in 0..=choices.below(most) {
        let Some(spot) = choices.pick(&spots) else { break };
        // What the rest of the sequence needs is said as a client says it, mostly.
        let usual = base.params.pointer(&spot.pointer).filter(|_| is_needed && choices.below(4) > 0);
        let value = match usual {
            Some(usual) => usual.clone(),
            None => free::value(&spot.at(operation), &aim.learned, choices).0,
        };
        let is_there = |params: &Value| params.pointer(&spot.pointer).is_some();
        if spot.can_hold(&value) && !(is_needed && is_there(params)) && request::put_deep(params, &spot.pointer, value)
        {
            step.place.clone_from(&spot.pointer);
        }
    }
    step
}

/// Whether something may be said there, or something else, without another thing being asked for.
pub(super) fn is_free(operation: Operation, pointer: &str) -> bool {
    // What a configuration names beside its address, its operation gives it.
    let is_configured = pointer.starts_with("/configuration/") && !pointer.ends_with("/url");
    let is_own = !is_configured && pointer.rsplit('/').next().is_some_and(|name| OWN.contains(&name));
    let is_the_word = operation.sends_a_message() && (pointer == "/message" || pointer.starts_with("/message/parts"));
    !is_own && !is_the_word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_step_is_about_stays() {
        let own = [
            (Operation::GetTask, "/id"),
            (Operation::SendMessage, "/message"),
            (Operation::SendMessage, "/message/parts/0/text"),
            (Operation::SendMessage, "/message/taskId"),
            (Operation::SendMessage, "/configuration/taskPushNotificationConfig/url"),
            (Operation::ListTasks, "/contextId"),
            (Operation::CreateTaskPushNotificationConfig, "/url"),
        ];
        let free = [
            (Operation::GetTask, "/historyLength"),
            (Operation::SendMessage, "/configuration/taskPushNotificationConfig/taskId"),
            (Operation::SendMessage, "/message/metadata"),
            (Operation::SendMessage, "/configuration/acceptedOutputModes"),
            (Operation::ListTasks, "/status"),
            (Operation::CreateTaskPushNotificationConfig, "/token"),
        ];
        assert!(own.iter().all(|(operation, place)| !is_free(*operation, place)));
        assert!(free.iter().all(|(operation, place)| is_free(*operation, place)));
    }
}
