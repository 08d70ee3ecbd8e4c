//! What was found is tried again, to see whether it comes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::finding::{Finding, Kind};
use crate::fuzz::aim::{Aim, side};
use crate::fuzz::bucket::{Found, Sighting};
use crate::fuzz::health::{BEHIND, Health, Question, come_back, look};
use crate::fuzz::hunt::fallen::how;
use crate::fuzz::hunt::judging::{second, wrong};
use crate::fuzz::hunt::messages::Messages;
use crate::fuzz::hunt::observed::together;
use crate::fuzz::probe::{Hold, Probe};
use crate::fuzz::spoken::speak;
use crate::fuzz::steps::until;
use crate::plan;
use crate::transcript::{Answer, Exchange};
use crate::verdict::Level;

/// How often a finding is tried before it counts as gone.
const TRIES: usize = 3;
/// Of what comes now and then, how often of them it has to come.
pub(super) const OFTEN: usize = 2;
/// How long a request has to stay unanswered to be taken for silent once more, as a part of the time limit: several times what still
/// counts as quick.
const SILENT: u32 = 5;

/// What is held against what was found.
pub(super) struct Trial<'a> {
    aims: &'a [Aim],
    aim: &'a Aim,
    found: Found,
    /// Whether it did not come each time.
    pub is_now_and_then: bool,
    /// How long one request is waited for, if not for the whole time limit.
    patience: Option<Duration>,
    /// How the agent was lost, if it was.
    pub dead: Option<String>,
    messages: &'a Messages,
    most: Option<u64>,
}

impl<'a> Trial<'a> {
    pub fn new((aims, aim): (&'a [Aim], &'a Aim), found: &Found, messages: &'a Messages, most: Option<u64>) -> Self {
        Self { aims, aim, found: found.clone(), is_now_and_then: false, patience: None, dead: None, messages, most }
    }

    /// From now on one request is not waited for as long, where what was found is silence and others of its operation are answered at
    /// once: the whole time limit each time would be most of what a hunt takes.
    pub fn grow_impatient(&mut self) {
        let [probe] = self.found.probes.as_slice() else { return };
        let is_silent = self.found.finding.kind == Kind::RequestUnanswered && self.aim.usual.is_quick(probe.operation);
        self.patience = is_silent.then(|| self.aim.session.connection.timeout() / SILENT);
    }

    /// Whether one request is not waited for as long as it may take.
    pub fn is_impatient(&self) -> bool {
        self.patience.is_some()
    }

    /// From now on everything is waited for as long as it may take; whether that was otherwise.
    pub fn become_patient(&mut self) -> bool {
        self.patience.take().is_some()
    }

    /// The step of an attempt that shows the same as what was found. An agent that falls is waited for.
    async fn shows(&mut self, steps: &[Probe]) -> Option<usize> {
        let (aims, aim) = (self.aims, self.aim);
        if self.dead.is_some() || !self.has_room_for(steps, 1) {
            return None;
        }
        let speaking = speak(aims, aim, steps);
        let answers = match self.patience.filter(|_| steps.len() == 1) {
            Some(patience) => match tokio::time::timeout(patience, speaking).await {
                Ok(answers) => answers,
                Err(_) => {
                    let silence = (Finding::new(Kind::RequestUnanswered), None, None);
                    return self.is_same(steps, 0, silence, Vec::new()).then_some(0);
                }
            },
            None => speaking.await,
        };
        self.messages.see((aims, aim), steps, &answers);
        let question = self.question();
        let has_fallen = match answers.iter().all(|answer| answer.exchange.response.is_some()) && !self.found.is_fatal {
            true => false,
            false => match look(aim, question).await {
                Health::Well => false,
                Health::Forgetful => true,
                Health::Ill(how) => {
                    self.dead = Some(how);
                    true
                }
            },
        };
        if has_fallen && come_back(aims, aim, question).await {
            self.dead = None;
        }
        self.place(steps, &answers).filter(|_| has_fallen == self.found.is_fatal)
    }

    /// By what it is seen whether the agent falls: as it was found.
    fn question(&self) -> Question<'a> {
        match self.found.probes.last() {
            Some(last) if last.name == BEHIND && last.operation.sends_a_message() => Question::Message(self.messages),
            _ => Question::Read,
        }
    }

    /// The step of an attempt that shows the same, if it does in one of some tries, and in how many. One that comes at once is taken
    /// to come always.
    pub async fn shows_again(&mut self, steps: &[Probe]) -> Option<(usize, usize)> {
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
    pub async fn still_shows(&mut self, steps: &[Probe], chances: usize, left: &mut usize) -> Option<usize> {
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
    pub fn has_room_for(&self, steps: &[Probe], tries: usize) -> bool {
        let work = self.messages.work_of((self.aims, self.aim), steps);
        self.messages.have_room_for(work * tries as u64, self.most)
    }

    /// How often it comes of so many tries; nothing where it may not be tried as often.
    pub async fn comes(&mut self, steps: &[Probe]) -> Option<u64> {
        if !self.has_room_for(steps, TRIES) {
            return None;
        }
        let mut came = 0;
        for _ in 0..TRIES {
            came += u64::from(self.shows(steps).await.is_some());
        }
        Some(came)
    }

    /// Whether something that one of the steps shows is what was found.
    fn is_same(
        &self,
        steps: &[Probe],
        place: usize,
        (finding, observer, hold): (Finding, Option<&plan::Trial>, Option<&Hold>),
        evidence: Vec<Arc<Exchange>>,
    ) -> bool {
        let (aims, first, found) = (self.aims, self.aim, &self.found);
        let probes = until(steps, place);
        let Some(aim) = probes.last().map(|probe| side(aims, first, probe.over)) else { return false };
        let (phase, second, is_fatal) = (found.phase, second(aims, steps), found.is_fatal);
        let sighting = Sighting { aim, first, second, phase, probes, finding, observer, hold, is_fatal, evidence };
        // What is demanded rests on the class, unless a case about everything seen demands it.
        let class = sighting.probes.last().map(|probe| probe.class.as_str());
        let rests = found.level == Level::May
            || found.is_fatal
            || observer.is_some()
            || hold.is_some()
            || class == Some(&found.class);
        rests && sighting.bucket().is_some_and(|bucket| bucket == found.bucket)
    }

    fn place(&self, steps: &[Probe], answers: &[Answer]) -> Option<usize> {
        let (aims, aim, found) = (self.aims, self.aim, &self.found);
        for (place, answer) in answers.iter().enumerate() {
            // What comes to nothing because nobody is there any more is what came of it.
            if found.is_fatal
                && answer.exchange.response.is_none()
                && self.is_same(steps, place, (how(answer), None, None), Vec::new())
            {
                return Some(place);
            }
            let found = wrong((aims, aim), steps, answers, place);
            let evidence = || vec![Arc::clone(&answer.exchange)];
            if found.is_some_and(|(hold, finding)| self.is_same(steps, place, (finding, None, hold), evidence())) {
                return Some(place);
            }
        }
        let sides: BTreeSet<Option<usize>> = steps.iter().map(|step| step.over).collect();
        sides.into_iter().find_map(|over| {
            let on = side(aims, aim, over);
            let own = steps.iter().zip(answers).filter(|(step, _)| step.over == over);
            let own: Vec<(&Probe, &Answer)> = own.collect();
            together(on, &own).into_iter().find_map(|(witness, finding)| {
                let place = answers.iter().position(|answer| Some(answer.exchange.number) == finding.exchange)?;
                let seen = (finding, witness.case(), witness.hold());
                self.is_same(steps, place, seen, Vec::new()).then_some(place)
            })
        })
    }
}
