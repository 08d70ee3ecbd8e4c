//! The parameters of calls, held against the type of the operation's request.

use serde_json::{Map, Value, json};

use super::context::{Context, Problem, check_value, in_all};
use crate::case::convert::inner;
use crate::case::{Act, Call, Step, merge, reference};
use crate::profile::facts::TaskIds;
use crate::profile::{Operation, Type};
use crate::yaml::tree::Part;

/// What stands for the value of a reference.
const PLACEHOLDER: &str = "a2aspec-reference";

/// What is wrong with the parameters of a step. Those of a request that is wrong on purpose are not looked at.
pub(super) fn check_call(step: &Step, contexts: &[Context<'_>]) -> Vec<Problem> {
    let (call, at) = match &step.act {
        Act::Call(call) | Act::Stream(call) | Act::Open(call) => (call.clone(), inner(&step.at, "with")),
        Act::Bytes(bytes) => (bytes.call.clone(), inner(&step.at, "with")),
        Act::Walk(walk) => {
            let with = walk.with.clone();
            let call = Call { operation: Operation::ListTasks, with, trigger: None, invalid: false, rpc_id: None };
            (call, inner(&step.at, "walk"))
        }
        _ => return Vec::new(),
    };
    if call.invalid {
        return Vec::new();
    }
    let found = in_all(contexts, |context| {
        let mut problems = Vec::new();
        let params = Some(context.params(call.operation)).filter(Type::is_known)?;
        check_value(&[params], &call.with, &at, &mut problems);
        Some(problems)
    });
    let found =
        if found.is_empty() { in_all(contexts, |context| Some(violations(&call, &at, context))) } else { found };
    let marked = |problem: Problem| Problem {
        help: problem.help.or_else(|| Some("`invalid: true` marks a request that is wrong on purpose".to_owned())),
        ..problem
    };
    found.into_iter().map(marked).collect()
}

/// What is wrong with the parameters that a client is told to send; what the client itself adds may be missing.
pub(super) fn check_parameters(operation: Operation, with: &Value, at: &str, contexts: &[Context<'_>]) -> Vec<Problem> {
    in_all(contexts, |context| {
        let mut problems = Vec::new();
        let params = Some(context.params(operation)).filter(Type::is_known)?;
        check_value(&[params], with, at, &mut problems);
        Some(problems)
    })
}

/// In what a request breaks the schema of a version, with something in the place of each reference.
fn violations(call: &Call, at: &str, context: &Context<'_>) -> Vec<Problem> {
    let Some(kind) = context.profile.operation(call.operation).and_then(|facts| facts.params.as_deref()) else {
        return Vec::new();
    };
    let mut params = match call.trigger {
        Some(_) => json!({ "message": { "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "t" }] } }),
        None => Value::Object(Map::new()),
    };
    merge(&mut params, &filled(&call.with));
    if context.profile.facts.task_ids == TaskIds::Client
        && let Some(Value::Object(message)) = params.get_mut("message")
    {
        message.entry("taskId").or_insert_with(|| PLACEHOLDER.into());
    }
    let version = context.profile.name();
    if let Some(member) = context.dialect.without_place(kind, &params) {
        let message = format!("A2A {version} has no place for `{member}` in {}", call.operation);
        return vec![Problem { at: inner(at, member), part: Part::Name, message, help: None }];
    }
    let wire = context.dialect.to_wire(kind, &params);
    let found = context.dialect.violations(kind, &wire);
    if found.is_empty() {
        return Vec::new();
    }
    let reading = context.dialect.from_wire(kind, wire);
    let problems = found.into_iter().filter_map(|violation| {
        // What a reference names is not known.
        let held = reading.wire.pointer(&violation.pointer);
        if held.is_some_and(|held| held.as_str() == Some(PLACEHOLDER)) {
            return None;
        }
        let place = reading.destination(&violation.pointer);
        let message = match violation.wanted.strip_prefix("what its schema says: ") {
            Some(wrong) => format!("A2A {version} has no such {}: {wrong}", call.operation),
            None => format!("a {} of A2A {version} needs {} here", call.operation, violation.wanted),
        };
        Some(Problem { at: format!("{at}{place}"), part: Part::Value, message, help: None })
    });
    problems.collect()
}

/// A value with something in the place of each reference.
fn filled(value: &Value) -> Value {
    match value {
        Value::String(text) if reference::is_lone(text) => PLACEHOLDER.into(),
        Value::Array(items) => items.iter().map(filled).collect(),
        Value::Object(members) => members.iter().map(|(name, member)| (name.clone(), filled(member))).collect(),
        other => other.clone(),
    }
}
