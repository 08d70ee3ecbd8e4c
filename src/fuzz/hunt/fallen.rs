//! What made an agent fall: the one request, or the shortest sequence, behind which it is not as it was.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::hunter::Hunter;
use super::judging::{Attempt, by_itself, second};
use super::messages::Messages;
use crate::finding::{Finding, Kind};
use crate::fuzz::aim::{Aim, side};
use crate::fuzz::bisect::shortest;
use crate::fuzz::bucket::{Found, Sighting};
use crate::fuzz::class::Classes;
use crate::fuzz::health::{BEHIND, Health, Question, behind, come_back, look};
use crate::fuzz::probe::Probe;
use crate::fuzz::spoken::speak;
use crate::fuzz::steps::{renamed, until};
use crate::transcript::{Answer, Ended};
use crate::verdict::Level;

/// What is told of an agent that was asked for the last time, and had not answered when the time for that was over.
pub(super) const NOT_IN_TIME: &str = "no answer before the hunt ended";
/// How long it is looked for.
const LONGEST: Duration = Duration::from_secs(30);
/// Of how many attempts a finding consists at most.
const MOST_TOGETHER: usize = 16;
/// So often all that came before is looked through in vain, or for what is known: each time may take as long.
const MOST_FRUITLESS: usize = 2;
/// What a request asks for that is to be answered.
const ANSWER: &str = "answered";

/// An agent that looks as if it had fallen.
#[derive(Default)]
pub(super) struct Fallen {
    /// Where that was seen, by its place in the agent's list.
    pub interface: usize,
    /// Whether that was seen by a message: it works on none any more.
    pub is_of_messages: bool,
    /// What was not answered.
    pub lost: Vec<Lost>,
    /// The right messages that came to nothing meanwhile.
    pub failed: Vec<Lost>,
}

/// An attempt of which something was not answered.
type Lost = (Arc<Attempt>, Vec<Answer>);

impl<'a> Hunter<'a> {
    /// Finds out what has happened, and waits until the agent is there again. If it does not come back: how it is gone.
    pub async fn rise(&mut self, fallen: Fallen) -> Option<String> {
        let (aims, messages) = (self.aims, Rc::clone(&self.judge.messages));
        let aim = side(aims, aims.first()?, Some(fallen.interface));
        let question = if fallen.is_of_messages { Question::Message(&messages) } else { Question::Read };
        let latest = self.latest;
        let looked = timeout_at(latest, look(aim, question)).await;
        let how = match looked.unwrap_or_else(|_| Health::Ill(NOT_IN_TIME.to_owned())) {
            Health::Ill(how) => how,
            // An agent that forgets what is old is as it was.
            Health::Forgetful if !fallen.lost.is_empty() => String::new(),
            // It has worked on none of several plain messages, and does again.
            Health::Well if fallen.is_of_messages => String::new(),
            _ => {
                self.take(fallen.lost);
                self.take(fallen.failed);
                let _in_time = timeout_at(latest, come_back(aims, aim, question)).await;
                self.since.is_well(question);
                return None;
            }
        };
        let suspects = suspects(&fallen.lost);
        if !timeout_at(latest, come_back(aims, aim, question)).await.unwrap_or(false) {
            self.note_last(&suspects);
            self.take(fallen.failed);
            return Some(how);
        }
        self.falls += 1;
        let (last, since) = (std::mem::take(&mut self.last), std::mem::take(&mut self.since));
        if self.is_known(&suspects) {
            return None;
        }
        // What was lost is likeliest; then all that came since it was well, in its order; then what came before that, too.
        let mut search = Search {
            aims,
            classes: self.classes,
            question,
            messages: &messages,
            most: self.budget.for_shrinking(),
            end: Instant::now() + LONGEST,
            latest,
            culprit: None,
            is_gone: false,
        };
        for (attempt, _) in &suspects {
            if search.culprit.is_none() {
                search.fells_in_time(std::slice::from_ref(attempt)).await;
            }
        }
        let last: Vec<Arc<Attempt>> = last.into();
        let since = if fallen.is_of_messages { since.a_message } else { since.a_question };
        let since = last.len().saturating_sub(since);
        for begin in [since, 0] {
            if search.culprit.is_none() && self.fruitless < MOST_FRUITLESS {
                let part = last.get(begin..).unwrap_or_default().to_vec();
                let found = shortest(part, async |part| search.fells_in_time(part).await).await;
                // Who cannot read it learns nothing from it.
                if found.is_none_or(|found| found.len() > MOST_TOGETHER) {
                    search.culprit = None;
                }
            }
        }
        let has_shown_something = search.culprit.as_ref().is_some_and(|seen| self.judge.is_new(seen));
        self.fruitless += usize::from(!has_shown_something);
        match search.culprit {
            Some(sighting) => self.judge.note(sighting),
            // What it fails at then comes of what it was seen to fall of before.
            None if fallen.is_of_messages && self.judge.buckets.any(is_a_fall_of_messages) => {}
            None => {
                self.take(fallen.lost);
                self.take(fallen.failed);
            }
        }
        search.is_gone.then_some(how)
    }

    /// Judges answers that were kept back.
    fn take(&mut self, lost: Vec<Lost>) {
        for (attempt, answers) in lost {
            if let Some(aim) = self.aims.iter().find(|aim| aim.index == attempt.interface) {
                self.judge.see(self.aims, aim, &attempt, answers);
            }
        }
    }

    /// Whether the agent has been seen to fall of one of these before. Where more may be demanded of one than of what was found, it is
    /// looked for once more: over JSON-RPC a request must be answered, and of HTTP alone that can be hoped.
    fn is_known(&mut self, suspects: &[Lost]) -> bool {
        let of = |one| self.sighting(one).and_then(|seen| Some((seen.bucket()?, self.judge.level(&seen))));
        let seen: BTreeSet<(String, Level)> = suspects.iter().filter_map(of).collect();
        let buckets = &mut self.judge.buckets;
        let known: Vec<&(String, Level)> = seen.iter().filter(|(bucket, _)| buckets.has(bucket, Level::May)).collect();
        for (bucket, _) in &known {
            buckets.count(bucket);
        }
        let mut stronger = known.iter().filter(|(bucket, level)| !buckets.has(bucket, *level));
        let is_new = stronger.any(|one| self.looked_for.insert((*one).clone()));
        !known.is_empty() && !is_new
    }

    /// What was under way when an agent fell that does not come back: nobody can find out which of it did it. All of it was left
    /// without an answer, and the first of what must have one is told.
    fn note_last(&mut self, suspects: &[Lost]) {
        let sightings = suspects.iter().filter_map(|one| self.sighting(one));
        let Some(mut sighting) = sightings.min_by_key(|one| self.judge.level(one)) else { return };
        let last = suspects.iter().filter_map(|(_, answers)| answers.last());
        sighting.evidence = last.map(|answer| Arc::clone(&answer.exchange)).collect();
        if suspects.len() > 1 {
            let others =
                format!("none, as {} requests that were under way: it may have been any of them", suspects.len());
            sighting.finding = sighting.finding.compare("an answer", others);
        }
        self.judge.note(sighting);
    }

    /// One that was left without an answer, as what the agent falls of.
    fn sighting(&self, (attempt, answers): &Lost) -> Option<Sighting<'a>> {
        let first = self.aims.iter().find(|aim| aim.index == attempt.interface)?;
        let (probes, finding) = left(attempt, answers)?;
        let aim = side(self.aims, first, probes.last()?.over);
        let (phase, second) = (attempt.phase, second(self.aims, &probes));
        let (observer, hold, evidence, is_fatal) = (None, None, Vec::new(), true);
        Some(Sighting { aim, first, second, phase, probes, finding, observer, hold, is_fatal, evidence })
    }
}

/// Whether an agent was seen to work on no message any more, and of what that came.
fn is_a_fall_of_messages(found: &Found) -> bool {
    found.is_fatal && found.probes.last().is_some_and(|last| last.name == BEHIND && last.operation.sends_a_message())
}

/// What was lost, the likeliest first: what was sent and not answered, and then what found nobody there, in the order in which it
/// was made. A client may have sent again what was not answered.
fn suspects(lost: &[Lost]) -> Vec<Lost> {
    let mut suspects = lost.to_vec();
    suspects.sort_by_key(|(_, answers)| {
        let last = answers.last();
        (last.is_none_or(|answer| answer.unanswered().is_none()), last.map(|answer| answer.exchange.number))
    });
    suspects
}

/// The steps up to the one that was left without an answer, and how it was.
fn left(attempt: &Attempt, answers: &[Answer]) -> Option<(Vec<Probe>, Finding)> {
    let mut both = attempt.steps.iter().zip(answers);
    let index = both.position(|(step, answer)| is_left(answer) && !step.may_be_dropped())?;
    Some((until(&attempt.steps, index), how(answers.get(index)?)))
}

/// Whether nothing came, be it that nobody was there.
fn is_left(answer: &Answer) -> bool {
    answer.exchange.response.is_none() && answer.exchange.ended != Ended::HungUp && !answer.is_held_poll()
}

/// How nothing came.
pub(in crate::fuzz) fn how(answer: &Answer) -> Finding {
    let kind = match &answer.exchange.ended {
        Ended::TimedOut(_) => Kind::RequestUnanswered,
        Ended::Failed(error) if error.breaks_http() => Kind::AnswerNoHttp,
        _ => Kind::ConnectionClosed,
    };
    Finding { assertion: ANSWER.to_owned(), ..Finding::new(kind).in_exchange(answer.exchange.number) }
}

/// The search for what an agent falls of.
struct Search<'a> {
    aims: &'a [Aim],
    classes: &'a Classes,
    /// By what it is seen whether it has fallen.
    question: Question<'a>,
    /// Those on which it works, and how many it may be given.
    messages: &'a Messages,
    most: Option<u64>,
    /// When nothing more is begun.
    end: Instant,
    /// When everything has to have ended.
    latest: Instant,
    culprit: Option<Sighting<'a>>,
    /// Whether it did not come back.
    is_gone: bool,
}

impl<'a> Search<'a> {
    /// Whether the agent falls of these attempts, as far as that is seen in time: what was found before stays.
    async fn fells_in_time(&mut self, attempts: &[Arc<Attempt>]) -> bool {
        let (before, latest) = (self.culprit.clone(), self.latest);
        match timeout_at(latest, self.fells(attempts)).await {
            Ok(does) => does,
            Err(_) => {
                self.culprit = before;
                false
            }
        }
    }

    /// Whether the agent falls of these attempts, one after the other, and does so again when it has come back: what was tried
    /// before may have had its part in the first fall, and has none in the second.
    async fn fells(&mut self, attempts: &[Arc<Attempt>]) -> bool {
        let (before, is_over) = (self.culprit.take(), Instant::now() >= self.end);
        let does = !is_over && self.fells_once(attempts).await && (self.is_gone || self.fells_once(attempts).await);
        if !does {
            self.culprit = before;
        }
        does
    }

    /// Whether the agent falls of these attempts. Then it is waited for.
    async fn fells_once(&mut self, attempts: &[Arc<Attempt>]) -> bool {
        let aims = self.aims;
        let aim_of = |attempt: &Attempt| aims.iter().find(|aim| aim.index == attempt.interface);
        let Some((last, aim)) = attempts.last().and_then(|last| Some((last, aim_of(last)?))) else { return false };
        if self.is_gone {
            return false;
        }
        let (mut before, mut said) = (Vec::new(), Vec::new());
        for (number, attempt) in attempts.iter().enumerate() {
            let Some(on) = aim_of(attempt) else { return false };
            let work = self.messages.work_of((aims, on), &attempt.steps);
            if !self.messages.have_room_for(work, self.most) {
                return false;
            }
            said = speak(aims, on, &attempt.steps).await;
            self.messages.see((aims, on), &attempt.steps, &said);
            if !Arc::ptr_eq(attempt, last) {
                before.extend(renamed(&attempt.steps, number));
            }
        }
        if look(aim, self.question).await == Health::Well {
            return false;
        }
        let mut shown = left(last, &said);
        if shown.is_none() {
            shown = self.behind(aim, &last.steps, &mut said).await;
        }
        if let Some((probes, finding)) = shown {
            let probes: Vec<Probe> = before.into_iter().chain(probes).collect();
            let on = probes.last().map_or(aim, |last| side(aims, aim, last.over));
            self.culprit = Some(Sighting {
                aim: on,
                first: attempts.first().and_then(|first| aim_of(first)).unwrap_or(aim),
                second: second(aims, &probes),
                phase: last.phase,
                probes,
                finding,
                observer: None,
                hold: None,
                is_fatal: true,
                evidence: said.iter().map(|answer| Arc::clone(&answer.exchange)).collect(),
            });
        }
        self.is_gone = !come_back(aims, aim, self.question).await;
        true
    }

    /// These steps and a plain question behind them, with what is wrong with its answer.
    async fn behind(&self, aim: &Aim, steps: &[Probe], said: &mut Vec<Answer>) -> Option<(Vec<Probe>, Finding)> {
        let question = behind(aim, self.classes, self.question, false)?;
        let answer = speak(self.aims, aim, std::slice::from_ref(&question)).await.pop()?;
        let is_answered = answer.exchange.response.is_some();
        let question = if is_answered { behind(aim, self.classes, self.question, true)? } else { question };
        let question = Probe { choices: steps.last()?.choices.clone(), ..question };
        let finding = if is_answered { by_itself(aim, &question, &answer)? } else { how(&answer) };
        said.push(answer);
        Some((steps.iter().cloned().chain([question]).collect(), finding))
    }
}
