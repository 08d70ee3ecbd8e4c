//! Errors of A2A in any binding: their details, their `google.rpc.ErrorInfo`, their message.

use serde_json::Value;

use super::answers::{is_of_this_version, whole};
use super::args::{Nothing, Step};
use super::{judged, judgement_of};
use crate::finding::{Finding, Kind, show, show_found};
use crate::profile::{Binding, ErrorFacts, Naming, Profile};
use crate::reason::Reason;
use crate::transcript::{Answer, Content, ErrorObject, StreamEvent};
use crate::{CaseView, Judgement, RunView};

/// Every error object of a run with its exchange, but for requests in another version's name: those an agent may
/// answer in that version's shape. Over JSON-RPC, what is an HTTP status and no more is no object.
fn errors<'a>(view: &RunView<'a>) -> Vec<(&'a Answer, &'a ErrorObject)> {
    let ours = view.answers.iter().filter(|answer| is_of_this_version(view.profile, answer));
    let errors = ours.flat_map(|answer| answer.errors().into_iter().map(move |error| (answer, error)));
    errors.filter(|(_, error)| view.binding != Binding::Jsonrpc || !error.is_bare()).collect()
}

/// A finding at a pointer within an error.
pub(super) fn at_error(answer: &Answer, error: &ErrorObject, inner: &str, kind: Kind) -> Finding {
    let mut finding = Finding::new(kind).at(answer.exchange.number, format!("{}{inner}", error.base));
    let is_this = |event: &StreamEvent| event.error().is_some_and(|known| std::ptr::eq(known, error));
    finding.event = answer.events().iter().position(is_this);
    finding
}

/// Details of errors are a list of objects that name their type (1.0 sections 9.5 and 11.6). Over gRPC the type is a
/// field of its own, which `grpc-status-details` judges.
pub(super) fn error_details(view: RunView<'_>, _: &Nothing) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    let name = match view.binding {
        Binding::Jsonrpc => "data",
        Binding::HttpJson | Binding::Grpc => "details",
    };
    // Over HTTP+JSON, what is no error object may have details of any kind.
    let is_asked = |(_, error): &(&Answer, &ErrorObject)| match view.binding {
        Binding::Jsonrpc => true,
        Binding::HttpJson => !error.base.is_empty(),
        Binding::Grpc => false,
    };
    for (answer, error) in errors(&view).into_iter().filter(is_asked) {
        let Some(data) = error.value.get(name).filter(|data| !data.is_null()) else { continue };
        seen += 1;
        let Some(details) = data.as_array() else {
            findings.push(
                at_error(answer, error, &format!("/{name}"), Kind::DetailsNoArray)
                    .compare("an array of objects with `@type`", show(data)),
            );
            continue;
        };
        for (index, detail) in details.iter().enumerate() {
            let place = format!("/{name}/{index}");
            let Some(kind) = detail.get("@type").and_then(Value::as_str) else {
                let finding = at_error(answer, error, &place, Kind::DetailUntyped);
                findings.push(finding.compare("an object with `@type`", show(detail)));
                continue;
            };
            if let Some((member, wanted)) = unlike_its_type(kind, detail) {
                let actual = show_found(detail.get(member));
                let place = format!("{place}/{member}");
                let kind = Kind::DetailMisshaped { member: member.to_owned() };
                findings.push(at_error(answer, error, &place, kind).compare(wanted, actual));
            }
        }
    }
    judged(seen, "error with details", findings)
}

/// Data of errors are an object or a list (1.0-draft section 9.5).
pub(super) fn error_data(view: RunView<'_>, _: &Nothing) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    for (answer, error) in errors(&view).into_iter().filter(|_| view.binding == Binding::Jsonrpc) {
        let Some(data) = error.value.get("data").filter(|data| !data.is_null()) else { continue };
        seen += 1;
        if !data.is_object() && !data.is_array() {
            let finding = at_error(answer, error, "/data", Kind::ErrorDataUnstructured);
            findings.push(finding.compare("an object or an array", show(data)));
        }
    }
    judged(seen, "error with data", findings)
}

/// The member of a detail that does not fit the message of its type in ProtoJSON, and what does. Types that the suite
/// does not know fit.
fn unlike_its_type(kind: &str, detail: &Value) -> Option<(&'static str, &'static str)> {
    let is_text = |value: &Value| value.is_string() || value.is_null();
    let fits = |member: &str, fits: &dyn Fn(&Value) -> bool| {
        detail.get(member).is_none_or(|value| value.is_null() || fits(value))
    };
    let are_texts = |value: &Value| value.as_object().is_some_and(|members| members.values().all(Value::is_string));
    let are_violations = |value: &Value| {
        let is_violation = |item: &Value| {
            item.as_object().is_some_and(|members| {
                ["field", "description", "reason"].iter().all(|name| members.get(*name).is_none_or(is_text))
            })
        };
        value.as_array().is_some_and(|items| items.iter().all(is_violation))
    };
    match kind.rsplit('/').next() {
        Some("google.rpc.ErrorInfo") if !fits("reason", &is_text) => Some(("reason", "a string")),
        Some("google.rpc.ErrorInfo") if !fits("domain", &is_text) => Some(("domain", "a string")),
        Some("google.rpc.ErrorInfo") if !fits("metadata", &are_texts) => {
            Some(("metadata", "an object whose values are strings"))
        }
        Some("google.rpc.BadRequest") if !fits("fieldViolations", &are_violations) => {
            Some(("fieldViolations", "an array of objects with strings"))
        }
        _ => None,
    }
}

/// Errors of A2A say in a `google.rpc.ErrorInfo` which they are.
pub(super) fn error_info(view: RunView<'_>, _: &Nothing) -> Judgement {
    match view.binding {
        Binding::Jsonrpc => has_info(view),
        Binding::HttpJson | Binding::Grpc => right_info(view),
    }
}

/// Over JSON-RPC the code names the error, and the details repeat it (1.0 section 9.5: SHOULD in 1.0.1, MUST in 1.0.0).
fn has_info(view: RunView<'_>) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    for (answer, error) in errors(&view) {
        let Some(reason) = error.name().and_then(|name| reason(view.profile, name)) else { continue };
        seen += 1;
        let info = error.info();
        let domain = view.profile.facts.error_domain.as_deref().unwrap_or_default();
        let wanted =
            format!("google.rpc.ErrorInfo with reason {reason} and domain {domain} (SHOULD in 1.0.1, MUST in 1.0.0)");
        let right = info.is_some_and(|info| {
            info.get("reason").and_then(Value::as_str) == Some(reason)
                && info.get("domain").and_then(Value::as_str) == Some(domain)
        });
        if !right {
            let actual = info.or_else(|| error.value.get("data")).map_or_else(|| "no details".to_owned(), show);
            let kind = Kind::ErrorInfoMissing { error: error.name().unwrap_or("an error").to_owned() };
            findings.push(at_error(answer, error, "", kind).compare(wanted, actual));
        }
    }
    judged(seen, "error of A2A", findings)
}

/// Over the other bindings only the reason names the error (1.0 sections 10.6 and 11.6): where one is given, type, domain
/// and status go with it. Errors without one, or with a reason that is none of A2A's, may be an agent's own.
fn right_info(view: RunView<'_>) -> Judgement {
    let Some(domain) = view.profile.facts.error_domain.as_deref() else {
        return Judgement::Unseen(Reason::NoErrorInfo);
    };
    let mut findings = Vec::new();
    let mut seen = 0;
    let answers = whole(&view).map(|(answer, _)| answer);
    for (answer, error) in answers.flat_map(|answer| answer.errors().into_iter().map(move |error| (answer, error))) {
        let details = error.value.get("details").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for (index, info) in details.iter().enumerate() {
            let text = |name: &str| info.get(name).and_then(Value::as_str);
            let kind = text("@type").unwrap_or_default();
            let named = text("reason").filter(|_| kind.ends_with(ERROR_INFO)).and_then(|reason| {
                view.profile.facts.errors.iter().find(|(_, facts)| facts.reason.as_deref() == Some(reason))
            });
            let Some((name, facts)) = named else { continue };
            seen += 1;
            let name = || name.clone();
            let mut wrong = |inner: &str, kind: Kind, wanted: String, actual: String| {
                let place = format!("/details/{index}{inner}");
                findings.push(at_error(answer, error, &place, kind).compare(wanted, actual));
            };
            let type_url = format!("type.googleapis.com/{ERROR_INFO}");
            // Any.type_url may have any prefix, "@type" is spelled out in section 11.6.
            let has_type = match view.binding {
                Binding::Grpc => kind.ends_with(&format!("/{ERROR_INFO}")),
                Binding::Jsonrpc | Binding::HttpJson => kind == type_url,
            };
            if !has_type {
                wrong("/@type", Kind::ErrorInfoType { error: name() }, type_url, kind.to_owned());
            }
            if text("domain") != Some(domain) {
                let actual = show_found(info.get("domain"));
                wrong("/domain", Kind::ErrorInfoDomain { error: name() }, domain.to_owned(), actual);
            }
            if let Some(wanted) = other_status(answer, facts, error) {
                wrong("", Kind::ErrorInfoStatus { error: name() }, wanted, error.label.clone());
            }
        }
    }
    judged(seen, "ErrorInfo with a reason of A2A", findings)
}

/// The type of the detail that names an error.
const ERROR_INFO: &str = "google.rpc.ErrorInfo";

/// The statuses that an error may have, where it has none of them. A stream over HTTP+JSON was opened with 200, and
/// nothing says what status stands in an error that comes later.
fn other_status(answer: &Answer, facts: &ErrorFacts, error: &ErrorObject) -> Option<String> {
    let in_stream = matches!(answer.content, Content::Stream(_));
    match answer.binding {
        Binding::Jsonrpc => None,
        Binding::HttpJson => {
            let status = error.code.and_then(|code| u16::try_from(code).ok()).unwrap_or_default();
            (!in_stream && !facts.has_http(status)).then(|| format!("HTTP {}", facts.http.join(" or ")))
        }
        Binding::Grpc => (!facts.has_grpc(&error.label)).then(|| facts.grpc.join(" or ")),
    }
}

/// The reasons by which published clients know invalid parameters: names of errors, as those of A2A's own are made of theirs.
const OF_INVALID_PARAMS: [&str; 2] = ["INVALID_PARAMS", "INVALID_REQUEST"];

/// An error about parameters names itself in an ErrorInfo. The text demands that of A2A's own errors alone (1.0 sections 10.6
/// and 11.6), and clients know the others by nothing else.
pub(super) fn invalid_params_named(view: CaseView<'_>, step: &Step) -> Judgement {
    judgement_of((|| {
        let answer = view.heard(step)?;
        let domain = view.profile.facts.error_domain.as_deref().ok_or(Judgement::Unseen(Reason::NoErrorInfo))?;
        // One that says in A2A's domain that it is another error is not about parameters.
        let error = answer.refusal().filter(|error| error.is("InvalidParamsError"));
        let error = error.ok_or_else(|| Judgement::Unseen(Reason::run_saw_no("error about invalid parameters")))?;
        if error.called(Naming::ByReason(domain)).is_some_and(|reason| OF_INVALID_PARAMS.contains(&reason)) {
            return Ok(Judgement::Right);
        }
        let kind = Kind::ErrorInfoMissing { error: "InvalidParamsError".to_owned() };
        let wanted = format!("google.rpc.ErrorInfo with reason {} and domain {domain} (MAY)", OF_INVALID_PARAMS[0]);
        let actual = error.value.get("details").map_or_else(|| "no details".to_owned(), show);
        Ok(Judgement::Wrong(vec![at_error(answer, error, "", kind).compare(wanted, actual)]))
    })())
}

fn reason<'a>(profile: &'a Profile, name: &str) -> Option<&'a str> {
    profile.facts.errors.get(name)?.reason.as_deref()
}

/// Errors have something to read (1.0 section 3.3.2, 0.3 section 6.12).
pub(super) fn error_message(view: RunView<'_>, _: &Nothing) -> Judgement {
    let errors = errors(&view);
    let mut findings = Vec::new();
    for (answer, error) in &errors {
        let message = error.value.get("message");
        if message.and_then(Value::as_str).is_none_or(|text| text.trim().is_empty()) {
            let actual = show_found(message);
            findings.push(
                at_error(answer, error, "/message", Kind::ErrorWithoutMessage)
                    .compare("a string that is not empty", actual),
            );
        }
    }
    judged(errors.len(), "error", findings)
}
