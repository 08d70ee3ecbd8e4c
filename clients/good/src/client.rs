//! The client: operations over the interface that the card prefers, and over the next one where that is dead.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use reqwest::header::{HeaderValue, RETRY_AFTER};
use reqwest::{Method, Response};
use serde_json::{Map, Value, json};

use crate::auth::Credentials;
use crate::deviation::deviates;
use crate::failure::{Failure, Kind};
use crate::http::{self, Http, Request};
use crate::interface::{self, Binding, Interface, VERSION};
use crate::operation::Operation;
use crate::stream::Events;
use crate::{follow, http_json, jsonrpc, oauth, read, signature};

/// What the application wants of a client.
#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) bindings: Vec<String>,
    /// What the application understands and wants.
    pub(crate) extensions: Vec<String>,
    pub(crate) credentials: Credentials,
    pub(crate) output_modes: Option<Value>,
    /// With these a card must be signed.
    pub(crate) keys: Option<Vec<Value>>,
}

/// A client of one agent.
#[derive(Debug)]
pub(crate) struct Client {
    http: Http,
    options: Options,
    card: RwLock<Value>,
    /// What is left to try, the interface in use first.
    interfaces: Mutex<Vec<Interface>>,
    numbers: AtomicU64,
    asked: AtomicBool,
}

/// What a request came to.
struct Exchange {
    response: Response,
    binding: Binding,
    id: Value,
}

impl Client {
    /// A client for the agent of a card.
    ///
    /// # Errors
    /// It has no interface that this client speaks, needs what the application does not understand, or is not rightly signed.
    pub(crate) async fn new(card: Value, http: Http, options: Options) -> Result<Self, Failure> {
        if let Some(keys) = &options.keys
            && !deviates("signature/unchecked")
        {
            signature::verify(&card, Some(keys), &http).await.map_err(Failure::refused)?;
        }
        let mut options = options;
        for extension in card["capabilities"]["extensions"].as_array().into_iter().flatten() {
            let uri = extension["uri"].as_str().unwrap_or_default().to_owned();
            if extension["required"] == true && !options.extensions.contains(&uri) {
                if deviates("extensions/required-claimed") {
                    options.extensions.push(uri);
                } else if !deviates("extensions/required-ignored") {
                    return Err(Failure::refused(format!("the agent requires the extension {uri}")));
                }
            }
        }
        let interfaces = interface::usable(&card, &options.bindings);
        if interfaces.is_empty() {
            return Err(Failure::refused("no interface of the card has a binding and a version of this client"));
        }
        let (card, interfaces) = (RwLock::new(card), Mutex::new(interfaces));
        Ok(Self { http, options, card, interfaces, numbers: AtomicU64::new(1), asked: AtomicBool::new(false) })
    }

    /// The card that the client holds.
    pub(crate) fn card(&self) -> Value {
        self.card.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The interface in use, as the contract reports it.
    pub(crate) fn chosen(&self) -> Value {
        let interfaces = self.interfaces();
        interfaces.first().map_or_else(
            || json!({}),
            |one| json!({ "binding": one.binding.name(), "url": one.url, "version": one.version }),
        )
    }

    fn interfaces(&self) -> Vec<Interface> {
        self.interfaces.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Performs an operation with one answer.
    pub(crate) async fn call(&self, operation: &Operation, with: &Value) -> Result<Value, Failure> {
        let Exchange { response, binding, id } = self.exchange(operation, with).await?;
        let status = response.status().as_u16();
        let media_type = http::media_type(response.headers());
        let body = http::body(response).await?;
        if deviates("http/page-taken-for-a-result") && media_type == "text/html" {
            return Ok(json!({}));
        }
        let result = match binding {
            Binding::JsonRpc => json_rpc(status, &body, &id),
            Binding::HttpJson => http_json::response(status, &media_type, &body),
        };
        if let Err(failure) = &result
            && failure.name == Some("TaskNotFoundError")
            && deviates("errors/not-found-is-nothing")
        {
            return Ok(json!({}));
        }
        let result = result?;
        if operation.result == "Empty" {
            return Ok(json!({}));
        }
        let result = read::message(result, operation.result).map_err(Failure::unreadable)?;
        match operation.name {
            "SendMessage" => self.sent(result).await,
            "GetExtendedAgentCard" => self.extended(result).await,
            _ => Ok(result),
        }
    }

    /// What a message came to.
    async fn sent(&self, result: Value) -> Result<Value, Failure> {
        match read::payload(&result).map_err(Failure::unreadable)? {
            Some("message") if deviates("send/message-refused") => {
                return Err(Failure::unreadable("a message, no task"));
            }
            Some("task" | "message") => {}
            _ => return Err(Failure::unreadable("neither a task nor a message")),
        }
        if deviates("send/waits-for-the-end") && result["task"]["status"]["state"] == "TASK_STATE_WORKING" {
            let task = Box::pin(follow::follow(self, &result["task"])).await?;
            return Ok(json!({ "task": task }));
        }
        let state = result["task"]["status"]["state"].as_str().unwrap_or_default();
        if state == "TASK_STATE_REJECTED" && deviates("send/rejected-is-an-error") {
            return Err(Failure::agent(Value::Null, None, "rejected"));
        }
        Ok(result)
    }

    /// Takes the extended card in place of the public one (section 3.1.11).
    async fn extended(&self, card: Value) -> Result<Value, Failure> {
        if let Some(keys) = &self.options.keys {
            signature::verify(&card, Some(keys), &self.http).await.map_err(Failure::refused)?;
        }
        if deviates("extended-card/forgotten") {
            return Ok(card);
        }
        let interfaces = interface::usable(&card, &self.options.bindings);
        if !interfaces.is_empty() && !deviates("extended-card/interfaces-ignored") {
            *self.interfaces.lock().unwrap_or_else(PoisonError::into_inner) = interfaces;
        }
        *self.card.write().unwrap_or_else(PoisonError::into_inner) = card.clone();
        Ok(card)
    }

    /// Begins a stream.
    pub(crate) async fn stream(&self, operation: &Operation, with: &Value) -> Result<Events, Failure> {
        let mut exchange = self.exchange(operation, with).await?;
        for _ in 0..3 {
            if exchange.response.status() == 204 && deviates("stream/asks-again-after-204") {
                exchange = self.exchange(operation, with).await?;
            }
        }
        let Exchange { response, binding, id } = exchange;
        let status = response.status().as_u16();
        let media_type = http::media_type(response.headers());
        if status == 200 && media_type == "text/event-stream" {
            return Ok(Events::new(response, binding, id));
        }
        if status == 204 {
            return Err(Failure::status(status));
        }
        let body = http::body(response).await?;
        match binding {
            Binding::JsonRpc => json_rpc(status, &body, &id)?,
            Binding::HttpJson => http_json::response(status, &media_type, &body)?,
        };
        Err(Failure::unreadable(format!("{media_type:?} in place of a stream")))
    }

    /// Sends a request over the interface in use, or over the next one where nothing answers (section 5.2).
    async fn exchange(&self, operation: &Operation, with: &Value) -> Result<Exchange, Failure> {
        self.check(operation, with)?;
        let first = !self.asked.swap(true, Ordering::Relaxed);
        let mut params = self.params(operation, with);
        loop {
            let interfaces = self.interfaces();
            let Some(interface) = interfaces.first() else { return Err(Failure::refused("no interface is left")) };
            let (request, id) = self.request(operation, interface, &params, first).await?;
            let mut sent = self.http.send(&request).await;
            if let Err(failure) = &sent
                && !failure.not_sent
                && deviates("http/lost-message-sent-anew")
            {
                params["message"]["messageId"] = json!(oauth::random());
                let (request, _) = self.request(operation, interface, &params, first).await?;
                sent = self.http.send(&request).await;
            }
            if let Ok(response) = &sent
                && response.headers().contains_key(RETRY_AFTER)
                && deviates("http/deaf-to-retry-after")
            {
                sent = self.http.send(&request).await;
            }
            let dead = match &sent {
                Err(failure) => failure.not_sent,
                // Whoever says when to come back does not want to be asked by another way until then.
                Ok(response) => {
                    matches!(response.status().as_u16(), 502..=504) && !response.headers().contains_key(RETRY_AFTER)
                }
            };
            if dead && interfaces.len() > 1 {
                self.leave(interface);
                continue;
            }
            return Ok(Exchange { response: sent?, binding: interface.binding, id });
        }
    }

    /// Leaves a dead interface; another call may have done so before.
    fn leave(&self, dead: &Interface) {
        let mut interfaces = self.interfaces.lock().unwrap_or_else(PoisonError::into_inner);
        if interfaces.len() > 1 && interfaces[0].url == dead.url && interfaces[0].binding == dead.binding {
            interfaces.remove(0);
        }
    }

    /// Looks at the card before an operation is asked for that needs a capability (section 3.3.4).
    fn check(&self, operation: &Operation, with: &Value) -> Result<(), Failure> {
        let card = self.card();
        let lacks = |capability: &str| card["capabilities"][capability] != true;
        let deaf = match operation.needs {
            Some("streaming") => deviates("capabilities/streams-anyway"),
            Some("pushNotifications") => deviates("capabilities/webhooks-anyway"),
            Some(_) => deviates("capabilities/extended-card-anyway"),
            None => false,
        };
        if let Some(capability) = operation.needs.filter(|capability| lacks(capability) && !deaf) {
            return Err(Failure::refused(format!("the agent has not {capability}")));
        }
        let hook = &with["configuration"]["taskPushNotificationConfig"];
        if hook.is_object() && lacks("pushNotifications") && !deviates("capabilities/webhook-in-a-message-anyway") {
            return Err(Failure::refused("the agent has not pushNotifications"));
        }
        let hook = if operation.name == "CreateTaskPushNotificationConfig" { with } else { hook };
        if let Some(url) = hook["url"].as_str()
            && !is_private(url)
            && !deviates("push/plain-address")
        {
            return Err(Failure::refused("webhooks have addresses with https"));
        }
        let context = with["message"]["contextId"].as_str().unwrap_or_default();
        if deviates("context/must-be-a-uuid") && !context.is_empty() && context.len() != 36 {
            return Err(Failure::refused("contextId is no UUID"));
        }
        Ok(())
    }

    /// The parameters of an operation, with what is this client's to add.
    fn params(&self, operation: &Operation, with: &Value) -> Value {
        let mut params = if with.is_object() { with.clone() } else { json!({}) };
        if operation.sends() {
            self.complete(&mut params);
        }
        if operation.name == "CreateTaskPushNotificationConfig" {
            with_token(&mut params);
        }
        params
    }

    /// Completes a message (sections 4.1.4 and 3.2.2).
    fn complete(&self, params: &mut Value) {
        if let Some(message) = params.get_mut("message").filter(|message| message.is_object()) {
            if is_empty(message, "messageId") {
                message["messageId"] = json!(uuid());
            }
            if is_empty(message, "role") {
                message["role"] = json!("ROLE_USER");
            }
        }
        if let Some(modes) = &self.options.output_modes
            && !deviates("send/output-modes-forgotten")
            && params["configuration"]["acceptedOutputModes"].is_null()
        {
            params["configuration"]["acceptedOutputModes"] = modes.clone();
        }
        // Asking for a member that is not there has made a null of it.
        if params["configuration"].is_null() {
            remove(params, "configuration");
        }
        if let Some(hook) =
            params.pointer_mut("/configuration/taskPushNotificationConfig").filter(|hook| hook.is_object())
        {
            with_token(hook);
            // The task is the one that the message makes, or names.
            remove(hook, "taskId");
            if deviates("push/task-in-a-message") {
                hook["taskId"] = json!("new");
            }
        }
        if let Some(message) = params.get_mut("message").filter(|message| message.is_object()) {
            spoil(message);
        }
    }

    /// The request of an operation to an interface, and its id.
    async fn request(
        &self,
        operation: &Operation,
        interface: &Interface,
        params: &Value,
        first: bool,
    ) -> Result<(Request, Value), Failure> {
        let tenant = tenant(operation, interface, first);
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let accept = if operation.streams { "text/event-stream, application/json;q=0.9" } else { "application/json" };
        let (mut request, id) = match interface.binding {
            Binding::JsonRpc => {
                let mut params = params.clone();
                if let Some(tenant) = &tenant {
                    params["tenant"] = json!(tenant);
                }
                let (body, id) = jsonrpc::request(operation, number, &params);
                let mut request = Request::get(http::url(&interface.url)?);
                request.method = Method::POST;
                request.body = Some(body.to_string().into_bytes());
                let media_type = if deviates("rpc/plain-text") { "text/plain" } else { "application/json" };
                request.set("content-type", media_type)?;
                request.set("accept", accept)?;
                (request, id)
            }
            Binding::HttpJson => {
                let (url, body) = http_json::request(operation, &interface.url, tenant.as_deref(), params)?;
                let mut request = Request::get(http::url(&url)?);
                request.method = Method::from_bytes(operation.method.as_bytes()).unwrap_or(Method::POST);
                if deviates("rest/reads-by-post") && request.method == Method::GET {
                    request.method = Method::POST;
                }
                request.body = body.map(|body| body.to_string().into_bytes());
                if request.body.is_some() {
                    request.set("content-type", "application/a2a+json")?;
                }
                let kinds = if operation.streams { accept } else { "application/a2a+json, application/json;q=0.9" };
                request.set("accept", kinds)?;
                (request, Value::Null)
            }
        };
        // What comes is read as it is: RFC 9110 section 12.5.3 allows any coding to whoever says nothing.
        request.set("accept-encoding", "identity")?;
        if let Some(version) = version(operation, interface, first) {
            request.set("a2a-version", version)?;
        }
        self.extensions(operation, first, &mut request)?;
        let bare = (deviates("auth/first-request-only") && !first)
            || (deviates("auth/messages-only") && !operation.sends())
            || (deviates("auth/not-on-streams") && operation.streams)
            || (deviates("auth/not-for-the-extended-card") && operation.name == "GetExtendedAgentCard")
            || deviates("auth/never");
        if !bare {
            self.options.credentials.attach(&self.card(), &self.http, &mut request).await?;
        }
        Ok((request, id))
    }

    /// Asks for the extensions that the application wants, in one header (sections 3.2.6, 4.6.1 and 9.2).
    fn extensions(&self, operation: &Operation, first: bool, request: &mut Request) -> Result<(), Failure> {
        let mut wanted: Vec<&str> = self.options.extensions.iter().map(String::as_str).collect();
        let silent = deviates("extensions/never")
            || (deviates("extensions/first-request-only") && !first)
            || (deviates("extensions/messages-only") && !operation.sends())
            || (deviates("extensions/not-on-streams") && operation.streams);
        if wanted.is_empty() || silent {
            return Ok(());
        }
        if deviates("extensions/first-one-only") {
            wanted.truncate(1);
        }
        let name = if deviates("extensions/old-header") { "x-a2a-extensions" } else { "a2a-extensions" };
        if deviates("extensions/a-header-each") {
            for value in wanted.iter().filter_map(|uri| HeaderValue::from_str(uri).ok()) {
                request.headers.append("a2a-extensions", value);
            }
            return Ok(());
        }
        let between = if deviates("extensions/apart-by-spaces") { " " } else { "," };
        request.set(name, &wanted.join(between))
    }
}

/// What clients get wrong about a message.
fn spoil(message: &mut Value) {
    let written = |id: &str, name: &'static str, value: &str| deviates(id).then(|| (name, json!(value)));
    let changed = written("send/one-id-for-all", "messageId", "message-1")
        .or_else(|| written("send/role-of-the-agent", "role", "ROLE_AGENT"))
        .or_else(|| written("send/old-role", "role", "user"))
        .or_else(|| written("send/kind-discriminator", "kind", "message"));
    if let Some((name, value)) = changed {
        message[name] = value;
    }
    for (id, name) in [
        ("send/no-role", "role"),
        ("send/no-message-id", "messageId"),
        ("send/references-forgotten", "referenceTaskIds"),
        ("send/metadata-forgotten", "metadata"),
        ("context/forgotten", "contextId"),
        ("task/forgotten", "taskId"),
    ] {
        if deviates(id) {
            remove(message, name);
        }
    }
    for (id, name) in [("context/made-up", "contextId"), ("task/made-up", "taskId")] {
        if deviates(id) && is_empty(message, name) {
            message[name] = json!(uuid());
        }
    }
    let context = message.get("contextId").and_then(Value::as_str).map(str::to_owned);
    if let Some(context) = context {
        if deviates("context/lower-case") {
            message["contextId"] = json!(context.to_lowercase());
        }
        if deviates("context/shortened") {
            message["contextId"] = json!(context.chars().take(64).collect::<String>());
        }
    }
}

/// The version that a request says (section 3.6.1).
fn version<'a>(operation: &Operation, interface: &'a Interface, first: bool) -> Option<&'a str> {
    let silent = deviates("version/never")
        || (deviates("version/first-request-only") && !first)
        || (deviates("version/messages-only") && !operation.sends())
        || (deviates("version/not-on-streams") && operation.streams);
    if silent {
        return None;
    }
    let wrong = [
        ("version/with-a-patch-number", "1.0.0"),
        ("version/major-only", "1"),
        ("version/with-a-v", "v1.0"),
        ("version/older-one", "0.3"),
        ("version/empty", ""),
    ];
    let wrong = wrong.into_iter().find(|(id, _)| deviates(id)).map(|(_, version)| version);
    let written = deviates("version/as-the-card-writes-it").then_some(interface.version.as_str());
    Some(wrong.or(written).unwrap_or(VERSION))
}

/// The tenant of a request: that of the interface, as it is written there, or none (section 8.3.2).
fn tenant(operation: &Operation, interface: &Interface, first: bool) -> Option<String> {
    let silent = deviates("tenant/never")
        || (deviates("tenant/first-request-only") && !first)
        || (deviates("tenant/messages-only") && !operation.sends())
        || (deviates("tenant/not-on-streams") && operation.streams)
        || (deviates("tenant/not-for-webhooks") && operation.needs == Some("pushNotifications"));
    let tenant = interface.tenant.clone().filter(|_| !silent);
    let Some(tenant) = tenant else { return deviates("tenant/made-up").then(|| "default".to_owned()) };
    Some(if deviates("tenant/lower-case") { tenant.to_lowercase() } else { tenant })
}

/// A body of JSON-RPC, whatever the HTTP status; where it is none the status says more.
fn json_rpc(status: u16, body: &[u8], id: &Value) -> Result<Value, Failure> {
    let ok = (200..300).contains(&status);
    if !ok && deviates("rpc/status-looked-at-first") {
        return Err(Failure::status(status));
    }
    match jsonrpc::response(body, id) {
        Err(failure) if failure.kind == Kind::Unreadable && !ok => Err(Failure::status(status)),
        Ok(_) if !ok => Err(Failure::status(status)),
        told => told,
    }
}

/// Gives a webhook a token of its own, where the application gave it nothing to know deliveries by (section 13.2).
fn with_token(hook: &mut Value) {
    if hook["token"].as_str().is_none_or(str::is_empty) && !hook["authentication"].is_object() {
        hook["token"] = json!(if deviates("push/one-token-for-all") { "token-1".to_owned() } else { oauth::random() });
    }
    for name in ["token", "authentication"] {
        if hook[name].is_null() {
            remove(hook, name);
        }
    }
    if deviates("push/token-forgotten") {
        remove(hook, "token");
    }
    if deviates("push/authentication-forgotten") {
        remove(hook, "authentication");
    }
}

fn is_private(url: &str) -> bool {
    let Ok(url) = url::Url::parse(url) else { return true };
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let here = host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
    url.scheme() == "https" || here
}

/// Whether a member is missing, null or an empty text.
fn is_empty(object: &Value, name: &str) -> bool {
    object.get(name).is_none_or(|value| value.is_null() || value == "")
}

fn remove(object: &mut Value, name: &str) {
    object.as_object_mut().and_then(|members: &mut Map<String, Value>| members.shift_remove(name));
}

/// A random UUID (RFC 9562 section 5.4).
fn uuid() -> String {
    let mut bytes = [0; 16];
    let _ = ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut bytes);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}
