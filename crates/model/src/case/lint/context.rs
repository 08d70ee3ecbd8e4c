//! What the values of a case can be made of, in each version and over each binding in which it runs.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::case::convert::inner;
use crate::case::reference::{self, spellings};
use crate::case::shape::kind_of;
use crate::case::{Act, Call, Case, Library, Role, Step};
use crate::diagnostic::near;
use crate::profile::{Binding, Dialect, Operation, OperationFacts, Profile, Type};
use crate::wire::json::pointer;
use crate::yaml::tree::Part;

/// A version, a binding, and a form of the version's objects over it.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub profile: &'a Profile,
    pub binding: Binding,
    pub dialect: &'a Dialect,
}

/// Something wrong in a place below one that the caller knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub at: String,
    pub part: Part,
    pub message: String,
    pub help: Option<String>,
}

/// Names that no version has, for members that are unknown on purpose.
const UNKNOWN: [&str; 2] = ["a2aspec", "x-"];

/// Which cases each version has, newest version first.
pub(super) struct Applicable<'a>(Vec<(&'a Profile, BTreeSet<&'a str>)>);

impl<'a> Applicable<'a> {
    /// Those about agents, or about clients.
    pub fn new(library: &'a Library, profiles: &[&'a Profile], role: Role) -> Self {
        let cases = |profile: &Profile| {
            let checks = library.checks_of(profile.name(), role);
            let own = library.cases.values().map(AsRef::as_ref).filter(|case| match &case.own {
                Some(own) => own.profiles.is_empty() || own.profiles.iter().any(|name| name == profile.name()),
                None => false,
            });
            let own = own.filter(|case| case.role() == role);
            checks.into_iter().map(|check| check.case).chain(own).map(|case| case.id.as_str()).collect()
        };
        Self(profiles.iter().rev().map(|profile| (*profile, cases(profile))).collect())
    }
}

/// The contexts in which a case runs, newest version first; none where that is not known.
pub(super) fn contexts<'a>(case: &Case, applicable: &Applicable<'a>) -> Vec<Context<'a>> {
    let profiles = applicable.0.iter().filter(|(_, cases)| cases.contains(case.id.as_str()));
    let bindings = if case.bindings.is_empty() { &Binding::ALL[..] } else { &case.bindings };
    let mut found = Vec::new();
    for profile in profiles.map(|(profile, _)| *profile) {
        let operations = case.all_steps().into_iter().filter_map(|step| step.act.operation());
        if operations.clone().any(|operation| profile.operation(operation).is_none()) {
            continue;
        }
        for binding in bindings {
            let dialects = profile.dialects_over(*binding);
            found.extend(dialects.map(|dialect| Context { profile, binding: *binding, dialect: dialect.as_ref() }));
        }
    }
    found
}

/// What is wrong in every context, as [`Problem`]s or [`None`] where it knows nothing: where one has nothing against it,
/// nothing is.
pub(super) fn in_all<'a>(
    contexts: &[Context<'a>],
    mut check: impl FnMut(&Context<'a>) -> Option<Vec<Problem>>,
) -> Vec<Problem> {
    let mut least: Option<Vec<Problem>> = None;
    for found in contexts.iter().filter_map(&mut check) {
        if found.is_empty() {
            return found;
        }
        if least.as_ref().is_none_or(|least| found.len() < least.len()) {
            least = Some(found);
        }
    }
    least.unwrap_or_default()
}

impl<'a> Context<'a> {
    pub fn operation(&self, operation: Operation) -> Option<&'a OperationFacts> {
        self.profile.operation(operation)
    }

    /// The parameters of an operation.
    pub fn params(&self, operation: Operation) -> Type<'a> {
        let kind = self.operation(operation).and_then(|facts| facts.params.as_deref());
        kind.map_or_else(|| Type::Record("request", Vec::new()), |kind| Type::Named(self.dialect, kind))
    }

    pub fn result(&self, operation: Operation) -> Type<'a> {
        let kind = self.operation(operation).and_then(|facts| facts.result.as_deref());
        kind.map_or(Type::Any, |kind| Type::Named(self.dialect, kind))
    }

    /// The value in which the pointers of a step stand; `opened` tells which call opened a stream.
    pub fn root(&self, step: &Step, opened: &impl Fn(&str) -> Option<&'a Call>) -> Type<'a> {
        match &step.act {
            Act::Call(call) => self.result(call.operation),
            Act::Bytes(bytes) if bytes.call.operation.streams() => {
                Type::List(Box::new(self.result(bytes.call.operation)))
            }
            Act::Bytes(bytes) => self.result(bytes.call.operation),
            Act::Stream(call) | Act::Open(call) => Type::List(Box::new(self.result(call.operation))),
            Act::Drain(name) => {
                opened(name).map_or(Type::Any, |call| Type::List(Box::new(self.result(call.operation))))
            }
            Act::Wait(_) => self.result(Operation::GetTask),
            Act::Walk(_) => {
                let page = self.result(Operation::ListTasks);
                let tasks = page.member("tasks").into_iter().next().unwrap_or(Type::Any);
                Type::Record("walk", vec![("pages", Type::List(Box::new(page))), ("tasks", tasks)])
            }
            Act::Card(_) => {
                let card = &self.profile.facts.card;
                let dialect = self.profile.dialects.get(&card.dialect);
                dialect.map_or(Type::Any, |dialect| Type::Defined(&dialect.schemas, &card.kind))
            }
            // A payload may have any form where the version leaves it open.
            Act::Raw(_) | Act::Deliveries(_) => Type::Any,
            Act::Close(_) | Act::Hello(_) | Act::Release(_) | Act::Together(_) => Type::Record("step", Vec::new()),
        }
    }

    /// What references to a step can name.
    pub fn answer(&self, step: &Step, opened: &impl Fn(&str) -> Option<&'a Call>) -> Type<'a> {
        let root = self.root(step, opened);
        let exchange = [
            ("http", Type::Record("status line", vec![("status", Type::Number)])),
            ("headers", Type::Map(Box::new(Type::Text))),
        ];
        let mut members = vec![("result", root.clone())];
        let is_stream = matches!(step.act, Act::Stream(_) | Act::Open(_) | Act::Drain(_) | Act::Raw(_));
        if is_stream {
            members.push(("events", root));
        }
        match &step.act {
            Act::Close(_) | Act::Hello(_) | Act::Release(_) | Act::Together(_) => {
                return Type::Record("step", Vec::new());
            }
            Act::Deliveries(_) => return Type::Record("step", members),
            Act::Card(_) => {}
            act => {
                let request = match act {
                    Act::Drain(name) => opened(name).map(|call| call.operation),
                    act => act.operation(),
                };
                members.push(("request", request.map_or(Type::Any, |operation| self.params(operation))));
                members.push(("error", self.error()));
                members.push(("task", Type::Named(self.dialect, "Task")));
                members.push(("message", Type::Named(self.dialect, "Message")));
            }
        }
        members.extend(exchange);
        Type::Record("step", members)
    }

    /// The error object.
    pub fn error(&self) -> Type<'a> {
        let details = || Type::List(Box::new(Type::Any));
        match self.binding {
            Binding::Jsonrpc => {
                Type::Record("error", vec![("code", Type::Number), ("message", Type::Text), ("data", Type::Any)])
            }
            Binding::Grpc => Type::Record(
                "error",
                vec![("code", Type::Number), ("status", Type::Text), ("message", Type::Text), ("details", details())],
            ),
            Binding::HttpJson => {
                let facts = self.profile.facts.bindings.get(&self.binding);
                // Where errors may have another form, or are problem details, they may have any member.
                match facts.is_some_and(|facts| facts.error.is_some() && facts.error_media_types.is_empty()) {
                    true => Type::Record(
                        "error",
                        vec![
                            ("code", Type::Number),
                            ("status", Type::Text),
                            ("message", Type::Text),
                            ("details", details()),
                        ],
                    ),
                    false => Type::Any,
                }
            }
        }
    }
}

/// Follows names from a type to what they lead to.
///
/// # Errors
/// What is wrong with the first name that leads nowhere.
pub(super) fn lead<'a>(root: Type<'a>, names: &[impl AsRef<str>]) -> Result<Vec<Type<'a>>, Dead> {
    let mut here = vec![root];
    for name in names {
        let name = name.as_ref();
        here = member(&here, name)?;
    }
    Ok(here)
}

/// What stands under a name in what may be of these types.
fn member<'a>(types: &[Type<'a>], name: &str) -> Result<Vec<Type<'a>>, Dead> {
    let found: Vec<Type<'a>> = types.iter().flat_map(|held| held.member(name)).collect();
    match found.is_empty() {
        true if UNKNOWN.iter().any(|prefix| name.starts_with(prefix)) => Ok(vec![Type::Any]),
        true => Err(Dead::new(types, name)),
        false => Ok(found),
    }
}

/// A name that leads nowhere.
pub(super) struct Dead {
    /// The name.
    pub name: String,
    /// What is wrong with it.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Whether a name that is known is near.
    is_near: bool,
}

impl Dead {
    fn new(parents: &[Type<'_>], name: &str) -> Self {
        let known: Vec<String> = parents.iter().flat_map(Type::names).collect();
        let is_near = near::nearest(name, known.iter().map(String::as_str)).is_some();
        let mut called: Vec<String> = parents.iter().map(Type::name).collect();
        called.dedup();
        let called = called.join(" or ");
        let is_array = parents.iter().all(|parent| !parent.items().is_empty());
        let (message, help) = if is_array {
            let message = format!("`{name}` is no item of an {called}");
            (message, Some("items are counted from 0".to_owned()))
        } else if known.is_empty() {
            (format!("{} has no members, and so no `{name}`", with_article(&called)), None)
        } else {
            let message = format!("{} has no member `{name}`", with_article(&called));
            (message, near::help(name, known.iter().map(String::as_str)))
        };
        Self { name: name.to_owned(), message, help, is_near }
    }

    pub fn problem(self, at: String, part: Part) -> Problem {
        Problem { at, part, message: self.message, help: self.help }
    }
}

/// What is wrong with a value that somebody writes where these types stand.
pub(super) fn check_value(types: &[Type<'_>], value: &Value, at: &str, problems: &mut Vec<Problem>) {
    // A lone reference has the type of what it names.
    if value.as_str().is_some_and(reference::is_lone) || types.iter().any(|held| matches!(held, Type::Any)) {
        return;
    }
    let fitting: Vec<Type<'_>> = types.iter().filter(|held| held.takes(value)).cloned().collect();
    if fitting.is_empty() {
        let mut wanted: Vec<String> = types.iter().map(Type::name).collect();
        wanted.dedup();
        let message = format!("expected {}, not {}", with_article(&wanted.join(" or ")), kind_of(value));
        problems.push(Problem { at: at.to_owned(), part: Part::Value, message, help: None });
        return;
    }
    match value {
        Value::String(text) if spellings(text).is_empty() => {
            let known: Vec<String> = fitting.iter().flat_map(Type::values).collect();
            if fitting.iter().all(|held| !held.values().is_empty()) && !known.contains(text) {
                let name = fitting.first().map(Type::name).unwrap_or_default();
                let message = format!("no such {name}: `{text}`");
                let help = near::help(text, known.iter().map(String::as_str));
                problems.push(Problem { at: at.to_owned(), part: Part::Value, message, help });
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                let at = inner(at, name);
                match member(&fitting, name) {
                    Ok(next) => check_value(&next, value, &at, problems),
                    Err(dead) => problems.push(dead.problem(at, Part::Name)),
                }
            }
        }
        Value::Array(items) => {
            let next: Vec<Type<'_>> = fitting.iter().flat_map(Type::items).collect();
            for (index, item) in items.iter().enumerate() {
                check_value(&next, item, &inner(at, index), problems);
            }
        }
        _ => {}
    }
}

/// What is wrong with pointers, each with a condition, as a case file writes them.
pub(super) fn check_places(root: &Type<'_>, places: &Value, at: &str, problems: &mut Vec<Problem>) {
    for (place, condition) in places.as_object().into_iter().flatten() {
        let at = inner(at, place);
        // What is no pointer was told when the file was read.
        let Some(tokens) = pointer::tokens(place) else { continue };
        match lead(root.clone(), &tokens) {
            Ok(types) => check_condition(&types, condition, &at, problems),
            // What must not be there need not be anything that there could be, as long as it is no slip.
            Err(dead) if !dead.is_near && is_absence(condition) => {}
            Err(dead) => {
                let part = Part::InName(dead.name.clone());
                problems.push(dead.problem(at, part));
            }
        }
    }
}

fn is_absence(condition: &Value) -> bool {
    condition.get("present") == Some(&Value::Bool(false))
}

fn check_condition(types: &[Type<'_>], condition: &Value, at: &str, problems: &mut Vec<Problem>) {
    let Value::Object(parts) = condition else { return check_value(types, condition, at, problems) };
    let items: Vec<Type<'_>> = types.iter().flat_map(Type::items).collect();
    for (name, arg) in parts {
        let at = inner(at, name);
        match name.as_str() {
            "equals" => check_value(types, arg, &at, problems),
            "one-of" => {
                for (index, value) in arg.as_array().into_iter().flatten().enumerate() {
                    check_value(types, value, &inner(&at, index), problems);
                }
            }
            "contains" if !items.is_empty() => check_value(&items, arg, &at, problems),
            "contains" if arg.is_object() => check_value(types, arg, &at, problems),
            "each" | "some" => {
                // Where items may be of several types, those that the type meant has nothing against are right.
                let found = items.iter().map(|item| {
                    let mut found = Vec::new();
                    check_places(item, arg, &at, &mut found);
                    found
                });
                problems.extend(found.min_by_key(Vec::len).unwrap_or_default());
            }
            _ => {}
        }
    }
}

fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['A', 'a', 'E', 'e', 'I', 'i', 'O', 'o']) { "an" } else { "a" };
    format!("{article} {noun}")
}
