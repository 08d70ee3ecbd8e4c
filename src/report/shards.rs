//! What a report says of the parts of its run.

use super::model::{Report, ShardInfo};
use crate::diagnostic::words::count;

/// A sentence about them, without a full stop; nothing where the run had no parts but itself.
pub(super) fn told(report: &Report) -> Option<String> {
    match report.shards.as_slice() {
        // One part is the whole.
        [] | [ShardInfo { of: 1, .. }] => None,
        [ShardInfo { shard, of, .. }] => {
            Some(format!("part {shard} of {of} alone: `a2aspec merge` puts the reports of all parts together"))
        }
        all => {
            let results = |shard: usize| report.results.iter().filter(|it| it.shards.contains_key(&shard)).count();
            let parts =
                all.iter().map(|part| format!("part {} has {}", part.shard, count(results(part.shard), "result")));
            let parts: Vec<String> = parts.collect();
            let seen = "a case that judges the whole run has judged what each part saw by itself";
            Some(format!("{} put together: {}; {seen}", count(all.len(), "part"), parts.join(", ")))
        }
    }
}
