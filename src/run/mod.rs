//! Executes a plan: talks to the agent, records what was said, asks the judge, and tells what happened.
//!
//! Enters: a [`Plan`], the agent's endpoints, triggers and limits. Leaves: a stream of [`Event`]s. Owns concurrency and
//! clocks; never prints.

mod agent;
mod control;
mod fixture;
mod judging;
mod message;
mod pooled;
mod record;
mod schedule;
mod scope;
mod settle;
mod silence;
mod step;
mod trial;
mod unknown;
mod walk;

use std::sync::Arc;
use std::time::Instant;

use futures_util::StreamExt as _;
use tokio::sync::{mpsc, watch};

pub use message::merge;

use crate::binding::http::Http;
use crate::case::Side;
use crate::discovery::triggers::Triggers;
use crate::event::{Event, Stopped};
use crate::interface::{Endpoint, TargetInfo};
use crate::plan::{Plan, Trial};
use crate::reason::Reason;
use crate::verdict::{Times, Verdict};
use agent::Agent;
use judging::Judging;
use schedule::Schedule;
use trial::Done;

/// What a run needs to know besides its plan.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many trials go on at once.
    pub jobs: usize,
    /// The most messages that the agent may be sent.
    pub max_messages: Option<u64>,
    /// What to send to bring the agent into its states.
    pub triggers: Triggers,
}

/// Runs a plan to its end, or until `stop` turns true.
///
/// Every trial of the plan is reported exactly once, those that were not reached before the stop as unreached.
pub async fn execute(
    plan: Arc<Plan>,
    mut target: TargetInfo,
    endpoints: Vec<Endpoint>,
    http: Arc<Http>,
    options: Options,
    events: mpsc::UnboundedSender<Event>,
    stop: watch::Receiver<bool>,
) {
    let tell = Teller { events, began: http.began() };
    let used: Vec<bool> =
        (0..endpoints.len()).map(|index| plan.trials.iter().any(|trial| trial.talks_over(index))).collect();
    let settled = endpoints.into_iter().zip(&used).map(|(endpoint, used)| {
        let (http, options, tell) = (Arc::clone(&http), options.clone(), tell.clone());
        let stop = &stop;
        async move { settle::settle(endpoint, *used, &http, &options, &tell, stop).await }
    });
    let settled = futures_util::future::join_all(settled).await;
    for (interface, settled) in target.checked_mut().zip(&settled) {
        interface.form.clone_from(&settled.form);
    }
    let agents: Vec<Arc<Agent>> = settled.iter().map(|settled| Arc::clone(&settled.agent)).collect();
    tell.say(Event::Met(target));
    let met = agents.iter().zip(&used).filter(|(_, used)| **used).map(|(agent, _)| until_stopped(agent.meet(), &stop));
    futures_util::future::join_all(met).await;
    let (observing, talking): (Vec<_>, Vec<_>) = plan.trials.iter().cloned().partition(|trial| trial.observes());
    let schedule = Schedule::new(&talking, observing, agents.len());
    let judging = Judging::start(tell.clone(), stop.clone());
    let judge = |interface: usize| {
        if let Some(agent) = agents.get(interface) {
            judging.add(agent, schedule.observing(interface));
        }
    };
    for interface in schedule.silent() {
        judge(interface);
    }
    let jobs = options.jobs.max(1);
    futures_util::stream::iter(&talking)
        .for_each_concurrent(jobs, async |trial| {
            let sides = agents
                .get(trial.endpoint)
                .cloned()
                .map(|first| Sides { first, second: trial.second.and_then(|second| agents.get(second).cloned()) });
            tell.say(Event::Started { case: trial.case.id.clone() });
            let began = Instant::now();
            tell.finished(began, one(trial, sides, &stop).await);
            schedule.finished(trial).into_iter().for_each(&judge);
        })
        .await;
    judging.end().await;
    futures_util::future::join_all(agents.iter().map(|agent| until_stopped(agent.leave(), &stop))).await;
    let stopped = if *stop.borrow() {
        Some(Stopped::Interrupted)
    } else {
        // An interface that is down takes its own cases with it; a run is over when there is none left.
        let lost: Option<Vec<Reason>> = agents.iter().map(|agent| agent.gone()).collect();
        lost.and_then(|reasons| reasons.first().map(Reason::to_string)).map(Stopped::Gone)
    };
    for (interface, agent) in agents.iter().enumerate() {
        if let Some(reason) = agent.gone() {
            tell.say(Event::Lost { interface, reason: reason.to_string() });
        }
    }
    let messages_sent = settled.iter().map(settle::Settled::messages_sent).sum();
    tell.say(Event::Done { messages_sent, stopped });
}

/// The agent over the binding of a trial, and over the second where it runs across two.
struct Sides {
    first: Arc<Agent>,
    second: Option<Arc<Agent>>,
}

impl Sides {
    /// The agent over the binding that a step goes over.
    fn of(&self, side: Side) -> &Agent {
        match (side, &self.second) {
            (Side::Second, Some(second)) => second,
            _ => &self.first,
        }
    }

    fn all(&self) -> impl Iterator<Item = &Arc<Agent>> {
        std::iter::once(&self.first).chain(&self.second)
    }
}

async fn one(trial: &Trial, sides: Option<Sides>, stop: &watch::Receiver<bool>) -> Done {
    if let Some(done) = not_to_be_run(trial, stop) {
        return done;
    }
    let Some(sides) = sides else {
        return Done::without_findings(trial, Verdict::Broken, Reason::mistake("the plan names no such interface"));
    };
    for agent in sides.all() {
        until_stopped(agent.look_whether_it_is_there(), stop).await;
        if let Some(reason) = agent.gone() {
            return Done::without_findings(trial, Verdict::Unreached, reason);
        }
    }
    let done = until_stopped(trial::run(trial, &sides), stop).await;
    done.unwrap_or_else(|| Done::without_findings(trial, Verdict::Unreached, Reason::Interrupted))
}

fn not_to_be_run(trial: &Trial, stop: &watch::Receiver<bool>) -> Option<Done> {
    let skipped = trial.skipped.clone().map(|reason| (Verdict::Skipped, reason));
    let stopped = || stop.borrow().then(|| (Verdict::Unreached, Reason::Interrupted));
    let (verdict, reason) = skipped.or_else(stopped)?;
    Some(Done::without_findings(trial, verdict, reason))
}

/// Awaits a future, or gives it up when the run is stopped.
async fn until_stopped<T>(future: impl Future<Output = T>, stop: &watch::Receiver<bool>) -> Option<T> {
    let mut stop = stop.clone();
    tokio::select! {
        done = future => Some(done),
        Ok(_) = stop.wait_for(|stopped| *stopped) => None,
    }
}

/// The way by which a run tells what happens.
#[derive(Clone)]
struct Teller {
    events: mpsc::UnboundedSender<Event>,
    /// When the run began.
    began: Instant,
}

impl Teller {
    /// Nobody listens any more when the program is about to end: that is no error of the run.
    fn say(&self, event: Event) {
        let _ = self.events.send(event);
    }

    fn finished(&self, began: Instant, Done { mut result, cited, waited }: Done) {
        result.times = waited.map(|waited| Times::new(began.duration_since(self.began), began.elapsed(), waited));
        self.say(Event::Finished { result: Box::new(result), cited });
    }
}
