//! Conversations written by hand, and read by the same codec that reads an agent's.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use crate::binding::RawEvent;
use crate::binding::{CallRequest, over_http};
use crate::interface::Interface;
use crate::profile::{self, Binding, Operation, Profile, Reading};
use crate::signature::Keys;
use crate::transcript::{
    Answer, AskedTwice, Content, Direction, Ended, ErrorObject, Exchange, Payload, Request, Response, Unreadable,
};
use crate::wire::grpc::{Code, Status};
use crate::wire::json::Document;
use crate::wire::{json, sse};
use crate::{CaseView, Delivered, Observation, RunView, Service, StepRecord, read_delivery};

/// A conversation: exchanges in the order in which they are written, one a second, each of which takes half a second.
pub(super) struct Script {
    profile: Arc<Profile>,
    binding: Binding,
    steps: Vec<(String, Vec<Draft>)>,
    /// What came to webhooks in the end: the headers and the body of each delivery.
    delivered: Vec<(String, Vec<Posted>)>,
    fixtures: BTreeMap<String, Arc<Value>>,
    /// The version that the interface was heard to speak, where it is not that of the profile.
    speaks: Option<&'static str>,
    keys: Keys,
    service: Service,
    asked_twice: Vec<AskedTwice>,
}

/// What the names of steps begin with that try another dialect.
pub(super) const TRIED: &str = "tried";

/// The headers and the body of a delivery.
pub(super) type Posted = (Vec<(&'static str, &'static str)>, String);

/// An exchange before it is read.
pub(super) struct Draft {
    pub operation: Option<Operation>,
    /// The body of the request, where it is not that of an ordinary call.
    pub request: Option<String>,
    pub request_headers: BTreeMap<String, Option<String>>,
    /// The parameters of an ordinary call, as far as an oracle asks for them.
    pub params: Value,
    /// Where the request goes, where it does not go where an ordinary call does.
    pub url: Option<String>,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    /// The body of the response; in a result or error, `ID` stands for the id of the request.
    pub body: Vec<u8>,
    pub trailers: Vec<(String, String)>,
    pub is_stream: bool,
    /// The time from one event of a stream to the next, and from the request to the first.
    pub pace: Duration,
    /// The time that the exchange takes.
    pub elapsed: Duration,
    pub is_card: bool,
    /// What the request was for.
    pub purpose: &'static str,
    /// Whether the request got no response at all.
    pub is_lost: bool,
    pub ended: Ended,
}

/// A conversation that was held.
pub(super) struct Talk {
    profile: Arc<Profile>,
    binding: Binding,
    played: Vec<StepRecord>,
    answers: Vec<Answer>,
    /// The answers to what calls no operation over HTTP+JSON.
    beside: Vec<Answer>,
    tried: Vec<Answer>,
    asked_twice: Vec<AskedTwice>,
    fixtures: BTreeMap<String, Arc<Value>>,
    speaks: Option<&'static str>,
    keys: Keys,
    service: Service,
}

impl Talk {
    pub fn case_view(&self) -> CaseView<'_> {
        CaseView {
            profile: &self.profile,
            played: &self.played,
            fixtures: &self.fixtures,
            speaks: self.speaks,
            methods_of: None,
            keys: &self.keys,
        }
    }

    /// The step that was done last.
    pub fn last(&self) -> &StepRecord {
        self.played.last().unwrap()
    }

    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    pub fn run_view(&self) -> RunView<'_> {
        let dialect = self.profile.dialects_over(self.binding).next().unwrap();
        RunView {
            profile: &self.profile,
            dialect,
            binding: self.binding,
            answers: &self.answers,
            beside: &self.beside,
            tried: &self.tried,
            service: &self.service,
            asked_twice: &self.asked_twice,
        }
    }
}

impl Script {
    pub fn v1_0() -> Self {
        Self::of("1.0")
    }

    pub fn v0_3() -> Self {
        Self::of("0.3")
    }

    pub fn v0_1() -> Self {
        Self::of("0.1")
    }

    pub fn v1_0_draft() -> Self {
        Self::of("1.0-draft")
    }

    fn of(name: &str) -> Self {
        let profiles = profile::bundled().unwrap();
        let profile = profiles.into_iter().find(|profile| profile.name() == name).unwrap();
        Self {
            profile,
            binding: Binding::Jsonrpc,
            steps: Vec::new(),
            delivered: Vec::new(),
            fixtures: BTreeMap::new(),
            speaks: None,
            keys: Keys::default(),
            service: Service::default(),
            asked_twice: Vec::new(),
        }
    }

    /// The same over another binding.
    pub fn over(mut self, binding: Binding) -> Self {
        self.binding = binding;
        self
    }

    /// The same, of which a request was asked again.
    pub fn asked_twice(mut self, twice: AskedTwice) -> Self {
        self.asked_twice.push(twice);
        self
    }

    /// The same over an interface that was heard to speak another version.
    pub fn heard_to_speak(mut self, version: &'static str) -> Self {
        self.speaks = Some(version);
        self
    }

    /// The same where keys are trusted.
    pub fn trusting(mut self, keys: Keys) -> Self {
        self.keys = keys;
        self
    }

    /// The same over an interface that was heard to have some operations, and to deny others.
    pub fn serving(mut self, served: &[Operation], denied: &[Operation]) -> Self {
        self.service = Service {
            served: served.iter().copied().collect(),
            denied: denied.iter().map(|operation| (*operation, 0)).collect(),
            ..Service::default()
        };
        self
    }

    /// What the interface calls unsupported, and what it has been seen to do.
    pub fn not_supporting(mut self, unsupported: &[Operation], worked: &[Operation]) -> Self {
        self.service.unsupported = unsupported.iter().map(|operation| (*operation, 0)).collect();
        self.service.worked = worked.iter().copied().collect();
        self
    }

    /// A fixture of the case.
    pub fn given(mut self, name: &str, value: Value) -> Self {
        self.fixtures.insert(name.to_owned(), Arc::new(value));
        self
    }

    /// A call that brings a result, as it is on the wire.
    pub fn result(self, step: &str, operation: Operation, result: Value) -> Self {
        self.answer(step, operation, &json!({ "jsonrpc": "2.0", "id": "ID", "result": result }).to_string())
    }

    /// A call that brings an error.
    pub fn error(self, step: &str, operation: Operation, error: Value) -> Self {
        self.answer(step, operation, &json!({ "jsonrpc": "2.0", "id": "ID", "error": error }).to_string())
    }

    /// A call that brings this body.
    pub fn answer(self, step: &str, operation: Operation, body: &str) -> Self {
        self.exchange(step, unary(Some(operation), body))
    }

    /// A streaming call whose events have these results; the agent closes the stream.
    pub fn stream(self, step: &str, results: &[Value]) -> Self {
        let events: String = results
            .iter()
            .map(|result| format!("data: {}\n\n", json!({ "jsonrpc": "2.0", "id": "ID", "result": result })))
            .collect();
        self.raw_stream(step, &events)
    }

    /// A streaming call that brings this event stream.
    pub fn raw_stream(self, step: &str, body: &str) -> Self {
        let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
        let draft = unary(Some(Operation::SendStreamingMessage), body);
        self.exchange(step, Draft { headers, is_stream: true, ..draft })
    }

    /// A wait for what is posted to a webhook.
    pub fn delivered(mut self, step: &str, posted: Vec<Posted>) -> Self {
        self.delivered.push((step.to_owned(), posted));
        self
    }

    /// The pages of a walk.
    pub fn walk(mut self, step: &str, pages: &[Value]) -> Self {
        let page = |page: &Value| {
            unary(Some(Operation::ListTasks), &json!({ "jsonrpc": "2.0", "id": "ID", "result": page }).to_string())
        };
        self.steps.push((step.to_owned(), pages.iter().map(page).collect()));
        self
    }

    /// An offer of TLS, and what came of it.
    pub fn hello(self, step: &str, ended: Ended) -> Self {
        self.exchange(step, Draft { is_lost: true, ended, ..unary(None, "") })
    }

    /// A fetch of the card.
    pub fn card(self, step: &str, card: &Value) -> Self {
        self.exchange(step, Draft { is_card: true, ..unary(None, &card.to_string()) })
    }

    /// A call over gRPC that brings this body and these trailers.
    pub fn call(self, step: &str, operation: Option<Operation>, body: &[u8], trailers: &[(&str, &str)]) -> Self {
        let trailers = trailers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let headers = vec![("content-type".to_owned(), "application/grpc".to_owned())];
        let draft = unary(operation, "");
        self.exchange(step, Draft { headers, body: body.to_vec(), trailers, ..draft })
    }

    fn exchange(mut self, step: &str, draft: Draft) -> Self {
        self.steps.push((step.to_owned(), vec![draft]));
        self
    }

    /// Changes the exchange that was written last.
    pub fn but(mut self, change: impl FnOnce(&mut Draft)) -> Self {
        change(self.steps.last_mut().unwrap().1.last_mut().unwrap());
        self
    }

    /// Says what the exchange that was written last asked for.
    pub fn asked(self, params: Value) -> Self {
        self.but(|draft| draft.params = params)
    }

    /// Says what the exchange that was written last was for.
    pub fn made_for(self, purpose: &'static str) -> Self {
        self.but(|draft| draft.purpose = purpose)
    }

    /// Ends the exchange that was written last otherwise.
    pub fn ended(self, ended: Ended) -> Self {
        self.but(|draft| draft.ended = ended)
    }

    /// Holds the conversation.
    pub fn play(&self) -> Talk {
        let mut talk = Talk {
            profile: Arc::clone(&self.profile),
            binding: self.binding,
            played: Vec::new(),
            answers: Vec::new(),
            beside: Vec::new(),
            tried: Vec::new(),
            fixtures: self.fixtures.clone(),
            speaks: self.speaks,
            keys: self.keys.clone(),
            service: self.service.clone(),
            asked_twice: self.asked_twice.clone(),
        };
        let mut number = 0;
        for (name, drafts) in &self.steps {
            let mut answers = Vec::new();
            for draft in drafts {
                number += 1;
                answers.push(self.read(draft, number));
            }
            let heard = if name.starts_with(TRIED) { &mut talk.tried } else { &mut talk.answers };
            let is_beside =
                |answer: &Answer| answer.binding == Binding::HttpJson && answer.exchange.request.operation.is_none();
            heard.extend(answers.iter().filter(|answer| !is_beside(answer)).cloned());
            talk.beside.extend(answers.iter().filter(|answer| is_beside(answer)).cloned());
            let is_walk = drafts.iter().all(|draft| draft.operation == Some(Operation::ListTasks));
            let seen = match (is_walk, answers.first()) {
                (false, Some(answer)) => Observation::Answer(answer.clone()),
                _ => Observation::Walk(answers),
            };
            let name = Some(name.clone());
            talk.played.push(StepRecord {
                name,
                seen,
                applies: BTreeMap::new(),
                reach: BTreeMap::new(),
                expect: None,
                written: None,
                source: None,
            });
        }
        for (name, posted) in &self.delivered {
            let answers = posted.iter().zip(number + 1..).map(|(posted, number)| self.receive(posted, number));
            let answers: Vec<Answer> = answers.collect();
            number += u64::try_from(answers.len()).unwrap();
            talk.answers.extend(answers.iter().cloned());
            let (url, limit) = ("http://127.0.0.1:1/hook".to_owned(), Duration::from_secs(10));
            let delivered =
                Delivered { answers, is_enough: !posted.is_empty(), was_reached: true, handshake: None, url, limit };
            talk.played.push(StepRecord {
                name: Some(name.clone()),
                seen: Observation::Deliveries(delivered),
                applies: BTreeMap::new(),
                reach: BTreeMap::new(),
                expect: None,
                written: None,
                source: None,
            });
        }
        talk
    }

    /// A field `:path` is the target of the request.
    fn receive(&self, (headers, body): &Posted, number: u64) -> Answer {
        let target = headers.iter().find(|(name, _)| *name == ":path").map_or("/hook", |(_, target)| target);
        let headers = headers.iter().filter(|(name, _)| *name != ":path");
        let headers = headers.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let exchange = Exchange {
            number,
            purpose: "test".to_owned(),
            direction: Direction::Inbound,
            request: Request {
                method: "POST".to_owned(),
                url: format!("http://127.0.0.1:1{target}"),
                headers: headers.collect(),
                body: Bytes::from(body.clone()),
                is_verbatim: false,
                operation: None,
                params: Arc::default(),
                rpc_id: None,
            },
            response: None,
            ended: Ended::Complete,
            started: Duration::from_secs(number),
            elapsed: Duration::ZERO,
            share: None,
        };
        read_delivery(&self.profile, self.binding, Arc::new(exchange))
    }

    fn read(&self, draft: &Draft, number: u64) -> Answer {
        if self.binding == Binding::Grpc {
            return self.read_call(draft, number);
        }
        let url = "http://agent.example/".to_owned();
        let interface = Interface::new(&self.profile, self.binding, url).unwrap();
        let codec = over_http(self.binding).unwrap();
        let call = CallRequest {
            operation: draft.operation.unwrap_or(Operation::SendMessage),
            params: json!({ "id": "t" }).into(),
            rpc_id: None,
            headers: draft.request_headers.clone().into_iter().collect(),
            purpose: "test".to_owned(),
        };
        let outgoing = codec.requests(&interface, &call, number).remove(0);
        let body = String::from_utf8(draft.body.clone())
            .map(|text| Bytes::from(text.replace("\"ID\"", &number.to_string())))
            .unwrap_or_else(|error| Bytes::from(error.into_bytes()));
        let exchange = Arc::new(Exchange {
            number,
            purpose: draft.purpose.to_owned(),
            direction: Direction::Outbound,
            request: Request {
                method: outgoing.method,
                url: draft.url.clone().unwrap_or(outgoing.url),
                headers: outgoing.headers,
                body: draft.request.clone().map_or(outgoing.body, Bytes::from),
                is_verbatim: false,
                operation: draft.operation,
                params: if draft.request.is_none() { draft.params.clone().into() } else { Arc::default() },
                rpc_id: if draft.request.is_none() { outgoing.rpc_id } else { None },
            },
            response: (!draft.is_lost).then(|| Response {
                status: draft.status,
                headers: draft.headers.clone(),
                body: body.clone(),
                trailers: draft.trailers.clone(),
                text: None,
            }),
            ended: draft.ended.clone(),
            started: Duration::from_secs(number),
            elapsed: draft.elapsed,
            share: None,
        });
        if draft.is_card {
            return read_card(exchange);
        }
        if draft.operation.is_none() && matches!(exchange.ended, Ended::Hello(..) | Ended::Closed) {
            return Answer { binding: self.binding, exchange, content: Content::Nothing };
        }
        let events = draft.is_stream.then(|| {
            let items = sse::Decoder::new(sse::Limits::default()).push(&body).unwrap();
            let events = items.into_iter().flat_map(|item| RawEvent::all_of(item, Duration::ZERO));
            let timed = events.zip(1..).map(|(event, nth)| RawEvent { after: draft.pace * nth, ..event });
            timed.map(|event| codec.read_event(&interface, draft.operation, &event)).collect()
        });
        codec.read(&interface, exchange, events)
    }

    /// A call over gRPC, of which no oracle asks more than how it ended.
    fn read_call(&self, draft: &Draft, number: u64) -> Answer {
        let headers = self.profile.facts.headers.clone().into_iter().map(|(name, value)| (name, Some(value)));
        let content_type = ("content-type".to_owned(), Some("application/grpc".to_owned()));
        let mut headers: BTreeMap<String, Option<String>> = headers.chain([content_type]).collect();
        headers.extend(draft.request_headers.clone());
        let exchange = Exchange {
            number,
            purpose: draft.purpose.to_owned(),
            direction: Direction::Outbound,
            request: Request {
                method: "POST".to_owned(),
                url: draft.url.clone().unwrap_or_else(|| "http://agent.example/a.Service/Method".to_owned()),
                headers: headers.into_iter().filter_map(|(name, value)| Some((name, value?))).collect(),
                body: Bytes::new(),
                is_verbatim: false,
                operation: draft.operation,
                params: draft.params.clone().into(),
                rpc_id: None,
            },
            response: Some(Response {
                status: draft.status,
                headers: draft.headers.clone(),
                body: Bytes::from(draft.body.clone()),
                trailers: draft.trailers.clone(),
                text: None,
            }),
            ended: draft.ended.clone(),
            started: Duration::from_secs(number),
            elapsed: draft.elapsed,
            share: None,
        };
        let status = Status::read(&draft.headers, &draft.trailers);
        let code = status.as_ref().and_then(|status| status.code).unwrap_or(Code::Unknown);
        let content = match status.and_then(|status| status.details) {
            Some(Ok(details)) => Content::Error(ErrorObject {
                document: Document::of_value(&details.value),
                base: String::new(),
                names: Vec::new(),
                code: Some(i64::from(code.number())),
                label: code.to_string(),
                refuses: true,
                value: details.value,
            }),
            _ => Content::Nothing,
        };
        Answer { binding: Binding::Grpc, exchange: Arc::new(exchange), content }
    }
}

fn unary(operation: Option<Operation>, body: &str) -> Draft {
    Draft {
        operation,
        request: None,
        request_headers: BTreeMap::new(),
        params: json!({}),
        url: None,
        status: 200,
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: body.as_bytes().to_vec(),
        trailers: Vec::new(),
        is_stream: false,
        pace: Duration::from_millis(1),
        elapsed: Duration::from_millis(500),
        is_card: false,
        purpose: "test",
        is_lost: false,
        ended: Ended::Complete,
    }
}

/// A card is not part of the protocol's own answers: the runner reads it as plain JSON.
fn read_card(exchange: Arc<Exchange>) -> Answer {
    let body = exchange.response.as_ref().unwrap().body.clone();
    let content = match json::parse(&body, &json::Limits::default()) {
        Ok(document) => {
            let reading = Arc::new(Reading::plain(document.value()));
            Content::Result(Payload { document, base: String::new(), reading })
        }
        Err(error) => Content::Unreadable(Unreadable::new(error.kind.to_string(), Some(error.offset))),
    };
    Answer { binding: Binding::Jsonrpc, exchange, content }
}

/// A task of A2A 1.0 in a state, with no more than it needs.
pub(super) fn task(id: &str, state: &str) -> Value {
    json!({ "id": id, "contextId": "c", "status": { "state": state, "timestamp": "2026-01-31T12:00:00.000Z" } })
}

/// `task` with members put over it.
pub(super) fn task_with(id: &str, state: &str, members: Value) -> Value {
    let mut task = task(id, state);
    crate::case::merge(&mut task, &members);
    task
}

pub(super) const WORKING: &str = "TASK_STATE_WORKING";
pub(super) const COMPLETED: &str = "TASK_STATE_COMPLETED";
pub(super) const INPUT_REQUIRED: &str = "TASK_STATE_INPUT_REQUIRED";
