//! The report for people.
//!
//! What was found comes first, then the root causes, then what is wrong, worst first, then what could not be tested and why, and at
//! the end one table that keeps apart what was tested from what was not. A run without findings is short, and of many problems each
//! takes a few lines.

mod conformance;
mod failed;
pub(super) mod found;
mod fuzzed;
mod problems;
pub(super) mod roots;
mod security;
mod short;
mod summary;
pub(super) mod triggers;
mod untested;

use std::collections::BTreeSet;

use super::model::Report;
use crate::diagnostic::words::printable_with_styles;
use crate::verdict::TrialResult;

/// The narrowest text that has room for its tables, and the widest that is pleasant to read.
const WIDTHS: std::ops::RangeInclusive<usize> = 58..=100;

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// One good piece of evidence of each problem, and the first of many names.
    Best,
    /// All evidence, and all names.
    All,
}

impl Detail {
    /// How many of a list are told where usually so many are.
    fn most(self, usually: usize) -> usize {
        match self {
            Self::Best => usually,
            Self::All => usize::MAX,
        }
    }
}

/// The report as styled text: print it through `anstream`. `width` is the number of columns there are; the text takes
/// at most 100.
pub(crate) fn render(report: &Report, detail: Detail, width: usize) -> String {
    let width = width.clamp(*WIDTHS.start(), *WIDTHS.end());
    if let Some(error) = &report.error {
        return printable_with_styles(&failed::render(report, error, width));
    }
    let parts = [
        found::render(report, width),
        roots::render(report, width),
        match detail {
            Detail::Best if short::is_due(report) => short::render(report, width),
            _ => problems::render(report, detail, width),
        },
        untested::render(report, detail, width),
        security::render(report, detail, width),
        triggers::render(report, width),
        match &report.fuzz {
            Some(fuzz) => fuzzed::render(report, fuzz, width),
            None => summary::render(report, width),
        },
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    printable_with_styles(&parts.join("\n"))
}

/// The case of a result, with profile and binding where the report is about several.
fn case_name(report: &Report, result: &TrialResult) -> String {
    let kinds: BTreeSet<(&str, &str)> =
        report.results.iter().map(|result| (result.profile.as_str(), result.binding.as_str())).collect();
    if kinds.len() > 1 {
        format!("{} ({} {})", result.case, result.profile, result.binding)
    } else {
        result.case.clone()
    }
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;
    use crate::finding::Kind;
    use crate::report::body::{Body, LONGEST_SHOWN};
    use crate::report::model::{FuzzInfo, GrowthInfo, SeenInfo, TriedInfo};
    use crate::report::problems::Problem;
    use crate::report::sample;
    use crate::secrets::Secrets;

    fn plain(report: &Report) -> String {
        let text = strip_str(&render(report, Detail::Best, 90)).to_string();
        for line in text.lines() {
            // A command line stays whole, to be copied.
            assert!(line.chars().count() <= 90 || line.contains("a2aspec check "), "too long: {line}");
            assert!(!line.contains('%'), "a percentage: {line}");
        }
        text
    }

    /// Terminals of all widths, and texts of an agent with long words, URLs and characters that take two columns or none.
    #[test]
    fn no_line_is_wider_than_the_terminal() {
        use unicode_width::UnicodeWidthStr as _;

        let odd =
            "\u{65e5}\u{672c}\u{8a9e}".repeat(40) + &" caf\u{65}\u{301} \u{1f468}\u{1f469} \u{d55c}\u{ad6d}".repeat(20);
        let mut strange = sample::full();
        strange.target.name = Some(odd.clone());
        for finding in strange.results.iter_mut().flat_map(|it| &mut it.findings) {
            finding.received = Some(odd.clone());
        }
        strange.problems.iter_mut().for_each(|problem| problem.message.push_str(&odd));
        for exchange in &mut strange.exchanges {
            if let Some(response) = &mut exchange.response {
                response.body = Body::new(odd.as_bytes(), LONGEST_SHOWN, &Secrets::default());
            }
        }
        let samples = [
            sample::full(),
            sample::clean(),
            sample::stream(),
            sample::grpc(),
            sample::interrupted(),
            sample::flaky(),
            sample::secured(),
            sample::not_run(),
            strange,
        ];
        let mut wide = Vec::new();
        for width in [58, 60, 80, 140] {
            for (number, report) in samples.iter().enumerate() {
                for detail in [Detail::Best, Detail::All] {
                    let text = strip_str(&render(report, detail, width)).to_string();
                    for line in text.lines() {
                        // What is to be copied stays whole: command lines and URLs. An excerpt has what is wrong beside its carets.
                        let is_whole = ["a2aspec ", "curl ", "://", " | "].iter().any(|part| line.contains(part));
                        if line.width() > width.min(100) && !is_whole {
                            wide.push(format!("{width}, sample {number}: {line}"));
                        }
                    }
                }
            }
        }
        assert!(wide.is_empty(), "{}", wide.join("\n"));
    }

    #[test]
    fn a_run_without_findings_is_short() {
        insta::assert_snapshot!(plain(&sample::clean()));
    }

    #[test]
    fn a_result_that_is_flaky() {
        insta::assert_snapshot!(plain(&sample::flaky()));
    }

    #[test]
    fn every_kind_of_result() {
        insta::assert_snapshot!(plain(&sample::full()));
    }

    #[test]
    fn all_evidence_of_every_problem() {
        let full = sample::full();
        let shown = |detail| strip_str(&render(&full, detail, 90)).to_string();
        let evidence: usize = full.new_problems().map(Problem::results).sum();
        assert!(full.new_problems().count() < evidence, "some problem shows more than once");
        let count = |text: &str| text.lines().filter(|line| line.starts_with("    case ")).count();
        assert!(count(&shown(Detail::Best)) < count(&shown(Detail::All)));
        insta::assert_snapshot!(shown(Detail::All));
    }

    #[test]
    fn a_finding_in_a_stream() {
        insta::assert_snapshot!(plain(&sample::stream()));
    }

    #[test]
    fn findings_over_grpc_and_across_bindings() {
        insta::assert_snapshot!(plain(&sample::grpc()));
    }

    #[test]
    fn who_may_do_what() {
        insta::assert_snapshot!(plain(&sample::secured()));
    }

    #[test]
    fn an_interrupted_run() {
        insta::assert_snapshot!(plain(&sample::interrupted()));
    }

    #[test]
    fn a_hunt_of_the_fuzzer() {
        let mut report = sample::stream();
        let tried = |operation: &str, requests| TriedInfo {
            interface: "1.0 jsonrpc".to_owned(),
            operation: operation.to_owned(),
            requests,
        };
        report.fuzz = Some(FuzzInfo {
            seed: 7,
            requests: 4_000,
            messages: 1,
            duration_ms: 10_000,
            tried: vec![tried("SendMessage", 3_000), tried("GetTask", 1_000)],
            seen: vec![SeenInfo {
                case: "fuzz/788a5dc56000".to_owned(),
                hits: 2,
                again: 3,
                came: 1,
                places: vec!["GetTask /id".to_owned()],
            }],
            gone: 1,
            known: vec!["168582cea3f1".to_owned()],
            not_seen: vec!["55f65e0c5afe".to_owned()],
            not_tried: vec!["no more messages that the agent works on after the first 1".to_owned()],
            growth: vec![GrowthInfo {
                interfaces: vec!["1.0 jsonrpc".to_owned(), "1.0 grpc".to_owned()],
                operation: "GetTask".to_owned(),
                what: "the memory of the agent grows by 256 KiB with each call".to_owned(),
                calls: 384,
            }],
            falls: 2,
            dead: Some("connection refused".to_owned()),
        });
        insta::assert_snapshot!(plain(&report));
        report = Report { results: Vec::new(), problems: Vec::new(), ..report };
        report.fuzz = Some(FuzzInfo { seed: 7, requests: 10, duration_ms: 1_000, ..FuzzInfo::default() });
        assert!(plain(&report).contains("no findings\n10 requests in 1 s, 10 a second, by --seed 7"));
    }

    #[test]
    fn the_agent_cannot_steer_the_terminal() {
        let mut report = sample::full();
        for exchange in &mut report.exchanges {
            if let Some(response) = &mut exchange.response {
                let text = format!("{}\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}", response.body.text());
                response.body = Body::new(text.as_bytes(), LONGEST_SHOWN, &Secrets::default());
            }
        }
        for finding in report.results.iter_mut().flat_map(|result| &mut result.findings) {
            finding.kind = Kind::ErrorInStream { error: "\u{1b}[2J".into() };
            finding.pointer = finding.pointer.take().map(|pointer| pointer + "\u{1b}[2J");
            finding.received = Some("\u{1b}[2J".into());
        }
        let text = render(&report, Detail::Best, 90);
        assert!(!text.contains("\u{1b}[2J") && !text.contains("\u{1b}]") && !text.contains('\u{202e}'));
    }
}
