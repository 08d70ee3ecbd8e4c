//! What was not tested, by the reason: one line for each kind of reason, and for each trigger that did not do.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::model::Report;
use super::root_causes::folded;
use crate::diagnostic::words::one_line;
use crate::reason::Reason;
use crate::verdict::{TrialResult, Verdict};

/// Results that were not tested for one kind of reason.
pub(super) struct Group<'a> {
    /// The reason: that of most of them, where its details differ.
    pub reason: String,
    /// How many other reasons of the kind there are.
    pub others: usize,
    /// The results.
    pub results: Vec<&'a TrialResult>,
}

impl Group<'_> {
    /// The reason in one line, with how many like it there are.
    pub(super) fn text(&self) -> String {
        match self.others {
            0 => self.reason.clone(),
            others => format!("{}, and {others} like it", self.reason),
        }
    }
}

/// Results of one verdict by their reason, the commonest first, without those that follow from a root cause.
pub(super) fn by_reason(report: &Report, verdict: Verdict) -> Vec<Group<'_>> {
    let folded = folded(&report.root_causes);
    let results = report.results.iter().enumerate().filter(|(index, _)| !folded.contains(index));
    let mut kinds: BTreeMap<(String, String), BTreeMap<String, Vec<&TrialResult>>> = BTreeMap::new();
    for (_, result) in results.filter(|(_, result)| result.verdict == verdict) {
        let text = result.reason.as_ref().map_or_else(|| "no reason is known".to_owned(), Reason::to_string);
        kinds.entry(kind(result)).or_default().entry(one_line(&text)).or_default().push(result);
    }
    let mut groups: Vec<Group<'_>> = kinds.into_values().map(group).collect();
    groups.sort_by_key(|group| Reverse(group.results.len()));
    groups
}

/// What makes two reasons one line: their kind, with the trigger. Where a case does not apply, with what it needs.
fn kind(result: &TrialResult) -> (String, String) {
    let Some(reason) = &result.reason else { return Default::default() };
    let detail = match (reason.trigger(), result.verdict) {
        (Some(trigger), _) => trigger.to_owned(),
        (None, Verdict::Skipped) => reason.fixed().join(" "),
        (None, _) => String::new(),
    };
    (reason.name(), detail)
}

fn group(by_text: BTreeMap<String, Vec<&TrialResult>>) -> Group<'_> {
    let others = by_text.len().saturating_sub(1);
    let commonest = by_text.iter().max_by_key(|(text, results)| (results.len(), Reverse(text.as_str())));
    let reason = commonest.map(|(text, _)| text.clone()).unwrap_or_default();
    Group { reason, others, results: by_text.into_values().flatten().collect() }
}
