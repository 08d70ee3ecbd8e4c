//! The way of a request through the faults.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures_util::stream;
use http_body::Frame;
use serde_json::Value;
use tokio::sync::mpsc::{self, Sender};
use tokio::sync::watch;

use super::asked::{Asked, Binding, contains, hexadecimal, replace, set_header};
use super::carrier::grpc;
use super::carrier::whole::{Whole, frames, next_frame};
use super::carrier::{has_json, is_event_stream, is_grpc};
use super::data::{Edit, Fault, GrpcChange, HttpChange, Kind};
use super::events::{Events, Step};
use super::objects::visit;
use super::{edit, errors, given};
use crate::config::Config;
use crate::variation::Choice;

/// What a fault takes for good at most, in bytes.
const MOST_LEAKED: usize = 512 << 20;

/// How long a connection that is lost behind an event is left open for that event.
const BEFORE_CUT: Duration = Duration::from_millis(50);

/// The faults of an agent.
#[derive(Debug)]
pub(crate) struct Faults {
    faults: Vec<&'static Fault>,
    /// How many exchanges about a task, message or page each fault has met.
    met: Mutex<BTreeMap<(usize, String), usize>>,
    /// Over which binding tasks and contexts came into being, if that matters to a fault.
    births: Option<Births>,
    /// The tasks to which messages were sent.
    begun: Mutex<BTreeSet<String>>,
    /// What each fault has answered to exchanges that it does not tell apart.
    cached: Mutex<BTreeMap<(&'static str, Vec<String>), Whole>>,
    /// Whether those act that act at places.
    are_places_wrong: AtomicBool,
    /// Whether a client has left a stream before its end, if that matters to a fault.
    leavers: Option<Arc<AtomicBool>>,
    /// One for each stream that is open and one more, if that matters to a fault.
    open: Option<Arc<()>>,
    /// The faults that wait for a request which has come, and how often each acts yet.
    awake: Mutex<BTreeMap<usize, usize>>,
    /// How many clients wait for an answer that does not come.
    waiting: AtomicUsize,
    /// What is never given back.
    leaked: Mutex<Vec<Vec<u8>>>,
    /// How many answers have become slower.
    slowed: AtomicU32,
    /// Chooses the one that acts in each exchange, where they take turns.
    choice: Option<Choice>,
    /// Says when the agent dies, and for how long.
    crashes: watch::Sender<Duration>,
}

/// Tasks and contexts by their ids, and the bindings over which they were made.
type Births = Arc<Mutex<BTreeMap<String, Binding>>>;

impl Faults {
    /// The faults of an agent and what its variations change, or nothing where there are none.
    pub(crate) fn new(config: &Config) -> Option<Arc<Self>> {
        let faults = config.changes();
        let choice = config.random_variations.map(Choice::new);
        let births = faults.iter().any(|fault| fault.when.elsewhere).then(Births::default);
        let leavers = faults.iter().any(|fault| fault.when.after_leaving).then(Arc::default);
        let open = faults.iter().any(|fault| fault.when.beside_a_stream).then(Arc::default);
        (!faults.is_empty()).then(|| {
            let (met, begun, cached) = (Mutex::default(), Mutex::default(), Mutex::default());
            let (are_places_wrong, crashes) = (AtomicBool::new(false), watch::Sender::default());
            Arc::new(Self {
                faults,
                met,
                births,
                begun,
                cached,
                are_places_wrong,
                leavers,
                open,
                awake: Mutex::default(),
                waiting: AtomicUsize::new(0),
                leaked: Mutex::default(),
                slowed: AtomicU32::new(0),
                choice,
                crashes,
            })
        })
    }

    /// Lets those act that act at places.
    pub(crate) fn go_wrong(&self) {
        self.are_places_wrong.store(true, Ordering::Relaxed);
    }

    /// What tells whenever the agent dies, and how long it is to be away.
    pub(crate) fn crashes(&self) -> watch::Receiver<Duration> {
        self.crashes.subscribe()
    }

    /// Finds out whether a message is the first of its task where the message does not show it.
    fn look_back(&self, asked: &mut Asked) {
        if asked.is_first.is_none() {
            let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
            asked.is_first = Some(begun.insert(asked.task()));
        }
    }

    /// Whether a request is about something that was made over another binding.
    fn is_of_elsewhere(&self, asked: &Asked) -> bool {
        let Some(births) = &self.births else { return false };
        let births = births.lock().unwrap_or_else(PoisonError::into_inner);
        let born = |id: String| births.get(&id).copied();
        [asked.task(), asked.context()].into_iter().filter_map(born).any(|binding| Some(binding) != asked.binding)
    }

    /// Those that waited for a request which has come before this one. Whom this one wakes acts from the next on.
    fn awake(&self, asked: &Asked) -> BTreeSet<usize> {
        let mut awake = self.awake.lock().unwrap_or_else(PoisonError::into_inner);
        let before = awake.keys().copied().collect();
        let wakes =
            |fault: &Fault| fault.when.after.as_ref().is_some_and(|wanted| contains(&asked.body, wanted.as_bytes()));
        let times = |fault: &Fault| if fault.when.times == 0 { usize::MAX } else { fault.when.times };
        let woken = self.faults.iter().enumerate().filter(|(_, fault)| wakes(fault));
        awake.extend(woken.map(|(index, fault)| (index, times(fault))));
        before
    }

    /// One that has waited acts once, and sleeps again if it was the last time.
    fn acts(&self, index: usize) {
        let mut awake = self.awake.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(left) = awake.get_mut(&index) {
            *left -= 1;
            if *left == 0 {
                awake.remove(&index);
            }
        }
    }

    /// Takes so many bytes for good, as long as the machine has some for others.
    fn leak(&self, bytes: usize) {
        let mut leaked = self.leaked.lock().unwrap_or_else(PoisonError::into_inner);
        if (leaked.len() + 1).saturating_mul(bytes) <= MOST_LEAKED {
            leaked.push(vec![1; bytes]);
        }
    }

    /// Lets the agent die.
    fn die(&self, away: u64) {
        self.awake.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.crashes.send_replace(Duration::from_millis(away));
    }

    /// Those that act on a request.
    fn meant(&self, asked: &Asked) -> Vec<&'static Fault> {
        let awake = self.awake(asked);
        let meant = self.faults.iter().enumerate().filter(|(index, fault)| {
            if !asked.fits(&fault.when)
                || (!fault.when.places.is_empty() && !self.are_places_wrong.load(Ordering::Relaxed))
                || (fault.when.after.is_some() && !awake.contains(index))
                || (fault.when.elsewhere && !self.is_of_elsewhere(asked))
                || (fault.when.beside_a_stream && self.open.as_ref().is_none_or(|open| Arc::strong_count(open) < 2))
                || (fault.when.after_leaving && !self.leavers.as_ref().is_some_and(|left| left.load(Ordering::Relaxed)))
            {
                return false;
            }
            let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
            let subject = if fault.when.every > 0 { String::new() } else { asked.subject() };
            let count = met.entry((*index, subject)).or_default();
            *count += 1;
            if fault.when.every > 0 && !count.is_multiple_of(fault.when.every) {
                return false;
            }
            *count >= fault.when.from && (fault.when.until == 0 || *count <= fault.when.until)
        });
        let meant = meant.inspect(|(index, _)| self.acts(*index)).map(|(_, fault)| *fault).collect();
        self.chosen(meant, asked)
    }

    /// One of those that act on a request, if they take turns.
    fn chosen(&self, meant: Vec<&'static Fault>, asked: &Asked) -> Vec<&'static Fault> {
        let Some(choice) = &self.choice else { return meant };
        let mut all = meant;
        let of_card = self.faults.iter().filter(|fault| asked.is_card && !fault.card.is_empty());
        all.extend(of_card);
        choice.of(all.len()).and_then(|index| all.get(index).copied()).into_iter().collect()
    }

    /// The changes to a card that is asked for, beside those of the faults that act on such requests.
    fn edits_of_card<'a>(&'a self, asked: &Asked, meant: &'a [&'static Fault]) -> impl Iterator<Item = &'static Edit> {
        let of = if self.choice.is_some() { meant } else { &self.faults };
        of.iter().filter(|_| asked.is_card).flat_map(|fault| &fault.card)
    }

    /// The answer to the first of the exchanges that a fault does not tell apart, with the id of this call; `answer` if
    /// this is the first.
    fn first_answer(&self, fault: &'static Fault, asked: &Asked, answer: Whole) -> Whole {
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        let mut first = cached.entry((fault.id.as_str(), asked.key(&fault.cached_by))).or_insert(answer).clone();
        if asked.binding == Some(Binding::JsonRpc)
            && let Some(mut envelope) = first.json(asked)
        {
            envelope["id"] = asked.id.clone();
            first.set_json(asked, &envelope);
        }
        first
    }
}

/// A client that waits for an answer which does not come. With the last of them, what streams were left is forgotten.
struct Waiting(Arc<Faults>);

impl Waiting {
    fn new(faults: &Arc<Faults>) -> Self {
        faults.waiting.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(faults))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.0.waiting.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.leavers.iter().for_each(|left| left.store(false, Ordering::Relaxed));
        }
    }
}

/// Lets a request through.
pub(crate) async fn apply(State(faults): State<Arc<Faults>>, request: Request, next: Next) -> Response {
    let mut asked = Asked::read(request).await;
    faults.look_back(&mut asked);
    let meant = faults.meant(&asked);
    for fault in &meant {
        if let Some(change) = &fault.request {
            asked.change(change);
        }
    }
    if let Some(given) = meant.iter().find_map(|fault| fault.respond.as_ref()) {
        let status = StatusCode::from_u16(given.status).unwrap_or_default();
        let mut response = Response::new(Body::from(given.body.clone()));
        *response.status_mut() = status;
        for (name, value) in &given.headers {
            set_header(response.headers_mut(), name, Some(value));
        }
        return response;
    }
    if let Some(away) = meant.iter().find_map(|fault| fault.crash) {
        faults.die(away);
        return std::future::pending().await;
    }
    if meant.iter().any(|fault| fault.silent) {
        let _waits = meant.iter().any(|fault| fault.recovers).then(|| Waiting::new(&faults));
        return std::future::pending().await;
    }
    let response = next.run(asked.request()).await;
    for bytes in meant.iter().filter_map(|fault| fault.leak) {
        faults.leak(bytes);
    }
    for more in meant.iter().filter_map(|fault| fault.slower) {
        let answers = faults.slowed.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(more.saturating_mul(answers).into())).await;
    }
    for delay in meant.iter().filter_map(|fault| fault.delay) {
        tokio::time::sleep(Duration::from_millis(delay)).await;
    }
    let births = faults.births.clone().filter(|_| asked.begins());
    let leavers = faults.leavers.clone();
    let is_watched = births.is_some() || leavers.is_some() || faults.open.is_some();
    if meant.is_empty() && !is_watched && faults.edits_of_card(&asked, &meant).next().is_none() {
        return response;
    }
    let is_streaming = asked.operation.is_some_and(crate::core::OperationName::is_streaming);
    let is_begun = is_event_stream(response.headers())
        || (is_streaming && is_grpc(response.headers()) && !response.headers().contains_key("grpc-status"));
    match is_begun {
        true => {
            let mut response = streamed(response, asked, meant.clone(), (births, leavers, faults.open.clone()));
            if faults.choice.is_some() {
                name_choice(response.headers_mut(), &meant);
            }
            response
        }
        false => whole(response, &asked, meant, births, &faults).await,
    }
}

/// An answer that is no stream.
async fn whole(
    response: Response,
    asked: &Asked,
    mut meant: Vec<&'static Fault>,
    births: Option<Births>,
    faults: &Faults,
) -> Response {
    let mut answer = Whole::read(response).await;
    if let Some(births) = births {
        note(&births, answer.json(asked).unwrap_or_default(), asked);
    }
    let name = errors::name(&answer, asked);
    meant.retain(|fault| {
        let is_error = fault.when.errors.iter().any(|wanted| match wanted.as_str() {
            "any" => name.is_some(),
            "none" => name.is_none(),
            wanted => name.as_deref() == Some(wanted),
        });
        (fault.when.errors.is_empty() || is_error)
            && fault.when.is_at(asked, name.as_deref())
            && (fault.when.states.is_empty() || answer.json(asked).is_some_and(|json| has_state(json, fault, asked)))
            && (fault.when.statuses.is_empty() || fault.when.statuses.contains(&answer.head.status.as_u16()))
            && fault.when.answer.as_ref().is_none_or(|wanted| contains(&answer.body, wanted.as_bytes()))
    });
    if let Some(given) = meant.iter().find_map(|fault| given::answer(fault, asked)) {
        answer = Whole::read(given).await;
    }
    for fault in meant.iter().filter(|fault| !fault.cached_by.is_empty()) {
        answer = faults.first_answer(fault, asked, answer);
    }
    let of_card: Vec<&'static Edit> = faults.edits_of_card(asked, &meant).collect();
    let edits: Vec<&Edit> = meant.iter().flat_map(|fault| &fault.edit).chain(of_card).collect();
    if !edits.is_empty()
        && let Some(mut json) = answer.json(asked)
    {
        let before = json.clone();
        for edit in &edits {
            edit::apply(edit, &mut json, asked);
        }
        if json != before {
            let is_about_them = edits.iter().any(|edit| edit.is_about_signatures());
            if asked.is_card && !is_about_them {
                // It is not the card that was signed; that it is signed wrongly would be a second fault.
                edit::take(&mut json, "/signatures");
            }
            answer.set_json(asked, &json);
        }
    }
    for fault in &meant {
        if let Some(change) = &fault.grpc {
            change_grpc(change, &mut answer);
        }
        if let Some(change) = &fault.http {
            change_head(change, &mut answer.head.status, &mut answer.head.headers);
            if let Some(body) = &change.body {
                answer.body = Bytes::copy_from_slice(body.as_bytes());
            }
            let text =
                [change.prefix.as_bytes(), &change_text(change, &answer.body), change.suffix.as_bytes()].concat();
            answer.body = text.into();
        }
    }
    if faults.choice.is_some() {
        name_choice(&mut answer.head.headers, &meant);
    }
    written(answer, asked, &meant)
}

/// The answer as it is written, to be sent.
fn written(mut answer: Whole, asked: &Asked, meant: &[&'static Fault]) -> Response {
    let writings = || meant.iter().filter_map(|fault| fault.writing.as_ref());
    let is_json = asked.binding != Some(Binding::Grpc) && has_json(&answer.head.headers);
    let body = writings().filter(|_| is_json).find_map(|writing| writing.body(&answer.body));
    answer.body = body.unwrap_or(answer.body);
    match writings().find(|writing| writing.pieces > 0) {
        Some(writing) => answer.in_pieces(writing),
        None => answer.response(),
    }
}

/// Names the variation that was chosen, for people.
fn name_choice(headers: &mut HeaderMap, meant: &[&'static Fault]) {
    for fault in meant {
        set_header(headers, "x-a2aspec-variation", Some(&fault.id));
    }
}

/// Notes what has come into being.
fn note(births: &Births, mut answer: Value, asked: &Asked) {
    let Some(binding) = asked.binding else { return };
    let mut births = births.lock().unwrap_or_else(PoisonError::into_inner);
    visit(&mut answer, Kind::Task, &mut |task, _| {
        for id in ["id", "contextId", "sessionId"].into_iter().filter_map(|name| task.get(name)?.as_str()) {
            births.entry(id.to_owned()).or_insert(binding);
        }
    });
}

/// Whether an answer has a task in one of the states that a fault is about.
fn has_state(mut answer: Value, fault: &Fault, asked: &Asked) -> bool {
    let mut has = false;
    visit(&mut answer, Kind::Task, &mut |task, _| {
        let state = task.pointer("/status/state").and_then(Value::as_str);
        has |= fault.when.states.iter().any(|wanted| state == Some(&asked.spell_state(wanted, state)));
    });
    has
}

fn change_head(change: &HttpChange, status: &mut StatusCode, headers: &mut HeaderMap) {
    if let Some(new) = change.status.and_then(|status| StatusCode::from_u16(status).ok()) {
        *status = new;
    }
    for (name, value) in &change.headers {
        set_header(headers, name, value.as_deref());
    }
}

fn change_text(change: &HttpChange, text: &[u8]) -> Bytes {
    let text = match &change.replace {
        Some((from, to)) => replace(text, from.as_bytes(), to.as_bytes()),
        None => Bytes::copy_from_slice(text),
    };
    match &change.bytes {
        Some((from, to)) => replace(&text, from.as_bytes(), &hexadecimal(to)),
        None => text,
    }
}

fn change_grpc(change: &GrpcChange, answer: &mut Whole) {
    let mut buffer = BytesMut::from(answer.body.as_ref());
    let mut body = BytesMut::new();
    while let Some((_, message)) = grpc::split(&mut buffer) {
        body.extend_from_slice(&change_frame(change, &message));
    }
    answer.body = body.freeze();
    let is_in_head = answer.head.headers.contains_key("grpc-status");
    change_trailers(change, if is_in_head { &mut answer.head.headers } else { &mut answer.trailers });
}

fn change_frame(change: &GrpcChange, message: &[u8]) -> Bytes {
    if change.no_message {
        return Bytes::new();
    }
    let message = change.message.as_deref().map_or_else(|| message.to_vec(), hexadecimal);
    let message = [message, change.tail.as_deref().map(hexadecimal).unwrap_or_default()].concat();
    let mut frame = grpc::frame(change.flag.unwrap_or_default(), &message).to_vec();
    let length = i64::try_from(message.len()).unwrap_or_default() + change.length.unwrap_or_default();
    frame[1..5].copy_from_slice(&u32::try_from(length).unwrap_or_default().to_be_bytes());
    match change.double {
        true => [frame.clone(), frame].concat().into(),
        false => frame.into(),
    }
}

fn change_trailers(change: &GrpcChange, trailers: &mut HeaderMap) {
    match &change.status {
        None => {}
        Some(None) => drop(trailers.remove("grpc-status")),
        Some(Some(status)) => drop(HeaderValue::from_str(status).map(|status| trailers.insert("grpc-status", status))),
    }
    for (name, value) in &change.trailers {
        set_header(trailers, name, value.as_deref());
    }
}

/// A stream.
fn streamed(
    response: Response,
    asked: Asked,
    mut meant: Vec<&'static Fault>,
    (births, leavers, open): (Option<Births>, Option<Arc<AtomicBool>>, Option<Arc<()>>),
) -> Response {
    meant.retain(|fault| {
        (fault.when.errors.is_empty() || fault.when.errors.iter().any(|wanted| wanted == "none"))
            && fault.when.is_at(&asked, None)
            && fault.when.states.is_empty()
            && fault.when.statuses.is_empty()
            && fault.when.answer.is_none()
    });
    let others = meant.iter().filter(|fault| fault.result.is_none());
    if let Some(given) = others.filter_map(|fault| given::answer(fault, &asked)).next() {
        return given;
    }
    let (mut head, body) = response.into_parts();
    for change in meant.iter().filter_map(|fault| fault.http.as_ref()) {
        change_head(change, &mut head.status, &mut head.headers);
    }
    let (sender, mut receiver) = mpsc::channel(16);
    let events = Events::new(meant.clone());
    let pump = Pump { asked, events, faults: meant, sender, births, leavers, _open: open, is_begun: false };
    tokio::spawn(pump.run(body));
    let body = frames(stream::poll_fn(move |context| receiver.poll_recv(context)));
    Response::from_parts(head, body)
}

/// Takes the events of a stream from the agent, and gives to the client what becomes of them.
struct Pump {
    asked: Asked,
    faults: Vec<&'static Fault>,
    events: Events,
    sender: Sender<io::Result<Frame<Bytes>>>,
    births: Option<Births>,
    leavers: Option<Arc<AtomicBool>>,
    /// As long as it is there, the stream is open.
    _open: Option<Arc<()>>,
    is_begun: bool,
}

/// There is nobody to send to, or nothing more to be sent.
struct Over;

impl Pump {
    async fn run(mut self, mut body: Body) {
        let sender = self.sender.clone();
        let mut buffer = BytesMut::new();
        let _over: Result<(), Over> = async {
            loop {
                let frame = tokio::select! {
                    () = sender.closed() => {
                        self.leavers.iter().for_each(|left| left.store(true, Ordering::Relaxed));
                        return Err(Over);
                    }
                    frame = next_frame(&mut body) => frame,
                };
                match frame.map(Frame::into_data) {
                    Some(Ok(data)) => {
                        buffer.extend_from_slice(&data);
                        while let Some(piece) = self.take(&mut buffer) {
                            self.piece(piece).await?;
                        }
                    }
                    Some(Err(frame)) => {
                        self.rest().await?;
                        self.end(frame.into_trailers().unwrap_or_default()).await?;
                    }
                    None => {
                        self.rest().await?;
                        self.end(HeaderMap::new()).await?;
                    }
                }
            }
        }
        .await;
    }

    fn is_grpc(&self) -> bool {
        self.asked.binding == Some(Binding::Grpc)
    }

    /// The next event or comment that is whole.
    fn take(&self, buffer: &mut BytesMut) -> Option<Bytes> {
        if self.is_grpc() {
            return grpc::split(buffer).map(|(_, message)| message);
        }
        let end = buffer.windows(2).position(|pair| pair == b"\n\n")?;
        Some(buffer.split_to(end + 2).freeze())
    }

    fn json(&self, piece: &[u8]) -> Option<Value> {
        match self.is_grpc() {
            true => self.asked.rpc()?.read_answer(piece),
            false => serde_json::from_slice(piece.strip_prefix(b"data: ")?).ok(),
        }
    }

    async fn piece(&mut self, piece: Bytes) -> Result<(), Over> {
        let Some(event) = self.json(&piece) else { return self.send(piece).await };
        if let Some(births) = self.births.take() {
            note(&births, event.clone(), &self.asked);
        }
        for step in self.events.next(&self.asked, event.clone()) {
            match step {
                // What has not changed is sent as it was.
                Step::Send(sent) if sent == event => self.send(piece.clone()).await?,
                Step::Send(sent) => self.send_json(&sent).await?,
                Step::Wait(delay) => tokio::time::sleep(delay).await,
                Step::End => {
                    let mut trailers = HeaderMap::new();
                    if self.is_grpc() {
                        trailers.insert("grpc-status", HeaderValue::from_static("0"));
                    }
                    return self.end(trailers).await;
                }
                Step::Cut => {
                    // What is not written yet would be lost, too.
                    tokio::time::sleep(BEFORE_CUT).await;
                    let _gone = self.sender.send(Err(io::Error::other("cut"))).await;
                    return Err(Over);
                }
                Step::Hang => {
                    self.sender.closed().await;
                    return Err(Over);
                }
            }
        }
        Ok(())
    }

    async fn send_json(&mut self, event: &Value) -> Result<(), Over> {
        let piece = match self.is_grpc() {
            true => self.asked.rpc().and_then(|rpc| rpc.write_answer(event)),
            false => Some(format!("data: {event}\n\n").into()),
        };
        match piece {
            Some(piece) => self.send(piece).await,
            None => Ok(()),
        }
    }

    /// Sends a message, or the text of an event.
    async fn send(&mut self, piece: Bytes) -> Result<(), Over> {
        let mut piece = piece;
        if self.is_grpc() {
            let change = self.faults.iter().find_map(|fault| fault.grpc.as_ref());
            piece = match change {
                Some(change) => change_frame(change, &piece),
                None => grpc::frame(0, &piece),
            };
        }
        for change in self.faults.iter().filter_map(|fault| fault.http.as_ref()) {
            piece = change_text(change, &piece);
            if !self.is_begun {
                piece = [change.prefix.as_bytes(), &piece].concat().into();
            }
        }
        let writing = self.faults.iter().find_map(|fault| fault.writing.as_ref());
        if let Some(writing) = writing.filter(|_| !self.is_grpc()) {
            piece = writing.event(&piece, !self.is_begun);
        }
        self.is_begun = true;
        let pieces = writing.map_or_else(|| vec![piece.clone()], |writing| writing.pieces(&piece));
        for piece in pieces {
            self.sender.send(Ok(Frame::data(piece))).await.map_err(|_| Over)?;
        }
        Ok(())
    }

    /// Sends what was held back.
    async fn rest(&mut self) -> Result<(), Over> {
        for event in self.events.rest() {
            self.send_json(&event).await?;
        }
        Ok(())
    }

    async fn end(&mut self, mut trailers: HeaderMap) -> Result<(), Over> {
        for change in self.faults.iter().filter_map(|fault| fault.http.as_ref()) {
            if !change.suffix.is_empty() {
                let suffix = Bytes::copy_from_slice(change.suffix.as_bytes());
                let _gone = self.sender.send(Ok(Frame::data(suffix))).await;
            }
        }
        for change in self.faults.iter().filter_map(|fault| fault.grpc.as_ref()) {
            change_trailers(change, &mut trailers);
        }
        if !trailers.is_empty() {
            let _gone = self.sender.send(Ok(Frame::trailers(trailers))).await;
        }
        Err(Over)
    }
}
