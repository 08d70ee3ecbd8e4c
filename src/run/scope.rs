//! The names that a case's references can use, and their values.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::agent::Agent;
use super::fixture::values;
use super::{message, unknown};
use crate::case::{References, lookup};
use crate::judge::Seen;
use crate::plan::CardPlace;
use crate::transcript::{Said, task_in};

/// What a case knows so far.
pub(super) struct Scope<'a> {
    agent: &'a Agent,
    /// The fixtures.
    pub fixtures: BTreeMap<String, Value>,
    steps: BTreeMap<String, Value>,
}

impl<'a> Scope<'a> {
    pub fn new(agent: &'a Agent) -> Self {
        Self { agent, fixtures: BTreeMap::new(), steps: BTreeMap::new() }
    }

    /// Remembers what came of a step.
    pub fn remember(&mut self, name: &str, seen: &Seen) {
        self.steps.insert(name.to_owned(), record(seen));
    }
}

impl Scope<'_> {
    /// The parameters, as they are on the wire, of an operation that takes one id: `GetTask.done.id` of the task whose id a
    /// reference names, `GetTask.no-such-task` of the one that is called so.
    fn params(&self, call: &str) -> Option<Value> {
        let (operation, id) = call.split_once('.')?;
        let endpoint = &self.agent.connection.endpoint;
        let mut operations = endpoint.profile.facts.operations.iter();
        let (_, facts) = operations.find(|(known, _)| known.to_string() == operation)?;
        let id = if id.contains('.') { lookup(id, self).ok()? } else { json!(id) };
        let params = json!({ "id": id });
        Some(facts.params.as_ref().map_or_else(|| params.clone(), |kind| endpoint.dialect.to_wire(kind, &params)))
    }
}

impl References for Scope<'_> {
    fn value(&self, name: &str) -> Option<Value> {
        let endpoint = &self.agent.connection.endpoint;
        match name {
            "unique" => Some(json!(message::unique())),
            "unknown-id" => {
                let known = self.agent.record.some_id();
                Some(json!(known.map_or_else(|| unknown::WITHOUT_EXAMPLE.to_owned(), |known| unknown::unlike(&known))))
            }
            "method" => {
                let operations = endpoint.profile.facts.operations.iter();
                Some(operations.map(|(operation, facts)| (operation.to_string(), json!(facts.method))).collect())
            }
            "route" => {
                let routes = endpoint.profile.routes.iter();
                // The common one, without a tenant's name in it.
                let plain = routes.filter_map(|(operation, routes)| {
                    let least = routes.iter().min_by_key(|route| route.path.members().count())?;
                    Some((operation.to_string(), json!(least.path.to_string())))
                });
                Some(plain.collect())
            }
            "interface" => Some(json!({ "url": endpoint.url })),
            "card" => match &endpoint.card {
                CardPlace::Url(url) => Some(json!({ "url": url })),
                CardPlace::File(_) | CardPlace::Missing => None,
            },
            _ => match name.strip_prefix("params.") {
                Some(rest) => self.params(rest),
                None => self.steps.get(name).or_else(|| self.fixtures.get(name)).cloned(),
            },
        }
    }
}

/// The ids of the task that a stream is about, where it does not show the task itself.
fn task_of_update(events: &[Value]) -> Option<Value> {
    let update = events.iter().find_map(|event| event.get("statusUpdate").or_else(|| event.get("artifactUpdate")))?;
    Some(json!({ "id": update.get("taskId")?, "contextId": update.get("contextId") }))
}

/// A step as references see it.
fn record(seen: &Seen) -> Value {
    let mut members = Map::new();
    if let Some(root) = seen.root() {
        let task = match &root {
            Value::Array(events) => events.iter().find_map(task_in).cloned().or_else(|| task_of_update(events)),
            other => task_in(other).cloned(),
        };
        members.extend(task.map(|task| ("task".to_owned(), task)));
        members.extend(root.get("message").map(|message| ("message".to_owned(), message.clone())));
        members.insert("result".to_owned(), root);
    }
    if let Some(answer) = seen.answer() {
        members.insert("request".to_owned(), answer.exchange.request.params.clone());
        if let Said::Stream(events) = &answer.said {
            members.insert("events".to_owned(), Value::Array(values(events)));
        }
        if let Some(error) = answer.refusal() {
            members.insert("error".to_owned(), error.value.clone());
        }
        if let Some(response) = &answer.exchange.response {
            members.insert("http".to_owned(), json!({ "status": response.status }));
            let headers: Map<String, Value> =
                response.headers.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            members.insert("headers".to_owned(), Value::Object(headers));
        }
    }
    Value::Object(members)
}
