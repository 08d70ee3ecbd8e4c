//! What holds of every answer of a hunt, whatever was asked: oracles that need no case, since they compare answers with their requests, or
//! are about what no answer may have.

use std::borrow::Cow;

use serde_json::Value;

use super::probe::Hold;

/// How a hunt asks them: they have no arguments, and rest on a requirement only where a case is named.
const fn of(oracle: &'static str, like: &'static str) -> Hold {
    Hold { oracle, args: Value::Null, like: Cow::Borrowed(like), is_of_sense: true }
}

/// Those that are asked about calls, in the order of their answers.
pub(super) static OF_CALLS: [Hold; 4] =
    [of("messages-as-sent", ""), of("webhooks-as-set", ""), of("as-asked", ""), of(SHOWN_ALIKE, "")];

/// The oracle about tasks that have ended.
pub(super) const SHOWN_ALIKE: &str = "shown-alike";

/// Those of them that compare what was sent over one interface with what another shows.
pub(super) static OF_TWO: [&Hold; 2] = [&OF_CALLS[0], &OF_CALLS[1]];

/// Those that are asked about every answer, also to what is no call.
pub(super) static OF_ALL: [Hold; 2] = [of("stack-traces", "robustness/stack-traces"), of("heads", "")];

/// The case without whose requirements something that they assert is no matter: versions differ about whether an agent may give a message
/// another context, and about the time by which lists are filtered.
pub(super) fn rests_on(assertion: &str) -> Option<&'static str> {
    match assertion {
        "as-asked:context" => Some("send/context-unknown"),
        "as-asked:since" => Some("list/filter-timestamp"),
        _ => None,
    }
}

/// Whether what is wrong is one cause whichever operation shows it: it comes of what was stored, or of what makes every answer.
pub(super) fn is_the_same_everywhere(hold: &Hold) -> bool {
    // What is posted comes of the task, whichever request has set the webhook.
    hold.oracle.starts_with("delivery-")
        || OF_TWO.iter().copied().chain(&OF_ALL).any(|other| other.oracle == hold.oracle)
}
