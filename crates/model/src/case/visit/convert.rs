//! From the shape of a case about clients to its meaning.

use std::collections::BTreeMap;

use serde_json::Value;

use super::file::{AgentEntry, ClientCaseEntry, ConditionsEntry, DoingEntry, RequestsEntry, ScriptedEntry};
use super::{
    Always, Asked, Conditions, Demand, Doing, Of, Offered, Reported, Says, Scripted, ScriptedAgent, Visit, Wants, Word,
    Writing,
};
use crate::case::convert::{Converter, inner};
use crate::case::{Action, Case};
use crate::diagnostic::near;
use crate::profile::Operation;
use crate::wire::json::pointer;
use crate::yaml::Mistake;
use crate::yaml::tree::Part;

impl Converter<'_> {
    /// One case; parts with mistakes are left out, since the file is refused as a whole anyway.
    pub(in crate::case) fn client_case(&mut self, entry: ClientCaseEntry, at: String) -> Case {
        let own = self.own(entry.level, entry.profiles, entry.section, &at);
        let steps_at = inner(&at, "steps");
        let steps: Vec<Doing> = entry
            .steps
            .into_iter()
            .enumerate()
            .map(|(index, entry)| self.doing(entry, inner(&steps_at, index)))
            .collect();
        let requests_at = inner(&at, "requests");
        let mut requests = Vec::new();
        for (index, entry) in entry.requests.into_iter().enumerate() {
            requests.extend(self.demands(entry, &inner(&requests_at, index)));
        }
        let agent = self.agent(entry.agent, &inner(&at, "agent"));
        let visit = Visit { agent, steps, requests };
        if visit.assertions().is_empty() {
            let message = "a case without `requests` and `reported` asserts nothing";
            self.wrong(&inner(&at, "id"), Part::Value, message);
        }
        Case {
            id: entry.id,
            title: entry.title,
            why: entry.why,
            right: entry.right,
            wrong: entry.wrong,
            fix: entry.fix,
            needs: Vec::new(),
            without: Vec::new(),
            bindings: entry.bindings,
            extension: Vec::new(),
            dialects: Vec::new(),
            across: false,
            claim: false,
            object: None,
            given: BTreeMap::new(),
            webhooks: BTreeMap::new(),
            action: Action::Visit(Box::new(visit)),
            holds: Vec::new(),
            own,
            file: self.file.to_owned(),
            at,
            beyond: Vec::new(),
        }
    }

    fn agent(&mut self, entry: AgentEntry, at: &str) -> ScriptedAgent {
        let mut script = BTreeMap::new();
        for (name, answers) in entry.script {
            let at = inner(&inner(at, "script"), &name);
            let Some(asked) = asked(&name) else {
                let known = Operation::ALL.map(|operation| operation.to_string());
                let help = near::help(&name, known.iter().map(String::as_str).chain(["card"]));
                let mistake = self.tree.mistake(&at, &Part::Name, &format!("no operation is called `{name}`"));
                self.mistakes.push(Mistake { help, ..mistake });
                continue;
            };
            let answers = answers.into_iter().enumerate();
            let read = answers.filter_map(|(index, answer)| self.scripted(answer, asked, &inner(&at, index)));
            let read = read.collect::<Vec<_>>();
            script.insert(asked, read);
        }
        if entry.fault.is_some() && entry.variation.is_some() {
            let message =
                "an agent has a `fault` or a `variation`: which of them a client does not survive could not be seen";
            self.wrong(&inner(at, "variation"), Part::Name, message);
        }
        let mut seen: Vec<&str> = Vec::new();
        for (index, offered) in entry.interfaces.iter().enumerate() {
            let place = inner(&inner(&inner(at, "interfaces"), index), "at");
            let is_path = !offered.at.is_empty()
                && offered.at.split('/').all(|segment| {
                    !segment.is_empty()
                        && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
                });
            if !is_path {
                let message = format!("`{}` is not a path of letters, digits, `-`, `_` and `.`", offered.at);
                self.wrong(&place, Part::Value, message);
            }
            if seen.contains(&offered.at.as_str()) {
                self.wrong(&place, Part::Value, format!("two interfaces are at `{}`", offered.at));
            }
            seen.push(&offered.at);
        }
        ScriptedAgent {
            interfaces: entry
                .interfaces
                .into_iter()
                .map(|offered| Offered {
                    binding: offered.binding,
                    at: offered.at,
                    version: offered.version,
                    tenant: offered.tenant,
                    is: offered.is,
                })
                .collect(),
            card: entry.card.map_or(Value::Null, Value::Object),
            headers: entry.headers.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect(),
            fault: entry.fault,
            variation: entry.variation,
            script,
        }
    }

    fn scripted(&mut self, entry: ScriptedEntry, asked: Asked, at: &str) -> Option<Scripted> {
        let mut says = Vec::new();
        says.extend(entry.result.map(Says::Result));
        says.extend(entry.error.map(Says::Error));
        says.extend(entry.events.map(Says::Events));
        says.extend(entry.agent.then_some(Says::Agent));
        let is_http = entry.status.is_some() || entry.body.is_some();
        says.extend(is_http.then(|| Says::Http {
            status: entry.status.unwrap_or(200),
            headers: entry.headers.clone(),
            body: entry.body.unwrap_or_default(),
        }));
        if !is_http && !entry.headers.is_empty() {
            self.wrong(&inner(at, "headers"), Part::Name, "`headers` goes with `status` or `body`");
        }
        let (Some(says), true) = (says.pop(), says.is_empty()) else {
            let message = "an answer is exactly one of result, error, events, agent, or status with headers and body";
            self.wrong(at, Part::Value, message);
            return None;
        };
        if asked == Asked::Card && !matches!(says, Says::Http { .. } | Says::Agent) {
            self.wrong(at, Part::Value, "the card is answered by `agent: true`, or by `status`, `headers` and `body`");
        }
        let writing = entry.writing;
        Some(Scripted {
            says,
            envelope: entry.envelope.map(Value::Object),
            pause: entry.pause,
            ends: entry.ends,
            writing: Writing {
                lines: writing.lines,
                bom: writing.bom,
                comments: writing.comments,
                fields: writing.fields,
                no_space: writing.no_space,
                multi_line: writing.multi_line,
                byte_by_byte: writing.byte_by_byte,
            },
        })
    }

    fn doing(&mut self, entry: DoingEntry, at: String) -> Doing {
        let mut options: BTreeMap<&'static str, Value> = BTreeMap::new();
        let texts = |list: Vec<String>| Value::from(list);
        let mut option = |name: &'static str, value: Option<Value>| options.extend(value.map(|value| (name, value)));
        option("card", entry.card.map(Value::from));
        option("most", entry.most.map(Value::from));
        option("bindings", entry.bindings.map(texts));
        option("extensions", entry.extensions.map(texts));
        option("auth", entry.auth.map(Value::Object));
        option("output-modes", entry.output_modes.map(texts));
        let allowed: &[&str] = match entry.word {
            Word::Client => &["card", "bindings", "extensions", "auth", "output-modes"],
            Word::Walk => &["most"],
            _ => &[],
        };
        for name in options.keys().filter(|name| !allowed.contains(name)) {
            self.wrong(&inner(&at, name), Part::Name, format!("`{name}` does not go with `{}`", entry.word));
        }
        if entry.with.is_some() && !takes_parameters(entry.word) {
            self.wrong(&inner(&at, "with"), Part::Name, format!("`with` does not go with `{}`", entry.word));
        }
        if (entry.word == Word::CancelStream) != entry.stream.is_some() {
            self.wrong(&at, Part::Value, "`stream` goes with `cancel-stream`, which needs it");
        }
        if entry.client.is_some() && !entry.word.takes_a_client() {
            self.wrong(&inner(&at, "client"), Part::Name, format!("`client` does not go with `{}`", entry.word));
        }
        let reported = entry.reported.map(|reported| {
            let at = inner(&at, "reported");
            if reported.outcome.is_empty() && reported.at.is_empty() && reported.name.is_none() {
                self.wrong(&at, Part::Value, "`reported` requires nothing");
            }
            Reported {
                outcome: reported.outcome,
                at: self.places(reported.at, &inner(&at, "at")),
                name: reported.name.and_then(|condition| self.matcher(&condition, &inner(&at, "name"))),
            }
        });
        Doing {
            word: entry.word,
            name: entry.name,
            client: entry.client,
            stream: entry.stream,
            with: entry.with.map(Value::Object),
            options,
            reported,
            line: self.line(&at),
            at,
        }
    }

    fn demands(&mut self, entry: RequestsEntry, at: &str) -> Vec<Demand> {
        let of = match &entry.of {
            Some(name) => self.of(name, &inner(at, "of")),
            None => None,
        };
        let mut wants = Vec::new();
        if let Some(count) = &entry.count {
            wants.extend(self.matcher(count, &inner(at, "count")).map(Wants::Count));
        }
        let mut conditions = |name: &str, entry: Option<ConditionsEntry>, make: fn(Conditions) -> Wants| {
            if let Some(entry) = entry {
                let at = inner(at, name);
                let read = self.conditions(entry, &at);
                if read.is_empty() && name != "never" {
                    self.wrong(&at, Part::Value, format!("`{name}` requires nothing"));
                }
                wants.push(make(read));
            }
        };
        conditions("each", entry.each, Wants::Each);
        conditions("first", entry.first, Wants::First);
        conditions("last", entry.last, Wants::Last);
        conditions("later", entry.later, Wants::Later);
        conditions("never", entry.never, Wants::Never);
        if !entry.order.is_empty() {
            let names = entry.order.iter().enumerate();
            let order = names.filter_map(|(index, name)| self.of(name, &inner(&inner(at, "order"), index))).collect();
            wants.push(Wants::Order(order));
        }
        if !entry.differ.is_empty() {
            let places = entry.differ.iter().enumerate().map(|(index, place)| {
                let at = inner(&inner(at, "differ"), index);
                self.document_place(place, &at)
            });
            wants.push(Wants::Differ(places.collect()));
        }
        if wants.is_empty() {
            let message = "an item of `requests` has count, each, first, last, later, never, order or differ";
            self.wrong(at, Part::Value, message);
        }
        if entry.of.is_none() && wants.iter().any(|wants| !matches!(wants, Wants::Order(_))) {
            self.wrong(at, Part::Value, "the key `of` is missing: an operation, `card`, `any` or `unknown`");
        }
        let line = self.line(at);
        let always = entry.always.map(|always| Always { lacks: always.lacks });
        let demand = |wants| Demand {
            of: of.unwrap_or(Of::Any),
            place: entry.place.clone(),
            wants,
            always,
            at: at.to_owned(),
            line,
        };
        wants.into_iter().map(demand).collect()
    }

    fn of(&mut self, name: &str, at: &str) -> Option<Of> {
        let word = Of::WORDS.iter().find(|(known, _)| *known == name).map(|(_, of)| *of);
        let operation = || Operation::ALL.into_iter().find(|operation| operation.to_string() == name);
        let found = word.or_else(|| operation().map(Of::Operation));
        if found.is_none() {
            let known = Operation::ALL.map(|operation| operation.to_string());
            let words = Of::WORDS.iter().map(|(name, _)| *name);
            let help = near::help(name, known.iter().map(String::as_str).chain(words));
            let mistake = self.tree.mistake(at, &Part::Value, &format!("no requests are called `{name}`"));
            self.mistakes.push(Mistake { help, ..mistake });
        }
        found
    }

    /// Conditions on a request, by pointers into the document that is made of it.
    fn conditions(&mut self, entry: ConditionsEntry, at: &str) -> Conditions {
        let mut read = Conditions::new();
        for (place, matcher) in self.places(entry.at, &inner(at, "at")) {
            read.insert(format!("/at{place}"), matcher);
        }
        let parts = [
            ("headers", entry.headers),
            ("http", entry.http),
            ("rpc", entry.rpc),
            ("call", entry.call),
            ("answer", entry.answer),
        ];
        for (part, conditions) in parts {
            let known: &[&str] = match part {
                "http" => &["method", "target", "path", "query"],
                "call" => &["number", "id"],
                "answer" => &["status", "left"],
                _ => &[],
            };
            for (name, condition) in conditions {
                let place = inner(&inner(at, part), &name);
                if !known.is_empty() && !known.contains(&name.as_str()) {
                    let help = near::help(&name, known.iter().copied());
                    let message = format!("`{part}` has no `{name}`");
                    let mistake = self.tree.mistake(&place, &Part::Name, &message);
                    self.mistakes.push(Mistake { help, ..mistake });
                }
                let name = if part == "headers" { name.to_ascii_lowercase() } else { name };
                if let Some(matcher) = self.matcher(&condition, &place) {
                    let mut own = format!("/{part}");
                    pointer::push(&mut own, &name);
                    read.insert(own, matcher);
                }
            }
        }
        read
    }

    /// A place of the document of a request: a pointer into the canonical parameters, or `headers:NAME`, `rpc:NAME`.
    fn document_place(&mut self, place: &str, at: &str) -> String {
        if let Some((part, name)) = place.split_once(':').filter(|(part, _)| ["headers", "rpc"].contains(part)) {
            let mut own = format!("/{part}");
            pointer::push(&mut own, name);
            return own;
        }
        if pointer::tokens(place).is_none() {
            let message = format!("`{place}` is no JSON pointer, and neither `headers:NAME` nor `rpc:NAME`");
            self.wrong(at, Part::Value, message);
        }
        format!("/at{place}")
    }
}

fn asked(name: &str) -> Option<Asked> {
    serde_json::from_value(Value::from(name)).ok()
}

fn takes_parameters(word: Word) -> bool {
    word.operation().is_some() || matches!(word, Word::Walk | Word::Follow)
}
