//! Webhooks: addresses that the agent is given, and what it posts there.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::{Session, StepError};
use crate::case::{Deliveries, Enough, HookAnswer, Webhook};
use crate::event::Event;
use crate::judge::read_delivery;
use crate::transcript::{Answer, Content, Delivered, Direction, Ended, Exchange, Request, Response, state_in};
use crate::transport::inbound::{Hook, Receiver, Reply};

/// How long the suite looks whether something comes that should not. What was to be posted at the same time has come elsewhere
/// before.
const GRACE: Duration = Duration::from_millis(300);

impl Session {
    /// A new webhook, at an address that nobody guesses; what comes there is recorded as other exchanges are.
    ///
    /// # Errors
    /// The run has no receiver, or there is no address.
    pub fn hook(&self, webhook: &Webhook, purpose: &str) -> Result<Hook, StepError> {
        let receiver = self.options.webhooks.as_ref().ok_or_else(|| StepError::mistake("the run has no receiver"))?;
        let sink = self.sink.clone();
        let heard = move |exchange: &Arc<Exchange>| sink.send(Event::Exchanged(Arc::clone(exchange)));
        let hook = match webhook.elsewhere {
            true => receiver.hook_elsewhere(purpose, heard),
            false => receiver.hook(purpose, heard),
        };
        hook.map_err(|error| StepError::mistake(format!("there is no webhook: {error}")))
    }

    /// Has a webhook answer as its case says; `url` knows where the other webhooks of the case are.
    ///
    /// # Errors
    /// It redirects to a webhook that there is not.
    pub fn set_answers<'a>(
        hook: &Hook,
        webhook: &Webhook,
        url: impl Fn(&str) -> Option<&'a str>,
    ) -> Result<(), StepError> {
        let mut replies = webhook.answer.iter().map(|answer| reply(answer, &url)).collect::<Result<Vec<Reply>, _>>()?;
        if let Some(last) = replies.pop() {
            hook.answer(last);
            hook.answer_next(replies);
        }
        Ok(())
    }

    /// What is posted to a webhook, as soon as it is enough, or when the time limit is over.
    pub(crate) async fn deliveries(&self, hook: &Hook, wanted: &Deliveries) -> Delivered {
        let limit = self.http.timeout();
        let receiver = self.options.webhooks.as_deref();
        let is_silent = receiver.is_some_and(Receiver::is_silent);
        let patience = if wanted.enough == Enough::Quiet || is_silent { GRACE.min(limit) } else { limit };
        let (mut looked_at, mut has_ended) = (0, false);
        let is_enough = |all: &[Arc<Exchange>]| match wanted.enough {
            Enough::Count(count) => all.len() >= count,
            Enough::Ended | Enough::EndedOrNot => {
                has_ended |= all.iter().skip(looked_at).any(|exchange| self.shows_end(exchange));
                looked_at = all.len();
                has_ended
            }
            Enough::Quiet => false,
        };
        let (all, is_enough) = hook.wait(patience, is_enough).await;
        let takes_what_comes = matches!(wanted.enough, Enough::EndedOrNot | Enough::Quiet);
        if !is_enough && !takes_what_comes {
            receiver.into_iter().for_each(Receiver::note_silence);
        }
        let was_reached = receiver.is_some_and(Receiver::was_reached);
        Delivered {
            answers: all.into_iter().map(|exchange| self.read_delivery(exchange)).collect(),
            is_enough: is_enough || takes_what_comes,
            was_reached,
            handshake: receiver.and_then(Receiver::failed_handshake),
            url: receiver.map(|receiver| receiver.url().to_owned()).unwrap_or_default(),
            limit: patience,
        }
    }

    /// Deliveries in the place of an answer, for whoever takes them among answers: its exchange stands for the wait, and nobody sees it.
    pub(crate) fn deliveries_as_answer(&self, delivered: Delivered, purpose: &str) -> Answer {
        let exchange = self.wait_as_exchange(&delivered, purpose);
        let content = Content::Deliveries(Arc::new(delivered));
        Answer { binding: self.connection.interface.binding, exchange: Arc::new(exchange), content }
    }

    fn wait_as_exchange(&self, delivered: &Delivered, purpose: &str) -> Exchange {
        let request = Request {
            method: "POST".to_owned(),
            url: delivered.url.clone(),
            headers: Vec::new(),
            body: Bytes::new(),
            is_verbatim: false,
            operation: None,
            params: Arc::default(),
            rpc_id: None,
        };
        let response =
            Response { status: 200, headers: Vec::new(), body: Bytes::new(), trailers: Vec::new(), text: None };
        Exchange {
            number: self.http.next_number(),
            purpose: purpose.to_owned(),
            direction: Direction::Inbound,
            request,
            response: Some(response),
            ended: Ended::Complete,
            started: self.http.began().elapsed(),
            elapsed: Duration::ZERO,
            share: None,
        }
    }

    fn shows_end(&self, exchange: &Arc<Exchange>) -> bool {
        let answer = self.read_delivery(Arc::clone(exchange));
        answer.result().and_then(state_in).is_some_and(|state| self.profile().is_terminal(state))
    }

    fn read_delivery(&self, exchange: Arc<Exchange>) -> Answer {
        read_delivery(self.profile(), self.connection.interface.binding, exchange)
    }
}

fn reply<'a>(answer: &HookAnswer, url: &impl Fn(&str) -> Option<&'a str>) -> Result<Reply, StepError> {
    Ok(match answer {
        HookAnswer::Status(status, headers) => {
            let headers = headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
            Reply::Head { status: *status, headers }
        }
        HookAnswer::Redirect(status, to) => {
            let url = url(to).ok_or_else(|| StepError::mistake(format!("there is no webhook `{to}`")))?;
            Reply::redirect(*status, url)
        }
        HookAnswer::Held => Reply::Held,
        HookAnswer::Close => Reply::Close,
        HookAnswer::Silence => Reply::Silence,
    })
}
