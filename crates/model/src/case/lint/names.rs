//! What the steps of a case refer to: streams, and what came of earlier steps.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Lint;
use super::call::check_call;
use super::context::{Applicable, Context, Problem, check_places, contexts, in_all, lead};
use crate::case::convert::inner;
use crate::case::reference::{Spelling, spelling, spellings};
use crate::case::{Act, Action, BytesCall, Call, Case, EXTENSIONS, Fixture, Step, Webhook};
use crate::diagnostic::near;
use crate::profile::{Operation, Type};
use crate::yaml::tree::Part;

/// References that every step may use, besides fixtures and earlier steps.
const BUILT_IN: [&str; 13] = [
    "unique",
    "unknown-id",
    "method",
    "route",
    "interface",
    "card",
    "extension",
    "required-extension",
    "params",
    "times",
    "bytes",
    "webhook",
    "tenant",
];

/// The parts of an extension.
const OF_EXTENSION: [&str; 3] = ["uri", "other-version", "other-case"];

/// The names of tenants.
const TENANTS: [&str; 3] = ["one", "other", "unknown"];

/// What a case knows at one of its steps.
struct Known<'a> {
    given: &'a BTreeMap<String, Fixture>,
    webhooks: &'a BTreeMap<String, Webhook>,
    /// Earlier steps by name; a name may be given anew.
    steps: BTreeMap<&'a str, Vec<&'a Step>>,
    /// Streams that were opened.
    opened: BTreeMap<&'a str, &'a Call>,
}

impl<'l> Lint<'l> {
    /// References, streams, and everything in a step that has a type.
    pub(super) fn check_names(&mut self, case: &Case, applicable: &Applicable<'_>) {
        let Action::Steps(steps) = &case.action else { return };
        let contexts = contexts(case, applicable);
        let mut known =
            Known { given: &case.given, webhooks: &case.webhooks, steps: BTreeMap::new(), opened: BTreeMap::new() };
        for step in steps {
            let inner: Vec<&Step> = step.with_inner();
            self.check_order(case, step);
            for step in &inner {
                self.check_stream(case, step, &mut known);
                self.check_step(case, step, &known, &contexts);
            }
            for step in inner {
                if let Some(name) = &step.name {
                    known.steps.entry(name).or_default().push(step);
                }
            }
        }
        for call in &case.holds {
            self.check_references(case, &call.at, None, &known, &contexts);
        }
    }

    /// What waits for another step waits for an earlier one of those at once, so that none waits for ever.
    fn check_order(&mut self, case: &Case, step: &Step) {
        let mut check = |step: &Step, earlier: &[&str]| {
            for (key, name) in [("after", &step.after), ("unless", &step.unless)] {
                let Some(name) = name.as_deref().filter(|name| !earlier.contains(name)) else { continue };
                let help = near::help(name, earlier.iter().copied());
                let message = format!("no earlier step of those that are done together is called `{name}`");
                self.wrong(case, &inner(&step.at, key), &Part::Value, message, help);
            }
        };
        check(step, &[]);
        if let Act::Together(steps) = &step.act {
            let mut earlier = Vec::new();
            for step in steps {
                check(step, &earlier);
                earlier.extend(step.name.as_deref());
            }
        }
    }

    fn check_stream<'a>(&mut self, case: &Case, step: &'a Step, known: &mut Known<'a>) {
        match &step.act {
            Act::Open(call) => match &step.name {
                Some(name) => {
                    known.opened.insert(name, call);
                }
                None => {
                    let message = "an open stream needs a name: `as`";
                    self.wrong(case, &inner(&step.at, "open"), &Part::Name, message, None);
                }
            },
            Act::Drain(name) | Act::Close(name) if !known.opened.contains_key(name.as_str()) => {
                let act = if matches!(step.act, Act::Drain(_)) { "drain" } else { "close" };
                let help = near::help(name, known.opened.keys().copied());
                let message = format!("no stream is open under the name `{name}`");
                self.wrong(case, &inner(&step.at, act), &Part::Value, message, help);
            }
            _ => {}
        }
    }

    fn check_step<'a>(&mut self, case: &Case, step: &'a Step, known: &Known<'a>, contexts: &[Context<'a>]) {
        self.check_references(case, &step.at, Some(step), known, contexts);
        let opened = |name: &str| known.opened.get(name).copied();
        let Some(written) = self.written(case, &step.at) else { return };
        for part in ["/applies", "/reach", "/until", "/expect/at", "/expect/error-at"] {
            let root = |context: &Context<'a>| match part {
                "/expect/error-at" => context.error(),
                _ => context.root(step, &opened),
            };
            let conditions = written.pointer(part).and_then(Value::as_object).into_iter().flatten();
            for (place, condition) in conditions.filter(|(place, _)| *place != EXTENSIONS) {
                let one = Value::Object([(place.clone(), condition.clone())].into_iter().collect());
                let problems = in_all(contexts, |context| {
                    let mut problems = Vec::new();
                    let root = Some(root(context)).filter(Type::is_known)?;
                    check_places(&root, &one, &format!("{}{part}", step.at), &mut problems);
                    Some(problems)
                });
                self.tell(case, problems);
            }
        }
        let problems = check_call(step, contexts);
        self.tell(case, problems);
    }

    /// References in what a file writes at a place, those of inner steps left out.
    fn check_references<'a>(
        &mut self,
        case: &Case,
        at: &str,
        step: Option<&'a Step>,
        known: &Known<'a>,
        contexts: &[Context<'a>],
    ) {
        let Some(written) = self.written(case, at) else { return };
        let mut texts = Vec::new();
        strings(written, at, &mut texts);
        for (at, text) in texts {
            for (reference, spelled) in spellings(text) {
                if let Some((message, help)) = check_reference(reference, spelled, step, known, contexts) {
                    let part = Part::InValue(format!("${{{reference}}}"));
                    self.wrong(case, &at, &part, message, help);
                }
            }
        }
    }

    fn written(&self, case: &Case, at: &str) -> Option<&'l Value> {
        let trees: &'l super::Trees<'l> = self.trees;
        trees.get(case.file.as_str())?.value().pointer(at)
    }

    fn tell(&mut self, case: &Case, problems: Vec<Problem>) {
        for problem in problems {
            self.wrong(case, &problem.at, &problem.part, problem.message, problem.help);
        }
    }
}

/// Every string in a value, with its place.
fn strings<'a>(value: &'a Value, at: &str, found: &mut Vec<(String, &'a str)>) {
    match value {
        Value::String(text) => found.push((at.to_owned(), text)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| strings(item, &inner(at, index), found));
        }
        Value::Object(members) => {
            for (name, value) in members.iter().filter(|(name, _)| name.as_str() != "together") {
                strings(value, &inner(at, name), found);
            }
        }
        _ => {}
    }
}

/// What is wrong with a reference, and what to do about it.
fn check_reference<'a>(
    reference: &str,
    spelled: Spelling<'_>,
    step: Option<&'a Step>,
    known: &Known<'a>,
    contexts: &[Context<'a>],
) -> Option<(String, Option<String>)> {
    match spelled {
        Spelling::Times => None,
        Spelling::Wrong(message) => Some((format!("`${{{reference}}}` has no value: {message}"), None)),
        Spelling::Params(operation, id) => match unknown_operation(operation) {
            Some((message, help)) => Some((format!("`${{{reference}}}` has no value: {message}"), help)),
            None if id.contains('.') => check_reference(id, spelling(id), step, known, contexts),
            None => None,
        },
        Spelling::Name(name, path) => {
            let found = match (name, path) {
                ("unique" | "unknown-id", None) => None,
                ("unique" | "unknown-id", Some(_)) => Some((format!("`{name}` has no parts"), None)),
                ("method" | "route", Some(operation)) => unknown_operation(operation),
                ("method" | "route", None) => {
                    Some(("it needs an operation".to_owned(), Some(format!("write `${{{name}.GetTask}}`"))))
                }
                ("bytes", name) if step.is_some_and(|step| matches!(step.act, Act::Bytes(_))) => unknown_part(name),
                ("webhook", name) if !known.is_named("webhook", step) => unknown_webhook(name, known.webhooks),
                ("extension" | "required-extension", part) if !known.is_named(name, step) => unknown_of_extension(part),
                ("tenant", part) if !known.is_named(name, step) => unknown_tenant(part),
                ("interface" | "card", Some("url")) | ("interface", Some("version")) => None,
                ("interface" | "card", _) if !known.is_named(name, step) => {
                    Some((format!("`{name}` has only a URL"), Some(format!("write `${{{name}.url}}`"))))
                }
                _ => check_path(name, path, step, known, contexts),
            };
            found.map(|(message, help)| (format!("`${{{reference}}}` has no value: {message}"), help))
        }
    }
}

/// What is wrong with the name of a part of a right request.
fn unknown_part(name: Option<&str>) -> Option<(String, Option<String>)> {
    let name = name.unwrap_or_default();
    let help = near::help(name, BytesCall::NAMES);
    (!BytesCall::NAMES.contains(&name)).then(|| (format!("a request has no `{name}`"), help))
}

/// What is wrong with the name of a part of an extension.
fn unknown_of_extension(part: Option<&str>) -> Option<(String, Option<String>)> {
    let Some(part) = part else {
        return Some(("it needs a part of the extension".to_owned(), Some("write `${extension.uri}`".to_owned())));
    };
    let help = near::help(part, OF_EXTENSION);
    (!OF_EXTENSION.contains(&part)).then(|| (format!("an extension has no `{part}`"), help))
}

/// What is wrong with the name of a tenant.
fn unknown_tenant(part: Option<&str>) -> Option<(String, Option<String>)> {
    let part = part.unwrap_or_default();
    let help = near::help(part, TENANTS).or_else(|| Some("write `${tenant.one}`".to_owned()));
    (!TENANTS.contains(&part)).then(|| (format!("no tenant is called `{part}`"), help))
}

/// What is wrong with the name of a webhook.
fn unknown_webhook(name: Option<&str>, known: &BTreeMap<String, Webhook>) -> Option<(String, Option<String>)> {
    let Some(name) = name else {
        let help = "write `${webhook.NAME}`, with a name that the case has under `webhooks`".to_owned();
        return Some(("it needs the name of a webhook".to_owned(), Some(help)));
    };
    let help = near::help(name, known.keys().map(String::as_str));
    (!known.contains_key(name)).then(|| (format!("no webhook is called `{name}`"), help))
}

fn unknown_operation(name: &str) -> Option<(String, Option<String>)> {
    let known = Operation::ALL.map(|operation| operation.to_string());
    let known = known.iter().map(String::as_str);
    let is_known = known.clone().any(|known| known == name);
    (!is_known).then(|| (format!("no such operation: `{name}`"), near::help(name, known)))
}

/// What is wrong with a path into a fixture, or into what came of a step.
fn check_path<'a>(
    name: &str,
    path: Option<&str>,
    step: Option<&'a Step>,
    known: &Known<'a>,
    contexts: &[Context<'a>],
) -> Option<(String, Option<String>)> {
    let opened = |name: &str| known.opened.get(name).copied();
    let steps = known.named(name, step);
    let fixture = known.given.get(name);
    if steps.is_empty() && fixture.is_none() {
        let names: BTreeSet<&str> = known.names(step).chain(BUILT_IN).collect();
        let help = near::nearest(name, names.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        return Some((format!("nothing before this step is called `{name}`"), help));
    }
    let Some(path) = path else {
        let help = format!("write what of its answer is meant, such as `${{{name}.result}}` or `${{{name}.task.id}}`");
        return fixture.is_none().then(|| (format!("`{name}` is a step, which has no value of its own"), Some(help)));
    };
    let names: Vec<&str> = path.split('.').collect();
    let check = |context: &Context<'a>| {
        let of_fixture = fixture.map(|fixture| match fixture.count {
            1 => Type::Named(context.dialect, "Task"),
            _ => Type::list(context.dialect, "Task"),
        });
        let of_steps = steps.iter().map(|step| context.answer(step, &opened));
        let mut found = Vec::new();
        for root in of_fixture.into_iter().chain(of_steps) {
            match lead(root, &names) {
                Ok(_) => return Some(Vec::new()),
                Err(dead) => found = vec![dead.problem(String::new(), Part::Value)],
            }
        }
        Some(found)
    };
    in_all(contexts, check).into_iter().next().map(|problem| (problem.message, problem.help))
}

impl<'a> Known<'a> {
    /// The steps of a name: a step's own answer may be named in its own expectation.
    fn named(&self, name: &str, own: Option<&'a Step>) -> Vec<&'a Step> {
        let earlier = self.steps.get(name).into_iter().flatten().copied();
        earlier.chain(own.filter(|step| step.name.as_deref() == Some(name))).collect()
    }

    fn is_named(&self, name: &str, own: Option<&'a Step>) -> bool {
        self.given.contains_key(name) || !self.named(name, own).is_empty()
    }

    fn names(&self, own: Option<&'a Step>) -> impl Iterator<Item = &str> {
        let own = own.and_then(|step| step.name.as_deref());
        self.given.keys().map(String::as_str).chain(self.steps.keys().copied()).chain(own)
    }
}
