//! Problem details (RFC 9457), which are the bodies of errors over HTTP+JSON in the draft of A2A 1.0 (section 11.6).
//!
//! By RFC 9457 every member is optional, and one of another type is as good as none. What A2A demands of them is here, but
//! for the URI of the type, which names an error like a code.

use serde_json::Value;

use super::answers::HttpError;
use super::http_errors::{at, wrong};
use crate::RunView;
use crate::finding::{Finding, Kind};
use crate::wire::http::MediaType;
use crate::wire::json::Number;

/// The body is a JSON object, and says that it is of the media type of errors.
pub(super) fn form(view: &RunView<'_>, error: &HttpError<'_>) -> Option<Result<(), Finding>> {
    let facts = view.profile.facts.bindings.get(&view.binding);
    let wanted = facts.map_or(&[][..], |facts| facts.error_media_types.as_slice());
    let response = error.answer.exchange.response.as_ref()?;
    let header = response.header("content-type");
    let is_declared = header.and_then(MediaType::parse).is_some_and(|kind| wanted.contains(&kind.essence()));
    Some(if at(error, "").is_none_or(|body| !body.is_object()) {
        Err(wrong(error, "", Kind::ProblemDetailsMissing, "a JSON object"))
    } else if !is_declared {
        let finding = Finding::new(Kind::ProblemDetailsUndeclared);
        let finding = finding.compare(wanted.join(" or "), header.unwrap_or("no content-type"));
        Err(finding.in_exchange(error.answer.exchange.number))
    } else {
        Ok(())
    })
}

/// `status` is the HTTP status.
pub(super) fn status(error: &HttpError<'_>) -> Option<Result<(), Finding>> {
    at(error, "").filter(Value::is_object)?;
    let number = error.body.as_ref()?.at("/status").and_then(|node| node.as_number()).and_then(Number::as_whole_i64);
    Some(match number == Some(i64::from(error.status)) {
        true => Ok(()),
        false => Err(wrong(error, "/status", Kind::ProblemStatusDiffers, &error.status.to_string())),
    })
}

/// `detail` is a sentence for people.
pub(super) fn detail(error: &HttpError<'_>) -> Option<Result<(), Finding>> {
    at(error, "").filter(Value::is_object)?;
    let is_text =
        at(error, "/detail").is_some_and(|detail| detail.as_str().is_some_and(|text| !text.trim().is_empty()));
    Some(if is_text {
        Ok(())
    } else {
        Err(wrong(error, "/detail", Kind::ProblemDetailMissing, "a string that is not empty"))
    })
}
