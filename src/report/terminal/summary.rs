//! The end: how much was tested and came out how, how much was not.

use std::time::Duration;

use super::super::conclusion::conclude;
use super::super::model::{Counts, Report};
use super::super::style::{self, FAINT, STRONG, paint};
use super::conformance;
use crate::diagnostic::words::{count, duration, one_line, wrap};
use crate::interface::InterfaceInfo;
use crate::verdict::{Level, Verdict};

/// A column of the table: heading, width, number, and the verdict whose colour it has.
type Column = (&'static str, usize, fn(&Counts) -> usize, Verdict);

/// What was tested; the last only where there is any.
const TESTED: [Column; 3] = [
    ("pass", 6, |counts| counts.pass, Verdict::Pass),
    ("fail", 6, |counts| counts.fail, Verdict::Fail),
    ("flaky", 7, |counts| counts.flaky, Verdict::Flaky),
];

/// What was not.
const NOT_TESTED: [Column; 3] = [
    ("unreached", 11, |counts| counts.unreached, Verdict::Unreached),
    ("skipped", 9, |counts| counts.skipped, Verdict::Skipped),
    ("broken", 8, |counts| counts.broken, Verdict::Broken),
];

pub(super) fn render(report: &Report, width: usize) -> String {
    let mut out = String::new();
    if let Some(reason) = &report.stopped {
        let name = paint(style::of(Verdict::Warn), "STOPPED");
        out.push_str(&format!("{name} before the end: {}\n\n", one_line(&reason.to_string())));
    } else {
        out.push_str(&lost(report));
    }
    let has_flaky = report.summary.sum(|counts| counts.flaky) > 0;
    let (tested, _) = TESTED.split_at(if has_flaky { TESTED.len() } else { TESTED.len() - 1 });
    let group = |name: &str, columns: &[Column]| {
        let width: usize = columns.iter().map(|(_, width, ..)| width).sum();
        format!("{name:>width$}")
    };
    let groups = format!("{:8}{} |{}", "", group("tested", tested), group("not tested", &NOT_TESTED));
    out.push_str(&format!("{}\n", paint(STRONG, groups)));
    let heading =
        |columns: &[Column]| columns.iter().map(|(name, width, ..)| format!("{name:>width$}")).collect::<String>();
    out.push_str(&format!("{}\n", paint(FAINT, format_args!("{:8}{} |{}", "", heading(tested), heading(&NOT_TESTED)))));
    for level in Level::ALL {
        let counts = report.summary.level(level);
        if counts.total() > 0 {
            let name = level.to_string();
            let (seen, not_seen) = (cells(tested, counts, level), cells(&NOT_TESTED, counts, level));
            out.push_str(&format!("{name:<8}{seen} |{not_seen}\n"));
        }
    }
    let conformance = conformance::render(report, width);
    if !conformance.is_empty() {
        out.push_str(&format!("\n{conformance}"));
    }
    out.extend(report.of_set().map(|set| format!("\n{set}\n")));
    out.push_str(&baseline(report));
    out.push_str(&lock(report));
    let messages = usize::try_from(report.messages_sent).unwrap_or(usize::MAX);
    let (tested, not_tested) = (sum(report, &TESTED), sum(report, &NOT_TESTED));
    let numbers = format!(
        "{} tested, {not_tested} not tested; {} sent in {}",
        count(tested, "case"),
        count(messages, "message"),
        duration(Duration::from_millis(report.duration_ms))
    );
    out.push_str(&format!("\n{}\n{}\n", conclusion(report, width), wrap(&numbers, width).join("\n")));
    out
}

/// What became of the list of known failures.
fn baseline(report: &Report) -> String {
    let Some(info) = &report.baseline else { return String::new() };
    let file = one_line(&info.file);
    let known = report.problems.iter().filter(|problem| report.knows(problem)).count();
    let fail_on = report.fail_on();
    let new = report.new_problems().filter(|problem| fail_on.fails_at(report.problem_counts_as(problem))).count();
    let mut out = format!("\n{} known by {file} and not shown, {new} new\n", count(known, "problem"));
    for (what, entries) in info.groups() {
        out.push_str(&format!("{what}:\n"));
        entries.iter().for_each(|known| out.push_str(&format!("  {}\n", one_line(&known.name()))));
    }
    out
}

/// What clients lose with the card.
fn lock(report: &Report) -> String {
    let Some(lock) = &report.lock else { return String::new() };
    let mut out = format!("\n{}\n", one_line(&lock.sentence()));
    lock.lost.iter().for_each(|loss| out.push_str(&format!("  {}\n", one_line(loss))));
    out
}

/// The interfaces that a run which went on could not check to the end.
fn lost(report: &Report) -> String {
    let name = paint(style::of(Verdict::Warn), "LOST");
    let line = |(interface, reason): (&InterfaceInfo, &str)| {
        format!("{name} {}: {}\n", one_line(&interface.title()), one_line(reason))
    };
    let lines: String = report.lost().map(line).collect();
    if lines.is_empty() { lines } else { format!("{lines}\n") }
}

/// How many cases of every level the columns count.
fn sum(report: &Report, columns: &[Column]) -> usize {
    let levels = [report.summary.must, report.summary.should, report.summary.may];
    levels.iter().flat_map(|counts| columns.iter().map(move |(_, _, number, _)| number(counts))).sum()
}

/// The numbers of one level; zeros are faint, so that the others are seen.
fn cells(columns: &[Column], counts: &Counts, level: Level) -> String {
    let cell = |(_, width, number, verdict): &Column| {
        let number = number(counts);
        let verdict = if *verdict == Verdict::Fail { Verdict::broken_at(level) } else { *verdict };
        let style = if number == 0 { FAINT } else { style::of(verdict) };
        paint(style, format_args!("{number:>width$}"))
    };
    columns.iter().map(cell).collect()
}

/// What the run has shown, in its colour.
pub(super) fn conclusion(report: &Report, width: usize) -> String {
    let (verdict, text) = conclude(report);
    let lines = wrap(&text, width).into_iter().map(|line| paint(style::of(verdict), line));
    lines.collect::<Vec<_>>().join("\n")
}
