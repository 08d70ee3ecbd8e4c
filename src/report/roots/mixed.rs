//! What follows from it that an agent mixes things up in its store: tasks of one context, or artifacts of one task.

use super::{Link, Seen};
use crate::finding::Kind;

pub(super) fn links(seen: &[Seen<'_>]) -> Vec<Link> {
    let mut links = tasks(seen);
    links.extend(artifacts(seen));
    links
}

/// The cases about what belongs to one task alone, by how their names end.
const OF_ONE_TASK: [&str; 3] = ["/history-of-one-task", "/artifacts-of-one-task", "/nothing-of-another-task"];

/// What an earlier task has left in a later one is there for one reason, whatever member and operation show it.
fn tasks(seen: &[Seen<'_>]) -> Vec<Link> {
    let is_mixed = |seen: &&Seen<'_>| OF_ONE_TASK.iter().any(|end| seen.of.case.ends_with(end));
    let mixed: Vec<&Seen<'_>> = seen.iter().filter(is_mixed).collect();
    let first = |one: &Seen<'_>| mixed.iter().find(|other| other.is_beside(one)).map(|root| root.finding.problem());
    mixed.iter().filter_map(|one| Some(one.from(&first(one)?))).collect()
}

/// Chunks that are stored as artifacts of their own, under one id, are not the artifact that was streamed.
fn artifacts(seen: &[Seen<'_>]) -> Vec<Link> {
    let repeated: Vec<&Seen<'_>> =
        seen.iter().filter(|seen| matches!(seen.finding.kind, Kind::ArtifactIdRepeated { .. })).collect();
    let differs = seen.iter().filter(|seen| matches!(seen.finding.kind, Kind::ArtifactDiffers { .. }));
    differs
        .filter_map(|one| {
            let root = repeated.iter().find(|root| root.is_beside(one))?;
            Some(one.from(&root.finding.problem()))
        })
        .collect()
}
