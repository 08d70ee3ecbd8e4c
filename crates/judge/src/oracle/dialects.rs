//! In which dialect an agent writes of its tasks, where a version leaves that open.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::args::Nothing;
use super::judged;
use super::sites::payloads;
use crate::finding::{Finding, Kind, show};
use crate::profile::Operation;
use crate::transcript::Answer;
use crate::{Judgement, RunView};

/// Where a task or an update of one has its state.
const STATE: &str = "/status/state";

/// All that is said of one task is in one dialect: who began it can read it. The spelling of its state tells which, whatever
/// else may be wrong with it. A list is of many tasks, which may have been begun in several.
pub(super) fn one_dialect(view: RunView<'_>, _: &Nothing) -> Judgement {
    let dialects: Vec<_> = view.profile.dialects_over(view.binding).collect();
    let spelling = |state: &Value| -> BTreeSet<&str> {
        let fits = dialects.iter().filter(|dialect| dialect.violations("TaskState", state).is_empty());
        fits.map(|dialect| dialect.name.as_str()).collect()
    };
    let is_of_one_task = |answer: &&Answer| answer.exchange.request.operation != Some(Operation::ListTasks);
    let mut answers: Vec<&Answer> = view.tried.iter().chain(view.answers).filter(is_of_one_task).collect();
    answers.sort_by_key(|answer| answer.exchange.number);

    let mut shown: BTreeMap<&str, (BTreeSet<&str>, u64)> = BTreeMap::new();
    let mut findings: Vec<Finding> = Vec::new();
    let mut seen = 0;
    let cited: Vec<_> = payloads(answers).collect();
    for cited in &cited {
        for site in cited.payload.reading.sites.iter().filter(|site| site.kind == "TaskState") {
            let Some(place) = site.pointer.strip_suffix(STATE) else { continue };
            let id =
                ["id", "taskId"].iter().find_map(|name| cited.wire().pointer(&format!("{place}/{name}"))?.as_str());
            let Some((id, state)) = id.zip(cited.payload.reading.at(site)) else { continue };
            let spelled = spelling(state);
            if spelled.is_empty() {
                continue;
            }
            let Some((before, first)) = shown.get(id) else {
                shown.insert(id, (spelled, cited.exchange));
                continue;
            };
            seen += usize::from(*first != cited.exchange);
            let both: BTreeSet<&str> = before.intersection(&spelled).copied().collect();
            if both.is_empty() {
                let expected = before.iter().copied().collect::<Vec<_>>().join(" or ");
                let kind = Kind::TaskInOtherDialect { task: id.to_owned() };
                let finding = cited.finding(&site.pointer, kind).against(*first);
                findings.push(finding.compare(format!("the dialect {expected}"), show(state)));
            } else {
                let first = *first;
                shown.insert(id, (both, first));
            }
        }
    }
    judged(seen, "task that was shown more than once", findings)
}
