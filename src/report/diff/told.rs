//! A comparison for people, in the terminal and as a page.

use super::super::markdown::{code, prose};
use super::super::style::{self, FAINT, STRONG, paint};
use super::{Change, Diff, Run, Told, Untested};
use crate::diagnostic::words::{count, count_as, one_line, wrap};
use crate::verdict::Verdict;

/// Most names of results in a row.
const MOST_NAMES: usize = 6;

/// How many bytes the page may have after the new problems, after the fixed ones, and at its end, so that it fits into a comment
/// (65,536 characters on GitHub) with words around it.
const MOST_BYTES: [usize; 3] = [40_000, 48_000, 56_000];

/// The comparison as styled text of so many columns.
pub(crate) fn terminal(diff: &Diff, width: usize) -> String {
    let mut out = String::new();
    for (label, Run { file, started, url }) in [("before", &diff.before), ("after", &diff.after)] {
        let line = one_line(&format!("{file}: {url}, {started}"));
        out.push_str(&format!("{} {line}\n", paint(FAINT, format_args!("{label:<6}"))));
    }
    for (title, changes) in [("new", &diff.new), ("fixed", &diff.fixed)] {
        if changes.is_empty() {
            continue;
        }
        out.push_str(&format!("\n{} {}\n", paint(STRONG, title), count(changes.len(), "problem")));
        for change in changes {
            let is_fixed = title == "fixed";
            let style = style::of(if is_fixed { Verdict::Pass } else { change.verdict });
            let name = if is_fixed { "OK".to_owned() } else { change.verdict.name().to_uppercase() };
            out.push_str(&format!("  {} {}\n", paint(style, name), heading(change)));
            for line in wrap(&one_line(&change.message), width.saturating_sub(7)) {
                out.push_str(&format!("       {line}\n"));
            }
            for line in wrap(&results(change), width.saturating_sub(7)) {
                out.push_str(&format!("       {}\n", paint(FAINT, line)));
            }
        }
    }
    if !diff.no_longer_tested.is_empty() {
        out.push_str(&format!("\n{} {}\n", paint(STRONG, "no longer tested"), count(lost(diff), "result")));
        for Untested { reason, results } in &diff.no_longer_tested {
            for line in wrap(&one_line(&format!("{reason} ({})", count(results.len(), "result"))), width - 2) {
                out.push_str(&format!("  {line}\n"));
            }
            for line in wrap(&one_line(&some(results)), width - 4) {
                out.push_str(&format!("    {}\n", paint(FAINT, line)));
            }
        }
    }
    out.push_str(&format!("\n{}\n", closing(diff)));
    out
}

/// The comparison as GitHub Flavored Markdown, of at most 60,000 bytes.
pub(crate) fn markdown(diff: &Diff) -> String {
    let mut out = format!("## a2aspec: {}\n\n", prose(&closing(diff)));
    for (label, Run { file, started, url }) in [("before", &diff.before), ("after", &diff.after)] {
        out.push_str(&format!("- {label}: {}, {}, {}\n", code(file), code(url), code(started)));
    }
    let [new, fixed, untested] = MOST_BYTES;
    for (title, changes, most) in [("New problems", &diff.new, new), ("Fixed problems", &diff.fixed, fixed)] {
        if !changes.is_empty() {
            out.push_str(&format!("\n### {title}\n\n"));
            add(&mut out, changes.iter().map(of_change), "problem", most);
        }
    }
    if !diff.no_longer_tested.is_empty() {
        out.push_str("\n### No longer tested\n\n");
        add(&mut out, diff.no_longer_tested.iter().map(of_untested), "reason", untested);
    }
    out
}

/// Adds whole lines up to this number of bytes, and then a line with the number of lines that are left out.
fn add(out: &mut String, lines: impl Iterator<Item = String>, noun: &str, most: usize) {
    let mut left_out = 0;
    for line in lines {
        // What follows is no more important: a shorter line is not worth a gap.
        if left_out > 0 || out.len() + line.len() > most {
            left_out += 1;
        } else {
            out.push_str(&line);
        }
    }
    if left_out > 0 {
        out.push_str(&format!("- {} more: `--format json` lists all\n", count(left_out, noun)));
    }
}

fn of_change(change: &Change) -> String {
    let verdict = change.verdict.name().to_uppercase();
    let heading = heading(change);
    let heading = prose(heading.trim_end_matches('.'));
    format!("- {verdict} {heading}: {}; {}\n", code(&change.message), prose(&results(change)))
}

fn of_untested(Untested { reason, results }: &Untested) -> String {
    format!("- {}: {}; {}\n", count(results.len(), "result"), code(reason), prose(&some(results)))
}

fn heading(change: &Change) -> String {
    match &change.requirement {
        Some(Told { id, level, text }) => one_line(&format!("{id} ({level}): {text}")),
        None => "no requirement is violated".to_owned(),
    }
}

fn results(change: &Change) -> String {
    let more = if change.has_spread { "in more results than before: " } else { "in " };
    one_line(&format!("{more}{}", some(&change.results)))
}

fn some(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(MOST_NAMES).map(String::as_str).collect();
    match names.len().saturating_sub(shown.len()) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn lost(diff: &Diff) -> usize {
    diff.no_longer_tested.iter().map(|untested| untested.results.len()).sum()
}

/// All of it in a line.
fn closing(diff: &Diff) -> String {
    let mut parts = vec![
        format!("{} new", count(diff.new.len(), "problem")),
        format!("{} fixed", diff.fixed.len()),
        format!("{} as before", diff.remaining),
    ];
    if lost(diff) > 0 {
        parts.push(format!("{} no longer tested", count(lost(diff), "result")));
    }
    if diff.newly_tested > 0 {
        let verb = count_as(diff.newly_tested, "result is", "results are");
        parts.push(format!("{verb} newly tested"));
    }
    parts.join(", ")
}
