//! How a session sends: each call is completed, held against the schema and the budget of messages, and noted with its answer.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use futures_util::FutureExt as _;
use serde_json::Value;

use super::unanswered::Asked;
use super::{ABOUT_IDS, Session, StepError, message, string_ids};
use crate::binding::{CallRequest, Outgoing, RawRequest};
use crate::event::Event;
use crate::profile::Operation;
use crate::reason::Reason;
use crate::transcript::{Answer, Exchange, Fate};
use crate::transport::OpenStream;
use crate::transport::raw::Script;
use crate::wire::tls::Offer;

/// The case that tells of an agent that takes no message without a context.
const TELLS_OF_CONTEXTS: &str = "send/task-or-message";
/// How an agent was silent that is asked by itself whether it is still there.
const IN_A_ROW: &str = "several requests in a row were left unanswered";

impl Session {
    /// Calls a unary operation with canonical parameters.
    pub async fn call(&self, operation: Operation, params: Value, purpose: &str) -> Result<Answer, StepError> {
        let call = CallRequest {
            operation,
            params: params.into(),
            rpc_id: None,
            headers: Vec::new(),
            purpose: purpose.to_owned(),
        };
        self.send(call, false).await
    }

    /// Calls a unary operation.
    pub async fn send(&self, mut call: CallRequest, is_wrong: bool) -> Result<Answer, StepError> {
        self.prepare(&mut call, is_wrong)?;
        // What waits below is large, and on the heap weighs on no stack above it.
        let answer = self.options.places.take(self.connection.call(&call)).boxed().await;
        self.note_one(&answer, is_wrong);
        let takes_no_work = is_wrong || self.names_no_task(&call);
        self.left.note(&answer, takes_no_work, || Asked::Call(call));
        Ok(answer)
    }

    /// Whether a call is to cancel a task that is not there, which takes an agent no more than to look it up.
    fn names_no_task(&self, call: &CallRequest) -> bool {
        let id = call.params.get("id").and_then(Value::as_str);
        call.operation == Operation::CancelTask && id == Some(&self.unknown_id())
    }

    /// Calls a streaming operation.
    pub async fn open(&self, mut call: CallRequest, is_wrong: bool) -> Result<OpenStream, StepError> {
        self.prepare(&mut call, is_wrong)?;
        Ok(self.open_now(call, is_wrong).await)
    }

    /// Calls a streaming operation by a call that is complete.
    pub(super) async fn open_now(&self, call: CallRequest, is_wrong: bool) -> OpenStream {
        let stream = self.options.places.take(self.connection.open(&call)).boxed().await;
        if stream.is_over() {
            self.left.note(&stream.so_far(&self.connection), is_wrong, || Asked::Call(call));
        }
        stream
    }

    /// Sends raw bytes.
    pub async fn raw(&self, mut raw: RawRequest) -> Result<Answer, StepError> {
        if self.to_a_number.get().is_some() && !raw.purpose.starts_with(ABOUT_IDS) {
            raw.body = string_ids::in_place_of_numbers(&raw.body);
            raw.rpc_id = raw.rpc_id.map(string_ids::of);
        }
        self.may_ask(raw.operation, true)?;
        if raw.operation.is_some_and(Operation::sends_a_message) {
            self.count_message()?;
        }
        let answer = self.options.places.take(self.connection.raw(raw.clone())).boxed().await;
        if raw.is_elsewhere(self.connection.interface.binding) {
            // What is at an address that the card does not name is for the case alone.
            self.tell(&answer);
            return Ok(answer);
        }
        self.note_one(&answer, true);
        // Exact bytes that call an operation may be right.
        self.left.note(&answer, raw.operation.is_none(), || Asked::Raw(raw));
        Ok(answer)
    }

    /// Writes a call as it should be, without sending it: what bytes are made of. It counts as sent.
    pub fn write(&self, mut call: CallRequest, is_wrong: bool) -> Result<(u64, Outgoing), StepError> {
        self.prepare(&mut call, is_wrong)?;
        let binding = self.connection.interface.binding;
        let written = self.connection.write(&call);
        written.ok_or_else(|| StepError::mistake(format!("over {binding}, this call cannot be written byte by byte")))
    }

    /// Plays a script over a connection of its own. What the protocol answered is noted as every answer is; what an HTTP server
    /// says instead is for the case alone.
    pub async fn converse(&self, number: u64, script: &Script) -> (Vec<Answer>, Vec<u16>, Fate) {
        let conversation = self.options.places.take(self.connection.converse(number, script)).boxed().await;
        for answer in &conversation.0 {
            if answer.is_of_the_protocol() {
                self.record.add(answer);
            }
            self.tell(answer);
        }
        if let Some(first) = conversation.0.first() {
            self.silence.note(first, true);
        }
        conversation
    }

    /// Offers TLS as no client should.
    ///
    /// # Errors
    /// The interface is reached without TLS.
    pub async fn hello(&self, offer: Offer, purpose: &str) -> Result<Answer, StepError> {
        let answer = self.options.places.take(self.connection.hello(offer, purpose)).await;
        let answer = answer.ok_or(StepError::Unreached(Reason::NotEncrypted))?;
        self.tell_exchange(&answer.exchange);
        Ok(answer)
    }

    /// Asks for something that is no answer of the protocol, such as the card.
    pub async fn fetch(
        &self,
        method: &str,
        url: &str,
        headers: &[(String, Option<String>)],
        purpose: &str,
    ) -> Arc<Exchange> {
        let exchange = self.options.places.take(self.http.fetch(method, url, headers, purpose)).await;
        self.tell_exchange(&exchange);
        Arc::new(exchange)
    }

    /// Tells of an answer that is no part of what the session has seen, since the requests were odd.
    pub(crate) fn tell(&self, answer: &Answer) {
        self.sink.send(Event::Exchanged(Arc::clone(&answer.exchange)));
    }

    /// Tells of an exchange that is no answer of the protocol.
    fn tell_exchange(&self, exchange: &Exchange) {
        self.sink.send(Event::Exchanged(Arc::new(exchange.clone())));
    }

    /// Notes an answer for the cases that judge the whole run, and for the report.
    pub fn note(&self, answer: &Answer) {
        self.note_one(answer, false);
    }

    pub(super) fn note_one(&self, answer: &Answer, is_wrong: bool) {
        self.record.add(answer);
        self.service.lock().unwrap_or_else(PoisonError::into_inner).note(self.profile(), answer);
        for missed in self.connection.take_missed() {
            self.tell_exchange(&missed);
        }
        self.tell(answer);
        self.options.places.load().note(answer);
        self.silence.note(answer, is_wrong);
    }

    /// Completes a call of a case, if a case may make it.
    pub(super) fn prepare(&self, call: &mut CallRequest, is_wrong: bool) -> Result<(), StepError> {
        self.may_ask(Some(call.operation), is_wrong)?;
        self.complete(call, is_wrong)
    }

    /// Whether a case may ask, for what the agent has left unanswered so far.
    fn may_ask(&self, operation: Option<Operation>, is_wrong: bool) -> Result<(), StepError> {
        if self.options.places.load().is_halted() {
            return Err(StepError::Unreached(Reason::StoppedAnswering { how: IN_A_ROW.to_owned() }));
        }
        self.silence.forbids(operation, is_wrong).map_or(Ok(()), |reason| Err(StepError::Unreached(reason)))
    }

    /// Completes a call and holds it against the schema: a wrong request of ours must never count against the agent.
    pub(super) fn complete(&self, call: &mut CallRequest, is_wrong: bool) -> Result<(), StepError> {
        if self.has_no(call.operation) {
            return Err(StepError::Unreached(Reason::MessagesAlone { operation: call.operation.to_string() }));
        }
        let profile = self.profile();
        let interface = &self.connection.interface;
        let Some(facts) =
            profile.operation(call.operation).filter(|_| profile.offers(call.operation, interface.binding))
        else {
            let (name, binding) = (profile.name(), interface.binding);
            return Err(StepError::mistake(format!("{name} has no operation {} over {binding}", call.operation)));
        };
        let params = Arc::make_mut(&mut call.params);
        interface.name_tenant(params);
        message::name_task(profile, call.operation, params);
        if self.contexts.load(Ordering::Relaxed) && call.purpose != TELLS_OF_CONTEXTS {
            message::name_context(profile, call.operation, params);
        }
        if let (Some(kind), false) = (&facts.params, is_wrong) {
            if let Some((member, bytes)) = message::too_long(&call.params) {
                return Err(StepError::Unreached(Reason::NameTooLong {
                    bytes: bytes.to_string(),
                    member: member.to_owned(),
                }));
            }
            if let Some(member) = interface.dialect.without_place(kind, &call.params) {
                return Err(StepError::mistake(format!(
                    "{} has no place for `{member}` in {}",
                    profile.name(),
                    call.operation
                )));
            }
            let wire = interface.dialect.to_wire(kind, &call.params);
            if let Some(violation) = interface.dialect.violations(kind, &wire).first() {
                let place = if violation.pointer.is_empty() { "the parameters" } else { &violation.pointer };
                let message =
                    format!("our own {} request is wrong at {place}: expected {}", call.operation, violation.wanted);
                return Err(StepError::mistake(message));
            }
        }
        if let Err(reason) = self.connection.can_carry(call) {
            return Err(StepError::mistake(format!("{} cannot carry this request: {reason}", interface.binding)));
        }
        if call.operation.sends_a_message() {
            self.count_message()?;
        }
        Ok(())
    }

    pub(super) fn count_message(&self) -> Result<(), StepError> {
        let sent = self.options.messages.fetch_add(1, Ordering::Relaxed);
        match self.options.max_messages {
            Some(most) if sent >= most => {
                self.options.messages.fetch_sub(1, Ordering::Relaxed);
                Err(StepError::Unreached(Reason::MessagesUsedUp { most: most.to_string() }))
            }
            _ => {
                self.messages.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
        }
    }
}
