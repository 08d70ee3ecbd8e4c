//! From an entry to an exchange as the judge reads it: to which interface it went, what it called, and whether it can be judged.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Map, Value};
use url::Url;

use super::hidden::{self, Names};
use super::survey::{place, version};
use super::{Counts, secrets_of};
use crate::binding::{LONGEST_BODY, address, called, grpc, is_stream};
use crate::har::{Answered, Body, Entry};
use crate::interface::{Agent, Interface};
use crate::judge::visit::read::{self, Incoming};
use crate::profile::{Binding, Operation};
use crate::secrets::Secrets;
use crate::transcript::{Direction, Ended, Exchange, Request, Response, TransportError};
use crate::wire::http::barrier;
use crate::wire::json;

/// The longest that an exchange counts as having taken: what an archive says may be anything.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3_600);

/// An exchange with an interface of the agent.
#[derive(Clone)]
pub(super) struct Recorded {
    /// Which interface: its place in the list of all.
    pub interface: usize,
    /// Whose credentials it had; one number for each.
    pub caller: u64,
    /// The exchange. Its number is not known yet.
    pub exchange: Exchange,
    /// What follows the URL of the interface in the path, as it came.
    pub suffix: String,
    /// Whether HTTP answered and not the agent, such as a gateway that wants credentials, or a redirect.
    pub is_before: bool,
    /// Whether the suite made the request.
    pub is_own: bool,
}

/// Reads the exchanges of one agent.
pub(super) struct Reader {
    interfaces: Vec<(usize, Interface, Url)>,
    names: Names,
    began: Timestamp,
    found: hidden::Found,
    /// What became of the entries.
    pub counts: Counts,
}

/// What a request calls.
struct Call {
    /// What follows the URL of the interface in the path.
    suffix: String,
    operation: Option<Operation>,
    params: Value,
    rpc_id: Option<Value>,
    /// The message in JSON form, over gRPC.
    text: Option<Bytes>,
}

impl Reader {
    /// One for an agent whose traffic began then.
    pub fn new(agent: &Agent, names: Names, began: Timestamp) -> Self {
        let listed = agent.interfaces.iter().enumerate();
        let interfaces = listed.filter_map(|(index, listed)| {
            let interface = listed.interface.clone()?;
            let at = place(&address(&interface))?;
            Some((index, interface, at))
        });
        let interfaces = interfaces.collect();
        Self { interfaces, names, began, found: hidden::Found::default(), counts: Counts::default() }
    }

    /// The credentials that were seen.
    pub fn secrets(&self) -> Secrets {
        secrets_of(self.found.values())
    }

    /// An entry as an archive may show it: its credentials are masked, whatever it is.
    pub fn masked(&mut self, entry: &Entry) -> Exchange {
        let Entry { number, began, took, method, url, headers, body, answer, own, .. } = entry.clone();
        let own = own.unwrap_or_default();
        let mut headers = headers;
        self.found.mask_headers(&mut headers, &self.names);
        let response = answer.map(|Answered { status, mut headers, body, trailers }| {
            self.found.mask_headers(&mut headers, &self.names);
            Response { status, headers, body: Bytes::copy_from_slice(body.bytes()), trailers, text: None }
        });
        let started = began.map(|began| Duration::try_from(began.duration_since(self.began)).unwrap_or_default());
        Exchange {
            number,
            purpose: String::new(),
            direction: Direction::Outbound,
            request: Request {
                method,
                url: self.found.mask_url(&url, &self.names),
                headers,
                body: Bytes::copy_from_slice(body.bytes()),
                is_verbatim: false,
                operation: None,
                params: Arc::new(Value::Object(Map::new())),
                rpc_id: None,
            },
            response,
            ended: own.ended.map_or(Ended::Complete, |why| Ended::Failed(TransportError::Other(why))),
            started: started.unwrap_or_default(),
            elapsed: took,
            share: None,
        }
    }

    /// The exchange of an entry of a file; nothing if it is none with the agent, or cannot be judged.
    pub fn read(&mut self, file: &str, entry: Entry) -> Option<Recorded> {
        self.counts.entries += 1;
        if entry.own.as_ref().is_some_and(|own| own.is_inbound) {
            return None;
        }
        let url = Url::parse(&entry.url).ok()?;
        let (index, interface, call) = self.called(&entry, &url)?;
        let (interface, at) = (index, interface.clone());
        match self.exchange(&at, call, file, entry) {
            Ok(recorded) => {
                self.counts.judged += 1;
                Some(Recorded { interface, ..recorded })
            }
            Err(why) => {
                *self.counts.unreached.entry(why).or_default() += 1;
                None
            }
        }
    }

    /// To which interface a request went, and what it calls there. Of several versions at one address it is that of its head, or else the newest
    /// that has the operation, or else the newest.
    fn called(&self, entry: &Entry, url: &Url) -> Option<(usize, &Interface, Call)> {
        let here = place(&entry.url)?;
        let mut found: Vec<(usize, &Interface, Call)> = Vec::new();
        for (index, interface, at) in self.interfaces.iter().filter(|(_, _, at)| at.origin() == here.origin()) {
            if interface.binding == Binding::Grpc {
                found.extend(read_grpc(interface, entry, url).map(|call| (*index, interface, call)));
                continue;
            }
            let suffix = match interface.binding {
                Binding::Jsonrpc if entry.method == "POST" && here.path() == at.path() => "",
                Binding::HttpJson => match here.path().strip_prefix(at.path().trim_end_matches('/')) {
                    Some(suffix) if suffix.starts_with('/') => suffix,
                    _ => continue,
                },
                _ => continue,
            };
            let call = read_call(interface, entry, suffix, url.query());
            // Below the address of an interface others may serve other things; a trace of the suite has what is meant for the agent.
            if interface.binding == Binding::Jsonrpc || call.operation.is_some() || entry.own.is_some() {
                found.push((*index, interface, call));
            }
        }
        let has_operation = found.iter().any(|(_, _, call)| call.operation.is_some());
        found.retain(|(_, _, call)| call.operation.is_some() || !has_operation);
        let named = |interface: &Interface| {
            version(entry)
                .is_some_and(|version| interface.profile.is_declared_as(version) || interface.profile.name() == version)
        };
        let of_head = found.iter().position(|(_, interface, _)| named(interface));
        // Interfaces are listed with the newest first.
        (!found.is_empty()).then(|| found.swap_remove(of_head.unwrap_or_default()))
    }

    /// The exchange.
    ///
    /// # Errors
    /// Why it cannot be judged, as a clause.
    fn exchange(&mut self, at: &Interface, call: Call, file: &str, entry: Entry) -> Result<Recorded, &'static str> {
        let Entry { number, began, grain, took, method, url, mut headers, body, answer, is_local, own } = entry;
        let began = began.ok_or("the archive does not say when it began")?;
        let answer = answer.ok_or("the archive has no response")?;
        if is_local {
            return Err("a cache or a script of the page gave the response");
        }
        if answer.headers.is_empty() {
            return Err("the archive has no response headers");
        }
        let own = own.unwrap_or_default();
        let is_own = !own.purpose.is_empty();
        let body = match body {
            Body::Whole(bytes) => bytes,
            Body::Cut(_) => return Err("the archive has only the beginning of the request body"),
            Body::Missing(why) => return Err(why),
        };
        let has_status = || answer.headers.iter().chain(&answer.trailers).any(|(name, _)| name == "grpc-status");
        if at.binding == Binding::Grpc && !has_status() {
            return Err("the record has no status of gRPC");
        }
        let (mut response, ended) = response(answer, own.ended.as_deref())?;
        if body.len().max(response.body.len()) > LONGEST_BODY {
            return Err("its body is larger than the suite reads");
        }
        let caller = caller(&headers, &self.names);
        self.found.mask_headers(&mut headers, &self.names);
        self.found.mask_headers(&mut response.headers, &self.names);
        self.found.look_into(&call.params);
        let is_http = (300..400).contains(&response.status);
        let is_before = is_http || (barrier(response.status).is_some() && !is_of_the_agent(at, &response));
        let started = Duration::try_from(began.duration_since(self.began)).unwrap_or_default();
        // The end is not before the last digits that the archive left out.
        let elapsed = took.saturating_add(grain).saturating_add(Duration::from_micros(1)).min(LONGEST);
        let request = Request {
            method,
            url: self.found.mask_url(&url, &self.names),
            headers,
            body: call.text.unwrap_or(body),
            is_verbatim: own.is_verbatim,
            operation: call.operation,
            params: Arc::new(if own.is_exact { Value::Null } else { call.params }),
            rpc_id: call.rpc_id,
        };
        let exchange = Exchange {
            number: 0,
            purpose: format!("{file}, entry {number}"),
            direction: Direction::Outbound,
            request,
            response: Some(response),
            ended,
            started: started.min(LONGEST * 52),
            elapsed,
            share: None,
        };
        Ok(Recorded { interface: 0, caller, exchange, suffix: call.suffix, is_before, is_own })
    }
}

/// What a request calls over gRPC; nothing where it is none of the service.
fn read_grpc(interface: &Interface, entry: &Entry, url: &Url) -> Option<Call> {
    entry.header("content-type").filter(|kind| kind.starts_with("application/grpc"))?;
    let (operation, message) =
        grpc::read_request(interface, url.path(), entry.header("grpc-encoding"), entry.body.bytes())?;
    let suffix = url.path().rsplit_once('/').map_or("", |(_, rpc)| rpc).to_owned();
    let kind = interface.profile.operation(operation).and_then(|facts| facts.params.as_deref());
    let text = message.as_ref().map(|message| Bytes::from(message.to_string())).unwrap_or_default();
    let params = match (kind, message) {
        (Some(kind), Some(message)) => (*interface.dialect.from_wire(kind, message).value).clone(),
        _ => Value::Null,
    };
    Some(Call { suffix, operation: Some(operation), params, rpc_id: None, text: Some(text) })
}

/// What a request calls over an interface.
fn read_call(interface: &Interface, entry: &Entry, suffix: &str, query: Option<&str>) -> Call {
    let body = entry.body.bytes();
    let incoming = Incoming { method: &entry.method, suffix, query, body };
    let call = read::read_in(&interface.profile, Some(&interface.dialect), interface.binding, incoming);
    let (operation, rpc_id) = called(interface, &entry.method, suffix, body);
    match interface.binding {
        Binding::Jsonrpc => {
            let params = if operation.is_some() { call.params } else { Value::Null };
            Call { suffix: suffix.to_owned(), operation, params, rpc_id, text: None }
        }
        Binding::HttpJson | Binding::Grpc => {
            // An id with a colon and a verb behind it look alike.
            let operation = call.operation.filter(|_| operation.is_some());
            Call { suffix: suffix.to_owned(), operation, params: call.params, rpc_id: None, text: None }
        }
    }
}

/// A response, and how it ended.
///
/// # Errors
/// Why it cannot be judged.
fn response(answer: Answered, ended: Option<&str>) -> Result<(Response, Ended), &'static str> {
    let Answered { status, headers, body, trailers } = answer;
    let streams = is_stream(&headers);
    let (body, is_cut) = match body {
        Body::Whole(bytes) => (bytes, false),
        Body::Cut(bytes) => (bytes, true),
        Body::Missing(why) => return Err(why),
    };
    let is_whole = || json::parse(&body, &json::Limits::default()).is_ok();
    let ended = match (streams, is_cut, ended) {
        (true, false, None) if body.ends_with(b"\n\n") || body.ends_with(b"\r\n\r\n") => Ended::Complete,
        (true, _, _) => Ended::Unrecorded,
        (false, _, Some(_)) => return Err("the response did not come to its end"),
        (false, true, None) if !is_whole() => return Err("the archive has only the beginning of the response body"),
        (false, _, None) => Ended::Complete,
    };
    Ok((Response { status, headers, body, trailers, text: None }, ended))
}

/// Whether a response with the status of a gateway comes from the agent: it has the form of its binding.
fn is_of_the_agent(interface: &Interface, response: &Response) -> bool {
    let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    match interface.binding {
        Binding::Jsonrpc => body.get("jsonrpc").is_some(),
        Binding::HttpJson | Binding::Grpc => false,
    }
}

/// Whose credentials a request has. Agents show each caller what is theirs.
fn caller(headers: &[(String, String)], names: &Names) -> u64 {
    let is_of_caller = |name: &str| matches!(name, "authorization" | "x-api-key" | "api-key") || names.contains(name);
    let mut hasher = DefaultHasher::new();
    headers.iter().filter(|(name, _)| is_of_caller(name)).for_each(|header| header.hash(&mut hasher));
    hasher.finish()
}
