//! What the proxy remembers of the calls and answers so far.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use crate::call::Call;

/// How much of a kind is kept.
const KEPT: usize = 4000;

/// What is remembered.
#[derive(Debug, Default)]
pub struct Memory {
    calls: HashMap<String, u64>,
    calls_on_task: HashMap<(String, String), u64>,
    last: Option<String>,
    last_on_task: HashMap<String, String>,
    pages: HashMap<String, u64>,
    /// Ids and tokens that the agent gave.
    pub given: BTreeSet<String>,
    /// Tasks that it gave.
    pub tasks: Vec<Value>,
    /// Webhooks that it gave.
    pub webhooks: Vec<Value>,
    /// The first answer to each question.
    first: HashMap<String, Value>,
}

/// What the memory has to say of a call.
#[derive(Debug, Default)]
pub struct Known {
    /// How many calls of the operation there were, this one included.
    pub calls: u64,
    /// The same on its task.
    pub calls_on_task: u64,
    /// The last call on its task, or the last of all if it names none.
    pub before: Option<String>,
    /// The page to which its token leads.
    pub page: Option<u64>,
}

impl Memory {
    /// How many calls of an operation there were.
    #[must_use]
    pub fn calls(&self, operation: &str) -> u64 {
        self.calls.get(operation).copied().unwrap_or_default()
    }

    /// Counts a call, and says what was before it.
    pub fn note(&mut self, call: &Call) -> Known {
        let operation = call.operation.name.clone();
        let calls = self.calls.entry(operation.clone()).or_default();
        *calls += 1;
        let calls = *calls;
        let last = self.last.replace(operation.clone());
        let (mut calls_on_task, mut before) = (0, last);
        if let Some(task) = call.task().map(str::to_owned) {
            let count = self.calls_on_task.entry((operation.clone(), task.clone())).or_default();
            *count += 1;
            calls_on_task = *count;
            before = self.last_on_task.insert(task, operation);
        }
        let token = call.params.get("pageToken").and_then(Value::as_str).filter(|token| !token.is_empty());
        let page = token.map_or(Some(1), |token| self.pages.get(token).copied());
        Known { calls, calls_on_task, before, page }
    }

    /// Remembers what an answer gave; `page` is that of the call.
    pub fn keep(&mut self, call: &Call, payload: &Value, page: Option<u64>) {
        if let Some(token) = payload.get("nextPageToken").and_then(Value::as_str).filter(|token| !token.is_empty())
            && let Some(page) = page
        {
            self.pages.insert(token.to_owned(), page + 1);
        }
        self.harvest(payload);
        if self.first.len() < KEPT {
            self.first.entry(question(call)).or_insert_with(|| payload.clone());
        }
    }

    /// What the same question was answered first.
    #[must_use]
    pub fn first(&self, call: &Call) -> Option<&Value> {
        self.first.get(&question(call))
    }

    fn harvest(&mut self, value: &Value) {
        match value {
            Value::Object(members) => {
                let has = |name: &str| members.contains_key(name);
                if has("id") && has("status") && has("contextId") {
                    keep_one(&mut self.tasks, value);
                } else if has("taskId") && has("url") && has("id") {
                    keep_one(&mut self.webhooks, value);
                }
                for (name, member) in members {
                    let is_id = ["id", "taskId", "contextId", "artifactId", "nextPageToken"].contains(&name.as_str());
                    match member {
                        Value::String(text) if is_id && self.given.len() < KEPT => {
                            self.given.insert(text.clone());
                        }
                        // Not what a client may put there.
                        _ if name == "metadata" || name == "data" => {}
                        _ => self.harvest(member),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.harvest(item)),
            _ => {}
        }
    }
}

fn question(call: &Call) -> String {
    format!("{} {}", call.operation.name, call.params)
}

/// The newest state of an object, by its id.
fn keep_one(of: &mut Vec<Value>, value: &Value) {
    of.retain(|other| other["id"] != value["id"]);
    of.push(value.clone());
    if of.len() > 100 {
        of.remove(0);
    }
}
