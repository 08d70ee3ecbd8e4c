//! What was not tested, by the reason.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::model::Report;
use crate::diagnostic::words::one_line;
use crate::reason::Reason;
use crate::verdict::{TrialResult, Verdict};

/// Results of one verdict by their reason, the commonest first.
pub(super) fn by_reason(report: &Report, verdict: Verdict) -> Vec<(String, Vec<&TrialResult>)> {
    let mut groups: BTreeMap<String, Vec<&TrialResult>> = BTreeMap::new();
    for result in report.results.iter().filter(|result| result.verdict == verdict) {
        let reason = result.reason.as_ref().map_or_else(|| "no reason is known".to_owned(), Reason::to_string);
        groups.entry(one_line(&reason)).or_default().push(result);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, results)| Reverse(results.len()));
    groups
}
