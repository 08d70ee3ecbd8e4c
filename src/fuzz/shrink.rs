//! Makes what was found smaller: its decisions are cut, lowered and left out, as long as the same comes of them.

mod trial;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::aim::Aim;
use super::bucket::Found;
use super::class::Classes;
use super::health::BEHIND;
use super::hunt::judging::Judge;
use super::inbox::given;
use super::probe::{Body, Probe, Send, attempt};
use super::steps::{keep, until};
use crate::case::{FramePayload, Piece, Written};
use crate::diagnostic::words::count;
use crate::finding::Kind;
use crate::verdict::Level;
use trial::{OFTEN, Trial};

/// The most requests that one finding is worth.
const MOST: usize = 200;
/// Of the requests for a sequence, one in so many is kept for leaving out its steps.
const FOR_STEPS: usize = 2;
/// What was seen so often in a hunt is told as a note, even where its request alone does not show it: it depends on what came before, or on
/// what was asked at the same time.
const OFTEN_SEEN: u64 = 5;
/// How long one finding is made smaller, and all of them together: what stays unanswered, or makes the agent fall, costs more than
/// requests.
const LONGEST: Duration = Duration::from_secs(10);
pub(super) const ALL: Duration = Duration::from_secs(60);
/// All of them, where the first ends the hunt: whoever wants that waits for it.
pub(super) const ALL_OF_THE_FIRST: Duration = Duration::from_secs(15);

/// What came of making findings smaller.
#[derive(Debug, Default)]
pub(super) struct Shrunk {
    /// How much did not come again.
    pub gone: u64,
    /// How the agent was lost over it, if it was.
    pub dead: Option<String>,
    /// How many are as they were found, since the time was over.
    as_found: usize,
    /// What tells something only if it comes again, and could not be asked for: operation and kind of each.
    unasked: Vec<String>,
}

impl Shrunk {
    /// What was not done, as a report has it.
    pub fn not_asked(&self) -> Vec<String> {
        let mut all = Vec::new();
        if self.as_found > 0 {
            let what = count(self.as_found, "finding");
            all.push(format!(
                "{what} not made smaller, because the time for that was over: --time gives a hunt more time"
            ));
        }
        if !self.unasked.is_empty() {
            let what = count(self.unasked.len(), "request");
            let which = self.unasked.join("; ");
            all.push(format!(
                "{what} without an answer, seen once and not repeated because the time was over: {which}"
            ));
        }
        all
    }
}

/// Makes everything that was found smaller, as long as the agent is given no more messages than `most` to work on, and until the
/// time is over.
pub(super) async fn all(
    aims: &[Aim],
    judge: &mut Judge<'_>,
    (most, latest): (Option<u64>, Instant),
    mut tell: impl FnMut((usize, usize), BTreeMap<Level, usize>),
) -> Shrunk {
    let (mut shrunk, mut forgotten) = (Shrunk::default(), Vec::new());
    let (levels, classes) = (judge.buckets.levels(), judge.classes);
    let messages = Rc::clone(&judge.messages);
    messages.begin_anew();
    let mut all: Vec<&mut Found> = judge.buckets.each().collect();
    // What tells something only if it comes again is asked for while there is time.
    all.sort_by_key(|found| !is_of_a_moment(found));
    let number = all.len();
    for (done, found) in all.into_iter().enumerate() {
        tell((done, number), levels.clone());
        let Some(aim) = aims.iter().find(|aim| aim.index == found.interface).filter(|_| shrunk.dead.is_none()) else {
            continue;
        };
        let trial = Trial::new((aims, aim), found, &messages, most);
        let mut one = One::new((aims, aim), classes, trial, found);
        let outcome = match Instant::now() < latest {
            true => timeout_at(latest, one.shrink(found, latest)).await.unwrap_or(Outcome::TimeOver),
            false => Outcome::TimeOver,
        };
        match outcome {
            // What it depends on was not found, and it came again and again.
            Outcome::Gone if found.hits >= OFTEN_SEEN => {
                found.level = Level::May;
                found.requirements.clear();
                found.came = Some(0);
            }
            Outcome::Gone => {
                forgotten.push(found.bucket.clone());
                shrunk.gone += 1;
            }
            // One silence or one lost connection proves nothing.
            Outcome::TimeOver if is_of_a_moment(found) && !one.has_come => {
                shrunk.unasked.push(format!("{}: {}", found.operation, found.finding.headline()));
                forgotten.push(found.bucket.clone());
            }
            Outcome::Kept => {}
            Outcome::TimeOver | Outcome::Smaller => {
                let is_over = matches!(outcome, Outcome::TimeOver) || one.is_cut_short;
                found.is_as_found = is_over && !(one.is_smaller && one.is_certain());
                shrunk.as_found += usize::from(found.is_as_found);
                if one.is_smaller && one.is_certain() {
                    found.become_smaller(one.best, aims);
                }
            }
        }
        shrunk.dead = one.trial.dead;
    }
    for bucket in &forgotten {
        judge.buckets.forget(bucket);
    }
    shrunk
}

/// What came of making one finding smaller.
enum Outcome {
    /// It did not come again, and tells nothing.
    Gone,
    /// It is kept as it was found: it cannot be made smaller, or did not come again.
    Kept,
    /// It is as small as it could be made.
    Smaller,
    /// The time was over.
    TimeOver,
}

/// One finding while it is made smaller. What it has come to stays when the time is over.
struct One<'a> {
    aims: &'a [Aim],
    aim: &'a Aim,
    classes: &'a Classes,
    trial: Trial<'a>,
    /// The smallest that was seen to show it.
    best: Vec<Probe>,
    /// Whether it came again at all.
    has_come: bool,
    /// Whether something smaller shows it.
    is_smaller: bool,
    /// Whether its own time was over.
    is_cut_short: bool,
}

impl<'a> One<'a> {
    fn new((aims, aim): (&'a [Aim], &'a Aim), classes: &'a Classes, trial: Trial<'a>, found: &Found) -> Self {
        let best = found.probes.clone();
        Self { aims, aim, classes, trial, best, has_come: false, is_smaller: false, is_cut_short: false }
    }

    /// Whether the smallest was seen to stay without an answer for the whole time limit, if that is what was found.
    fn is_certain(&self) -> bool {
        !self.trial.is_impatient()
    }

    async fn shrink(&mut self, found: &mut Found, latest: Instant) -> Outcome {
        let Some(choices) = found.probes.last().map(|probe| probe.choices.clone()) else { return Outcome::Kept };
        // The decisions of several attempts that show it together are made smaller by no one; what makes an agent fall is as short as
        // it can be.
        let are_several = found.probes.iter().any(|probe| probe.choices != choices);
        if are_several && found.is_fatal {
            found.came = self.trial.comes(&found.probes).await;
            return Outcome::Kept;
        }
        self.trial.grow_impatient();
        let Some((last, came)) = self.trial.shows_again(&self.best).await else {
            let is_gone = is_of_a_moment(found) && self.trial.has_room_for(&self.best, 1);
            return if is_gone { Outcome::Gone } else { Outcome::Kept };
        };
        self.has_come = true;
        let shown = until(&self.best, last);
        self.is_smaller |= shown.len() < self.best.len();
        self.best = shown;
        // Of what comes once in three times nobody can tell whether a smaller one shows it.
        let is_seldom = self.trial.is_now_and_then && came < OFTEN;
        let (mut left, end) = (if is_seldom { 0 } else { MOST }, latest.min(Instant::now() + LONGEST));
        let mut is_new = false;
        if !are_several {
            // Whoever reads a sequence has less to read without a step than with a shorter value.
            let kept = if self.best.len() > 1 { left / FOR_STEPS } else { 0 };
            left -= kept;
            is_new = self.cut_choices(found, choices, (&mut left, end)).await;
            left += kept;
        }
        self.leave_out_steps((&mut left, end)).await;
        // What comes now and then may have been missed by chance.
        if self.trial.is_now_and_then {
            self.leave_out_steps((&mut left, end)).await;
        }
        if found.is_fatal {
            found.came = self.trial.comes(&self.best).await;
        }
        // What is told was not answered within the whole time limit, as what was found was not.
        if self.trial.become_patient() && is_new && self.trial.shows_again(&self.best).await.is_none() {
            (self.best, self.is_smaller) = (found.probes.clone(), false);
            if self.trial.shows_again(&self.best).await.is_none() {
                return Outcome::Gone;
            }
        }
        Outcome::Smaller
    }

    /// Cuts, lowers and leaves out decisions, as long as there is time and something is left to try; whether that made it smaller.
    async fn cut_choices(&mut self, found: &Found, mut choices: Vec<u8>, (left, end): (&mut usize, Instant)) -> bool {
        let (aims, aim, classes) = (self.aims, self.aim, self.classes);
        let behind = found.probes.last().filter(|last| last.name == BEHIND).cloned();
        let mut is_new = false;
        while *left > 0 {
            let mut is_smaller = false;
            for bytes in smaller(&choices) {
                self.is_cut_short |= Instant::now() >= end;
                if *left == 0 || self.is_cut_short {
                    break;
                }
                let Some(mut steps) = attempt(found.phase, (aims, aim), classes, &bytes) else { continue };
                steps.extend(behind.clone());
                if size(&steps) > size(&self.best) {
                    continue;
                }
                if let Some(last) = self.trial.still_shows(&steps, 1, left).await {
                    (self.best, choices, is_smaller) = (until(&steps, last), bytes, true);
                    (self.is_smaller, is_new) = (true, true);
                    break;
                }
            }
            if !is_smaller {
                break;
            }
        }
        is_new
    }

    /// A step without which the same comes is left out, unless what is expected of others rests on it: then it is one that was needed,
    /// and to which none of them refers.
    async fn leave_out_steps(&mut self, (left, end): (&mut usize, Instant)) {
        let mut index = 0;
        while index + 1 < self.best.len() && *left > 0 {
            self.is_cut_short |= Instant::now() >= end;
            if self.is_cut_short {
                return;
            }
            let rests_on = |step: &Probe| (step.is_needed && step.name.is_empty()) || is_referred_to(step, &self.best);
            if self.best.get(index).is_some_and(rests_on) {
                index += 1;
                continue;
            }
            let without = keep(&self.best, |at, _| at != index);
            if self.trial.still_shows(&without, 2, left).await == Some(without.len() - 1) {
                (self.best, self.is_smaller) = (without, true);
            } else {
                index += 1;
            }
        }
    }
}

/// Forgets what is of a moment and does not come again, up to the first that does: one is enough to end a hunt.
pub(super) async fn settle(aims: &[Aim], judge: &mut Judge<'_>, (most, latest): (Option<u64>, Instant)) -> Shrunk {
    let (mut shrunk, mut gone) = (Shrunk::default(), Vec::new());
    let messages = Rc::clone(&judge.messages);
    messages.begin_anew();
    for found in judge.buckets.each().filter(|found| is_of_a_moment(found) && !found.is_fatal) {
        let Some(aim) = aims.iter().find(|aim| aim.index == found.interface).filter(|_| shrunk.dead.is_none()) else {
            continue;
        };
        let mut trial = Trial::new((aims, aim), found, &messages, most);
        trial.grow_impatient();
        // What could not be asked for in time is left to who makes it smaller.
        let Ok(shown) = timeout_at(latest, trial.shows_again(&found.probes)).await else { break };
        let has_come = shown.is_some();
        if !has_come && trial.has_room_for(&found.probes, 1) {
            gone.push(found.bucket.clone());
        }
        shrunk.dead = trial.dead;
        if has_come {
            break;
        }
    }
    for bucket in &gone {
        judge.buckets.forget(bucket);
    }
    shrunk.gone = gone.len() as u64;
    shrunk
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
        Send::Deliveries(_) => false,
        Send::End { task } => task.contains(&reference),
        Send::Raw { suffix, body, .. } => {
            suffix.contains(&reference) || matches!(body, Body::Text(text) if text.contains(&reference))
        }
    };
    let gives_a_webhook =
        by.iter().any(|other| matches!(&other.send, Send::Deliveries(wanted) if given(step).contains(&wanted.to)));
    gives_a_webhook || (!step.name.is_empty() && by.iter().any(refers))
}

/// How much a person has to read.
fn size(steps: &[Probe]) -> usize {
    let of = |probe: &Probe| match &probe.send {
        Send::Call { params } => {
            let fields = probe.headers.iter().map(|(name, value)| name.len() + value.len());
            params.to_string().len()
                + fields.sum::<usize>()
                + probe.rpc_id.as_ref().map_or(0, |id| id.to_string().len())
        }
        Send::Deliveries(_) | Send::End { .. } => 1,
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
