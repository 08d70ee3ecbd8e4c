//! Webhooks: addresses that the agent is given, and what it posts there.

use std::sync::Arc;
use std::time::Duration;

use super::{Session, StepError};
use crate::binding::inbound::{Answering, Hook, Receiver};
use crate::case::{Deliveries, Enough, HookAnswer, Webhook};
use crate::event::Event;
use crate::judge::{Delivered, read_delivery};
use crate::transcript::{Answer, Exchange, state_in};

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
        let hook = receiver.hook(purpose, move |exchange| sink.send(Event::Exchanged(Arc::clone(exchange))));
        let hook = hook.map_err(|error| StepError::mistake(format!("there is no webhook: {error}")))?;
        let mut answers: Vec<Answering> = webhook.answer.iter().map(|answer| answering(*answer)).collect();
        if let Some(last) = answers.pop() {
            hook.answer(last);
            hook.answer_next(answers);
        }
        Ok(hook)
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
            Enough::Ended => {
                has_ended |= all.iter().skip(looked_at).any(|exchange| self.shows_end(exchange));
                looked_at = all.len();
                has_ended
            }
            Enough::Quiet => false,
        };
        let (all, is_enough) = hook.wait(patience, is_enough).await;
        if !is_enough && wanted.enough != Enough::Quiet {
            receiver.into_iter().for_each(Receiver::note_silence);
        }
        let was_reached = receiver.is_some_and(Receiver::was_reached);
        Delivered {
            answers: all.into_iter().map(|exchange| self.read_delivery(exchange)).collect(),
            is_enough: is_enough || wanted.enough == Enough::Quiet,
            was_reached,
            handshake: receiver.and_then(Receiver::failed_handshake),
            url: receiver.map(|receiver| receiver.url().to_owned()).unwrap_or_default(),
            limit: patience,
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

fn answering(answer: HookAnswer) -> Answering {
    match answer {
        HookAnswer::Status(status) => Answering::status(status),
        HookAnswer::Close => Answering::close(),
        HookAnswer::Silence => Answering::silence(),
    }
}
