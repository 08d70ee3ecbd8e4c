//! Executes a plan: talks to the agent, records what was said, asks the judge, and tells what happened.
//!
//! Enters: a [`Plan`], the agent's interfaces, triggers and limits. Leaves: a stream of [`Event`]s. Owns concurrency and
//! clocks; never prints.

mod again;
mod bytes;
mod ending;
mod judging;
mod lost;
mod purged;
mod restart;
mod schedule;
mod scope;
mod step;
mod steps;
mod together;
mod traffic;
mod trial;
mod trust;
mod walk;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use futures_util::{FutureExt as _, StreamExt as _};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::case::{Side, Step};
use crate::discovery::Trust;
use crate::discovery::triggers::Triggers;
use crate::event::{Condition, Event, EventSink, Stopped};
use crate::interface::Agent;
use crate::plan::{Plan, Trial};
use crate::profile::Capability;
use crate::reason::Reason;
use crate::secrets::Secrets;
use crate::session::dialect::{DetectedDialect, Search, detect_dialect};
use crate::session::load::Turn;
use crate::session::places::Places;
use crate::session::stop::until_stopped;
use crate::session::words::Words;
use crate::session::{self, Session};
use crate::transport::http::Http;
use crate::transport::inbound::Receiver;
use crate::transport::turns;
use crate::verdict::{SideCondition, Times, Verdict};
use again::{Again, Meanwhile};
use ending::Ending;
pub(crate) use ending::ended;
pub use ending::{Deadline, FailFast};
use judging::Judging;
use restart::Member;
pub(crate) use restart::Restart;
use schedule::Schedule;
use trial::Done;
pub(crate) use trial::{cited_by, conclude, spell};

/// What a run needs to know besides its plan.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many requests may be in flight; with one, the trials go one after the other.
    pub jobs: usize,
    /// When the run is to be over.
    pub deadline: Option<Deadline>,
    /// Which results end it, if any do.
    pub fail_fast: Option<FailFast>,
    /// How often a case that failed is run again.
    pub retries: usize,
    /// Whether each result has the steps of its case; else only those in which something was wrong.
    pub keeps_steps: bool,
    /// What goes on beside the cases; without it, those that are not right run once more.
    pub beside: Option<Beside>,
    /// How the agent is restarted within the cases about what is durable; without it, it is not.
    pub(crate) restart: Option<Restart>,
    /// The most messages that the agent may be sent.
    pub max_messages: Option<u64>,
    /// What to send to bring the agent into its states.
    pub triggers: Triggers,
    /// By what signatures of cards are verified.
    pub trust: Arc<Trust>,
    /// What receives deliveries to webhooks, where a case of the plan waits for some.
    pub webhooks: Option<Arc<Receiver>>,
    /// What nobody may see who hears of the run.
    pub secrets: Secrets,
}

/// What goes on beside the cases of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// So many requests a second.
    Load(u32),
    /// Requests go to one replica of the agent after the other.
    Replicas,
}

impl Beside {
    fn condition(self) -> SideCondition {
        match self {
            Self::Load(_) => SideCondition::Load,
            Self::Replicas => SideCondition::Replicas,
        }
    }
}

/// Runs a plan to its end, or until `user` turns true, the time is over, or something fails that is to end the run.
///
/// Every trial of the plan is reported exactly once, those that were not reached before the end as unreached.
pub async fn execute(
    plan: Arc<Plan>,
    agent: Agent,
    http: Arc<Http>,
    options: Options,
    events: mpsc::UnboundedSender<Event>,
    user: watch::Receiver<bool>,
) {
    let ending = Arc::new(Ending::new(options.fail_fast.clone()));
    let (stopper, stop) = watch::channel(false);
    let deadline = options.deadline;
    tokio::select! {
        biased;
        () = ending.watch(&user, deadline, http.credentials(), &stopper) => {}
        () = run(plan, agent, Arc::clone(&http), options, events, &ending, stop).boxed() => {}
    }
}

async fn run(
    plan: Arc<Plan>,
    agent: Agent,
    http: Arc<Http>,
    options: Options,
    events: mpsc::UnboundedSender<Event>,
    ending: &Arc<Ending>,
    stop: watch::Receiver<bool>,
) {
    let sink = EventSink::new(events, http.began(), options.secrets);
    let places = Places::new(options.jobs);
    let limits = session::Options {
        max_messages: options.max_messages,
        messages: Arc::default(),
        words: Arc::new(Words::new(options.triggers.clone(), options.max_messages)),
        places: places.clone(),
        trust: options.trust,
        webhooks: options.webhooks,
    };
    let over = |index: usize| plan.trials.iter().filter(move |trial| trial.talks_over(index));
    let is_used = |index: usize| over(index).next().is_some();
    let search = |index: usize| match (is_used(index), over(index).any(|trial| trial.judges_by("one-dialect"))) {
        (false, _) => Search::None,
        (true, false) => Search::First,
        (true, true) => Search::All,
    };
    let mut target = agent.info();
    let spoken = agent.interfaces.into_iter().enumerate().map(|(index, listed)| {
        let (http, limits, sink, stop) = (&http, &limits, &sink, &stop);
        async move {
            let interface = listed.interface?;
            // On the heap, as conversations are.
            Some(detect_dialect(interface, search(index), http, limits, sink, stop).boxed().await)
        }
    });
    let spoken = futures_util::future::join_all(spoken).await;
    for (info, spoken) in target.interfaces.iter_mut().zip(&spoken) {
        info.dialect = spoken.as_ref().and_then(|spoken| spoken.dialect.clone());
    }
    let sessions = spoken.iter().map(|it| it.as_ref().map(|it| Arc::clone(&it.session))).collect();
    let interfaces = Interfaces { sessions, keeps_steps: options.keeps_steps };
    sink.send(Event::Met(target));
    let met = interfaces.all().filter(|(index, _)| is_used(*index));
    futures_util::future::join_all(met.map(|(_, session)| until_stopped(session.probe().boxed(), &stop))).await;
    for (interface, session) in interfaces.all() {
        session.conditions().into_iter().for_each(|what| sink.send(Event::Condition { interface, what }));
    }
    if let Some(interface) = one_by_one(&plan, &interfaces, &stop).await {
        let is_news = places.cases() > 1;
        places.load().go_one_by_one();
        if is_news {
            sink.send(Event::Condition { interface, what: Condition::OneByOne });
        }
    }
    let (observing, talking): (Vec<_>, Vec<_>) = plan.trials.iter().cloned().partition(|trial| trial.observes());
    let lasts = |trial: &Arc<Trial>| options.restart.as_ref().is_some_and(|restart| restart.concerns(trial));
    let (restarting, talking): (Vec<_>, Vec<_>) = talking.into_iter().partition(lasts);
    let schedule = Schedule::new(&talking, observing, spoken.len());
    let judging = Judging::start(sink.clone(), Arc::clone(ending));
    let again = Again::new(options.retries, options.beside.map(Beside::condition));
    let judge = |interface: usize| {
        let Some(session) = interfaces.get(interface) else { return };
        let observing = schedule.observing(interface);
        match (session.has_unanswered() || session.is_doubtful())
            && observing.iter().any(|trial| trial.judges_by("answered"))
        {
            true => again.ask(interface),
            false => judging.add(session, observing),
        }
    };
    for interface in schedule.silent() {
        judge(interface);
    }
    let play = async |trial: &Arc<Trial>| {
        let sides = interfaces.sides_of(trial);
        let turn = enter(trial, sides.as_ref(), &stop).await;
        let silences = places.load().silences();
        sink.send(Event::Started { case: trial.case.id.clone() });
        let began = Instant::now();
        // A conversation is a large future: on the heap it does not weigh on the stack of whoever polls it.
        let done = http.in_turn(one(trial, sides, ending, &stop)).boxed().await;
        let was_alone = matches!(turn, Some(Turn::Alone(_)));
        drop(turn);
        let meanwhile = Meanwhile { was_silent: places.load().silences() > silences, was_alone };
        if let Some(done) = again.see(trial, began, done, meanwhile) {
            ending.see(&done.result);
            tell_result(&sink, began, done);
        }
        for interface in schedule.finished(trial) {
            if let Some(session) = interfaces.get(interface) {
                let changed = until_stopped(session.changed_tasks().boxed(), &stop).await.unwrap_or_default();
                changed.into_iter().for_each(|what| sink.send(Event::Changed { interface, what }));
            }
            judge(interface);
        }
    };
    // Where messages are counted, the order of the plan says what they are spent on.
    let has_order = options.max_messages.is_some() || places.cases() == 1;
    let lanes = schedule::lanes(&talking, has_order).map(|lane| async {
        futures_util::stream::iter(lane).for_each_concurrent(places.cases(), &play).await;
    });
    let played = async { drop(futures_util::future::join_all(lanes).await) }.boxed();
    match options.beside {
        Some(Beside::Load(per_second)) => {
            let used = interfaces.all().filter(|(index, _)| is_used(*index));
            let used: Vec<_> = used.map(|(_, session)| Arc::clone(session)).collect();
            sink.send(Event::Traffic(traffic::beside(per_second, &used, played).await));
        }
        Some(Beside::Replicas) | None => played.await,
    }
    interfaces.tidy_up(&stop).await;
    again.run(&interfaces, (&schedule, &judging), ending, &stop, &sink).await;
    judging.end().await;
    if let Some(restart) = options.restart.as_ref().filter(|_| !restarting.is_empty()) {
        restart.run(&restarting, &interfaces, (&http, ending), &stop, &sink).await;
    }
    interfaces.tidy_up(&stop).await;
    let stopped = ending.stopped().or_else(|| {
        // An interface that is down takes its own cases with it; a run is over when there is none left.
        let lost: Option<Vec<Reason>> = interfaces.all().map(|(_, session)| session.gone()).collect();
        lost.and_then(|reasons| reasons.first().map(Reason::to_string)).map(|how| Stopped::Gone { how })
    });
    for (interface, session) in interfaces.all() {
        let mut late: Vec<_> = session.conditions().into_iter().filter(|what| what.is_late()).collect();
        late.sort_by_key(|what| matches!(what, Condition::Overwhelmed { .. }));
        late.into_iter().for_each(|what| sink.send(Event::Condition { interface, what }));
        if let Some(reason) = session.gone() {
            sink.send(Event::Lost { interface, reason: reason.to_string() });
        }
        for (kind, miss, answers) in session.record.inferred() {
            sink.send(Event::Inferred { interface, kind, miss, answers });
        }
    }
    sink.send(Event::Words(limits.words.found()));
    let messages_sent = spoken.iter().flatten().map(DetectedDialect::messages_sent).sum();
    sink.send(Event::Done { messages_sent, stopped });
}

/// So few cases over an interface hold each other up too shortly to be worth a message of their own.
const FEW: usize = 16;

/// The interface over which was seen that the agent serves one request at a time. Whoever serves one stream at a time serves
/// one over all interfaces.
async fn one_by_one(plan: &Plan, interfaces: &Interfaces, stop: &watch::Receiver<bool>) -> Option<usize> {
    let streams = |index: usize| {
        let over_it = plan.trials.iter().filter(|trial| trial.talks_over(index));
        let (all, with_streams) = over_it.fold((0, 0), |(all, with), trial| {
            (all + 1, with + usize::from(trial.case.needs.contains(&Capability::Streaming)))
        });
        all > FEW && with_streams > 0
    };
    let (index, session) = interfaces.all().find(|(index, session)| streams(*index) && session.gone().is_none())?;
    let is_so = until_stopped(session.serves_one_at_a_time().boxed(), stop).await;
    (is_so == Some(true)).then_some(index)
}

/// The agent over each of its interfaces that are checked, by their place in the list of all.
struct Interfaces {
    sessions: Vec<Option<Arc<Session>>>,
    keeps_steps: bool,
}

impl Interfaces {
    fn get(&self, index: usize) -> Option<&Arc<Session>> {
        self.sessions.get(index)?.as_ref()
    }

    fn all(&self) -> impl Iterator<Item = (usize, &Arc<Session>)> {
        self.sessions.iter().enumerate().filter_map(|(index, session)| Some((index, session.as_ref()?)))
    }

    /// Those of a trial.
    fn sides_of(&self, trial: &Trial) -> Option<Sides> {
        let first = self.get(trial.interface).cloned()?;
        let second = trial.second.and_then(|second| self.get(second).cloned());
        Some(Sides { first, second, keeps_steps: self.keeps_steps, restart: None })
    }

    /// Ends what the run has left running.
    async fn tidy_up(&self, stop: &watch::Receiver<bool>) {
        let all = self.all().map(|(_, session)| until_stopped(session.tidy_up().boxed(), stop));
        futures_util::future::join_all(all).await;
    }
}

/// The agent over the binding of a trial, and over the second where it runs across two.
struct Sides {
    first: Arc<Session>,
    second: Option<Arc<Session>>,
    /// Whether its result has its steps, whatever came of it.
    keeps_steps: bool,
    /// Where it waits until the agent has been restarted, if it does.
    restart: Option<Member>,
}

impl Sides {
    /// The same for a trial within which the agent is restarted.
    fn through(self, member: Member) -> Self {
        Self { restart: Some(member), ..self }
    }

    /// The agent over the binding that a step goes over, in the name of who does it.
    fn of(&self, step: &Step) -> Arc<Session> {
        self.session_of(step).of(step.by)
    }

    /// The session of the run's own caller over the interface of a step.
    fn session_of(&self, step: &Step) -> &Arc<Session> {
        match (step.over, &self.second) {
            (Side::Second, Some(second)) => second,
            _ => &self.first,
        }
    }

    /// The dialect in which the agent is spoken to, if that is none in which a case can be.
    fn other_dialect(&self, trial: &Trial) -> Option<String> {
        let spoken = &self.first.connection.interface.dialect.name;
        let wanted = &trial.case.dialects;
        (!wanted.is_empty() && !wanted.contains(spoken)).then(|| spoken.clone())
    }

    fn all(&self) -> impl Iterator<Item = &Arc<Session>> + Clone {
        std::iter::once(&self.first).chain(&self.second)
    }
}

/// Waits until a case may talk: until the agent is there, as far as anybody knows, and others leave it the room.
async fn enter(trial: &Trial, sides: Option<&Sides>, stop: &watch::Receiver<bool>) -> Option<Turn> {
    let sides = sides.filter(|_| trial.skipped.is_none())?;
    let load = sides.first.options.places.load();
    let check = async || {
        for session in sides.all() {
            until_stopped(session.check_liveness().boxed(), stop).await;
        }
    };
    if !load.is_one_by_one() {
        check().await;
    }
    let turn = until_stopped(load.turn(), stop).await;
    // Now nothing else is under way, and nothing else that the agent could be silent for.
    if load.is_one_by_one() {
        check().await;
        if load.was_told() {
            until_stopped(sides.first.is_seen_closed().boxed(), stop).await;
        }
    }
    turn
}

/// Runs a trial in a turn of its own, and says when it began.
async fn alone(
    trial: &Trial,
    interfaces: &Interfaces,
    ending: &Ending,
    stop: &watch::Receiver<bool>,
) -> (Instant, Done) {
    let sides = interfaces.sides_of(trial);
    let _turn = enter(trial, sides.as_ref(), stop).await;
    let began = Instant::now();
    (began, one(trial, sides, ending, stop).boxed().await)
}

async fn one(trial: &Trial, sides: Option<Sides>, ending: &Ending, stop: &watch::Receiver<bool>) -> Done {
    if let Some(done) = not_to_be_run(trial, ending.begins_nothing()) {
        return done;
    }
    let Some(sides) = sides else {
        return Done::without_findings(trial, Verdict::Broken, Reason::mistake("the plan names no such interface"));
    };
    for session in sides.all() {
        // Why nothing else can be seen is told by the cases about the card, which says where the interface is.
        if let Some(reason) = session.gone().filter(|reason| !(reason.is_a_door() && trial.case.area() == "card")) {
            return Done::without_findings(trial, Verdict::Unreached, reason);
        }
    }
    // Each case would say the same, in its own words; one tells of it.
    let constant = sides.all().filter(|session| session.answers_alike()).find_map(|session| session.constant());
    if let Some(reason) = constant.filter(|_| !trial.case.needs_no_control()) {
        return Done::without_findings(trial, Verdict::Unreached, reason.clone());
    }
    if let Some(trigger) = sides.first.options.words.never(&trial.case) {
        let reason = Reason::TriggerNever { trigger: trigger.to_string() };
        return Done::without_findings(trial, Verdict::Skipped, reason);
    }
    if let Some(dialect) = sides.other_dialect(trial) {
        return Done::without_findings(trial, Verdict::Skipped, Reason::OtherDialect { dialect });
    }
    let Some(mut done) = until_stopped(turns::in_turns(&trial.case.id, trial::run(trial, &sides)), stop).await else {
        let why = ending.dropped().unwrap_or(Reason::Interrupted);
        return Done::without_findings(trial, Verdict::Unreached, why);
    };
    let explain = |reason: Reason| sides.all().fold(reason, |reason, session| session.explain(reason));
    done.result.reason = done.result.reason.map(explain);
    done
}

fn not_to_be_run(trial: &Trial, ended: Option<Reason>) -> Option<Done> {
    let skipped = trial.skipped.clone().map(|reason| (Verdict::Skipped, reason));
    let (verdict, reason) = skipped.or(ended.map(|reason| (Verdict::Unreached, reason)))?;
    Some(Done::without_findings(trial, verdict, reason))
}

/// Tells how a trial came out.
fn tell_result(sink: &EventSink, began: Instant, Done { mut result, cited, waited }: Done) {
    result.times = waited.map(|waited| Times::new(began.duration_since(sink.began()), began.elapsed(), waited));
    sink.send(Event::Finished { result: Box::new(result), cited });
}
