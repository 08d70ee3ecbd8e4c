//! An agent over JSON-RPC alone, with one fault: the reference agent behind what changes its calls and answers.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use a2a_reference_agent::{Capability, Config, RunningAgent, Version};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Response};
use eventsource_stream::{Event, EventStreamError, Eventsource as _};
use futures_util::{Stream, StreamExt as _, future, stream};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// How long the slow task of the agent works.
const SLOW: Duration = Duration::from_secs(2);
/// The longest call, in bytes.
const LONGEST: usize = 1 << 20;

/// The headers about a body that may have changed.
const OF_THE_BODY: [&str; 2] = ["content-length", "transfer-encoding"];

/// A call that came to the agent.
pub struct Call {
    pub method: String,
    pub params: Value,
    pub headers: HeaderMap,
}

impl Call {
    /// The id of the task that it is about, in each operation but those that send a message.
    pub fn task(&self) -> &str {
        self.params["id"].as_str().or(self.params["taskId"].as_str()).unwrap_or_default()
    }
}

/// What a call is answered with: responses without `jsonrpc` and `id`, which they get.
pub enum Answer {
    /// One, as JSON.
    Json(Value),
    /// Any number, as an event stream.
    Stream(Vec<Value>),
}

impl Answer {
    /// An error as 1.0 has them, with its reason.
    pub fn error(code: i64, reason: &str) -> Self {
        Self::Json(error(code, reason))
    }

    fn response(self, id: &Value, headers: &HeaderMap) -> Response<Body> {
        let complete = |mut response: Value| {
            response["jsonrpc"] = json!("2.0");
            response["id"] = id.clone();
            response
        };
        match self {
            Self::Json(response) => json_response(headers, &complete(response)),
            Self::Stream(responses) => {
                let events: String = responses.into_iter().map(|one| format!("data: {}\n\n", complete(one))).collect();
                Response::builder().header("content-type", "text/event-stream").body(Body::from(events)).unwrap()
            }
        }
    }
}

/// The response that is an error as 1.0 has them, with its reason.
pub fn error(code: i64, reason: &str) -> Value {
    let info =
        json!({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "a2a-protocol.org" });
    json!({ "error": { "code": code, "message": reason, "data": [info] } })
}

type Card = dyn Fn(&mut Value) + Send + Sync;
type Asked = dyn Fn(&mut Call) -> Option<Answer> + Send + Sync;
type Answered = dyn Fn(&Call, Value) -> Answer + Send + Sync;
type Streamed = dyn Fn(&Call, Value) -> Vec<Value> + Send + Sync;

/// What is wrong with an agent, to begin with nothing.
pub struct Faulty {
    config: Config,
    card: Box<Card>,
    asked: Box<Asked>,
    answered: Box<Answered>,
    streamed: Box<Streamed>,
}

impl Faulty {
    /// An agent of this version.
    pub fn agent(version: Version) -> Self {
        Self {
            config: Config { only: Some(version), slow: SLOW, ..Config::default() },
            card: Box::new(|_| {}),
            asked: Box::new(|_| None),
            answered: Box::new(|_, response| Answer::Json(response)),
            streamed: Box::new(|_, event| vec![event]),
        }
    }

    /// Its slow task works for so long.
    pub fn slow(mut self, slow: Duration) -> Self {
        self.config.slow = slow;
        self
    }

    /// Neither declares nor serves a capability.
    pub fn without(mut self, capability: Capability) -> Self {
        self.config.without.insert(capability);
        self
    }

    /// Changes its card.
    pub fn card(self, change: impl Fn(&mut Value) + Send + Sync + 'static) -> Self {
        Self { card: Box::new(change), ..self }
    }

    /// Changes a call before the agent sees it, or answers it.
    pub fn asked(self, change: impl Fn(&mut Call) -> Option<Answer> + Send + Sync + 'static) -> Self {
        Self { asked: Box::new(change), ..self }
    }

    /// Changes the response to a call.
    pub fn answered(self, change: impl Fn(&Call, &mut Value) + Send + Sync + 'static) -> Self {
        self.replaced(move |call, mut response| {
            change(call, &mut response);
            Answer::Json(response)
        })
    }

    /// Puts another answer in the place of the response to a call.
    pub fn replaced(self, change: impl Fn(&Call, Value) -> Answer + Send + Sync + 'static) -> Self {
        Self { answered: Box::new(change), ..self }
    }

    /// Puts any number of responses in the place of each in a stream.
    pub fn streamed(self, change: impl Fn(&Call, Value) -> Vec<Value> + Send + Sync + 'static) -> Self {
        Self { streamed: Box::new(change), ..self }
    }

    /// Starts it on a free port of this machine; says where it is.
    pub async fn start(self) -> String {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let config = Config { public_url: Some(url.clone()), ..self.config.clone() };
        let agent = a2a_reference_agent::start(config, (Ipv4Addr::LOCALHOST, 0).into()).await.unwrap();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let gateway = Arc::new(Gateway { fault: self, agent, client });
        let routes = Router::new().fallback(move |request| serve(Arc::clone(&gateway), request));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        url
    }
}

/// An agent with a fault, as it runs.
struct Gateway {
    fault: Faulty,
    agent: RunningAgent,
    client: reqwest::Client,
}

async fn serve(gateway: Arc<Gateway>, request: Request) -> Response<Body> {
    let (mut head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, LONGEST).await.unwrap();
    if head.uri.path().starts_with("/.well-known") {
        return gateway.card(&head, body).await;
    }
    match serde_json::from_slice::<Value>(&body) {
        Ok(Value::Object(mut request)) if request.get("method").is_some_and(Value::is_string) => {
            let method = request["method"].as_str().unwrap_or_default().to_owned();
            let params = request.get("params").cloned().unwrap_or_default();
            let mut call = Call { method, params, headers: head.headers.clone() };
            let before = (call.method.clone(), call.params.clone());
            if let (Some(answer), Some(id)) = ((gateway.fault.asked)(&mut call), request.get("id")) {
                let json = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
                return answer.response(id, &json);
            }
            head.headers.clone_from(&call.headers);
            if (&call.method, &call.params) != (&before.0, &before.1) {
                request.insert("method".to_owned(), json!(call.method));
                request.insert("params".to_owned(), call.params.clone());
                return gateway.answer(call, &head, Value::Object(request).to_string().into()).await;
            }
            gateway.answer(call, &head, body).await
        }
        _ => passed_on(gateway.pass_on(&head, body).await),
    }
}

impl Gateway {
    async fn pass_on(&self, head: &Parts, body: Bytes) -> reqwest::Response {
        let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
        let mut headers: HeaderMap = head.headers.clone();
        headers.remove("host");
        OF_THE_BODY.iter().for_each(|name| drop(headers.remove(*name)));
        let request = self.client.request(head.method.clone(), format!("{}{path}", self.agent.url()));
        request.headers(headers).body(body).send().await.unwrap()
    }

    /// The card, with no interface but those over JSON-RPC; what is changed is signed no more.
    async fn card(&self, head: &Parts, body: Bytes) -> Response<Body> {
        let answer = self.pass_on(head, body).await;
        if answer.status() != 200 {
            return passed_on(answer);
        }
        let headers = answer.headers().clone();
        let mut card: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
        let is_json_rpc = |interface: &Value| {
            [&interface["protocolBinding"], &interface["transport"]].into_iter().any(|binding| binding == "JSONRPC")
        };
        for list in ["supportedInterfaces", "additionalInterfaces"] {
            if let Some(interfaces) = card[list].as_array_mut() {
                interfaces.retain(is_json_rpc);
            }
        }
        if let Some(members) = card.as_object_mut() {
            members.remove("signatures");
            members.retain(|_, member| !member.is_null());
        }
        (self.fault.card)(&mut card);
        json_response(&headers, &card)
    }

    async fn answer(self: Arc<Self>, call: Call, head: &Parts, body: Bytes) -> Response<Body> {
        let answer = self.pass_on(head, body).await;
        let kind = answer.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("text/event-stream") {
            let response = with_headers(answer.headers());
            return response.body(Body::from_stream(self.stream(call, answer))).unwrap();
        }
        if answer.status() != 200 || !kind.starts_with("application/json") {
            return passed_on(answer);
        }
        let headers = answer.headers().clone();
        let response: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
        let id = response["id"].clone();
        (self.fault.answered)(&call, response).response(&id, &headers)
    }

    fn stream(
        self: Arc<Self>,
        call: Call,
        answer: reqwest::Response,
    ) -> impl Stream<Item = Result<String, Infallible>> + Send + 'static {
        let response = |event: Result<Event, EventStreamError<reqwest::Error>>| {
            serde_json::from_str::<Value>(&event.ok()?.data).ok()
        };
        let responses =
            answer.bytes_stream().eventsource().map(response).take_while(|one| future::ready(one.is_some()));
        let responses = responses.filter_map(future::ready);
        responses.flat_map(move |response| {
            stream::iter((self.fault.streamed)(&call, response)).map(|event| Ok(format!("data: {event}\n\n")))
        })
    }
}

fn json_response(headers: &HeaderMap, body: &Value) -> Response<Body> {
    with_headers(headers).body(Body::from(body.to_string())).unwrap()
}

/// An answer with these headers, but for those about a body that may have changed.
fn with_headers(headers: &HeaderMap) -> axum::http::response::Builder {
    let kept = headers.iter().filter(|(name, _)| !OF_THE_BODY.contains(&name.as_str()));
    kept.fold(Response::builder(), |response, (name, value)| response.header(name, value))
}

fn passed_on(answer: reqwest::Response) -> Response<Body> {
    let response = with_headers(answer.headers()).status(answer.status());
    response.body(Body::from_stream(answer.bytes_stream())).unwrap()
}
