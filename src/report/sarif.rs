//! The report as SARIF 2.1.0 (OASIS), which code scanning services read.
//!
//! A rule is a requirement, or a case of the user's own; a result is a problem, with its fingerprint, so that services know it
//! again in the next run. A result stands at the URL of the interface that shows it, for an agent has no lines. A known failure
//! is suppressed, with the reason that its list gives.

use serde_json::{Value, json};

use super::evidence;
use super::model::Report;
use super::problems::{Heading, Problem};
use crate::diagnostic::words::{count, one_line, printable};
use crate::finding::Finding;
use crate::verdict::{Level, TrialResult, Verdict};

/// Columns of the evidence.
const WIDTH: usize = 100;

/// Where the form is described.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The report as SARIF, ending in a line feed.
pub(crate) fn render(report: &Report) -> String {
    let told: Vec<(&Problem, Heading<'_>)> =
        report.problems.iter().filter_map(|problem| Some((problem, problem.heading(report)?))).collect();
    let mut rules: Vec<Heading<'_>> = Vec::new();
    for (_, heading) in &told {
        if !rules.iter().any(|rule| rule.id == heading.id) {
            rules.push(*heading);
        }
    }
    let results: Vec<Value> = told
        .iter()
        .filter_map(|(problem, heading)| {
            let rule = rules.iter().position(|rule| rule.id == heading.id)?;
            result(report, problem, heading.id, rule)
        })
        .collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": report.tool.name,
                "semanticVersion": report.tool.version,
                "rules": rules.iter().map(|rule| of_rule(report, rule)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation(report)],
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn of_rule(report: &Report, rule: &Heading<'_>) -> Value {
    let fix = report.problems.iter().find(|problem| problem.heading(report).is_some_and(|it| it.id == rule.id));
    let fix = fix.and_then(|problem| problem.shown(report)).and_then(|(result, _)| {
        report
            .cases
            .iter()
            .find(|case| case.id == result.case && !case.fix.is_empty())
            .map(|case| format!("{}\n\nFix: {}", case.why, case.fix))
    });
    let mut told = json!({
        "id": rule.id,
        "shortDescription": { "text": rule.to_string() },
        "fullDescription": { "text": one_line(rule.text) },
        "help": { "text": fix.unwrap_or_else(|| one_line(rule.text)) },
        "defaultConfiguration": { "level": of_level(rule.level) },
        "properties": { "level": rule.level.to_string(), "section": rule.section },
    });
    if let Some(url) = rule.url() {
        told["helpUri"] = json!(url);
    }
    told
}

fn of_level(level: Level) -> &'static str {
    match level {
        Level::Must => "error",
        Level::Should => "warning",
        Level::May => "note",
    }
}

fn result(report: &Report, problem: &Problem, id: &str, rule: usize) -> Option<Value> {
    let (shown, finding) = problem.shown(report)?;
    let text = format!("{}\n\n{}", one_line(&problem.message), evidence::of_problem(report, problem, WIDTH));
    let level = match problem.verdict {
        Verdict::Fail => "error",
        Verdict::Warn | Verdict::Flaky => "warning",
        _ => "note",
    };
    let mut result = json!({
        "ruleId": id,
        "ruleIndex": rule,
        "level": level,
        "message": { "text": printable(&text) },
        "locations": [location(report, problem, shown, finding)],
        "partialFingerprints": { "a2aspec/v1": problem.fingerprint },
        "occurrenceCount": problem.evidence.len().max(1),
    });
    if let Some(again) = shown.told_again() {
        result["properties"] = json!({ "verdict": problem.verdict.name(), "again": again });
    }
    if report.knows(problem) {
        let known = problem.shown_in().and_then(|result| report.known(result));
        let why = known.and_then(Option::as_deref).unwrap_or("in the list of known failures");
        result["suppressions"] = json!([{ "kind": "external", "justification": one_line(why) }]);
    }
    Some(result)
}

fn location(report: &Report, problem: &Problem, shown: &TrialResult, finding: &Finding) -> Value {
    let of = |exchange: u64| report.exchanges.iter().find(|it| it.id == exchange).map(|it| it.request.url.as_str());
    let exchange = finding.exchange.and_then(of);
    let at = exchange.unwrap_or(&report.target.url);
    let name = format!("{} {} {}", shown.profile, shown.binding, shown.case);
    json!({
        // Services refuse results without a region.
        "physicalLocation": { "artifactLocation": { "uri": one_line(at) }, "region": { "startLine": 1 } },
        "logicalLocations": [{ "fullyQualifiedName": name, "kind": "function" }],
        "message": { "text": format!("{} of {}", count(problem.results(), "result"), shown.case) },
    })
}

/// How the run went: what was not tested is told here, for a result of SARIF is something that was found.
fn invocation(report: &Report) -> Value {
    let mut notes = Vec::new();
    let mut note = |text: String| notes.push(json!({ "level": "warning", "message": { "text": one_line(&text) } }));
    if let Some(reason) = &report.stopped {
        note(format!("the run stopped before its end: {reason}"));
    }
    for (interface, reason) in report.lost() {
        note(format!("{}: {reason}", interface.title()));
    }
    let number = |verdict| report.results.iter().filter(|result| result.verdict == verdict).count();
    for (verdict, what) in [(Verdict::Unreached, "were not reached"), (Verdict::Broken, "broke")] {
        if number(verdict) > 0 {
            note(format!("{} {what}", count(number(verdict), "case")));
        }
    }
    let mut invocation = json!({
        "executionSuccessful": report.stopped.is_none() && number(Verdict::Broken) == 0,
        "startTimeUtc": report.started,
        "toolExecutionNotifications": notes,
    });
    if let Some(gate) = &report.gate {
        invocation["exitCode"] = gate.exit_code.into();
    }
    invocation
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_result_that_is_flaky() {
        insta::assert_snapshot!(render(&sample::flaky()));
    }

    #[test]
    fn every_verdict() {
        insta::assert_snapshot!(render(&sample::full()));
    }

    #[test]
    fn a_result_names_its_rule_and_each_rule_stands_once() {
        let log: Value = serde_json::from_str(&render(&sample::full())).unwrap();
        let run = &log["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), sample::full().problems.len());
        for result in results {
            let rule = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(rules[rule]["id"], result["ruleId"]);
            assert_eq!(rules.iter().filter(|other| other["id"] == result["ruleId"]).count(), 1);
        }
    }

    #[test]
    fn a_run_without_findings_has_no_results() {
        let log: Value = serde_json::from_str(&render(&sample::clean())).unwrap();
        assert_eq!(log["runs"][0]["results"], json!([]));
        assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], true);
    }
}
