//! Makes what was found smaller: its decisions are cut, lowered and left out, as long as the same comes of them.

mod trial;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::aim::Aim;
use super::bucket::Found;
use super::health::BEHIND;
use super::hunt::judging::Judge;
use super::probe::{Body, Probe, Send, attempt};
use super::steps::{keep, until};
use crate::case::{FramePayload, Piece, Written};
use crate::finding::Kind;
use crate::verdict::Level;
use trial::{OFTEN, Trial};

/// The most requests that one finding is worth.
const MOST: usize = 200;
/// How long one finding is made smaller, and all of them together: what stays unanswered, or makes the agent fall, costs more than
/// requests.
const LONGEST: Duration = Duration::from_secs(10);
const ALL: Duration = Duration::from_secs(60);
/// All of them, where the first ends the hunt: whoever wants that waits for it.
const ALL_OF_THE_FIRST: Duration = Duration::from_secs(15);

/// Makes everything that was found smaller, as long as the agent is given no more messages than `most` to work on; says how much of
/// it did not come again, and whether the agent was lost over it.
pub(super) async fn all(
    aims: &[Aim],
    judge: &mut Judge<'_>,
    (most, is_first): (Option<u64>, bool),
    mut tell: impl FnMut(BTreeMap<Level, usize>),
) -> (u64, Option<String>) {
    let mut gone = Vec::new();
    let mut dead = None;
    let levels = judge.buckets.levels();
    let classes = judge.classes;
    let messages = Rc::clone(&judge.messages);
    messages.begin_anew();
    let latest = Instant::now() + if is_first { ALL_OF_THE_FIRST } else { ALL };
    for found in judge.buckets.each() {
        tell(levels.clone());
        // What tells something only if it comes again is asked for, however late it is.
        let may_be_asked = dead.is_none() && (Instant::now() < latest || is_of_a_moment(found));
        let Some(aim) = aims.iter().find(|aim| aim.index == found.interface).filter(|_| may_be_asked) else {
            continue;
        };
        let Some(choices) = found.probes.last().map(|probe| probe.choices.clone()) else { continue };
        let behind = found.probes.last().filter(|last| last.name == BEHIND).cloned();
        let mut trial = Trial::new((aims, aim), found, &messages, most);
        // The decisions of several attempts that show it together are made smaller by no one; what makes an agent fall is as short as
        // it can be.
        let are_several = found.probes.iter().any(|probe| probe.choices != choices);
        if are_several && found.is_fatal {
            found.came = trial.comes(&found.probes).await;
            dead = trial.dead;
            continue;
        }
        let mut best = found.probes.clone();
        trial.grow_impatient();
        let Some((last, came)) = trial.shows_again(&best).await else {
            if is_of_a_moment(found) && trial.has_room_for(&best, 1) {
                gone.push(found.bucket.clone());
            }
            continue;
        };
        best = until(&best, last);
        let (mut choices, mut is_new) = (choices, false);
        // Of what comes once in three times nobody can tell whether a smaller one shows it.
        let is_seldom = trial.is_now_and_then && came < OFTEN;
        let (mut left, end) = (if is_seldom { 0 } else { MOST }, latest.min(Instant::now() + LONGEST));
        while left > 0 && !are_several {
            let mut is_smaller = false;
            for bytes in smaller(&choices) {
                if left == 0 || Instant::now() >= end {
                    break;
                }
                let Some(mut steps) = attempt(found.phase, (aims, aim), classes, &bytes) else { continue };
                steps.extend(behind.clone());
                if size(&steps) > size(&best) {
                    continue;
                }
                if let Some(last) = trial.still_shows(&steps, 1, &mut left).await {
                    (best, choices, is_smaller, is_new) = (until(&steps, last), bytes, true, true);
                    break;
                }
            }
            if !is_smaller {
                break;
            }
        }
        // A step without which the same comes is left out, unless what is expected of others rests on it: then it is one that was
        // needed, and to which none of them refers.
        let mut index = 0;
        while index + 1 < best.len() && left > 0 && Instant::now() < end {
            if best
                .get(index)
                .is_some_and(|step| (step.is_needed && step.name.is_empty()) || is_referred_to(step, &best))
            {
                index += 1;
                continue;
            }
            let without = keep(&best, |at, _| at != index);
            if trial.still_shows(&without, 2, &mut left).await == Some(without.len() - 1) {
                best = without;
            } else {
                index += 1;
            }
        }
        if found.is_fatal {
            found.came = trial.comes(&best).await;
        }
        // What is told was not answered within the whole time limit, as what was found was not.
        if is_new && trial.become_patient() && trial.shows_again(&best).await.is_none() {
            best = found.probes.clone();
            if trial.shows_again(&best).await.is_none() {
                gone.push(found.bucket.clone());
            }
        }
        dead = trial.dead;
        found.become_smaller(best, aims);
    }
    for bucket in &gone {
        judge.buckets.forget(bucket);
    }
    (gone.len() as u64, dead)
}

/// Forgets what is of a moment and does not come again, up to the first that does: one is enough to end a hunt. Says how much was
/// forgotten, and whether the agent was lost over it.
pub(super) async fn settle(aims: &[Aim], judge: &mut Judge<'_>, most: Option<u64>) -> (u64, Option<String>) {
    let (mut gone, mut dead) = (Vec::new(), None);
    let messages = Rc::clone(&judge.messages);
    messages.begin_anew();
    for found in judge.buckets.each().filter(|found| is_of_a_moment(found) && !found.is_fatal) {
        let Some(aim) = aims.iter().find(|aim| aim.index == found.interface).filter(|_| dead.is_none()) else {
            continue;
        };
        let mut trial = Trial::new((aims, aim), found, &messages, most);
        trial.grow_impatient();
        let has_come = trial.shows_again(&found.probes).await.is_some();
        if !has_come && trial.has_room_for(&found.probes, 1) {
            gone.push(found.bucket.clone());
        }
        dead = trial.dead;
        if has_come {
            break;
        }
    }
    for bucket in &gone {
        judge.buckets.forget(bucket);
    }
    (gone.len() as u64, dead)
}

/// Whether it tells something only if it comes again, as a slow moment or a lost connection; every other answer was what it was.
fn is_of_a_moment(found: &Found) -> bool {
    matches!(found.finding.kind, Kind::RequestUnanswered | Kind::ConnectionClosed | Kind::AnswerNoHttp)
}

/// Whether some steps say what came of one.
fn is_referred_to(step: &Probe, by: &[Probe]) -> bool {
    let reference = format!("${{{}.", step.name);
    let is_in = |params: &Value| params.to_string().contains(&reference);
    let refers = |other: &Probe| match &other.send {
        Send::Call { params } | Send::Bytes { params, .. } => is_in(params),
        Send::Raw { suffix, body, .. } => {
            suffix.contains(&reference) || matches!(body, Body::Text(text) if text.contains(&reference))
        }
    };
    !step.name.is_empty() && by.iter().any(refers)
}

/// How much a person has to read.
fn size(steps: &[Probe]) -> usize {
    let of = |probe: &Probe| match &probe.send {
        Send::Call { params } => params.to_string().len(),
        Send::Raw { body, .. } => body.len(),
        Send::Bytes { send, .. } => send.iter().map(written).sum(),
    };
    steps.iter().map(of).sum()
}

fn written(piece: &Piece) -> usize {
    match piece {
        Piece::Write { what: Written::Text(text), .. } => text.len(),
        Piece::Write { what: Written::Exact(bytes), .. } => bytes.len(),
        Piece::Write { what: Written::Frame(frame), .. } => {
            let own = match &frame.payload {
                FramePayload::Text(text) => 1 + text.len(),
                FramePayload::Exact(bytes) => 1 + bytes.len(),
                FramePayload::Fields(fields) => fields.iter().map(|field| 1 + field.len()).sum(),
            };
            own + frame.resets.map_or(0, usize::from)
        }
        _ => 1,
    }
}

/// Decisions that are simpler than these, the simplest first. Decisions are two bytes, mostly.
fn smaller(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let pairs = bytes.len().div_ceil(2);
    for keep in [pairs / 2, pairs * 3 / 4, pairs.saturating_sub(1)] {
        if keep < pairs {
            all.push(bytes.iter().take(keep * 2).copied().collect());
        }
    }
    for pair in 0..pairs {
        let mut zeroed = bytes.to_vec();
        let (mut differs, range) = (false, pair * 2..(pair * 2 + 2).min(bytes.len()));
        for byte in zeroed.get_mut(range.clone()).into_iter().flatten() {
            differs |= *byte != 0;
            *byte = 0;
        }
        if differs {
            all.push(zeroed);
        }
        let mut without = bytes.to_vec();
        without.drain(range);
        all.push(without);
    }
    for (place, byte) in bytes.iter().enumerate().filter(|(_, byte)| **byte > 1) {
        let mut lower = bytes.to_vec();
        if let Some(at) = lower.get_mut(place) {
            *at = byte / 2;
        }
        all.push(lower);
    }
    all.retain(|made| made != bytes);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_smaller_is_shorter_or_lower() {
        let bytes = [4, 0, 9, 1, 0, 0];
        let sum = |bytes: &[u8]| bytes.iter().map(|byte| u32::from(*byte)).sum::<u32>();
        let all = smaller(&bytes);
        assert!(all.iter().all(|made| made.len() < bytes.len() || sum(made) < sum(&bytes)));
        assert!(all.contains(&vec![4, 0]) && all.contains(&vec![0, 0, 9, 1, 0, 0]) && all.contains(&vec![9, 1, 0, 0]));
        assert!(smaller(&[]).is_empty());
    }
}
