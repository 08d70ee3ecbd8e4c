//! What cases about clients can get wrong: names of earlier steps, parameters, and demands on requests that no step leads to.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Lint;
use super::call::check_parameters;
use super::context::{Applicable, Context, check_places, contexts, in_all};
use crate::case::convert::inner;
use crate::case::visit::{Asked, Behind, Demand, Doing, Of, Wants, Word};
use crate::case::{Case, Visit};
use crate::diagnostic::near;
use crate::profile::{Operation, Type};
use crate::yaml::tree::Part;

impl Lint<'_> {
    /// Everything about what a client meets and does.
    pub(super) fn check_visit(&mut self, case: &Case, applicable: &Applicable<'_>) {
        let Some(visit) = case.visit() else { return };
        let contexts = contexts(case, applicable);
        let mut known: Vec<&Doing> = Vec::new();
        for step in &visit.steps {
            self.check_doing(case, step, &known, &contexts);
            known.push(step);
        }
        for demand in &visit.requests {
            self.check_demand(case, visit, demand, &contexts);
        }
        self.check_agent(case, visit, &contexts);
    }

    fn check_doing(&mut self, case: &Case, step: &Doing, known: &[&Doing], contexts: &[Context<'_>]) {
        let named = |is_one: fn(Word) -> bool| -> BTreeSet<&str> {
            known.iter().filter(|other| is_one(other.word)).filter_map(|other| other.name.as_deref()).collect()
        };
        let cards = named(|word| word == Word::Resolve);
        let clients = named(|word| word == Word::Client);
        let streams = named(Word::streams);
        let card = step.options.get("card").and_then(Value::as_str);
        for (key, name, names, what) in [
            ("client", step.client.as_deref(), &clients, "client"),
            ("stream", step.stream.as_deref(), &streams, "stream"),
            ("card", card, &cards, "card"),
        ] {
            let Some(name) = name.filter(|name| !names.contains(name)) else { continue };
            let help = near::help(name, names.iter().copied());
            self.wrong(
                case,
                &inner(&step.at, key),
                &Part::Value,
                format!("no earlier {what} is called `{name}`"),
                help,
            );
        }
        if step.word.takes_a_client() && step.client.is_none() && !known.iter().any(|other| other.word == Word::Client)
        {
            let help = Some("begin with `- do: client`".to_owned());
            self.wrong(case, &inner(&step.at, "do"), &Part::Value, "no client was made yet", help);
        }
        if let Some(name) = &step.name
            && known.iter().any(|other| other.name.as_ref() == Some(name))
        {
            self.wrong(case, &inner(&step.at, "as"), &Part::Value, format!("the name `{name}` is taken"), None);
        }
        let operation = match step.word {
            Word::Walk => Some(Operation::ListTasks),
            word => word.operation(),
        };
        if let (Some(operation), Some(with)) = (operation, &step.with) {
            let problems = check_parameters(operation, with, &inner(&step.at, "with"), contexts);
            for problem in problems {
                self.wrong(case, &problem.at, &problem.part, problem.message, problem.help);
            }
        }
        // What an event or a result can have is known where the operation is.
        if let (Some(reported), Some(operation)) = (&step.reported, step.word.operation())
            && let Some(written) = self.trees.get(case.file.as_str()).map(|tree| tree.value())
            && let Some(places) =
                written.pointer(&format!("{}/reported/at", step.at)).filter(|_| !reported.at.is_empty())
        {
            let at = format!("{}/reported/at", step.at);
            let problems = in_all(contexts, |context| {
                let mut problems = Vec::new();
                let result = context.result(operation);
                let root = if step.word.streams() { Type::List(Box::new(result)) } else { result };
                let root = Some(root).filter(Type::is_known)?;
                check_places(&root, places, &at, &mut problems);
                Some(problems)
            });
            for problem in problems {
                self.wrong(case, &problem.at, &problem.part, problem.message, problem.help);
            }
        }
    }

    /// A demand on the requests of every client is decided by each request alone: nothing in it is about the steps or the agent of the
    /// case.
    fn check_always(&mut self, case: &Case, demand: &Demand) {
        let conditions = match &demand.wants {
            Wants::Each(conditions) | Wants::Never(conditions) => conditions,
            _ => {
                let message = "`always` is for `each` and `never`: the others depend on the steps of the case";
                return self.wrong(case, &inner(&demand.at, "always"), &Part::Name, message, None);
            }
        };
        let is_of_steps = |pointer: &&String| *pointer == "/call/number" || pointer.starts_with("/answer");
        let wrong = match conditions.keys().find(is_of_steps) {
            Some(pointer) => {
                Some(format!("`always` does not go with a condition on `{pointer}`, which the case decides"))
            }
            None => demand.place.as_ref().map(|_| "`always` does not go with `where`".to_owned()),
        };
        if let Some(message) = wrong {
            self.wrong(case, &inner(&demand.at, "always"), &Part::Name, message, None);
        }
    }

    fn check_demand(&mut self, case: &Case, visit: &Visit, demand: &Demand, contexts: &[Context<'_>]) {
        let may_ask = visit.may_ask();
        let is_sent = |of: Of| match of {
            Of::Card => may_ask.contains(&Asked::Card),
            Of::Operation(operation) => may_ask.contains(&Asked::Operation(operation)),
            Of::Any | Of::Unknown => may_ask.iter().any(|asked| matches!(asked, Asked::Operation(_))),
        };
        let ofs = match &demand.wants {
            Wants::Order(ofs) => ofs.clone(),
            // That something is never sent is no demand on what the steps send.
            Wants::Never(_) => Vec::new(),
            Wants::Count(_) if demand.of == Of::Unknown => Vec::new(),
            _ => vec![demand.of],
        };
        if let Some(of) = ofs.into_iter().find(|of| !is_sent(*of)) {
            let message = format!("no step leads to a request of {of}");
            self.wrong(case, &demand.at, &Part::Value, message, None);
        }
        let places: Vec<&str> = visit.agent.interfaces.iter().map(|offered| offered.at.as_str()).collect();
        if let Some(place) = &demand.place
            && place != "served"
            && place != "foreign"
            && !places.contains(&place.as_str())
        {
            let help = near::help(place, places.iter().copied().chain(["served", "foreign"]));
            let message = format!("no interface is at `{place}`");
            self.wrong(case, &inner(&demand.at, "where"), &Part::Value, message, help);
        }
        if let Some(place) = &demand.place
            && place == "foreign"
            && !visit.agent.interfaces.iter().any(|offered| offered.is == Behind::Foreign)
        {
            self.wrong(case, &inner(&demand.at, "where"), &Part::Value, "no interface `is: foreign`", None);
        }
        if demand.always.is_some() {
            self.check_always(case, demand);
        }
        let (Of::Operation(operation), Some(tree)) = (demand.of, self.trees.get(case.file.as_str())) else { return };
        for key in ["each", "first", "last", "later", "never"] {
            let at = format!("{}/{key}/at", demand.at);
            let Some(places) = tree.value().pointer(&at) else { continue };
            let problems = in_all(contexts, |context| {
                let mut problems = Vec::new();
                let root = Some(context.params(operation)).filter(Type::is_known)?;
                check_places(&root, places, &at, &mut problems);
                Some(problems)
            });
            for problem in problems {
                self.wrong(case, &problem.at, &problem.part, problem.message, problem.help);
            }
        }
    }

    fn check_agent(&mut self, case: &Case, visit: &Visit, contexts: &[Context<'_>]) {
        let script = inner(&inner(&case.at, "agent"), "script");
        for asked in visit.agent.script.keys() {
            let Asked::Operation(operation) = asked else { continue };
            let is_known = contexts.iter().any(|context| context.operation(*operation).is_some());
            if !contexts.is_empty() && !is_known {
                let message = format!("{operation} is not there in a version of this case");
                self.wrong(case, &inner(&script, operation), &Part::Name, message, None);
            }
        }
    }
}
