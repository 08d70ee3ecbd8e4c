//! The control: does the agent tell requests apart at all?
//!
//! An agent that answers everything alike answers some requests as the specification wants, by chance. Such an answer
//! is no evidence, so no case may pass on it. The control asks two questions whose right answers differ: a message,
//! which must bring a task or a message, be it by a stream, and a task that was never made, which must bring an error.
//!
//! A control belongs to its operation. An agent that takes messages and refuses no GetTask is blind in that operation alone: only
//! cases that need GetTask to refuse something prove nothing.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::message;
use super::{Session, StepError};
use crate::binding::CallRequest;
use crate::case::{Fixture, Goal, Trigger};
use crate::judge::describe;
use crate::profile::{Binding, Operation};
use crate::reason::Reason;
use crate::transcript::{Answer, StreamEvent, task_in};
use crate::transport::unique;

/// What the control showed.
pub(crate) struct Control {
    /// Why the agent's answers prove nothing, if they prove nothing.
    pub constant: Option<Reason>,
    /// Why a refusal of an operation proves nothing, for those that were not seen to refuse what they must.
    pub undiscerning: BTreeMap<Operation, Reason>,
    /// The number of an exchange that shows that the agent answers every request alike, if it does.
    pub alike: Option<u64>,
    /// What the agent answered to a plain message, where it takes none.
    pub refusal: Option<Answer>,
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
    let alike = match &refused {
        Err(_) => alike(session).await,
        Ok(()) => None,
    };
    let constant = match (&alike, accepted) {
        (Some(answer), _) => Some(Reason::AnsweredAlike { received: describe(answer) }),
        (None, Err(answer)) => Some(Reason::AcceptsNoMessage { received: answer }),
        (None, Ok(())) => None,
    };
    let undiscerning = refused.err().map(|received| {
        let operation = Operation::GetTask;
        (operation, Reason::TellsNothingApart { received, operation: operation.to_string() })
    });
    let alike = alike.map(|answer| answer.exchange.number);
    let refusal = match constant {
        Some(Reason::AcceptsNoMessage { .. }) => last_sent(session),
        _ => None,
    };
    Control { constant, undiscerning: undiscerning.into_iter().collect(), alike, refusal }
}

/// The answer to the message that was sent last.
fn last_sent(session: &Session) -> Option<Answer> {
    let answers = session.record.answers(&session.connection);
    answers.iter().rev().find(|answer| answer.exchange.request.operation == Some(Operation::SendMessage)).cloned()
}

/// Lets each message that begins a conversation name a context where the agent was seen to take no other: no version requires it.
pub(super) async fn takes_messages_with_a_context(session: &Session) -> bool {
    session.gives_contexts(true);
    let takes = sends(session).await.is_ok();
    session.gives_contexts(takes);
    takes
}

/// An answer that shows that a message, the lookup of a task that was never made and its cancellation are answered alike: by
/// messages, whose texts may differ, or by the same result.
async fn alike(session: &Session) -> Option<Answer> {
    let params = json!({ "id": unique() });
    let canceled = session.call(Operation::CancelTask, params, "control").await.ok()?;
    let answers = session.record.answers(&session.connection);
    let last = |operation: Operation| {
        let mut of_it = answers.iter().rev().filter(|answer| answer.exchange.request.operation == Some(operation));
        of_it.find(|answer| answer.result().is_some()).cloned()
    };
    let (sent, read) = (last(Operation::SendMessage)?, last(Operation::GetTask)?);
    let wire = |answer: &Answer| answer.payloads().first().map(|payload| Value::clone(&payload.reading.wire));
    let is_message = |value: &Value| {
        let holds_parts = value.get("parts").is_some() && value.get("status").is_none();
        value.get("message").is_some_and(Value::is_object) || holds_parts
    };
    let sent = wire(&sent)?;
    let is_alike =
        |other: &Answer| wire(other).is_some_and(|other| other == sent || (is_message(&other) && is_message(&sent)));
    (is_alike(&read) && is_alike(&canceled)).then_some(read)
}

/// Lets the ids of requests be strings where the agent was seen to read no numbers: it refused every request so far, and finds that
/// a task is not there when it is asked with a string (JSON-RPC 2.0, section 4).
///
/// Gives what the agent answered to numbers.
pub(super) async fn reads_only_string_ids(session: &Session) -> Option<Answer> {
    let interface = &session.connection.interface;
    let answers = session.record.answers(&session.connection);
    let is_wanting = |answer: &Answer| answer.result().is_none() && answer.events().is_empty() && !answer.is_silence();
    if interface.binding != Binding::Jsonrpc || answers.is_empty() || !answers.iter().all(is_wanting) {
        return None;
    }
    let is_understood = |answer: &Answer| answer.refusal().is_some_and(|error| error.is("TaskNotFoundError"));
    if answers.iter().any(is_understood) {
        return None;
    }
    interface.ids.are_strings(true);
    let answer = session.call(Operation::GetTask, json!({ "id": unique() }), "control").await;
    let are_strings = answer.is_ok_and(|answer| is_understood(&answer));
    interface.ids.are_strings(are_strings);
    answers.last().filter(|_| are_strings).cloned()
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
pub(super) async fn streams(session: &Session) -> Result<(), StepError> {
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
    let params = json!({ "id": unique() });
    match session.call(Operation::GetTask, params, "control").await {
        Ok(answer) if answer.refusal().is_some() => Ok(()),
        Ok(answer) => Err(describe(&answer)),
        Err(StepError::Unreached(reason) | StepError::Broken(reason)) => Err(reason.to_string()),
    }
}
