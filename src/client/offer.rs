//! Cases for clients that no wrapper drives: which of them requests alone can show, and what whoever drives the client is to do.

use std::sync::Arc;

use serde_json::{Value, json};

use super::plan::{Pair, unspoken};
use crate::case::visit::{Doing, Of, Visit, Wants, Word};
use crate::judge::visit::Met;
use crate::plan::{Plan, Trial};
use crate::profile::Operation;

/// The words of the contract that people can follow without a wrapper.
const WORDS: [Word; 4] = [Word::Resolve, Word::Client, Word::SendMessage, Word::SendStreamingMessage];

/// A case at a URL.
#[derive(Debug, Clone)]
pub(super) struct Offer {
    pub trial: Arc<Trial>,
    pub pair: Pair,
    /// Its path below `/c/`.
    pub name: String,
    /// The URL to point the client at.
    pub url: String,
}

/// Leaves the trials that can be offered in a plan.
pub(super) fn keep(plan: &mut Plan, pairs: &[Pair]) {
    let spoken: Vec<String> = pairs.iter().map(|pair| pair.named.clone()).collect();
    plan.trials.retain(|trial| {
        let pair = pairs.get(trial.interface);
        let visit = trial.case.visit();
        visit.zip(pair).is_some_and(|(visit, pair)| is_offered(visit) && unspoken(visit, pair, &spoken).is_none())
    });
}

/// The trials of a plan, each at its URL.
pub(super) fn offers(plan: &Plan, pairs: &[Pair], url_of: impl Fn(&str) -> String) -> Vec<Offer> {
    let offer = |trial: &Arc<Trial>| {
        let pair = pairs.get(trial.interface)?.clone();
        let name = match pairs.len() {
            1 => trial.case.id.clone(),
            _ => format!("{}/{}/{}", pair.profile.name(), pair.binding, trial.case.id),
        };
        Some(Offer { trial: Arc::clone(trial), pair, url: url_of(&name), name })
    };
    plan.trials.iter().filter_map(offer).collect()
}

/// Whether requests alone show something of a case, and anybody can cause them: the card is read, and messages of one text are sent.
fn is_offered(visit: &Visit) -> bool {
    let is_simple = |step: &Doing| {
        let is_a_text = step.word.operation().is_none() || text(step).is_some();
        WORDS.contains(&step.word) && step.client.is_none() && step.options.is_empty() && is_a_text
    };
    let once = |word: Word| visit.steps.iter().filter(|step| step.word == word).count() <= 1;
    let sends = sends(visit);
    // Who does not send what must not be sent may not have been told to.
    let is_a_wish = |of: Of| matches!(of, Of::Operation(operation) if sends.contains(&operation));
    let is_shown =
        |wants: &Wants, of: Of| !matches!(wants, Wants::Never(conditions) if conditions.is_empty() && is_a_wish(of));
    !visit.requests.is_empty()
        && !sends.is_empty()
        && visit.steps.iter().all(is_simple)
        && once(Word::Resolve)
        && once(Word::Client)
        && visit.requests.iter().all(|demand| is_shown(&demand.wants, demand.of))
}

/// The text of the message that a step sends, where it sends nothing else.
fn text(step: &Doing) -> Option<&str> {
    let with = step.with.as_ref()?;
    let text = with.pointer("/message/parts/0/text")?.as_str()?;
    (*with == json!({ "message": { "parts": [{ "text": text }] } })).then_some(text)
}

/// The operations that are called, in turn.
fn sends(visit: &Visit) -> Vec<Operation> {
    visit.steps.iter().filter_map(|step| step.word.operation()).collect()
}

/// What the client is to do, in turn: the operation, and the text that it sends.
pub(super) fn to_do(visit: &Visit) -> Vec<(Word, &str)> {
    visit.steps.iter().filter_map(|step| Some((step.word, text(step)?))).collect()
}

/// The operation that is called more often in the steps than it came.
pub(super) fn lacking(visit: &Visit, met: &[Met]) -> Option<Operation> {
    let sends = sends(visit);
    let wanted = |operation: Operation| sends.iter().filter(|one| **one == operation).count();
    let came = |operation: Operation| met.iter().filter(|met| met.is_of(Of::Operation(operation))).count();
    sends.iter().copied().find(|operation| came(*operation) < wanted(*operation))
}

impl Offer {
    /// What programs read of it.
    pub fn json(&self) -> Value {
        let visit = self.trial.case.visit();
        let steps = visit.map(to_do).unwrap_or_default();
        let steps: Vec<Value> =
            steps.into_iter().map(|(word, text)| json!({ "do": word.to_string(), "text": text })).collect();
        json!({
            "case": self.trial.case.id,
            "title": self.trial.case.title,
            "profile": self.pair.profile.name(),
            "binding": self.pair.binding.to_string(),
            "url": self.url,
            "steps": steps,
        })
    }
}
