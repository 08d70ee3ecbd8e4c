//! A run that could not be done: its report has no results, but the reason for that.

use serde::{Deserialize, Serialize};

use super::gate::{FailOn, Gate};
use super::model::{GateInfo, Report, SCHEMA_VERSION, Summary, Tool};
use super::security::SecurityInfo;
use crate::diagnostic::words::one_line;
use crate::interface::TargetInfo;

/// Why a run could not be done.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct ErrorInfo {
    /// What that means for a release: every outcome but `passes` and `fails`.
    pub outcome: Gate,
    /// What is wrong, in one sentence.
    pub message: String,
    /// More about it, such as each place where no card is, one a line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl ErrorInfo {
    /// That a run has not come to its end: it goes on, or it was killed.
    pub(crate) fn not_ended() -> Self {
        Self {
            outcome: Gate::Interrupted,
            message: "the run has not ended: it goes on, or it was killed".to_owned(),
            details: Vec::new(),
            help: Some("the run replaces this report when it ends".to_owned()),
        }
    }

    /// All of it as lines, each without what could steer a terminal.
    pub(super) fn lines(&self) -> Vec<String> {
        let details = self.details.iter().map(|line| format!("  {}", one_line(line)));
        let help = self.help.iter().map(|help| format!("help: {}", one_line(help)));
        std::iter::once(one_line(&self.message)).chain(details).chain(help).collect()
    }
}

impl Report {
    /// The report of a run against the agent at `url` that could not be done, and the exit code that stands for that.
    pub(crate) fn of_error(
        url: &str,
        started: jiff::Timestamp,
        error: ErrorInfo,
        fail_on: FailOn,
        exit_code: u8,
    ) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            sarif_location: None,
            tool: Tool::default(),
            target: TargetInfo { url: url.to_owned(), ..TargetInfo::default() },
            started: format!("{started:.3}"),
            duration_ms: 0,
            messages_sent: 0,
            stopped: None,
            gate: Some(GateInfo { fail_on, outcome: error.outcome, exit_code, too_few: None }),
            error: Some(error),
            baseline: None,
            requirement_set: None,
            lock: None,
            shards: Vec::new(),
            summary: Summary::default(),
            fuzz: None,
            root_causes: Vec::new(),
            problems: Vec::new(),
            results: Vec::new(),
            triggers: Vec::new(),
            security: SecurityInfo::default(),
            requirements: Vec::new(),
            conformance: Vec::new(),
            cases: Vec::new(),
            exchanges: Vec::new(),
            exchanges_left_out: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, render, sample};

    #[test]
    fn every_format_has_the_reason_and_the_help() {
        let report = sample::not_run();
        for format in Format::ALL {
            let text = render(&report, format, 100);
            // Viewers of archives and badges show no help.
            let is_badge = matches!(format, Format::Badge | Format::BadgeOf(_));
            let has_help = !is_badge && format != Format::Har;
            assert_eq!(text.contains("is the agent running"), has_help, "{format}: {text}");
            assert!(is_badge || text.contains("cannot be reached"), "{format}: {text}");
        }
    }

    #[test]
    fn what_it_looks_like() {
        let report = sample::not_run();
        for format in [Format::Terminal, Format::Junit, Format::Markdown, Format::Github, Format::Tap, Format::Badge] {
            insta::assert_snapshot!(format.name(), anstream::adapter::strip_str(&render(&report, format, 100)));
        }
    }
}
