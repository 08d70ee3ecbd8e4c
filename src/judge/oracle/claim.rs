//! Whether an interface speaks the version that its card claims.

use super::args::Step;
use super::judgement_of;
use crate::finding::{Finding, Kind};
use crate::judge::{CaseView, Judgement, describe};
use crate::reason::Reason;
use crate::transcript::Content;

/// What says that a request is of no version that the interface speaks.
const DENIALS: [&str; 2] = ["MethodNotFoundError", "VersionNotSupportedError"];

/// The interface knows the method of this answer; where it was heard to speak another version than its card claims, the
/// answer is the evidence, whatever it is.
pub(super) fn speaks_as_claimed(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let answer = view.step(args)?.seen.answer().filter(|answer| !matches!(answer.content, Content::Lost));
        let answer = answer.ok_or(Judgement::Unseen(Reason::NothingCame))?;
        let claimed = view.profile.name();
        let is_denied = answer.refusal().is_some_and(|error| DENIALS.iter().any(|name| error.is(name)));
        let kind = match view.speaks {
            Some(spoken) => Kind::OtherVersionSpoken { claimed: claimed.to_owned(), spoken: spoken.to_owned() },
            None if is_denied => Kind::VersionUnknown { claimed: claimed.to_owned() },
            None => return Ok(Judgement::Right),
        };
        let finding = Finding::new(kind)
            .compare(format!("an answer to a method of A2A {claimed}"), describe(answer))
            .in_exchange(answer.exchange.number);
        Ok(Judgement::Wrong(vec![finding]))
    })())
}
