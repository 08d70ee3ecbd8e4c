//! Restarts the agent within the cases about what is durable: once for all of them, when each is as far as that.
//!
//! These cases run after all others, so that nothing else is under way. Each goes on to the step that is to come
//! [after a restart](crate::case::Step::after_restart) and waits there. Nothing that these cases see is part of what cases see that
//! judge an interface as a whole. What is not right then runs once more without a restart: what is wrong all the same has nothing to
//! do with it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Either, join_all, select};
use tokio::sync::watch;
use tokio::time::Instant;

use super::ending::Ending;
use super::trial::Done;
use super::{Interfaces, alone, enter, one, tell_result};
use crate::binding::address;
use crate::case::Durable;
use crate::event::{Event, EventSink};
use crate::plan::Trial;
use crate::reason::Reason;
use crate::session::load::{Load, Turn};
use crate::transport::heart::Heart;
use crate::transport::http::Http;
use crate::verdict::{SideCondition, Verdict};

/// How long the command may take; how long after it connections may break; and how long the agent then takes until it answers again.
const COMMAND_LIMIT: Duration = Duration::from_secs(120);
const SIGN_LIMIT: Duration = Duration::from_secs(10);
const COMEBACK_LIMIT: Duration = Duration::from_secs(60);

/// Restarts the agent; ends when that is done or has failed, as the text says.
type Restarting = dyn Fn() -> BoxFuture<'static, Result<(), String>> + Send + Sync;

/// How to restart the agent, and what is to last.
#[derive(Clone)]
pub(crate) struct Restart {
    restarting: Arc<Restarting>,
    durable: BTreeSet<Durable>,
}

impl fmt::Debug for Restart {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Restart").field("durable", &self.durable).finish_non_exhaustive()
    }
}

impl Restart {
    /// A way to restart the agent, and what is declared durable. Everything else is about tasks, so these must last, too.
    pub fn new(restarting: Arc<Restarting>, mut durable: BTreeSet<Durable>) -> Self {
        durable.insert(Durable::Tasks);
        Self { restarting, durable }
    }

    /// What is declared durable.
    pub fn durable(&self) -> &BTreeSet<Durable> {
        &self.durable
    }

    /// Whether a trial is about what is durable.
    pub fn concerns(&self, trial: &Trial) -> bool {
        trial.skipped.is_none() && trial.case.lasts_by().is_some_and(|kind| self.durable.contains(&kind))
    }

    /// Runs the cases about what is durable.
    pub(super) async fn run(
        &self,
        trials: &[Arc<Trial>],
        interfaces: &Interfaces,
        (http, ending): (&Http, &Ending),
        stop: &watch::Receiver<bool>,
        sink: &EventSink,
    ) {
        let barrier = Arc::new(Barrier::of(trials.len()));
        let plays = join_all(trials.iter().map(|trial| {
            let member = Member::of(&barrier, trial);
            async move {
                let sides = interfaces.sides_of(trial);
                let turn = enter(trial, sides.as_ref(), stop).await;
                let sides = sides.map(|sides| {
                    member.hold(sides.first.options.places.load().clone(), turn);
                    sides.through(member)
                });
                sink.send(Event::Started { case: trial.case.id.clone() });
                let began = Instant::now();
                (began, http.in_turn(one(trial, sides, ending, stop)).boxed().await)
            }
        }));
        let over: BTreeSet<usize> =
            trials.iter().flat_map(|trial| std::iter::once(trial.interface).chain(trial.second)).collect();
        let between = async {
            if barrier.is_reached().await {
                barrier.open(self.restart(interfaces, &over, http).await);
            }
        };
        let (played, ()) = futures_util::future::join(plays.boxed(), between.boxed()).await;
        for (trial, (began, done)) in trials.iter().zip(played) {
            let (done, passed) = match is_for_the_restart(&done) && !*stop.borrow() {
                false => (done, None),
                true => match alone(trial, interfaces, ending, stop).await {
                    (_, without) if without.result.verdict == Verdict::Pass => (done, Some(without.result)),
                    // What is wrong without a restart, too, has nothing to do with it.
                    (_, without) => (without, None),
                },
            };
            ending.see(&done.result);
            tell_result(sink, began, done);
            if let Some(result) = passed {
                sink.send(Event::Without { condition: SideCondition::Restart, result: Box::new(result) });
            }
        }
    }

    /// Restarts the agent; why that shows nothing over an interface, where it does not.
    async fn restart(&self, interfaces: &Interfaces, over: &BTreeSet<usize>, http: &Http) -> Outcome {
        let failed = |how: String| Reason::RestartFailed { how };
        let sessions: Vec<_> = over.iter().filter_map(|at| Some((*at, interfaces.get(*at)?))).collect();
        let places: BTreeMap<usize, String> =
            sessions.iter().map(|(at, session)| (*at, address(&session.connection.interface))).collect();
        let mut hearts = BTreeMap::new();
        for place in places.values() {
            match Heart::of(http, place.clone()).await {
                Ok(heart) => hearts.insert(place.as_str(), heart),
                Err(ended) => return Err(failed(ended.to_string())),
            };
        }
        let seconds = |limit: Duration| limit.as_secs();
        {
            let command = tokio::time::timeout(COMMAND_LIMIT, (self.restarting)());
            let broken = join_all(hearts.values_mut().map(Heart::until_broken));
            let (ended, broken) = match select(command.boxed(), broken.boxed()).await {
                Either::Left((ended, broken)) => (ended, Some(broken)),
                Either::Right((_, command)) => (command.await, None),
            };
            match ended {
                Ok(done) => done.map_err(failed)?,
                Err(_) => return Err(failed(format!("the command did not end within {} s", seconds(COMMAND_LIMIT)))),
            }
            // The command may only have asked for a restart that comes later.
            if let Some(broken) = broken {
                let _whether_seen = tokio::time::timeout(SIGN_LIMIT, broken).await;
            }
        }
        for (_, session) in &sessions {
            let back = session.is_back_within(COMEBACK_LIMIT).await;
            back.map_err(|how| failed(format!("no answer of A2A within {} s: {how}", seconds(COMEBACK_LIMIT))))?;
        }
        hearts.retain(|_, heart| !heart.is_broken());
        Ok(places.iter().filter(|(_, place)| hearts.contains_key(place.as_str())).map(|(at, _)| *at).collect())
    }
}

/// Whether a result may be otherwise without the restart. A case that did not come as far as its verdict shows nothing of a restart.
fn is_for_the_restart(done: &Done) -> bool {
    matches!(done.result.verdict, Verdict::Fail | Verdict::Warn | Verdict::Note)
}

/// The interfaces over which no restart was seen, or why there was none.
type Outcome = Result<BTreeSet<usize>, Reason>;

/// Where cases wait for the restart.
struct Barrier {
    /// How many cases are not there yet, nor over.
    missing: watch::Sender<usize>,
    /// Whether a case waits.
    is_awaited: AtomicBool,
    outcome: watch::Sender<Option<Outcome>>,
}

impl Barrier {
    /// A barrier for so many cases.
    fn of(cases: usize) -> Self {
        Self {
            missing: watch::Sender::new(cases),
            is_awaited: AtomicBool::new(false),
            outcome: watch::Sender::new(None),
        }
    }

    fn arrive(&self) {
        self.missing.send_modify(|missing| *missing = missing.saturating_sub(1));
    }

    /// Waits until each case is there or over; whether any is there.
    async fn is_reached(&self) -> bool {
        let mut missing = self.missing.subscribe();
        // This holds the sender.
        let _ = missing.wait_for(|missing| *missing == 0).await;
        self.is_awaited.load(Ordering::Acquire)
    }

    fn open(&self, outcome: Outcome) {
        self.outcome.send_replace(Some(outcome));
    }
}

/// A case that is to wait for the restart.
pub(super) struct Member {
    barrier: Arc<Barrier>,
    interfaces: Vec<usize>,
    has_arrived: AtomicBool,
    /// Its turn, which others have while it waits.
    turn: Mutex<Option<(Load, Option<Turn>)>>,
}

impl Member {
    fn of(barrier: &Arc<Barrier>, trial: &Trial) -> Self {
        Self {
            barrier: Arc::clone(barrier),
            interfaces: std::iter::once(trial.interface).chain(trial.second).collect(),
            has_arrived: AtomicBool::new(false),
            turn: Mutex::default(),
        }
    }

    fn hold(&self, load: Load, turn: Option<Turn>) {
        *self.turn.lock().unwrap_or_else(PoisonError::into_inner) = Some((load, turn));
    }

    /// Waits until the agent has been restarted.
    ///
    /// # Errors
    /// Nothing shows that it has.
    pub async fn restarted(&self) -> Result<(), Reason> {
        let held = self.turn.lock().unwrap_or_else(PoisonError::into_inner).take();
        let load = held.map(|(load, turn)| {
            drop(turn);
            load
        });
        let mut outcome = self.barrier.outcome.subscribe();
        self.barrier.is_awaited.store(true, Ordering::Release);
        self.arrive();
        let outcome = match outcome.wait_for(Option::is_some).await {
            Ok(outcome) => outcome.clone(),
            Err(_) => None,
        };
        if let Some(load) = load {
            let turn = load.turn().await;
            self.hold(load, Some(turn));
        }
        match outcome {
            Some(Ok(unseen)) if self.interfaces.iter().any(|at| unseen.contains(at)) => Err(Reason::RestartUnseen),
            Some(Ok(_)) => Ok(()),
            Some(Err(reason)) => Err(reason),
            None => Err(Reason::Interrupted),
        }
    }

    fn arrive(&self) {
        if !self.has_arrived.swap(true, Ordering::AcqRel) {
            self.barrier.arrive();
        }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.arrive();
    }
}
