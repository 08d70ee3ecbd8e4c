//! From the shape of a case file to its meaning; what a type cannot say is checked here.

mod bytes;
mod webhook;

use std::collections::BTreeMap;

use ::bytes::Bytes;
use base64::Engine as _;
use serde_json::{Map, Value};

use super::file::{CaseEntry, ExpectEntry, RawEntry, StepEntry};
use super::matcher::{WrongCondition, check_pointer};
use super::{
    Act, Action, Asserts, BytesCall, Call, CardRequest, Case, EXTENSIONS, Expect, Fixture, Matcher, Oracle, OracleCall,
    Outcome, Own, Raw, RawBody, Step, Wait, Walk,
};
use crate::profile::Operation;
use crate::verdict::Level;
use crate::wire::json::pointer;
use crate::yaml::tree::Part;
use crate::yaml::{Mistake, Tree};

/// Collects mistakes of one file while its cases are converted.
pub(super) struct Converter<'a> {
    pub file: &'a str,
    pub tree: &'a Tree,
    /// Those that cases may name.
    pub oracles: &'a [Oracle],
    pub mistakes: Vec<Mistake>,
}

/// The place of a member of what stands at a place, or of an item.
pub(in crate::case) fn inner(at: &str, name: impl ToString) -> String {
    let mut inner = at.to_owned();
    pointer::push(&mut inner, &name.to_string());
    inner
}

impl Converter<'_> {
    pub(in crate::case) fn wrong(&mut self, at: &str, part: Part, message: impl AsRef<str>) {
        self.mistakes.push(self.tree.mistake(at, &part, message.as_ref()));
    }

    /// One case; parts with mistakes are left out, since the file is refused as a whole anyway.
    pub fn case(&mut self, entry: CaseEntry, at: String) -> Case {
        let action = match (entry.observe, entry.steps.is_empty()) {
            (Some(observe), true) => Action::Observe(self.oracle(observe, inner(&at, "observe"))),
            (None, false) => Action::Steps(self.steps(entry.steps, &inner(&at, "steps"))),
            (Some(_), false) => {
                let message = "a case has either `steps` or `observe`, not both";
                self.wrong(&inner(&at, "observe"), Part::Name, message);
                Action::Steps(Vec::new())
            }
            (None, true) => {
                self.wrong(&inner(&at, "id"), Part::Value, "a case needs `steps`, or `observe`");
                Action::Steps(Vec::new())
            }
        };
        let own = self.own(entry.level, entry.profiles, entry.section, &at);
        let holds = inner(&at, "holds");
        let calls = entry.holds.into_iter().enumerate();
        let holds = calls.map(|(index, call)| self.oracle(call, inner(&holds, index))).collect();
        Case {
            given: entry
                .given
                .into_iter()
                .map(|(name, fixture)| {
                    let trigger = fixture.trigger.unwrap_or_else(|| fixture.task.trigger());
                    (name, Fixture { task: fixture.task, trigger, fresh: fixture.fresh, count: fixture.count })
                })
                .collect(),
            webhooks: self.webhooks(entry.webhooks, &inner(&at, "webhooks")),
            action,
            holds,
            own,
            file: self.file.to_owned(),
            at,
            id: entry.id,
            title: entry.title,
            why: entry.why,
            right: entry.right,
            wrong: entry.wrong,
            fix: entry.fix,
            needs: entry.needs,
            without: entry.without,
            extension: entry.extension,
            bindings: entry.bindings,
            dialects: entry.dialects,
            across: entry.across,
            claim: entry.claim,
            object: entry.object,
            beyond: Vec::new(),
        }
    }

    /// The level of a case that no catalogue names, with where it applies.
    pub(in crate::case) fn own(
        &mut self,
        level: Option<Level>,
        profiles: Vec<String>,
        section: Option<String>,
        at: &str,
    ) -> Option<Own> {
        if level.is_none() {
            let stray = [("section", section.is_some()), ("profiles", !profiles.is_empty())];
            for (key, _) in stray.into_iter().filter(|(_, is_there)| *is_there) {
                let message = format!("`{key}` goes with `level`, in cases that no catalogue names");
                self.wrong(&inner(at, key), Part::Name, message);
            }
        }
        level.map(|level| Own { level, profiles, section: section.unwrap_or_default() })
    }

    fn oracle(&mut self, entry: Value, at: String) -> OracleCall {
        let (name, args) = match entry {
            Value::String(name) => (name, Value::Null),
            Value::Object(members) if members.len() == 1 => members.into_iter().next().unwrap_or_default(),
            _ => {
                self.wrong(&at, Part::Value, "expected the name of an oracle, or `name: {arguments}`");
                (String::new(), Value::Null)
            }
        };
        let known = self.oracles.iter().find(|oracle| oracle.name == name);
        OracleCall { asserts: known.map_or(Asserts::One, |oracle| oracle.asserts), name, args, at }
    }

    fn steps(&mut self, entries: Vec<StepEntry>, at: &str) -> Vec<Step> {
        let entries = entries.into_iter().enumerate();
        entries.filter_map(|(index, entry)| self.step(entry, inner(at, index))).collect()
    }

    fn step(&mut self, mut entry: StepEntry, at: String) -> Option<Step> {
        let mut acts = Vec::new();
        let call = |operation: Operation, entry: &mut StepEntry| Call {
            operation,
            with: entry.with.take().unwrap_or_else(|| Value::Object(Map::new())),
            trigger: entry.trigger.take(),
            invalid: std::mem::take(&mut entry.invalid),
            rpc_id: entry.rpc_id.take().map(|id| id.value),
        };
        let mut does = |name: &'static str, act: Option<Act>| acts.extend(act.map(|act| (name, act)));
        does("call", entry.call.take().map(|operation| Act::Call(call(operation, &mut entry))));
        does("stream", entry.stream.take().map(|operation| Act::Stream(call(operation, &mut entry))));
        does("open", entry.open.take().map(|operation| Act::Open(call(operation, &mut entry))));
        does("drain", entry.drain.take().map(Act::Drain));
        does("close", entry.close.take().map(Act::Close));
        does("raw", entry.raw.take().map(|raw| Act::Raw(self.raw(&inner(&at, "raw"), raw))));
        if let Some(operation) = entry.bytes.take() {
            let call = call(operation, &mut entry);
            let send = self.pieces(entry.send.take().unwrap_or_default(), &inner(&at, "send"));
            let answers = entry.answers.take().unwrap_or(1);
            does("bytes", Some(Act::Bytes(BytesCall { call, send, answers })));
        }
        does("wait", entry.wait.take().map(|wait| Act::Wait(Wait { task: wait.task, until: wait.until })));
        does(
            "walk",
            entry.walk.take().map(|with| {
                let until = self.places(std::mem::take(&mut entry.until), &inner(&at, "until"));
                Act::Walk(Walk { with: Value::Object(with), until })
            }),
        );
        let card = entry.card.take();
        does("card", card.map(|card| Act::Card(CardRequest { method: card.method, extended: card.extended })));
        does("hello", entry.hello.take().map(Act::Hello));
        let deliveries = entry.deliveries.take();
        let is_of_deliveries = deliveries.is_some();
        let wanted = deliveries.map(|wanted| self.deliveries(wanted, &inner(&at, "deliveries")));
        does("deliveries", wanted.map(Act::Deliveries));
        does("release", entry.release.take().map(Act::Release));
        let together = entry.together.take();
        does("together", together.map(|steps| Act::Together(self.steps(steps, &inner(&at, "together")))));
        let (Some((name, act)), true) = (acts.pop(), acts.is_empty()) else {
            let message = "a step does exactly one of call, stream, open, drain, close, raw, bytes, wait, walk, card, hello, deliveries, release, together";
            self.wrong(&at, Part::Value, message);
            return None;
        };
        let of_calls = [
            ("with", entry.with.is_some()),
            ("trigger", entry.trigger.is_some()),
            ("invalid", entry.invalid),
            ("rpc-id", entry.rpc_id.is_some()),
        ];
        for (key, _) in of_calls.into_iter().filter(|(_, is_there)| *is_there) {
            let message = format!("`{key}` goes with `call`, `stream`, `open` and `bytes` only");
            self.wrong(&inner(&at, key), Part::Name, message);
        }
        let has_headers = matches!(act, Act::Call(_) | Act::Stream(_) | Act::Open(_) | Act::Raw(_) | Act::Bytes(_));
        let of_requests =
            [("extensions", !entry.extensions.is_empty()), ("required-extensions", !entry.required_extensions)];
        for (key, _) in of_requests.into_iter().filter(|(_, is_there)| *is_there && !has_headers) {
            let message = format!("`{key}` goes with `call`, `stream`, `open`, `raw` and `bytes` only");
            self.wrong(&inner(&at, key), Part::Name, message);
        }
        for (key, is_there) in [("send", entry.send.is_some()), ("answers", entry.answers.is_some())] {
            if is_there {
                self.wrong(&inner(&at, key), Part::Name, format!("`{key}` goes with `bytes` only"));
            }
        }
        if !entry.until.is_empty() {
            let message = "`until` beside the act goes with `walk` only; that of a `wait` stands inside it";
            self.wrong(&inner(&at, "until"), Part::Name, message);
        }
        self.check_call(&at, name, &act);
        if let Some(expect) = entry.expect.as_ref().filter(|_| is_of_deliveries) {
            self.check_deliveries(expect, &inner(&at, "expect"));
        }
        Some(Step {
            act,
            name: entry.name,
            after: entry.after,
            unless: entry.unless,
            after_restart: entry.after_restart,
            over: entry.over,
            by: entry.by,
            headers: entry.headers,
            extensions: entry.extensions,
            required_extensions: entry.required_extensions,
            applies: self.reach(entry.applies, &inner(&at, "applies")),
            reach: self.reach(entry.reach, &inner(&at, "reach")),
            expect: entry.expect.map(|expect| self.expect(expect, &inner(&at, "expect"))),
            line: self.line(&at),
            at,
        })
    }

    fn check_call(&mut self, at: &str, act_name: &str, act: &Act) {
        let (Act::Call(call) | Act::Stream(call) | Act::Open(call) | Act::Bytes(BytesCall { call, .. })) = act else {
            return;
        };
        if call.trigger.is_some() && !call.operation.sends_a_message() {
            let message = format!("`trigger` goes with operations that send a message, not with {}", call.operation);
            self.wrong(&inner(at, "trigger"), Part::Name, message);
        }
        let is_stream = call.operation.streams();
        let message = match (act, is_stream) {
            (Act::Call(_), true) => format!("{} streams: use `stream` or `open`", call.operation),
            (Act::Stream(_) | Act::Open(_), false) => format!("{} does not stream: use `call`", call.operation),
            _ => return,
        };
        self.wrong(&inner(at, act_name), Part::Name, message);
    }

    fn raw(&mut self, at: &str, entry: RawEntry) -> Raw {
        let body = match (entry.body, entry.base64, entry.fill) {
            (Some(text), None, None) => RawBody::Text(text),
            (None, None, Some(length)) => RawBody::Bytes(vec![0; length].into()),
            (None, Some(encoded), None) => RawBody::Bytes(self.decoded(at, "base64", &encoded)),
            (None, None, None) => RawBody::Bytes(Bytes::new()),
            _ => {
                self.wrong(at, Part::Value, "a raw request has one of `body`, `base64` and `fill`");
                RawBody::Bytes(Bytes::new())
            }
        };
        let prefix = entry.prefix.map(|encoded| self.decoded(at, "prefix", &encoded));
        Raw { body, method: entry.method, suffix: entry.suffix, content_type: entry.content_type, prefix }
    }

    fn decoded(&mut self, at: &str, name: &str, encoded: &str) -> Bytes {
        match base64::engine::general_purpose::STANDARD.decode(encoded) {
            Ok(bytes) => bytes.into(),
            Err(error) => {
                self.wrong(&inner(at, name), Part::Value, format!("`{name}` is not base64: {error}"));
                Bytes::new()
            }
        }
    }

    fn expect(&mut self, entry: ExpectEntry, at: &str) -> Expect {
        Expect {
            outcome: entry.outcome.iter().map(|outcome| Outcome::read(outcome)).collect(),
            at: self.places(entry.at, &inner(at, "at")),
            error_at: self.places(entry.error_at, &inner(at, "error-at")),
            http: self.names(entry.http, &inner(at, "http")),
            grpc: self.names(entry.grpc, &inner(at, "grpc")),
            connection: self.names(entry.connection, &inner(at, "connection")),
            extensions: entry.extensions.and_then(|condition| self.matcher(&condition, &inner(at, "extensions"))),
            rpc_id: entry.rpc_id.and_then(|condition| self.matcher(&condition, &inner(at, "rpc-id"))),
        }
    }

    /// Conditions by name of a header or the like, which is the same in either case.
    fn names(&mut self, entries: BTreeMap<String, Value>, at: &str) -> BTreeMap<String, Matcher> {
        let entries = entries.into_iter();
        entries
            .filter_map(|(name, condition)| {
                Some((name.to_ascii_lowercase(), self.matcher(&condition, &inner(at, &name))?))
            })
            .collect()
    }

    fn reach(&mut self, mut entries: BTreeMap<String, Value>, at: &str) -> BTreeMap<String, Matcher> {
        let of_extensions = entries
            .remove(EXTENSIONS)
            .and_then(|condition| Some((EXTENSIONS.to_owned(), self.matcher(&condition, &inner(at, EXTENSIONS))?)));
        let mut places = self.places(entries, at);
        places.extend(of_extensions);
        places
    }

    /// The line of a place in the file, where it is known.
    pub(in crate::case) fn line(&self, at: &str) -> Option<u64> {
        Some(self.tree.line(at)).filter(|line| *line > 0)
    }

    pub(in crate::case) fn places(&mut self, entries: BTreeMap<String, Value>, at: &str) -> BTreeMap<String, Matcher> {
        let mut places = BTreeMap::new();
        for (place, condition) in entries {
            let wrong = check_pointer(&place);
            let is_right = wrong.is_none();
            self.wrong_conditions(wrong, at);
            let matcher = self.matcher(&condition, &inner(at, &place));
            places.extend(matcher.filter(|_| is_right).map(|matcher| (place, matcher)));
        }
        places
    }

    pub(in crate::case) fn matcher(&mut self, condition: &Value, at: &str) -> Option<Matcher> {
        Matcher::read(condition).map_err(|wrong| self.wrong_conditions(wrong, at)).ok()
    }

    fn wrong_conditions(&mut self, wrong: impl IntoIterator<Item = WrongCondition>, at: &str) {
        for one in wrong {
            let mistake = self.tree.mistake(&format!("{at}{}", one.at), &one.part, &one.message);
            self.mistakes.push(Mistake { help: one.help, ..mistake });
        }
    }
}
