//! What is particular about the request of a step: where agents leave out checks, each kind of input that none looks at is a cause of
//! its own, whichever case sends it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Act, Call, Raw, RawBody, Step};
use crate::finding::NAMED;
use crate::profile::Operation;

/// A kind of input, in words that are the same in every run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The operation that reads it; of messages one name, since both operations that take them read them alike.
    pub of: String,
    /// The operation itself, where one is called.
    pub operation: Option<Operation>,
    /// What it is, after "the agent serves".
    pub text: String,
    /// What is wrong with it.
    pub rule: Rule,
    /// The member that is wrong, where it is one.
    pub member: Option<String>,
    /// Whether a case writes it byte by byte.
    pub is_verbatim: bool,
    /// Whether a case writes the body, and what is wrong with it stands around the parameters.
    pub is_raw: bool,
    /// Whether it is in what goes with the parameters: a header, or the query of a URL.
    pub is_beside: bool,
}

/// What is wrong with an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// A member has another type than its own.
    Type,
    /// What is required is not there.
    Missing,
    /// A value, or a combination of members, that the schema does not allow.
    Value,
    /// The version that the request asks for.
    Version,
    /// Something about the JSON-RPC request around the parameters.
    Envelope,
    /// Nothing that parameters alone show, such as the state of the task that they name.
    Other,
}

impl Rule {
    /// Whether the parameters alone show it.
    pub fn is_of_parameters(self) -> bool {
        matches!(self, Self::Type | Self::Missing | Self::Value)
    }
}

/// What messages are called that no operation alone reads.
const MESSAGE: &str = "a message";
/// The same of what is said of webhooks.
const WEBHOOK: &str = "a push configuration";
/// What the area of cases about undeclared capabilities is called.
const CAPABILITIES: &str = "capabilities";
/// The header, and the parameter of queries, that names a version.
const VERSION: &str = "A2A-Version";
/// Members that are texts.
const TEXTS: [&str; 6] = ["id", "taskId", "contextId", "messageId", "pageToken", "url"];
/// Members that are objects or lists.
const NESTED: [&str; 4] = ["message", "configuration", "parts", "metadata"];
/// Members that are numbers.
const NUMBERS: [&str; 2] = ["historyLength", "pageSize"];

impl Input {
    /// What tells the request of a case from others where nothing else does: its name, or that of what it is for.
    pub fn named(name: &str) -> Self {
        let text = format!("{NAMED}{name}");
        let operation = None;
        Self {
            of: name.to_owned(),
            operation,
            text,
            rule: Rule::Other,
            member: None,
            is_verbatim: false,
            is_raw: false,
            is_beside: false,
        }
    }

    /// That of a step of a case.
    pub fn of_step(step: &Step, case: &str) -> Self {
        let area = case.split('/').next().unwrap_or_default();
        if let Some(version) = step.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(VERSION)) {
            return Self::of_version(version.1.as_deref(), step, case);
        }
        match &step.act {
            Act::Call(call) | Act::Stream(call) | Act::Open(call) => Self::of_call(call, area, case),
            Act::Raw(raw) => Self::of_raw(raw, case),
            Act::Bytes(bytes) => Self { of: reader(bytes.call.operation), is_verbatim: true, ..Self::named(case) },
            _ => Self::named(case),
        }
    }

    fn of_version(version: Option<&str>, step: &Step, case: &str) -> Self {
        let of_version = |text: String| Self {
            of: VERSION.to_owned(),
            text,
            rule: Rule::Version,
            is_beside: true,
            ..Self::named(case)
        };
        if let Act::Raw(raw) = &step.act {
            // The header only leaves the word to what stands in the query, or the case is about the body.
            return match queried(&raw.suffix) {
                Some(name) => of_version(format!("a request with {name} in its query")),
                None => Self::of_raw(raw, case),
            };
        }
        let version = version.unwrap_or_default();
        let numbers: Vec<Option<u32>> = version.split('.').map(|number| number.parse().ok()).collect();
        of_version(match numbers.as_slice() {
            _ if version.is_empty() => "a request that names no version".to_owned(),
            [Some(_), Some(minor)] if *minor > 9 => "a request for another minor version".to_owned(),
            [Some(_), Some(_)] => "a request for another version".to_owned(),
            [Some(_), Some(_), Some(_)] => "a request for a version with a patch number".to_owned(),
            _ => "a request for what is no version".to_owned(),
        })
    }

    fn of_call(call: &Call, area: &str, case: &str) -> Self {
        let of = reader(call.operation);
        let plain = |text: String, rule| {
            let operation = Some(call.operation);
            Self {
                of: of.clone(),
                operation,
                text,
                rule,
                member: None,
                is_verbatim: false,
                is_raw: false,
                is_beside: false,
            }
        };
        if area == CAPABILITIES {
            return plain(format!("{} without the capability", needing(call.operation)), Rule::Other);
        }
        let mut leaves = Vec::new();
        gather(&call.with, &mut Vec::new(), &mut leaves);
        if call.invalid {
            let wrong = invalid(call, &leaves);
            // What is read alike wherever it stands is one check.
            let reader = match wrong.member {
                Some("id") if of != WEBHOOK => "a request about a task",
                Some("historyLength") => "a request",
                _ => &of,
            };
            let text = format!("{reader} with {}", wrong.what);
            return Self { of: reader.to_owned(), member: wrong.member.map(str::to_owned), ..plain(text, wrong.rule) };
        }
        let own = |name: &str| leaves.iter().find(|leaf| leaf.reference().is_none() && leaf.last() == name);
        match (relation(&leaves), own("url").or_else(|| own("id"))) {
            (Some(what), Some(leaf)) if !what.contains("no task") => {
                let member = Some(leaf.last().to_owned());
                Self { member, ..plain(format!("{of} with a wrong {}", leaf.place()), Rule::Other) }
            }
            (Some(what), _) => plain(format!("{of} with {what}"), Rule::Other),
            (None, _) if leaves.is_empty() => Self { of, ..Self::named(case) },
            (None, _) => plain(format!("{of} with {}", odd(&leaves)), Rule::Other),
        }
    }

    fn of_raw(raw: &Raw, case: &str) -> Self {
        let named = Self { is_raw: true, is_beside: queried(&raw.suffix).is_some(), ..Self::named(case) };
        let of_query = |name| Self { text: format!("a request with {name} in its query"), ..named.clone() };
        if let Some(name) = queried(&raw.suffix) {
            return of_query(name);
        }
        let RawBody::Text(text) = &raw.body else { return named };
        match envelope(text) {
            Some(what) => {
                Self { of: "JSON-RPC".to_owned(), text: format!("a request {what}"), rule: Rule::Envelope, ..named }
            }
            None => named,
        }
    }
}

/// Who reads the parameters of an operation.
fn reader(operation: Operation) -> String {
    match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => MESSAGE.to_owned(),
        Operation::CreateTaskPushNotificationConfig
        | Operation::GetTaskPushNotificationConfig
        | Operation::ListTaskPushNotificationConfigs
        | Operation::DeleteTaskPushNotificationConfig => WEBHOOK.to_owned(),
        operation => operation.to_string(),
    }
}

/// What a request of a case about capabilities needs one for.
fn needing(operation: Operation) -> String {
    match operation {
        Operation::SendMessage => "a message with a push configuration".to_owned(),
        Operation::SendStreamingMessage | Operation::SubscribeToTask => "a stream".to_owned(),
        operation => reader(operation),
    }
}

/// A place in parameters with the value that a case writes there.
struct Leaf<'a> {
    path: Vec<&'a str>,
    value: &'a Value,
}

impl Leaf<'_> {
    fn last(&self) -> &str {
        self.path.last().copied().unwrap_or_default()
    }

    fn place(&self) -> String {
        format!("`{}`", self.path.join("/"))
    }

    /// The name and the member of a reference, such as `done` and `id`.
    fn reference(&self) -> Option<&str> {
        let name = self.value.as_str()?.strip_prefix("${")?.strip_suffix('}')?;
        // A text that is written out often is no reference to anything.
        (!name.starts_with("times.")).then_some(name)
    }
}

/// The values that are neither objects nor lists with something in them; items of a list have the place of the list.
fn gather<'a>(value: &'a Value, path: &mut Vec<&'a str>, leaves: &mut Vec<Leaf<'a>>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, value) in members {
                path.push(name);
                gather(value, path, leaves);
                path.pop();
            }
        }
        Value::Array(items) if !items.is_empty() => items.iter().for_each(|item| gather(item, path, leaves)),
        _ if path.is_empty() => {}
        value => leaves.push(Leaf { path: path.clone(), value }),
    }
}

/// What is wrong with parameters that the schema does not allow.
struct Wrong<'a> {
    what: String,
    rule: Rule,
    member: Option<&'a str>,
}

fn invalid<'a>(call: &'a Call, leaves: &[Leaf<'a>]) -> Wrong<'a> {
    let wrong = |what: String, rule, member| Wrong { what, rule, member };
    let is_message = matches!(call.operation, Operation::SendMessage | Operation::SendStreamingMessage);
    // Without a message, or with one that is none, there is nothing to go on with.
    if is_message && call.trigger.is_none() && call.with.get("message").is_none() {
        return wrong("no `message`".to_owned(), Rule::Value, Some("message"));
    }
    if let Some(message) = call.with.get("message").filter(|message| !message.is_object()) {
        return wrong(format!("`message` as {}", type_of(message)), Rule::Value, Some("message"));
    }
    let inner = leaves.iter().find_map(|leaf| leaf.path.iter().rev().skip(1).find(|name| TEXTS.contains(*name)));
    if let Some(inner) = inner {
        return wrong(format!("`{inner}` as an object"), Rule::Type, Some(inner));
    }
    let own: Vec<&Leaf<'_>> = leaves.iter().filter(|leaf| leaf.reference().is_none()).collect();
    if own.iter().any(|leaf| leaf.path.contains(&"parts") && leaf.path.len() > 2) {
        return wrong(format!("a part of {}", contents(&own)), Rule::Value, None);
    }
    let missing = required(call.operation).filter(|name| call.with.get(*name).is_none());
    if let Some(missing) = missing {
        return wrong(format!("no `{missing}`"), Rule::Missing, Some(missing));
    }
    let all: Vec<Wrong<'a>> = leaves.iter().filter(|leaf| leaf.reference().is_none()).map(of_leaf).collect();
    let is_told = |wrong: &Wrong<'_>| wrong.rule != Rule::Value;
    match all.iter().position(is_told).or((all.len() == 1).then_some(0)) {
        Some(told) => all.into_iter().nth(told).unwrap_or_else(|| wrong("what is wrong".to_owned(), Rule::Value, None)),
        None if all.is_empty() => wrong("a required member missing".to_owned(), Rule::Missing, None),
        None => wrong(all.iter().map(|wrong| wrong.what.as_str()).collect::<Vec<_>>().join(" and "), Rule::Value, None),
    }
}

/// The member without which an operation makes no sense, beside a message.
fn required(operation: Operation) -> Option<&'static str> {
    match operation {
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => Some("id"),
        Operation::CreateTaskPushNotificationConfig => Some("url"),
        _ => None,
    }
}

fn of_leaf<'a>(leaf: &Leaf<'a>) -> Wrong<'a> {
    let (place, name, value) = (leaf.place(), leaf.last(), leaf.value);
    let is_other_type = match value {
        Value::String(_) => NESTED.contains(&name) || NUMBERS.contains(&name),
        Value::Number(_) | Value::Bool(_) => NESTED.contains(&name) || TEXTS.contains(&name),
        _ => false,
    };
    let (what, rule) = match value {
        // A list without items is none, and over some bindings they are the same.
        Value::Null | Value::Array(_) | Value::Object(_) => (format!("no {place}"), Rule::Missing),
        _ if is_other_type => (format!("{place} as {}", type_of(value)), Rule::Type),
        Value::Number(number) if number.as_f64().is_some_and(|number| number < 0.0) => {
            (format!("{place} as a negative number"), Rule::Value)
        }
        _ => (format!("a wrong {place}"), Rule::Value),
    };
    Wrong { what, rule, member: leaf.path.last().copied() }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The members of parts, which are what decides whether they are right together.
fn contents(leaves: &[&Leaf<'_>]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for leaf in leaves {
        let name = leaf.path.iter().skip_while(|name| **name != "parts").nth(1).copied().unwrap_or_default();
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names.sort_unstable();
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ")
}

/// How the tasks and contexts belong together that parameters name; nothing where they name none.
fn relation(leaves: &[Leaf<'_>]) -> Option<String> {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut named: Vec<(String, String)> = Vec::new();
    for leaf in leaves {
        let Some(reference) = leaf.reference() else { continue };
        let of = reference.split('.').next().unwrap_or(reference);
        if of == "unknown-id" {
            named.push((leaf.place(), "of no task".to_owned()));
            continue;
        }
        if !["id", "taskId", "contextId"].contains(&leaf.last()) {
            continue;
        }
        let count = known.len();
        let number = *known.entry(of).or_insert(count);
        let is_context = leaf.last() == "contextId";
        match (number, is_context) {
            // The context of the task itself says nothing more.
            (_, true) if leaves.iter().any(|other| is_of(other, of) && other.last() != "contextId") => {}
            (_, true) => named.push((leaf.place(), "of another context".to_owned())),
            (0, false) => named.push((leaf.place(), "of a task".to_owned())),
            (_, false) => named.push((leaf.place(), "of another task".to_owned())),
        }
    }
    // A task stands before the context, as in every request that names both.
    named.sort_by_key(|(place, _)| place.contains("contextId"));
    (!named.is_empty())
        .then(|| named.iter().map(|(place, of)| format!("{place} {of}")).collect::<Vec<_>>().join(" and "))
}

fn is_of(leaf: &Leaf<'_>, name: &str) -> bool {
    leaf.reference().is_some_and(|reference| reference.split('.').next() == Some(name))
}

/// The places of what a case writes.
fn odd(leaves: &[Leaf<'_>]) -> String {
    let parts: Vec<&Leaf<'_>> =
        leaves.iter().filter(|leaf| leaf.path.contains(&"parts") && leaf.path.len() > 2).collect();
    if !parts.is_empty() {
        return format!("a part of {}", contents(&parts));
    }
    let mut places: Vec<String> = leaves.iter().map(|leaf| format!("a wrong {}", leaf.place())).collect();
    places.dedup();
    places.join(" and ")
}

/// The first parameter in the query of a URL.
fn queried(suffix: &str) -> Option<&str> {
    let (_, query) = suffix.split_once('?')?;
    query.split('=').next().filter(|name| !name.is_empty())
}

/// What is wrong with a JSON-RPC request around its parameters; nothing where that is right, or where it is no such request.
fn envelope(text: &str) -> Option<&'static str> {
    let request: Value = serde_json::from_str(&filled_in(text)).ok()?;
    let request = request.as_object()?;
    if !["jsonrpc", "method", "Method"].iter().any(|name| request.contains_key(*name)) {
        return None;
    }
    match request.get("jsonrpc") {
        None => return Some("without `jsonrpc`"),
        Some(version) if version != "2.0" => return Some("with another `jsonrpc`"),
        Some(_) => {}
    }
    match request.get("id") {
        None => return Some("without `id`"),
        Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)) => return Some("whose `id` is none"),
        Some(_) => {}
    }
    match request.get("method") {
        None => Some("without `method`"),
        Some(method) if !method.is_string() => Some("whose `method` is no text"),
        Some(_) => match request.get("params") {
            None | Some(Value::Null) => Some("without `params`"),
            Some(Value::Object(_)) => None,
            Some(_) => Some("whose `params` are no object"),
        },
    }
}

/// A text with something in place of its references: within a text nothing changes, elsewhere there is an object.
fn filled_in(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut is_in_text, mut is_escaped) = (false, false);
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if !is_in_text && rest.starts_with("${") {
            out.push_str("{}");
            rest = rest.split_once('}').map_or("", |(_, after)| after);
            continue;
        }
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_in_text = !is_in_text,
            _ => {}
        }
        out.push(letter);
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::case::Library;
    use crate::profile::{self, Profile};

    /// The kinds of input of all cases that must be refused: who adds a case sees what it is told with.
    #[test]
    fn each_check_has_a_kind_of_input() {
        let profiles = profile::bundled().unwrap();
        let known: Vec<&Profile> = profiles.iter().map(AsRef::as_ref).collect();
        let library = Library::load(None, &known, &[]).unwrap();
        let mut kinds: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for case in library.cases.values() {
            for step in case.all_steps() {
                let Some(expect) = step.expect.as_ref().filter(|expect| !expect.outcome.is_empty()) else { continue };
                if expect.allows_result() || !expect.outcome.iter().any(super::super::Outcome::is_error) {
                    continue;
                }
                let input = Input::of_step(step, &case.id);
                if input.rule == Rule::Other && input.text.ends_with(&case.id) {
                    continue;
                }
                let cases = kinds.entry(format!("{:?}: {}", input.rule, input.text)).or_default();
                if !cases.contains(&case.id) {
                    cases.push(case.id.clone());
                }
            }
        }
        let lines: Vec<String> = kinds.iter().map(|(kind, cases)| format!("{kind}\n  {}", cases.join(", "))).collect();
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn references_in_raw_bodies_are_filled_in() {
        assert_eq!(filled_in(r#"{"a":"${b.c}","d":${e.f}}"#), r#"{"a":"${b.c}","d":{}}"#);
        assert_eq!(
            envelope(r#"{"id":1,"method":"${method.GetTask}","params":${params.GetTask.x}}"#),
            Some("without `jsonrpc`")
        );
        assert_eq!(envelope(r#"{"jsonrpc":"2.0","id":[1],"method":"m","params":{}}"#), Some("whose `id` is none"));
        assert_eq!(envelope(r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{}}"#), None);
        assert_eq!(envelope("7"), None);
    }
}
