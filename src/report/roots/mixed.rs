//! What follows from it that an agent mixes things up in its store, or loses them: tasks of one context, artifacts of one task, messages
//! of a history, tasks of a list.

use super::{Link, Seen};
use crate::finding::Kind;

pub(super) fn links(seen: &[Seen<'_>]) -> Vec<Link> {
    let mut links = tasks(seen);
    links.extend(artifacts(seen));
    links.extend(histories(seen));
    links.extend(pages(seen));
    links
}

/// A history that a limited request has cut is there for nobody, whatever is looked for in it.
fn histories(seen: &[Seen<'_>]) -> Vec<Link> {
    let cut: Vec<&Seen<'_>> = seen.iter().filter(|seen| seen.of.case.contains("cuts-nothing")).collect();
    let first = |one: &Seen<'_>| cut.iter().find(|other| other.is_beside(one)).map(|root| root.finding.problem());
    cut.iter().filter_map(|one| Some(one.from(&first(one)?))).collect()
}

/// Pages that pass over tasks do so, too, while tasks come and go.
fn pages(seen: &[Seen<'_>]) -> Vec<Link> {
    let lost: Vec<&Seen<'_>> =
        seen.iter().filter(|seen| matches!(seen.finding.kind, Kind::TaskNotOnce { .. })).collect();
    let changing = seen.iter().filter(|seen| seen.of.case.starts_with("list/stable-while-"));
    changing
        .filter_map(|one| {
            let root = lost.iter().find(|root| root.is_beside(one))?;
            Some(one.from(&root.finding.problem()))
        })
        .collect()
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
