//! A sequence as it is spoken: each step knows what came of those before it.

use std::borrow::Cow;
use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::Value;

use super::aim::{Aim, Known, side};
use super::probe::Probe;
use super::send::send;
use super::steps::groups;
use crate::case::References;
use crate::judge::Observation;
use crate::session::places::Place;
use crate::transcript::Answer;

/// What references stand for while a sequence goes on.
struct Spoken<'a> {
    known: Arc<Known>,
    named: Vec<(&'a str, Observation)>,
}

impl References for Spoken<'_> {
    fn value(&self, reference: &str) -> Option<Cow<'_, Value>> {
        let own = reference.split_once('.').and_then(|(name, path)| {
            let (_, seen) = self.named.iter().rev().find(|(known, _)| *known == name)?;
            seen.refer(path).map(Cow::Owned)
        });
        own.or_else(|| self.known.value(reference))
    }
}

/// Sends the steps one after the other, and at once those that are to be. It ends early where a step cannot be made, stays
/// unanswered, or does not bring the result that the rest is about.
pub(super) async fn speak(aims: &[Aim], aim: &Aim, steps: &[Probe]) -> Vec<Answer> {
    let place = aim.session.options.places.place().await;
    speak_in(place, aims, aim, steps, &|_| {}).await
}

/// The same, where there is a place for the first step; `begins` hears of each step when it is made, by its number.
pub(super) async fn speak_in(
    place: Place,
    aims: &[Aim],
    aim: &Aim,
    steps: &[Probe],
    begins: &dyn Fn(usize),
) -> Vec<Answer> {
    let mut place = Some(place);
    let mut spoken = Spoken { known: aim.known(), named: Vec::new() };
    let mut answers = Vec::new();
    // Streams that are open, and read by nobody.
    let mut held = Vec::new();
    for group in groups(steps) {
        let ready = group.iter().map(|step| {
            let on = side(aims, aim, step.over);
            step.ready(on, &spoken).map(|ready| (on.speaker(step.by), ready))
        });
        let Some(ready) = ready.collect::<Option<Vec<_>>>() else { break };
        begins(answers.len());
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
            goes_on &= is_answered && (!step.is_needed || answer.refusal().is_none());
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
