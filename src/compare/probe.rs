//! Requests of the comparison's own, for what no case asks: long bodies and headers, unknown versions, escapes, long calls.
//!
//! Each request goes both ways, and only the relation of the two answers counts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::sight::{Lane, Sight};
use crate::auth::Caller;
use crate::binding::{CallRequest, address};
use crate::case::Trigger;
use crate::event::EventSink;
use crate::interface::Interface;
use crate::profile::{Binding, Operation};
use crate::secrets::Secrets;
use crate::session::dialect::{DetectedDialect, Search, detect_dialect};
use crate::session::places::Places;
use crate::session::words::Words;
use crate::session::{self, message};
use crate::suite::Suite;
use crate::transcript::{Ended, Exchange};
use crate::transport::http::Http;
use crate::transport::{Connection, unique};

/// Bytes of bodies: no more than what gateways let through by default, which is 1 MiB.
pub(super) const BODIES: [usize; 3] = [2 << 10, 64 << 10, 512 << 10];
/// Bytes of headers: no more than what gateways let through by default, which is 8 KiB.
pub(super) const HEADERS: [usize; 2] = [3 << 10, 7 << 10];
/// A version that no agent has.
const NO_VERSION: &str = "99.0";

/// A request that goes both ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Probe {
    /// A task that is not there.
    Plain,
    /// The same in a version that no agent has.
    OtherVersion,
    /// The same with every extension of the card.
    WithExtensions,
    /// The same without any extension, where the card requires one.
    WithoutExtensions,
    /// The same without credentials.
    Nobody,
    /// The same with a longer body.
    Body(usize),
    /// The same with a longer header.
    Header(usize),
    /// A task whose id needs escapes in a path.
    Escaped,
    /// A list with a wrong size of pages.
    WrongQuery,
    /// A list without one.
    NoQuery,
    /// A message whose work takes long, and its answer.
    Long,
    /// The same as a stream.
    Stream,
}

/// When the events of a stream arrived.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Timing {
    /// The first, since the request.
    pub first: Duration,
    /// The end.
    pub end: Duration,
    /// How many there were.
    pub events: usize,
    /// Whether the stream came to its end in good order.
    pub is_whole: bool,
}

/// What came of all of them.
#[derive(Debug, Default)]
pub(super) struct Probed {
    /// By version and binding.
    pub sights: BTreeMap<(String, Probe), Sight>,
    /// The streams.
    pub timings: BTreeMap<String, Timing>,
    /// How many tasks one message made.
    pub tasks: BTreeMap<String, usize>,
    /// How many messages were sent.
    pub messages: u64,
}

/// What all requests to one interface share.
struct Prober<'p> {
    connection: &'p Connection,
    http: &'p Arc<Http>,
    lane: Lane,
    secrets: &'p Secrets,
    words: &'p Words,
}

/// Sends the requests of one side, over these of its interfaces.
pub(super) async fn probe(suite: &Suite, lanes: &[Lane]) -> Probed {
    let mut probed = Probed::default();
    let words = Arc::new(Words::new(suite.triggers().clone(), None));
    let options = session::Options {
        max_messages: None,
        messages: Arc::default(),
        words: Arc::clone(&words),
        places: Places::new(1),
        trust: Arc::default(),
        webhooks: None,
    };
    let (events, heard) = tokio::sync::mpsc::unbounded_channel();
    drop(heard);
    let sink = EventSink::new(events, suite.http().began(), suite.secrets().clone());
    let mut sessions = Vec::new();
    for interface in suite.interfaces() {
        if lanes.iter().any(|known| known.over == lane(interface).over) {
            let (http, stop) = (suite.http(), suite.stopped());
            sessions.push(detect_dialect(interface.clone(), Search::First, http, &options, &sink, stop).await);
        }
    }
    let probers: Vec<Prober<'_>> = sessions
        .iter()
        .map(|found| {
            let connection = &found.session.connection;
            let lane = lane(&connection.interface);
            Prober { connection, http: suite.http(), lane, secrets: suite.secrets(), words: &words }
        })
        .collect();
    for prober in &probers {
        prober.plain(&mut probed).await;
    }
    // Work takes time and may cost money: one interface shows the way of its binding.
    let mut of_binding: BTreeMap<Binding, &Prober<'_>> = BTreeMap::new();
    for prober in &probers {
        of_binding.entry(prober.lane.binding).or_insert(prober);
    }
    let long = join_all(of_binding.into_values().map(|prober| async {
        let mut probed = Probed::default();
        prober.long(&mut probed).await;
        probed
    }));
    for of_one in long.await {
        probed.sights.extend(of_one.sights);
        probed.timings.extend(of_one.timings);
        probed.tasks.extend(of_one.tasks);
        probed.messages += of_one.messages;
    }
    probed.messages += sessions.iter().map(DetectedDialect::messages_sent).sum::<u64>();
    probed
}

/// An interface as exchanges are told to be of it.
pub(super) fn lane(interface: &Interface) -> Lane {
    let over = format!("{} {}", interface.profile.name(), interface.binding);
    Lane { over, binding: interface.binding, url: interface.url.clone() }
}

impl Prober<'_> {
    fn interface(&self) -> &Interface {
        &self.connection.interface
    }

    fn sight(&self, exchange: &Exchange) -> Sight {
        let sight = Sight::of(exchange, std::slice::from_ref(&self.lane), self.secrets);
        Sight { over: self.lane.over.clone(), ..sight }
    }

    fn offers(&self, operation: Operation) -> bool {
        let interface = self.interface();
        interface.profile.offers(operation, interface.binding) && !interface.lacks.contains(&operation)
    }

    fn call(&self, operation: Operation, mut params: Value) -> CallRequest {
        self.interface().name_tenant(&mut params);
        message::name_task(&self.interface().profile, operation, &mut params);
        let purpose = "the comparison".to_owned();
        CallRequest { operation, params: params.into(), rpc_id: None, headers: Vec::new(), purpose }
    }

    fn get(&self, id: &str) -> CallRequest {
        self.call(Operation::GetTask, json!({ "id": id }))
    }

    async fn send(&self, call: &CallRequest) -> Sight {
        self.sight(&self.connection.call(call).await.exchange)
    }

    /// What takes an agent no work.
    async fn plain(&self, probed: &mut Probed) {
        let mut keep = |probe: Probe, sight: Sight| probed.sights.insert((self.lane.over.clone(), probe), sight);
        let id = "a2aspec-compare";
        let plain = self.send(&self.get(id)).await;
        let is_answered = plain.status.is_some();
        keep(Probe::Plain, plain);
        if !is_answered {
            return;
        }
        let interface = self.interface();
        let version = interface.profile.facts.headers.keys().find(|name| name.eq_ignore_ascii_case("a2a-version"));
        if let Some(name) = version {
            let headers = vec![(name.clone(), Some(NO_VERSION.to_owned()))];
            keep(Probe::OtherVersion, self.send(&CallRequest { headers, ..self.get(id) }).await);
        }
        let uris: Vec<String> = interface.extensions.iter().map(|extension| extension.uri.clone()).collect();
        if !uris.is_empty() {
            let headers = interface.extension_headers(&uris, true);
            keep(Probe::WithExtensions, self.send(&CallRequest { headers, ..self.get(id) }).await);
        }
        if interface.required_extensions().next().is_some() {
            let headers = interface.extension_headers(&[], false);
            keep(Probe::WithoutExtensions, self.send(&CallRequest { headers, ..self.get(id) }).await);
        }
        if self.http.credentials().brings_to(&address(interface)) {
            let http = Arc::new(self.http.in_the_name_of(Caller::Nobody));
            let connection = Connection::new(interface.clone(), http);
            keep(Probe::Nobody, self.sight(&connection.call(&self.get(id)).await.exchange));
        }
        if interface.binding != Binding::Grpc {
            for bytes in BODIES {
                if let Some(sight) = self.padded(bytes, 0).await {
                    keep(Probe::Body(bytes), sight);
                }
            }
            for bytes in HEADERS {
                if let Some(sight) = self.padded(0, bytes).await {
                    keep(Probe::Header(bytes), sight);
                }
            }
        }
        if interface.binding == Binding::HttpJson {
            keep(Probe::Escaped, self.send(&self.get("a2aspec/compare")).await);
            if self.offers(Operation::ListTasks) {
                let list = |params: Value| self.call(Operation::ListTasks, params);
                keep(Probe::WrongQuery, self.send(&list(json!({ "pageSize": 0, "contextId": id }))).await);
                keep(Probe::NoQuery, self.send(&list(json!({ "contextId": id }))).await);
            }
        }
    }

    /// A request with so many bytes of white space behind its body, and of a header that nobody reads.
    async fn padded(&self, body: usize, header: usize) -> Option<Sight> {
        let operation = match self.interface().binding {
            Binding::HttpJson if body > 0 => Operation::CancelTask,
            _ => Operation::GetTask,
        };
        let call = self.call(operation, json!({ "id": "a2aspec-compare" }));
        let (number, mut outgoing) = self.connection.write(&call)?;
        if body > 0 {
            let mut bytes = outgoing.body.to_vec();
            if bytes.is_empty() {
                bytes.extend_from_slice(b"{}");
            }
            bytes.resize(bytes.len().max(body), b' ');
            outgoing.body = bytes.into();
        }
        if header > 0 {
            outgoing.headers.push(("x-a2aspec-padding".to_owned(), "a".repeat(header)));
        }
        let mut incoming = self.http.send(number, outgoing).await;
        self.http.read_to_end(&mut incoming).await;
        Some(self.sight(&incoming.into_exchange()))
    }

    /// What the agent works on.
    async fn long(&self, probed: &mut Probed) {
        let over = &self.lane.over;
        if self.offers(Operation::SendMessage) {
            let params = message::params(&self.words.say(Trigger::Slow));
            let sight = self.send(&self.call(Operation::SendMessage, params)).await;
            probed.sights.insert((over.clone(), Probe::Long), sight);
            probed.messages += 1;
        }
        if self.offers(Operation::SendMessage) && self.offers(Operation::ListTasks) {
            probed.tasks.extend(self.tasks().await.map(|tasks| (over.clone(), tasks)));
            probed.messages += 1;
        }
        if self.offers(Operation::SendStreamingMessage) {
            let params = message::params(&self.words.say(Trigger::Slow));
            let call = self.call(Operation::SendStreamingMessage, params);
            let mut stream = self.connection.open(&call).await;
            while self.connection.next(&mut stream, None).await.is_some() {}
            let answer = self.connection.finish(stream, false).await;
            let times: Vec<Duration> = answer.events().iter().map(|event| event.after).collect();
            if let Some(first) = times.first() {
                let exchange = &answer.exchange;
                let is_whole = exchange.ended == Ended::Complete;
                let timing = Timing { first: *first, end: exchange.elapsed, events: times.len(), is_whole };
                probed.timings.insert(over.clone(), timing);
            }
            probed.sights.insert((over.clone(), Probe::Stream), self.sight(&answer.exchange));
            probed.messages += 1;
        }
    }

    /// How many tasks a message in a context of its own makes.
    async fn tasks(&self) -> Option<usize> {
        let context = unique();
        let mut params = message::params(&self.words.say(Trigger::Complete));
        params.pointer_mut("/message")?.as_object_mut()?.insert("contextId".to_owned(), json!(context));
        let sent = self.connection.call(&self.call(Operation::SendMessage, params)).await;
        let made = sent.result()?.pointer("/task/contextId").or_else(|| sent.result()?.get("contextId"))?;
        if made.as_str() != Some(&context) {
            return None;
        }
        let listed = self.connection.call(&self.call(Operation::ListTasks, json!({ "contextId": context }))).await;
        let of_context = |task: &&Value| task.get("contextId").and_then(Value::as_str) == Some(&context);
        Some(listed.result()?.get("tasks")?.as_array()?.iter().filter(of_context).count())
    }
}
