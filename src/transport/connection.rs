//! The way to one interface, whatever carries its binding.

use std::sync::Arc;
use std::time::Duration;

use super::alternatives::Alternatives;
use super::grpc::{self as carrier, Grpc};
use super::http::{Http, Incoming};
use super::raw::{Conversation, Script};
use super::turns;
use crate::binding::{
    CallRequest, Codec, MOST_EVENTS, Outgoing, RawEvent, RawRequest, address, grpc, merge_headers, over_http,
};
use crate::interface::Interface;
use crate::profile::{Binding, Operation};
use crate::transcript::{Answer, Content, Ended, Exchange, Fate, StreamEvent};
use crate::wire::tls::Offer;

/// One interface of the agent, and the way to it.
pub struct Connection {
    /// The interface.
    pub interface: Interface,
    http: Arc<Http>,
    carrier: Carrier,
    /// The ways to the other replicas of the agent.
    replicas: Vec<Self>,
}

/// What carries a binding.
enum Carrier {
    Http {
        codec: &'static dyn Codec,
        alternatives: Alternatives,
    },
    Grpc(Box<Grpc>),
    /// There is no way to the interface, and why.
    None(String),
}

/// A stream that is being read.
pub struct OpenStream {
    incoming: AnyIncoming,
    events: Vec<StreamEvent>,
    operation: Option<Operation>,
}

/// A response that is being read, by what carries it.
enum AnyIncoming {
    Http(Box<Incoming>),
    Grpc(Box<carrier::Incoming>),
}

impl Connection {
    /// A way to an interface, and to its replicas; nothing is connected yet.
    pub fn new(interface: Interface, http: Arc<Http>) -> Self {
        let replica = |url: &String| {
            let interface = Interface { url: url.clone(), replicas: Vec::new(), ..interface.clone() };
            Self::new(interface, Arc::clone(&http))
        };
        let replicas = interface.replicas.iter().map(replica).collect();
        let carrier = match over_http(interface.binding) {
            Some(codec) => Carrier::Http { codec, alternatives: Alternatives::default() },
            None => match Grpc::new(&interface.url, interface.tls, Arc::clone(&http)) {
                Ok(grpc) => Carrier::Grpc(Box::new(grpc)),
                Err(reason) => Carrier::None(reason),
            },
        };
        Self { interface, http, carrier, replicas }
    }

    /// The way for the next request: that to the replica whose turn it is.
    fn way(&self) -> &Self {
        match turns::next(self.replicas.len() + 1).checked_sub(1) {
            None => self,
            Some(other) => self.replicas.get(other).unwrap_or(self),
        }
    }

    /// How long an answer may take.
    pub(crate) fn timeout(&self) -> Duration {
        self.http.timeout()
    }

    /// Does several calls that belong together, so that they and others do not wait for each other's large answers for ever.
    pub(crate) async fn in_turn<T>(&self, calls: impl Future<Output = T>) -> T {
        self.http.in_turn(calls).await
    }

    /// Whether the binding has a form for a call.
    ///
    /// # Errors
    /// Why it has none.
    pub fn can_carry(&self, call: &CallRequest) -> Result<(), String> {
        match &self.carrier {
            Carrier::Http { codec, .. } if !codec.can_write(&self.interface, call) => {
                Err(format!("{} has no route for these parameters", call.operation))
            }
            Carrier::Http { .. } | Carrier::None(_) => Ok(()),
            Carrier::Grpc(_) => grpc::request(&self.interface, call).map(|_| ()),
        }
    }

    /// Whether there is a form for a call with a place for all that it says. Where the form is that of the protocol buffers over
    /// HTTP, too, their messages tell.
    pub(crate) fn has_place_for(&self, call: &CallRequest) -> bool {
        let interface = &self.interface;
        let is_proto = interface.profile.dialects_over(Binding::Grpc).any(|known| known.name == interface.dialect.name);
        self.can_carry(call).is_ok() && (!is_proto || grpc::request(interface, call).is_ok())
    }

    /// Calls a unary operation.
    pub async fn call(&self, call: &CallRequest) -> Answer {
        let stream = self.open(call).await;
        self.whole(stream.incoming).await
    }

    /// Sends raw bytes.
    pub async fn raw(&self, raw: RawRequest) -> Answer {
        self.whole(self.way().send_raw(raw).await).await
    }

    async fn send_raw(&self, raw: RawRequest) -> AnyIncoming {
        let number = self.http.next_number();
        match &self.carrier {
            Carrier::Http { .. } => {
                let mut headers = merge_headers(&self.interface.headers(), &raw.headers);
                if let Some(content_type) = &raw.content_type {
                    headers.push(("content-type".to_owned(), content_type.clone()));
                }
                let url = raw.url(self.interface.base());
                let outgoing = Outgoing {
                    method: raw.method,
                    url,
                    headers,
                    body: raw.body,
                    operation: raw.operation,
                    params: Arc::default(),
                    rpc_id: raw.rpc_id,
                    purpose: raw.purpose,
                };
                AnyIncoming::Http(Box::new(self.http.send(number, outgoing).await))
            }
            Carrier::Grpc(grpc) => {
                AnyIncoming::Grpc(Box::new(grpc.send(number, grpc::raw(&self.interface, raw)).await))
            }
            Carrier::None(reason) => {
                AnyIncoming::Http(Box::new(self.http.nowhere(number, raw.operation, &raw.purpose, reason)))
            }
        }
    }

    /// A call as it would be sent, with the number of its exchange; nothing where there is no way to write it byte by byte. Over gRPC
    /// its body is the message without its prefix, and there is a way in clear text only.
    pub fn write(&self, call: &CallRequest) -> Option<(u64, Outgoing)> {
        self.way().write_here(call)
    }

    fn write_here(&self, call: &CallRequest) -> Option<(u64, Outgoing)> {
        let codec = match &self.carrier {
            Carrier::Http { codec, .. } => codec,
            Carrier::Grpc(grpc) => {
                let outgoing = grpc.written(grpc::request(&self.interface, call).ok()?)?;
                return Some((self.http.next_number(), outgoing));
            }
            Carrier::None(_) => return None,
        };
        let number = self.http.next_number();
        let outgoing = codec.requests(&self.interface, call, number).into_iter().next()?;
        // The bytes of the target are the case's own: here the parameters are part of it.
        let url = self.http.credentials().address(&outgoing.url).into_owned();
        Some((number, Outgoing { url, ..outgoing }))
    }

    /// Plays a script over a connection of its own: the answers, the statuses of interim ones, and what became of it.
    pub async fn converse(&self, number: u64, script: &Script) -> (Vec<Answer>, Vec<u16>, Fate) {
        let Conversation { answers, interim, fate, .. } = self.http.converse(number, script).await;
        let answers = answers.into_iter().map(|mut incoming| {
            let operation = incoming.operation();
            if let Carrier::Grpc(_) = &self.carrier {
                return grpc::read_whole(&self.interface, incoming.snapshot());
            }
            let events = incoming.is_stream().then(|| match &self.carrier {
                Carrier::Http { codec, .. } => {
                    let raw = incoming.take_events();
                    raw.take(MOST_EVENTS).map(|raw| codec.read_event(&self.interface, operation, &raw)).collect()
                }
                Carrier::Grpc(_) | Carrier::None(_) => Vec::new(),
            });
            self.read(incoming.into_exchange(), events)
        });
        (answers.collect(), interim, fate)
    }

    /// Offers TLS as no client should; nothing where the interface is reached without it.
    pub async fn hello(&self, offer: Offer, purpose: &str) -> Option<Answer> {
        let address = address(&self.way().interface);
        if !address.starts_with("https:") {
            return None;
        }
        let exchange = Arc::new(self.http.hello(&address, offer, purpose).await);
        let content = match exchange.ended {
            Ended::Hello(..) | Ended::Closed => Content::Nothing,
            _ => Content::Lost,
        };
        Some(Answer { binding: self.interface.binding, exchange, content })
    }

    /// Calls a streaming operation; what comes back may still turn out to be no stream.
    pub async fn open(&self, call: &CallRequest) -> OpenStream {
        let incoming = self.way().begin(call).await;
        OpenStream { incoming, events: Vec::new(), operation: Some(call.operation) }
    }

    async fn begin(&self, call: &CallRequest) -> AnyIncoming {
        match &self.carrier {
            Carrier::Http { codec, alternatives } => {
                AnyIncoming::Http(Box::new(alternatives.send(&self.http, *codec, &self.interface, call).await))
            }
            Carrier::Grpc(grpc) => {
                let number = self.http.next_number();
                match grpc::request(&self.interface, call) {
                    Ok(outgoing) => AnyIncoming::Grpc(Box::new(grpc.send(number, outgoing).await)),
                    Err(reason) => self.nowhere(call, &reason),
                }
            }
            Carrier::None(reason) => self.nowhere(call, reason),
        }
    }

    /// What comes of a call that cannot be made.
    fn nowhere(&self, call: &CallRequest, reason: &str) -> AnyIncoming {
        let number = self.http.next_number();
        AnyIncoming::Http(Box::new(self.http.nowhere(number, Some(call.operation), &call.purpose, reason)))
    }

    /// The exchanges since the last question in which a way of writing an operation was not understood.
    pub fn take_missed(&self) -> Vec<Exchange> {
        let missed = |way: &Self| match &way.carrier {
            Carrier::Http { alternatives, .. } => alternatives.take_missed(),
            Carrier::Grpc(_) | Carrier::None(_) => Vec::new(),
        };
        std::iter::once(self).chain(&self.replicas).flat_map(missed).collect()
    }

    /// The next event of a stream; `None` when there is none within `patience`, or the stream is over.
    ///
    /// Without `patience` the wait is as long as the suite's time limit.
    pub async fn next(&self, stream: &mut OpenStream, patience: Option<Duration>) -> Option<StreamEvent> {
        let event = self.next_of(&mut stream.incoming, stream.operation, patience).await?;
        stream.events.push(event.clone());
        Some(event)
    }

    async fn next_of(
        &self,
        incoming: &mut AnyIncoming,
        operation: Option<Operation>,
        patience: Option<Duration>,
    ) -> Option<StreamEvent> {
        match (incoming, &self.carrier) {
            (AnyIncoming::Http(incoming), Carrier::Http { codec, .. }) => {
                let raw = self.http.next_event(incoming, patience).await?;
                Some(codec.read_event(&self.interface, operation, &raw))
            }
            (AnyIncoming::Grpc(incoming), Carrier::Grpc(grpc)) => {
                let raw = grpc.next_message(incoming, patience).await?;
                Some(grpc::read_message(&self.interface, operation, &raw))
            }
            _ => None,
        }
    }

    /// Ends a stream, or reads the rest of an answer that is none, and says what it was.
    pub async fn finish(&self, mut stream: OpenStream, left_open: bool) -> Answer {
        if stream.is_stream() {
            match &mut stream.incoming {
                AnyIncoming::Http(incoming) => incoming.hang_up(left_open),
                AnyIncoming::Grpc(incoming) => incoming.hang_up(left_open),
            }
            return self.read(stream.incoming.into_exchange(), Some(stream.events));
        }
        self.whole(stream.incoming).await
    }

    async fn whole(&self, mut incoming: AnyIncoming) -> Answer {
        if let AnyIncoming::Http(incoming) = &mut incoming {
            self.http.read_to_end(incoming).await;
        }
        let (operation, is_text_stream) = match &incoming {
            AnyIncoming::Http(incoming) => (incoming.operation(), incoming.is_stream()),
            AnyIncoming::Grpc(incoming) => (incoming.operation(), true),
        };
        if !is_text_stream {
            return self.read(incoming.into_exchange(), None);
        }
        let mut events = Vec::new();
        while let Some(event) = self.next_of(&mut incoming, operation, None).await {
            events.push(event);
        }
        self.read(incoming.into_exchange(), Some(events))
    }

    /// Reads an answer again that was read before, a result or a stream of results: from the bytes that are recorded, and
    /// the times at which the events of the stream came.
    pub fn read_again(&self, exchange: Arc<Exchange>, events: Option<&[Duration]>) -> Answer {
        let Carrier::Http { codec, .. } = &self.carrier else {
            return grpc::read_again(&self.interface, exchange, events);
        };
        let operation = exchange.request.operation;
        let events = events.map(|times| {
            let body = exchange.response.as_ref().map_or(&[][..], |response| &response.body);
            let raw = RawEvent::all_in(body, times);
            raw.iter().map(|event| codec.read_event(&self.interface, operation, event)).collect()
        });
        codec.read(&self.interface, exchange, events)
    }

    fn read(&self, exchange: Exchange, events: Option<Vec<StreamEvent>>) -> Answer {
        match &self.carrier {
            Carrier::Http { codec, .. } => codec.read(&self.interface, Arc::new(exchange), events),
            Carrier::Grpc(_) => grpc::read(&self.interface, exchange, events.unwrap_or_default()),
            Carrier::None(_) => {
                Answer { binding: self.interface.binding, exchange: Arc::new(exchange), content: Content::Lost }
            }
        }
    }
}

impl AnyIncoming {
    /// The record, as far as it goes.
    fn so_far(&self) -> Exchange {
        match self {
            Self::Http(incoming) => incoming.snapshot(),
            Self::Grpc(incoming) => incoming.snapshot(),
        }
    }

    /// The record.
    fn into_exchange(self) -> Exchange {
        match self {
            Self::Http(incoming) => incoming.into_exchange(),
            Self::Grpc(incoming) => incoming.into_exchange(),
        }
    }
}

impl OpenStream {
    /// Whether the agent answered with a stream at all. Over gRPC that is one which is not over before its first message.
    pub fn is_stream(&self) -> bool {
        match &self.incoming {
            AnyIncoming::Http(incoming) => incoming.is_stream(),
            AnyIncoming::Grpc(incoming) => !self.events.is_empty() || !incoming.is_over(),
        }
    }

    /// Whether nothing more will come.
    pub fn is_over(&self) -> bool {
        match &self.incoming {
            AnyIncoming::Http(incoming) => incoming.is_over(),
            AnyIncoming::Grpc(incoming) => incoming.is_over(),
        }
    }

    /// The events so far.
    pub fn events(&self) -> &[StreamEvent] {
        &self.events
    }

    /// What the exchange is so far: the stream goes on.
    pub fn so_far(&self, connection: &Connection) -> Answer {
        connection.read(self.incoming.so_far(), Some(self.events.clone()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::auth::Credentials;
    use crate::profile;
    use crate::transport::http::Settings;

    /// A part has metadata in the JSON of 0.3 and not in its protocol buffers, which one of the dialects over HTTP spells out.
    #[test]
    fn a_dialect_has_a_place_for_what_its_messages_hold() {
        let profiles = profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "0.3").unwrap();
        let settings = Settings { credentials: Credentials::default(), timeout: Duration::from_secs(1) };
        let http = Arc::new(Http::new(settings).unwrap());
        let with = |part: Value| CallRequest {
            operation: Operation::SendMessage,
            params: json!({ "message": { "messageId": "1", "role": "ROLE_USER", "parts": [part] } }).into(),
            rpc_id: None,
            headers: Vec::new(),
            purpose: String::new(),
        };
        let mut seen = Vec::new();
        for binding in [Binding::Jsonrpc, Binding::HttpJson, Binding::Grpc] {
            for dialect in profile.dialects_over(binding) {
                let mut interface = Interface::new(profile, binding, "http://127.0.0.1:1".to_owned()).unwrap();
                interface.dialect = Arc::clone(dialect);
                let connection = Connection::new(interface, Arc::clone(&http));
                let has_place = connection.has_place_for(&with(json!({ "text": "x", "metadata": { "a": 1 } })));
                assert!(connection.has_place_for(&with(json!({ "text": "x" }))), "{binding} in {}", dialect.name);
                seen.push(format!("{binding} {} {has_place}", dialect.name));
            }
        }
        seen.sort();
        assert_eq!(seen, ["grpc proto false", "http-json proto false", "http-json rest true", "jsonrpc json true"]);
    }
}
