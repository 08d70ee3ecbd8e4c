//! A hunt of the fuzzer's over the agent that was found, and the run of the cases that show what it has found.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, OnceLock};

use futures_util::FutureExt as _;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::{Suite, builder};
use crate::case::{Case, Library, Source};
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
use crate::session::stop::stopped;
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

/// Something that was found, and the case file that shows it.
#[derive(Debug)]
pub struct Hit {
    /// A short name of its cause, the same in every run.
    pub bucket: String,
    /// The text of the case file.
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
        let classes = Classes::bundled().map_err(broken)?;
        let began = Instant::now();
        let started = clock::now();
        let (events, mut heard) = mpsc::unbounded_channel();
        let sink = EventSink::new(events, self.http.began(), self.secrets.clone());
        let limits = session::Options {
            max_messages: None,
            messages: Arc::default(),
            words: Arc::new(Words::new(self.options.triggers.clone(), self.options.max_messages)),
            places: Places::that_learn(self.options.jobs),
            trust: Arc::clone(&self.options.trust),
            webhooks: self.options.webhooks.clone(),
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
        let (cases, mut lost) = self.cases(&hunted.found, &classes)?;
        let trials: Vec<Arc<Trial>> = cases.values().map(|case| Arc::clone(&case.trial)).collect();
        let mut again = Again::within(budget.messages.map(|most| most.saturating_sub(hunted.messages)));
        let results = match hunted.dead {
            None => {
                // An agent that falls has been asked again by who waits until it is there again.
                let falls = |trial: &&Arc<Trial>| {
                    hunted.found.iter().any(|found| found.is_fatal && found.case() == trial.case.id)
                };
                let has_file = |trial: &&Arc<Trial>| cases.get(&trial.case.id).is_some_and(|case| case.file.is_ok());
                let standing = trials.iter().filter(has_file).filter(|trial| !falls(trial)).cloned().collect();
                let until = began + budget.time + fuzz::AFTER;
                let mut results = self.run_again(standing, &mut again, until, &mut listener).await;
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
        let gone = hunted.found.len() - results.len() - lost.len();
        let mut hits = Vec::new();
        for found in hunted.found.iter().filter(|found| results.contains_key(&found.case())) {
            let Some(case) = cases.get(&found.case()) else { continue };
            match &case.file {
                Ok(file) => {
                    let comments = self.secrets.mask(&fuzz::comments(found, budget.seed));
                    hits.push(Hit { bucket: found.bucket.clone(), file: comments + file });
                }
                Err(why) => lost.push(format!("{}, which has no file: {why}", found.case())),
            }
        }
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
            not_tried: hunted.not_tried.into_iter().chain(lost).collect(),
            growth: hunted.growth.iter().map(grown).collect(),
            falls: hunted.falls,
            dead: hunted.dead,
        });
        Ok(Fuzzed { report, hits })
    }

    /// Runs cases several times over, until the time is over; of each that came out wrong a result.
    async fn run_again(
        &self,
        trials: Vec<Arc<Trial>>,
        again: &mut Again,
        until: Instant,
        listener: &mut impl FnMut(&Event),
    ) -> Results {
        let (stopper, stop) = watch::channel(false);
        let ends = async {
            let _in_time = tokio::time::timeout_at(until, stopped(&self.stop)).await;
            stopper.send_replace(true);
            std::future::pending().await
        };
        tokio::select! {
            results = ends => results,
            results = self.run_until_stopped(trials, again, &stop, listener) => results,
        }
    }

    async fn run_until_stopped(
        &self,
        trials: Vec<Arc<Trial>>,
        again: &mut Again,
        stop: &watch::Receiver<bool>,
        listener: &mut impl FnMut(&Event),
    ) -> Results {
        let mut results = Results::new();
        for _ in 0..AGAIN {
            if trials.is_empty() || *stop.borrow() {
                break;
            }
            let plan = Arc::new(Plan { trials: trials.clone() });
            let (events, mut heard) = mpsc::unbounded_channel();
            let mut options = self.options.clone();
            options.max_messages = again.left();
            let work = run::execute(plan, self.agent.clone(), Arc::clone(&self.http), options, events, stop.clone());
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

    /// A case for which there was no message or no time left has not been run.
    fn see(&mut self, event: &Event) {
        let has_run = |result: &TrialResult| match &result.reason {
            Some(reason) => !matches!(reason, Reason::MessagesUsedUp { .. }) && !reason.is_end_of_run(),
            None => true,
        };
        match event {
            Event::Finished { result, .. } if has_run(result) => {
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

/// A mistake in what the program carries.
fn broken(mistake: Mistake) -> SuiteError {
    SuiteError::Cases { mistakes: vec![mistake], sources: Vec::new() }
}

/// A finding as a case.
struct Shown {
    trial: Arc<Trial>,
    /// The file that shows it, or why none does.
    file: Result<String, String>,
}

impl Suite {
    /// The cases that show what was found, by their ids, and what cannot even stand in a report. Each is written and read by itself, so
    /// that one which cannot be costs no other.
    fn cases(&self, found: &[Found], classes: &Classes) -> Result<(BTreeMap<String, Shown>, Vec<String>), SuiteError> {
        let profiles = builder::profiles()?;
        let profiles: Vec<&Profile> = profiles.iter().map(AsRef::as_ref).collect();
        let read = |written: &Found| -> Result<(Arc<Trial>, String), String> {
            // What is run has the secrets that the file has not.
            let text = fuzz::file(written, classes, &Secrets::default())?;
            let source = Source { file: "findings.yaml".to_owned(), text };
            let library = Library::read(vec![source], &profiles, &oracle::all());
            let library = library.map_err(|(mistakes, _)| {
                mistakes.first().map_or_else(String::new, |mistake| mistake.message.clone())
            })?;
            let case = library.cases.get(&written.case()).ok_or("it is no case")?;
            Ok((Arc::new(trial(written, case)), fuzz::file(written, classes, &self.secrets)?))
        };
        let (mut cases, mut lost) = (BTreeMap::new(), Vec::new());
        for found in found {
            let shown = read(found).map(|(trial, text)| Shown { trial, file: Ok(text) }).or_else(|why| {
                let in_bytes = self.base_of(found).and_then(|base| fuzz::as_bytes(found, &base));
                if let Some(Ok((trial, text))) = in_bytes.as_ref().map(&read) {
                    return Ok(Shown { trial, file: Ok(format!("# The request stands here as bytes: {why}\n{text}")) });
                }
                let bare = fuzz::without_request(found).as_ref().map(&read);
                match bare {
                    Some(Ok((trial, _))) => Ok(Shown { trial, file: Err(why) }),
                    _ => Err(why),
                }
            });
            match shown {
                Ok(shown) => {
                    cases.insert(found.case(), shown);
                }
                Err(why) => {
                    let (case, what) = (found.case(), found.finding.headline());
                    lost.push(format!("{case} ({}: {what}), which cannot be written: {why}", found.operation));
                }
            }
        }
        Ok((cases, lost))
    }

    /// The URL below which requests of a finding went.
    fn base_of(&self, found: &Found) -> Option<String> {
        let interface = self.agent.interfaces.get(found.interface)?.interface.as_ref()?;
        Some(interface.base().to_owned())
    }
}

fn trial(found: &Found, case: &Arc<Case>) -> Trial {
    let own = || crate::case::Requirement::of_own_case(case).map(Arc::new).into_iter().collect();
    Trial {
        case: Arc::clone(case),
        requirements: if found.requirements.is_empty() { own() } else { found.requirements.clone() },
        level: found.level,
        interface: found.interface,
        second: found.second.map(|(index, _)| index),
        profile: found.profile.clone(),
        binding: found.binding,
        other: found.second.map(|(_, binding)| binding),
        skipped: None,
    }
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
        SeenInfo { case: found.case(), hits: found.hits, again, came, places: found.other_places() }
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
