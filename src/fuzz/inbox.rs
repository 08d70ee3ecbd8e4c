//! The webhooks of an attempt: real addresses of the receiver of the run, and what the agent posts there.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::probe::{PURPOSE, Probe, Send};
use crate::case::{Deliveries, References, Webhook};
use crate::plan::Trial;
use crate::reason::Reason;
use crate::session::Session;
use crate::transcript::{Answer, Content, Delivered};
use crate::transport::inbound::{Hook, Receiver};

/// How webhooks are referred to in requests, before their names.
const REFERENCE: &str = "${webhook.";
/// So many attempts at once wait for deliveries over an interface: an agent that posts late leaves room for other phases.
const AT_ONCE: usize = 8;
/// After so many waits in vain a hunt waits for a moment only. What was not posted is known by then, and what is wrong with what is posted is
/// still looked for.
const IN_VAIN: usize = 3;
/// That moment. Nothing is said of what has not come in it.
const MOMENT: Duration = Duration::from_secs(1);

/// What a hunt knows of deliveries over an interface.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    /// Why there are none, where the version has some.
    pub lacks: Option<Reason>,
    /// What receives them, if the agent gets there as far as anybody can say.
    receiver: Option<Arc<Receiver>>,
    under_way: AtomicUsize,
    waits: AtomicUsize,
    in_vain: AtomicUsize,
}

impl Inbox {
    /// Receives what cases of `check` would receive over this interface, and nothing where they are skipped.
    pub fn of(session: &Session, index: usize, trials: &[Arc<Trial>]) -> Self {
        let own = || trials.iter().filter(|trial| trial.interface == index && !trial.case.webhooks.is_empty());
        let receiver = session.options.webhooks.clone().filter(|_| own().any(|trial| trial.receives()));
        let is_far = |reason: &&Reason| matches!(reason, Reason::WebhookFarAway);
        let lacks = own().filter_map(|trial| trial.skipped.as_ref()).find(is_far).cloned();
        Self { lacks: lacks.filter(|_| receiver.is_none()), receiver, ..Self::default() }
    }

    /// Whether there are webhooks.
    pub fn is_open(&self) -> bool {
        self.receiver.is_some()
    }

    /// Whether addresses may go on behind their webhook: not where each has a query of the user's.
    pub fn may_go_on(&self) -> bool {
        self.receiver.as_ref().is_some_and(|receiver| !receiver.has_query())
    }

    /// Whether so many attempts wait for deliveries that others go first.
    pub fn is_full(&self) -> bool {
        self.under_way.load(Ordering::Relaxed) >= AT_ONCE
    }

    /// What was not seen since nothing ever came, or since nothing can.
    pub fn not_tried(&self) -> Option<Reason> {
        let receiver = self.receiver.as_ref().filter(|_| self.waits.load(Ordering::Relaxed) > 0);
        let silent = receiver.filter(|receiver| !receiver.was_reached()).map(|receiver| {
            let url = receiver.url().to_owned();
            match receiver.failed_handshake() {
                Some(how) => Reason::WebhookHandshake { url, how },
                None => Reason::NothingDelivered { url },
            }
        });
        silent.or_else(|| self.lacks.clone())
    }

    fn is_impatient(&self) -> bool {
        self.in_vain.load(Ordering::Relaxed) >= IN_VAIN
    }
}

/// The names of the webhooks that a step gives the agent.
pub(super) fn given(step: &Probe) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    if let Send::Call { params } = &step.send {
        find(params, &mut names);
    }
    names
}

fn find(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let all = text.split(REFERENCE).skip(1).filter_map(|rest| rest.split_once('}'));
            names.extend(all.map(|(name, _)| name.to_owned()));
        }
        Value::Array(items) => items.iter().for_each(|item| find(item, names)),
        Value::Object(members) => members.values().for_each(|member| find(member, names)),
        _ => {}
    }
}

/// The webhooks of some steps, as long as these go on.
pub(super) struct Hooks<'a> {
    all: BTreeMap<String, Hook>,
    inbox: &'a Inbox,
}

impl<'a> Hooks<'a> {
    /// An address for each webhook that the steps give the agent; nothing where there is none to be had.
    pub fn of(inbox: &'a Inbox, session: &Session, steps: &[Probe]) -> Option<Self> {
        // Most steps have none.
        let listens = steps.iter().any(Probe::listens);
        let names: BTreeSet<String> = steps.iter().filter(|_| listens).flat_map(given).collect();
        let hook = |name: String| Some((name, session.hook(&Webhook::default(), PURPOSE).ok()?));
        let all: BTreeMap<String, Hook> = names.into_iter().map(hook).collect::<Option<_>>()?;
        inbox.under_way.fetch_add(usize::from(!all.is_empty()), Ordering::Relaxed);
        Some(Self { all, inbox })
    }

    /// Waits for what is posted, and gives it in the place of an answer. Where much was waited for in vain, those who are in a hurry wait
    /// for a moment, and get nothing if that was not enough.
    pub async fn wait(&self, session: &Session, wanted: &Deliveries, is_in_a_hurry: bool) -> Option<Answer> {
        let hook = self.all.get(&wanted.to)?;
        self.inbox.waits.fetch_add(1, Ordering::Relaxed);
        let waiting = session.deliveries(hook, wanted);
        let delivered = match is_in_a_hurry && self.inbox.is_impatient() {
            true => tokio::time::timeout(MOMENT, waiting).await.ok()?,
            false => waiting.await,
        };
        if !delivered.is_enough && delivered.was_reached {
            self.inbox.in_vain.fetch_add(1, Ordering::Relaxed);
        }
        Some(session.deliveries_as_answer(delivered, PURPOSE))
    }
}

impl References for Hooks<'_> {
    fn value(&self, name: &str) -> Option<Cow<'_, Value>> {
        let urls = || self.all.iter().map(|(name, hook)| (name.clone(), json!(hook.url()))).collect();
        (name == "webhook").then(|| Cow::Owned(urls()))
    }
}

impl Drop for Hooks<'_> {
    fn drop(&mut self) {
        self.inbox.under_way.fetch_sub(usize::from(!self.all.is_empty()), Ordering::Relaxed);
    }
}

/// What was posted, where that came in the place of an answer.
pub(super) fn delivered(answer: &Answer) -> Option<&Arc<Delivered>> {
    match &answer.content {
        Content::Deliveries(delivered) => Some(delivered),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::probe::step;
    use crate::profile::Operation;

    #[test]
    fn the_webhooks_of_a_step_are_found_wherever_they_stand() {
        let of = |params: Value| given(&step(Operation::SendMessage, params)).into_iter().collect::<Vec<_>>();
        let config = |url: &str| json!({ "configuration": { "taskPushNotificationConfig": { "url": url } } });
        assert_eq!(of(config("${webhook.one}/a?b=1")), ["one"]);
        assert_eq!(of(json!(["${webhook.two}${webhook.one}", "${webhook.", "${unique}"])), ["one", "two"]);
        assert_eq!(of(config("https://a2aspec.invalid/webhook")), Vec::<String>::new());
    }
}
