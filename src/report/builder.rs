//! From the events of a run to its report.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::cited::{CitedExchanges, mask_names};
use super::model::{CaseInfo, Report, Rerun, SCHEMA_VERSION, Summary, Tool};
use super::security::{IdentityInfo, SecurityInfo};
use super::{conformance, dependent, natural, problems, requirements, root_causes, roots, triggers};
use crate::case::Case;
use crate::diagnostic::words::count;
use crate::event::{Condition, Event, OtherWords, Stopped};
use crate::interface::TargetInfo;
use crate::plan::{Plan, Trial};
use crate::profile::Operation;
use crate::reason::Reason;
use crate::secrets::Secrets;
use crate::session::{AT_ONCE, fixtures};
use crate::transcript::Request;
use crate::verdict::{TrialResult, Verdict, Without};

/// Collects the events of a run. A run may end anywhere, even before it has found the agent.
#[derive(Debug)]
pub struct ReportBuilder {
    command: String,
    /// The command lines of interfaces that need one of their own, by profile and binding.
    commands: BTreeMap<(String, String), String>,
    secrets: Secrets,
    identities: Vec<IdentityInfo>,
    started: jiff::Timestamp,
    target: TargetInfo,
    plan: Arc<Plan>,
    results: Vec<TrialResult>,
    exchanges: CitedExchanges,
    words: Vec<OtherWords>,
    /// What of the agent bears on the whole run, by interface.
    conditions: Vec<(usize, Condition)>,
    /// Messages that were seen on their way, for a run that does not come to say how many there were.
    messages_seen: u64,
    messages_sent: Option<u64>,
    stopped: Option<Stopped>,
    /// Whether the plan is a part of another (`--shard`).
    is_part: bool,
    /// Whether it has every case that there is for the agent.
    is_everything: bool,
    /// The command of the wrapper around a client, which ends each command line.
    wrapper: Option<String>,
}

/// What tells one trial from another: profile, binding, case.
pub(super) type Key<'a> = (&'a str, String, &'a str);

impl ReportBuilder {
    /// A builder for a run of `plan` against `url`.
    ///
    /// `command` is the command line without any selection of cases, such as `a2aspec check http://localhost:8080`; the
    /// report's hints on how to run one case again begin with it. Every text of the report is masked by `secrets`.
    pub(crate) fn new(url: &str, command: &str, plan: Arc<Plan>, secrets: Secrets, started: jiff::Timestamp) -> Self {
        Self {
            command: command.to_owned(),
            commands: BTreeMap::new(),
            secrets,
            identities: Vec::new(),
            started,
            target: TargetInfo { url: url.to_owned(), ..TargetInfo::default() },
            plan,
            results: Vec::new(),
            exchanges: CitedExchanges::default(),
            words: Vec::new(),
            conditions: Vec::new(),
            messages_seen: 0,
            messages_sent: None,
            stopped: None,
            is_part: false,
            is_everything: false,
            wrapper: None,
        }
    }

    /// The run is a part of another: what a part does not see, the others may.
    pub(crate) fn of_part(&mut self) {
        self.is_part = true;
    }

    /// The plan has every case that there is for the agent: what is conformant can be told.
    pub(crate) fn of_everything(&mut self) {
        self.is_everything = true;
    }

    /// It is a client that is checked, driven by the wrapper that this command starts.
    #[cfg(feature = "cli")]
    pub(crate) fn of_client(&mut self, wrapper: &str) {
        self.wrapper = Some(wrapper.to_owned());
    }

    /// The command line that leads to an interface, without any selection of cases, where that of the run does not.
    pub(crate) fn run_again_by(&mut self, profile: &str, binding: &str, command: String) {
        self.commands.insert((profile.to_owned(), binding.to_owned()), command);
    }

    /// Who asks, where somebody in particular does.
    pub(crate) fn asked_by(&mut self, identities: Vec<IdentityInfo>) {
        self.identities = identities;
    }

    /// Takes what happened.
    pub(crate) fn see(&mut self, event: &Event) {
        match event {
            Event::Met(target) => self.target = target.clone(),
            Event::Started { .. } => {}
            Event::Finished { result, cited } => {
                self.results.push(self.exchanges.take((**result).clone(), cited, &self.secrets));
            }
            Event::Again { result } => {
                if let Some(first) = self.known(result) {
                    first.take_again(result);
                }
            }
            Event::Without { condition, result } => {
                let without = Without { condition: *condition, verdict: result.verdict };
                if let Some(first) = self.known(result) {
                    first.without = Some(without);
                }
            }
            Event::Traffic(traffic) => {
                let checked = self.target.interfaces.iter_mut().filter(|interface| interface.skipped.is_none());
                checked.for_each(|interface| interface.add_note(&traffic.to_string()));
            }
            Event::Exchanged(exchange) => self.messages_seen += u64::from(sends_a_message(&exchange.request)),
            Event::Lost { interface, reason } => {
                if let Some(lost) = self.target.interfaces.get_mut(*interface) {
                    lost.lost = Some(reason.clone());
                }
            }
            Event::Changed { interface, what } => {
                if let Some(changed) = self.target.interfaces.get_mut(*interface) {
                    changed.add_note(&format!("a finished task has changed while cases read it: {what}"));
                }
            }
            Event::Inferred { interface, kind, miss, answers } => {
                if let Some(missed) = self.target.interfaces.get_mut(*interface) {
                    let answers = count(*answers, "answer");
                    missed.add_note(&format!("{kind} was read as it was meant in {answers}, though {miss}"));
                }
            }
            Event::Condition { interface, what } => {
                self.conditions.push((*interface, *what));
                if let Some(info) = self.target.interfaces.get_mut(*interface) {
                    info.add_note(&what.to_string());
                }
            }
            Event::Words(words) => self.words.clone_from(words),
            Event::Done { messages_sent, stopped } => {
                self.messages_sent = Some(*messages_sent);
                self.stopped.clone_from(stopped);
            }
        }
    }

    /// The result of the same trial that is known already.
    fn known(&mut self, result: &TrialResult) -> Option<&mut TrialResult> {
        self.results.iter_mut().find(|known| key_of_result(known) == key_of_result(result))
    }

    /// The report of what was seen until now. `took` is how long the run has lasted.
    ///
    /// Trials of the plan that have not ended are `unreached`. Without [`Event::Done`] the run counts as interrupted.
    pub(crate) fn finish(self, took: Duration) -> Report {
        let plan = self.plan;
        let mut results = self.results;
        results.extend(not_run(&plan, &results));
        results.sort_by(|a, b| {
            natural::compare(&a.profile, &b.profile)
                .then_with(|| a.binding.cmp(&b.binding))
                .then_with(|| a.case.cmp(&b.case))
        });
        dependent::mark(&plan, &mut results);
        roots::trace((!self.is_part).then_some(&*plan), &mut results, &self.exchanges);
        let requirements = requirements::judge(&plan, &results);
        let is_whole = self.is_everything && !self.is_part && self.messages_sent.is_some() && self.stopped.is_none();
        let conformance = if is_whole {
            let parts = conformance::parts(plan.trials.iter().map(|trial| &*trial.case));
            conformance::of(&requirements, &results, &parts)
        } else {
            Vec::new()
        };
        let problems = problems::find(&results, &requirements);
        results.iter_mut().for_each(|result| mask_names(result, &self.secrets));
        let triggers = triggers::that_did_not_do(&plan, &results, &self.words, &self.secrets);
        let (exchanges, exchanges_left_out) = self.exchanges.into_parts();
        let made_by = |number: u64| Some(exchanges.iter().find(|exchange| exchange.id == number)?.purpose.as_str());
        let interrupted = self.messages_sent.is_none().then_some(Stopped::Interrupted);
        let mut target = self.target;
        mask_target(&self.secrets, &mut target);
        let mut root_causes = root_causes::find(&results, &problems, &self.identities);
        root_causes::add_side_condition(&mut root_causes, &plan, &results);
        root_causes::add_conditions(&mut root_causes, &plan, &self.conditions);
        root_causes.iter_mut().for_each(|cause| self.secrets.mask_in_place(&mut cause.message));
        let mut security = SecurityInfo::of(self.identities, &results);
        security.texts_mut().for_each(|text| self.secrets.mask_in_place(text));
        Report {
            schema_version: SCHEMA_VERSION,
            sarif_location: None,
            error: None,
            gate: None,
            baseline: None,
            requirement_set: None,
            lock: None,
            fuzz: None,
            tool: Tool::default(),
            target,
            // Microseconds are more than anyone needs; the default prints nanoseconds.
            started: format!("{:.3}", self.started),
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            messages_sent: self.messages_sent.unwrap_or(self.messages_seen),
            stopped: self.stopped.or(interrupted).map(|mut stopped| {
                stopped.texts_mut().into_iter().for_each(|text| self.secrets.mask_in_place(text));
                stopped
            }),
            shards: Vec::new(),
            summary: Summary::of(&results),
            root_causes,
            problems,
            triggers,
            security,
            requirements,
            conformance,
            cases: cases(&plan, &results, &|result| {
                let own = self.commands.get(&(result.profile.clone(), result.binding.clone()));
                let line =
                    rerun(&self.secrets.mask(own.unwrap_or(&self.command)), result, &makers(&plan, result, made_by));
                match &self.wrapper {
                    Some(wrapper) => format!("{line} -- {wrapper}"),
                    None => line,
                }
            }),
            exchanges,
            exchanges_left_out,
            results,
        }
    }
}

fn sends_a_message(request: &Request) -> bool {
    request.operation.is_some_and(Operation::sends_a_message)
}

pub(super) fn key_of_trial(trial: &Trial) -> Key<'_> {
    (&trial.profile, trial.bindings(), &trial.case.id)
}

pub(super) fn key_of_result(result: &TrialResult) -> Key<'_> {
    (&result.profile, result.binding.clone(), &result.case)
}

/// A result for every trial that has none.
fn not_run(plan: &Plan, results: &[TrialResult]) -> Vec<TrialResult> {
    let mut ended: BTreeMap<Key<'_>, usize> = BTreeMap::new();
    for result in results {
        *ended.entry(key_of_result(result)).or_default() += 1;
    }
    let mut missing = Vec::new();
    for trial in &plan.trials {
        match ended.get_mut(&key_of_trial(trial)) {
            Some(left) if *left > 0 => *left -= 1,
            // What the plan skips would have been skipped in a whole run as well.
            _ => missing.push(match &trial.skipped {
                Some(reason) => trial.without_findings(Verdict::Skipped, reason.clone()),
                None => trial.without_findings(Verdict::Unreached, Reason::NotRun),
            }),
        }
    }
    missing
}

/// What helps with the cases that did not pass; `rerun` is the command line that runs one trial again.
fn cases(plan: &Plan, results: &[TrialResult], rerun: &dyn Fn(&TrialResult) -> String) -> Vec<CaseInfo> {
    let mut found: BTreeMap<&str, CaseInfo> = BTreeMap::new();
    let known: BTreeMap<&str, &Case> = plan.trials.iter().map(|trial| (trial.case.id.as_str(), &*trial.case)).collect();
    for result in results.iter().filter(|result| result.verdict > Verdict::Skipped) {
        let Some(case) = known.get(result.case.as_str()) else { continue };
        let info = found.entry(&case.id).or_insert_with(|| CaseInfo {
            id: case.id.clone(),
            why: case.why.clone(),
            fix: case.fix.clone(),
            triggers: case.triggers(),
            rerun: Vec::new(),
        });
        info.rerun.push(Rerun {
            profile: result.profile.clone(),
            binding: result.binding.clone(),
            command: rerun(result),
        });
    }
    found.into_values().collect()
}

/// The trials that made what a case saw which makes nothing itself: it finds nothing without them.
fn makers<'a, 'b>(plan: &'a Plan, result: &TrialResult, made_by: impl Fn(u64) -> Option<&'b str>) -> Vec<&'a Trial> {
    let of_profile = || plan.trials.iter().map(AsRef::as_ref).filter(|trial| trial.profile == result.profile);
    let is_itself = |trial: &Trial| trial.case.id == result.case && trial.bindings() == result.binding;
    if !of_profile().any(|trial| is_itself(trial) && trial.observes()) {
        return Vec::new();
    }
    let makes = |purpose: &str, trial: &Trial| trial.case.id == purpose || fixtures(&trial.case).contains(purpose);
    // What a case asks across two bindings is seen over both of them.
    let over_both = |trial: &Trial| trial.bindings().split('+').any(|binding| binding == result.binding);
    let mut makers: Vec<&Trial> = Vec::new();
    let purposes = || result.findings.iter().filter_map(|finding| finding.exchange).filter_map(&made_by);
    for purpose in purposes() {
        let here = of_profile().find(|trial| trial.bindings() == result.binding && makes(purpose, trial));
        let maker = here.or_else(|| of_profile().find(|trial| over_both(trial) && makes(purpose, trial)));
        makers.extend(maker.filter(|maker| makers.iter().all(|known| known.case.id != maker.case.id)));
    }
    // A control opens a stream as well as any case does.
    if makers.is_empty() && purposes().any(|purpose| purpose == AT_ONCE) {
        let here = of_profile().filter(|trial| trial.bindings() == result.binding && trial.skipped.is_none());
        makers.extend(here.filter(|trial| opens_a_stream(trial)).take(1));
    }
    makers.truncate(MOST_MAKERS);
    makers
}

fn opens_a_stream(trial: &Trial) -> bool {
    let steps = trial.case.all_steps();
    steps.iter().any(|step| step.act.operation() == Some(Operation::SendStreamingMessage))
}

/// The most cases that a command line names beside the one that it is about.
const MOST_MAKERS: usize = 3;

/// The command line that runs one trial again, with those that make what it needs, over all bindings of these.
fn rerun(command: &str, result: &TrialResult, makers: &[&Trial]) -> String {
    let mut words = format!("{command} --only {}", result.case);
    for maker in makers {
        words.push_str(&format!(" --only {}", maker.case.id));
    }
    words.push_str(&format!(" --profile {}", result.profile));
    let bindings = makers.iter().map(|maker| maker.bindings());
    let mut seen = BTreeSet::new();
    for bindings in std::iter::once(result.binding.clone()).chain(bindings) {
        for binding in bindings.split('+').filter(|binding| seen.insert((*binding).to_owned())) {
            words.push_str(&format!(" --binding {binding}"));
        }
    }
    words
}

fn mask_target(secrets: &Secrets, target: &mut TargetInfo) {
    secrets.mask_in_place(&mut target.url);
    for card in &mut target.cards {
        secrets.mask_in_place(card);
    }
    let mut optional: Vec<&mut Option<String>> = vec![&mut target.name];
    for interface in &mut target.interfaces {
        secrets.mask_in_place(&mut interface.url);
        secrets.mask_in_place(&mut interface.binding);
        secrets.mask_in_place(&mut interface.version);
        optional.push(&mut interface.skipped);
        optional.push(&mut interface.note);
        optional.push(&mut interface.lost);
    }
    for scheme in &mut target.schemes {
        secrets.mask_in_place(&mut scheme.name);
        secrets.mask_in_place(&mut scheme.kind);
        optional.push(&mut scheme.help);
    }
    for text in optional.into_iter().flatten() {
        secrets.mask_in_place(text);
    }
}

#[cfg(test)]
mod tests;
