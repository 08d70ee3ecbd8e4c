//! Who may do what: schemes, identities, what a second identity is given, and what could not be tried.

use super::super::model::Report;
use super::super::security::{counted, described};
use super::super::style::{self, FAINT, STRONG, paint};
use super::Detail;
use crate::diagnostic::words::{count, one_line, wrap};

/// Most reasons for which something was not tried; all of them are above, too.
const MOST_REASONS: usize = 5;

/// The columns of the names.
const NAMES: usize = 20;

pub(super) fn render(report: &Report, detail: Detail, width: usize) -> String {
    let info = &report.security;
    // What was skipped for want of credentials is among what was skipped.
    let is_told = detail == Detail::Best && info.shows_nothing() && report.target.schemes.is_empty();
    if info.is_empty() || report.fuzz.is_some() || is_told {
        return String::new();
    }
    let mut out = format!("{}\n", paint(STRONG, "SECURITY"));
    for scheme in &report.target.schemes {
        row(&mut out, "scheme", &format!("{}: {}", scheme.name, described(scheme)), width);
    }
    for identity in &info.identities {
        row(&mut out, &identity.label(), &identity.brings.join(", "), width);
    }
    for topic in &info.topics {
        row(&mut out, &topic.topic, &counted(&topic.counts), width);
    }
    if !info.matrix.is_empty() {
        let heading = wrap("what the second identity gets of the first one's (pass: nothing)", width - 2);
        heading.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
    }
    let wide = |of: fn(&str, &str) -> usize| {
        let sizes = info.matrix.iter().map(|row| of(&row.foreign.operation, &row.foreign.object));
        sizes.max().unwrap_or_default()
    };
    let operations = wide(|operation, _| operation.chars().count());
    let objects = wide(|_, object| object.chars().count());
    for access in &info.matrix {
        let names = format!("{:<operations$}  {:<objects$}", access.foreign.operation, access.foreign.object);
        let lines = wrap(&one_line(&access.told()), width.saturating_sub(operations + objects + 8));
        for (index, line) in lines.into_iter().enumerate() {
            let names = if index == 0 { one_line(&names) } else { " ".repeat(operations + objects + 2) };
            out.push_str(&format!("    {names}  {}\n", paint(style::of(access.worst()), line)));
        }
    }
    let most = detail.most(MOST_REASONS);
    for info in info.not_tried.iter().take(most) {
        let said = format!("{} about {}: {}", count(info.cases, "case"), info.topic, info.reason);
        row(&mut out, "not tried", &said, width);
    }
    if let Some(more) = info.not_tried.len().checked_sub(most).filter(|more| *more > 0) {
        row(&mut out, "not tried", &format!("for {} more", count(more, "reason")), width);
    }
    out
}

fn row(out: &mut String, name: &str, text: &str, width: usize) {
    for (index, line) in wrap(&one_line(text), width - NAMES - 3).into_iter().enumerate() {
        let name = if index == 0 { name } else { "" };
        out.push_str(&format!("  {} {line}\n", paint(FAINT, format_args!("{name:<NAMES$}"))));
    }
}
