//! What the run found: the agent, its card, its interfaces.

use super::super::model::Report;
use super::super::shards;
use super::super::style::{FAINT, STRONG, paint};
use crate::diagnostic::words::{one_line, wrap};
use crate::interface::InterfaceInfo;

pub(in crate::report) fn render(report: &Report, width: usize) -> String {
    let target = &report.target;
    let done = if report.fuzz.is_some() { "fuzzed" } else { "checked" };
    let mut out = format!("{}\n", paint(STRONG, format_args!("{done} {}", one_line(&target.url))));
    if let Some(client) = &target.client {
        row(&mut out, "client", &format!("{} {}", client.name, client.version), width);
    }
    if let Some(name) = &target.name {
        row(&mut out, "agent", name, width);
    }
    for card in &target.cards {
        row(&mut out, "card", card, width);
    }
    if target.cards.is_empty() && target.client.is_none() {
        row(&mut out, "card", "none was found", width);
    }
    if let Some(shards) = shards::told(report) {
        row(&mut out, "shards", &shards, width);
    }
    for interface in &target.interfaces {
        row(&mut out, "interface", &describe(interface), width);
    }
    out
}

fn describe(interface: &InterfaceInfo) -> String {
    let head = interface.title();
    let dialect = interface.dialect.as_ref().map(|dialect| format!(" in the dialect `{dialect}`")).unwrap_or_default();
    let note = interface.note.as_ref().map(|note| format!("; {note}")).unwrap_or_default();
    match (&interface.skipped, &interface.lost, &interface.profile) {
        (Some(reason), _, _) => format!("{head}, not checked: {reason}"),
        (None, Some(reason), _) => format!("{head}, not checked to the end: {reason}{note}"),
        (None, None, Some(profile)) => format!("{head}, checked as {profile}{dialect}{note}"),
        (None, None, None) => format!("{head}, not checked"),
    }
}

fn row(out: &mut String, label: &str, text: &str, width: usize) {
    for (index, line) in wrap(&one_line(text), width - 12).into_iter().enumerate() {
        let label = if index == 0 { label } else { "" };
        out.push_str(&format!("  {} {line}\n", paint(FAINT, format_args!("{label:<9}"))));
    }
}
