//! What to put into the configuration: words that bring the agent into its states.

use super::super::model::{Report, TriggerInfo};
use super::super::style::{FAINT, STRONG, paint};
use crate::diagnostic::words::{count, one_line, wrap};

pub(in crate::report) fn render(report: &Report, width: usize) -> String {
    if report.triggers.is_empty() {
        return String::new();
    }
    let name = paint(STRONG, "TRIGGERS");
    let mut out = format!("{name} without effect: set working texts in a2aspec.toml\n  [triggers]\n");
    for (_, says, line) in lines(report) {
        for says in wrap(&says, width.saturating_sub("  # ".len())) {
            out.push_str(&format!("  {}\n", paint(FAINT, format_args!("# {says}"))));
        }
        out.push_str(&format!("  {line}\n"));
    }
    out
}

/// Each trigger whose own words do not do, with what is known of it, and with its line of the configuration.
pub(in crate::report) fn lines(report: &Report) -> impl Iterator<Item = (&TriggerInfo, String, String)> {
    report.triggers.iter().map(|info| (info, says(info), one_line(&line(info))))
}

/// What is known of a trigger.
fn says(info: &TriggerInfo) -> String {
    let cases = count(info.cases, "case");
    match (&info.text, info.is_example) {
        (Some(_), true) => format!("an example of the card; {cases} could be tested with it"),
        (Some(_), false) => format!("known from other agents; {cases} could be tested with it"),
        (None, _) if info.cases == 1 => format!("no known text works; at most {cases} waits for it"),
        (None, _) => format!("no known text works; at most {cases} wait for it"),
    }
}

/// The line of the configuration. A string of JSON is one of TOML.
fn line(info: &TriggerInfo) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let value = match (&info.text, &info.message_id_prefix) {
        (Some(text), Some(prefix)) => {
            format!("{{ text = {}, message-id-prefix = {} }}", quoted(text), quoted(prefix))
        }
        (Some(text), None) => quoted(text),
        (None, _) => quoted("..."),
    };
    format!("{} = {value}", info.trigger)
}
