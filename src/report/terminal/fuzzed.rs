//! The end of a hunt of the fuzzer's: what was tried, what came again, and what was not tried.

use std::collections::BTreeMap;
use std::time::Duration;

use super::super::model::{FuzzInfo, Report};
use super::super::style::{self, FAINT, STRONG, paint};
use super::summary::conclusion;
use crate::diagnostic::words::{count, duration, list, one_line, wrap};
use crate::verdict::Verdict;

/// Where the text of a row begins.
const INDENT: usize = 12;
/// So many places of one finding are shown; the JSON report has all.
const MOST_PLACES: usize = 6;

pub(super) fn render(report: &Report, fuzz: &FuzzInfo, width: usize) -> String {
    let mut out = String::new();
    if let Some(reason) = &report.stopped {
        let name = paint(style::of(Verdict::Warn), "STOPPED");
        out.push_str(&format!("{name} before the end: {}\n\n", one_line(&reason.to_string())));
    }
    if let Some(how) = &fuzz.dead {
        let name = paint(style::of(Verdict::Fail), "DEAD");
        out.push_str(&format!("{name} the agent does not answer a plain question any more: {}\n\n", one_line(how)));
    }
    out.push_str(&format!("{}\n", paint(STRONG, "tried")));
    let mut rows: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for tried in &fuzz.tried {
        rows.entry(&tried.interface).or_default().push(format!("{} {}", tried.requests, tried.operation));
    }
    let mut row = |label: &str, text: &str| {
        for (index, line) in wrap(&one_line(text), width - INDENT - 4).into_iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            out.push_str(&format!("  {} {line}\n", paint(FAINT, format_args!("{label:<INDENT$}"))));
        }
    };
    for (interface, operations) in rows {
        row(interface, &operations.join(", "));
    }
    for why in &fuzz.not_tried {
        row("not tried", why);
    }
    for seen in fuzz.seen.iter().filter(|seen| seen.came < seen.again) {
        let text = format!(
            "{} was seen {}, and came {} of {} times again",
            seen.case,
            times(seen.hits),
            seen.came,
            seen.again
        );
        row("now and then", &text);
    }
    for seen in fuzz.seen.iter().filter(|seen| !seen.places.is_empty()) {
        let (number, shown) = (seen.places.len(), seen.places.get(..MOST_PLACES).unwrap_or(&seen.places));
        let more = if number > shown.len() { ", ..." } else { "" };
        let places = if number == 1 { "one other place".to_owned() } else { format!("{number} other places") };
        row("seen at", &format!("{}: {places}: {}{more}", seen.case, shown.join(", ")));
    }
    if !fuzz.known.is_empty() {
        row(
            "known",
            &format!(
                "{}, of which nothing more is said: {}",
                count(fuzz.known.len(), "finding"),
                fuzz.known.join(", ")
            ),
        );
    }
    if !fuzz.not_seen.is_empty() {
        row("not seen", &format!("known, and not met in this run: {}", fuzz.not_seen.join(", ")));
    }
    for growth in &fuzz.growth {
        let text = format!(
            "{} over {}: {}, in each of many equal batches of {} calls in all",
            growth.operation,
            list(&growth.interfaces),
            growth.what,
            growth.calls
        );
        row("grows", &text);
    }
    if fuzz.falls > 0 {
        row("came back", &format!("the agent was gone {}, and then there again", times(fuzz.falls)));
    }
    if fuzz.gone > 0 {
        row("gone", &format!("{} seen once, and not again when it was asked for", count(number(fuzz.gone), "finding")));
    }
    let took = Duration::from_millis(fuzz.duration_ms);
    let rate = fuzz.requests.saturating_mul(1000).checked_div(fuzz.duration_ms).unwrap_or_default();
    // Who reads only the end is to read of it, too.
    let beside = if fuzz.growth.is_empty() { "" } else { "; something grows with each call" };
    out.push_str(&format!(
        "\n{}{beside}\n{} in {}, {rate} a second, by --seed {}; the agent worked on {}\n",
        conclusion(report, width),
        count(number(fuzz.requests), "request"),
        duration(took),
        fuzz.seed,
        count(number(fuzz.messages), "message"),
    ));
    out
}

fn times(number: u64) -> String {
    if number == 1 { "once".to_owned() } else { format!("{number} times") }
}

fn number(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
