//! A hunt of the fuzzer's over the agent that was found, and the run of the cases that show what it has found.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use futures_util::FutureExt as _;
use tokio::sync::{mpsc, watch};

use super::{Suite, builder};
use crate::case::{Library, Source};
use crate::clock;
use crate::event::{Event, EventSink, Stopped};
use crate::fuzz::class::Classes;
use crate::fuzz::{self, Budget, Found, Growth, Hunted, Progress};
use crate::judge::oracle;
use crate::plan::{Plan, Trial};
use crate::profile::Profile;
use crate::reason::Reason;
use crate::report::model::{FuzzInfo, GrowthInfo, SeenInfo, TriedInfo};
use crate::report::{Report, ReportBuilder};
use crate::run;
use crate::secrets::Secrets;
use crate::session;
use crate::session::dialect::{Search, detect_dialect};
use crate::session::places::Places;
use crate::session::words::Words;
use crate::suite::SuiteError;
use crate::transcript::Exchange;
use crate::verdict::{TrialResult, Verdict};
use crate::yaml::Mistake;

/// How often each finding is run again as the case that shows it.
const AGAIN: u64 = 3;

/// What came of a hunt.
#[derive(Debug)]
pub struct Fuzzed {
    /// The report of the cases that show what was found.
    pub report: Report,
    /// What was found, each with the file that shows it.
    pub hits: Vec<Hit>,
}

/// Something that was found.
#[derive(Debug)]
pub struct Hit {
    /// A short name of its cause, the same in every run.
    pub bucket: String,
    /// A case file that shows it.
    pub file: String,
}

/// The results of cases that were run, with the exchanges that they cite.
type Results = BTreeMap<String, (TrialResult, Vec<Arc<Exchange>>)>;

impl Suite {
    /// Fuzzes the agent, runs what was found again as cases, and reports what came of these. `tell` hears how far it is, `listener`
    /// each exchange, as of [`run_with`](Self::run_with).
    ///
    /// # Errors
    /// [`SuiteError::Cases`]: a mistake in what the program carries.
    pub async fn fuzz(
        mut self,
        budget: &Budget,
        tell: impl FnMut(&Progress),
        listener: impl FnMut(&Event),
    ) -> Result<Fuzzed, SuiteError> {
        let (stopper, stop) = watch::channel(false);
        let user = std::mem::replace(&mut self.stop, stop);
        let (http, why) = (Arc::clone(&self.http), OnceLock::new());
        let watching = async {
            let _ = why.set(run::ended(&user, http.credentials()).await);
            stopper.send_replace(true);
            std::future::pending().await
        };
        tokio::select! {
            biased;
            fuzzed = watching => fuzzed,
            fuzzed = self.hunt(budget, tell, listener, &why).boxed_local() => fuzzed,
        }
    }

    /// Does so until it is stopped; `why` then knows what has stopped it.
    async fn hunt(
        self,
        budget: &Budget,
        tell: impl FnMut(&Progress),
        mut listener: impl FnMut(&Event),
        why: &OnceLock<Stopped>,
    ) -> Result<Fuzzed, SuiteError> {
        let classes = Classes::bundled().map_err(|mistake| broken(vec![mistake]))?;
        let began = Instant::now();
        let started = clock::now();
        let (events, mut heard) = mpsc::unbounded_channel();
        let sink = EventSink::new(events, self.http.began(), self.secrets.clone());
        let limits = session::Options {
            max_messages: None,
            words: Arc::new(Words::new(self.options.triggers.clone(), self.options.max_messages)),
            places: Places::that_learn(self.options.jobs),
            trust: Arc::clone(&self.options.trust),
            webhooks: None,
        };
        let mut target = self.agent.info();
        let mut sessions = Vec::new();
        for (index, listed) in self.agent.interfaces.iter().enumerate() {
            let Some(interface) = listed.interface.clone().filter(|interface| interface.speaks.is_none()) else {
                continue;
            };
            let spoken = detect_dialect(interface, Search::First, &self.http, &limits, &sink, &self.stop).boxed().await;
            if let Some(info) = target.interfaces.get_mut(index) {
                info.dialect.clone_from(&spoken.dialect);
            }
            sessions.push((index, spoken.session));
        }
        let parts = (&*self.library, &*classes);
        let hunt = fuzz::hunt(sessions, &self.plan.trials, parts, budget, &self.stop, tell).boxed_local();
        let hunted = heard_during(hunt, &mut heard, &mut listener).await;
        let trials = trials(&hunted.found, &classes)?;
        let mut again = Again::within(budget.messages.map(|most| most.saturating_sub(hunted.messages)));
        let results = match hunted.dead {
            None => {
                // An agent that falls has been asked again by who waits until it is there again.
                let falls = |trial: &&Arc<Trial>| {
                    hunted.found.iter().any(|found| found.is_fatal && found.case() == trial.case.id)
                };
                let standing: Vec<Arc<Trial>> = trials.iter().filter(|trial| !falls(trial)).cloned().collect();
                let mut results = self.run_again(&standing, &mut again, &mut listener).await;
                let told = hunted.found.iter().filter_map(|found| Some((found.case(), (AGAIN, found.came?))));
                again.came.extend(told);
                // What was seen is told also where it does not come again; and a case cannot say of a request that it stays
                // unanswered.
                for (case, seen) in as_seen(&hunted.found, &trials) {
                    let is_told = results.get(&case).is_some_and(|(result, _)| result.verdict != Verdict::Unreached);
                    if !is_told {
                        results.insert(case, seen);
                    }
                }
                results
            }
            Some(_) => as_seen(&hunted.found, &trials),
        };
        let kept: Vec<Arc<Trial>> = trials.into_iter().filter(|trial| results.contains_key(&trial.case.id)).collect();
        let plan = Arc::new(Plan { trials: kept });
        let mut builder = ReportBuilder::new(self.url.as_str(), &self.command, plan, self.secrets.clone(), started);
        builder.see(&Event::Met(target));
        let gone = hunted.found.len() - results.len();
        let hits = hunted.found.iter().filter(|found| results.contains_key(&found.case()));
        let hits: Result<Vec<Hit>, SuiteError> = hits
            .map(|found| {
                let file = fuzz::file(&[found], &classes, &self.secrets).map_err(unwritten)?;
                let comments = self.secrets.mask(&fuzz::comments(found, budget.seed));
                Ok(Hit { bucket: found.bucket.clone(), file: comments + &file })
            })
            .collect();
        let seen = seen(&hunted, &results, &again);
        for (result, cited) in results.into_values() {
            builder.see(&Event::Finished { result: Box::new(result), cited }.masked(&self.secrets));
        }
        let stopped = hunted.is_stopped.then(|| why.get().cloned().unwrap_or(Stopped::Interrupted));
        let messages = hunted.messages + again.messages;
        builder.see(&Event::Done { messages_sent: messages, stopped });
        let mut report = builder.finish(began.elapsed());
        report.fuzz = Some(FuzzInfo {
            seed: budget.seed,
            requests: hunted.requests,
            messages,
            duration_ms: u64::try_from(hunted.elapsed.as_millis()).unwrap_or(u64::MAX),
            tried: tried(&hunted),
            seen,
            gone: hunted.gone + gone as u64,
            not_seen: budget.known.difference(&hunted.known).cloned().collect(),
            known: hunted.known.into_iter().collect(),
            not_tried: hunted.not_tried,
            growth: hunted.growth.iter().map(grown).collect(),
            falls: hunted.falls,
            dead: hunted.dead,
        });
        Ok(Fuzzed { report, hits: hits? })
    }

    /// Runs cases several times over; of each that came out wrong a result.
    async fn run_again(&self, trials: &[Arc<Trial>], again: &mut Again, listener: &mut impl FnMut(&Event)) -> Results {
        let mut results = Results::new();
        for _ in 0..AGAIN {
            if trials.is_empty() || *self.stop.borrow() {
                break;
            }
            let plan = Arc::new(Plan { trials: trials.to_vec() });
            let (events, mut heard) = mpsc::unbounded_channel();
            let mut options = self.options.clone();
            options.max_messages = again.left();
            let work =
                run::execute(plan, self.agent.clone(), Arc::clone(&self.http), options, events, self.stop.clone());
            let listen = async {
                while let Some(event) = heard.recv().await {
                    listener(&event);
                    again.see(&event);
                    match event {
                        Event::Finished { result, cited } if result.shows_something_wrong() => {
                            results.entry(result.case.clone()).or_insert((*result, cited));
                        }
                        Event::Done { .. } => break,
                        _ => {}
                    }
                }
            };
            tokio::join!(Box::pin(work), listen);
        }
        results
    }
}

/// What came of the runs in which the agent is asked again.
#[derive(Debug)]
struct Again {
    /// How many messages it may be given in all of them.
    most: Option<u64>,
    /// How many it was given.
    messages: u64,
    /// How often each case was run, and how often it came out wrong.
    came: BTreeMap<String, (u64, u64)>,
}

impl Again {
    fn within(most: Option<u64>) -> Self {
        Self { most, messages: 0, came: BTreeMap::new() }
    }

    fn left(&self) -> Option<u64> {
        self.most.map(|most| most.saturating_sub(self.messages))
    }

    /// A case for which there was no message left has not been run.
    fn see(&mut self, event: &Event) {
        match event {
            Event::Finished { result, .. } if !matches!(result.reason, Some(Reason::MessagesUsedUp { .. })) => {
                let (runs, came) = self.came.entry(result.case.clone()).or_default();
                *runs += 1;
                *came += u64::from(result.shows_something_wrong());
            }
            Event::Done { messages_sent, .. } => self.messages += messages_sent,
            _ => {}
        }
    }
}

/// Does something, and hears what is told meanwhile, to the last of it.
async fn heard_during<T>(
    work: impl Future<Output = T>,
    heard: &mut mpsc::UnboundedReceiver<Event>,
    listener: &mut impl FnMut(&Event),
) -> T {
    let mut work = pin!(work);
    let done = loop {
        tokio::select! {
            biased;
            Some(event) = heard.recv() => listener(&event),
            done = &mut work => break done,
        }
    };
    while let Ok(event) = heard.try_recv() {
        listener(&event);
    }
    done
}

/// A mistake in what the program carries or makes.
fn broken(mistakes: Vec<Mistake>) -> SuiteError {
    SuiteError::Cases { mistakes, sources: Vec::new() }
}

fn unwritten(why: String) -> SuiteError {
    broken(vec![Mistake::whole("findings.yaml", why)])
}

/// The cases that show what was found, as trials.
fn trials(found: &[Found], classes: &Classes) -> Result<Vec<Arc<Trial>>, SuiteError> {
    let all: Vec<&Found> = found.iter().collect();
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let text = fuzz::file(&all, classes, &Secrets::default()).map_err(unwritten)?;
    let source = Source { file: "findings.yaml".to_owned(), text };
    let profiles = builder::profiles()?;
    let profiles: Vec<&Profile> = profiles.iter().map(AsRef::as_ref).collect();
    let library = Library::read(vec![source], &profiles, &oracle::all());
    let library = library.map_err(|(mistakes, sources)| SuiteError::Cases { mistakes, sources })?;
    let of = |found: &Found| {
        let case = library.cases.get(&found.case())?;
        let own = || crate::case::Requirement::of_own_case(case).map(Arc::new).into_iter().collect();
        Some(Arc::new(Trial {
            case: Arc::clone(case),
            requirements: if found.requirements.is_empty() { own() } else { found.requirements.clone() },
            level: found.level,
            interface: found.interface,
            second: found.second.map(|(index, _)| index),
            profile: found.profile.clone(),
            binding: found.binding,
            other: found.second.map(|(_, binding)| binding),
            skipped: None,
        }))
    };
    Ok(found.iter().filter_map(of).collect())
}

/// What was seen, where nobody is left to be asked again.
fn as_seen(found: &[Found], trials: &[Arc<Trial>]) -> Results {
    let of = |found: &Found| {
        let trial = trials.iter().find(|trial| trial.case.id == found.case())?;
        let mut result = trial.result(Verdict::broken_at(found.level), None, vec![found.finding.clone()]);
        result.violated = vec![found.finding.assertion.clone()];
        Some((trial.case.id.clone(), (result, found.evidence.clone())))
    };
    found.iter().filter_map(of).collect()
}

fn seen(hunted: &Hunted, results: &Results, again: &Again) -> Vec<SeenInfo> {
    let all = hunted.found.iter().filter(|found| results.contains_key(&found.case()));
    all.map(|found| {
        let (again, came) = again.came.get(&found.case()).copied().unwrap_or_default();
        SeenInfo { case: found.case(), hits: found.hits, again, came }
    })
    .collect()
}

fn grown(growth: &Growth) -> GrowthInfo {
    let (interfaces, what) = (growth.interfaces.clone(), growth.what.clone());
    GrowthInfo { interfaces, operation: growth.operation.to_string(), what, calls: growth.calls }
}

fn tried(hunted: &Hunted) -> Vec<TriedInfo> {
    let all = hunted.by_operation.iter();
    all.map(|((interface, operation), requests)| TriedInfo {
        interface: interface.clone(),
        operation: operation.to_string(),
        requests: *requests,
    })
    .collect()
}
