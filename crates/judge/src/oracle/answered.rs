//! Whether requests are answered at all.

use super::args::Nothing;
use super::judged;
use crate::finding::{Finding, Kind};
use crate::transcript::{Ended, Unanswered};
use crate::{Judgement, RunView, expectation};

/// Every request is answered, also after clients have left streams. One that was left without an answer, and was so again when nothing else was under way, is not;
/// the rest of what was left shows nothing.
pub(super) fn answered(view: RunView<'_>, _: &Nothing) -> Judgement {
    let findings = view.asked_twice.iter().filter_map(|twice| {
        let kind = match twice.left.as_ref()? {
            _ if twice.after_streams > 0 => Kind::UnansweredAfterStreams { streams: twice.after_streams.to_string() },
            Unanswered::Silent(_) => Kind::RequestUnanswered,
            Unanswered::Closed(Ended::Failed(error)) if error.breaks_http() => Kind::AnswerNoHttp,
            Unanswered::Closed(_) => Kind::ConnectionClosed,
        };
        Some(Finding::new(kind).in_exchange(twice.second).against(twice.first))
    });
    let findings: Vec<Finding> = findings.collect();
    let is_told = |number: u64| view.asked_twice.iter().any(|twice| [twice.first, twice.second].contains(&number));
    let left = view.answers.iter().filter(|answer| !is_told(answer.exchange.number));
    match left.clone().find_map(expectation::left_unanswered) {
        Some(reason) if findings.is_empty() => Judgement::Unseen(reason),
        _ => judged(view.answers.len(), "answer", findings),
    }
}
