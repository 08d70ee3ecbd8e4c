//! The report as TAP version 14, which test harnesses of many languages read.
//!
//! ```text
//! TAP version 14
//! 1..2
//! ok 1 - 1.0 jsonrpc get/existing
//! not ok 2 - 1.0 jsonrpc get/unknown-id
//!   ---
//!   message: "the agent answers with -32603, expected -32001"
//!   level: "MUST"
//!   ...
//! ```
//!
//! What fails the gate, or broke, is `not ok`; what is wrong below its level is `ok` with what was found beside it. A known
//! failure, and one that does not count in the set of requirements, is `not ok` with `# TODO`, which harnesses let pass. What is flaky is `ok`, and says so beside it. What was not tested is `ok` with `# SKIP`.

use std::collections::BTreeSet;

use super::model::Report;
use crate::diagnostic::words::{one_line, printable};
use crate::verdict::{TrialResult, Verdict};

/// The report as TAP.
pub(crate) fn render(report: &Report) -> String {
    let mut out = format!("TAP version 14\n1..{}\n", report.results.len());
    for (index, result) in report.results.iter().enumerate() {
        out.push_str(&test_point(report, index, result));
    }
    if let Some(error) = &report.error {
        let lines = error.lines();
        lines.iter().skip(1).for_each(|line| out.push_str(&format!("# {}\n", escaped(line.trim_start()))));
        lines.iter().take(1).for_each(|line| out.push_str(&format!("Bail out! {line}\n")));
    }
    if let Some(reason) = &report.stopped {
        out.push_str(&format!("Bail out! {}\n", one_line(&reason.to_string())));
    }
    printable(&out)
}

fn test_point(report: &Report, index: usize, result: &TrialResult) -> String {
    let fail_on = report.fail_on();
    let known = report.known(index);
    let reason = result.reason.as_ref().map(|reason| one_line(&reason.to_string())).unwrap_or_default();
    let is_wrong = fail_on.fails_at(result.verdict) || result.verdict == Verdict::Broken;
    let remark = report.remark(index);
    let counts = report.counts_as(index);
    let counts_less = !counts.is_some_and(|counts| fail_on.fails_at(counts) || counts == Verdict::Broken);
    let directive = match (known, result.verdict) {
        (Some(why), _) => format!(" # TODO known failure: {}", escaped(why.as_deref().unwrap_or("no reason is given"))),
        (None, _)
            if let Some(remark) = &remark
                && is_wrong
                && counts_less =>
        {
            format!(" # TODO {}", escaped(remark))
        }
        (None, Verdict::Skipped) => format!(" # SKIP {}", escaped(&reason)),
        (None, Verdict::Unreached) => format!(" # SKIP not reached: {}", escaped(&reason)),
        (None, _) => String::new(),
    };
    let ok = if is_wrong { "not ok" } else { "ok" };
    let name = escaped(&format!("{} {} {}", result.profile, result.binding, result.case));
    let mut out = format!("{ok} {} - {name}{directive}\n", index + 1);
    if !matches!(result.verdict, Verdict::Pass | Verdict::Skipped | Verdict::Unreached) {
        out.push_str(&diagnostics(result, &reason, remark.as_deref()));
    }
    out
}

/// The block of YAML below a test point. A string of JSON is one of YAML, whatever is in it.
fn diagnostics(result: &TrialResult, reason: &str, remark: Option<&str>) -> String {
    let message = result.findings.first().map(|finding| one_line(&finding.headline()));
    let row = |name: &str, value: &str| format!("  {name}: {}\n", serde_json::Value::from(value));
    let mut out = "  ---\n".to_owned();
    out.push_str(&row("message", message.as_deref().unwrap_or(reason)));
    out.push_str(&row("severity", result.verdict.name()));
    if let Some(again) = result.told_again() {
        out.push_str(&row("again", &again));
    }
    out.extend(remark.map(|remark| row("gate", remark)));
    out.push_str(&row("level", &result.level.to_string()));
    out.push_str(&row("section", &result.section));
    out.push_str(&format!("  requirements: {}\n", serde_json::Value::from(result.requirements.clone())));
    let others: BTreeSet<String> = result.findings.iter().map(|finding| one_line(&finding.headline())).collect();
    let others: Vec<String> = others.into_iter().filter(|other| Some(other) != message.as_ref()).collect();
    if !others.is_empty() {
        out.push_str(&format!("  also: {}\n", serde_json::Value::from(others)));
    }
    out.push_str("  ...\n");
    out
}

/// A description, in which `#` would begin a directive.
fn escaped(text: &str) -> String {
    one_line(text).replace('\\', "\\\\").replace('#', "\\#")
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
    fn an_interrupted_run_bails_out() {
        let text = render(&sample::interrupted());
        assert!(text.lines().last().is_some_and(|line| line.starts_with("Bail out! ")), "{text}");
    }

    #[test]
    fn what_the_agent_says_is_no_directive() {
        assert_eq!(escaped("a # SKIP b\\\nok 7"), "a \\# SKIP b\\\\\\\\nok 7");
    }
}
