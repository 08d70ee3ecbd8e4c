//! The one who hunts: requests are made, many at a time, until the agent falls or the budget is used up.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::stream::poll_fn;
use futures_util::{Stream, StreamExt as _};
use tokio::time::Instant;

use super::fallen::{Fallen, NOT_IN_TIME};
use super::judging::{Attempt, Judge};
use super::leg::Leg;
use super::messages::was_worked_on;
use super::under_way::UnderWay;
use super::{Budget, Phase, Progress};
use crate::fuzz::aim::{Aim, side};
use crate::fuzz::class::Classes;
use crate::fuzz::health::{Health, Question, ask, fails, look};
use crate::fuzz::probe::{Probe, attempt};
use crate::fuzz::repeats::Repeats;
use crate::fuzz::shrink::settle;
use crate::fuzz::spoken::speak_in;
use crate::profile::Operation;
use crate::transcript::{Answer, ErrorObject};
use crate::verdict::Level;

/// After so many answers the agent is asked whether it is still as it was.
const BETWEEN_CONTROLS: usize = 512;
/// So many attempts are kept, for the case that the agent falls of several.
const KEPT: usize = 1024;
/// After so many decisions in a row that come to nothing there is nothing left to be made, such as of sequences when the agent
/// is to work on no more messages. They are looked for without a pause, in which nothing else goes on.
const MOST_MISSED: usize = 4096;
/// After so many in a row that would have waited and were passed over for that, there is nothing else.
const MOST_PASSED: usize = 256;
/// How long what is under way when the time is over may go on: most of it is answered by then. What is not shows nothing, since
/// nobody knows how long it would have taken.
const LINGERS: Duration = Duration::from_secs(1);
/// How long before the latest moment what stays silent is left: the rest is for asking for it once more.
const FOR_SILENCE: Duration = Duration::from_secs(3);
/// How many attempts wait for the agent's work, for each request that may be in flight.
const WAITING: usize = 16;

/// The errors that say of bytes that they are no call.
const NO_CALL: [&str; 3] = ["JSONParseError", "InvalidRequestError", "MethodNotFoundError"];

pub(super) struct Hunter<'a> {
    pub judge: Judge<'a>,
    pub aims: &'a [Aim],
    pub classes: &'a Classes,
    pub budget: &'a Budget,
    pub began: Instant,
    /// When everything has to have ended that is about what was found.
    pub latest: Instant,
    pub requests: u64,
    pub by_operation: BTreeMap<(String, Operation), u64>,
    /// What was made last, in the order of the answers.
    pub last: VecDeque<Arc<Attempt>>,
    /// How much of that since the agent was last seen to be as it was.
    pub since: Since,
    /// What was asked before.
    pub repeats: Rc<RefCell<Repeats>>,
    /// How many of the single changes were left when their time was over, and how many there are.
    pub left: Option<(usize, usize)>,
    /// How often the agent was gone, and came back.
    pub falls: u64,
    /// The causes of falls that were looked for although they were found before, with what may be demanded of them.
    pub looked_for: BTreeSet<(String, Level)>,
    /// How often what it fell of was looked for in vain, or was known.
    pub fruitless: usize,
    /// How much was seen once, and not again when the hunt was to end for it.
    pub gone: u64,
    pub dead: Option<String>,
}

/// How many attempts were answered since the agent was last seen to be as it was.
#[derive(Debug, Default)]
pub(super) struct Since {
    /// By a plain question.
    pub a_question: usize,
    /// By a message on which it worked, plain or not.
    pub a_message: usize,
}

impl Since {
    /// It has answered this as it should.
    pub fn is_well(&mut self, question: Question<'_>) {
        match question {
            Question::Read => self.a_question = 0,
            Question::Message(_) => self.a_message = 0,
        }
    }
}

impl Hunter<'_> {
    /// One leg after the other. Where the agent falls, what is under way is waited for, what made it fall is looked for, and the
    /// rest goes on.
    pub async fn run(&mut self, legs: Vec<Leg>, tell: &mut impl FnMut(&Progress)) {
        let mut legs = VecDeque::from(legs);
        loop {
            match self.stretch(&mut legs, tell).await {
                Some(fallen) => self.dead = self.rise(fallen).await,
                // What ends a hunt has to be there: a connection that was lost once is not.
                None if self.has_found_enough() => {
                    let settled = settle(self.aims, &mut self.judge, (self.budget.messages, self.latest)).await;
                    self.gone += settled.gone;
                    self.dead = settled.dead;
                    if self.has_found_enough() {
                        break;
                    }
                }
                None => break,
            }
            if self.dead.is_some() {
                return;
            }
        }
        self.left = self.left.or_else(|| legs.iter().find_map(Leg::left));
    }

    /// Looks at the agent once more: it may have fallen of what came last.
    pub async fn end(&mut self) {
        if let Some(fallen) = self.last_look().await {
            self.dead = self.rise(fallen).await;
        }
    }

    async fn last_look(&self) -> Option<Fallen> {
        let messages = &self.judge.messages;
        let asks = |aim: &&Aim| self.since.a_message > 0 && self.may_ask(aim) && messages.were_few_asked();
        let read = self.aims.iter().filter(|_| self.since.a_question > 0).map(|aim| (aim, Question::Read));
        let sent = self.aims.iter().find(asks).map(|aim| (aim, Question::Message(messages)));
        for (aim, question) in read.chain(sent) {
            let health = match question {
                Question::Read => ask(aim, question).await,
                // Who does not answer a question is asked again; one that works again is not.
                Question::Message(_) => look(aim, question).await,
            };
            if matches!(health, Health::Ill(_)) {
                let is_of_messages = question.is_a_message();
                return Some(Fallen { interface: aim.index, is_of_messages, ..Fallen::default() });
            }
        }
        None
    }

    /// Whether the agent may be sent a plain message over an interface, to see how it does.
    fn may_ask(&self, aim: &Aim) -> bool {
        aim.operations.contains(&Operation::SendMessage) && self.judge.messages.may_ask(self.budget.for_hunting())
    }

    /// Requests until there are no more, or something looks as if the agent had fallen. A leg begins while what is left of the
    /// one before it is still under way.
    async fn stretch(&mut self, legs: &mut VecDeque<Leg>, tell: &mut impl FnMut(&Progress)) -> Option<Fallen> {
        let (aims, classes, budget, began) = (self.aims, self.classes, self.budget, self.began);
        // How many requests were made, and how many attempts were answered.
        let (made, seen) = (Cell::new(self.requests), Cell::new(0));
        let spent = Rc::clone(&self.judge.messages);
        spent.begin_anew();
        let (missed, is_fallen) = (Cell::new(0), Cell::new(false));
        let is_enough = Cell::new(self.has_found_enough());
        // Attempts whose answers were not taken yet.
        let open = Cell::new(0_usize);
        let are_enough = || budget.requests.is_some_and(|most| made.get() >= most);
        let is_ending = || is_fallen.get() || is_enough.get();
        let may_go_on = || !are_enough() && !is_ending();
        let left = Cell::new(None);
        let under_way = UnderWay::default();
        let (waiting, passed, most) = (Cell::new(0), Cell::new(0), attempts_at_once(budget.jobs));
        let repeats = Rc::clone(&self.repeats);
        // Whether what was passed over last found no room among the messages.
        let lacks_room = Cell::new(false);
        // What is to be made next; nothing yet where what is under way decides whether there is anything.
        let mut next = || {
            // A step of what is under way may turn out to be one that cannot be sent, and leaves its place to another.
            if are_enough() && !is_ending() && open.get() > 0 {
                return Poll::Pending;
            }
            while let Some(leg) = legs.front_mut().filter(|_| may_go_on()) {
                if missed.get() >= MOST_MISSED && lacks_room.get() {
                    spent.run_out();
                }
                let is_over = missed.get() >= MOST_MISSED || began.elapsed() >= leg.time;
                let Some((phase, index, bytes)) = leg.next(&spent).filter(|_| !is_over) else {
                    if leg.waits_for(&spent) && !is_over {
                        return Poll::Pending;
                    }
                    left.set(left.take().or_else(|| leg.left()));
                    legs.pop_front();
                    missed.set(0);
                    continue;
                };
                // Those that wait leave room for those that do not, as long as there are some; of boundaries there is one of each.
                let may_wait = || {
                    let has_no_room =
                        phase == Phase::Webhooks && aims.get(index).is_some_and(|aim| aim.inbox.is_full());
                    let is_full = has_no_room || phase != Phase::Boundaries && waiting.get() > most / 2;
                    let is_full = is_full && passed.get() < MOST_PASSED;
                    passed.set(passed.get() + usize::from(is_full));
                    !is_full
                };
                // To make one only to pass it over costs more than to send another.
                if phase.waits() && !may_wait() {
                    continue;
                }
                missed.set(missed.get() + 1);
                let Some(aim) = aims.get(index) else { continue };
                let Some(steps) = attempt(phase, (aims, aim), classes, &bytes) else { continue };
                if !steps.first().is_some_and(|first| first.can_begin(aim)) {
                    continue;
                }
                let is_message = steps.iter().any(Probe::may_start_work);
                if is_message && leg.is_sparing {
                    missed.set(0);
                    leg.last.push_back((phase, index, bytes));
                    continue;
                }
                let work = if leg.messages.is_some() { spent.work_of((aims, aim), &steps) } else { 0 };
                let has_room = spent.have_room_for(work, leg.messages);
                lacks_room.set(!has_room);
                if !has_room {
                    if leg.count.is_some() {
                        missed.set(0);
                        leg.later.push_back(((phase, index, bytes), work));
                    }
                    continue;
                }
                // What found no room was not asked.
                if repeats.borrow_mut().pass_over(phase, aim.index, &steps) {
                    continue;
                }
                missed.set(0);
                let waits = phase.waits() || is_message;
                if is_message && !phase.waits() && !may_wait() {
                    continue;
                }
                passed.set(0);
                spent.begin(work);
                made.set(made.get() + requests_in(&steps));
                open.set(open.get() + 1);
                return Poll::Ready(Some((
                    (aim, waits, (work, seen.get())),
                    Arc::new(Attempt { phase, interface: aim.index, steps }),
                )));
            }
            Poll::Ready(None)
        };
        // It begins when there is a place for its first step, so what is under way goes before what is new: a step that waited behind
        // all that begins would find that its task has ended.
        let begun = poll_fn(|_| next()).then(|(of, attempt)| async move {
            let (aim, ..) = of;
            (aim.session.options.places.place().await, of, attempt)
        });
        let begun = begun.map(|(place, (aim, waits, work), attempt)| {
            let (waiting, own) = (&waiting, usize::from(waits));
            let (under_way, number) = (&under_way, under_way.next());
            waiting.set(waiting.get() + own);
            async move {
                let begins = |step| under_way.begin(number, aim.index, &attempt, step);
                let spoken = speak_in(place, (aims, aim), &attempt.steps, Some(&begins));
                let answers = aim.session.connection.in_turn(spoken).await;
                under_way.end(number);
                waiting.set(waiting.get() - own);
                ((aim, work), attempt, answers)
            }
        });
        let mut begun = pin!(begun);
        let is_looking = Cell::new(false);
        let begun = poll_fn(|context| match is_looking.get() {
            true => Poll::Pending,
            false => begun.as_mut().poll_next(context),
        });
        let mut answered = begun.buffer_unordered(most);
        // What was answered while the agent was looked at.
        let mut kept = VecDeque::new();
        let mut fallen = Fallen::default();
        let mut since_control = 0;
        let mut end = began + budget.time + LINGERS;
        loop {
            let next = match kept.pop_front() {
                Some(next) => Some(next),
                None => tokio::time::timeout_at(end, answered.next()).await.ok().flatten(),
            };
            let Some(((aim, (work, before)), attempt, answers)) = next else {
                // What is silent where others are answered at once is waited for, as far as there is time to ask for it once more.
                let until = under_way.silent_until(aims).map(|until| until.min(self.latest - FOR_SILENCE));
                match until.filter(|until| *until > end && !is_fallen.get() && !is_enough.get()) {
                    Some(until) => end = until,
                    None => break,
                }
                continue;
            };
            open.set(open.get() - 1);
            for (step, _) in attempt.steps.iter().zip(&answers).filter(|(step, _)| !step.listens()) {
                self.requests += 1;
                since_control += 1;
                let on = side(aims, aim, step.over);
                *self.by_operation.entry((on.name(), step.operation)).or_default() += 1;
            }
            // What was decided and could not be sent is none.
            let unsent = attempt.steps.get(answers.len()..).unwrap_or_default();
            made.set(made.get().saturating_sub(requests_in(unsent)));
            self.judge.messages.end(work);
            self.keep(&attempt);
            seen.set(seen.get() + 1);
            if has_worked(&attempt, &answers) {
                // What was answered while it was under way may have come before it or after.
                self.since.a_message = self.since.a_message.min(seen.get() - before);
            }
            let (is_lost, is_due) = (is_lost(&attempt, &answers), since_control >= BETWEEN_CONTROLS);
            let has_failed = has_failed(&attempt, &answers);
            let is_over = Instant::now() >= end;
            let is_to_read = is_lost || is_due;
            // What is under way may show it, and is waited for beside the others.
            let has_long_worked_on_none = self.since.a_message >= BETWEEN_CONTROLS && waiting.get() == 0;
            let is_new = || self.judge.sees_something_new(aims, aim, &attempt, &answers);
            let is_to_work = self.may_ask(aim)
                && ((has_failed && is_new())
                    || ((has_failed || has_long_worked_on_none) && self.judge.messages.were_few_asked()));
            if (is_to_read || is_to_work) && !is_fallen.get() && !is_over {
                since_control = if is_to_read { 0 } else { since_control };
                fallen.interface = aim.index;
                tell(&self.progress(attempt.phase));
                is_looking.set(true);
                let read = is_to_read.then_some(Question::Read);
                let sent = is_to_work.then_some(Question::Message(&spent));
                for question in read.into_iter().chain(sent) {
                    if question.is_a_message() {
                        spent.ask();
                    }
                    let health =
                        meanwhile(look(aim, question), &mut answered, &mut kept, (end, self.latest, is_answered)).await;
                    if health != Health::Well {
                        fallen.is_of_messages = question.is_a_message();
                        is_fallen.set(true);
                        break;
                    }
                    self.since.is_well(question);
                }
                is_looking.set(false);
            }
            // An agent that is well has but left this one, or failed at it.
            if is_fallen.get() && (is_lost || (has_failed && fallen.is_of_messages)) {
                let lost = if is_lost { &mut fallen.lost } else { &mut fallen.failed };
                lost.push((attempt, answers));
                continue;
            }
            self.judge.see(aims, aim, &attempt, answers);
            is_enough.set(self.has_found_enough());
            if is_enough.get() {
                end = end.min(Instant::now() + LINGERS);
            }
        }
        drop(answered);
        self.left = self.left.or_else(|| left.take());
        is_fallen.get().then_some(fallen)
    }

    /// Whether something was found that ends the hunt.
    pub fn has_found_enough(&self) -> bool {
        self.budget.ends_at.is_some_and(|level| self.judge.buckets.reach(level, &self.budget.known))
    }

    /// What was not tried for want of time or of requests.
    pub fn not_asked(&self) -> Vec<String> {
        if self.has_found_enough() || self.dead.is_some() {
            return Vec::new();
        }
        let mut not_asked = Vec::new();
        if let Some((left, count)) = self.left {
            not_asked.push(format!("{left} of {count} single changes: --time and --requests allow more"));
        }
        for aim in self.aims {
            let is_new = |operation: &&Operation| !self.by_operation.contains_key(&(aim.name(), **operation));
            let never: Vec<String> = aim.operations.iter().filter(is_new).map(Operation::to_string).collect();
            if !never.is_empty() {
                not_asked.push(format!("{}: {}", aim.name(), never.join(", ")));
            }
        }
        not_asked
    }

    fn keep(&mut self, attempt: &Arc<Attempt>) {
        self.last.push_back(Arc::clone(attempt));
        self.since.a_question += 1;
        self.since.a_message += 1;
        if self.last.len() > KEPT {
            self.last.pop_front();
        }
    }

    fn progress(&self, phase: Phase) -> Progress {
        Progress {
            what: phase.name(),
            shrunk: None,
            requests: self.requests,
            elapsed: self.began.elapsed(),
            found: self.judge.buckets.levels(),
        }
    }
}

/// Looks at the agent while answers to what is under way are still read: on one connection, those that nobody reads are in the way of
/// the one that is waited for. One that answers others when the time is over is there; one that answers nobody up to the latest moment is
/// not.
async fn meanwhile<T>(
    look: impl Future<Output = Health>,
    answered: &mut (impl Stream<Item = T> + Unpin),
    kept: &mut VecDeque<T>,
    (end, latest, is_answered): (Instant, Instant, impl Fn(&T) -> bool),
) -> Health {
    let mut look = pin!(look);
    let mut is_there = false;
    loop {
        tokio::select! {
            biased;
            health = &mut look => return health,
            Some(next) = answered.next() => {
                is_there |= is_answered(&next);
                kept.push_back(next);
            }
            () = tokio::time::sleep_until(end), if is_there => return Health::Well,
            () = tokio::time::sleep_until(latest) => return Health::Ill(NOT_IN_TIME.to_owned()),
        }
    }
}

/// How many attempts are under way: some wait for the agent's work, and only requests count as jobs.
fn attempts_at_once(jobs: usize) -> usize {
    if jobs <= 1 { 1 } else { jobs.saturating_mul(WAITING) }
}

/// How many of some steps are requests.
fn requests_in(steps: &[Probe]) -> u64 {
    steps.iter().filter(|step| !step.listens()).count() as u64
}

/// Whether a request of an attempt was answered.
fn is_answered<T>((.., answers): &(T, Arc<Attempt>, Vec<Answer>)) -> bool {
    answers.iter().any(|answer| answer.exchange.response.is_some())
}

/// Whether a request of an attempt that is to be answered was not.
fn is_lost(attempt: &Attempt, answers: &[Answer]) -> bool {
    let mut both = attempt.steps.iter().zip(answers);
    both.any(|(step, answer)| answer.exchange.response.is_none() && !step.may_be_dropped())
}

/// Whether the agent failed at a message, as it may if it works on none any more. To bytes that are no call it may deny the method.
fn has_failed(attempt: &Attempt, answers: &[Answer]) -> bool {
    let mut both = attempt.steps.iter().zip(answers);
    both.any(|(step, answer)| {
        // Over gRPC one status has several names.
        let is_no_call = |error: &ErrorObject| NO_CALL.iter().any(|name| error.is(name)) && !error.is("InternalError");
        let is_denied = answer.refusal().is_some_and(is_no_call);
        step.operation == Operation::SendMessage
            && !step.listens()
            && answer.exchange.response.is_some()
            && fails(answer)
            && !is_denied
    })
}

/// Whether it worked on one that may be right.
fn has_worked(attempt: &Attempt, answers: &[Answer]) -> bool {
    let mut both = attempt.steps.iter().zip(answers);
    both.any(|(step, answer)| {
        step.operation == Operation::SendMessage && step.may_start_work() && was_worked_on(answer)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use futures_util::stream::once;
    use tokio::sync::oneshot;

    use super::*;

    /// Over HTTP/2, what nobody reads fills the window that all answers share.
    #[tokio::test]
    async fn answers_are_read_while_the_agent_is_looked_at() {
        let (read, was_read) = oneshot::channel();
        let mut answered = once(async move { read.send(()).map(|()| 1).unwrap() }).boxed();
        let look = async { was_read.await.map(|()| Health::Well).unwrap() };
        let mut kept = VecDeque::new();
        let end = (Instant::now(), Instant::now() + Duration::from_secs(60), |_: &i32| false);
        assert_eq!(meanwhile(look, &mut answered, &mut kept, end).await, Health::Well);
        assert_eq!(kept, [1]);
    }

    /// A question that an agent leaves now and then does not outlast the time if it answers others.
    #[tokio::test(start_paused = true)]
    async fn an_agent_that_answers_others_is_not_waited_for_when_the_time_is_over() {
        let began = Instant::now();
        let time = Duration::from_secs(2);
        for (answers, latest, took) in [(true, 60, 2), (false, 60, 10), (false, 5, 5)] {
            let look = async {
                tokio::time::sleep(Duration::from_secs(10)).await;
                Health::Ill("silent".to_owned())
            };
            let mut answered = once(async move { answers }).chain(futures_util::stream::pending()).boxed();
            let began = Instant::now();
            let end = (began + time, began + Duration::from_secs(latest), |answers: &bool| *answers);
            let health = meanwhile(look, &mut answered, &mut VecDeque::new(), end).await;
            assert_eq!((health == Health::Well, began.elapsed().as_secs()), (answers, took));
        }
        assert_eq!(began.elapsed().as_secs(), 17);
    }
}
