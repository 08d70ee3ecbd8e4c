//! A sequence as it is spoken: each step knows what came of those before it.

use std::borrow::Cow;
use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::aim::{Aim, Known, side};
use super::inbox::{Hooks, delivered};
use super::posted::seen;
use super::probe::{PURPOSE, Probe, Send};
use super::send::send;
use super::steps::groups;
use crate::case::{References, Until, resolve};
use crate::judge::Observation;
use crate::session::places::Place;
use crate::transcript::{Answer, state_in};

/// What references stand for while a sequence goes on.
struct Spoken<'a> {
    known: Arc<Known>,
    hooks: Hooks<'a>,
    named: Vec<(&'a str, Observation)>,
}

impl References for Spoken<'_> {
    fn value(&self, reference: &str) -> Option<Cow<'_, Value>> {
        let own = reference.split_once('.').and_then(|(name, path)| {
            let (_, seen) = self.named.iter().rev().find(|(known, _)| *known == name)?;
            seen.refer(path).map(Cow::Owned)
        });
        own.or_else(|| self.hooks.value(reference)).or_else(|| self.known.value(reference))
    }
}

impl Spoken<'_> {
    /// Waits for deliveries, or for the end of a task.
    async fn wait(&self, aim: &Aim, step: &Probe, is_in_a_hurry: bool) -> Option<Answer> {
        match &step.send {
            Send::Deliveries(wanted) => self.hooks.wait(&aim.session, wanted, is_in_a_hurry).await,
            Send::End { task } => {
                let id = resolve(&json!(task), self).ok()?;
                let polled = aim.session.wait(&id, Until::Terminal, PURPOSE).await.ok()?;
                Some(polled.last).filter(|answer| answer.result().and_then(state_in).is_some())
            }
            Send::Call { .. } | Send::Raw { .. } | Send::Bytes { .. } => None,
        }
    }
}

/// Sends the steps one after the other, and at once those that are to be. It ends early where a step cannot be made, stays
/// unanswered, or does not bring the result that the rest is about.
pub(super) async fn speak(aims: &[Aim], aim: &Aim, steps: &[Probe]) -> Vec<Answer> {
    let place = aim.session.options.places.place().await;
    speak_in(place, (aims, aim), steps, None).await
}

/// The same, where there is a place for the first step. `begins` hears of each step when it is made, by its number: who counts them has much
/// else to do.
pub(super) async fn speak_in(
    place: Place,
    (aims, aim): (&[Aim], &Aim),
    steps: &[Probe],
    begins: Option<&dyn Fn(usize)>,
) -> Vec<Answer> {
    let mut place = Some(place);
    let Some(hooks) = Hooks::of(&aim.inbox, &aim.session, steps) else { return Vec::new() };
    let mut spoken = Spoken { known: aim.known(), hooks, named: Vec::new() };
    let mut answers = Vec::new();
    // Streams that are open, and read by nobody.
    let mut held = Vec::new();
    for group in groups(steps) {
        if let [step @ Probe { send: Send::Deliveries(_) | Send::End { .. }, .. }] = group {
            let Some(answer) = spoken.wait(aim, step, begins.is_some()).await else { break };
            let has_come = delivered(&answer).is_none_or(|delivered| delivered.is_enough);
            spoken.named.push((&step.name, seen(&answer)));
            answers.push(answer);
            if step.is_needed && !has_come {
                break;
            }
            continue;
        }
        let ready = group.iter().map(|step| {
            let on = side(aims, aim, step.over);
            step.ready(on, &spoken).map(|ready| (on.speaker(step.by), ready))
        });
        let Some(ready) = ready.collect::<Option<Vec<_>>>() else { break };
        begins.iter().for_each(|begins| begins(answers.len()));
        let sent = ready.into_iter().map(|(session, ready)| {
            let first = place.take();
            async move {
                let place = match first {
                    Some(first) => first,
                    None => session.options.places.place().await,
                };
                place.hold(send(session, ready)).await
            }
        });
        let Some(sent) = join_all(sent).await.into_iter().collect::<Option<Vec<_>>>() else { break };
        let mut goes_on = true;
        for (step, (answer, stream)) in group.iter().zip(sent) {
            held.extend(stream);
            let is_answered = step.may_be_dropped() || answer.unanswered().is_none();
            goes_on &= is_answered && (!step.is_needed || answer.refusal().is_none()) && step.is_in_state(&answer);
            if !step.name.is_empty() {
                spoken.named.push((&step.name, Observation::Answer(answer.clone())));
            }
            answers.push(answer);
        }
        if !goes_on {
            break;
        }
    }
    answers
}
