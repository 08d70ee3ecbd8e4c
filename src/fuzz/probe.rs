//! One thing to try: a request, what was changed in it, and what must come of it.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};

use super::aim::Aim;
use super::base::Base;
use super::bytes::{changed_text, cut, places_to_cut, queried};
use super::changed::{Made, changed, full, further, recombined};
use super::class::Classes;
use super::dressed::dress;
use super::envelope::enveloped;
use super::generated::generated;
use super::headed::headed;
use super::hunt::Phase;
use super::inbox::given;
use super::spelling::respelled;
use super::{across, crowd, streams, transport, walk, webhooks};
use crate::auth::Caller;
use crate::binding::{CallRequest, RawRequest, called};
use crate::case::{Deliveries, Expect, Outcome, Piece, References, resolve};
use crate::generate::Choices;
use crate::profile::{Binding, Operation};
use crate::session::bytes::script;
use crate::transcript::{Answer, state_in};
use crate::transport::raw::Script;

/// What decisions come to in a phase: one request, or several one after the other.
pub(super) fn attempt(
    phase: Phase,
    (aims, aim): (&[Aim], &Aim),
    classes: &Classes,
    bytes: &[u8],
) -> Option<Vec<Probe>> {
    let choices = &mut Choices::new(bytes);
    let mut steps = match phase {
        Phase::Boundaries | Phase::Mutation => return Probe::make(aim, classes, bytes).map(|probe| vec![probe]),
        Phase::Across => across::make(aims, aim, choices),
        Phase::Sequences => walk::make((aims, aim), classes, choices),
        Phase::Streams => streams::make(aim, choices),
        Phase::Transport => transport::make(aim, choices),
        Phase::Stress => crowd::make(aim, choices),
        Phase::Webhooks => webhooks::make(aim, classes, choices),
        // It makes its own.
        Phase::Growth => None,
    }?;
    if phase != Phase::Transport {
        dress((aims, aim), &mut steps, choices);
    }
    let read = read(bytes, choices);
    for step in &mut steps {
        step.expect = classes.get(&step.class)?.expect(step.operation);
        step.choices = read.to_vec();
    }
    Some(steps)
}

/// The decisions that were read: what follows them decides nothing.
fn read<'b>(bytes: &'b [u8], choices: &Choices<'_>) -> &'b [u8] {
    bytes.get(..bytes.len().saturating_sub(choices.left())).unwrap_or(bytes)
}

/// In how many ways a right request is changed; and how many more are changes of requests that were kept for their answers.
const WAYS: usize = 14;
const WAYS_FURTHER: usize = 8;
/// The decisions that pick one of these: they follow the operation, how rich it is, and the way.
const PICKED: Range<usize> = 6..12;

/// What exchanges of the fuzzer's are for.
pub(super) const PURPOSE: &str = "fuzz";

/// Something to try.
#[derive(Debug, Clone)]
pub(super) struct Probe {
    /// What is called.
    pub operation: Operation,
    /// What is sent.
    pub send: Send,
    /// Fields of the head of a call, over those that each has.
    pub headers: Vec<(String, String)>,
    /// The id of a call over JSON-RPC; nothing for one of the suite's own.
    pub rpc_id: Option<Value>,
    /// What was done to it.
    pub class: String,
    /// Where, if in one place.
    pub place: String,
    /// What must come of it.
    pub expect: Expect,
    /// What was changed in a right request to make it, where it was made so.
    pub made: Option<Arc<Made>>,
    /// The decisions of which it was made.
    pub choices: Vec<u8>,
    /// How later steps of a sequence know it; nothing where none does.
    pub name: String,
    /// Whether the rest of a sequence is about nothing without a result of it.
    pub is_needed: bool,
    /// Whether it is made at once with the step before it.
    pub is_beside: bool,
    /// The interface over which it is made, by its place in the agent's list; nothing for that of the attempt.
    pub over: Option<usize>,
    /// In whose name.
    pub by: Caller,
    /// The state in which the task of its answer has to be for the rest.
    pub state: Option<&'static str>,
    /// How a stream is read.
    pub reading: Reading,
    /// What holds of the steps so far, once it was made.
    pub holds: Vec<Hold>,
}

/// How a stream is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// As long as one event follows another at once.
    Brief,
    /// To its end.
    Whole,
    /// Up to so many events, and then it is left.
    Left(usize),
    /// Up to so many events; then it is held open, and nothing of it is read any more, until the last step is made.
    Held(usize),
}

/// What holds of some steps: an oracle over a case, with the names of steps, and the case whose requirements it rests on.
#[derive(Debug, Clone)]
pub(super) struct Hold {
    pub oracle: &'static str,
    pub args: Value,
    pub like: Cow<'static, str>,
    /// Whether it says something also where no requirement of the version does.
    pub is_of_sense: bool,
}

impl Hold {
    /// What requirements of a case demand.
    pub fn new(oracle: &'static str, args: Value, like: impl Into<Cow<'static, str>>) -> Self {
        Self { oracle, args, like: like.into(), is_of_sense: false }
    }

    /// What is wrong in every version, be it by the requirements of a case or by what the values mean.
    pub fn of_sense(oracle: &'static str, args: Value, like: impl Into<Cow<'static, str>>) -> Self {
        Self { is_of_sense: true, ..Self::new(oracle, args, like) }
    }
}

/// What is sent.
#[derive(Debug, Clone)]
pub(super) enum Send {
    /// Canonical parameters, with references.
    Call { params: Value },
    /// A body of the probe's own.
    Raw { suffix: String, body: Body, head: Box<Head> },
    /// A call that is written byte by byte.
    Bytes { params: Value, send: Vec<Piece> },
    /// Nothing: what the agent posts to a webhook is waited for.
    Deliveries(Deliveries),
    /// Questions for a task, until it has ended.
    End { task: String },
}

/// What goes before a body of a probe's own, where it is not as it should be.
#[derive(Debug, Clone, Default)]
pub(super) struct Head {
    /// The method of HTTP; nothing: POST.
    pub verb: Option<String>,
    pub content_type: Option<String>,
    pub headers: Vec<(String, String)>,
    /// Over gRPC, in place of the prefix of the message.
    pub prefix: Option<Bytes>,
}

impl Head {
    /// The method of HTTP.
    pub fn verb(&self) -> &str {
        self.verb.as_deref().unwrap_or("POST")
    }

    /// Whether a body is behind it.
    pub fn has_body(&self) -> bool {
        !["GET", "DELETE"].contains(&self.verb())
    }
}

/// A body.
#[derive(Debug, Clone)]
pub(super) enum Body {
    /// A text with references.
    Text(String),
    /// Bytes as they are.
    Bytes(Bytes),
}

impl Body {
    /// How many bytes it is written with.
    pub fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }
}

/// A request, ready to be sent.
pub(super) enum Ready {
    Call(CallRequest, Reading),
    Raw(RawRequest),
    /// With the number of its exchange.
    Bytes(u64, Box<Script>),
}

impl Probe {
    /// What these decisions come to over an interface; nothing where they come to nothing that it can be sent.
    fn make(aim: &Aim, classes: &Classes, bytes: &[u8]) -> Option<Self> {
        let mut choices = Choices::new(bytes);
        let operation = *choices.pick(&aim.operations)?;
        let is_rich = choices.below(2) == 1;
        let how = choices.below(WAYS + WAYS_FURTHER);
        let picked = if how < WAYS { None } else { aim.feedback.pick(operation, &mut choices) };
        let is_jsonrpc = aim.session.connection.interface.binding == Binding::Jsonrpc;
        let mut made = match how {
            WAYS.. => match &picked {
                Some(picked) => further(aim, classes, (operation, picked), &mut choices),
                None => changed(aim, classes, (operation, is_rich), how, &mut choices),
            },
            4 if operation.sends_a_message() && is_rich => generated(aim, operation, &mut choices),
            5 => recombined(aim, classes, (operation, is_rich), &mut choices),
            6 => cut(aim, operation, is_rich, &mut choices),
            7 => changed_text(aim, operation, is_rich, &mut choices),
            8 => respelled(aim, operation, is_rich, &mut choices),
            9 if is_jsonrpc => enveloped(aim, operation, is_rich, &mut choices),
            9 => queried(aim, operation, is_rich, &mut choices),
            11..WAYS => full(aim, classes, operation, &mut choices),
            10 => headed(aim, operation, is_rich, &mut choices),
            _ => changed(aim, classes, (operation, is_rich), how, &mut choices),
        }?;
        let interface = &aim.session.connection.interface;
        // What no requirement calls wrong may be served.
        let named = classes.get(&made.class).filter(|class| aim.rests(class, operation, &made.place));
        let class = named.or_else(|| classes.get("open"))?;
        if !class.runs_over(interface.binding) {
            return None;
        }
        made.class = class.id.clone();
        made.expect = class.expect(operation);
        // What is said of the request without the change says nothing about the change.
        let also = aim.refuses(operation).filter(|_| class.is_about_parameters());
        made.expect.outcome.extend(also.map(|error| Outcome::Error(error.to_owned())));
        made.choices = read(bytes, &choices).to_vec();
        if let (Some(picked), Some(place)) = (picked, made.choices.get_mut(PICKED)) {
            place.copy_from_slice(&picked.choices);
        }
        Some(made)
    }

    /// The request as it goes over an interface; nothing where it cannot be made there.
    pub fn ready(&self, aim: &Aim, known: &dyn References) -> Option<Ready> {
        let fill = |value: &Value| resolve(value, known).ok();
        match &self.send {
            Send::Call { params } => {
                let mut call = aim.call(self.operation, fill(params)?);
                call.rpc_id.clone_from(&self.rpc_id);
                call.headers = self.headers.iter().map(|(name, value)| (name.clone(), Some(value.clone()))).collect();
                aim.session.connection.can_carry(&call).is_ok().then_some(Ready::Call(call, self.reading))
            }
            // They are no requests of their own.
            Send::Deliveries(_) | Send::End { .. } => None,
            Send::Bytes { params, send } => {
                let call = aim.call(self.operation, fill(params)?);
                let (number, meant) = aim.session.connection.write(&call)?;
                let script = script((meant, aim.session.connection.interface.binding), (send, 1), known).ok()?;
                Some(Ready::Bytes(number, Box::new(script)))
            }
            Send::Raw { suffix, body, head } => {
                let text = |text: &str| match fill(&json!(text))? {
                    Value::String(text) => Some(text),
                    other => Some(other.to_string()),
                };
                let body = match body {
                    Body::Text(own) => Bytes::from(text(own)?),
                    Body::Bytes(bytes) => bytes.clone(),
                };
                let (verb, suffix) = (head.verb(), text(suffix)?);
                let called = called(&aim.session.connection.interface, verb, &suffix, &body);
                Some(Ready::Raw(RawRequest {
                    method: verb.to_owned(),
                    suffix: aim.session.connection.interface.path(&suffix),
                    content_type: head.content_type.clone().or_else(|| media_type(aim).filter(|_| head.has_body())),
                    body,
                    headers: head.headers.iter().map(|(name, value)| (name.clone(), Some(value.clone()))).collect(),
                    prefix: head.prefix.clone(),
                    operation: called.0,
                    rpc_id: called.1,
                    purpose: PURPOSE.to_owned(),
                }))
            }
        }
    }

    /// Whether it can be made over an interface before anything was said there.
    pub fn can_begin(&self, aim: &Aim) -> bool {
        let known = aim.known();
        if let Send::Raw { suffix, body, .. } = &self.send {
            let can_be_filled = |text: &str| resolve(&json!(text), &*known).is_ok();
            return can_be_filled(suffix)
                && match body {
                    Body::Text(text) => can_be_filled(text),
                    Body::Bytes(_) => true,
                };
        }
        // The addresses of webhooks are there once it is made.
        let is_call_of_any_form = matches!(self.send, Send::Call { .. })
            && (aim.session.connection.interface.binding == Binding::Jsonrpc || !given(self).is_empty());
        // Whatever a first request refers to is there then.
        (is_call_of_any_form && known.has_task()) || self.ready(aim, &*known).is_some()
    }

    /// Whether it sends nothing, and waits for what the agent posts.
    pub fn listens(&self) -> bool {
        matches!(self.send, Send::Deliveries(_))
    }

    /// Whether the task of an answer is in the state that the rest is about.
    pub fn is_in_state(&self, answer: &Answer) -> bool {
        self.state.is_none_or(|state| answer.result().and_then(state_in) == Some(state))
    }

    /// Whether the agent may close the connection instead of an answer.
    pub fn may_be_dropped(&self) -> bool {
        self.expect.outcome.contains(&Outcome::Closed)
    }

    /// Whether the agent may wait for more of it: who writes a call over frames of HTTP/2 says where it ends.
    pub fn may_be_waited_for(&self) -> bool {
        matches!(self.send, Send::Bytes { .. }) && !["odd-frame", "cut-message"].contains(&self.class.as_str())
    }

    /// Whether nothing is expected of it but that what follows is served.
    pub fn is_odd(&self) -> bool {
        ["odd-bytes", "odd-frame", "open-frame", "crowd"].contains(&self.class.as_str())
    }

    /// Whether it is a message that an agent may begin to work on.
    pub fn may_start_work(&self) -> bool {
        self.operation.sends_a_message()
            && ["open", "right-message", "respelled", "changed-text", "changed-bytes"].contains(&self.class.as_str())
    }
}

pub(super) fn call(operation: Operation, params: Value) -> CallRequest {
    CallRequest { operation, params: params.into(), rpc_id: None, headers: Vec::new(), purpose: PURPOSE.to_owned() }
}

pub(super) fn media_type(aim: &Aim) -> Option<String> {
    let interface = &aim.session.connection.interface;
    match interface.binding {
        Binding::Grpc => None,
        _ => interface.binding_facts().and_then(|facts| facts.media_types.first().cloned()),
    }
}

/// A probe that sends nothing yet.
pub(super) fn bare(operation: Operation) -> Probe {
    Probe {
        operation,
        send: Send::Call { params: Value::Null },
        headers: Vec::new(),
        rpc_id: None,
        class: "open".to_owned(),
        place: String::new(),
        expect: Expect::default(),
        made: None,
        choices: Vec::new(),
        name: String::new(),
        is_needed: false,
        is_beside: false,
        over: None,
        by: Caller::Own,
        state: None,
        reading: Reading::Brief,
        holds: Vec::new(),
    }
}

/// A call with these parameters, which are canonical and have references.
pub(super) fn step(operation: Operation, params: Value) -> Probe {
    Probe { send: Send::Call { params }, ..bare(operation) }
}

/// The decisions of every single change of every request over an interface, and of each request as it should be.
pub(super) fn boundaries(aim: &Aim) -> Vec<Vec<u8>> {
    let word = |one: usize| u16::try_from(one).unwrap_or(u16::MAX).to_le_bytes();
    let bytes = |decisions: &[usize]| decisions.iter().flat_map(|one| word(*one)).collect::<Vec<u8>>();
    let mut by_operation = Vec::new();
    for (number, operation) in aim.operations.iter().enumerate() {
        let mut all = Vec::new();
        for rich in 0..2 {
            all.push(bytes(&[number, rich, 1]));
        }
        // Cut everywhere; once before all else, since what becomes of that tells what becomes of the others.
        let request = aim.base(*operation, false).and_then(|base| base.text(aim, *operation));
        let cuts = 0..request.map_or(0, |request| places_to_cut(&request.body));
        let mut cuts = cuts.map(|end| bytes(&[number, 0, 6, end]));
        all.extend(cuts.next());
        let (mut changes, mut spellings) = (Vec::new(), Vec::new());
        for rich in 0..2 {
            let spots = aim.base(*operation, rich == 1).map(|base| base.spots.as_slice()).unwrap_or_default();
            for (at, spot) in spots.iter().enumerate() {
                changes.extend((0..spot.changes.len()).map(|change| bytes(&[number, rich, 0, at, change])));
            }
            let of_base = |base: &Base| base.spellings(aim, *operation, rich == 1).len();
            let count = aim.base(*operation, rich == 1).map_or(0, of_base);
            spellings.extend((0..count).map(|one| bytes(&[number, rich, 8, one])));
        }
        all.extend(in_turn(vec![changes, spellings]));
        all.extend(cuts);
        by_operation.push(all);
    }
    in_turn(by_operation)
}

/// The first of each, then the second of each, and so on.
pub(super) fn in_turn<T>(each: Vec<Vec<T>>) -> Vec<T> {
    let longest = each.iter().map(Vec::len).max().unwrap_or_default();
    let mut each: Vec<_> = each.into_iter().map(Vec::into_iter).collect();
    (0..longest).flat_map(|_| each.iter_mut().filter_map(Iterator::next).collect::<Vec<T>>()).collect()
}
