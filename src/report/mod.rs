//! What a run found, told to people and to machines.
//!
//! Enters: the [`Event`](crate::event::Event)s of a run, which a [`ReportBuilder`] turns into one [`Report`].
//! Leaves: a report in each [`Format`], and while the run goes on its trace. Nothing here knows
//! how a run is done, and nothing is judged here.

pub(crate) mod archive;
pub(crate) mod badge;
pub(crate) mod baseline;
pub(crate) mod body;
pub(crate) mod builder;
pub(crate) mod by_hand;
mod cited;
mod conclusion;
pub mod conformance;
mod dependent;
pub(crate) mod diff;
pub(crate) mod doctor;
mod evidence;
pub(crate) mod exchange;
pub mod failure;
pub mod gate;
pub(crate) mod github;
pub(crate) mod har;
mod headline;
pub(crate) mod html;
pub mod json;
pub(crate) mod junit;
pub(crate) mod lock;
pub(crate) mod markdown;
pub(crate) mod merge;
pub mod model;
pub(crate) mod natural;
mod ndjson;
pub(crate) mod outline;
pub mod output;
pub mod problems;
mod rank;
mod reasons;
mod requirements;
pub mod root_causes;
mod roots;
pub(crate) mod sarif;
pub(crate) mod saved;
pub mod security;
pub mod sets;
mod shards;
pub(crate) mod style;
pub(crate) mod tap;
pub(crate) mod terminal;
pub mod tested;
pub(crate) mod trace;
mod triggers;

#[cfg(test)]
pub(crate) mod sample;

pub use builder::ReportBuilder;
pub use model::Report;
pub use output::{Destination, Format, Output};
pub use trace::Trace;

pub use crate::secrets::Secrets;

use crate::verdict::TrialResult;

/// The report in a format. `width` is how many columns the terminal has; the other formats do not ask.
pub fn render(report: &Report, format: Format, width: usize) -> String {
    match format {
        Format::Terminal => terminal::render(report, terminal::Detail::Best, width),
        Format::TerminalFull => terminal::render(report, terminal::Detail::All, width),
        Format::Json => json::render(report),
        Format::Ndjson => ndjson::render(report),
        Format::Junit => junit::render(report),
        Format::Html => html::render(report),
        Format::Markdown => markdown::render(report),
        Format::Github => github::render(report),
        Format::Sarif => sarif::render(report),
        Format::Tap => tap::render(report),
        Format::Har => har::render(report),
        Format::Badge => badge::render(report),
        Format::BadgeOf(part) => badge::of_part(report, part),
    }
}

/// The triggers of a configuration: see [`terminal::triggers::lines`].
#[cfg(feature = "cli")]
pub(crate) fn trigger_lines(report: &Report) -> impl Iterator<Item = (&model::TriggerInfo, String, String)> {
    terminal::triggers::lines(report)
}

/// What a run has come to, in one line.
pub(crate) fn in_one_line(report: &Report) -> String {
    conclusion::in_one_line(report)
}

/// What proves one result, as styled text.
pub(crate) fn evidence(report: &Report, result: &TrialResult, width: usize) -> String {
    evidence::of_result(report, result, width)
}
