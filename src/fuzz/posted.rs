//! What is judged of what the agent posts to webhooks: by the oracles of the cases about deliveries, and by what was sent.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::aim::Aim;
use super::hunt::judging::held;
use super::hunt::observed::of_messages;
use super::inbox::{delivered, given};
use super::probe::{Hold, Probe, Send};
use crate::finding::{Finding, Kind};
use crate::judge::{self, Judgement, Observation, StepRecord};
use crate::transcript::{Answer, Delivered, Exchange};

/// The class of a wait of which no version says that something has to come.
pub(super) const POSTED: &str = "posted";

/// What came of a step, for oracles.
pub(super) fn seen(answer: &Answer) -> Observation {
    match delivered(answer) {
        Some(all) => Observation::Deliveries(Delivered::clone(all)),
        None => Observation::Answer(answer.clone()),
    }
}

/// The exchanges behind an answer: those of the deliveries that came in its place.
pub(super) fn exchanges(answer: &Answer) -> Vec<&Arc<Exchange>> {
    match delivered(answer) {
        Some(all) => all.answers.iter().map(|one| &one.exchange).collect(),
        None => vec![&answer.exchange],
    }
}

/// What is wrong with what was posted: with each delivery, or that it has not come.
pub(super) fn wrong<'p>(
    aim: &Aim,
    steps: &'p [Probe],
    answers: &[Answer],
    index: usize,
) -> Option<(Option<&'p Hold>, Finding)> {
    let by_a_hold = held(aim, steps, answers, index);
    let by_a_message = || of_messages(aim, steps, answers, delivered(answers.get(index)?)?);
    let by_a_hold = by_a_hold.or_else(by_a_message).map(|(hold, finding)| (Some(hold), finding));
    by_a_hold.or_else(|| missing(aim, steps, answers, index).map(|finding| (None, finding)))
}

/// That nothing came, or that it came by another method.
fn missing(aim: &Aim, steps: &[Probe], answers: &[Answer], index: usize) -> Option<Finding> {
    let step = steps.get(index).filter(|step| step.class != POSTED && is_due(steps, answers, index))?;
    let record = StepRecord {
        name: None,
        seen: seen(answers.get(index)?),
        applies: BTreeMap::new(),
        reach: BTreeMap::new(),
        expect: Some(step.expect.clone()),
        written: None,
        source: None,
    };
    match judge::step(aim.session.profile(), &record).judgement {
        Judgement::Wrong(findings) => findings.into_iter().next(),
        _ => None,
    }
}

/// Whether something has to come: the agent took the webhook, and the task has ended since.
fn is_due(steps: &[Probe], answers: &[Answer], index: usize) -> bool {
    let Some(Send::Deliveries(wanted)) = steps.get(index).map(|step| &step.send) else { return false };
    let mut before = steps.iter().zip(answers).take(index);
    let is_set = before.any(|(step, answer)| given(step).contains(&wanted.to) && answer.refusal().is_none());
    is_set && before.any(|(step, _)| matches!(step.send, Send::End { .. }))
}

/// Why it matters, and how it is put right.
pub(super) fn words(kind: &Kind) -> Option<(&'static str, &'static str)> {
    Some(match kind {
        Kind::DeliveryMissing => (
            "A client that sets a webhook stops polling. If the end is not posted, the client waits for ever.",
            "Post each update of the task to each of its webhooks, whatever its message or its configuration says.",
        ),
        Kind::DeliveryOfOtherTask | Kind::DeliveryInOtherContext => (
            "A receiver files each delivery under the task that it names, so that this one reaches the wrong client.",
            "Post to the webhooks of a task only the updates of this task, with its own ids.",
        ),
        Kind::DeliveryElsewhere => (
            "A receiver finds out by path and query which client a delivery is for.",
            "Post to the address of the configuration unchanged, with its path and its query.",
        ),
        Kind::DeliveryOfOtherState => (
            "The client acts on an end to which the task has not come.",
            "Post the status that is stored, and store it before it is posted.",
        ),
        Kind::DeliveryOfOtherMessage | Kind::DeliveryOfOtherArtifact => (
            "A client that reads webhooks alone has another result than one that reads the task.",
            "Post the objects that are stored with the task.",
        ),
        Kind::DeliveryAfterDeletion => (
            "The owner of a deleted webhook relies on it; its address may by then be somebody else's.",
            "Look for the configuration when you post, and end its deliveries when it is deleted.",
        ),
        Kind::DeliveryWithoutCredentials => (
            "A receiver that wants credentials refuses the delivery, and the update is lost.",
            "Send scheme and credentials of the configuration as Authorization, character by character.",
        ),
        Kind::DeliveryWithoutToken => (
            "A receiver recognizes real notifications by the token, and discards this one.",
            "Send the token of the configuration with each delivery, character by character.",
        ),
        Kind::SentOtherwise { .. } => (
            "A client that reads webhooks alone works with other texts, or does not recognize the delivery.",
            "Keep texts, data, metadata and tokens as they come, and post them unchanged.",
        ),
        Kind::DeliveryAfterEnd | Kind::DeliveryRepeated | Kind::DeliveryNotAsStreamed => (
            "A receiver that stores the latest state, or acts on the end, is misled.",
            "Deliver the updates of a task to each webhook one after the other. Do not deliver again what was acknowledged.",
        ),
        Kind::DeliveryNotJson | Kind::DeliveryNotOneEvent | Kind::DeliveryPayload { .. } | Kind::DeliveryUndeclared => {
            (
                "A receiver reads webhooks with the code that reads streams, and cannot read this delivery.",
                "Write the StreamResponse of each update as the JSON of the HTTP binding, and declare it as that.",
            )
        }
        Kind::DeliveryMethod { .. } => {
            ("A receiver accepts notifications by POST alone.", "Post each notification by POST.")
        }
        _ => return None,
    })
}
