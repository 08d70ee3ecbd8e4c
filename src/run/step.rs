//! Does one step.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::sync::Mutex;
use url::Url;

use super::Sides;
use super::scope::{Scope, Spelled};
use crate::binding::{CallRequest, RawRequest, called};
use crate::case::{Act, Call, CardRequest, Raw, RawBody, Step, resolve};
use crate::interface::{CardPlace, Interface};
use crate::judge::{self, Observation};
use crate::profile::{Binding, Reading};
use crate::reason::Reason;
use crate::session::fixture::values;
use crate::session::message;
use crate::session::streams::read_out;
use crate::session::{Session, StepError};
use crate::transcript::{Answer, Content, Payload, Unreadable};
use crate::transport::OpenStream;
use crate::transport::inbound::Hook;
use crate::wire::json;

/// The most events that are read of a stream before a step goes on, whatever it waits for in them.
const MOST_OPENED: usize = 200;

/// The streams that a case holds open, by name, each with the session that opened it.
pub(super) type Streams = Mutex<HashMap<String, (Arc<Session>, OpenStream)>>;

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
        let own = sides.of(step);
        let session = own.as_ref();
        let seen = match &step.act {
            Act::Call(call) => {
                Observation::Answer(session.send(request(session, scope, step, call, purpose)?, call.invalid).await?)
            }
            Act::Stream(call) => {
                let stream = session.open(request(session, scope, step, call, purpose)?, call.invalid).await?;
                Observation::Answer(read_and_note(session, stream).await)
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
                streams.lock().await.insert(step.name.clone().unwrap_or_default(), (Arc::clone(&own), stream));
                Observation::Answer(so_far)
            }
            Act::Drain(name) => match streams.lock().await.remove(name) {
                Some((session, stream)) => Observation::Answer(read_and_note(&session, stream).await),
                None => return Err(StepError::Unreached(Reason::NoOpenStream { step: name.clone() })),
            },
            Act::Close(name) => {
                if let Some((session, stream)) = streams.lock().await.remove(name) {
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
                Observation::Polled(session.wait(&id, wait.until, purpose).await?)
            }
            Act::Walk(walk) => super::walk::walk(session, scope, step, walk, purpose).await?,
            Act::Card(card) => Observation::Answer(fetch_card(session, scope, step, card, purpose).await?),
            Act::Hello(offer) => Observation::Answer(session.hello(*offer, purpose).await?),
            Act::Deliveries(wanted) => {
                Observation::Deliveries(session.deliveries(hook_of(scope, &wanted.to)?, wanted).await)
            }
            Act::Release(name) => {
                hook_of(scope, name)?.release();
                return Ok(None);
            }
            Act::Together(_) => return Ok(None),
        };
        Ok(Some(seen))
    }
    .boxed()
}

/// The webhook of this name.
fn hook_of<'a>(scope: &'a Scope<'_>, name: &str) -> Result<&'a Hook, StepError> {
    scope.hooks.get(name).ok_or_else(|| StepError::mistake(format!("there is no webhook `{name}`")))
}

fn request(
    session: &Session,
    scope: &Scope<'_>,
    step: &Step,
    call: &Call,
    purpose: &str,
) -> Result<CallRequest, StepError> {
    let with = resolve(&without_missing_context(&call.with, scope), scope)?;
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
        params: params.into(),
        rpc_id,
        headers: headers(scope, step)?,
        purpose: purpose.to_owned(),
    })
}

/// A message that names its task needs no context beside it: where the task shows none, the message names none, either.
fn without_missing_context<'a>(with: &'a Value, scope: &Scope<'_>) -> Cow<'a, Value> {
    let of_message = |member: &str| with.pointer("/message")?.get(member)?.as_str();
    let (Some(task), Some(context)) = (of_message("taskId"), of_message("contextId")) else {
        return Cow::Borrowed(with);
    };
    let (of_task, of_context) = (task.strip_suffix(".id}"), context.strip_suffix(".contextId}"));
    let is_missing = || resolve(&Value::from(context), scope).is_err();
    if of_task.is_none() || of_task != of_context || !is_missing() {
        return Cow::Borrowed(with);
    }
    let mut with = with.clone();
    if let Some(Value::Object(message)) = with.get_mut("message") {
        message.remove("contextId");
    }
    Cow::Owned(with)
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
    if step.asks_for_extensions() {
        let asked = step.extensions.iter().map(|uri| Ok(text_of(resolve(&Value::String(uri.clone()), scope)?)));
        let asked = asked.collect::<Result<Vec<String>, StepError>>()?;
        headers.extend(scope.interface().extension_headers(&asked, step.required_extensions));
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
    let written = |text: &str, spelled| resolve(&Value::String(text.to_owned()), &scope.spelled(spelled)).map(text_of);
    let body = match &raw.body {
        RawBody::Text(text) => Bytes::from(written(text, Spelled::InJson)?),
        RawBody::Bytes(bytes) => bytes.clone(),
    };
    let interface = &session.connection.interface;
    let suffix = suffix(session, written(&raw.suffix, Spelled::InPaths)?);
    let (operation, rpc_id) = called(interface, &raw.method, &suffix, &body);
    if operation.is_some() && !names_tenant(interface, &body) {
        return Err(StepError::Unreached(Reason::TenantUnnamed));
    }
    let suffix = interface.path(&suffix);
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
        prefix: raw.prefix.clone(),
        operation,
        rpc_id,
        purpose: purpose.to_owned(),
    })
}

/// Whether a request with this body is for the tenant of the interface, if it has one. Over HTTP+JSON the path says it.
fn names_tenant(interface: &Interface, body: &[u8]) -> bool {
    let Some(tenant) = &interface.tenant else { return true };
    match interface.binding {
        Binding::HttpJson => true,
        Binding::Jsonrpc => {
            let document = json::parse(body, &json::Limits::default()).ok();
            let call = document.map(|document| document.value()).unwrap_or_default();
            call.pointer("/params/tenant").and_then(Value::as_str) == Some(tenant)
        }
        // A text of a message stands behind its length.
        Binding::Grpc => {
            let length = u8::try_from(tenant.len()).ok();
            let field = length.map(|length| [&[length], tenant.as_bytes()].concat());
            field.is_some_and(|field| body.windows(field.len()).any(|window| window == field))
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

/// Reads a stream to its end, or until its task waits for the client, and notes it.
async fn read_and_note(session: &Session, stream: OpenStream) -> Answer {
    let answer = read_out(session, stream).await;
    session.note(&answer);
    answer
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
    fn exact_bytes_are_for_a_tenant_that_they_name() {
        let profiles = crate::profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
        let names = |tenant: Option<&str>, binding, body: &[u8]| {
            let interface = Interface::new(profile, binding, String::new()).unwrap();
            names_tenant(&Interface { tenant: tenant.map(str::to_owned), ..interface }, body)
        };
        let call = br#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"tenant":"acme","id":"a"}}"#;
        assert!(names(None, Binding::Jsonrpc, b"{}"), "there is none to be named");
        assert!(names(Some("acme"), Binding::Jsonrpc, call) && !names(Some("a"), Binding::Jsonrpc, call));
        assert!(!names(Some("acme"), Binding::Jsonrpc, br#"{"params":[],"tenant":"acme"}"#));
        assert!(names(Some("acme"), Binding::HttpJson, b""), "the path does");
        assert!(names(Some("acme"), Binding::Grpc, b"\x0a\x04acme\x12\x01a"));
        assert!(!names(Some("acme"), Binding::Grpc, b"\x0a\x05acmes\x12\x01a"));
    }

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
