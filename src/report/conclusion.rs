//! What a run has shown, in one sentence.

use std::time::Duration;

use super::baseline::BaselineInfo;
use super::gate::Gate;
use super::model::{Counts, Report, RequirementResult, Summary};
use super::problems::Problem;
use crate::diagnostic::words::{count, duration, list};
use crate::reason::Reason;
use crate::verdict::{Level, Verdict};

/// The sentence, with the verdict whose colour it has.
pub(super) fn conclude(report: &Report) -> (Verdict, String) {
    let requirements = |level: Level| {
        let is_broken = |verdict: Verdict| verdict == Verdict::broken_at(level);
        let own = report.requirements.iter().filter(|rule| rule.layer.is_agent());
        own.filter(|rule| rule.level == level && is_broken(rule.verdict)).count()
    };
    let of_server = |rule: &&RequirementResult| !rule.layer.is_agent() && rule.verdict == Verdict::Warn;
    let of_server = report.requirements.iter().filter(of_server).count();
    let violated = [Level::Must, Level::Should].map(|level| (requirements(level), level.to_string()));
    let violated =
        violated.into_iter().chain([(of_server, "HTTP server".to_owned())]).filter(|(number, _)| *number > 0);
    let noun =
        if violated.clone().map(|(number, _)| number).sum::<usize>() == 1 { "requirement" } else { "requirements" };
    let violated: Vec<String> = violated.map(|(number, of)| format!("{number} {of}")).collect();
    let notes = requirements(Level::May);
    let notes = if notes > 0 {
        format!("; there {} {}", if notes == 1 { "is" } else { "are" }, count(notes, "note"))
    } else {
        String::new()
    };
    let Summary { must, should, .. } = &report.summary;
    let tested = report.summary.sum(Counts::tested);
    let worst = report.results.iter().map(|result| result.verdict).max().unwrap_or(Verdict::Pass);
    let (verdict, text) = match worst {
        _ if let (Some(fuzz), true) = (&report.fuzz, report.results.is_empty())
            && fuzz.falls > 0 =>
        {
            let times = count(usize::try_from(fuzz.falls).unwrap_or(usize::MAX), "time");
            (Verdict::Fail, format!("the agent was gone {times}, and no finding shows why"))
        }
        _ if report.fuzz.is_some() && report.results.is_empty() => (Verdict::Pass, "no findings".to_owned()),
        _ if tested == 0 => (Verdict::Broken, "nothing was tested".to_owned()),
        Verdict::Fail | Verdict::Warn if violated.is_empty() => {
            // Cases of the user's own may stand for no requirement.
            let failed = must.fail + should.fail;
            (worst, format!("{} failed", count(failed, "case")))
        }
        Verdict::Fail | Verdict::Warn => {
            let is_wrong = |problem: &&Problem| matches!(problem.verdict, Verdict::Fail | Verdict::Warn);
            let problems = report.problems.iter().filter(is_wrong).count();
            let verb = if problems == 1 { "violates" } else { "violate" };
            (worst, format!("{} {verb} {} {noun}", count(problems, "problem"), list(&violated)))
        }
        _ if report.results.iter().any(|result| matches!(result.reason, Some(Reason::StoppedAnswering { .. }))) => {
            (Verdict::Unreached, "the agent stopped answering; no other violations found".to_owned())
        }
        Verdict::Flaky => (worst, "no violations remained on retry".to_owned()),
        _ => (Verdict::Pass, "no violations found".to_owned()),
    };
    let flaky = match report.summary.sum(|counts| counts.flaky) {
        0 => String::new(),
        1 => "; 1 result is flaky: it failed, and passed on retry".to_owned(),
        more => format!("; {more} results are flaky: they failed, and passed on retry"),
    };
    let complaint = report.baseline.as_ref().and_then(BaselineInfo::complaint);
    let complaint = complaint.map(|complaint| format!("; {complaint}")).unwrap_or_default();
    let lost = report.lock.as_ref().filter(|lock| lock.is_broken());
    let lost = lost.map(|lock| format!("; {}", lock.sentence())).unwrap_or_default();
    let later = report.out_of_set().map(|later| format!("; {later}")).unwrap_or_default();
    let notes = format!("{notes}{flaky}{later}{complaint}{lost}");
    match report.gate.as_ref().and_then(|gate| gate.too_few) {
        Some(too_few) => (verdict.max(Verdict::Fail), format!("{text}{notes}; {too_few}")),
        None => (verdict, format!("{text}{notes}")),
    }
}

/// What the gate says and why, for who sees no report.
pub(super) fn in_one_line(report: &Report) -> String {
    let gate = match report.gate.as_ref().map(|gate| gate.outcome) {
        Some(Gate::Passes) => "the gate passes: ",
        Some(Gate::Fails) => "the gate fails: ",
        Some(Gate::Unreachable) => "an interface could not be reached: ",
        Some(Gate::Broken) => "a2aspec failed: ",
        Some(Gate::Interrupted) => "interrupted: ",
        Some(Gate::Unusable) => "the run could not start: ",
        None => "",
    };
    let tested = report.summary.sum(Counts::tested);
    let not_tested = report.results.len().saturating_sub(tested);
    let took = duration(Duration::from_millis(report.duration_ms));
    format!("{gate}{}; {} tested, {not_tested} not tested, in {took}", conclude(report).1, count(tested, "case"))
}
