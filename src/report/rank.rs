//! The order of problems: what breaks every client comes before what few clients meet.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::problems::Problem;
use crate::finding::Kind;
use crate::verdict::TrialResult;

/// The areas that every user of an agent meets.
const CORE: [&str; 8] = ["card", "operations", "send", "get", "stream", "states", "blocking", "data"];

/// From how many results on a failure of the agent is one that every client meets: it has no handler for what is thrown.
const MANY: usize = 10;

/// Whom a problem stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stops {
    /// Every client, whatever it does: the agent is not what its card says, or answers everything alike.
    All,
    /// Every client that reads an answer of a common kind: answers and streams that cannot be read, or cannot be matched to their request.
    Readers,
    /// Every client that makes a mistake: the agent fails at whatever it does not expect.
    Mistaken,
    /// Who makes use of what is common.
    Core,
    /// Who meets a rarer thing.
    Few,
}

/// Worst first; of those what stops most clients, then what most results show. What stands under one requirement stays together.
pub(super) fn sort(results: &[TrialResult], problems: &mut [Problem]) {
    let key = |problem: &Problem| {
        let result = problem.evidence.first().map_or(0, |evidence| evidence.result);
        (stops(results, problem), Reverse(problem.results()), problem.requirement.unwrap_or(usize::MAX), result)
    };
    let mut best = BTreeMap::new();
    for problem in problems.iter().filter(|problem| problem.requirement.is_some()) {
        let group = best.entry((problem.verdict, problem.requirement)).or_insert_with(|| key(problem));
        *group = key(problem).min(*group);
    }
    problems.sort_by_cached_key(|problem| {
        let own = key(problem);
        (
            problem.layer,
            Reverse(problem.verdict),
            best.get(&(problem.verdict, problem.requirement)).copied().unwrap_or(own),
            own,
        )
    });
}

/// Problems by whom they stop, whatever they stand under: what to begin with.
pub(super) fn by_urgency(results: &[TrialResult], problems: &mut [&Problem]) {
    problems.sort_by_cached_key(|problem| {
        (problem.layer, Reverse(problem.verdict), stops(results, problem), Reverse(problem.results()))
    });
}

fn stops(results: &[TrialResult], problem: &Problem) -> Stops {
    let shown =
        problem.evidence.first().and_then(|evidence| Some((results.get(evidence.result)?, evidence.of(results)?)));
    let Some((result, finding)) = shown else { return Stops::Few };
    match &finding.kind {
        Kind::AnswersAlike
        | Kind::MessagesAlone
        | Kind::OtherVersionSpoken { .. }
        | Kind::MethodsOfAnother { .. }
        | Kind::VersionUnknown { .. }
        | Kind::CardNotJson { .. } => Stops::All,
        kind if is_unread(kind) => Stops::Readers,
        // An id that one request in a while does not get back is met by few.
        Kind::ResponseIdDiffers | Kind::EventIdDiffers if problem.evidence.len() >= MANY => Stops::Readers,
        Kind::FailedInstead { .. } | Kind::WrongAnswer { .. } if problem.results() >= MANY => Stops::Mistaken,
        _ if CORE.contains(&result.area()) => Stops::Core,
        _ => Stops::Few,
    }
}

/// Whether a client cannot read what came.
fn is_unread(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::EventUnreadable { .. }
            | Kind::EventDataUnreadable { .. }
            | Kind::EventNotJson { .. }
            | Kind::StreamUnreadable { .. }
            | Kind::StreamNotUtf8 { .. }
            | Kind::StreamOpenedWrongly
            | Kind::NoResponseObject
            | Kind::RequestUnanswered
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Finding;
    use crate::report::problems::find;
    use crate::report::sample;
    use crate::verdict::Verdict;

    fn shows(case: &str, findings: Vec<Finding>) -> TrialResult {
        TrialResult {
            case: case.to_owned(),
            requirements: Vec::new(),
            verdict: Verdict::Fail,
            violated: findings.iter().map(|finding| finding.assertion.clone()).collect(),
            findings,
            ..sample::stream().results[0].clone()
        }
    }

    #[test]
    fn what_breaks_every_client_comes_first() {
        let failed = || Finding::new(Kind::FailedInstead { received: "InternalError".to_owned() });
        let unread = Finding::new(Kind::EventDataUnreadable { reason: "r".to_owned() });
        let served = Finding::new(Kind::RequestServed { expected: "InvalidParamsError".to_owned() });
        let claim = Finding::new(Kind::VersionUnknown { claimed: "1.0".to_owned() });
        let odd_id = Finding::new(Kind::ResponseIdDiffers);
        let mut results = vec![
            shows("send/one", vec![served]),
            shows("jsonrpc/response-id", vec![odd_id]),
            shows("a/unread", vec![unread]),
            shows("version/as-claimed", vec![claim]),
        ];
        results.extend((0..MANY).map(|number| shows(&format!("jsonrpc/{number}"), vec![failed()])));
        let told: Vec<String> = find(&results, &[]).into_iter().map(|problem| problem.kind).collect();
        let wanted =
            ["version-unknown", "event-data-unreadable", "failed-instead", "request-served", "response-id-differs"];
        assert_eq!(told, wanted);
    }
}
