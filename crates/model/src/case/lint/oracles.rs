//! The oracles that a case names, and what it asks them about.

use serde_json::Value;

use super::Lint;
use super::context::{Applicable, Context, Problem, contexts, in_all, lead};
use crate::case::convert::inner;
use crate::case::{Act, Action, Call, Case, Named, Oracle, OracleCall, Over, Step, What};
use crate::diagnostic::near;
use crate::profile::{Dialect, Operation, Type};
use crate::wire::json::pointer;
use crate::yaml::tree::Part;

impl Lint<'_> {
    pub(super) fn check_oracles(&mut self, case: &Case, oracles: &[Oracle], applicable: &Applicable<'_>) {
        let observed = match &case.action {
            Action::Observe(call) => Some((call, Over::Run)),
            Action::Steps(_) | Action::Visit(_) => None,
        };
        let contexts = contexts(case, applicable);
        // An oracle over the run judges a conversation as if it were one.
        let over = |call: &OracleCall| oracles.iter().find(|known| known.name == call.name).map(|known| known.over);
        let held = case.holds.iter().map(|call| (call, over(call).unwrap_or(Over::Case)));
        for (call, over) in held.chain(observed) {
            self.check_oracle(case, call, over, oracles, &contexts);
        }
    }

    fn check_oracle(
        &mut self,
        case: &Case,
        call: &OracleCall,
        over: Over,
        oracles: &[Oracle],
        contexts: &[Context<'_>],
    ) {
        // What names none was told when the file was read.
        if call.name.is_empty() {
            return;
        }
        // Arguments stand under the oracle's name; without any, the name is all.
        let (at, part) = match call.args.is_null() {
            true => (call.at.clone(), Part::InValue(call.name.clone())),
            false => (inner(&call.at, &call.name), Part::Name),
        };
        let Some(oracle) = oracles.iter().find(|oracle| oracle.name == call.name) else {
            let known = oracles.iter().filter(|oracle| oracle.over == over).map(|oracle| oracle.name);
            let message = format!("no such oracle: `{}`", call.name);
            return self.wrong(case, &at, &part, message, near::help(&call.name, known));
        };
        if oracle.over != over {
            let (message, help) = match oracle.over {
                Over::Case => ("judges one case, not the run", "put it under `holds`, beside `steps`"),
                Over::Run => ("judges the run, not one case", "put it under `observe`, instead of `steps`"),
            };
            let message = format!("the oracle `{}` {message}", call.name);
            return self.wrong(case, &at, &part, message, Some(help.to_owned()));
        }
        match (oracle.read)(&call.args) {
            Ok(named) => {
                for one in named.iter().filter(|one| !one.name.contains("${")) {
                    if let Some((message, help)) = self.misnamed(case, one, contexts) {
                        let place = place_of(&call.args, &one.name).unwrap_or_default();
                        self.wrong(case, &format!("{at}{place}"), &Part::Value, message, help);
                    }
                }
            }
            Err(wrong) => {
                let part = if wrong.is_name { Part::Name } else { Part::Value };
                let message = format!("`{}`: {}", call.name, wrong.message);
                self.wrong(case, &format!("{at}{}", wrong.at), &part, message, wrong.help);
            }
        }
    }

    /// What is wrong with a name in the arguments of an oracle, and what to do about it.
    fn misnamed(&self, case: &Case, named: &Named, contexts: &[Context<'_>]) -> Option<(String, Option<String>)> {
        let name = named.name.as_str();
        let steps = case.all_steps();
        let of_name: Vec<&Step> = steps.iter().copied().filter(|step| step.name.as_deref() == Some(name)).collect();
        let fixture = case.given.get(name);
        let all_steps = || steps.iter().filter_map(|step| step.name.as_deref());
        let fixtures = || case.given.keys().map(String::as_str);
        let unknown =
            |what: &str, known: Vec<&str>| Some((format!("no {what} is called `{name}`"), near::help(name, known)));
        match &named.what {
            What::Step if of_name.is_empty() => unknown("step", all_steps().collect()),
            What::Stream if of_name.is_empty() => unknown("step", all_steps().collect()),
            What::Stream => {
                let reads = |act: &Act| matches!(act, Act::Stream(_) | Act::Open(_) | Act::Drain(_) | Act::Raw(_));
                let is_stream = of_name.iter().any(|step| reads(&step.act));
                (!is_stream).then(|| (format!("the step `{name}` reads no stream"), None))
            }
            What::Walk if of_name.is_empty() => unknown("step", all_steps().collect()),
            What::Walk => {
                let is_walk = of_name.iter().any(|step| matches!(step.act, Act::Walk(_)));
                (!is_walk).then(|| (format!("the step `{name}` is not a walk"), None))
            }
            What::Deliveries if of_name.is_empty() => unknown("step", all_steps().collect()),
            What::Deliveries => {
                let waits = of_name.iter().any(|step| matches!(step.act, Act::Deliveries(_)));
                (!waits).then(|| (format!("the step `{name}` waits for no deliveries"), None))
            }
            What::Task | What::Tasks if of_name.is_empty() && fixture.is_none() => {
                unknown("step or fixture", all_steps().chain(fixtures()).collect())
            }
            What::Task => {
                let is_several = of_name.is_empty() && fixture.is_some_and(|fixture| fixture.count != 1);
                is_several.then(|| (format!("the fixture `{name}` is several tasks, and one is wanted"), None))
            }
            What::Tasks if fixture.is_none() => {
                let lists = |act: &Act| match act {
                    Act::Walk(_) | Act::Raw(_) => true,
                    act => act.operation() == Some(Operation::ListTasks),
                };
                let is_list = of_name.iter().any(|step| lists(&step.act));
                (!is_list).then(|| (format!("the step `{name}` brings no list of tasks"), None))
            }
            What::TypeName => {
                let is_known = self.is_known(|dialect| dialect.kinds().contains(name) || dialect.schemas.has(name));
                if is_known { None } else { unknown("type", self.kinds()) }
            }
            What::Schema => {
                let is_known = self.is_known(|dialect| dialect.schemas.has(name));
                (!is_known).then(|| (format!("no version has a schema `{name}`"), None))
            }
            What::ResultOf(step) => {
                let of_name: Vec<&Step> =
                    steps.iter().copied().filter(|known| known.name.as_deref() == Some(step)).collect();
                self.misplaced(contexts, &[name], |context| {
                    let none = |_: &str| -> Option<&Call> { None };
                    of_name.iter().map(|step| context.root(step, &none)).collect()
                })
            }
            What::PlaceInTask => match pointer::tokens(name) {
                Some(tokens) => self.misplaced(contexts, &tokens, |context| vec![Type::Named(context.dialect, "Task")]),
                None => Some((format!("`{name}` is no JSON pointer"), Some(format!("did you mean `/{name}`?")))),
            },
            What::Step | What::Tasks => None,
        }
    }

    /// What is wrong with a path that leads nowhere in any context.
    fn misplaced<'c>(
        &self,
        contexts: &[Context<'c>],
        path: &[impl AsRef<str>],
        roots: impl Fn(&Context<'c>) -> Vec<Type<'c>>,
    ) -> Option<(String, Option<String>)> {
        let problems = in_all(contexts, |context| {
            let mut found: Vec<Problem> = Vec::new();
            for root in roots(context) {
                match lead(root, path) {
                    Ok(_) => return Some(Vec::new()),
                    Err(dead) => found.push(dead.problem(String::new(), Part::Value)),
                }
            }
            Some(found)
        });
        problems.into_iter().next().map(|problem| (problem.message, problem.help))
    }

    /// Whether any form of any version knows something.
    fn is_known(&self, knows: impl Fn(&Dialect) -> bool) -> bool {
        let mut dialects = self.profiles.iter().flat_map(|profile| profile.dialects.values());
        self.profiles.is_empty() || dialects.any(|dialect| knows(dialect))
    }

    fn kinds(&self) -> Vec<&str> {
        let dialects = self.profiles.iter().flat_map(|profile| profile.dialects.values());
        dialects.flat_map(|dialect| dialect.kinds()).collect()
    }
}

/// Where a string stands in arguments.
fn place_of(args: &Value, text: &str) -> Option<String> {
    match args {
        Value::String(known) => (known == text).then(String::new),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| Some(format!("{}{}", inner("", index), place_of(item, text)?))),
        Value::Object(members) => {
            members.iter().find_map(|(name, member)| Some(format!("{}{}", inner("", name), place_of(member, text)?)))
        }
        _ => None,
    }
}
