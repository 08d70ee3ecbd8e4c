//! What an agent does at the prefix of a message (11.2): each is a trigger of this suite.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::case::{Matcher, Trigger, ValueKind};

/// A behaviour of the contract between these tests and the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Behaviour {
    /// What the text of the message begins with.
    pub prefix: &'static str,
    /// What brings an agent there that is driven otherwise.
    pub trigger: Trigger,
    /// The state in which its task ends or waits.
    state: Option<&'static str>,
    /// The member that some part of its artifacts has.
    part: Option<&'static str>,
}

const fn behaviour(prefix: &'static str, trigger: Trigger, state: Option<&'static str>) -> Behaviour {
    Behaviour { prefix, trigger, state, part: None }
}

const fn artifact(prefix: &'static str, trigger: Trigger, part: &'static str) -> Behaviour {
    Behaviour { prefix, trigger, state: Some(COMPLETED), part: Some(part) }
}

const COMPLETED: &str = "TASK_STATE_COMPLETED";
const INPUT_REQUIRED: &str = "TASK_STATE_INPUT_REQUIRED";

impl Behaviour {
    /// Those of the standard contract, the longer of two that begin alike first.
    pub const ALL: [Self; 14] = [
        behaviour("tck-complete-task", Trigger::Complete, Some(COMPLETED)),
        behaviour("tck-input-required", Trigger::InputRequired, Some(INPUT_REQUIRED)),
        behaviour("tck-reject-task", Trigger::Reject, Some("TASK_STATE_REJECTED")),
        behaviour("tck-message-response", Trigger::Message, None),
        artifact("tck-artifact-text", Trigger::Complete, "text"),
        artifact("tck-artifact-file-url", Trigger::File, "url"),
        artifact("tck-artifact-file", Trigger::File, "raw"),
        artifact("tck-artifact-data", Trigger::Data, "data"),
        behaviour("tck-long-running", Trigger::Slow, None),
        behaviour("tck-cancel", Trigger::Slow, None),
        behaviour("tck-multi-turn", Trigger::InputRequired, Some(INPUT_REQUIRED)),
        behaviour("tck-stream-chunked", Trigger::Chunks, Some(COMPLETED)),
        behaviour("tck-stream-basic", Trigger::Complete, Some(COMPLETED)),
        behaviour("tck-task-failure", Trigger::Fail, Some("TASK_STATE_FAILED")),
    ];

    /// The behaviour that a text asks for.
    pub fn of(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| text.starts_with(one.prefix))
    }

    /// The first behaviour that a trigger brings.
    pub fn by(trigger: Trigger) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.trigger == trigger)
    }

    /// What shows that the agent behaves so: an agent that does not is not at fault.
    pub fn reached(self, is_stream: bool, at_once: bool) -> BTreeMap<String, Matcher> {
        let at = |place: &str, matcher: Matcher| BTreeMap::from([(place.to_owned(), matcher)]);
        let member = if self.trigger == Trigger::Message { "/message" } else { "/task" };
        let state = self.state.filter(|_| !at_once).map(|state| Matcher::Equals(Value::from(state)));
        if is_stream {
            let Some(state) = state else { return BTreeMap::new() };
            let shown = |place: &str| at("", Matcher::Some(at(place, state.clone())));
            return at("", Matcher::AnyOf(vec![shown("/task/status/state"), shown("/statusUpdate/status/state")]));
        }
        let mut reached = at(member, Matcher::Type(ValueKind::Object));
        reached.extend(state.map(|state| ("/task/status/state".to_owned(), state)));
        if let Some(part) = self.part.filter(|_| !at_once) {
            let of_part = at(&format!("/{part}"), Matcher::Present(true));
            reached.extend(at("/task/artifacts", Matcher::Some(at("/parts", Matcher::Some(of_part)))));
        }
        reached
    }
}
