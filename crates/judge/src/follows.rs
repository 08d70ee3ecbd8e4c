//! Of what else a finding may be but a consequence: an answer that is wrong as a whole is wrong in whatever a case expects of it.
//! A case over the run reports the whole; the report then leaves the consequences out.

use super::oracle::no_response;
use super::{Observation, is_unfound};
use crate::finding::Follows;
use crate::transcript::{Answer, Content, EventContent, Payload};

/// What is wrong with an answer, so that it is none of any kind.
pub(super) fn of_kind(answer: &Answer) -> Option<Follows> {
    let is_unread = match &answer.content {
        Content::Stream(events) => {
            !events.is_empty() && events.iter().all(|event| matches!(event.content, EventContent::Unreadable(_)))
        }
        _ => false,
    };
    match is_unread {
        true => Some(Follows::UnreadStream),
        false => {
            let operation = answer.exchange.request.operation.filter(|_| no_response(answer))?;
            Some(Follows::NoResponse { operation: operation.to_string() })
        }
    }
}

/// That the task of an answer is not found, in place of whatever else it should be: of an agent that finds none.
pub(super) fn of_task(answer: &Answer) -> Option<Follows> {
    is_unfound(answer).then_some(Follows::UnfoundTask)
}

/// What is wrong with the results of a step, so that they have no members: a list in place of an object.
pub(super) fn of_members(seen: &Observation) -> Option<Follows> {
    seen.answers().iter().find_map(|answer| {
        let Content::Result(payload) = &answer.content else { return None };
        let operation = answer.exchange.request.operation?.to_string();
        Some(Follows::NoObject { operation, of: type_without_form(payload)? })
    })
}

/// The type of a result that is no object on the wire. Where its version has lists there, no schema reports that.
fn type_without_form(payload: &Payload) -> Option<String> {
    let of = payload.reading.sites.iter().find(|site| site.pointer.is_empty())?;
    (!payload.reading.at(of)?.is_object()).then(|| of.kind.clone())
}
