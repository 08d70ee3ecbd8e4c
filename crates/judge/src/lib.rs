//! From what was expected and what was seen to what was wrong: pure functions, no I/O, no clock.
//!
//! Enters: `StepRecord` steps (for a case's own conversation) or every [`Answer`] of a run (for cases that only observe).
//! Leaves: a `Judgement`. Knows profiles and transcripts; refuses to know bindings, networks and time limits.

mod cause;
pub mod client;
mod delivered;
mod denial;
mod expectation;
mod follows;
mod frame;
mod matcher;
pub mod oracle;
mod refer;
#[cfg(test)]
mod script;
#[cfg(test)]
mod tests;
pub mod visit;

#[cfg(test)]
pub(crate) use a2aspec_binding as binding;
pub(crate) use a2aspec_model::{case, extension, finding, interface, profile, reason, signature, transcript, verdict};
pub(crate) use a2aspec_wire::{self as wire, diagnostic};

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

pub use cause::failure;
pub use delivered::read as read_delivery;
pub use denial::{NO_ROUTE, UNSUPPORTED, denies, is_of_a2a, is_unfound, may_deny, not_there, says_unsupported};
pub use expectation::{barred, before_the_agent, describe};
pub use expectation::{reached, step, unanswered};
pub use matcher::{check, refutes};

use crate::case::{Expect, Input, Matcher};
use crate::finding::Finding;
use crate::profile::{Binding, Dialect, Operation, Profile};
use crate::reason::Reason;
use crate::signature::Keys;
use crate::transcript::{Answer, AskedTwice, Content, Delivered, Fate, StreamEvent, task_in};
use crate::verdict::Verdict;
use crate::wire::json::pointer;

/// What judging came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Judgement {
    /// The behaviour was seen and right.
    Right,
    /// The behaviour was seen and wrong.
    Wrong(Vec<Finding>),
    /// The behaviour could not be seen, and why.
    Unseen(Reason),
    /// The connection or the suite failed, and how.
    Broken(Reason),
}

impl Judgement {
    /// `Right` if there is nothing wrong.
    pub fn of(findings: Vec<Finding>) -> Self {
        if findings.is_empty() { Self::Right } else { Self::Wrong(findings) }
    }

    /// The verdict at a level.
    pub fn verdict(&self, level: crate::verdict::Level) -> Verdict {
        match self {
            Self::Right => Verdict::Pass,
            Self::Wrong(_) => Verdict::broken_at(level),
            Self::Unseen(reason) if reason.is_for_other_agents() => Verdict::Skipped,
            Self::Unseen(_) => Verdict::Unreached,
            Self::Broken(_) => Verdict::Broken,
        }
    }
}

/// What judging came to, and what it has seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// What it came to.
    pub judgement: Judgement,
    /// The assertions that were seen to hold: see [`crate::case::Assertion`].
    pub held: Vec<String>,
    /// Those that were violated: of all findings, also where the judgement has but the first few.
    pub violated: Vec<String>,
}

impl Judged {
    /// What was seen to hold, and in what it was wrong. What was wrong somewhere does not hold, whatever was seen elsewhere.
    pub fn new(held: impl IntoIterator<Item = String>, findings: Vec<Finding>) -> Self {
        let violated: BTreeSet<String> = findings.iter().map(|finding| finding.assertion.clone()).collect();
        let held: BTreeSet<String> = held.into_iter().filter(|name| !violated.contains(name)).collect();
        let held = held.into_iter().collect();
        Self { judgement: Judgement::of(findings), held, violated: violated.into_iter().collect() }
    }

    /// Names the kind of input, where findings need it to be told apart. `may_serve` is whether a result would have been right.
    #[must_use]
    pub fn of_input(mut self, input: &Input, may_serve: bool) -> Self {
        if let Judgement::Wrong(findings) = &mut self.judgement {
            for finding in findings {
                finding.input = cause::input(finding, input, may_serve);
            }
        }
        self
    }

    /// Names the assertions, by what they are called within the step or the oracle.
    #[must_use]
    pub fn naming(mut self, name: impl Fn(&str) -> String) -> Self {
        if let Judgement::Wrong(findings) = &mut self.judgement {
            for finding in findings {
                finding.assertion = name(&finding.assertion);
            }
        }
        for assertion in self.held.iter_mut().chain(&mut self.violated) {
            *assertion = name(assertion);
        }
        self
    }
}

/// An oracle that asserts one thing.
impl From<Judgement> for Judged {
    fn from(judgement: Judgement) -> Self {
        match judgement {
            Judgement::Right => Self::new([String::new()], Vec::new()),
            Judgement::Wrong(findings) => Self::new([], findings),
            judgement => Self { judgement, held: Vec::new(), violated: Vec::new() },
        }
    }
}

/// A step that was done.
#[derive(Debug, Clone)]
pub struct StepRecord {
    /// The name under which oracles know it.
    pub name: Option<String>,
    /// What came of it.
    pub seen: Observation,
    /// What must hold for the case to be about the agent; references are filled in.
    pub applies: BTreeMap<String, Matcher>,
    /// What must hold for the case to be about anything; references are filled in.
    pub reach: BTreeMap<String, Matcher>,
    /// What was expected; references are filled in.
    pub expect: Option<Expect>,
    /// The same as the case file has it, with its references.
    pub written: Option<Expect>,
    /// The step's place in its file, as `file:line`.
    pub source: Option<String>,
}

/// What came of a step.
#[derive(Debug, Clone)]
pub enum Observation {
    /// One exchange.
    Answer(Answer),
    /// The pages of a walk.
    Walk(Vec<Answer>),
    /// What a task was read as in the end, while it was waited for.
    Polled(Polled),
    /// What came over a connection whose bytes the case chose.
    Connection(Connected),
    /// What came to a webhook.
    Deliveries(Delivered),
}

/// What came of waiting for a task. Of the answers on the way only the times are kept: there may be hundreds.
#[derive(Debug, Clone)]
pub struct Polled {
    /// The last answer.
    pub last: Answer,
    /// When each question was asked and when its answer was there, since the start of the run.
    pub times: Vec<(Duration, Duration)>,
}

/// What came over a connection.
#[derive(Debug, Clone)]
pub struct Connected {
    /// The answers, in their order. The first is the one that expectations are about; it may be lost.
    pub answers: Vec<Answer>,
    /// The statuses of interim answers.
    pub interim: Vec<u16>,
    /// What became of the connection.
    pub fate: Fate,
}

impl Connected {
    /// What a condition on the connection is about.
    pub(crate) fn value(&self, name: &str) -> Option<Value> {
        let statuses = || self.answers.iter().filter_map(|answer| Some(answer.exchange.response.as_ref()?.status));
        match name {
            "answers" => Some(statuses().count().into()),
            "closed" => Some(matches!(self.fate, Fate::Closed | Fate::Reset).into()),
            "statuses" => Some(statuses().collect()),
            "interim" => Some(self.interim.iter().copied().collect()),
            _ => None,
        }
    }
}

/// A place in what was seen: which exchange, which event of its stream, which pointer into the JSON there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// Number of the exchange.
    pub exchange: u64,
    /// Index of the event, in a stream.
    pub event: Option<usize>,
    /// Pointer into the body or the event's data.
    pub pointer: String,
}

impl Observation {
    /// The exchange, or the last of several; deliveries to a webhook are no answer.
    pub fn answer(&self) -> Option<&Answer> {
        match self {
            Self::Answer(answer) => Some(answer),
            Self::Walk(pages) => pages.last(),
            Self::Polled(polled) => Some(&polled.last),
            Self::Connection(connected) => connected.answers.first(),
            Self::Deliveries(_) => None,
        }
    }

    /// Every exchange.
    pub fn answers(&self) -> &[Answer] {
        match self {
            Self::Answer(answer) => std::slice::from_ref(answer),
            Self::Walk(pages) => pages,
            Self::Polled(polled) => std::slice::from_ref(&polled.last),
            Self::Connection(connected) => &connected.answers,
            Self::Deliveries(delivered) => &delivered.answers,
        }
    }

    /// When each question was asked that got an answer, and when that was there, since the start of the run.
    pub fn times(&self) -> Vec<(Duration, Duration)> {
        match self {
            Self::Polled(polled) => polled.times.clone(),
            _ => self.answers().iter().filter_map(Answer::times).collect(),
        }
    }

    /// The value in which the pointers of an expectation stand; `None` where there is no result.
    pub fn root(&self) -> Option<Cow<'_, Value>> {
        if let Self::Walk(pages) = self {
            return walked(pages).map(Cow::Owned);
        }
        if let Some(delivered) = self.delivered() {
            return Some(Cow::Owned(delivered.value()));
        }
        match &self.answer()?.content {
            Content::Result(payload) => Some(Cow::Borrowed(&payload.reading.value)),
            Content::Stream(events) if events.iter().any(|event| event.value().is_some()) => {
                let values = events.iter().map(|event| event.value().cloned().unwrap_or_default());
                Some(Cow::Owned(values.collect()))
            }
            Content::Batch(document) => Some(Cow::Owned(document.value())),
            _ => None,
        }
    }

    /// Whether there is such a value.
    pub fn has_root(&self) -> bool {
        if let Self::Walk(pages) = self {
            return pages.iter().all(|page| page.result().is_some());
        }
        if self.delivered().is_some() {
            return true;
        }
        self.answer().is_some_and(|answer| match &answer.content {
            Content::Result(_) | Content::Batch(_) => true,
            Content::Stream(events) => events.iter().any(|event| event.value().is_some()),
            _ => false,
        })
    }

    /// Where a pointer of an expectation stands in the bytes.
    pub fn locate(&self, canonical: &str) -> Option<Location> {
        if let Some(delivered) = self.delivered() {
            let (index, rest) = first_of(canonical)?;
            let answer = delivered.answers.get(index)?;
            let Content::Result(payload) = &answer.content else { return None };
            let (exchange, pointer) = (answer.exchange.number, payload.locate(&rest));
            return Some(Location { exchange, event: None, pointer });
        }
        let answer = self.answer()?;
        let exchange = answer.exchange.number;
        match &answer.content {
            Content::Result(payload) => Some(Location { exchange, event: None, pointer: payload.locate(canonical) }),
            Content::Stream(events) => {
                let (index, rest) = first_of(canonical)?;
                let payload = events.get(index).and_then(StreamEvent::payload)?;
                Some(Location { exchange, event: Some(index), pointer: payload.locate(&rest) })
            }
            _ => Some(Location { exchange, event: None, pointer: canonical.to_owned() }),
        }
    }

    /// The task in the result, or the first task of a stream.
    pub fn task(&self) -> Option<&Value> {
        self.placed_task().map(|(_, task)| task)
    }

    /// That task, and where it stands in what [`Self::root`] gives.
    fn placed_task(&self) -> Option<(String, &Value)> {
        let in_value = |value| {
            let task = task_in(value)?;
            Some((if std::ptr::eq(task, value) { "" } else { "/task" }, task))
        };
        match &self.answer()?.content {
            Content::Result(payload) => in_value(&payload.reading.value).map(|(place, task)| (place.to_owned(), task)),
            Content::Stream(events) => events.iter().enumerate().find_map(|(index, event)| {
                let (place, task) = in_value(event.value()?)?;
                Some((format!("/{index}{place}"), task))
            }),
            _ => None,
        }
    }
}

/// The index with which a pointer begins, and the rest of the pointer.
fn first_of(canonical: &str) -> Option<(usize, String)> {
    let tokens = pointer::tokens(canonical)?;
    let index = tokens.first()?.parse::<usize>().ok()?;
    let rest = tokens.iter().skip(1).fold(String::new(), |mut path, token| {
        pointer::push(&mut path, token);
        path
    });
    Some((index, rest))
}

/// The pages of a walk as one value, with the tasks of all of them; `None` where one of them is no result.
pub fn walked(pages: &[Answer]) -> Option<Value> {
    let pages = pages.iter().map(|page| page.result().cloned()).collect::<Option<Vec<Value>>>()?;
    let tasks: Vec<Value> = pages.iter().flat_map(|page| items(page, "tasks")).cloned().collect();
    Some(serde_json::json!({ "pages": pages, "tasks": tasks }))
}

/// The items of a list member; none where there is no list.
pub fn items<'a>(value: &'a Value, member: &str) -> &'a [Value] {
    value.get(member).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// What an oracle over one case sees.
#[derive(Clone, Copy)]
pub struct CaseView<'a> {
    /// The profile of the trial.
    pub profile: &'a Profile,
    /// The steps that were done.
    pub played: &'a [StepRecord],
    /// The fixtures by name.
    pub fixtures: &'a BTreeMap<String, Arc<Value>>,
    /// Name of the profile that the interface was heard to speak, where its card claims another.
    pub speaks: Option<&'a str>,
    /// Name of the profile whose methods it was heard to have, where its objects are those that its card claims.
    pub methods_of: Option<&'a str>,
    /// The keys by which signatures of cards are verified.
    pub keys: &'a Keys,
}

/// What an interface said of its operations.
#[derive(Debug, Clone, Default)]
pub struct Service {
    /// Those that it was seen to have: it answered as if it knew them, if only with an error.
    pub served: BTreeSet<Operation>,
    /// Those that it denied where it may not, each with the number of the first exchange that shows it.
    pub denied: BTreeMap<Operation, u64>,
    /// Those that it called unsupported where it may not, likewise.
    pub unsupported: BTreeMap<Operation, u64>,
    /// Those of which it was seen to do something.
    pub worked: BTreeSet<Operation>,
    /// The number of an exchange that shows that it answers every request alike, if it does.
    pub alike: Option<u64>,
    /// Those that an agent lacks which serves messages alone, each with the number of an exchange that shows it.
    pub messages_alone: BTreeMap<Operation, u64>,
}

/// What an oracle over the whole run sees.
#[derive(Clone, Copy)]
pub struct RunView<'a> {
    /// The profile of the trial.
    pub profile: &'a Profile,
    /// The form in which the interface speaks.
    pub dialect: &'a Dialect,
    /// The binding of the interface.
    pub binding: Binding,
    /// Every answer to a call of A2A over one interface, in the order of the exchanges' numbers.
    pub answers: &'a [Answer],
    /// The answers to what is no call of A2A, such as another path or media type: HTTP answers these, in whatever form.
    pub beside: &'a [Answer],
    /// What the interface said of its operations.
    pub service: &'a Service,
    /// The requests that were left without an answer and asked again.
    pub asked_twice: &'a [AskedTwice],
    /// What it answered where it was tried in other dialects than that in which it is judged.
    pub tried: &'a [Answer],
}
