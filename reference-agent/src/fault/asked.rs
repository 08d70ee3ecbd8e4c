//! What a request is for.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use axum::body::{Body, to_bytes};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Method, Request, Uri};
use bytes::Bytes;
use serde_json::{Map, Value};

use super::carrier::{self, grpc};
use super::data::{CacheKey, RequestChange, When, one_of};
use super::edit::{fill, fits, fresh, set, take};
use super::names::{TASK_OF_MESSAGE, place};
use super::objects::member;
use crate::binding::{grpc as rpcs, http, http_json, jsonrpc};
use crate::card::{UNNAMED_ADDRESS, UNNAMED_EXTENDED_CARD, base_of};
use crate::core::OperationName;
use crate::version::Version;

/// The largest request that is looked into, in bytes: more than the agent takes.
const LARGEST_REQUEST: usize = 64 << 20;

/// How a request has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    JsonRpc,
    HttpJson,
    Grpc,
}

/// A request that was looked into.
#[derive(Debug)]
pub struct Asked {
    pub(super) parts: Parts,
    pub(super) body: Bytes,
    /// None for cards that are got by HTTP, and for what is nothing of the agent's.
    pub(super) binding: Option<Binding>,
    pub(super) version: Version,
    pub(super) is_card: bool,
    pub(super) operation: Option<OperationName>,
    /// The parameters as the version writes them; of HTTP+JSON those of the query and the body.
    pub(super) params: Value,
    /// The id of a call over JSON-RPC.
    pub(super) id: Value,
    /// Whether a message is the first of the task that it names, as far as that is known. A first one names none, but
    /// where clients make the ids.
    pub(super) is_first: Option<bool>,
    /// As [`Self::request_shape`] gives it.
    pub(super) shape: OnceLock<String>,
}

impl Asked {
    /// Looks into a request.
    pub async fn read(request: Request<Body>) -> Self {
        let (parts, body) = request.into_parts();
        let body = to_bytes(body, LARGEST_REQUEST).await.unwrap_or_default();
        let mut asked = Self {
            parts,
            body,
            binding: None,
            version: Version::V1_0,
            is_card: false,
            operation: None,
            params: Value::Null,
            id: Value::Null,
            is_first: Some(false),
            shape: OnceLock::new(),
        };
        let path = asked.parts.uri.path().to_owned();
        if carrier::is_grpc(&asked.parts.headers) {
            asked.read_grpc(&path);
        } else if path.starts_with("/.well-known/") {
            asked.is_card = true;
        } else if let Some((version, path)) = below_a_base(&path) {
            asked.version = version;
            asked.read_below_base(path);
        } else if path == "/rest" || path.starts_with("/rest/") {
            let (version, path) = http_json::split_base(&path["/rest".len()..]);
            asked.version = version;
            asked.read_http_json(path);
        } else if matches!(path.as_str(), "/" | "/1.0" | "/0.3") {
            asked.version = asked.version_at(&path);
            asked.read_json_rpc();
        }
        asked
    }

    /// A request for the public card of a version.
    pub(crate) fn of_card(version: Version) -> Self {
        let (parts, body) = Request::new(Bytes::new()).into_parts();
        Self {
            parts,
            body,
            binding: None,
            version,
            is_card: true,
            operation: None,
            params: Value::Null,
            id: Value::Null,
            is_first: Some(false),
            shape: OnceLock::new(),
        }
    }

    /// A request for something below the base of a version that has its own.
    fn read_below_base(&mut self, path: &str) {
        let base = if self.version == Version::V1_1Draft { "/rest/" } else { "/v1/" };
        match (path, path.strip_prefix(base)) {
            (UNNAMED_ADDRESS, _) => self.read_json_rpc(),
            (UNNAMED_EXTENDED_CARD, _) => self.operation = Some(OperationName::GetExtendedAgentCard),
            (_, Some(path)) if matches!(self.version, Version::V1_1Draft | Version::V1_0Draft) => {
                self.read_http_json(path);
            }
            _ => self.is_card = path.starts_with("/.well-known/"),
        }
    }

    fn read_grpc(&mut self, path: &str) {
        self.binding = Some(Binding::Grpc);
        self.version = rpcs::version_at(path, &self.parts.headers);
        self.operation = grpc::operation(path);
        self.params = self.rpc().and_then(|rpc| rpc.read_request(&self.body)).unwrap_or_default();
    }

    /// The rpc that is called, over gRPC.
    pub(super) fn rpc(&self) -> Option<grpc::Rpc> {
        grpc::Rpc::of(self.version, self.parts.uri.path())
    }

    fn read_http_json(&mut self, path: &str) {
        self.binding = Some(Binding::HttpJson);
        let route = http_json::find(self.version, path).ok().flatten();
        self.operation = route.as_ref().and_then(|route| route.operation(&self.parts.method));
        let query = http::query(&self.parts.uri).into_iter().map(|(name, value)| (name, Value::from(value)));
        let in_path = route.zip(self.operation).map(|(route, operation)| route.parameters(operation));
        let in_path = in_path.into_iter().flatten().map(|(name, value)| (name.to_owned(), Value::from(value)));
        let mut params: Map<String, Value> = query.chain(in_path).collect();
        if let Ok(Value::Object(body)) = serde_json::from_slice(&self.body) {
            params.extend(body);
        }
        self.params = Value::Object(params);
    }

    /// The version that is spoken at an address of JSON-RPC.
    fn version_at(&self, path: &str) -> Version {
        let requested = http::requested_version(&self.parts);
        let is_0_3 = path == "/0.3" || (path == "/" && requested.as_deref() != Some(Version::V1_0.name()));
        if is_0_3 { Version::V0_3 } else { Version::V1_0 }
    }

    fn read_json_rpc(&mut self) {
        self.binding = Some(Binding::JsonRpc);
        let Ok(call) = serde_json::from_slice::<Value>(&self.body) else { return };
        self.operation =
            call.get("method").and_then(Value::as_str).and_then(|method| jsonrpc::operation(self.version, method));
        self.params = call.get("params").cloned().unwrap_or_default();
        self.id = call.get("id").cloned().unwrap_or_default();
        if self.begins() && self.version.rules().clients_name_tasks {
            self.is_first = None;
        }
    }

    /// Whether the request is one that a fault is about.
    pub(super) fn fits(&self, when: &When) -> bool {
        match when.places.is_empty() {
            true => self.fits_by_address(when) && self.fits_by_content(when) && self.fits_by_headers(when),
            // What the answer would be is found out later.
            false => {
                let shape = self.request_shape();
                when.places.iter().any(|place| place.request == *shape)
            }
        }
    }

    /// As [`Self::fits`], as far as version, binding, operation, method and path tell.
    pub(super) fn fits_by_address(&self, when: &When) -> bool {
        (when.everywhere || self.is_card == when.card)
            && when.is_about(self.version.name())
            && match self.binding {
                Some(binding) => one_of(&when.bindings, binding.name()),
                None => when.bindings.is_empty() || (when.everywhere && self.is_card),
            }
            && one_of(&when.methods, self.parts.method.as_str())
            && (when.operations.is_empty() || self.is_one_of(&when.operations))
            && when.path.as_ref().is_none_or(|wanted| self.parts.uri.path().contains(wanted.as_str()))
    }

    /// As [`Self::fits`], as far as body and parameters tell.
    pub(super) fn fits_by_content(&self, when: &When) -> bool {
        when.body.as_ref().is_none_or(|wanted| contains(&self.body, wanted.as_bytes()))
            && when.whole_body.as_ref().is_none_or(|wanted| self.body == wanted.as_bytes())
            && when.bytes.as_ref().is_none_or(|wanted| contains(&self.body, &hexadecimal(wanted)))
            && when.params.iter().all(|(pointer, wanted)| match self.is_first {
                Some(true) if pointer == TASK_OF_MESSAGE => wanted.is_null(),
                None if pointer == TASK_OF_MESSAGE => true,
                _ => fits(&mut self.params.clone(), pointer, wanted, None, self),
            })
    }

    fn fits_by_headers(&self, when: &When) -> bool {
        let header = |name: &String| self.parts.headers.get(name.as_str()).map(|value| value.to_str().unwrap_or("?"));
        when.headers.iter().all(|(name, wanted)| match (header(name), wanted) {
            (got, None) => got.is_none(),
            (got, Some(wanted)) => got.is_some_and(|got| match wanted.strip_prefix('=') {
                Some(whole) => got == whole,
                None => got.contains(wanted.as_str()),
            }),
        })
    }

    fn is_one_of(&self, names: &[String]) -> bool {
        // The names of 1.0 are the methods of JSON-RPC there.
        let operations = names.iter().map(|name| jsonrpc::operation(Version::V1_0, name));
        self.operation.is_some_and(|asked| operations.into_iter().any(|operation| operation == Some(asked)))
    }

    /// The task that the request is about; empty if it is about none.
    pub(super) fn task(&self) -> String {
        let pointers = ["/taskId", "/id", "/message/taskId", "/name", "/request/taskId", "/parent"];
        let found = pointers.iter().find_map(|pointer| self.params.pointer(pointer)?.as_str());
        let in_name =
            |name: &str| name.strip_prefix("tasks/").and_then(|rest| rest.split('/').next()).map(str::to_owned);
        found.map(|name| in_name(name).unwrap_or_else(|| name.to_owned())).unwrap_or_default()
    }

    /// By what such requests are counted: the task that it is about, or else the message that it brings or the page or
    /// public card that it asks for; empty if there is none of them.
    pub(super) fn subject(&self) -> String {
        if self.is_card {
            return self.parts.uri.path().to_owned();
        }
        let pointers = ["/message/messageId", "/request/messageId", "/pageToken"];
        let named = || pointers.iter().find_map(|pointer| self.params.pointer(pointer)?.as_str());
        match self.task() {
            task if task.is_empty() => named().unwrap_or_default().to_owned(),
            task => task,
        }
    }

    /// The context that the request is about; empty if it is about none.
    pub(super) fn context(&self) -> String {
        let pointers = ["/contextId", "/message/contextId", "/request/contextId", "/sessionId"];
        let found = pointers.iter().find_map(|pointer| self.params.pointer(pointer)?.as_str());
        found.unwrap_or_default().to_owned()
    }

    /// Whether something may come into being by the request.
    pub fn begins(&self) -> bool {
        matches!(self.operation, Some(OperationName::SendMessage | OperationName::SendStreamingMessage))
    }

    /// What the request is, as far as an agent that goes by these looks; always of its version and binding.
    pub(super) fn key(&self, keys: &[CacheKey]) -> Vec<String> {
        let text = |key: &CacheKey| match key {
            CacheKey::RpcId => self.id.to_string(),
            CacheKey::Path => format!("{} {}", self.parts.method, self.parts.uri.path()),
            CacheKey::Query => self.parts.uri.query().unwrap_or_default().to_owned(),
            CacheKey::Operation => format!("{:?}", self.operation),
            CacheKey::Params => self.params.to_string(),
        };
        let spoken = format!("{} {:?}", self.version.name(), self.binding);
        std::iter::once(spoken).chain(keys.iter().map(text)).collect()
    }

    /// Changes the request.
    pub(super) fn change(&mut self, change: &RequestChange) {
        for (name, value) in &change.headers {
            set_header(&mut self.parts.headers, name, value.as_deref());
        }
        if let Some(method) = change.method.as_ref().and_then(|method| Method::from_bytes(method.as_bytes()).ok()) {
            self.parts.method = method;
        }
        if let Some((from, to)) = &change.path {
            self.set_uri(&self.parts.uri.to_string().replace(from.as_str(), to));
        }
        if let Some((from, to)) = &change.body {
            self.body = replace(&self.body, from.as_bytes(), to.as_bytes());
        }
        if let Some((from, to)) = &change.bytes {
            self.body = replace(&self.body, &hexadecimal(from), &hexadecimal(to));
        }
        if let Some(body) = &change.whole_body {
            self.body = Bytes::copy_from_slice(body.as_bytes());
        }
        if change.any_length
            && let Some(message) = self.body.get(grpc::PREFIX..)
        {
            self.body = grpc::frame(0, message);
        }
        if change.drop.is_empty() && change.set.is_empty() {
            return;
        }
        let mut params = self.params.clone();
        for pointer in &change.drop {
            match self.is_named_by_client(pointer) {
                // Without a task there is no message: what is left is one that begins another task.
                true if self.is_first == Some(false) => set(&mut params, &place(self.version, None, pointer), fresh()),
                true => {}
                false => drop(take(&mut params, &place(self.version, None, pointer))),
            }
        }
        for (pointer, value) in &change.set {
            let pointer = place(self.version, None, pointer);
            let old = member(&mut params, &pointer).cloned().unwrap_or_default();
            set(&mut params, &pointer, fill(value, &old, self));
        }
        if params != self.params {
            self.write(params);
        }
    }

    /// Whether a parameter says which task a message is for, and has to.
    fn is_named_by_client(&self, pointer: &str) -> bool {
        pointer == TASK_OF_MESSAGE && self.version.rules().clients_name_tasks
    }

    fn write(&mut self, params: Value) {
        match self.binding {
            Some(Binding::JsonRpc) => {
                if let Ok(mut call) = serde_json::from_slice::<Value>(&self.body)
                    && let Some(members) = call.as_object_mut()
                {
                    members.insert("params".to_owned(), params.clone());
                    self.body = call.to_string().into();
                }
            }
            Some(Binding::Grpc) => {
                if let Some(body) = self.rpc().and_then(|rpc| rpc.write_request(&params)) {
                    self.body = body;
                }
            }
            Some(Binding::HttpJson) if self.body.is_empty() => {
                // What the path says cannot be changed here; what the query says can.
                let names: Vec<String> = http::query(&self.parts.uri).into_iter().map(|(name, _)| name).collect();
                let old = self.params.as_object().cloned().unwrap_or_default();
                let kept = params.as_object().cloned().unwrap_or_default();
                let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let query: BTreeMap<String, String> = kept
                    .iter()
                    .filter(|(name, _)| names.contains(*name) || !old.contains_key(*name))
                    .map(|(name, value)| (name.clone(), text(value)))
                    .collect();
                if let Ok(mut url) = reqwest::Url::parse("http://localhost/") {
                    url.set_query(None);
                    if !query.is_empty() {
                        url.query_pairs_mut().extend_pairs(&query);
                    }
                    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
                    self.set_uri(&format!("{}{query}", self.parts.uri.path()));
                }
            }
            Some(Binding::HttpJson) => self.body = params.to_string().into(),
            None => {}
        }
        self.params = params;
        self.parts.headers.remove("content-length");
    }

    fn set_uri(&mut self, uri: &str) {
        if let Ok(uri) = uri.parse::<Uri>() {
            self.parts.uri = uri;
        }
    }

    /// The request, for the agent.
    pub fn request(&self) -> Request<Body> {
        let mut parts = self.parts.clone();
        parts.headers.remove("content-length");
        Request::from_parts(parts, Body::from(self.body.clone()))
    }

    /// A state as the version writes it, or as the value that it replaces is written.
    pub fn spell_state(&self, state: &str, old: Option<&str>) -> String {
        let words = || state.replace('-', "_").to_ascii_uppercase();
        let is_prefixed = self.has_prefixes() || old.is_some_and(|old| old.starts_with("TASK_STATE_"));
        match self.version {
            Version::V1_0 | Version::V1_1Draft => format!("TASK_STATE_{}", words()),
            // The protos of 0.3 and of the draft have another spelling of this one.
            _ if is_prefixed => format!("TASK_STATE_{}", words()).replace("CANCELED", "CANCELLED"),
            Version::V1_0Draft => state.replace("canceled", "cancelled"),
            _ => state.to_owned(),
        }
    }

    /// Whether enum values have the names of the proto, because it is gRPC that carries them.
    fn has_prefixes(&self) -> bool {
        self.binding == Some(Binding::Grpc)
    }

    /// A role, likewise.
    pub fn spell_role(&self, role: &str, old: Option<&str>) -> String {
        let is_prefixed = old.is_some_and(|old| old.starts_with("ROLE_"));
        match self.version.is_like_1_0() || self.has_prefixes() || is_prefixed {
            true => format!("ROLE_{}", role.to_ascii_uppercase()),
            false => role.to_owned(),
        }
    }
}

/// The version below whose base a path is, and the rest of the path.
fn below_a_base(path: &str) -> Option<(Version, &str)> {
    [Version::V1_1Draft, Version::V1_0Draft].into_iter().chain(Version::UNNAMED).find_map(|version| {
        let rest = path.strip_prefix(base_of(version, "").as_str())?;
        rest.starts_with('/').then_some((version, rest))
    })
}

impl Binding {
    pub const fn name(self) -> &'static str {
        match self {
            Self::JsonRpc => "jsonrpc",
            Self::HttpJson => "http-json",
            Self::Grpc => "grpc",
        }
    }
}

/// Sets a header or drops it.
pub fn set_header(headers: &mut axum::http::HeaderMap, name: &str, value: Option<&str>) {
    let Ok(name) = HeaderName::from_bytes(name.as_bytes()) else { return };
    match value.and_then(|value| HeaderValue::from_bytes(value.as_bytes()).ok()) {
        Some(value) => drop(headers.insert(name, value)),
        None => drop(headers.remove(name)),
    }
}

/// Whether some bytes are within others.
pub(super) fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    wanted.is_empty() || bytes.windows(wanted.len()).any(|window| window == wanted)
}

/// Bytes with each `from` in them replaced.
pub fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> Bytes {
    let mut replaced = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        match rest.strip_prefix(from).filter(|_| !from.is_empty()) {
            Some(tail) => {
                replaced.extend_from_slice(to);
                rest = tail;
            }
            None => {
                replaced.push(rest[0]);
                rest = &rest[1..];
            }
        }
    }
    replaced.into()
}

/// The bytes of pairs of hexadecimal digits.
pub fn hexadecimal(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).filter_map(|pair| u8::try_from(pair.iter().fold(0, |sum, digit| sum * 16 + digit)).ok()).collect()
}
