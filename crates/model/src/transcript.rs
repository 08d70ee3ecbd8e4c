//! What went over the wire, and what it says: the record that judging and reporting read.
//!
//! An [`Exchange`] is bytes and times; an [`Answer`] is an exchange as its binding read it. Neither can be changed
//! after the fact, and neither knows how it was made.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

use crate::profile::{Binding, Naming, Operation, Reading};
use crate::room::Share;
use crate::secrets::Secrets;
use crate::wire::json::Document;
use crate::wire::tls::{Offer, ServerReply};

/// How the ids begin that the suite makes up, in this run as in every other.
pub const OWN_IDS: &str = "a2aspec-";

/// One request and everything that came back.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// Its place in the run; findings cite it.
    pub number: u64,
    /// The case that made it, or what else it was for.
    pub purpose: String,
    /// Who made it.
    pub direction: Direction,
    /// What was sent.
    pub request: Request,
    /// What came back, where anything did.
    pub response: Option<Response>,
    /// How it ended.
    pub ended: Ended,
    /// When it began, since the start of the run.
    pub started: Duration,
    /// How long it took.
    pub elapsed: Duration,
    /// The room in memory that a large answer has, as long as anybody holds it.
    pub share: Option<Arc<Share>>,
}

impl Exchange {
    /// The same without secrets, for all who do not judge it.
    pub fn masked(self: Arc<Self>, secrets: &Secrets) -> Arc<Self> {
        if !secrets.hides_anything() {
            return self;
        }
        let mut masked = Self::clone(&self);
        masked.texts_mut().into_iter().for_each(|text| secrets.mask_in_place(text));
        masked.request.body = secrets.mask_bytes(&self.request.body);
        secrets.mask_value(Arc::make_mut(&mut masked.request.params), &|_| false);
        masked.request.rpc_id.iter_mut().for_each(|id| secrets.mask_value(id, &|_| false));
        masked.response.iter_mut().for_each(|response| response.body = secrets.mask_bytes(&response.body));
        Arc::new(masked)
    }

    /// Every text but the bodies.
    fn texts_mut(&mut self) -> Vec<&mut String> {
        let mut texts = vec![&mut self.purpose, &mut self.request.method, &mut self.request.url];
        let mut fields: Vec<&mut (String, String)> = self.request.headers.iter_mut().collect();
        if let Some(response) = &mut self.response {
            fields.extend(response.headers.iter_mut().chain(&mut response.trailers));
            texts.extend(&mut response.text);
        }
        texts.extend(fields.into_iter().flat_map(|(name, value)| [name, value]));
        if let Ended::Failed(
            TransportError::Tls(why)
            | TransportError::NotLetIn(why)
            | TransportError::NotHttp1(why)
            | TransportError::Other(why),
        ) = &mut self.ended
        {
            texts.push(why);
        }
        texts
    }

    /// Whether the body of the answer has this word.
    pub fn holds(&self, word: &str) -> bool {
        self.response.as_ref().is_some_and(|response| has_word(&response.body, word))
    }
}

fn has_word(body: &[u8], word: &str) -> bool {
    !word.is_empty() && body.windows(word.len()).any(|part| part == word.as_bytes())
}

/// Who made a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Direction {
    /// The suite, to the agent.
    #[default]
    Outbound,
    /// The agent, to a receiver of the suite: the response is the suite's own.
    Inbound,
}

/// A request as it was sent.
#[derive(Debug, Clone)]
pub struct Request {
    /// HTTP method.
    pub method: String,
    /// Where it went.
    pub url: String,
    /// Headers that the suite set; secrets are masked.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
    /// Whether the body is all that was written on the connection, heads included, since the case chose every byte.
    pub is_verbatim: bool,
    /// The operation, unless the request was raw.
    pub operation: Option<Operation>,
    /// The parameters in canonical form.
    pub params: Arc<Value>,
    /// The JSON-RPC id, where one was sent.
    pub rpc_id: Option<Value>,
}

/// A response as it was received.
#[derive(Debug, Clone)]
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// Headers in the order in which they came, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, as far as it was read.
    pub body: Bytes,
    /// Trailers after the body, names in lower case.
    pub trailers: Vec<(String, String)>,
    /// The messages in the body in JSON form, one a line, where the body is no text for people.
    pub text: Option<String>,
}

impl Request {
    /// The first header of this name (lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether its URL or its body has this word.
    pub fn holds(&self, word: &str) -> bool {
        self.url.contains(word) || has_word(&self.body, word)
    }
}

impl Response {
    /// The first header of this name (lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers_of(name).next()
    }

    /// The headers of this name (lower case), in their order.
    pub fn headers_of(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// How an exchange ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The agent completed its answer.
    Complete,
    /// The agent fell silent in a stream whose task waits for the client, and left it open; so the suite hung up.
    LeftOpen,
    /// The suite hung up because the case says so.
    HungUp,
    /// Nobody recorded how: of a stream in an archive, the agent or the client may have ended it.
    Unrecorded,
    /// The agent closed the connection in good order, and said nothing before.
    Closed,
    /// The agent answered an offer of TLS, which the suite takes no further.
    Hello(Offer, ServerReply),
    /// Nothing came for as long as the suite waits.
    TimedOut(Duration),
    /// The stream went on for longer than the suite reads.
    Endless(Limit),
    /// The agent reset the stream of HTTP/2 that carried it, with this error code (RFC 9113 section 7).
    Reset(u32),
    /// The transport failed.
    Failed(TransportError),
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Complete => f.write_str("closed by the agent"),
            Self::LeftOpen => f.write_str("left open by the agent"),
            Self::HungUp => f.write_str("left by the suite"),
            Self::Unrecorded => f.write_str("ended in a way that the recording does not show"),
            Self::Closed => f.write_str("closed by the agent without an answer"),
            Self::Hello(_, reply) => write!(f, "answered with {reply}"),
            Self::TimedOut(limit) => write!(f, "no answer within {} s", limit.as_secs_f32()),
            Self::Endless(limit) => limit.fmt(f),
            Self::Reset(code) => write!(f, "reset by the agent (HTTP/2 error {code})"),
            Self::Failed(transport_error) => transport_error.fmt(f),
        }
    }
}

/// A bound on what the suite reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Bytes of one body.
    Bytes(usize),
    /// Events of one stream.
    Events(usize),
    /// Duration of one stream.
    Time(Duration),
    /// What all answers may take in memory at once.
    Memory,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bytes(limit) if limit % (1 << 20) == 0 => write!(f, "an answer of more than {} MiB", limit >> 20),
            Self::Bytes(limit) => write!(f, "an answer of more than {limit} bytes"),
            Self::Events(limit) => write!(f, "a stream of more than {limit} events"),
            Self::Time(limit) => write!(f, "a stream still open after {} s", limit.as_secs_f32()),
            Self::Memory => f.write_str("an answer for which others left no room in memory"),
        }
    }
}

/// What became of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The agent closed it in good order.
    Closed,
    /// The agent reset it, or it was lost.
    Reset,
    /// It was open when the suite had what it waited for, or had waited long enough.
    Open,
    /// It could not be made, or what came over it cannot be read on.
    Unreadable,
}

/// What can go wrong below HTTP.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// Nothing listens there.
    #[error("connection refused")]
    Refused,
    /// The name has no address.
    #[error("the host name cannot be resolved")]
    UnknownHost,
    /// TLS could not be agreed on.
    #[error("TLS failed: {0}")]
    Tls(String),
    /// The agent ended the handshake of TLS for the certificate of who asks, or for want of one (RFC 8446, section 6.2).
    #[error("TLS failed: {0}")]
    NotLetIn(String),
    /// The connection ended before the answer did.
    #[error("the connection was lost before the answer was complete")]
    Reset,
    /// The agent closed the connection of HTTP/2 and left what was under way (RFC 9113 section 6.8).
    #[error("the agent closed the connection (GOAWAY) before it looked at the request")]
    GoneAway,
    /// The agent closed the connection of HTTP/2 for an error with this code.
    #[error("the agent closed the connection (GOAWAY, HTTP/2 error {0})")]
    GoneAwayFor(u32),
    /// What came is no HTTP/1.1.
    #[error("the response is not HTTP/1.1: {0}")]
    NotHttp1(String),
    /// What came is no HTTP/2.
    #[error("the response is not HTTP/2: {0}")]
    NotHttp2(String),
    /// The answer may be right, but the client library of the suite does not read it: its limit.
    #[error("the HTTP client of the suite reads no more than {0}; this says nothing about the agent")]
    OwnLimit(String),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl TransportError {
    /// Whether the agent was reached, and then left the request or answered it with what is no HTTP.
    pub fn is_of_the_agent(&self) -> bool {
        matches!(self, Self::Reset | Self::GoneAway | Self::GoneAwayFor(_)) || self.breaks_http()
    }

    /// Whether what came is no HTTP.
    pub fn breaks_http(&self) -> bool {
        matches!(self, Self::NotHttp1(_) | Self::NotHttp2(_))
    }
}

/// An exchange as its binding read it.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The binding.
    pub binding: Binding,
    /// The bytes.
    pub exchange: Arc<Exchange>,
    /// What they say.
    pub content: Content,
}

/// What an answer says.
#[derive(Debug, Clone)]
pub enum Content {
    /// A result.
    Result(Payload),
    /// An error object.
    Error(ErrorObject),
    /// A stream of events.
    Stream(Vec<StreamEvent>),
    /// Several responses to a batch: the parsed body.
    Batch(Document),
    /// Nothing: an empty body.
    Nothing,
    /// Something that is no answer of the binding.
    Unreadable(Unreadable),
    /// The exchange failed before there was anything to read.
    Lost,
    /// Requests of the agent to a webhook of the suite, in the place of an answer.
    Deliveries(Arc<Delivered>),
}

/// What came to a webhook.
#[derive(Debug, Clone)]
pub struct Delivered {
    /// The deliveries, in their order: the request of each exchange is the agent's, and the content its payload.
    pub answers: Vec<Answer>,
    /// Whether they are what was waited for.
    pub is_enough: bool,
    /// Whether the agent was seen to get to a webhook of the suite, be it another one.
    pub was_reached: bool,
    /// How the last handshake of TLS ended that came to nothing.
    pub handshake: Option<String>,
    /// Where all webhooks of the run are.
    pub url: String,
    /// How long was waited.
    pub limit: Duration,
}

impl Delivered {
    /// The payloads in canonical form; null in the place of one that cannot be read.
    pub fn value(&self) -> Value {
        self.answers.iter().map(|answer| answer.result().cloned().unwrap_or_default()).collect()
    }
}

/// A result, with the way from its canonical form to the bytes.
#[derive(Debug, Clone)]
pub struct Payload {
    /// The parsed body, or the parsed data of the event.
    pub document: Document,
    /// Where in the document the result stands.
    pub base: String,
    /// The result on the wire and in canonical form. The record of a run shares it with the cases.
    pub reading: Arc<Reading>,
}

impl Payload {
    /// The pointer into the document for a canonical pointer.
    pub fn locate(&self, canonical: &str) -> String {
        format!("{}{}", self.base, self.reading.origin(canonical))
    }
}

/// An error, as its binding carries it.
#[derive(Debug, Clone)]
pub struct ErrorObject {
    /// The parsed body, or the parsed data of the event; of a binding whose errors are no JSON, their JSON form.
    pub document: Document,
    /// Where in the document the error stands.
    pub base: String,
    /// Canonical names of the errors that it can be. Where a code or a reason says which it is, that one, if everything
    /// else about it is as the profile's table says; else all that have its status.
    pub names: Vec<String>,
    /// Its code, where it has one: that of JSON-RPC, the HTTP status, the number of the gRPC code.
    pub code: Option<i64>,
    /// That code as people write it, such as `-32001`, `HTTP 404`, `NOT_FOUND`.
    pub label: String,
    /// Whether it refuses the request, and is no failure of the agent's and no denial of the method.
    pub refuses: bool,
    /// The whole object.
    pub value: Value,
}

impl ErrorObject {
    /// Whether it can be the error of this name.
    pub fn is(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// Whether it is an HTTP status and no more: no object stands for it.
    pub fn is_bare(&self) -> bool {
        self.document.root().is_null()
    }

    /// The error that it is, where it can be but one.
    pub fn name(&self) -> Option<&str> {
        match self.names.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The `google.rpc.ErrorInfo` among its details, wherever the binding keeps them.
    pub fn info(&self) -> Option<&Value> {
        let details = self.value.get("details").or_else(|| self.value.get("data"))?.as_array()?;
        let is_info = |detail: &&Value| {
            let kind = detail.get("@type").and_then(Value::as_str);
            kind.is_some_and(|kind| kind.ends_with("google.rpc.ErrorInfo"))
        };
        details.iter().find(is_info)
    }

    /// What it calls itself: the reason in its `ErrorInfo`, or the URI of its type; `about:blank` says nothing beside the
    /// status (RFC 9457 section 4.2.1).
    pub fn called(&self, naming: Naming<'_>) -> Option<&str> {
        match naming {
            Naming::ByStatus => None,
            Naming::ByReason(domain) => {
                let info = self.info()?;
                let is_ours = info.get("domain").and_then(Value::as_str) == Some(domain);
                info.get("reason").and_then(Value::as_str).filter(|_| is_ours)
            }
            Naming::ByType(pointer) => {
                self.value.pointer(pointer).and_then(Value::as_str).filter(|kind| !["", "about:blank"].contains(kind))
            }
        }
    }
}

/// What an event holds, by the member that has it in canonical form: one of these (1.0, sections 3.2.3 and 4.3.3).
pub const EVENTS: [&str; 4] = ["task", "message", "statusUpdate", "artifactUpdate"];

/// One event of a stream.
#[derive(Debug, Clone)]
pub struct StreamEvent {
    /// When it was complete, since the request.
    pub after: Duration,
    /// Its data.
    pub data: String,
    /// What that says: a result or an error, or that it cannot be read.
    pub content: EventContent,
    /// What is wrong with its data and was put right so that it could be read, as a fragment. A case about the framing of streams
    /// reports it; the others judge what was read.
    pub mended: Option<&'static str>,
}

/// What an event says.
#[derive(Debug, Clone)]
pub enum EventContent {
    /// A result.
    Result(Payload),
    /// An error object.
    Error(ErrorObject),
    /// Something that is no event of the binding.
    Unreadable(Unreadable),
}

/// Why an answer cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// As a fragment, such as "an HTML page instead of JSON".
    pub reason: String,
    /// Where in the body, where there is a place.
    pub offset: Option<usize>,
    /// Whether it is more than the suite reads: this says nothing about the agent.
    pub is_too_much: bool,
}

impl Unreadable {
    /// An answer that is wrong in this way.
    pub fn new(reason: impl Into<String>, offset: Option<usize>) -> Self {
        Self { reason: reason.into(), offset, is_too_much: false }
    }
}

/// How a request was left without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanswered {
    /// Nothing came for as long as the suite waits.
    Silent(Duration),
    /// The agent closed the connection before, or in the middle of it.
    Closed(Ended),
}

/// A request that was left without an answer, and was sent once more by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedTwice {
    /// Number of the first exchange.
    pub first: u64,
    /// Number of the second.
    pub second: u64,
    /// How the second was left without an answer, too; nothing where it was answered.
    pub left: Option<Unanswered>,
    /// How many streams the suite left between the two, with nothing else under way. Then the first was answered.
    pub after_streams: usize,
}

impl Answer {
    /// Whether the agent brought no usable answer in the time that it had: nothing, no more than a beginning, or something that goes
    /// on. A stream of events may stay open (A2A 1.0, section 3.1.2), if the call asks for one and an event has come.
    pub fn is_silence(&self) -> bool {
        let is_cut = match &self.exchange.ended {
            Ended::TimedOut(_) | Ended::Endless(Limit::Time(_) | Limit::Events(_) | Limit::Bytes(_)) => true,
            // How much room others left says nothing about the agent.
            _ => false,
        };
        let may_stay_open = self.exchange.request.operation.is_none_or(Operation::streams);
        is_cut && !matches!(&self.content, Content::Stream(events) if may_stay_open && !events.is_empty())
    }

    /// How it ended, for a reason: of an answer that had begun, that it did not end.
    pub fn ended_how(&self) -> String {
        match &self.exchange.ended {
            Ended::TimedOut(limit) if self.exchange.response.is_some() => {
                format!("an answer that had not ended after {} s", limit.as_secs_f32())
            }
            ended => ended.to_string(),
        }
    }

    /// How the request was left without an answer, if it was. Whose connection could not even be made, or who was sent away by
    /// the suite, was not left.
    pub fn unanswered(&self) -> Option<Unanswered> {
        let is_nothing = match &self.content {
            Content::Lost => true,
            Content::Stream(events) => events.is_empty(),
            _ => false,
        };
        match &self.exchange.ended {
            _ if !is_nothing || self.is_held_poll() => None,
            Ended::TimedOut(limit) => Some(Unanswered::Silent(*limit)),
            // Who opens a stream and breaks it off before the first event has accepted the request, and answered it wrongly.
            _ if matches!(self.content, Content::Stream(_)) => None,
            Ended::Failed(error) if error.is_of_the_agent() => Some(Unanswered::Closed(self.exchange.ended.clone())),
            Ended::Reset(_) => Some(Unanswered::Closed(self.exchange.ended.clone())),
            // TLS was agreed on, and broken in the middle of the answer.
            Ended::Failed(TransportError::Tls(_)) if self.exchange.response.is_some() => {
                Some(Unanswered::Closed(self.exchange.ended.clone()))
            }
            _ => None,
        }
    }

    /// Whether the time limit struck while the agent held the answer for a later generation of a task, as it should (1.1 section
    /// 3.2.7): no text says for how long.
    pub fn is_held_poll(&self) -> bool {
        let waits = self.exchange.request.params.get("currentGeneration").is_some();
        waits && matches!(self.exchange.ended, Ended::TimedOut(_))
    }

    /// Whether the protocol answered, and not the HTTP server in its place, which may say anything of bytes that are no request.
    pub fn is_of_the_protocol(&self) -> bool {
        match &self.content {
            Content::Result(_) | Content::Stream(_) => true,
            Content::Error(error) => !error.is_bare(),
            _ => false,
        }
    }

    /// Whether this and another answer are the same error or result, but for the name of the method that each was asked for:
    /// then the agent has told nothing of either method.
    pub fn says_the_same_as(&self, other: &Self) -> bool {
        let told = |answer: &Self| {
            let error = answer.refusal().map(|error| error.value.to_string());
            let result = || answer.payloads().first().map(|payload| payload.reading.wire.to_string());
            let text = error.or_else(result)?;
            let request = serde_json::from_slice::<Value>(&answer.exchange.request.body).ok()?;
            Some(match request.get("method").and_then(Value::as_str) {
                Some(method) if !method.is_empty() => text.replace(method, "the method"),
                _ => text,
            })
        };
        let status = |answer: &Self| answer.exchange.response.as_ref().map(|response| response.status);
        status(self) == status(other) && told(self).is_some_and(|own| Some(own) == told(other))
    }

    /// Why the suite could not read the answer, though it may be right: a limit of its HTTP client.
    pub fn own_limit(&self) -> Option<String> {
        match &self.exchange.ended {
            Ended::Failed(error @ TransportError::OwnLimit(_)) => Some(error.to_string()),
            _ => None,
        }
    }

    /// Whether the suite gave the answer up for a reason of its own: other answers took all the room.
    pub fn had_no_room(&self) -> bool {
        self.exchange.ended == Ended::Endless(Limit::Memory)
    }

    /// What about the answer is more than the suite reads, so that nothing can be said of it; as a noun.
    pub fn too_much(&self) -> Option<String> {
        if let Ended::Endless(limit @ (Limit::Bytes(_) | Limit::Events(_) | Limit::Memory)) = &self.exchange.ended {
            return Some(limit.to_string());
        }
        let unreadable =
            |unreadable: &Unreadable| unreadable.is_too_much.then(|| format!("too much ({})", unreadable.reason));
        match &self.content {
            Content::Unreadable(content) => unreadable(content),
            Content::Stream(events) => events.iter().find_map(|event| match &event.content {
                EventContent::Unreadable(content) => unreadable(content),
                _ => None,
            }),
            _ => None,
        }
    }

    /// When the question was asked and when its answer was there, since the start of the run; nothing where none came.
    pub fn times(&self) -> Option<(Duration, Duration)> {
        let Exchange { started, elapsed, response, .. } = &*self.exchange;
        response.is_some().then(|| (*started, *started + *elapsed))
    }

    /// The canonical result, where there is one.
    pub fn result(&self) -> Option<&Value> {
        match &self.content {
            Content::Result(payload) => Some(&payload.reading.value),
            _ => None,
        }
    }

    /// The events of a stream; none where there is no stream.
    pub fn events(&self) -> &[StreamEvent] {
        match &self.content {
            Content::Stream(events) => events,
            _ => &[],
        }
    }

    /// Every payload in the answer.
    pub fn payloads(&self) -> Vec<&Payload> {
        match &self.content {
            Content::Result(payload) => vec![payload],
            Content::Stream(events) => events.iter().filter_map(StreamEvent::payload).collect(),
            _ => Vec::new(),
        }
    }

    /// Every error object in the answer.
    pub fn errors(&self) -> Vec<&ErrorObject> {
        match &self.content {
            Content::Error(error) => vec![error],
            Content::Stream(events) => events.iter().filter_map(StreamEvent::error).collect(),
            _ => Vec::new(),
        }
    }

    /// The error by which the agent refused: the answer itself, or the first event of a stream that brings no result. What a
    /// stream of an error has behind it, such as an event that announces its end, serves nothing.
    pub fn refusal(&self) -> Option<&ErrorObject> {
        match &self.content {
            Content::Error(error) => Some(error),
            Content::Stream(events) => {
                let serves = events.iter().any(|event| event.payload().is_some());
                events.first().and_then(StreamEvent::error).filter(|_| !serves)
            }
            _ => None,
        }
    }
}

impl StreamEvent {
    /// The payload, where the event holds a result.
    pub fn payload(&self) -> Option<&Payload> {
        match &self.content {
            EventContent::Result(payload) => Some(payload),
            _ => None,
        }
    }

    /// The error object, where the event holds one.
    pub fn error(&self) -> Option<&ErrorObject> {
        match &self.content {
            EventContent::Error(error) => Some(error),
            _ => None,
        }
    }

    /// The canonical event.
    pub fn value(&self) -> Option<&Value> {
        self.payload().map(|payload| &*payload.reading.value)
    }
}

/// The task that a canonical value holds: itself, or its `task` member.
pub fn task_in(value: &Value) -> Option<&Value> {
    let is_task = |value: &&Value| value.get("id").is_some() && value.get("status").is_some();
    value.get("task").filter(is_task).or_else(|| Some(value).filter(is_task))
}

/// The state that a canonical value shows: that of the task that it is or holds, or of its status update.
pub fn state_in(value: &Value) -> Option<&str> {
    let holder = task_in(value).or_else(|| value.get("statusUpdate")).unwrap_or(value);
    holder.pointer("/status/state")?.as_str()
}
