//! Cases as tests of this format, as far as it can say them.

mod condition;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Behaviour;
use super::step::{CARD, ERRORS, OPERATIONS, RESTING, TERMINAL};
use super::test::{BINDINGS, CAPABILITIES, LEVELS};
use crate::auth::Caller;
use crate::case::reference::{Spelling, spellings};
use crate::case::{
    Act, Action, Call, Case, Check, Expect, Fixture, Goal, Library, Matcher, Outcome, Side, Step, Until, ValueKind,
    Walk,
};
use crate::profile::{Binding, Operation};
use crate::verdict::Level;

/// The version of the protocol that the format knows.
const VERSION: &str = "1.0";
/// The id of a task that no agent has.
const UNKNOWN_ID: &str = "00000000-0000-4000-8000-000000000000";

/// What is written.
#[derive(Debug, Default)]
pub struct Export {
    /// A document for each area.
    pub documents: BTreeMap<String, Value>,
    /// What became of each case.
    pub index: Index,
}

/// What became of each case.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Index {
    /// The tests by the cases that they are.
    pub written: BTreeMap<String, String>,
    /// How many cases the format cannot say, by the reason.
    pub reasons: BTreeMap<String, usize>,
    /// The reason of each.
    pub left_out: BTreeMap<String, String>,
}

/// Writes the cases of A2A 1.0.
pub fn export(library: &Library) -> Export {
    let mut export = Export::default();
    let mut suites: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut spoken_of: BTreeMap<&str, BTreeSet<Binding>> = BTreeMap::new();
    for Check { requirement, case } in library.checks(VERSION) {
        let bindings = match requirement.bindings.as_slice() {
            [] => Binding::ALL.to_vec(),
            some => some.to_vec(),
        };
        spoken_of.entry(case.id.as_str()).or_default().extend(bindings);
    }
    for (id, level) in library.levels(VERSION) {
        let Some(case) = library.cases.get(id) else { continue };
        match test(case, level, spoken_of.get(id)) {
            Ok(test) => {
                export.index.written.insert(id.to_owned(), test_id(id));
                suites.entry(case.area().to_owned()).or_default().push(test);
            }
            Err(reason) => {
                *export.index.reasons.entry(reason.clone()).or_default() += 1;
                export.index.left_out.insert(id.to_owned(), reason);
            }
        }
    }
    export.documents.extend(suites.into_iter().map(|(area, tests)| {
        let suite = json!({ "id": area, "name": format!("Cases of the area {area}"), "tests": tests });
        (area, json!({ "acts_version": "1.0", "spec_version": VERSION, "suites": [suite] }))
    }));
    export
}

/// `get/unknown-id` as the format spells ids.
fn test_id(id: &str) -> String {
    id.replace('/', "-").to_ascii_uppercase()
}

/// What of a case the format cannot say.
type Said<T> = Result<T, String>;

/// One case; `spoken_of` are the bindings that the requirements are about which name it.
fn test(case: &Case, level: Level, spoken_of: Option<&BTreeSet<Binding>>) -> Said<Value> {
    let unsaid = [
        ("a check of all answers together (`holds`)", !case.holds.is_empty()),
        ("a webhook", !case.webhooks.is_empty()),
        ("two bindings", case.across),
        ("a dialect", !case.dialects.is_empty()),
        ("the version that the card claims", case.claim),
    ];
    if let Some((what, _)) = unsaid.into_iter().find(|(_, is_there)| *is_there) {
        return Err(what.to_owned());
    }
    let Action::Steps(steps) = &case.action else { return Err("a check of the whole run".to_owned()) };
    let mut writer = Writer::default();
    for (name, fixture) in &case.given {
        writer.fixture(name, fixture)?;
    }
    for step in steps {
        writer.step(step)?;
    }
    let mut capabilities = Map::new();
    for (wanted, is_there) in
        case.needs.iter().map(|one| (one, true)).chain(case.without.iter().map(|one| (one, false)))
    {
        let name = CAPABILITIES.iter().find(|(_, known)| known == wanted).map(|(name, _)| *name);
        capabilities.insert(name.ok_or("a capability that no member of the card is")?.to_owned(), is_there.into());
    }
    let level = LEVELS.iter().find(|(_, known)| *known == level).map_or("may", |(name, _)| name);
    let mut test = json!({ "id": test_id(&case.id), "name": case.title, "description": case.why, "level": level });
    let mut put = |name: &str, value: Value, is_there: bool| {
        if let (Value::Object(members), true) = (&mut test, is_there) {
            members.insert(name.to_owned(), value);
        }
    };
    let is_over = |binding: &Binding| {
        let is_meant = spoken_of.is_none_or(|bindings| bindings.contains(binding));
        is_meant && (case.bindings.is_empty() || case.bindings.contains(binding))
    };
    let bindings: Vec<&str> = BINDINGS.iter().filter(|(_, one)| is_over(one)).map(|(name, _)| *name).collect();
    let is_confined = bindings.len() < BINDINGS.len();
    put("transport", json!(bindings), is_confined);
    let has_capabilities = !capabilities.is_empty();
    put("preconditions", json!({ "capabilities": capabilities }), has_capabilities);
    let has_behaviours = !writer.behaviours.is_empty();
    put("requires_behaviors", json!(writer.behaviours), has_behaviours);
    let steps = writer.finish()?;
    put("steps", steps, true);
    Ok(test)
}

/// One test while it is written.
#[derive(Default)]
struct Writer {
    steps: Vec<Map<String, Value>>,
    /// By the name of a step or fixture: its step, and the operation whose answer it is.
    known: BTreeMap<String, (usize, Option<Operation>)>,
    /// Fixtures, whose names are those of tasks.
    tasks: BTreeSet<String>,
    behaviours: BTreeSet<&'static str>,
}

impl Writer {
    fn finish(self) -> Said<Value> {
        match self.steps.iter().any(|step| step.keys().any(|key| key.starts_with("expect") || key == "assertion")) {
            true => Ok(self.steps.into_iter().map(Value::Object).collect()),
            false => Err("nothing that is expected of one answer".to_owned()),
        }
    }

    fn push(&mut self, name: Option<&str>, operation: Option<Operation>, mut step: Map<String, Value>) -> String {
        let id = name.map_or_else(|| format!("step-{}", self.steps.len() + 1), str::to_owned);
        step.insert("id".to_owned(), id.clone().into());
        self.known.insert(id.clone(), (self.steps.len(), operation));
        self.steps.push(step);
        id
    }

    /// A task that has to be there: the first step makes it.
    fn fixture(&mut self, name: &str, fixture: &Fixture) -> Said<()> {
        if fixture.count > 1 {
            return Err("several tasks in one context".to_owned());
        }
        if matches!(fixture.task, Goal::Canceled) {
            return Err("a task that was canceled before".to_owned());
        }
        let mut message = self.message(fixture.trigger)?;
        if fixture.task == Goal::Working {
            merge(&mut message, json!({ "configuration": { "returnImmediately": true } }));
        }
        let step = json!({ "action": "send_message", "request": message });
        self.push(Some(name), Some(Operation::SendMessage), object(step));
        self.tasks.insert(name.to_owned());
        Ok(())
    }

    fn message(&mut self, trigger: crate::case::Trigger) -> Said<Value> {
        let behaviour = Behaviour::by(trigger).ok_or_else(|| format!("the trigger {trigger}"))?;
        self.behaviours.insert(behaviour.prefix);
        Ok(json!({ "message": { "role": "ROLE_USER", "parts": [{ "text": behaviour.prefix }] } }))
    }

    fn step(&mut self, step: &Step) -> Said<()> {
        let unsaid = [
            ("a second identity, or none", step.by != Caller::Own),
            ("two bindings", step.over == Side::Second),
            ("headers", !step.headers.is_empty()),
            ("extensions", step.asks_for_extensions()),
        ];
        if let Some((what, _)) = unsaid.into_iter().find(|(_, is_there)| *is_there) {
            return Err(what.to_owned());
        }
        let name = step.name.as_deref();
        let (mut written, operation) = match &step.act {
            Act::Call(call) => (self.call(call)?, Some(call.operation)),
            Act::Stream(call) => (self.call(call)?, Some(call.operation)),
            Act::Card(card) if card.method == "GET" && !card.extended => {
                (object(json!({ "action": CARD, "request": {} })), None)
            }
            Act::Wait(wait) if wait.until == Until::Terminal => {
                let id = self.value(&Value::String(wait.task.clone()))?;
                let until = until(&TERMINAL);
                let step = json!({ "action": "get_task", "request": { "id": id }, "repeat": { "until": until } });
                (object(step), Some(Operation::GetTask))
            }
            Act::Walk(Walk { .. }) => return Err("a walk over pages".to_owned()),
            Act::Wait(_) => return Err("a wait for a task that may not end".to_owned()),
            Act::Open(_) | Act::Drain(_) | Act::Close(_) => return Err("a stream that is left open".to_owned()),
            Act::Raw(_) | Act::Bytes(_) | Act::Hello(_) => {
                return Err("exact bytes, or an answer to them that is read as the binding has it".to_owned());
            }
            Act::Card(_) => return Err("another request for the card than a GET".to_owned()),
            Act::Deliveries(_) | Act::Release(_) => return Err("a webhook".to_owned()),
            Act::Together(_) => return Err("several steps at once".to_owned()),
        };
        let trigger = match &step.act {
            Act::Call(call) | Act::Stream(call) => call.trigger,
            _ => None,
        };
        // A state in which a task rests can be waited for, and what a behaviour brings needs not be said. What else has to be
        // reached would be demanded.
        let rests = resting(step);
        if let Some(states) = &rests {
            written.insert("repeat".to_owned(), json!({ "until": until(states) }));
        }
        let brought =
            trigger.and_then(Behaviour::by).map(|behaviour| behaviour.reached(false, false)).unwrap_or_default();
        let is_brought = |(place, matcher): (&String, &Matcher)| {
            brought.get(place) == Some(matcher)
                || (place == "/task/id" && brought.contains_key("/task"))
                || (place.is_empty() && *matcher == Matcher::Type(ValueKind::Object) && !brought.is_empty())
        };
        if !step.applies.is_empty() || rests.is_none() && !step.reach.iter().all(is_brought) {
            return Err("an answer that a case asks for, but does not demand".to_owned());
        }
        let id = self.push(name, operation, written);
        match &step.expect {
            Some(expect) => self.expect(expect, &id, operation),
            None => Ok(()),
        }
    }

    fn call(&mut self, call: &Call) -> Said<Map<String, Value>> {
        if call.rpc_id.is_some() {
            return Err("an id of JSON-RPC".to_owned());
        }
        let action = OPERATIONS.iter().find(|(_, operation)| *operation == call.operation).map(|(name, _)| *name);
        let mut request = call.trigger.map_or(Ok(json!({})), |trigger| self.message(trigger))?;
        let with = self.value(&call.with)?;
        if has_null(&with) {
            return Err("a member that is null, or taken out".to_owned());
        }
        merge(&mut request, with);
        Ok(object(json!({ "action": action, "request": request })))
    }

    fn expect(&mut self, expect: &Expect, id: &str, operation: Option<Operation>) -> Said<()> {
        let carried = [&expect.http, &expect.grpc, &expect.connection].into_iter().any(|one| !one.is_empty());
        if carried || expect.extensions.is_some() || expect.rpc_id.is_some() {
            return Err("conditions on what carries an answer, such as an HTTP status".to_owned());
        }
        let member = match expect.outcome.as_slice() {
            [] | [Outcome::Result] if operation.is_some_and(Operation::streams) => {
                return self.stream(&expect.at, id);
            }
            [] | [Outcome::Result] => return self.places(&expect.at, id),
            [Outcome::Error(name)] if expect.at.is_empty() => {
                let known = ERRORS.iter().find(|(theirs, ours)| theirs == name && *ours == [name.as_str()]);
                let (name, _) = known.ok_or_else(|| format!("the error {name}"))?;
                let mut error = json!({ "error_type": name });
                for (place, matcher) in &expect.error_at {
                    if place != "/message" {
                        return Err("a place of an error".to_owned());
                    }
                    merge(&mut error, json!({ "message": self.operators(matcher, place)? }));
                }
                error
            }
            [Outcome::Error(_)] => return Err("a result or an error".to_owned()),
            [_, _, ..] => return Err("one of several outcomes".to_owned()),
            [outcome] => return Err(format!("{outcome}, without saying which")),
        };
        self.named(id)?.insert("expect_error".to_owned(), member);
        Ok(())
    }

    /// The step of a name that is known.
    fn named(&mut self, id: &str) -> Said<&mut Map<String, Value>> {
        let index = self.known.get(id).map(|(index, _)| *index);
        index.and_then(|index| self.steps.get_mut(index)).ok_or_else(|| format!("a reference to `{id}`"))
    }

    /// A value with the references of cases as variables of the format.
    fn value(&mut self, value: &Value) -> Said<Value> {
        Ok(match value {
            Value::String(text) => Value::String(self.text(text)?),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect::<Said<Value>>()?,
            Value::Object(members) => {
                let members = members.iter().map(|(name, member)| Ok((name.clone(), self.value(member)?)));
                Value::Object(members.collect::<Said<_>>()?)
            }
            other => other.clone(),
        })
    }

    fn text(&mut self, text: &str) -> Said<String> {
        if text.contains("{{") {
            return Err("a text with braces".to_owned());
        }
        let mut written = text.to_owned();
        for (reference, spelling) in spellings(text) {
            let variable = match spelling {
                Spelling::Name("unique", None) => "{{$uuid}}".to_owned(),
                Spelling::Name("unknown-id", None) => UNKNOWN_ID.to_owned(),
                Spelling::Name(name, Some(path)) if self.known.contains_key(name) => self.captured(name, path)?,
                _ => return Err("a reference to what the suite makes".to_owned()),
            };
            written = written.replacen(&format!("${{{reference}}}"), &variable, 1);
        }
        Ok(written)
    }

    /// The variable that a path into an answer is captured in.
    fn captured(&mut self, name: &str, path: &str) -> Said<String> {
        let (_, operation) = self.known.get(name).cloned().unwrap_or((0, None));
        let sends = operation.is_some_and(Operation::sends_a_message);
        let streams = operation.is_some_and(Operation::streams);
        let path = match (path.split_once('.'), sends) {
            _ if self.tasks.contains(name) => format!("task.{path}"),
            (Some(("result", rest)), _) if !streams => rest.to_owned(),
            (Some(("task", rest)), false) if !streams => rest.to_owned(),
            (Some(("task", "id" | "contextId")), _) => path.to_owned(),
            (Some(("task" | "message", _)), true) if !streams => path.to_owned(),
            _ => return Err("a reference into a stream, an error or a request".to_owned()),
        };
        let dotted = bracketed(&path);
        let variable: String = path.split(['.', '-']).map(capital).collect();
        let capture = self.named(name)?.entry("capture").or_insert_with(|| json!({}));
        merge(capture, json!({ (variable.as_str()): dotted }));
        Ok(format!("{{{{{name}.{variable}}}}}"))
    }
}

/// The states of which a task has to be in one, where a step asks for nothing else and a task stays in them.
fn resting(step: &Step) -> Option<Vec<&str>> {
    let Act::Call(call) = &step.act else { return None };
    let (true, 1, Some(matcher)) =
        (call.operation == Operation::GetTask, step.reach.len(), step.reach.get("/status/state"))
    else {
        return None;
    };
    let states: Vec<&str> = match matcher {
        Matcher::Equals(Value::String(state)) => vec![state],
        Matcher::OneOf(states) => states.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    states.iter().all(|state| RESTING.contains(state)).then_some(states)
}

/// The expression that waits for one of these states.
fn until(states: &[&str]) -> String {
    format!("status.state in [{}]", states.join(", "))
}

/// `artifacts.0.parts` as `artifacts[0].parts`.
fn bracketed(path: &str) -> String {
    path.split('.').fold(String::new(), |path, segment| match segment.parse::<usize>() {
        Ok(index) => format!("{path}[{index}]"),
        Err(_) if path.is_empty() => segment.to_owned(),
        Err(_) => format!("{path}.{segment}"),
    })
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| format!("{}{}", first.to_ascii_uppercase(), letters.as_str())).unwrap_or_default()
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(members) => members.values().any(has_null),
        _ => false,
    }
}

/// Puts the members of one object into another, at every depth.
fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}
