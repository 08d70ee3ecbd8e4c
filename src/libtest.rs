//! A run as `cargo test` shows it: one test for each case over each interface.
//!
//! In `tests/a2a.rs` of the agent's own package, with `harness = false` for that test in its `Cargo.toml`:
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     a2aspec::libtest::main(a2aspec::Suite::builder("http://localhost:8080"))
//! }
//! ```
//!
//! A test is called `[MUST] 1.0 jsonrpc get/unknown-id`. It fails with the evidence where the agent violates a MUST, and where the
//! suite itself broke. It is ignored with the reason where the case does not apply or was not reached; so is one whose case
//! found something that does not fail the gate, such as a broken SHOULD.
//!
//! The card decides which tests there are. So the agent is looked for first, also for `--list`; then those cases run that the
//! arguments select, all at once as in any run, and then their results are shown. If a selected case judges what the others
//! bring about, the others run as well.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::ExitCode;

use anstream::adapter::strip_str;
use libtest_mimic::{Arguments, Completion, Failed, Trial as Test};

use crate::auth::userinfo::hidden;
use crate::diagnostic::words::{one_line, printable};
use crate::finding::Finding;
use crate::plan::Trial;
use crate::reason::Reason;
use crate::report::gate::{FailOn, Gate};
use crate::report::{self, Report};
use crate::suite::{Suite, SuiteBuilder};
use crate::verdict::{TrialResult, Verdict};

/// The exit code of tests that failed.
const FAILED: u8 = 101;

/// Columns of the evidence.
const WIDTH: usize = 100;

/// Checks an agent as the arguments of the process say; a broken MUST fails its test. Must not be called within an async
/// runtime.
pub fn main(suite: SuiteBuilder) -> ExitCode {
    main_with(suite, FailOn::Must)
}

/// Checks an agent as [`main`] does; what is broken fails its test from this level on.
pub fn main_with(suite: SuiteBuilder, fail_on: FailOn) -> ExitCode {
    let arguments = Arguments::from_args();
    let secrets = suite.secrets();
    match check(&arguments, suite, fail_on) {
        Ok(exit) => exit,
        // No test fails, since it is not known which there are; a filter must not hide this.
        Err(reason) => fail(&hidden(&secrets.mask(&reason))),
    }
}

/// Runs the tests that are selected, or lists all.
///
/// # Errors
/// Why there are none.
fn check(arguments: &Arguments, suite: SuiteBuilder, fail_on: FailOn) -> Result<ExitCode, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("the runtime cannot be started: {error}"))?;
    let mut suite = runtime.block_on(suite.prepare()).map_err(|error| error.to_string())?;
    let trials = suite.plan().trials.clone();
    let is_selected = |trial: &Trial| !arguments.is_filtered_out(&test(trial, Ok(Completion::Completed)));
    if arguments.list || !trials.iter().any(|trial| is_selected(trial)) {
        let tests = trials.iter().map(|trial| test(trial, Ok(Completion::Completed)));
        return Ok(libtest_mimic::run(arguments, tests.collect()).exit_code());
    }
    select(&mut suite, &is_selected);
    let mut report = runtime.block_on(suite.run());
    // Whatever still runs in the background is of no use to anyone.
    runtime.shutdown_background();
    let selected: Vec<Key> = trials.iter().filter(|trial| is_selected(trial)).map(|trial| key(trial)).collect();
    report.results.retain(|result| selected.contains(&key_of(result)));
    let results: BTreeMap<Key, &TrialResult> = report.results.iter().map(|result| (key_of(result), result)).collect();
    let tests = trials.iter().map(|trial| match results.get(&key(trial)) {
        Some(result) => test(trial, outcome(&report, result, fail_on)),
        None => test(trial, Ok(Completion::ignored())),
    });
    let conclusion = libtest_mimic::run(arguments, tests.collect());
    match report.gate(fail_on) {
        // A run that saw nothing must not look like one that saw nothing wrong.
        gate if gate != Gate::Passes && !conclusion.has_failed() => Err(why_not(&report, gate)),
        _ => Ok(conclusion.exit_code()),
    }
}

/// Leaves what is selected to be run, and all where it takes the others to judge it.
fn select(suite: &mut Suite, is_selected: &dyn Fn(&Trial) -> bool) {
    let judges_others = suite.plan().trials.iter().any(|trial| trial.observes() && is_selected(trial));
    suite.retain(|trial| judges_others || is_selected(trial));
}

/// What tells a trial from others: profile, bindings, case.
type Key = (String, String, String);

fn key(trial: &Trial) -> Key {
    (trial.profile.clone(), trial.bindings(), trial.case.id.clone())
}

fn key_of(result: &TrialResult) -> Key {
    (result.profile.clone(), result.binding.clone(), result.case.clone())
}

fn test(trial: &Trial, outcome: Result<Completion, Failed>) -> Test {
    let name = format!("{} {} {}", trial.profile, trial.bindings(), trial.case.id);
    Test::ignorable_test(name, move || outcome).with_kind(trial.level.to_string())
}

/// What a result is as that of a test.
fn outcome(report: &Report, result: &TrialResult, fail_on: FailOn) -> Result<Completion, Failed> {
    let fails = fail_on.fails_at(result.verdict) || result.verdict == Verdict::Broken;
    match result.verdict {
        Verdict::Pass => Ok(Completion::Completed),
        _ if fails => {
            let evidence = report::evidence(report, result, WIDTH);
            Err(printable(strip_str(&evidence).to_string().trim_end()).into())
        }
        verdict => {
            let first = || result.findings.first().map(Finding::headline);
            let reason = result.reason.as_ref().map(Reason::to_string).or_else(first).unwrap_or_default();
            Ok(Completion::ignored_with(format!("{}: {}", verdict.name(), one_line(&reason))))
        }
    }
}

/// Why no test failed and the gate fails all the same.
fn why_not(report: &Report, gate: Gate) -> String {
    let lost = report.lost().map(|(_, reason)| reason.to_owned()).next();
    let stopped = report.stopped.as_ref().map(ToString::to_string);
    match gate {
        Gate::Fails => "no case was reached, so nothing is known of the agent".to_owned(),
        _ => stopped.or(lost).unwrap_or_else(|| "the run did not come to its end".to_owned()),
    }
}

fn fail(reason: &str) -> ExitCode {
    // There is nobody to tell where that fails.
    let _ = writeln!(std::io::stderr(), "error: {}", one_line(reason));
    ExitCode::from(FAILED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn every_verdict_as_a_test() {
        let report = sample::full();
        let row = |case: &str, verdict: &str, [must, should, never]: [&str; 3]| {
            format!("{case:<30} {verdict:<10} {must:<8} {should:<8} {never}")
        };
        let rows = report.results.iter().map(|result| {
            let told = FailOn::ALL.map(|fail_on| match outcome(&report, result, fail_on) {
                Ok(Completion::Completed) => "ok",
                Ok(Completion::Ignored { .. }) => "ignored",
                Err(_) => "FAILED",
            });
            row(&result.case, result.verdict.name(), told)
        });
        let head = row("", "", FailOn::ALL.map(FailOn::name));
        insta::assert_snapshot!([head].into_iter().chain(rows).collect::<Vec<_>>().join("\n"));
    }
}
