//! Whether one step came out as its expectation says.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::matcher::{Mismatch, check, describe as describe_matcher};
use super::{Judged, Judgement, Observation, StepRecord, cause, delivered, follows, frame};
use crate::case::{Assertion, EXTENSIONS, Expect, Matcher, Outcome};
use crate::diagnostic::words::{count, count_as};
use crate::finding::{Finding, Kind, NOTHING, show};
use crate::profile::{Binding, Profile};
use crate::reason::Reason;
use crate::transcript::{Answer, Content, Ended, ErrorObject, EventContent, TransportError, Unanswered};
use crate::wire::http::{Barrier, barrier};

/// Whether the agent is in the state that the case is about; if not, why.
///
/// # Errors
/// The reason.
pub fn reached(profile: &Profile, played: &StepRecord) -> Result<(), Reason> {
    if played.applies.is_empty() && played.reach.is_empty() {
        return Ok(());
    }
    if let Some(delivered) = played.seen.delivered() {
        return delivered::reached(played, delivered);
    }
    let answer = played.seen.answer().ok_or(Reason::NothingSent)?;
    if answer.had_no_room() {
        return Err(Reason::NoRoom);
    }
    // A refusal that the case allows is a right answer, and the state of a result is not asked for.
    let allowed = played.expect.iter().flat_map(|expect| &expect.outcome);
    if answer.refusal().is_some() && allowed.into_iter().any(|outcome| is(outcome, &played.seen, answer)) {
        return Ok(());
    }
    let root = played.seen.root();
    if asks_for_no_result(played) {
        return if root.is_none() { Ok(()) } else { Err(Reason::NotRefused) };
    }
    let Some(root) = root else { return Err(Reason::OtherAnswer { received: describe(answer) }) };
    conditions(played, |place, matcher| match place {
        EXTENSIONS => {
            ("the list of active extensions".to_owned(), check(&frame::active_extensions(profile, answer), "", matcher))
        }
        "" => ("the answer".to_owned(), check(&root, "", matcher)),
        pointer => (format!("`{pointer}`"), check(&root, pointer, matcher)),
    })
}

/// Whether what a step needs holds; `look` says what is at a place, in words, and in what it differs.
///
/// # Errors
/// The first that does not hold.
pub(super) fn conditions(
    played: &StepRecord,
    look: impl Fn(&str, &Matcher) -> (String, Vec<Mismatch>),
) -> Result<(), Reason> {
    let first_missed = |conditions: &BTreeMap<String, Matcher>| {
        conditions.iter().find_map(|(place, matcher)| {
            let (place, mismatches) = look(place, matcher);
            Some((place, mismatches.into_iter().next()?))
        })
    };
    if let Some((place, Mismatch { received, expected, .. })) = first_missed(&played.applies) {
        return Err(Reason::DoesNotApply { place, received, expected });
    }
    match first_missed(&played.reach) {
        Some((place, Mismatch { received, expected, .. })) => Err(Reason::WrongState { place, received, expected }),
        None => Ok(()),
    }
}

/// Whether all that a step asks for is that there be no result, whatever comes in its place. A step that expects something
/// says itself which errors are as good.
fn asks_for_no_result(played: &StepRecord) -> bool {
    let is_absence = |(place, matcher): (&String, &Matcher)| place.is_empty() && *matcher == Matcher::Present(false);
    played.expect.is_none() && !played.reach.is_empty() && played.reach.iter().all(is_absence)
}

/// Why a step shows nothing of what its case asks, where a request of it was left without an answer. An agent may be slow, and
/// a connection may be lost: that a request stays unanswered is for the case about that. A case that allows the agent to close
/// the connection has seen what became of it, and so has one that is about whether there is an answer.
pub fn unanswered(played: &StepRecord) -> Option<Reason> {
    // Nothing was asked where something is delivered.
    if played.seen.delivered().is_some() {
        return None;
    }
    if played.expect.as_ref().is_some_and(Expect::asks_for_any_answer) {
        return None;
    }
    let allows_closing = played.expect.as_ref().is_some_and(|expect| expect.outcome.contains(&Outcome::Closed));
    let is_allowed =
        |answer: &&Answer| allows_closing && matches!(answer.unanswered(), Some(Unanswered::Closed(Ended::Failed(_))));
    played.seen.answers().iter().filter(|answer| !is_allowed(answer)).find_map(left_unanswered)
}

/// How a request was left without an answer, as a reason.
pub(super) fn left_unanswered(answer: &Answer) -> Option<Reason> {
    let operation = answer.exchange.request.operation;
    Some(match answer.unanswered()? {
        Unanswered::Silent(limit) => Reason::Unanswered {
            limit: limit.as_secs_f32().to_string(),
            operation: operation.map_or_else(|| "the request".to_owned(), |operation| operation.to_string()),
        },
        Unanswered::Closed(how) => Reason::ConnectionLost { how: how.to_string() },
    })
}

/// Judges one step.
pub fn step(profile: &Profile, played: &StepRecord) -> Judged {
    if let Some(delivered) = played.seen.delivered() {
        return delivered::step(played, delivered);
    }
    match comparable(played) {
        Err(judgement) => judgement.into(),
        Ok(None) => Judged::new([], Vec::new()),
        Ok(Some((expect, answer))) => compare(profile, played, expect, answer),
    }
}

/// What was expected and what came, where they can be compared.
///
/// # Errors
/// Why they cannot be.
fn comparable(played: &StepRecord) -> Result<Option<(&Expect, &Answer)>, Judgement> {
    if let Some(reason) = unanswered(played) {
        return Err(Judgement::Unseen(reason));
    }
    // What an agent holds has no bound, and an answer that shows all of it need not have one, either. Where no result is
    // allowed, one that is so large is wrong whatever it holds.
    let may_be_large = played.expect.as_ref().is_none_or(Expect::allows_result);
    if played.seen.answers().iter().any(Answer::had_no_room) {
        return Err(Judgement::Unseen(Reason::NoRoom));
    }
    if let Some(how) = played.seen.answers().iter().find_map(Answer::own_limit) {
        return Err(Judgement::Broken(Reason::ConnectionLost { how }));
    }
    if let Some(what) = played.seen.answers().iter().filter(|_| may_be_large).find_map(Answer::too_much) {
        return Err(Judgement::Unseen(Reason::TooLarge { what: what.to_string() }));
    }
    let Some(expect) = &played.expect else { return Ok(None) };
    let Some(answer) = played.seen.answer() else {
        return Err(Judgement::Broken(Reason::mistake("a step came to nothing")));
    };
    // A case that allows the agent to close the connection has seen what became of it.
    let allows_closing = expect.outcome.contains(&Outcome::Closed) && answer.exchange.response.is_none();
    if expect.asks_for_any_answer() {
        return Ok(Some((expect, answer)));
    }
    // Who lost the connection cannot be told, unless the agent had begun to answer: then it broke the answer off.
    if let Ended::Failed(transport_error) = &answer.exchange.ended
        && (answer.exchange.response.is_none()
            || !answer.events().is_empty()
            || matches!(transport_error, TransportError::Other(_)))
        && !(allows_closing && *transport_error == TransportError::Reset)
    {
        return Err(Judgement::Broken(Reason::ConnectionLost { how: transport_error.to_string() }));
    }
    match proves_nothing(expect, answer) {
        Some(reason) => Err(Judgement::Unseen(reason)),
        None => Ok(Some((expect, answer))),
    }
}

fn compare(profile: &Profile, played: &StepRecord, expect: &Expect, answer: &Answer) -> Judged {
    let written = played.written.as_ref().unwrap_or(expect);
    let (mut asked, mut findings) = outcome(profile, expect, &played.seen, answer);
    // Of an answer of the wrong kind it means nothing what it holds, or what carries it; of the wrong error only what it holds.
    let carries = findings.is_empty() || answer.refusal().is_some();
    if findings.is_empty() {
        let (places, of_places) = match answer.refusal() {
            None if played.seen.has_root() => {
                (expect.at.keys().map(|place| Assertion::At(place)).collect(), places(expect, written, &played.seen))
            }
            None => (Vec::new(), Vec::new()),
            Some(error) => (
                expect.error_at.keys().map(|place| Assertion::ErrorAt(place)).collect(),
                error_places(expect, written, answer, error),
            ),
        };
        asked.extend::<Vec<_>>(places);
        findings.extend(of_places);
    }
    if carries {
        let (frame, of_frame) = frame::check(expect, written, answer);
        asked.extend(frame);
        findings.extend(of_frame);
        let (active, of_active) = frame::check_extensions(profile, expect, written, answer);
        asked.extend(active);
        findings.extend(of_active);
        if let Observation::Connection(connected) = &played.seen {
            asked.extend(expect.connection.keys().map(|name| Assertion::Connection(name)));
            findings.extend(frame::check_connection(expect, written, answer, connected));
        }
    }
    // Who says that there was no request, where there was one, has no id to give back (JSON-RPC 2.0, section 5): that is one mistake.
    let is_no_request = !findings.is_empty() && frame::says_no_request(answer);
    if !is_no_request {
        let (id, of_id) = frame::check_id(expect, written, answer);
        asked.extend(id);
        findings.extend(of_id);
    }
    for finding in &mut findings {
        finding.source.clone_from(&played.source);
    }
    Judged::new(asked.iter().map(Assertion::name), findings)
}

/// Why an answer says nothing about what the case asks: something stands before the agent.
fn proves_nothing(expect: &Expect, answer: &Answer) -> Option<Reason> {
    // A case that asks for just this answer has seen what it asked for.
    let asks = if answer.binding == Binding::Grpc { &expect.grpc } else { &expect.http };
    let asked_for = asks.contains_key("status") && frame::check(expect, expect, answer).1.is_empty();
    barred(answer).filter(|_| !asked_for)
}

/// Why an answer is none of the agent's, where something stands before it.
pub fn barred(answer: &Answer) -> Option<Reason> {
    before_the_agent(answer).map(|(before, label)| match before {
        Barrier::Credentials => Reason::CredentialsWanted { label },
        Barrier::Unavailable => Reason::Unavailable { label },
    })
}

/// What an answer says of that, and its status or code as people write it.
pub fn before_the_agent(answer: &Answer) -> Option<(Barrier, String)> {
    if answer.binding == Binding::Grpc {
        let code = frame::grpc_code(answer)?;
        let before = match code {
            "UNAUTHENTICATED" | "PERMISSION_DENIED" => Barrier::Credentials,
            // A limit on how often clients may call, which is a gateway's 429, has the code of a request too large.
            "UNAVAILABLE" | "RESOURCE_EXHAUSTED" => Barrier::Unavailable,
            _ => return None,
        };
        return Some((before, code.to_owned()));
    }
    let status = answer.exchange.response.as_ref()?.status;
    Some((barrier(status)?, format!("HTTP {status}")))
}

/// What the outcome holds of what was expected, and in what it is wrong.
fn outcome<'a>(
    profile: &Profile,
    expect: &'a Expect,
    seen: &Observation,
    answer: &Answer,
) -> (Vec<Assertion<'a>>, Vec<Finding>) {
    let allowed: &[Outcome] = if expect.outcome.is_empty() { &[Outcome::Result] } else { &expect.outcome };
    let came: Vec<&Outcome> = allowed.iter().filter(|outcome| is(outcome, seen, answer)).collect();
    if !came.is_empty() {
        // A status that several of the allowed errors have does not show which of them it is.
        let is_certain = came.iter().filter(|outcome| matches!(outcome, Outcome::Error(_))).count() == 1;
        let held = came.into_iter().flat_map(|outcome| expect.held_by(outcome, is_certain));
        return (held.collect(), Vec::new());
    }
    let mut held = Vec::new();
    let names: Vec<String> = allowed.iter().map(|outcome| spell(profile, answer.binding, outcome)).collect();
    let kind = cause::of(profile, expect, allowed, answer);
    let assertion = match (answer.refusal(), &answer.content) {
        (Some(error), _) => {
            // It is refused, if by the wrong error; who says that it broke, or knows no such method, refuses nothing.
            let is_refused = error.refuses && expect.outcome_assertion() == Assertion::Refused;
            held.extend(is_refused.then_some(Assertion::Refused));
            expect.error_assertion()
        }
        (None, _) if matches!(kind, Kind::RequestServed { .. }) => expect.outcome_assertion(),
        (None, _) => expect.answer_assertion(),
    };
    let mut finding =
        Finding::new(kind).compare(names.join(", or "), describe(answer)).in_exchange(answer.exchange.number);
    // That there is no error where there must be one is wrong, whatever came in its place.
    let whole = follows::of_kind(answer).filter(|_| expect.allows_result());
    finding.follows = whole.or_else(|| follows::of_task(answer));
    finding.assertion = assertion.name();
    let place = answer.refusal().map(|error| (error, format!("{}/code", error.base)));
    let finding = match place {
        Some((error, pointer)) if error.document.at(&pointer).is_some() => {
            let is_stream = matches!(answer.content, Content::Stream(_));
            let finding = finding.at(answer.exchange.number, pointer);
            if is_stream { finding.in_event(0) } else { finding }
        }
        _ => finding,
    };
    (held, vec![finding])
}

fn is(outcome: &Outcome, seen: &Observation, answer: &Answer) -> bool {
    match outcome {
        Outcome::Result => answer.refusal().is_none() && seen.has_root(),
        Outcome::Error(name) => answer.refusal().is_some_and(|error| error.is(name)),
        Outcome::Refusal => answer.refusal().is_some_and(|error| error.refuses),
        // No response object, and no failure of the server: JSON-RPC says nothing else about the HTTP status.
        Outcome::Nothing => answer.exchange.response.as_ref().is_some_and(|response| {
            let is_empty = response.body.iter().all(u8::is_ascii_whitespace);
            answer.refusal().is_none() && is_empty && response.status < 500 && answer.exchange.ended == Ended::Complete
        }),
        Outcome::Closed => {
            let lost = Ended::Failed(TransportError::Reset);
            answer.exchange.response.is_none()
                && (answer.exchange.ended == Ended::Closed || answer.exchange.ended == lost)
        }
        // An error of JSON-RPC says more than the status that came with it.
        Outcome::HttpRefusal => {
            let is_error = answer.binding == Binding::Jsonrpc && answer.refusal().is_some_and(|error| !error.is_bare());
            let response = answer.exchange.response.as_ref().filter(|_| !is_error && answer.binding != Binding::Grpc);
            response.is_some_and(|response| matches!(response.status, 400..=499 | 501 | 505))
        }
        Outcome::Answered => {
            answer.is_held_poll() || (answer.unanswered().is_none() && !matches!(answer.content, Content::Lost))
        }
        Outcome::Http => answer.exchange.response.is_some(),
        Outcome::Grpc => frame::grpc_code(answer).is_some(),
    }
}

/// An outcome with the code that it has over a binding.
fn spell(profile: &Profile, binding: Binding, outcome: &Outcome) -> String {
    let Outcome::Error(name) = outcome else { return outcome.to_string() };
    let Some(facts) = profile.facts.errors.get(name) else { return name.clone() };
    let code = match binding {
        Binding::Jsonrpc => facts.jsonrpc.map(|code| code.to_string()),
        Binding::HttpJson => Some(format!("HTTP {}", facts.http.join(" or "))),
        Binding::Grpc => Some(facts.grpc.join(" or ")),
    };
    let called = profile.naming(binding).of(facts).filter(|_| binding != Binding::Jsonrpc);
    let parts: Vec<String> = code.into_iter().chain(called.map(str::to_owned)).collect();
    if parts.is_empty() { name.clone() } else { format!("{name} ({})", parts.join(", ")) }
}

/// What the agent answered, in a few words.
pub fn describe(answer: &Answer) -> String {
    if let Some(error) = answer.refusal() {
        return describe_error(error);
    }
    match &answer.content {
        Content::Result(payload) => format!("the result {}", show(&payload.reading.value)),
        Content::Error(error) => describe_error(error),
        Content::Stream(events) if events.is_empty() => {
            format!("a stream without events, {}", answer.exchange.ended)
        }
        Content::Stream(events) => match events.first().map(|event| &event.content) {
            Some(EventContent::Unreadable(unreadable)) => format!("a stream that begins with {}", unreadable.reason),
            _ => format!("a stream of {}", count(events.len(), "event")),
        },
        Content::Batch(_) => "a batch of responses".to_owned(),
        Content::Nothing => "an empty body".to_owned(),
        Content::Unreadable(unreadable) => unreadable.reason.clone(),
        Content::Lost => answer.exchange.ended.to_string(),
        Content::Deliveries(delivered) => count_as(delivered.answers.len(), "delivery", "deliveries"),
    }
}

fn describe_error(error: &ErrorObject) -> String {
    let reason = error.info().and_then(|info| info.get("reason")).and_then(Value::as_str);
    let name = match (error.name(), reason) {
        (Some(name), _) => name.to_owned(),
        (None, Some(reason)) => reason.to_owned(),
        (None, None) if error.names.is_empty() => "an error that the specification does not name".to_owned(),
        (None, None) => "an error".to_owned(),
    };
    // A reason of another name than the error's own is half of what is wrong with it.
    let own = |reason: &str| error.name().is_none_or(|name| spells(name, reason));
    let name = match reason.filter(|reason| !own(reason)) {
        Some(reason) => format!("{name} with the reason {reason}"),
        None => name,
    };
    match (error.code, error.value.get("message").and_then(Value::as_str)) {
        (None, _) => format!("an error without a code: {}", show(&error.value)),
        (Some(_), Some(message)) => format!("{name} ({}) {}", error.label, show(&json!(message))),
        (Some(_), None) => format!("{name} ({})", error.label),
    }
}

/// Whether `TASK_NOT_FOUND` is the reason of `TaskNotFoundError`.
fn spells(name: &str, reason: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|letter| *letter != '_').collect::<String>().to_ascii_lowercase();
    letters(name.trim_end_matches("Error")) == letters(reason)
}

/// What the case file asks for at a place: equal in every run, unlike what its references stand for.
fn condition(written: &BTreeMap<String, Matcher>, place: &str) -> String {
    written.get(place).map(describe_matcher).unwrap_or_default()
}

pub(super) fn places(expect: &Expect, written: &Expect, seen: &Observation) -> Vec<Finding> {
    let Some(root) = seen.root() else { return Vec::new() };
    let mut findings = Vec::new();
    let follows = follows::of_members(seen);
    for (place, matcher) in &expect.at {
        for mismatch in check(&root, place, matcher) {
            let (inner, condition) = (mismatch.pointer.clone(), condition(&written.at, place));
            let instead = in_place_of_a_list(seen, &mismatch);
            let kind = match inner.is_empty() || instead.is_some() {
                true => Kind::Whole { condition },
                false => Kind::Value { place: inner, condition },
            };
            let received = instead.unwrap_or(mismatch.received);
            let finding = Finding::new(kind).compare(mismatch.expected, received);
            let mut finding = finding.following(follows.clone());
            finding.assertion = Assertion::At(place).name();
            if let Some(location) = seen.locate(&mismatch.pointer) {
                finding = finding.at(location.exchange, location.pointer);
                finding.event = location.event;
            }
            findings.push(finding);
        }
    }
    findings
}

/// What came as a whole where a version has a bare list as a whole, if a member that is missing is that list.
fn in_place_of_a_list(seen: &Observation, mismatch: &Mismatch) -> Option<String> {
    let Content::Result(payload) = &seen.answer()?.content else { return None };
    let is_list = payload.reading.value.get("unread").is_some() && payload.locate(&mismatch.pointer) == payload.base;
    (is_list && mismatch.received == NOTHING && !mismatch.pointer.is_empty()).then(|| show(&payload.reading.wire))
}

fn error_places(expect: &Expect, written: &Expect, answer: &Answer, error: &ErrorObject) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (place, matcher) in &expect.error_at {
        for mismatch in check(&error.value, place, matcher) {
            let condition = condition(&written.error_at, place);
            let kind = match mismatch.pointer.is_empty() {
                true => Kind::WholeError { condition },
                false => Kind::ErrorValue { place: mismatch.pointer.clone(), condition },
            };
            let mut finding = Finding::new(kind)
                .compare(mismatch.expected, mismatch.received)
                .at(answer.exchange.number, format!("{}{}", error.base, mismatch.pointer));
            finding.assertion = Assertion::ErrorAt(place).name();
            findings.push(finding);
        }
    }
    findings
}
