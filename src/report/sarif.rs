//! The report as SARIF 2.1.0 (OASIS), which code scanning services read.
//!
//! A rule is a requirement, or a case of the user's own; a result is a problem, with its fingerprint, so that services know it
//! again in the next run. An agent has no lines in the repository that a service scans, and GitHub rejects a whole file with one
//! location that is a URL. So each result is at one file of the repository; a logical location and the properties have the URL. No
//! location has a port or anything else that differs from run to run: services would take the next run's for another problem. A
//! known failure is suppressed, with the reason that its list gives, and so is what does not count in the set of requirements.
//!
//! The file keeps to the subset that GitHub documents ("SARIF support for code scanning").

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use url::Url;

use super::evidence;
use super::failure::ErrorInfo;
use super::model::Report;
use super::problems::{Heading, Problem};
use crate::diagnostic::words::{count, one_line, printable, shorten};
use crate::finding::Finding;
use crate::interface::InterfaceInfo;
use crate::verdict::{Level, TrialResult, Verdict};

/// Columns of the evidence.
const WIDTH: usize = 100;

/// The file of the repository in which results are, unless the user names one.
const LOCATION: &str = "a2aspec.toml";

/// The most results of a run that GitHub takes.
const MOST_RESULTS: usize = 25_000;

/// The longest description of a rule that GitHub shows, in characters.
const LONGEST_DESCRIPTION: usize = 1_024;

/// The longest message of a result: of all problems together GitHub takes 10 MB, compressed.
const LONGEST_MESSAGE: usize = 16_000;

/// The rule of the one result of a run that could not be done.
const NOT_RUN: &str = "a2aspec/not-run";

/// What a part of a path has only percent-encoded: everything but the unreserved characters (RFC 3986, section 2.3).
const IN_A_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

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
    let results = told.iter().filter_map(|(problem, heading)| {
        let rule = rules.iter().position(|rule| rule.id == heading.id)?;
        result(report, problem, heading.id, rule)
    });
    // The worst problems come first.
    let mut results: Vec<Value> = results.take(MOST_RESULTS).collect();
    let mut rules: Vec<Value> = rules.iter().map(|rule| of_rule(report, rule)).collect();
    if let Some(error) = &report.error {
        rules.push(not_run_rule());
        results.push(not_run(report, error));
    }
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": report.tool.name,
                "semanticVersion": report.tool.version,
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation(report, told.len().saturating_sub(MOST_RESULTS))],
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

/// Whether SARIF can place results in a file of this name: one below the root of the repository.
#[cfg(feature = "cli")]
pub(crate) fn is_location(file: &str) -> bool {
    let is_drive = file.as_bytes().get(1) == Some(&b':');
    let is_below = file.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    is_below && !is_drive && !file.contains(|c: char| c.is_control() || c == '\\') && !file.contains("://")
}

/// The rule of a run that could not be done.
fn not_run_rule() -> Value {
    json!({
        "id": NOT_RUN,
        "shortDescription": { "text": "The agent was not checked" },
        "fullDescription": { "text": "The run could not be done, so that nothing is known of the agent" },
        "help": { "text": "See the message of the result for the reason and for what to do about it" },
        "defaultConfiguration": { "level": "error" },
    })
}

/// The one result of a run that could not be done.
fn not_run(report: &Report, error: &ErrorInfo) -> Value {
    let target = logical_url(&report.target.url);
    json!({
        "ruleId": NOT_RUN,
        "ruleIndex": 0,
        "level": "error",
        "message": { "text": shorten(&error.lines().join("\n"), LONGEST_MESSAGE) },
        "locations": [{ "physicalLocation": physical(report), "logicalLocations": [resource(&target)] }],
        "partialFingerprints": fingerprints(NOT_RUN),
        "properties": { "url": one_line(&report.target.url) },
    })
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
        "shortDescription": { "text": shorten(&rule.to_string(), LONGEST_DESCRIPTION) },
        "fullDescription": { "text": shorten(&one_line(rule.text), LONGEST_DESCRIPTION) },
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
    let text =
        format!("{}: {}\n\n{}", shown.case, one_line(&problem.message), evidence::of_problem(report, problem, WIDTH));
    let level = match problem.verdict {
        Verdict::Fail => "error",
        Verdict::Warn | Verdict::Flaky => "warning",
        _ => "note",
    };
    let mut result = json!({
        "ruleId": id,
        "ruleIndex": rule,
        "level": level,
        "message": { "text": shorten(&printable(&text), LONGEST_MESSAGE) },
        "locations": [location(report, shown)],
        "partialFingerprints": fingerprints(&problem.fingerprint),
        "occurrenceCount": problem.evidence.len().max(1),
        "properties": { "url": one_line(url_of(report, shown, finding)) },
    });
    if let Some(again) = shown.told_again() {
        result["properties"]["verdict"] = json!(problem.verdict.name());
        result["properties"]["again"] = json!(again);
    }
    if report.knows(problem) {
        let known = problem.shown_in().and_then(|result| report.known(result));
        let why = known.and_then(Option::as_deref).unwrap_or("in the list of known failures");
        result["suppressions"] = json!([{ "kind": "external", "justification": one_line(why) }]);
    } else if let Some(remark) = report.remark_on(problem) {
        result["properties"]["gate"] = json!(remark);
        if !report.problem_counts_as(problem).is_violation() {
            result["suppressions"] = json!([{ "kind": "external", "justification": remark }]);
        }
    }
    Some(result)
}

/// GitHub tells results apart by the second, and where it is missing by the line of the file, which all results share.
fn fingerprints(fingerprint: &str) -> Value {
    json!({ "a2aspec/v1": fingerprint, "primaryLocationLineHash": fingerprint })
}

/// The URL of the exchange that shows a finding, or else of the agent.
fn url_of<'r>(report: &'r Report, shown: &TrialResult, finding: &Finding) -> &'r str {
    let of = |exchange: u64| report.exchanges.iter().find(|it| it.id == exchange).map(|it| it.request.url.as_str());
    finding.exchange.and_then(of).unwrap_or_else(|| interface_of(report, shown))
}

/// The URL of the interface that a result is about, or else of the agent.
fn interface_of<'r>(report: &'r Report, shown: &TrialResult) -> &'r str {
    let is_it = |it: &&InterfaceInfo| {
        it.profile.as_deref() == Some(&*shown.profile) && shown.binding.starts_with(&it.binding.to_ascii_lowercase())
    };
    report.target.interfaces.iter().find(is_it).map_or(&report.target.url, |interface| &interface.url)
}

fn location(report: &Report, shown: &TrialResult) -> Value {
    let name = format!("{} {} {}", shown.profile, shown.binding, shown.case);
    json!({
        "physicalLocation": physical(report),
        "logicalLocations": [
            { "fullyQualifiedName": name, "kind": "function" },
            resource(&logical_url(interface_of(report, shown))),
        ],
    })
}

/// The beginning of the file of the repository: services refuse results without a region.
fn physical(report: &Report) -> Value {
    let file = report.sarif_location.as_deref().unwrap_or(LOCATION);
    let parts: Vec<String> = file.split('/').map(|part| utf8_percent_encode(part, IN_A_PATH).to_string()).collect();
    json!({
        "artifactLocation": { "uri": parts.join("/"), "uriBaseId": "%SRCROOT%" },
        "region": { "startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1 },
    })
}

fn resource(url: &str) -> Value {
    json!({ "fullyQualifiedName": url, "kind": "resource" })
}

/// A URL without its port, which may be another in the next run, and without query and fragment.
fn logical_url(url: &str) -> String {
    let Ok(mut parsed) = Url::parse(url) else { return one_line(url) };
    // Only URLs without a host have no port to take away.
    let _ = parsed.set_port(None);
    parsed.set_query(None);
    parsed.set_fragment(None);
    one_line(parsed.as_str())
}

/// How the run went: what was not tested is told here, for a result of SARIF is something that was found.
fn invocation(report: &Report, left_out: usize) -> Value {
    let mut notes = Vec::new();
    if let Some(error) = &report.error {
        notes.push(json!({ "level": "error", "message": { "text": error.lines().join("\n") } }));
    }
    let mut note = |text: String| notes.push(json!({ "level": "warning", "message": { "text": one_line(&text) } }));
    if left_out > 0 {
        note(format!("{} more have no room in this file: the JSON report has them all", count(left_out, "problem")));
    }
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
        "executionSuccessful": report.error.is_none() && report.stopped.is_none() && number(Verdict::Broken) == 0,
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

    /// What GitHub documents of the files that it takes, which is less than the standard lets through: "SARIF support for code
    /// scanning", its tables of properties and its limits.
    fn breaches(log: &Value) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut demand = |holds: bool, what: &str| wrong.extend((!holds).then(|| what.to_owned()));
        let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
        demand(log["version"] == "2.1.0" && is_text(&log["$schema"]), "version and schema");
        let runs = log["runs"].as_array().cloned().unwrap_or_default();
        demand((1..=20).contains(&runs.len()), "1 to 20 runs");
        for run in &runs {
            let driver = &run["tool"]["driver"];
            demand(is_text(&driver["name"]), "a tool with a name");
            demand(is_text(&driver["semanticVersion"]) || is_text(&driver["version"]), "a tool with a version");
            let rules = driver["rules"].as_array().cloned().unwrap_or_default();
            demand(rules.len() <= 25_000, "25,000 rules");
            for rule in &rules {
                demand(is_text(&rule["id"]), "a rule with an id");
                for text in ["shortDescription", "fullDescription"] {
                    let text = rule[text]["text"].as_str().unwrap_or_default();
                    demand((1..=1_024).contains(&text.chars().count()), "a description of 1 to 1,024 characters");
                }
                demand(is_text(&rule["help"]["text"]), "a rule with help");
                let level = rule["defaultConfiguration"]["level"].as_str().unwrap_or_default();
                demand(["note", "warning", "error"].contains(&level), "a level of a rule");
                let tags = rule["properties"]["tags"].as_array().map_or(0, Vec::len);
                demand(tags <= 20, "20 tags");
            }
            let results = run["results"].as_array();
            demand(results.is_some_and(|results| results.len() <= 25_000), "0 to 25,000 results");
            for result in results.into_iter().flatten() {
                let index = result["ruleIndex"].as_u64().and_then(|index| usize::try_from(index).ok());
                let rule = index.and_then(|index| rules.get(index));
                demand(rule.is_some_and(|rule| rule["id"] == result["ruleId"]), "a result of a rule");
                demand(is_text(&result["message"]["text"]), "a message");
                let level = result["level"].as_str().unwrap_or_default();
                demand(["none", "note", "warning", "error"].contains(&level), "a level of a result");
                let prints = result["partialFingerprints"].as_object();
                demand(prints.is_some_and(|all| all.values().all(is_text)), "fingerprints");
                demand(
                    is_text(&result["partialFingerprints"]["primaryLocationLineHash"]),
                    "the fingerprint that counts",
                );
                let locations = result["locations"].as_array().cloned().unwrap_or_default();
                demand((1..=10).contains(&locations.len()), "1 to 10 locations");
                for location in &locations {
                    let physical = &location["physicalLocation"];
                    let uri = physical["artifactLocation"]["uri"].as_str().unwrap_or_default();
                    let is_reference = uri.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~%/".contains(&b));
                    let is_below = uri.split('/').all(|part| !["", ".", ".."].contains(&part));
                    demand(is_reference && is_below, "a path in the repository");
                    for place in ["startLine", "startColumn", "endLine", "endColumn"] {
                        demand(physical["region"][place].as_u64().is_some_and(|number| number > 0), "a whole region");
                    }
                }
            }
        }
        demand(log.to_string().len() < 10 << 20, "10 MB");
        wrong
    }

    #[test]
    fn it_keeps_to_the_subset_of_github() {
        let mut long = sample::full();
        for requirement in &mut long.requirements {
            requirement.text = "\u{e9} ".repeat(5_000);
        }
        let mut odd = sample::full();
        odd.sarif_location = Some("my agents/\u{fc}ber:1.toml".to_owned());
        odd.target.url = "not a URL".to_owned();
        let mut many = sample::full();
        let problem = many.problems.first().cloned().unwrap();
        many.problems = vec![problem; MOST_RESULTS + 7];
        many.exchanges.clear();
        many.results.iter_mut().flat_map(|it| &mut it.findings).for_each(|it| it.excerpt = None);
        for report in [
            sample::full(),
            sample::clean(),
            sample::stream(),
            sample::grpc(),
            sample::interrupted(),
            sample::flaky(),
            sample::secured(),
            sample::not_run(),
            long,
            odd,
        ] {
            let log: Value = serde_json::from_str(&render(&report)).unwrap();
            assert_eq!(breaches(&log), Vec::<String>::new());
        }
        let log: Value = serde_json::from_str(&render(&many)).unwrap();
        assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), 25_000);
        let notes = log["runs"][0]["invocations"][0]["toolExecutionNotifications"].to_string();
        assert!(notes.contains("7 problems more have no room"), "{notes}");
        // What GitHub rejected, and what it would not know again.
        let mut log: Value = serde_json::from_str(&render(&sample::full())).unwrap();
        let location = &mut log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        location["artifactLocation"]["uri"] = json!("http://127.0.0.1:41241/");
        assert_eq!(breaches(&log), ["a path in the repository"]);
    }

    /// Whatever differs from run to run: the port of an agent that is started for each, and ids in paths and queries.
    #[test]
    fn locations_and_fingerprints_are_those_of_the_run_before() {
        let places = |report: &Report| -> Vec<Value> {
            let log: Value = serde_json::from_str(&render(report)).unwrap();
            let results = log["runs"][0]["results"].as_array().cloned().unwrap();
            results.iter().map(|it| json!([it["ruleId"], it["locations"], it["partialFingerprints"]])).collect()
        };
        let moved = |report: &mut Report| {
            let mut urls: Vec<&mut String> = vec![&mut report.target.url];
            urls.extend(report.target.interfaces.iter_mut().map(|it| &mut it.url));
            urls.into_iter().for_each(|url| *url = url.replace("41241", "59999"));
            report
                .exchanges
                .iter_mut()
                .for_each(|it| it.request.url = "http://127.0.0.1:59999/tasks/77?page=2".to_owned());
        };
        for mut report in [sample::full(), sample::grpc(), sample::not_run()] {
            let before = places(&report);
            moved(&mut report);
            assert_eq!(places(&report), before);
            assert!(!json!(before).to_string().contains("41241"));
        }
    }

    #[test]
    fn a_location_is_below_the_root() {
        for good in ["a2aspec.toml", "config/a2aspec.toml", "my agents/\u{fc}ber.yaml"] {
            assert!(is_location(good), "{good}");
        }
        for wrong in ["", "/etc/passwd", "../a", "a/../b", "./a", "a//b", "C:/a", "a\\b", "http://a/b", "a/", "a\nb"] {
            assert!(!is_location(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_run_without_findings_has_no_results() {
        let log: Value = serde_json::from_str(&render(&sample::clean())).unwrap();
        assert_eq!(log["runs"][0]["results"], json!([]));
        assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], true);
    }
}
