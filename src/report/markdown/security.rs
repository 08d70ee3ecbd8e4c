//! Who may do what, in short: behind one headline, as long as the page has room for it.

use super::super::model::Report;
use super::super::security::{counted, described};
use super::{LONGEST, MOST_REASONS, code, prose};
use crate::diagnostic::words::{count, shorten};

/// Most schemes that are told; a card may declare any number.
const MOST_SCHEMES: usize = 8;

/// Most rows of the matrix; the suite's own cases make fewer.
const MOST_ROWS: usize = 24;

pub(super) fn render(report: &Report) -> String {
    let info = &report.security;
    if info.is_empty() {
        return String::new();
    }
    // What comes before may be a list.
    let mut out = "\n<details><summary>Security</summary>\n\n".to_owned();
    for scheme in report.target.schemes.iter().take(MOST_SCHEMES) {
        out.push_str(&format!("- scheme {}: {}\n", code(&scheme.name), code(&described(scheme))));
    }
    for identity in &info.identities {
        out.push_str(&format!("- {} identity: {}\n", prose(&identity.caller), code(&identity.brings.join(", "))));
    }
    for topic in &info.topics {
        out.push_str(&format!("- {}: {}\n", prose(&topic.topic), counted(&topic.counts)));
    }
    for info in info.not_tried.iter().take(MOST_REASONS) {
        let reason = code(&shorten(&info.reason, LONGEST));
        out.push_str(&format!("- {} about {} not tried: {reason}\n", count(info.cases, "case"), prose(&info.topic)));
    }
    if !info.matrix.is_empty() {
        out.push_str("\nWhat the second identity gets of the first one's (pass: nothing):\n\n");
        out.push_str("| operation | object | |\n|---|---|---|\n");
    }
    for access in info.matrix.iter().take(MOST_ROWS) {
        let told = code(&access.told());
        let object = code(&access.foreign.object);
        out.push_str(&format!("| {} | {object} | {told} |\n", prose(&access.foreign.operation)));
    }
    format!("{out}\n</details>\n\n")
}
