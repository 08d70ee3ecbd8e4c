//! Which verdicts follow from which difference: each difference is told once, with the cases that come out differently because of it.

use std::collections::{BTreeMap, BTreeSet};

use super::confirm::is_over;
use super::difference::{Difference, Side};
use super::kind::{Kind, Reach};
use super::pairs::{self, Pair};
use super::seen::Seen;
use super::sight::Sight;
use super::verdicts::{Change, State, trial};
use crate::report::Report;
use crate::report::model::ExchangeInfo;
use crate::report::root_causes::{RootCause, RootKind};

/// The differences in their order, with what follows from each.
pub(super) fn explain(found: Vec<Difference>, changes: Vec<Change>, direct: &Seen, gateway: &Seen) -> Vec<Difference> {
    let mut differences = merged(found);
    let is_explained = |cause: &Difference| {
        let bars = |it: &&Difference| it.is_plain || bars_whole_interfaces(it.kind);
        let is_barred =
            |over: &String| differences.iter().filter(bars).any(|it| covers(it, std::slice::from_ref(over)));
        cause.interfaces.iter().all(is_barred)
    };
    let mut causes = root_causes(&direct.report, &gateway.report);
    causes.retain(|cause| !is_explained(cause));
    differences.extend(causes);
    differences.sort_by_key(|it| it.kind);
    let mut rest = Vec::new();
    for change in changes {
        match differences.iter_mut().find(|it| explains(it, &change, direct)) {
            Some(known) => known.cases.push(change.trial.name()),
            None => match differences.iter_mut().find(|it| it.is_plain && is_of(it, &change)) {
                Some(plain) => plain.cases.push(change.trial.name()),
                None => rest.push(change),
            },
        }
    }
    // A root cause is told where verdicts follow from it, which have been seen again.
    differences.retain(|it| it.kind != Kind::RootCause || !it.cases.is_empty());
    differences.extend(grouped(&rest, direct, gateway));
    differences.sort_by_key(|it| it.kind);
    differences
}

/// Whether all that is seen over an interface follows from it.
fn bars_whole_interfaces(kind: Kind) -> bool {
    matches!(kind, Kind::VersionLost | Kind::CredentialsLost | Kind::DeliveredTwice)
}

/// Whether a kind has one cause, so that what cases show of it is what the requests of the comparison's own have shown.
fn is_one_cause(kind: Kind) -> bool {
    !matches!(
        kind,
        Kind::RootCause
            | Kind::CardChanged
            | Kind::CardHeader
            | Kind::Status
            | Kind::Error
            | Kind::BodyReplaced
            | Kind::MediaType
            | Kind::Header
            | Kind::NoResponse
            | Kind::Verdict
            | Kind::Untested
    )
}

/// Each cause once. What is seen where a whole interface is barred follows from that.
fn merged(found: Vec<Difference>) -> Vec<Difference> {
    let (whole, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|it| bars_whole_interfaces(it.kind));
    let mut merged: Vec<Difference> = Vec::new();
    for difference in whole.into_iter().chain(others) {
        let barred = merged.iter().find(|it| bars_whole_interfaces(it.kind) && covers(it, &difference.interfaces));
        if barred.is_some() && !difference.shown_by.is_empty() {
            continue;
        }
        let is_known = |known: &&mut Difference| {
            known.is_same(&difference) || (known.kind == difference.kind && is_one_cause(known.kind))
        };
        match merged.iter_mut().find(is_known) {
            Some(known) => {
                known.shown_by.extend(difference.shown_by);
                known.is_plain |= difference.is_plain;
                known.interfaces.extend(difference.interfaces);
                known.interfaces.sort();
                known.interfaces.dedup();
            }
            None => merged.push(difference),
        }
    }
    merged
}

fn binding(over: &str) -> &str {
    over.split_once(' ').map_or(over, |(_, binding)| binding)
}

/// Whether a difference is of all these interfaces. Where messages are sent, one interface stands for all of its binding.
fn covers(difference: &Difference, interfaces: &[String]) -> bool {
    let is_covered = |over: &String| match difference.kind {
        Kind::DeliveredTwice => difference.interfaces.iter().any(|known| binding(known) == binding(over)),
        _ => difference.interfaces.contains(over),
    };
    !interfaces.is_empty() && interfaces.iter().all(is_covered)
}

/// Whether a verdict is over an interface of a difference.
fn is_of(difference: &Difference, change: &Change) -> bool {
    let (profile, bindings) = change.trial.over.split_once(' ').unwrap_or_default();
    bindings.split('+').any(|binding| covers(difference, &[format!("{profile} {binding}")]))
}

/// Whether a verdict follows from a difference.
fn explains(difference: &Difference, change: &Change, direct: &Seen) -> bool {
    let requests = |is: fn(&Sight) -> bool| {
        let of_case =
            direct.sights.iter().filter(|sight| sight.case == change.trial.case && is_over(&change.trial, &sight.over));
        of_case.into_iter().any(is)
    };
    let is_shown =
        difference.shown_by.iter().any(|by| by.case == change.trial.case && is_over(&change.trial, &by.over));
    is_shown
        || match difference.kind.reach() {
            Reach::Shown => false,
            Reach::Interfaces => is_of(difference, change),
            Reach::Queries => requests(|sight| sight.has_query),
            Reach::Escapes => requests(|sight| sight.has_escape),
            Reach::Extensions => requests(|sight| sight.has_extensions) || change.trial.case.starts_with("extensions/"),
            Reach::Cards => {
                let is_skipped =
                    |state: &State| matches!(state, State::Untested(reason) if reason.contains("the card "));
                change.trial.case.starts_with("card/") || is_skipped(&change.direct) || is_skipped(&change.gateway)
            }
            Reach::Streams => change.is_about_time,
        }
}

/// The root causes that one side has and the other has not.
fn root_causes(direct: &Report, gateway: &Report) -> Vec<Difference> {
    let mut found = Vec::new();
    for (own, other, side) in [(gateway, direct, Side::Gateway), (direct, gateway, Side::Direct)] {
        let is_new = |cause: &&RootCause| {
            // Those have a kind of their own.
            cause.kind != RootKind::StreamsHeldBack
                && !other
                    .root_causes
                    .iter()
                    .any(|known| known.kind == cause.kind && known.interfaces == cause.interfaces)
        };
        for cause in own.root_causes.iter().filter(is_new) {
            let difference = Difference::new(Kind::RootCause, format!("{} {}", cause.message, side.way()));
            let shown_by = cause.follows.iter().filter_map(|index| own.results.get(*index)).map(trial).collect();
            let difference = difference.over(cause.interfaces.iter().cloned());
            found.push(Difference { help: cause.help.clone(), shown_by, ..difference });
        }
    }
    found
}

/// What no other difference explains: one entry for each problem, or for each reason.
fn grouped(changes: &[Change], direct: &Seen, gateway: &Seen) -> Vec<Difference> {
    let mut groups: BTreeMap<(Kind, String), Vec<&Change>> = BTreeMap::new();
    for change in changes {
        let kind = match change.fails_on() {
            Some(_) if change.is_about_time => Kind::StreamBuffered,
            Some(_) => Kind::Verdict,
            None => Kind::Untested,
        };
        groups.entry((kind, headline(change, direct, gateway))).or_default().push(change);
    }
    let one = |((kind, message), changes): ((Kind, String), Vec<&Change>)| {
        let first = changes.first()?;
        let over: BTreeSet<String> = changes.iter().map(|change| change.trial.over.clone()).collect();
        let difference = Difference::new(kind, message).between(first.direct.told(), first.gateway.told()).over(over);
        let (before, after) = evidence(first, direct, gateway);
        let difference = match (&before, &after) {
            (None, None) => difference,
            _ => difference.shown(before, after),
        };
        Some(Difference { cases: changes.iter().map(|change| change.trial.name()).collect(), ..difference })
    };
    groups.into_iter().filter_map(one).collect()
}

/// What a change is about, in one line.
fn headline(change: &Change, direct: &Seen, gateway: &Seen) -> String {
    let side = change.fails_on().unwrap_or(match change.gateway {
        State::Untested(_) => Side::Gateway,
        _ => Side::Direct,
    });
    let report = if side == Side::Gateway { &gateway.report } else { &direct.report };
    let result = report.results.iter().position(|result| trial(result) == change.trial);
    let problem = result.and_then(|index| {
        report.problems.iter().find(|problem| problem.evidence.iter().any(|evidence| evidence.result == index))
    });
    match (problem, if side == Side::Gateway { &change.gateway } else { &change.direct }) {
        (Some(problem), State::Fails(_)) => {
            let is_other = matches!((&change.direct, &change.gateway), (State::Fails(_), State::Fails(_)));
            let how = if is_other { "in another way" } else { "only" };
            format!("{how} {}: {}", side.way(), problem.message)
        }
        (_, state) => format!("{} {}", state.told(), side.way()),
    }
}

/// The exchange that a finding cites, and that of the same step on the other side.
fn evidence(change: &Change, direct: &Seen, gateway: &Seen) -> (Option<ExchangeInfo>, Option<ExchangeInfo>) {
    let Some(side) = change.fails_on() else { return (None, None) };
    let seen = if side == Side::Gateway { gateway } else { direct };
    let result = seen.report.results.iter().find(|result| trial(result) == change.trial);
    let cited = result.and_then(|result| result.findings.iter().find_map(|finding| finding.exchange));
    let all = pairs::pairs(&direct.sights, &gateway.sights);
    let is_cited = |(before, after): &&Pair<'_>| {
        let sight = if side == Side::Gateway { after } else { before };
        Some(sight.shown.id) == cited
    };
    match all.iter().find(is_cited) {
        Some((before, after)) => (Some(before.shown.clone()), Some(after.shown.clone())),
        None => (None, None),
    }
}
