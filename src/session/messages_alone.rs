//! Whether an interface serves messages and nothing else: the question for a task, its cancellation and the list of tasks are answered
//! as if there were no such thing.
//!
//! Each case about another operation would then report the same. So one case reports it, and the others do not apply.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::{Value, json};

use super::{Session, control};
use crate::binding::RawRequest;
use crate::judge::{denies, may_deny, not_there};
use crate::profile::{Binding, Naming, Operation};
use crate::transcript::Answer;
use crate::transport::unique;

/// What an interface does not have that serves messages alone.
#[derive(Debug, Clone, Default)]
pub(crate) struct MessagesAlone {
    /// The operations that it was seen not to have, each with the number of the exchange that shows it.
    pub denied: BTreeMap<Operation, u64>,
    /// Whether it denies them by answers that are none of A2A, such as a page.
    by_pages: bool,
}

/// The operations beside messages that every agent of a version has which offers them over its binding. What changes a task comes last:
/// it is asked for only of an interface that shows no tasks.
const OTHERS: [Operation; 3] = [Operation::GetTask, Operation::ListTasks, Operation::CancelTask];
const PURPOSE: &str = "is anything but messages served?";

/// Looks whether an interface that takes messages serves nothing else. It asks only where the control's question for a task was answered
/// as if there were no such operation. A task that the agent has made is asked for, if there is one: what is not there may be answered
/// by anything.
pub(super) async fn look(session: &Session) -> Option<MessagesAlone> {
    let is_denied = |answer: &Answer| {
        let profile = session.profile();
        denies(profile, answer) || may_deny(profile, answer) || not_there(profile, answer)
    };
    let heard = session.record.answers(&session.connection);
    let last =
        |operation| heard.iter().rev().find(|answer| answer.exchange.request.operation == Some(operation)).cloned();
    last(Operation::GetTask).filter(&is_denied)?;
    let task = session.record.some_id();
    let id = task.clone().unwrap_or_else(unique);
    let interface = &session.connection.interface;
    let mut found = MessagesAlone { by_pages: true, ..MessagesAlone::default() };
    for operation in OTHERS.into_iter().filter(|operation| !interface.lacks.contains(operation)) {
        if !session.profile().offers(operation, interface.binding) {
            continue;
        }
        let params = if operation == Operation::ListTasks { json!({}) } else { json!({ "id": id }) };
        let answer = session.call(operation, params, PURPOSE).await.ok().filter(&is_denied)?;
        if task.is_none() && may_be_of_a_task(session, &answer) {
            return None;
        }
        found.by_pages &= not_there(session.profile(), &answer);
        // An error about an unknown task is no denial, unless an operation that nobody has gets the same error.
        let is_certain = denies(session.profile(), &answer) || (task.is_some() && errors_have_a_form(session));
        if !is_certain && !is_as_of_the_unknown(session, &answer).await {
            return None;
        }
        found.denied.insert(operation, answer.exchange.number);
    }
    // It was served, or a stream was.
    if let Some(refused) = last(Operation::SendMessage).filter(&is_denied) {
        found.denied.insert(Operation::SendMessage, refused.exchange.number);
    } else if control::streams(session).await.is_err() {
        let heard = session.record.answers(&session.connection);
        let is_stream = |answer: &&Answer| answer.exchange.request.operation == Some(Operation::SendStreamingMessage);
        let refused = heard.iter().rev().find(is_stream).filter(|answer| not_there(session.profile(), answer));
        found.denied.extend(refused.map(|answer| (Operation::SendStreamingMessage, answer.exchange.number)));
    }
    Some(found)
}

/// Whether an answer is right where the task is not there: HTTP 404, whatever its body, where errors have no form.
fn may_be_of_a_task(session: &Session, answer: &Answer) -> bool {
    let names_a_task = answer.exchange.request.operation.is_some_and(|operation| operation != Operation::ListTasks);
    let is_not_found = answer.exchange.response.as_ref().is_some_and(|response| response.status == 404);
    names_a_task && is_not_found && !errors_have_a_form(session)
}

/// Whether an error of the binding can be told from other JSON.
fn errors_have_a_form(session: &Session) -> bool {
    let binding = session.connection.interface.binding;
    binding != Binding::HttpJson || !matches!(session.profile().naming(binding), Naming::ByStatus)
}

/// A method, or a part of a path, that no version has.
const UNKNOWN: &str = "a2aspec-no-such-operation";

/// Whether an answer is the one to what no agent has, but for the names in it.
async fn is_as_of_the_unknown(session: &Session, answer: &Answer) -> bool {
    let request = &answer.exchange.request;
    let unknown = match session.connection.interface.binding {
        Binding::Grpc => return true,
        Binding::HttpJson => RawRequest {
            method: request.method.clone(),
            suffix: format!("/{UNKNOWN}"),
            body: request.body.clone(),
            content_type: (!request.body.is_empty()).then(|| "application/json".to_owned()),
            ..raw()
        },
        Binding::Jsonrpc => {
            let Ok(mut call) = serde_json::from_slice::<Value>(&request.body) else { return false };
            let rpc_id = call.get("id").cloned();
            if let Some(method) = call.get_mut("method") {
                *method = Value::from(UNKNOWN);
            }
            RawRequest { body: Bytes::from(call.to_string()), rpc_id, ..raw() }
        }
    };
    session.raw(unknown).await.is_ok_and(|other| words(answer) == words(&other))
}

fn raw() -> RawRequest {
    RawRequest {
        method: "POST".to_owned(),
        suffix: String::new(),
        body: Bytes::new(),
        content_type: Some("application/json".to_owned()),
        headers: Vec::new(),
        prefix: None,
        operation: None,
        rpc_id: None,
        purpose: PURPOSE.to_owned(),
    }
}

/// The status and the body of an answer, without what its request named.
fn words(answer: &Answer) -> Option<(u16, String)> {
    let response = answer.exchange.response.as_ref()?;
    let request = &answer.exchange.request;
    let asked = serde_json::from_slice::<Value>(&request.body).ok();
    let named = |pointer: &str| Some(asked.as_ref()?.pointer(pointer)?.as_str()?.to_owned());
    let path = url::Url::parse(&request.url).ok().map(|url| url.path().to_owned());
    let last = path.as_deref().and_then(|path| path.rsplit('/').next()).map(str::to_owned);
    let names = [path, last, named("/method"), named("/params/id"), named("/id")];
    let text = String::from_utf8_lossy(&response.body).into_owned();
    let names = names.into_iter().flatten().filter(|name| name.len() > 1);
    Some((response.status, names.fold(text, |text, name| text.replace(&name, ""))))
}

impl Session {
    /// The operations that it is known not to have, where it serves messages alone.
    pub(crate) fn messages_alone(&self) -> Option<&MessagesAlone> {
        self.messages_alone.get()
    }

    /// Whether an operation is one that it is known not to have, since it serves messages alone.
    pub(crate) fn has_no(&self, operation: Operation) -> bool {
        self.messages_alone().is_some_and(|alone| alone.denied.contains_key(&operation))
    }

    /// Whether an answer shows nothing but that the interface serves messages alone.
    pub(crate) fn shows_messages_alone(&self, answer: &Answer) -> bool {
        let Some(alone) = self.messages_alone() else { return false };
        let request = &answer.exchange.request;
        let asks_for_other = match request.operation {
            Some(operation) if alone.denied.contains_key(&operation) => return true,
            Some(operation) => !operation.sends_a_message(),
            None => self.calls_another_method(&request.body),
        };
        asks_for_other && alone.by_pages && not_there(self.profile(), answer)
    }

    /// Whether bytes call a method that is none of a message.
    fn calls_another_method(&self, body: &[u8]) -> bool {
        // Who denies a method may have read no further than its name: the rest need not be text.
        let call = serde_json::from_str::<Value>(&String::from_utf8_lossy(body)).ok();
        let method = call.as_ref().and_then(|call| call.get("method")?.as_str());
        let sends = [Operation::SendMessage, Operation::SendStreamingMessage];
        let methods = sends.map(|operation| self.connection.interface.method(operation));
        self.connection.interface.binding == Binding::Jsonrpc
            && method.is_some_and(|method| !methods.contains(&Some(method)))
    }
}
