//! The report for continuous integration: JUnit's XML.
//!
//! ```xml
//! <testsuites name="a2aspec" tests="3" failures="1" errors="1" ...>
//!   <testsuite name="1.0 jsonrpc" ...>
//!     <testcase name="get/unknown-id" classname="get">
//!       <properties>
//!         <property name="requirement" value="1.0-3.1.3-2"/>
//!         <property name="section" value="3.1.3"/>
//!       </properties>
//!       <failure type="MUST" message="error code is not that of TaskNotFoundError">...</failure>
//!     </testcase>
//! ```
//!
//! What breaks a MUST is a failure; what breaks a SHOULD or MAY passes and says so in `system-out`. A case that was not
//! reached, or that broke, is an error: nothing is known of what it tests. The verdict itself is a property as well.

use std::time::Duration;

use anstream::adapter::strip_str;
use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

use super::evidence;
use super::model::Report;
use crate::diagnostic::words::{one_line, printable};
use crate::verdict::{TrialResult, Verdict};

/// Columns of the texts within the XML.
const WIDTH: usize = 100;

/// The report as XML.
pub fn render(report: &Report) -> String {
    let mut out = quick_junit::Report::new(report.tool.name);
    out.set_time(Duration::from_millis(report.duration_ms));
    let mut suites: Vec<TestSuite> = Vec::new();
    for result in &report.results {
        let name = format!("{} {}", result.profile, result.binding);
        if suites.last().is_none_or(|suite| suite.name.as_str() != name) {
            let mut suite = TestSuite::new(name);
            suite.add_property(Property::new("target", report.target.url.as_str()));
            suite.add_property(Property::new("messages-sent", report.messages_sent.to_string()));
            if let Some(reason) = &report.stopped {
                suite.add_property(Property::new("stopped", reason.to_string()));
            }
            for interface in &report.target.interfaces {
                if let Some(reason) = &interface.lost {
                    let text = format!("{}: {}", one_line(&interface.title()), one_line(reason));
                    suite.add_property(Property::new("lost", text));
                }
            }
            suites.push(suite);
        }
        if let Some(suite) = suites.last_mut() {
            let mut case = test_case(report, result);
            if let Some(times) = &result.times {
                case.set_time(times.duration());
            }
            suite.add_test_case(case);
        }
    }
    out.add_test_suites(suites);
    // Writing to memory cannot fail, and quick-junit drops what XML cannot hold.
    printable(&out.to_string().unwrap_or_default())
}

fn test_case(report: &Report, result: &TrialResult) -> TestCase {
    let reason = result.reason.as_ref().map(|reason| one_line(&reason.to_string())).unwrap_or_default();
    let message = match result.findings.as_slice() {
        [] => reason.clone(),
        [only] => one_line(&only.headline()),
        [first, rest @ ..] => format!("{} (and {} more)", one_line(&first.headline()), rest.len()),
    };
    let status = match result.verdict {
        Verdict::Pass | Verdict::Warn | Verdict::Note => TestCaseStatus::success(),
        Verdict::Fail => non_success(NonSuccessKind::Failure, &result.level.to_string(), &message),
        Verdict::Unreached | Verdict::Broken => non_success(NonSuccessKind::Error, result.verdict.name(), &reason),
        Verdict::Skipped => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(reason);
            status
        }
    };
    let text = strip_str(&evidence::of_result(report, result, WIDTH)).to_string();
    let mut case = TestCase::new(result.case.as_str(), status);
    case.set_classname(result.area());
    for requirement in &result.requirements {
        case.add_property(Property::new("requirement", requirement.as_str()));
    }
    case.add_property(Property::new("section", result.section.as_str()));
    case.add_property(Property::new("level", result.level.to_string()));
    case.add_property(Property::new("verdict", result.verdict.name()));
    match result.verdict {
        Verdict::Warn | Verdict::Note => {
            case.set_system_out(format!("{} ({})\n{text}", result.verdict.name(), result.level));
        }
        Verdict::Fail | Verdict::Unreached | Verdict::Broken => {
            case.status.set_description(text);
        }
        Verdict::Pass | Verdict::Skipped => {}
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
    fn every_verdict() {
        insta::assert_snapshot!(render(&sample::full()));
    }
}
