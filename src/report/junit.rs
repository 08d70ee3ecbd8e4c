//! The report for continuous integration: JUnit's XML.
//!
//! ```xml
//! <testsuites name="a2aspec" tests="3" failures="1" errors="1" ...>
//!   <testsuite name="1.0 jsonrpc" ...>
//!     <testcase name="get/unknown-id" classname="1_0.jsonrpc.get">
//!       <properties>
//!         <property name="requirement" value="1.0-3.1.3-2"/>
//!         <property name="section" value="3.1.3"/>
//!       </properties>
//!       <failure type="MUST" message="error code is not that of TaskNotFoundError">...</failure>
//!     </testcase>
//! ```
//!
//! What fails the gate is a failure; what is wrong below its level passes and says so in `system-out`. A known failure, and a case
//! that was not reached, are skipped: neither says anything new of the agent. What does not count in the set of requirements is
//! skipped as well. A case that broke is an error. The verdict itself is
//! a property as well. A case that is flaky passes, with the failure as `flakyFailure`, as Maven's Surefire writes it. Readers tell tests apart by class and name, and forget the suite: so the class has version and binding.

use std::time::Duration;

use anstream::adapter::strip_str;
use jiff::{SignedDuration, Timestamp};
use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestRerun, TestSuite};

use super::evidence;
use super::failure::ErrorInfo;
use super::model::Report;
use crate::diagnostic::words::{one_line, printable};
use crate::verdict::{Times, TrialResult, Verdict};

/// Columns of the texts within the XML.
const WIDTH: usize = 100;

/// The report as XML.
pub(crate) fn render(report: &Report) -> String {
    let mut out = quick_junit::Report::new(report.tool.name.as_str());
    out.set_time(Duration::from_millis(report.duration_ms));
    let mut suites: Vec<TestSuite> = report.error.iter().map(|error| of_error(report, error)).collect();
    for (index, result) in report.results.iter().enumerate() {
        let name = format!("{} {}", result.profile, result.binding);
        if suites.last().is_none_or(|suite| suite.name.as_str() != name) {
            let mut suite = TestSuite::new(name);
            suite.add_property(Property::new("target", report.target.url.as_str()));
            suite.add_property(Property::new("messages-sent", report.messages_sent.to_string()));
            if let Some(reason) = &report.stopped {
                suite.add_property(Property::new("stopped", reason.to_string()));
            }
            for (interface, reason) in report.lost() {
                let text = format!("{}: {}", one_line(&interface.title()), one_line(reason));
                suite.add_property(Property::new("lost", text));
            }
            suites.push(suite);
        }
        if let Some(suite) = suites.last_mut() {
            if let Some(times) = &result.times {
                lasts_until_end_of(suite, report, times);
            }
            let mut case = test_case(report, index, result);
            if let Some(times) = &result.times {
                case.set_time(times.duration());
            }
            suite.add_test_case(case);
        }
    }
    out.add_test_suites(suites);
    // Writing to memory cannot fail.
    in_xml(&printable(&out.to_string().unwrap_or_default()))
}

/// Lets a suite begin with the first of its cases and last until the end of the last.
fn lasts_until_end_of(suite: &mut TestSuite, report: &Report, times: &Times) {
    let Ok(run) = report.started.parse::<Timestamp>() else { return };
    let began = run.saturating_add(SignedDuration::from_secs_f64(times.started_ms / 1e3)).unwrap_or(run);
    let ended = began.saturating_add(SignedDuration::from_secs_f64(times.duration_ms / 1e3)).unwrap_or(began);
    let known = suite.extra.get("timestamp").and_then(|text| text.as_str().parse::<Timestamp>().ok());
    let first = known.map_or(began, |known| known.min(began));
    let so_far = known.zip(suite.time).map(|(known, time)| known.saturating_add(time).unwrap_or(known));
    let last = so_far.map_or(ended, |so_far| so_far.max(ended));
    suite.extra.insert("timestamp".into(), format!("{first:.3}").into());
    suite.set_time(Duration::try_from(last.duration_since(first)).unwrap_or_default());
}

/// The text with escapes for the characters that no document of XML has, not even as references (XML 1.0, section 2.2, `Char`).
/// Beside control characters, which [`printable`] escapes and quick-junit drops, these are U+FFFE and U+FFFF.
fn in_xml(text: &str) -> String {
    let is_char =
        |c: char| matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match is_char(c) {
            true => out.push(c),
            false => out.extend(c.escape_unicode()),
        }
    }
    out
}

/// The one test of a run that could not be done: an error, for readers pass over a file without tests.
fn of_error(report: &Report, error: &ErrorInfo) -> TestSuite {
    let lines = error.lines();
    let outcome = serde_json::to_value(error.outcome).ok();
    let kind = outcome.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
    let mut status = non_success(NonSuccessKind::Error, kind, lines.first().map(String::as_str).unwrap_or_default());
    status.set_description(lines.join("\n"));
    let mut suite = TestSuite::new("a2aspec");
    suite.add_property(Property::new("target", report.target.url.as_str()));
    let mut case = TestCase::new("run", status);
    case.set_classname("a2aspec");
    suite.add_test_case(case);
    suite
}

fn test_case(report: &Report, index: usize, result: &TrialResult) -> TestCase {
    let reason = result.reason.as_ref().map(|reason| one_line(&reason.to_string())).unwrap_or_default();
    let message = match result.findings.as_slice() {
        [] => reason.clone(),
        [only] => one_line(&only.headline()),
        [first, rest @ ..] => format!("{} (and {} more)", one_line(&first.headline()), rest.len()),
    };
    let fail_on = report.fail_on();
    let known = report.known(index);
    let (remark, counts) = (report.remark(index), report.counts_as(index));
    let fails = |verdict: Verdict| fail_on.fails_at(verdict) || verdict == Verdict::Broken;
    let skipped = |message: &str| {
        let mut status = TestCaseStatus::skipped();
        status.set_message(message);
        status
    };
    let status = match (result.verdict, known) {
        (_, Some(Some(why))) => skipped(&one_line(&format!("known failure: {why}"))),
        (_, Some(None)) => skipped("known failure"),
        (verdict, _)
            if let Some(remark) = &remark
                && fails(verdict)
                && !counts.is_some_and(fails) =>
        {
            skipped(&format!("{remark}: {message}"))
        }
        (verdict, _) if fail_on.fails_at(verdict) => {
            non_success(NonSuccessKind::Failure, &result.level.to_string(), &message)
        }
        (Verdict::Flaky, _) => {
            let mut status = TestCaseStatus::success();
            let mut run = TestRerun::new(NonSuccessKind::Failure);
            run.set_type(result.level.to_string()).set_message(message.as_str());
            status.add_rerun(run);
            status
        }
        (Verdict::Pass | Verdict::Fail | Verdict::Warn | Verdict::Note, _) => TestCaseStatus::success(),
        (Verdict::Broken, _) => non_success(NonSuccessKind::Error, result.verdict.name(), &reason),
        (Verdict::Unreached, _) => skipped(&format!("not reached: {reason}")),
        (Verdict::Skipped, _) => skipped(&reason),
    };
    let text = strip_str(&evidence::of_result(report, result, WIDTH)).to_string();
    let mut case = TestCase::new(result.case.as_str(), status);
    // A dot would begin another package.
    let version = result.profile.replace('.', "_");
    case.set_classname(format!("{version}.{}.{}", result.binding, result.area()));
    for requirement in &result.requirements {
        case.add_property(Property::new("requirement", requirement.as_str()));
    }
    case.add_property(Property::new("section", result.section.as_str()));
    case.add_property(Property::new("level", result.level.to_string()));
    case.add_property(Property::new("verdict", result.verdict.name()));
    if let Some(remark) = remark {
        case.add_property(Property::new("requirement-set", remark));
    }
    if let Some(again) = result.told_again() {
        case.add_property(Property::new("again", again));
    }
    match result.verdict {
        Verdict::Pass | Verdict::Skipped => {}
        _ if matches!(case.status, TestCaseStatus::Success { .. }) => {
            case.set_system_out(format!("{} ({})\n{text}", result.verdict.name(), result.level));
        }
        _ => {
            case.status.set_description(text);
        }
    }
    case
}

fn non_success(kind: NonSuccessKind, name: &str, message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(name);
    status.set_message(message);
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_result_that_is_flaky() {
        insta::assert_snapshot!(render(&sample::flaky()));
    }

    /// Whatever an agent sends, in whichever place of the report it ends up. The range is that of the standard, not of the code.
    #[test]
    fn every_character_that_xml_has_not_is_escaped() {
        let excluded = (0..0x20).filter(|code| ![0x9, 0xa, 0xd].contains(code)).chain([0xfffe, 0xffff]);
        for odd in excluded.filter_map(char::from_u32) {
            let mut report = sample::full();
            let text = format!("before{odd}after");
            report.target.url = format!("http://agent.example/{text}");
            for result in &mut report.results {
                result.title.push_str(&text);
                for finding in &mut result.findings {
                    finding.received = Some(text.clone());
                    finding.pointer = Some(format!("/{text}"));
                    finding.kind = crate::finding::Kind::ErrorInStream { error: text.clone() };
                }
            }
            for interface in &mut report.target.interfaces {
                interface.lost = Some(text.clone());
            }
            let xml = render(&report);
            assert!(!xml.contains(odd), "U+{:04X}", u32::from(odd));
            assert!(xml.contains(&format!("before{}after", odd.escape_unicode())), "U+{:04X}", u32::from(odd));
        }
        // The characters beside them stay.
        for kept in ['\u{e000}', '\u{fffd}', '\u{10000}', '\u{1fffe}', '\u{10ffff}', '\u{d7ff}'] {
            let mut report = sample::full();
            report.results.iter_mut().flat_map(|it| &mut it.findings).for_each(|it| it.received = Some(kept.into()));
            assert!(render(&report).contains(kept), "U+{:04X}", u32::from(kept));
        }
    }

    #[test]
    fn every_verdict() {
        insta::assert_snapshot!(render(&sample::full()));
    }
}
