//! The whole matrix: every case of every catalogue, seen to pass against the reference agent.
//!
//! A case that tests a refusal does not apply to an agent that has everything, so there are two agents: one with all
//! capabilities and one without any, which requires an extension, both again for each version that has a card of its own. No case may come out as anything but passed or skipped with either, and each
//! must pass with one, and so must each requirement that they check. Where a version leaves open in which form HTTP+JSON is written, or whether streams of tasks that wait for
//! credentials end, there are more, and the same holds of them. One test is one case over one binding, or across two, in one profile: `1.0 jsonrpc get/unknown-id`,
//! `1.0 jsonrpc+grpc equivalence/same-task`.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
use crate::common::suite;

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use a2a_reference_agent::{Capability, Config, RestDialect};
use a2aspec::case::{Library, Trigger};
use a2aspec::plan::{self, Plan};
use a2aspec::profile::{self, Binding, Profile};
use a2aspec::report::model::Report;
use a2aspec::verdict::{TrialResult, Verdict};
use futures_util::StreamExt as _;
use libtest_mimic::{Arguments, Failed, Trial};

/// How long the agent works on a slow task: cases must meet it at work on a machine with other things to do.
const SLOW: Duration = Duration::from_secs(8);

/// How long the suite waits for an answer: only an agent that is stuck takes so long.
const TIMEOUT: Duration = Duration::from_secs(60);

/// As `a2aspec check` does by default.
const JOBS: usize = 8;

/// The forms of the agent.
const FORMS: [Form; 25] = [
    whole(None),
    bare(None),
    Form { rest_dialect: Some(RestDialect::Json), flags: " --rest-dialect json", ..whole(None) },
    Form { rest_dialect: Some(RestDialect::Json), flags: WITHOUT_IN_JSON, ..bare(None) },
    whole(Some("1.1-draft")),
    bare(Some("1.1-draft")),
    whole(Some("1.0-draft")),
    bare(Some("1.0-draft")),
    whole(Some("0.2.5")),
    bare(Some("0.2.5")),
    whole(Some("0.2.1")),
    bare(Some("0.2.1")),
    whole(Some("0.1")),
    bare(Some("0.1")),
    whole(Some("proposal")),
    bare(Some("proposal")),
    public(None),
    public(Some("1.1-draft")),
    public(Some("1.0-draft")),
    public(Some("0.2.5")),
    public(Some("0.2.1")),
    public(Some("0.1")),
    awaiting(None),
    awaiting(Some("1.1-draft")),
    awaiting(Some("1.0-draft")),
];

/// The agent with everything.
const fn whole(at: Option<&'static str>) -> Form {
    Form { is_public: false, awaits_credentials: false, at, without: &[], rest_dialect: None, flags: "" }
}

/// The agent with nothing that it may lack.
const fn bare(at: Option<&'static str>) -> Form {
    Form { without: &Capability::ALL, flags: WITHOUT, ..whole(at) }
}

/// The agent at a public address, with TLS.
const fn public(at: Option<&'static str>) -> Form {
    Form { is_public: true, ..whole(at) }
}

/// The agent whose streams stay open while their tasks wait for credentials: the text leaves it open.
const fn awaiting(at: Option<&'static str>) -> Form {
    Form { awaits_credentials: true, flags: " URL, against `a2aspec agent --keep-auth-streams`", ..whole(at) }
}

/// One form of the agent.
#[derive(Clone, Copy)]
struct Form {
    /// Whether it is at a public address: only the cases about that are run then.
    is_public: bool,
    /// Whether its streams stay open while their tasks wait for credentials: only the cases with such tasks are run then.
    awaits_credentials: bool,
    /// The version whose card leads there, where it is not the card that names several.
    at: Option<&'static str>,
    /// What it lacks. One that lacks anything requires its extension, too.
    without: &'static [Capability],
    /// The only way in which it writes HTTP+JSON where its version leaves that open; nothing where it has both.
    rest_dialect: Option<RestDialect>,
    /// What makes it so on the command line.
    flags: &'static str,
}

impl Form {
    /// Whether it is met in this version.
    fn speaks(&self, profile: &str) -> bool {
        let has_a_card_of_its_own = FORMS.iter().any(|form| form.at == Some(profile));
        if has_a_card_of_its_own { self.at == Some(profile) } else { self.at.is_none() }
    }

    /// Whether this trial is run with it.
    fn runs(&self, trial: &plan::Trial) -> bool {
        (!self.is_public || suite::is_about_the_address(trial))
            && (!self.awaits_credentials || trial.case.triggers().contains(&Trigger::AuthRequired))
    }
}

const WITHOUT: &str = " --without streaming,push,extended-card --require-extension";
const WITHOUT_IN_JSON: &str = " --rest-dialect json --without streaming,push,extended-card --require-extension";

/// The dialect of agents that speak only that of the JSON Schema.
const OTHER_DIALECT: &str = "rest";

/// How many agents are checked at once: more, and what waits for a slow task comes too late for it.
const AT_ONCE: usize = 4;

/// What a run is asked for.
struct Wanted {
    profiles: BTreeSet<String>,
    /// The cases; nothing where that is all of them.
    cases: Option<BTreeSet<String>>,
}

/// Whether an agent that writes HTTP+JSON in this form differs, in this profile and over these bindings, from one that
/// writes it in the usual form.
fn is_told_apart(form: Option<RestDialect>, profile: &Profile, bindings: &str) -> bool {
    form.is_none()
        || (profile.dialects_over(Binding::HttpJson).count() > 1
            && bindings.split('+').any(|binding| binding == Binding::HttpJson.to_string()))
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let profiles = profile::bundled().expect("the profiles are right");
    let library = Arc::new(a2aspec::suite::library(None).expect("the cases are right"));
    let matrix = suite::matrix(&library, &profiles);
    let reports = match arguments.list {
        true => Vec::new(),
        false => check(&library, &profiles, &wanted(&matrix, arguments.filter.as_deref())),
    };
    let reports = Arc::new(reports);
    let tests = matrix.trials.iter().map(|trial| {
        let profile = profiles.iter().find(|profile| profile.name() == trial.profile).expect("trials have profiles");
        let (profile, reports, trial) = (Arc::clone(profile), Arc::clone(&reports), Arc::clone(trial));
        Trial::test(name(&trial), move || verdict(&trial, &profile, &reports))
    });
    let mut tests: Vec<Trial> = tests.collect();
    // A part of the cases does not show all that a requirement is shown by.
    if arguments.filter.is_none() {
        tests.extend(requirements(&reports));
    }
    libtest_mimic::run(&arguments, tests).exit_code()
}

/// What no form of the agent shows: a version, a requirement, and why.
const NOT_SHOWN: &str = include_str!("conformance/not-shown.txt");

/// One test for each requirement that the cases check: with one of the agents it passes, which takes that it was seen.
fn requirements(reports: &[Option<Report>]) -> Vec<Trial> {
    let mut verdicts: BTreeMap<(String, String), BTreeSet<Verdict>> = BTreeMap::new();
    for entry in reports.iter().flatten().flat_map(|report| &report.requirements) {
        verdicts.entry((entry.profile.clone(), entry.id.clone())).or_default().insert(entry.verdict);
    }
    let listed: BTreeSet<&str> = NOT_SHOWN.lines().filter_map(|line| Some(line.split_once(" # ")?.0)).collect();
    let test = |((profile, id), verdicts): ((String, String), BTreeSet<Verdict>)| {
        let is_listed = listed.contains(format!("{profile} {id}").as_str());
        Trial::test(format!("requirement {profile} {id}"), move || {
            match (verdicts.contains(&Verdict::Pass), is_listed) {
                (true, false) | (false, true) => Ok(()),
                (false, false) => Err(format!("it passes with none of the agents, only: {verdicts:?}").into()),
                (true, true) => Err("it is in conformance/not-shown.txt, and passes".into()),
            }
        })
    };
    verdicts.into_iter().map(test).collect()
}

fn name(trial: &plan::Trial) -> String {
    format!("{} {} {}", trial.profile, trial.bindings(), trial.case.id)
}

/// The cases that the test filter wants; all of them when one judges what the others bring about.
fn wanted(matrix: &Plan, filter: Option<&str>) -> Wanted {
    let trials: Vec<_> =
        matrix.trials.iter().filter(|trial| filter.is_none_or(|filter| name(trial).contains(filter))).collect();
    let profiles = trials.iter().map(|trial| trial.profile.clone()).collect();
    if filter.is_none() || trials.iter().any(|trial| trial.observes()) {
        return Wanted { profiles, cases: None };
    }
    Wanted { profiles, cases: Some(trials.into_iter().map(|trial| trial.case.id.clone()).collect()) }
}

/// The reports on the agents, in the order of [`FORMS`]; none where no selected case applies.
fn check(library: &Arc<Library>, profiles: &[Arc<Profile>], wanted: &Wanted) -> Vec<Option<Report>> {
    let runtime = tokio::runtime::Runtime::new().expect("the runtime starts");
    runtime.block_on(async {
        let reports = FORMS.map(|form| check_form(library, profiles, wanted, form));
        futures_util::stream::iter(reports).buffered(AT_ONCE).collect().await
    })
}

async fn check_form(library: &Arc<Library>, profiles: &[Arc<Profile>], wanted: &Wanted, form: Form) -> Option<Report> {
    let Form { at, without, rest_dialect, .. } = form;
    // The other bindings are there for the cases that run across two.
    let of_interest = |profile: &Profile| {
        wanted.profiles.contains(profile.name())
            && form.speaks(profile.name())
            && is_told_apart(rest_dialect, profile, &Binding::HttpJson.to_string())
    };
    let config = Config {
        without: without.iter().copied().collect(),
        requires_extension: !without.is_empty(),
        slow: SLOW,
        rest_dialect,
        streams_await_credentials: form.awaits_credentials,
        ..Config::default()
    };
    let run = suite::Run {
        is_public: form.is_public,
        library,
        profiles,
        selection: &suite::everything(),
        at,
        config,
        of_interest: &of_interest,
        // As a selection they would have to apply to every form of the agent.
        is_worth: &|trial| form.runs(trial) && wanted.cases.as_ref().is_none_or(|cases| cases.contains(&trial.case.id)),
        see: &|_| {},
        http: &suite::http(TIMEOUT),
        jobs: JOBS,
        arrange: &suite::as_planned,
    };
    run.report().await.expect("the reference agent can be checked")
}

/// Whether a case passed with one agent, and did nothing worse than not to apply with the others; and the same again
/// with those of the other form, where that makes a difference.
fn verdict(trial: &plan::Trial, profile: &Profile, reports: &[Option<Report>]) -> Result<(), Failed> {
    let dialects = &trial.case.dialects;
    // Where the agent is has nothing to do with the form of its bodies.
    let is_in_all = !suite::is_about_the_address(trial)
        && (dialects.is_empty() || dialects.iter().any(|dialect| dialect == OTHER_DIALECT));
    for form in [None, Some(RestDialect::Json)].into_iter().filter(|form| form.is_none() || is_in_all) {
        if is_told_apart(form, profile, &trial.bindings()) {
            verdict_in(form, trial, reports)?;
        }
    }
    Ok(())
}

fn verdict_in(form: Option<RestDialect>, trial: &plan::Trial, reports: &[Option<Report>]) -> Result<(), Failed> {
    let mut has_passed = false;
    let mut wrong = Vec::new();
    let (profile, bindings, case) = (&trial.profile, trial.bindings(), &trial.case.id);
    let is_asked = |of: &Form| of.rest_dialect == form && of.speaks(profile) && of.runs(trial);
    for (report, of) in reports.iter().zip(FORMS).filter(|(_, of)| is_asked(of)) {
        let same =
            |result: &&TrialResult| (&result.profile, &result.binding, &result.case) == (profile, &bindings, case);
        let only: String = bindings.split('+').map(|binding| format!(" --binding {binding}")).collect();
        let again = format!("a2aspec check --profile {profile}{only} --only {case}{}", of.flags);
        let Some(report) = report else { continue };
        match report.results.iter().find(same) {
            None => wrong.push(format!("it was not run by `{again}`")),
            Some(result) => match result.verdict {
                Verdict::Pass => has_passed = true,
                Verdict::Skipped => {}
                _ => wrong.push(format!("{}\nagain: {again}", describe(result, report))),
            },
        }
    }
    if wrong.is_empty() && !has_passed {
        wrong.push(format!("it applies to no agent of the form {form:?}, so nobody has ever seen it pass"));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n\n").into()) }
}

/// A result that is no pass, with the exchanges that prove it.
fn describe(result: &TrialResult, report: &Report) -> String {
    let mut text = result.verdict.name().to_owned();
    if let Some(reason) = &result.reason {
        text.push_str(&format!(": {reason}"));
    }
    for finding in &result.findings {
        text.push_str(&format!("\n{}", finding.headline()));
        for (what, value) in
            [("expected", &finding.expected), ("received", &finding.received), ("at", &finding.pointer)]
        {
            if let Some(value) = value {
                text.push_str(&format!("\n  {what}: {value}"));
            }
        }
        let cited = [finding.exchange, finding.against].into_iter().flatten();
        for exchange in cited.filter_map(|id| report.exchanges.iter().find(|exchange| exchange.id == id)) {
            text.push_str(&format!("\n  > {}", exchange.request.body.text()));
            let body = exchange.response.as_ref().map_or("no response".into(), |response| response.body.text());
            text.push_str(&format!("\n  < {}", body.replace('\n', "\n  < ")));
        }
    }
    text
}
