//! What follows from it that an agent mixes things up in its store, or loses them: tasks of one context, artifacts of one task, messages
//! of a history, tasks of a list.

use super::{Link, Seen, beside};
use crate::finding::Kind;

/// The cases about what belongs to one task alone, by how their names end.
const OF_ONE_TASK: [&str; 3] = ["/history-of-one-task", "/artifacts-of-one-task", "/nothing-of-another-task"];

pub(super) fn links(seen: &[Seen<'_>]) -> Vec<Link> {
    let of = |is_such: fn(&Seen<'_>) -> bool| -> Vec<&Seen<'_>> { seen.iter().filter(|seen| is_such(seen)).collect() };
    // What an earlier task has left in a later one has one reason, whatever member and operation show it.
    let mixed = of(|seen| OF_ONE_TASK.iter().any(|end| seen.of.case.ends_with(end)));
    // Chunks that are stored as artifacts of their own, under one id, are not the artifact that was streamed.
    let (differs, repeated) = (
        of(|seen| matches!(seen.finding.kind, Kind::ArtifactDiffers { .. })),
        of(|seen| matches!(seen.finding.kind, Kind::ArtifactIdRepeated { .. })),
    );
    // Once a limited request has cut a history, every case that looks for one of its messages fails.
    let cut = of(|seen| seen.of.case.contains("cuts-nothing"));
    // Pages that omit tasks do so, too, while tasks come and go.
    let (changing, omitted) = (
        of(|seen| seen.of.case.starts_with("list/stable-while-")),
        of(|seen| matches!(seen.finding.kind, Kind::TaskNotOnce { .. })),
    );
    // An agent that has the methods of an earlier version serves them whatever version a request names.
    let (renamed, earlier) = (
        of(|seen| matches!(seen.finding.kind, Kind::MethodsOfAnother { .. })),
        of(|seen| seen.of.case.starts_with("version/method-of-")),
    );
    let all = [(&earlier, &renamed), (&mixed, &mixed), (&differs, &repeated), (&cut, &cut), (&changing, &omitted)];
    all.into_iter().flat_map(|(these, roots)| beside(these, roots)).collect()
}
