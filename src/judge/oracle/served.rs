//! Whether a request was served, where only the conversation shows whether it had to be.

use super::args::Step;
use super::judgement_of;
use crate::finding::{Finding, Kind};
use crate::judge::{CaseView, Judgement};
use crate::reason::Reason;

/// The agent does not serve the request: an error, or HTTP 4xx.
pub(super) fn not_served(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let Some(answer) = view.step(args)?.seen.answer() else {
            return Err(Judgement::Unseen(Reason::NothingCame));
        };
        let refused_by_http =
            answer.exchange.response.as_ref().is_some_and(|response| (400..500).contains(&response.status));
        if answer.refusal().is_some() || refused_by_http {
            return Ok(Judgement::Right);
        }
        let finding = Finding::new(Kind::ServedNeedlessly)
            .compare("an error, or HTTP 4xx", crate::judge::describe(answer))
            .in_exchange(answer.exchange.number);
        Ok(Judgement::Wrong(vec![finding]))
    })())
}

/// A request was served: for requests of which only a later step shows that they had to be.
pub(super) fn served(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let Some(answer) = view.step(args)?.seen.answer() else {
            return Err(Judgement::Unseen(Reason::NothingCame));
        };
        let Some(error) = answer.refusal() else { return Ok(Judgement::Right) };
        let finding = Finding::new(Kind::RefusedWrongly)
            .compare("a result", crate::judge::describe(answer))
            .at(answer.exchange.number, format!("{}/code", error.base));
        Ok(Judgement::Wrong(vec![finding]))
    })())
}
