//! The control: does the agent tell requests apart at all?
//!
//! An agent that answers everything alike answers some requests as the specification wants, by chance. Such an answer
//! is no evidence, so no case may pass on it. The control asks two questions whose right answers differ: a message,
//! which must bring a task or a message, be it by a stream, and a task that was never made, which must bring an error.

use serde_json::{Value, json};

use super::message;
use super::{Session, StepError};
use crate::binding::CallRequest;
use crate::case::{Fixture, Goal, Trigger};
use crate::judge::describe;
use crate::profile::Operation;
use crate::reason::Reason;
use crate::transcript::{StreamEvent, task_in};

/// What the control showed.
pub(crate) struct Control {
    /// Why the agent's answers prove nothing, if they prove nothing.
    pub constant: Option<Reason>,
}

/// Makes the control exchanges. The task that they bring serves the cases as a fixture.
pub(crate) async fn make(session: &Session) -> Control {
    let done = Fixture { task: Goal::Completed, trigger: Trigger::Complete, fresh: false, count: 1 };
    let accepts = async {
        match session.fixture(&done, false).await {
            Ok(_) => Ok(()),
            Err(StepError::Unreached(reason) | StepError::Broken(reason)) if session.heard_nothing() => {
                Err(reason.to_string())
            }
            Err(_) => match sends(session).await {
                Ok(_) => Ok(()),
                Err(refused) => streams(session).await.map_err(|_| refused),
            },
        }
    };
    // Together, since an agent that hangs takes its time over each.
    let (accepted, refused) = futures_util::future::join(accepts, refuses(session)).await;
    let constant = match (accepted, refused) {
        (Ok(()), Ok(())) => None,
        (Err(answer), _) => Some(Reason::AcceptsNoMessage { received: answer }),
        (_, Err(answer)) => Some(Reason::TellsNothingApart { received: answer }),
    };
    Control { constant }
}

/// Whether a message brings a task or a message, and what it brings.
pub(crate) async fn sends(session: &Session) -> Result<Value, String> {
    let params = message::params(&session.options.words.say(Trigger::Complete));
    match session.call(Operation::SendMessage, params, "control").await {
        Ok(answer) => {
            let result = answer.result();
            let is_message = |value: &Value| value.pointer("/message/messageId").is_some_and(Value::is_string);
            match result {
                Some(value) if task_in(value).is_some() || is_message(value) => Ok(value.clone()),
                _ => Err(describe(&answer)),
            }
        }
        Err(StepError::Unreached(reason) | StepError::Broken(reason)) => Err(reason.to_string()),
    }
}

/// Whether a message brings a stream about a task, or one with a message: an agent may serve nothing else.
async fn streams(session: &Session) -> Result<(), StepError> {
    let call = CallRequest {
        operation: Operation::SendStreamingMessage,
        params: message::params(&session.options.words.say(Trigger::Complete)).into(),
        rpc_id: None,
        headers: Vec::new(),
        purpose: "control".to_owned(),
    };
    let mut stream = session.open(call, false).await?;
    let first = session.connection.next(&mut stream, None).await;
    let answer = session.connection.finish(stream, false).await;
    session.note(&answer);
    let is_text = |value: &Value, place: &str| value.pointer(place).is_some_and(Value::is_string);
    let is_about_something = |value: &Value| {
        task_in(value).is_some()
            || ["/message/messageId", "/statusUpdate/taskId", "/artifactUpdate/taskId"]
                .iter()
                .any(|at| is_text(value, at))
    };
    match first.as_ref().and_then(StreamEvent::value).is_some_and(is_about_something) {
        true => Ok(()),
        false => Err(StepError::Unreached(Reason::NoStream)),
    }
}

/// Whether a task that was never made brings an error.
async fn refuses(session: &Session) -> Result<(), String> {
    let params = json!({ "id": message::unique() });
    match session.call(Operation::GetTask, params, "control").await {
        Ok(answer) if answer.refusal().is_some() => Ok(()),
        Ok(answer) => Err(describe(&answer)),
        Err(StepError::Unreached(reason) | StepError::Broken(reason)) => Err(reason.to_string()),
    }
}
