//! Changes to the order and number of events.

use std::time::Duration;

use serde_json::Value;

use super::asked::Asked;
use super::data::{EventAction, EventChange, Fault, Kind};
use super::edit;
use super::objects::visit;

/// How long an event that is late is kept.
const DELAY: Duration = Duration::from_secs(1);
/// The states in which a task ends.
const TERMINAL: [&str; 4] = ["completed", "failed", "canceled", "rejected"];

/// What becomes of an event.
#[derive(Debug, PartialEq)]
pub enum Step {
    /// It is sent.
    Send(Value),
    /// Time passes.
    Wait(Duration),
    /// The stream ends.
    End,
    /// The connection is lost.
    Cut,
    /// Nothing more happens.
    Hang,
}

/// The events of one stream.
pub struct Events {
    faults: Vec<&'static Fault>,
    /// How many events each change has met.
    met: Vec<usize>,
    held: Vec<Value>,
}

impl Events {
    /// A stream in which faults act.
    pub fn new(faults: Vec<&'static Fault>) -> Self {
        let changes = faults.iter().map(|fault| fault.events.len()).sum();
        Self { faults, met: vec![0; changes], held: Vec::new() }
    }

    /// What becomes of the next event.
    pub fn next(&mut self, asked: &Asked, mut event: Value) -> Vec<Step> {
        let (kind, state) = describe(&mut event);
        let mut actions = Vec::new();
        let changes = self.faults.iter().flat_map(|fault| &fault.events);
        for (change, met) in changes.zip(&mut self.met) {
            if is_meant(change, kind, state.as_deref(), asked) {
                *met += 1;
                if change.nth.is_none_or(|nth| nth == *met) && *met > change.after {
                    actions.push(change.action);
                }
            }
        }
        for edit in self.faults.iter().flat_map(|fault| &fault.edit) {
            edit::apply(edit, &mut event, asked);
        }
        let held = std::mem::take(&mut self.held);
        let does = |action: EventAction| actions.contains(&action);
        if does(EventAction::EndBefore) {
            return held.into_iter().map(Step::Send).chain([Step::End]).collect();
        }
        if does(EventAction::Hold) {
            self.held = held;
            self.held.push(event);
            return Vec::new();
        }
        if self.faults.iter().flat_map(|fault| &fault.events).any(|change| change.action == EventAction::Hold) {
            return held.into_iter().chain([event]).map(Step::Send).collect();
        }
        if does(EventAction::Late) {
            self.held = vec![event];
            return held.into_iter().map(Step::Send).collect();
        }
        let mut steps = Vec::new();
        if does(EventAction::Delay) {
            steps.push(Step::Wait(DELAY));
        }
        if !does(EventAction::Drop) {
            steps.push(Step::Send(event.clone()));
        }
        if does(EventAction::Double) {
            steps.push(Step::Send(event));
        }
        steps.extend(held.into_iter().map(Step::Send));
        for (action, step) in
            [(EventAction::End, Step::End), (EventAction::Cut, Step::Cut), (EventAction::Hang, Step::Hang)]
        {
            if does(action) {
                steps.push(step);
            }
        }
        steps
    }

    /// What is left when the agent has ended the stream.
    pub fn rest(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.held)
    }
}

fn is_meant(change: &EventChange, kind: &str, state: Option<&str>, asked: &Asked) -> bool {
    let is_state = |wanted: &str| state.is_some_and(|state| asked.spell_state(wanted, Some(state)) == state);
    change.kind.as_ref().is_none_or(|wanted| wanted == kind)
        && change.state.as_ref().is_none_or(|wanted| match wanted.as_str() {
            "terminal" => TERMINAL.iter().any(|state| is_state(state)),
            wanted => is_state(wanted),
        })
}

/// The kind of an event, and the state in it.
fn describe(event: &mut Value) -> (&'static str, Option<String>) {
    let mut has = |kind: Kind| {
        let mut found = false;
        visit(event, kind, &mut |_, _| found = true);
        found
    };
    let kind = match () {
        () if has(Kind::StatusUpdate) => "status",
        () if has(Kind::ArtifactUpdate) => "artifact",
        () if has(Kind::Task) => "task",
        () if has(Kind::Message) => "message",
        () => "other",
    };
    let mut state = None;
    visit(event, Kind::Status, &mut |status, _| {
        state = status.get("state").and_then(Value::as_str).map(str::to_owned);
    });
    (kind, state)
}
