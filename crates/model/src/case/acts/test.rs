//! A test (3.2): where it applies, and its steps.

use serde_json::{Map, Value};

use super::{Behaviour, Reader};
use crate::case::convert::inner;
use crate::case::{Act, Action, Case, Own, Step};
use crate::profile::{Binding, Capability, Operation};
use crate::verdict::Level;
use crate::yaml::tree::Part;

/// What a test is in.
pub(super) struct Suite<'a> {
    /// Its id.
    pub id: &'a str,
    /// The protocol version of its document, where there is such a version.
    pub profile: Option<&'a str>,
}

/// The area of these cases.
const AREA: &str = "acts";
pub(super) const BINDINGS: [(&str, Binding); 3] =
    [("jsonrpc", Binding::Jsonrpc), ("grpc", Binding::Grpc), ("rest", Binding::HttpJson)];
pub(super) const LEVELS: [(&str, Level); 3] = [("must", Level::Must), ("should", Level::Should), ("may", Level::May)];
pub(super) const CAPABILITIES: [(&str, Capability); 3] = [
    ("streaming", Capability::Streaming),
    ("pushNotifications", Capability::PushNotifications),
    ("extendedAgentCard", Capability::ExtendedCard),
];
const KEYS: [&str; 11] = [
    "id",
    "name",
    "description",
    "spec_ref",
    "level",
    "tags",
    "transport",
    "preconditions",
    "requires_behaviors",
    "origin",
    "steps",
];

/// Where a test applies.
#[derive(Default)]
struct Applies {
    bindings: Vec<Binding>,
    needs: Vec<Capability>,
    without: Vec<Capability>,
}

impl<'a> Reader<'a> {
    /// The case that a test is.
    pub(super) fn test(&mut self, test: &'a Value, at: &str, suite: &Suite<'_>) -> Option<Case> {
        let members = self.map(test, at)?;
        self.only(members, at, &KEYS);
        let id = self.needed(members, at, "id");
        let name = self.needed(members, at, "name");
        let written = self.needed(members, at, "level");
        let level = LEVELS.iter().find(|(name, _)| *name == written).map(|(_, level)| *level);
        if level.is_none() && !written.is_empty() {
            self.wrong_name(&inner(at, "level"), "level", written, &LEVELS.map(|(name, _)| name));
        }
        let mut applies = self.applies(members, at);
        self.check_behaviours(members, at);
        let listed = self.list(members, at, "steps");
        let steps = self.steps(listed, &inner(at, "steps"));
        if members.get("steps").is_none_or(|steps| steps.as_array().is_some_and(Vec::is_empty)) {
            self.wrong(at, &Part::Value, "a test has `steps`");
        }
        let is_raw = |step: &Step| matches!(step.act, Act::Raw(_));
        if applies.bindings.is_empty() && steps.iter().any(is_raw) {
            self.beyond(at, &Part::Value, "a raw request is of one binding, and the test names no `transport`");
        }
        for capability in steps.iter().filter_map(needed).collect::<Vec<_>>() {
            if !applies.needs.contains(&capability) && !applies.without.contains(&capability) {
                applies.needs.push(capability);
            }
        }
        let section = self.text(members, at, "spec_ref").unwrap_or_default();
        let why = self.text(members, at, "description").map(str::trim).filter(|text| !text.is_empty());
        Some(Case {
            id: format!("{AREA}/{}/{}", kebab(suite.id), kebab(id)),
            title: name.to_owned(),
            why: why.unwrap_or(name).to_owned(),
            right: "what the steps of the test expect".to_owned(),
            wrong: "anything else".to_owned(),
            fix: match section {
                "" => "See what the test expects.".to_owned(),
                section => format!("See {section}, and what the test expects."),
            },
            needs: applies.needs,
            without: applies.without,
            bindings: applies.bindings,
            extension: Vec::new(),
            dialects: Vec::new(),
            across: false,
            claim: false,
            object: None,
            given: Default::default(),
            webhooks: Default::default(),
            action: Action::Steps(steps),
            holds: Vec::new(),
            own: Some(Own {
                level: level.unwrap_or(Level::Must),
                profiles: suite.profile.map(str::to_owned).into_iter().collect(),
                section: section.to_owned(),
            }),
            file: self.file.to_owned(),
            at: at.to_owned(),
            beyond: std::mem::take(&mut self.beyond),
        })
    }

    /// The bindings of a test, and its preconditions (3.3).
    fn applies(&mut self, members: &'a Map<String, Value>, at: &str) -> Applies {
        let mut applies = Applies { bindings: self.bindings(members, at), ..Applies::default() };
        let Some(before) = members.get("preconditions") else { return applies };
        let at = inner(at, "preconditions");
        let Some(before) = self.map(before, &at) else { return applies };
        self.only(before, &at, &["capabilities", "skills", "transport", "extensions", "description"]);
        let also = self.bindings(before, &at);
        if applies.bindings.is_empty() {
            applies.bindings = also;
        } else if !also.is_empty() {
            applies.bindings.retain(|binding| also.contains(binding));
            if applies.bindings.is_empty() {
                self.wrong(&inner(&at, "transport"), &Part::Value, "no binding is in both lists of `transport`");
            }
        }
        for name in ["skills", "extensions"] {
            if before.contains_key(name) {
                self.beyond(&inner(&at, name), &Part::Name, format!("cases have no precondition on `{name}`"));
            }
        }
        let at = inner(&at, "capabilities");
        let capabilities = before.get("capabilities").and_then(|capabilities| self.map(capabilities, &at));
        for (name, wanted) in capabilities.into_iter().flatten() {
            let known = CAPABILITIES.iter().find(|(known, _)| known == name).map(|(_, capability)| *capability);
            match (known, wanted) {
                (Some(capability), Value::Bool(true)) => applies.needs.push(capability),
                (Some(capability), Value::Bool(false)) => applies.without.push(capability),
                _ => self.beyond(
                    &inner(&at, name),
                    &Part::Name,
                    format!("cases have no precondition on the capability `{name}`"),
                ),
            }
        }
        applies
    }

    fn bindings(&mut self, members: &'a Map<String, Value>, at: &str) -> Vec<Binding> {
        let mut bindings = Vec::new();
        for (at, name) in self.texts(members, at, "transport") {
            match BINDINGS.iter().find(|(known, _)| *known == name) {
                Some((_, binding)) => bindings.push(*binding),
                None => self.wrong_name(&at, "transport", name, &BINDINGS.map(|(name, _)| name)),
            }
        }
        bindings
    }

    /// An agent is known to have the behaviours of the standard contract, or is seen not to; of others nothing is known.
    fn check_behaviours(&mut self, members: &'a Map<String, Value>, at: &str) {
        for (at, name) in self.texts(members, at, "requires_behaviors") {
            if !Behaviour::ALL.iter().any(|known| known.prefix == name) {
                self.beyond(
                    &at,
                    &Part::Value,
                    format!("nothing shows whether an agent has `{name}`, which is not in the standard contract"),
                );
            }
        }
    }
}

/// The capability without which an agent owes no result of a step.
fn needed(step: &Step) -> Option<Capability> {
    if !step.expect.as_ref().is_none_or(crate::case::Expect::allows_result) {
        return None;
    }
    match step.act.operation()? {
        Operation::SendStreamingMessage | Operation::SubscribeToTask => Some(Capability::Streaming),
        Operation::CreateTaskPushNotificationConfig
        | Operation::GetTaskPushNotificationConfig
        | Operation::ListTaskPushNotificationConfigs
        | Operation::DeleteTaskPushNotificationConfig => Some(Capability::PushNotifications),
        Operation::GetExtendedAgentCard => Some(Capability::ExtendedCard),
        _ => None,
    }
}

/// An id as a segment of ours: small letters, digits and hyphens.
fn kebab(id: &str) -> String {
    let small: String =
        id.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let words: Vec<&str> = small.split('-').filter(|word| !word.is_empty()).collect();
    words.join("-")
}
