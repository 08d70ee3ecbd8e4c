//! Does one step.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::sync::Mutex;
use url::Url;

use super::Sides;
use super::scope::Scope;
use crate::binding::{CallRequest, OpenStream, RawRequest};
use crate::case::{Act, Call, CardRequest, Raw, RawBody, Side, Step, Unresolved, Until, resolve};
use crate::interface::{CardPlace, Interface};
use crate::judge::{self, Observation};
use crate::profile::{Binding, Operation, OperationFacts, Reading, Route, route};
use crate::reason::Reason;
use crate::session::fixture::values;
use crate::session::message;
use crate::session::{Session, StepError};
use crate::transcript::{Answer, Content, Payload, StreamEvent, Unreadable};
use crate::wire::json;
use crate::wire::jsonrpc::{self, Request};

/// How long a stream may stay silent once its task waits for the client. The specification lets the agent close the
/// stream there or keep it open (1.0 sections 3.1.2, 7.6.1 and 11.7), so the suite only makes sure that nothing follows
/// at once.
const GRACE: Duration = Duration::from_millis(300);

/// The most events that are read of a stream before a step goes on, whatever it waits for in them.
const MOST_OPENED: usize = 200;

/// The streams that a case holds open, by name, with what they go over.
pub(super) type Streams = Mutex<HashMap<String, (Side, OpenStream)>>;

impl From<Unresolved> for StepError {
    fn from(unresolved: Unresolved) -> Self {
        Self::Unreached(Reason::Unresolved { reference: format!("${{{}}}", unresolved.reference) })
    }
}

/// Does a step and says what came of it; nothing comes of closing a stream, and of several steps at once each speaks
/// for itself.
pub(super) fn act<'a>(
    sides: &'a Sides,
    scope: &'a Scope<'_>,
    streams: &'a Streams,
    step: &'a Step,
    purpose: &'a str,
) -> BoxFuture<'a, Result<Option<Observation>, StepError>> {
    async move {
        let session = sides.of(step.over);
        let seen = match &step.act {
            Act::Call(call) => {
                Observation::Answer(session.send(request(session, scope, step, call, purpose)?, call.invalid).await?)
            }
            Act::Stream(call) => {
                let stream = session.open(request(session, scope, step, call, purpose)?, call.invalid).await?;
                Observation::Answer(read_out(session, stream).await)
            }
            Act::Open(call) => {
                let mut stream = session.open(request(session, scope, step, call, purpose)?, call.invalid).await?;
                open_up(session, scope, step, &mut stream).await?;
                if !stream.is_stream() {
                    let answer = session.connection.finish(stream, false).await;
                    session.note(&answer);
                    return Ok(Some(Observation::Answer(answer)));
                }
                let so_far = stream.so_far(&session.connection);
                streams.lock().await.insert(step.name.clone().unwrap_or_default(), (step.over, stream));
                Observation::Answer(so_far)
            }
            Act::Drain(name) => match streams.lock().await.remove(name) {
                Some((side, stream)) => Observation::Answer(read_out(sides.of(side), stream).await),
                None => return Err(StepError::Unreached(Reason::NoOpenStream { step: name.clone() })),
            },
            Act::Close(name) => {
                if let Some((side, stream)) = streams.lock().await.remove(name) {
                    let session = sides.of(side);
                    let answer = session.connection.finish(stream, false).await;
                    session.note(&answer);
                }
                return Ok(None);
            }
            Act::Raw(raw) => Observation::Answer(session.raw(raw_request(session, scope, step, raw, purpose)?).await?),
            Act::Bytes(bytes) => {
                let call = request(session, scope, step, &bytes.call, purpose)?;
                super::bytes::converse(session, scope, bytes, call, !step.reach.is_empty()).await?
            }
            Act::Wait(wait) => {
                let id = resolve(&Value::String(wait.task.clone()), scope)?;
                Observation::Answer(session.wait(&id, wait.until == Until::Settled, purpose).await?)
            }
            Act::Walk(walk) => super::walk::walk(session, scope, step, walk, purpose).await?,
            Act::Card(card) => Observation::Answer(fetch_card(session, scope, step, card, purpose).await?),
            Act::Together(_) => return Ok(None),
        };
        Ok(Some(seen))
    }
    .boxed()
}

fn request(
    session: &Session,
    scope: &Scope<'_>,
    step: &Step,
    call: &Call,
    purpose: &str,
) -> Result<CallRequest, StepError> {
    let with = resolve(&call.with, scope)?;
    let params = match call.trigger {
        Some(trigger) => {
            let mut params = message::params(&session.options.words.say(trigger));
            message::merge(&mut params, &with);
            params
        }
        None => with,
    };
    let rpc_id = call.rpc_id.as_ref().map(|id| resolve(id, scope)).transpose()?;
    Ok(CallRequest {
        operation: call.operation,
        params,
        rpc_id,
        headers: headers(scope, step)?,
        purpose: purpose.to_owned(),
    })
}

fn headers(scope: &Scope<'_>, step: &Step) -> Result<Vec<(String, Option<String>)>, StepError> {
    let mut headers = Vec::new();
    for (name, value) in &step.headers {
        let value = match value {
            Some(text) => Some(text_of(resolve(&Value::String(text.clone()), scope)?)),
            None => None,
        };
        headers.push((name.clone(), value));
    }
    Ok(headers)
}

fn text_of(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn raw_request(
    session: &Session,
    scope: &Scope<'_>,
    step: &Step,
    raw: &Raw,
    purpose: &str,
) -> Result<RawRequest, StepError> {
    let body = match &raw.body {
        RawBody::Text(text) => Bytes::from(text_of(resolve(&Value::String(text.clone()), scope)?)),
        RawBody::Bytes(bytes) => bytes.clone(),
    };
    let interface = &session.connection.interface;
    let suffix = suffix(session, text_of(resolve(&Value::String(raw.suffix.clone()), scope)?));
    let (operation, rpc_id) = called(interface, &raw.method, &suffix, &body);
    let suffix = match (&interface.tenant, interface.binding) {
        // The paths of a tenant begin with its name.
        (Some(tenant), Binding::HttpJson) => format!("/{}{suffix}", route::segment(tenant)),
        (Some(_), _) if operation.is_some() => {
            return Err(StepError::Unreached(Reason::TenantUnnamed));
        }
        _ => suffix,
    };
    let content_type = raw.content_type.clone().unwrap_or_else(|| {
        let first = interface.binding_facts().and_then(|facts| facts.media_types.first().cloned());
        // A method that takes a body says what the body is, even an empty one.
        first.filter(|_| !body.is_empty() || matches!(raw.method.as_str(), "POST" | "PUT" | "PATCH"))
    });
    Ok(RawRequest {
        method: raw.method.clone(),
        suffix,
        body,
        content_type,
        headers: headers(scope, step)?,
        operation,
        rpc_id,
        purpose: purpose.to_owned(),
    })
}

/// What exact bytes call, which tells how to read the answer; and the id that they ask back, for the judge to compare.
fn called(interface: &Interface, method: &str, suffix: &str, body: &Bytes) -> (Option<Operation>, Option<Value>) {
    let operations = interface.profile.facts.operations.iter();
    let of_method = |method: &str| {
        let mut known = operations.clone().filter(|(_, facts)| facts.method.as_deref() == Some(method));
        known.next().map(|(operation, _)| *operation)
    };
    match interface.binding {
        Binding::Jsonrpc => match jsonrpc::classify(body) {
            Request::Call(call) => {
                let document = json::parse(body, &json::Limits::default()).ok();
                let id = document.and_then(|document| document.root().get("id").map(json::Node::to_value));
                (of_method(&call.method), id)
            }
            Request::Notification { method, .. } => (of_method(&method), None),
            _ => (None, None),
        },
        Binding::HttpJson => {
            let path = suffix.split('?').next().unwrap_or_default();
            let routes = interface.profile.routes.iter();
            let is_called = |route: &&Route| {
                route.verb == method
                    && route.path.parse(path).is_some_and(|parts| {
                        parts.iter().all(|(_, value)| !value.is_empty() && !value.contains(['/', ':']))
                    })
            };
            let found = routes.filter(|(_, routes)| routes.iter().any(|route| is_called(&route)));
            (found.map(|(operation, _)| *operation).next(), None)
        }
        Binding::Grpc => {
            let rpc = suffix.trim_start_matches('/');
            let descriptors = interface.profile.descriptors.as_ref();
            let is_called = |(operation, facts): &(&Operation, &OperationFacts)| {
                descriptors.and_then(|all| all.rpc(**operation, facts)).is_some_and(|method| method.name() == rpc)
            };
            (operations.clone().find(is_called).map(|(operation, _)| *operation), None)
        }
    }
}

/// A query joins the one that the interface's URL may have.
fn suffix(session: &Session, suffix: String) -> String {
    match suffix.strip_prefix('?') {
        Some(query) if session.connection.interface.url.contains('?') => format!("&{query}"),
        _ => suffix,
    }
}

/// Reads the first event of a stream; or, where the step needs something of the events as a whole, as many as it takes.
async fn open_up(session: &Session, scope: &Scope<'_>, step: &Step, stream: &mut OpenStream) -> Result<(), StepError> {
    let wanted =
        step.reach.get("").map(|matcher| matcher.map_values(&mut |value| resolve(value, scope))).transpose()?;
    while session.connection.next(stream, None).await.is_some() {
        let events = Value::Array(values(stream.events()));
        let is_enough = wanted.as_ref().is_none_or(|wanted| judge::check(&events, "", wanted).is_empty());
        if is_enough || stream.events().len() >= MOST_OPENED {
            break;
        }
    }
    Ok(())
}

/// Reads a stream to its end, or until its task waits for the client and the agent has fallen silent.
async fn read_out(session: &Session, mut stream: OpenStream) -> Answer {
    let connection = &session.connection;
    let mut left_open = false;
    if stream.is_stream() {
        loop {
            let waits = stream
                .events()
                .iter()
                .rev()
                .find_map(state)
                .is_some_and(|state| session.profile().is_interrupted(&state));
            let event = connection.next(&mut stream, waits.then_some(GRACE)).await;
            if event.is_none() {
                left_open = waits && !stream.is_over();
                break;
            }
        }
    }
    let answer = connection.finish(stream, left_open).await;
    session.note(&answer);
    answer
}

fn state(event: &StreamEvent) -> Option<String> {
    let value = event.value()?;
    let holder = value.get("task").or_else(|| value.get("statusUpdate"))?;
    Some(holder.pointer("/status/state")?.as_str()?.to_owned())
}

/// Where the extended card is: the way from the interface's URL, put together as it is written and then cleared of its dots.
fn extended_card(session: &Session) -> Result<String, StepError> {
    let (profile, interface) = (session.profile(), &session.connection.interface);
    let way = profile.facts.card.extended.as_deref();
    let way =
        way.ok_or_else(|| StepError::mistake(format!("{} has no address for the extended card", profile.name())))?;
    beside(&interface.url, way).ok_or_else(|| StepError::mistake(format!("{} is no URL", interface.url)))
}

/// A way from a URL, which is taken for a folder: `http://host/a/b` and `../c` give `http://host/a/c`.
fn beside(url: &str, way: &str) -> Option<String> {
    let mut url = Url::parse(url).ok()?;
    url.set_query(None);
    url.set_path(&format!("{}/{way}", url.path()));
    Some(url.to_string())
}

/// Fetches the card; its answer is not part of the record, which is about the protocol's own answers.
async fn fetch_card(
    session: &Session,
    scope: &Scope<'_>,
    step: &Step,
    card: &CardRequest,
    purpose: &str,
) -> Result<Answer, StepError> {
    let url = match &session.connection.interface.card {
        CardPlace::Url(url) => url.clone(),
        CardPlace::File(path) => {
            return Err(StepError::Unreached(Reason::CardFromFile { path: path.display().to_string() }));
        }
        CardPlace::Missing => return Err(StepError::Unreached(Reason::NoCard)),
    };
    let url = if card.extended { extended_card(session)? } else { url };
    let headers = headers(scope, step)?;
    let exchange = session.fetch(&card.method, &url, &headers, purpose).await;
    let content = match &exchange.response {
        None => Content::Lost,
        Some(response) if response.body.is_empty() => Content::Nothing,
        Some(response) => match json::parse(&response.body, &json::Limits::default()) {
            Ok(document) => {
                let reading = Arc::new(Reading::plain(document.value()));
                Content::Result(Payload { document, base: String::new(), reading })
            }
            Err(error) => Content::Unreadable(Unreadable {
                is_too_much: error.kind.is_limit(),
                ..Unreadable::new(
                    format!("HTTP {} with a body that is not JSON: {}", response.status, error.kind),
                    Some(error.offset),
                )
            }),
        },
    };
    Ok(Answer { binding: session.connection.interface.binding, exchange, content })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extended_card_is_beside_the_interface() {
        let way = "../agent/authenticatedExtendedCard";
        for (url, wanted) in [
            ("http://agent.example/a2a/v1", "http://agent.example/a2a/agent/authenticatedExtendedCard"),
            ("http://agent.example/a2a?key=1", "http://agent.example/agent/authenticatedExtendedCard"),
            ("http://agent.example", "http://agent.example/agent/authenticatedExtendedCard"),
        ] {
            assert_eq!(beside(url, way).as_deref(), Some(wanted), "{url}");
        }
        assert_eq!(beside("nowhere", way), None);
    }
}
