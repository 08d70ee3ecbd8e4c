//! What is known of the agent: its cards, the plan, and the latest result of each case, whichever run it is from.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Missing;
use super::kept::kept;
use super::rounds::Choice;
use crate::event::Event;
use crate::interface::{Interface, TargetInfo};
use crate::plan::{Plan, Trial};
use crate::profile::Operation;
use crate::reason::Reason;
use crate::report::Report;
use crate::report::problems::Problem;
use crate::suite::Suite;
use crate::transcript::Exchange;
use crate::verdict::TrialResult;

/// A case over one binding in one version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub(super) struct Place {
    case: String,
    profile: String,
    binding: String,
}

impl Place {
    /// The place of a trial.
    pub fn of(trial: &Trial) -> Self {
        Self { case: trial.case.id.clone(), profile: trial.profile.clone(), binding: trial.bindings() }
    }

    /// The place of a result.
    pub fn of_result(result: &TrialResult) -> Self {
        let TrialResult { case, profile, binding, .. } = result;
        Self { case: case.clone(), profile: profile.clone(), binding: binding.clone() }
    }
}

/// All of it.
#[derive(Default)]
pub(super) struct Known {
    /// The agent as it was last found.
    suite: Option<Suite>,
    /// Why it was not found, where the last look was in vain.
    missing: Option<Missing>,
    /// The agent as the last run met it.
    met: Option<TargetInfo>,
    /// What else the last run has seen.
    rest: Vec<Event>,
    /// What is known of each case: how it came out, and how it came out again.
    results: BTreeMap<Place, Vec<Event>>,
    /// The report of all of it.
    report: Option<Arc<Report>>,
    /// How many cases the run that goes on is to have, and has had.
    running: Option<(usize, usize)>,
}

impl Known {
    /// The agent was found. What is known of cases that are no longer planned is forgotten.
    pub fn meet(&mut self, suite: &Suite) {
        // Numbers name exchanges, also those of earlier runs.
        self.suite.iter().for_each(|before| suite.http().continue_after(before.http()));
        let planned: BTreeSet<Place> = suite.plan().trials.iter().map(|trial| Place::of(trial)).collect();
        self.results.retain(|place, _| planned.contains(place));
        (self.suite, self.missing) = (Some(suite.clone()), None);
        self.conclude();
    }

    /// The agent was not found.
    pub fn miss(&mut self, missing: Missing) {
        self.missing = Some(missing);
    }

    /// The cases that are chosen, without those that do not apply to the agent.
    pub fn wanted(&self, choice: Choice) -> BTreeSet<Place> {
        let Some(suite) = &self.suite else { return BTreeSet::new() };
        let runnable = suite.plan().trials.iter().filter(|trial| trial.skipped.is_none()).map(|trial| Place::of(trial));
        let is_wrong = |place: &Place| self.result(place).is_some_and(|result| result.verdict.asks_for_another_run());
        match choice {
            Choice::Nothing => BTreeSet::new(),
            Choice::All => runnable.collect(),
            Choice::Cases(chosen) => runnable.filter(|place| chosen.contains(place)).collect(),
            Choice::Failed => {
                let wrong: BTreeSet<Place> = runnable.clone().filter(is_wrong).collect();
                if wrong.is_empty() { runnable.collect() } else { wrong }
            }
        }
    }

    /// A run of so many cases begins.
    pub fn begin(&mut self, cases: usize) {
        self.rest.clear();
        self.running = Some((cases, 0));
    }

    /// Takes what happened.
    pub fn see(&mut self, event: &Event) {
        match event {
            Event::Met(target) => self.met = Some(target.clone()),
            Event::Finished { result, cited } => {
                if let Some((_, done)) = &mut self.running {
                    *done += 1;
                }
                // A run that was stopped knows less than the one before.
                if !matches!(result.reason, Some(Reason::Interrupted | Reason::NotRun)) {
                    let cited = cited.iter().map(kept).collect();
                    let event = Event::Finished { result: result.clone(), cited };
                    self.results.insert(Place::of_result(result), vec![event]);
                }
            }
            Event::Again { result } | Event::Without { result, .. } => {
                self.results.entry(Place::of_result(result)).or_default().push(event.clone());
            }
            Event::Exchanged(_) | Event::Started { .. } => {}
            other => self.rest.push(other.clone()),
        }
    }

    /// The run is over.
    pub fn end(&mut self) {
        self.running = None;
        self.conclude();
    }

    /// Makes the report of what is known.
    fn conclude(&mut self) {
        let Some(suite) = &self.suite else { return };
        let mut builder = suite.new_report();
        let runnable = suite.plan().trials.iter().filter(|trial| trial.skipped.is_none()).count();
        if self.results.len() < runnable {
            builder.of_part();
        }
        let target = self.met.clone().unwrap_or_else(|| suite.agent().info());
        builder.see(&Event::Met(target));
        for event in self.results.values().flatten() {
            builder.see(&as_reported(event));
        }
        self.rest.iter().for_each(|event| builder.see(event));
        self.report = Some(Arc::new(builder.finish(Duration::ZERO)));
    }

    /// The agent as it was last found.
    pub fn suite(&self) -> Option<&Suite> {
        self.suite.as_ref()
    }

    /// The report of what is known.
    pub fn report(&self) -> Option<Arc<Report>> {
        self.report.clone()
    }

    /// The form that an interface was heard to speak in the last run.
    pub fn dialect(&self, interface: usize) -> Option<&str> {
        self.met.as_ref()?.interfaces.get(interface)?.dialect.as_deref()
    }

    /// How a case came out, as the run reported it, with the exchanges of its conversation.
    pub fn conversation(&self, place: &Place) -> Option<(&TrialResult, &[Arc<Exchange>])> {
        match self.results.get(place)?.first()? {
            Event::Finished { result, cited } => Some((result, cited)),
            _ => None,
        }
    }

    fn result(&self, place: &Place) -> Option<&TrialResult> {
        let report = self.report.as_ref()?;
        report.results.iter().find(|result| Place::of_result(result) == *place)
    }

    /// Everything that the page shows before a case is chosen.
    pub fn state(&self) -> Value {
        let agent = self.suite.as_ref().map(agent);
        let plan = self.suite.as_ref().map(|suite| trials(suite.plan()));
        let report = self.report.as_ref().map(|report| {
            json!({
                "root_causes": report.root_causes.iter().map(|cause| json!({
                    "message": cause.message, "help": cause.help, "interfaces": cause.interfaces, "follows": cause.follows.len(),
                })).collect::<Vec<_>>(),
                "problems": report.problems.iter().map(|problem| problem_of(report, problem)).collect::<Vec<_>>(),
                "results": report.results.iter().map(line).collect::<Vec<_>>(),
            })
        });
        let running = self.running.map(|(cases, done)| json!({ "cases": cases, "done": done }));
        json!({ "agent": agent, "missing": self.missing, "trials": plan, "report": report, "running": running })
    }
}

/// An event as the report takes it: the steps of what was right are the page's alone.
fn as_reported(event: &Event) -> Event {
    let mut event = event.clone();
    if let Event::Finished { result, .. } = &mut event
        && result.findings.is_empty()
    {
        result.steps.clear();
        result.steps_left_out = 0;
    }
    event
}

/// A result as the list of cases shows it.
pub(super) fn line(result: &TrialResult) -> Value {
    let why = result.findings.first().map(|finding| finding.headline());
    let why = why.or_else(|| result.reason.as_ref().map(ToString::to_string));
    let is_open = matches!(result.reason, Some(Reason::NotRun));
    let verdict = if is_open { "not run" } else { result.verdict.name() };
    json!({
        "case": result.case, "profile": result.profile, "binding": result.binding, "verdict": verdict,
        "why": why.filter(|_| !is_open),
    })
}

fn problem_of(report: &Report, problem: &Problem) -> Value {
    let at = |index: usize| report.results.get(index).map(Place::of_result);
    let places: BTreeSet<Place> = problem.evidence.iter().filter_map(|evidence| at(evidence.result)).collect();
    json!({ "message": problem.message, "verdict": problem.verdict.name(), "first": problem.shown_in().and_then(at), "places": places })
}

fn trials(plan: &Plan) -> Vec<Value> {
    let line = |trial: &Trial| {
        json!({
            "case": trial.case.id, "title": trial.case.title, "area": trial.case.area(), "profile": trial.profile,
            "binding": trial.bindings(), "level": trial.level,
        })
    };
    plan.trials.iter().map(|trial| line(trial)).collect()
}

/// The agent, its cards with what is wrong in them, and what the console can call.
fn agent(suite: &Suite) -> Value {
    let secrets = suite.secrets();
    let flaws = suite.flaws().iter().flat_map(|flaws| {
        flaws.found.iter().map(|flaw| {
            json!({ "card": secrets.mask(&flaws.place), "profile": flaw.profile, "pointer": flaw.pointer, "message": secrets.mask(&flaw.message) })
        })
    });
    let concerns = suite.concerns().map(|(info, concern)| secrets.mask(&format!("{}: {concern}", info.title())));
    let cards = suite.cards().iter().map(|card| secrets.mask(&card.to_string()));
    let listed = suite.agent().interfaces.iter().enumerate();
    let interfaces = listed.map(|(index, listed)| {
        let operations = listed.interface.as_ref().map(operations).unwrap_or_default();
        json!({
            "index": index, "title": secrets.mask(&listed.info.title()), "profile": listed.info.profile,
            "binding": listed.interface.as_ref().map(|interface| interface.binding.to_string()),
            "skipped": listed.info.skipped, "note": listed.info.note, "operations": operations,
        })
    });
    json!({
        "url": secrets.mask(suite.url().as_str()), "name": suite.agent().name.as_deref().map(|name| secrets.mask(name)),
        "cards": cards.collect::<Vec<_>>(), "flaws": flaws.collect::<Vec<_>>(), "concerns": concerns.collect::<Vec<_>>(),
        "interfaces": interfaces.collect::<Vec<_>>(), "messages": suite.plan().messages(),
    })
}

/// What can be called over an interface.
fn operations(interface: &Interface) -> Vec<Value> {
    let has = |operation: &Operation| interface.profile.offers(*operation, interface.binding);
    let line = |operation: Operation| json!({ "name": operation.to_string(), "streams": operation.streams() });
    Operation::ALL.into_iter().filter(has).map(line).collect()
}
