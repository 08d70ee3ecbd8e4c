//! A comparison for people, in the terminal and as a page.

use std::time::Duration;

use super::difference::{Comparison, Difference, Evidence};
use crate::diagnostic::words::{count, duration, one_line, printable, printable_with_styles, shorten, wrap};
use crate::report::markdown::{code, prose};
use crate::report::model::ExchangeInfo;
use crate::report::style::{self, FAINT, STRONG, paint};
use crate::verdict::Verdict;

/// Columns of a label.
const LABEL: usize = 10;
/// Columns before the rows of a difference.
const INDENT: usize = 4;
/// Most cases that a difference names.
const MOST_CASES: usize = 6;
/// Longest piece of a body.
const LONGEST: usize = 160;
/// The narrowest text, and the widest that is pleasant to read.
const WIDTHS: std::ops::RangeInclusive<usize> = 58..=100;

/// The comparison as styled text of so many columns.
pub(crate) fn terminal(comparison: &Comparison, width: usize) -> String {
    let width = width.clamp(*WIDTHS.start(), *WIDTHS.end());
    let mut out = format!("{}\n", paint(STRONG, "compared"));
    row(&mut out, 2, "directly", &comparison.direct, width);
    row(&mut out, 2, "gateway", &comparison.gateway, width);
    if let Some(error) = &comparison.error {
        row(&mut out, 2, "error", &error.message, width);
        error.help.iter().for_each(|help| row(&mut out, 2, "help", help, width));
        return printable_with_styles(&out);
    }
    for note in &comparison.notes {
        row(&mut out, 2, "note", note, width);
    }
    if !comparison.differences.is_empty() {
        let number = count(comparison.differences.len(), "difference").to_uppercase();
        out.push_str(&format!("\n{}\n", paint(STRONG, number)));
    }
    for (index, difference) in comparison.differences.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        of(&mut out, difference, width);
    }
    out.push('\n');
    for line in wrap(&closing(comparison), width) {
        out.push_str(&format!("{line}\n"));
    }
    printable_with_styles(&out)
}

fn of(out: &mut String, difference: &Difference, width: usize) {
    for line in wrap(&one_line(&difference.message), width - 2) {
        out.push_str(&format!("  {}\n", paint(style::of(Verdict::Fail), line)));
    }
    let mut add = |label: &str, text: &str| {
        if !text.is_empty() {
            row(out, INDENT, label, text, width);
        }
    };
    add("kind", &difference.kind.to_string());
    add("over", &difference.interfaces.join(", "));
    add("directly", &difference.direct);
    add("gateway", &difference.gateway);
    if let Some(evidence) = &difference.evidence {
        for (label, text) in shown(evidence) {
            add(label, &text);
        }
    }
    add("cases", &cases(difference));
    add("help", &difference.help);
}

/// The request, and what each side sent back.
fn shown(evidence: &Evidence) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    let sides = [("request", &evidence.direct), ("at gateway", &evidence.gateway)];
    for (label, exchange) in sides {
        let Some(exchange) = exchange else { continue };
        rows.push((label, format!("{} {}", exchange.request.method, exchange.request.url)));
    }
    for (label, exchange) in [("received", &evidence.direct), ("at gateway", &evidence.gateway)] {
        rows.extend(exchange.iter().map(|exchange| (label, response(exchange))));
    }
    rows
}

fn response(exchange: &ExchangeInfo) -> String {
    let ended = exchange.ended.as_deref().unwrap_or_default();
    let Some(response) = &exchange.response else { return ended.to_owned() };
    let kind = response.headers.get("content-type").map(|kind| format!(" {kind}")).unwrap_or_default();
    let body = shorten(&one_line(&response.body.text()), LONGEST);
    let ended = if ended.is_empty() { String::new() } else { format!(" ({ended})") };
    format!("HTTP {}{kind}: {body}{ended}", response.status)
}

fn cases(difference: &Difference) -> String {
    let names: Vec<&str> = difference.cases.iter().take(MOST_CASES).map(String::as_str).collect();
    match (difference.cases.len(), difference.cases.len().saturating_sub(names.len())) {
        (0, _) => String::new(),
        (all, 0) => format!("{} with another verdict: {}", count(all, "case"), names.join(", ")),
        (all, more) => format!("{} with another verdict: {} and {more} more", count(all, "case"), names.join(", ")),
    }
}

/// All of it in one line.
pub(crate) fn closing(comparison: &Comparison) -> String {
    let counts = &comparison.cases;
    let mut parts = vec![match comparison.differences.len() {
        0 => format!("no differences in {}", count(counts.compared, "case")),
        number => format!("{} in {}", count(number, "difference"), count(counts.compared, "case")),
    }];
    let mut add = |number: usize, what: &str| {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    };
    add(counts.failing_alike, "fail on both sides alike");
    add(counts.untested, "tested on neither side");
    add(counts.unsteady, "unsteady");
    let messages = usize::try_from(comparison.messages_sent).unwrap_or(usize::MAX);
    let took = duration(Duration::from_millis(comparison.duration_ms));
    parts.push(format!("{} sent in {took}", count(messages, "message")));
    parts.join(", ")
}

fn row(out: &mut String, indent: usize, label: &str, text: &str, width: usize) {
    for (index, line) in wrap(&one_line(text), width - indent - LABEL - 1).into_iter().enumerate() {
        let label = if index == 0 { label } else { "" };
        out.push_str(&format!("{:indent$}{} {line}\n", "", paint(FAINT, format_args!("{label:<LABEL$}"))));
    }
}

/// The comparison as GitHub Flavored Markdown.
pub(crate) fn markdown(comparison: &Comparison) -> String {
    let mut out = format!("## a2aspec: {}\n\n", prose(&closing(comparison)));
    out.push_str(&format!("- directly: {}\n- gateway: {}\n", code(&comparison.direct), code(&comparison.gateway)));
    for note in &comparison.notes {
        out.push_str(&format!("- note: {}\n", code(note)));
    }
    if let Some(error) = &comparison.error {
        out.push_str(&format!("\n{}\n", code(&error.message)));
        return printable(&out);
    }
    if !comparison.differences.is_empty() {
        out.push_str("\n| difference | over | directly | gateway | cases | help |\n|---|---|---|---|--:|---|\n");
    }
    for difference in &comparison.differences {
        let cell = |text: &str| match text.is_empty() {
            true => String::new(),
            false => code(&shorten(&one_line(text), LONGEST)).replace('|', "\\|"),
        };
        let cells = [
            cell(&difference.message),
            prose(&difference.interfaces.join(", ")),
            cell(&difference.direct),
            cell(&difference.gateway),
            difference.cases.len().to_string(),
            prose(&difference.help),
        ];
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    printable(&out)
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;
    use crate::compare::difference::SCHEMA;
    use crate::compare::sample;
    use crate::report::failure::ErrorInfo;

    fn plain(comparison: &Comparison) -> String {
        strip_str(&terminal(comparison, 90)).to_string()
    }

    #[test]
    fn a_comparison_with_differences() {
        insta::assert_snapshot!("terminal", plain(&sample::with_differences()));
        insta::assert_snapshot!("markdown", markdown(&sample::with_differences()));
        insta::assert_snapshot!("json", crate::report::json::indented(&sample::with_differences()));
    }

    #[test]
    fn the_json_is_as_its_schema_says() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let error = ErrorInfo { details: vec!["a".to_owned()], help: Some("b".to_owned()), ..ErrorInfo::not_ended() };
        let failed = Comparison { error: Some(error), ..sample::alike() };
        for comparison in [sample::with_differences(), sample::alike(), failed] {
            let written = serde_json::to_value(&comparison).unwrap();
            let errors: Vec<String> = validator.iter_errors(&written).map(|error| error.to_string()).collect();
            assert_eq!(errors, [""; 0]);
        }
    }

    #[test]
    fn a_comparison_without_differences_is_short() {
        insta::assert_snapshot!("alike", plain(&sample::alike()));
    }

    #[test]
    fn what_could_steer_a_terminal_is_escaped() {
        let mut odd = sample::with_differences();
        odd.differences[0].gateway = "\u{1b}]0;x\u{7}".to_owned();
        assert!(!plain(&odd).contains(['\u{1b}', '\u{7}']));
        assert!(!markdown(&odd).contains('\u{1b}'));
    }
}
