//! Whether an interface speaks the version that its card claims.

use super::args::Step;
use super::settle;
use crate::finding::Finding;
use crate::judge::{CaseView, Judgement, describe};
use crate::transcript::Said;

/// What says that a request is of no version that the interface speaks.
const DENIALS: [&str; 2] = ["MethodNotFoundError", "VersionNotSupportedError"];

/// The interface knows the method of this answer; where it was heard to speak another version than its card claims, the
/// answer is the evidence, whatever it is.
pub(super) fn speaks_as_claimed(view: CaseView<'_>, args: &Step) -> Judgement {
    settle((|| {
        let answer = view.step(args)?.seen.answer().filter(|answer| !matches!(answer.said, Said::Lost));
        let answer = answer.ok_or_else(|| Judgement::Unseen("nothing came back".to_owned()))?;
        let claimed = view.profile.name();
        let is_denied = answer.refusal().is_some_and(|error| DENIALS.iter().any(|name| error.is(name)));
        let message = match view.speaks {
            Some(other) => format!("the card says A2A {claimed}, and the interface speaks A2A {other}"),
            None if is_denied => format!("the card says A2A {claimed}, and the interface knows no method of it"),
            None => return Ok(Judgement::Right),
        };
        let finding = Finding::new(message)
            .compare(format!("an answer to a method of A2A {claimed}"), describe(answer))
            .in_exchange(answer.exchange.number);
        Ok(Judgement::Wrong(vec![finding]))
    })())
}
