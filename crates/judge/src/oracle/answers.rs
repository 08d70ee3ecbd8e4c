//! Which answers of a run an oracle may count as the agent's own word, binding by binding.

use crate::RunView;
use crate::is_of_a2a;
use crate::profile::{Binding, Naming, Operation, Profile};
use crate::transcript::{Answer, Content, Ended, Response};
use crate::wire::http::barrier;
use crate::wire::json::{self, Document};

/// HTTP statuses with which a server speaks before it asks the agent behind it, and in a form of its own: there is no such
/// method (405, 501) or representation (406), the request is too slow, too long or too large (408, 411, 413, 414, 431), of a
/// media type (415) or expectation (417) or version of HTTP (505) that it does not know.
const OF_THE_SERVER: [u16; 11] = [405, 406, 408, 411, 413, 414, 415, 417, 431, 501, 505];

/// An error over HTTP+JSON that the agent has to answer for.
pub(super) struct HttpError<'a> {
    pub answer: &'a Answer,
    /// The HTTP status.
    pub status: u16,
    /// The body, where it is JSON.
    pub body: Option<Document>,
}

/// Whether a request is made in the name of the profile's version: else an agent may answer in another version's shape.
pub(super) fn is_of_this_version(profile: &Profile, answer: &Answer) -> bool {
    profile.facts.headers.iter().all(|(name, value)| {
        let sent = answer.exchange.request.headers.iter().find(|(sent, _)| sent.eq_ignore_ascii_case(name));
        sent.is_some_and(|(_, sent)| sent == value)
    })
}

/// The answers that came whole, from the agent itself and not from what stands before it, to requests of this version.
pub(super) fn whole<'a>(view: &RunView<'a>) -> impl Iterator<Item = (&'a Answer, &'a Response)> {
    whole_of(view.profile, view.answers)
}

/// The same of what calls nothing of A2A.
pub(super) fn whole_beside<'a>(view: &RunView<'a>) -> impl Iterator<Item = (&'a Answer, &'a Response)> {
    whole_of(view.profile, view.beside)
}

fn whole_of<'a>(profile: &'a Profile, answers: &'a [Answer]) -> impl Iterator<Item = (&'a Answer, &'a Response)> {
    answers.iter().filter_map(move |answer| {
        let response = answer.exchange.response.as_ref()?;
        let is_whole = answer.exchange.ended == Ended::Complete && !matches!(answer.content, Content::Lost);
        (is_whole && barrier(response.status).is_none() && is_of_this_version(profile, answer))
            .then_some((answer, response))
    })
}

/// The errors over HTTP+JSON that answer an operation and come from the agent: not from its web server, and not in a
/// stream. A 404 that is no JSON is the server's own.
pub(super) fn http_errors<'a>(view: &RunView<'a>) -> Vec<HttpError<'a>> {
    let found = any_http_errors(view).into_iter();
    found.filter(|error| error.status != 404 || error.body.is_some()).collect()
}

/// The same with every 404 that answers a call of a route that all texts agree about.
pub(super) fn http_errors_with_404<'a>(view: &RunView<'a>) -> Vec<HttpError<'a>> {
    let found = any_http_errors(view).into_iter();
    found.filter(|error| error.status != 404 || error.body.is_some() || is_plain_call(error.answer)).collect()
}

fn any_http_errors<'a>(view: &RunView<'a>) -> Vec<HttpError<'a>> {
    let answers = whole(view).filter(|(answer, response)| {
        answer.binding == Binding::HttpJson
            && answer.exchange.request.operation.is_some()
            && matches!(answer.content, Content::Error(_))
            && !OF_THE_SERVER.contains(&response.status)
    });
    let errors = answers.map(|(answer, response)| {
        let body = json::parse(&response.body, &json::Limits::default()).ok();
        HttpError { answer, status: response.status, body }
    });
    // A path that a server may not be able to decode, or may rewrite, need not come as far as the agent.
    let may_be_lost = |error: &HttpError<'_>| error.status == 404 || error.body.is_none();
    let errors = errors.filter(|error| !may_be_lost(error) || has_plain_path(error.answer));
    errors.filter(|error| !may_be_of_no_route(view.profile, error)).collect()
}

/// Whether a 404 can be what the server says of addresses that it does not have: texts differ about the verb that
/// subscribes, so that an agent may route the one and not the other, and about whether 0.3 has a list of tasks at all. A
/// body in the form of the version is the agent's.
fn may_be_of_no_route(profile: &Profile, error: &HttpError<'_>) -> bool {
    let operation = error.answer.exchange.request.operation;
    let is_disputed = operation.is_some_and(|operation| {
        let is_over_rpc = profile.operation(operation).is_some_and(|facts| facts.method.is_some());
        operation == Operation::SubscribeToTask || !is_over_rpc
    });
    let naming = profile.naming(Binding::HttpJson);
    let is_the_agents = match naming {
        Naming::ByStatus => false,
        Naming::ByReason(_) => {
            error.body.as_ref().and_then(|body| body.at("/error")).is_some_and(|error| error.as_object().is_some())
        }
        Naming::ByType(_) => error.answer.refusal().is_some_and(|error| is_of_a2a(profile, Binding::HttpJson, error)),
    };
    error.status == 404 && is_disputed && !is_the_agents
}

/// The bodies with which the agent's web server answers 404 where the protocol has no route.
pub(super) fn bodies_of_no_route<'a>(view: &RunView<'a>) -> Vec<&'a [u8]> {
    let beside = whole_beside(view).filter(|(answer, response)| {
        answer.binding == Binding::HttpJson && answer.exchange.request.operation.is_none() && response.status == 404
    });
    beside.map(|(_, response)| response.body.as_ref()).collect()
}

/// Whether a request is an ordinary call (exact bytes have no parameters) of a route without a tenant.
fn is_plain_call(answer: &Answer) -> bool {
    let params = &answer.exchange.request.params;
    !params.is_null() && params.get("tenant").is_none()
}

/// Whether the path of a request has no escapes, no empty segments and no dot segments.
fn has_plain_path(answer: &Answer) -> bool {
    let url = answer.exchange.request.url.as_str();
    let (_, rest) = url.split_once("://").unwrap_or(("", url));
    let path = rest.split('?').next().unwrap_or_default();
    !["%", "//", "/:", "/."].iter().any(|part| path.contains(part)) && !path.ends_with('/')
}
