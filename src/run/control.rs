//! The control: does the agent tell requests apart at all?
//!
//! An agent that answers everything alike answers some requests as the specification wants, by chance. Such an answer
//! is no evidence, so no case may pass on it. The control asks two questions whose right answers differ: a message,
//! which must bring a task or a message, and a task that was never made, which must bring an error.

use serde_json::{Value, json};

use super::agent::{Agent, Halt};
use super::message;
use crate::case::{Fixture, Goal, Trigger};
use crate::judge::describe;
use crate::profile::Operation;
use crate::reason::Reason;
use crate::transcript::task_in;

/// What the control showed.
pub(super) struct Control {
    /// Why the agent's answers prove nothing, if they prove nothing.
    pub constant: Option<Reason>,
}

/// Makes the control exchanges. The task that they bring serves the cases as a fixture.
pub(super) async fn make(agent: &Agent) -> Control {
    let done = Fixture { task: Goal::Completed, trigger: Trigger::Complete, fresh: false, count: 1 };
    let accepts = async {
        match agent.fixture(&done).await {
            Ok(_) => Ok(()),
            Err(Halt::Unreached(reason) | Halt::Broken(reason)) if agent.heard_nothing() => Err(reason.to_string()),
            Err(_) => sends(agent).await.map(|_| ()),
        }
    };
    // Together, since an agent that hangs takes its time over each.
    let (accepted, refused) = futures_util::future::join(accepts, refuses(agent)).await;
    let constant = match (accepted, refused) {
        (Ok(()), Ok(())) => None,
        (Err(answer), _) => Some(Reason::AcceptsNoMessage { received: answer }),
        (_, Err(answer)) => Some(Reason::TellsNothingApart { received: answer }),
    };
    Control { constant }
}

/// Whether a message brings a task or a message, and what it brings.
pub(super) async fn sends(agent: &Agent) -> Result<Value, String> {
    let params = message::params(&agent.options.triggers.say(Trigger::Complete));
    match agent.call(Operation::SendMessage, params, "control").await {
        Ok(answer) => {
            let result = answer.result();
            let is_message = |value: &Value| value.pointer("/message/messageId").is_some_and(Value::is_string);
            match result {
                Some(value) if task_in(value).is_some() || is_message(value) => Ok(value.clone()),
                _ => Err(describe(&answer)),
            }
        }
        Err(Halt::Unreached(reason) | Halt::Broken(reason)) => Err(reason.to_string()),
    }
}

/// Whether a task that was never made brings an error.
async fn refuses(agent: &Agent) -> Result<(), String> {
    let params = json!({ "id": message::unique() });
    match agent.call(Operation::GetTask, params, "control").await {
        Ok(answer) if answer.refusal().is_some() => Ok(()),
        Ok(answer) => Err(describe(&answer)),
        Err(Halt::Unreached(reason) | Halt::Broken(reason)) => Err(reason.to_string()),
    }
}
