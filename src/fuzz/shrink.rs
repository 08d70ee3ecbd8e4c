//! Makes what was found smaller: its decisions are cut, lowered and left out, as long as the same comes of them.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::aim::{Aim, side};
use super::bucket::{Found, Sighting};
use super::health::{BEHIND, Health, come_back, look};
use super::hunt::fallen::how;
use super::hunt::judging::{Judge, second, wrong};
use super::hunt::messages::Messages;
use super::hunt::observed::{is_for_observers, together};
use super::probe::{Body, Hold, Probe, Send, attempt};
use super::spoken::speak;
use super::steps::{keep, until};
use crate::case::{FramePayload, Piece, Written};
use crate::finding::{Finding, Kind};
use crate::plan;
use crate::transcript::Answer;
use crate::verdict::Level;

/// The most requests that one finding is worth.
const MOST: usize = 200;
/// How long one finding is made smaller, and all of them together: what stays unanswered, or makes the agent fall, costs more than
/// requests.
const LONGEST: Duration = Duration::from_secs(10);
const ALL: Duration = Duration::from_secs(60);
/// How often a finding is tried before it counts as gone.
const TRIES: usize = 3;
/// Of what comes now and then, how often of them it has to come.
const OFTEN: usize = 2;

/// Makes everything that was found smaller, as long as the agent is given no more messages than `most` to work on; says how much of
/// it did not come again, and whether the agent was lost over it.
pub(super) async fn all(
    aims: &[Aim],
    judge: &mut Judge<'_>,
    most: Option<u64>,
    mut tell: impl FnMut(BTreeMap<Level, usize>),
) -> (u64, Option<String>) {
    let mut gone = Vec::new();
    let mut dead = None;
    let levels = judge.buckets.levels();
    let classes = judge.classes;
    let messages = Rc::clone(&judge.messages);
    messages.begin_anew();
    let latest = Instant::now() + ALL;
    for found in judge.buckets.each() {
        tell(levels.clone());
        let may_be_asked = dead.is_none() && Instant::now() < latest;
        let Some(aim) = aims.iter().find(|aim| aim.index == found.interface).filter(|_| may_be_asked) else {
            continue;
        };
        let Some(choices) = found.probes.last().map(|probe| probe.choices.clone()) else { continue };
        let behind = found.probes.last().filter(|last| last.name == BEHIND).cloned();
        let mut trial =
            Trial { aims, aim, found: found.clone(), is_now_and_then: false, dead: None, messages: &messages, most };
        // The decisions of several attempts that show it together are made smaller by no one; what makes an agent fall is as short as
        // it can be.
        let are_several = found.probes.iter().any(|probe| probe.choices != choices);
        if are_several && found.is_fatal {
            found.came = trial.comes(&found.probes).await;
            dead = trial.dead;
            continue;
        }
        let mut best = found.probes.clone();
        let Some((last, came)) = trial.shows_again(&best).await else {
            if is_of_a_moment(found) && trial.has_room_for(&best, 1) {
                gone.push(found.bucket.clone());
            }
            continue;
        };
        best = until(&best, last);
        let mut choices = choices;
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
                    (best, choices, is_smaller) = (until(&steps, last), bytes, true);
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
        let mut trial =
            Trial { aims, aim, found: found.clone(), is_now_and_then: false, dead: None, messages: &messages, most };
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
    matches!(found.finding.kind, Kind::RequestUnanswered | Kind::ConnectionClosed)
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

/// What is held against what was found.
struct Trial<'a> {
    aims: &'a [Aim],
    aim: &'a Aim,
    found: Found,
    /// Whether it did not come each time.
    is_now_and_then: bool,
    /// How the agent was lost, if it was.
    dead: Option<String>,
    messages: &'a Messages,
    most: Option<u64>,
}

impl Trial<'_> {
    /// The step of an attempt that shows the same as what was found. An agent that falls is waited for.
    async fn shows(&mut self, steps: &[Probe]) -> Option<usize> {
        let (aims, aim) = (self.aims, self.aim);
        if self.dead.is_some() || !self.has_room_for(steps, 1) {
            return None;
        }
        let answers = speak(aims, aim, steps).await;
        self.messages.see((aims, aim), steps, &answers);
        let has_fallen = match answers.iter().all(|answer| answer.exchange.response.is_some()) && !self.found.is_fatal {
            true => false,
            false => match look(aim).await {
                Health::Well => false,
                Health::Forgetful => true,
                Health::Ill(how) => {
                    self.dead = Some(how);
                    true
                }
            },
        };
        if has_fallen && come_back(aims, aim).await {
            self.dead = None;
        }
        self.place(steps, &answers).filter(|_| has_fallen == self.found.is_fatal)
    }

    /// The step of an attempt that shows the same, if it does in one of some tries, and in how many. One that comes at once is taken
    /// to come always.
    async fn shows_again(&mut self, steps: &[Probe]) -> Option<(usize, usize)> {
        let (mut comes, mut came) = (None, 0);
        for _ in 0..TRIES {
            if came == 0 || self.is_now_and_then {
                let shown = self.shows(steps).await;
                came += usize::from(shown.is_some());
                self.is_now_and_then |= shown.is_none();
                comes = comes.or(shown);
            }
        }
        Some((comes?, came))
    }

    /// The same, with so many chances; of what comes now and then, if it does so most times. What that takes is no more left.
    async fn still_shows(&mut self, steps: &[Probe], chances: usize, left: &mut usize) -> Option<usize> {
        let (mut came, mut missed, mut last) = (0, 0, None);
        let (often, chances) = if self.is_now_and_then { (OFTEN, OFTEN) } else { (1, chances) };
        while came < often && missed < chances {
            *left = left.saturating_sub(steps.len());
            let shown = self.shows(steps).await;
            came += usize::from(shown.is_some());
            missed += usize::from(shown.is_none());
            last = shown.or(last);
        }
        last.filter(|_| came >= often)
    }

    /// Whether the agent may be given the messages of so many tries.
    fn has_room_for(&self, steps: &[Probe], tries: usize) -> bool {
        let work = self.messages.work_of((self.aims, self.aim), steps);
        self.messages.have_room_for(work * tries as u64, self.most)
    }

    /// How often it comes of so many tries; nothing where it may not be tried as often.
    async fn comes(&mut self, steps: &[Probe]) -> Option<u64> {
        if !self.has_room_for(steps, TRIES) {
            return None;
        }
        let mut came = 0;
        for _ in 0..TRIES {
            came += u64::from(self.shows(steps).await.is_some());
        }
        Some(came)
    }

    fn place(&self, steps: &[Probe], answers: &[Answer]) -> Option<usize> {
        let (aims, aim, found) = (self.aims, self.aim, &self.found);
        let is_same = |place: usize, finding: Finding, observer: Option<&plan::Trial>, hold: Option<&Hold>| {
            let probes = until(steps, place);
            let Some(on) = probes.last().map(|probe| side(aims, aim, probe.over)) else { return false };
            let (phase, second, is_fatal) = (found.phase, second(aims, steps), found.is_fatal);
            let (first, evidence) = (aim, Vec::new());
            let sighting =
                Sighting { aim: on, first, second, phase, probes, finding, observer, hold, is_fatal, evidence };
            // What is demanded rests on the class, unless a case about everything seen demands it.
            let class = sighting.probes.last().map(|probe| probe.class.as_str());
            let rests =
                found.level == Level::May || found.is_fatal || observer.is_some() || class == Some(&found.class);
            rests && sighting.bucket().is_some_and(|bucket| bucket == found.bucket)
        };
        for (place, answer) in answers.iter().enumerate() {
            // What comes to nothing because nobody is there any more is what came of it.
            if found.is_fatal && answer.exchange.response.is_none() && is_same(place, how(answer), None, None) {
                return Some(place);
            }
            let found = wrong((aims, aim), steps, answers, place);
            if found.is_some_and(|(hold, finding)| is_same(place, finding, None, hold)) {
                return Some(place);
            }
        }
        let sides: BTreeSet<Option<usize>> = steps.iter().map(|step| step.over).collect();
        sides.into_iter().find_map(|over| {
            let own = steps.iter().zip(answers).filter(|(step, _)| step.over == over);
            let own = own.filter(|(step, answer)| is_for_observers(step, answer));
            let own: Vec<_> = own.map(|(_, answer)| answer.clone()).collect();
            together(side(aims, aim, over), &own).into_iter().find_map(|(trial, finding)| {
                let place = answers.iter().position(|answer| Some(answer.exchange.number) == finding.exchange)?;
                is_same(place, finding, Some(&trial), None).then_some(place)
            })
        })
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
