//! From the shape of a case file to its meaning; what a type cannot say is checked here.

use std::collections::BTreeMap;

use base64::Engine as _;
use bytes::Bytes;
use serde_json::{Map, Value};
use serde_saphyr::{Location, Spanned};

use super::file::{CaseEntry, ExpectEntry, RawEntry, StepEntry};
use super::matcher::check_pointer;
use super::{
    Act, Action, Call, CardRequest, Case, Expect, Fixture, Matcher, OracleCall, Outcome, Own, Raw, RawBody, Step, Wait,
    Walk,
};
use crate::profile::Operation;
use crate::verdict::Level;
use crate::yaml::Mistake;

/// Collects mistakes of one file while its cases are converted.
pub(super) struct Converter<'a> {
    pub file: &'a str,
    pub mistakes: Vec<Mistake>,
}

impl Converter<'_> {
    fn wrong(&mut self, at: Location, message: impl Into<String>) {
        self.mistakes.push(Mistake::at(self.file, at, message));
    }

    /// One case; parts with mistakes are left out, since the file is refused as a whole anyway.
    pub fn case(&mut self, entry: CaseEntry) -> Case {
        let at = entry.id.referenced;
        let action = match (entry.observe, entry.steps.is_empty()) {
            (Some(observe), true) => Action::Observe(self.oracle(&observe)),
            (None, false) => Action::Steps(entry.steps.into_iter().filter_map(|step| self.step(step)).collect()),
            (Some(_), false) => {
                self.wrong(at, "a case has either `steps` or `observe`, not both");
                Action::Steps(Vec::new())
            }
            (None, true) => {
                self.wrong(at, "a case needs `steps`, or `observe`");
                Action::Steps(Vec::new())
            }
        };
        let own = entry.level.map(|level: Level| Own {
            level,
            profiles: entry.profiles.iter().map(|profile| profile.value.clone()).collect(),
            section: entry.section.clone().unwrap_or_default(),
        });
        if own.is_none() && (entry.section.is_some() || !entry.profiles.is_empty()) {
            self.wrong(at, "`profiles` and `section` go with `level`, in cases that no catalogue names");
        }
        Case {
            given: entry
                .given
                .into_iter()
                .map(|(name, fixture)| {
                    let trigger = fixture.trigger.unwrap_or_else(|| fixture.task.trigger());
                    (name, Fixture { task: fixture.task, trigger, fresh: fixture.fresh, count: fixture.count })
                })
                .collect(),
            action,
            holds: entry.holds.iter().map(|oracle| self.oracle(oracle)).collect(),
            own,
            file: self.file.to_owned(),
            offset: Mistake::at(self.file, at, "").offset,
            id: entry.id.value,
            title: entry.title,
            why: entry.why,
            right: entry.right,
            wrong: entry.wrong,
            mend: entry.mend,
            needs: entry.needs,
            without: entry.without,
            bindings: entry.bindings,
            across: entry.across,
            claim: entry.claim,
        }
    }

    fn oracle(&mut self, entry: &Spanned<Value>) -> OracleCall {
        let offset = Mistake::at(self.file, entry.referenced, "").offset;
        match &entry.value {
            Value::String(name) => OracleCall { name: name.clone(), args: Value::Null, offset },
            Value::Object(members) if members.len() == 1 => members.iter().next().map_or_else(
                || OracleCall { name: String::new(), args: Value::Null, offset },
                |(name, args)| OracleCall { name: name.clone(), args: args.clone(), offset },
            ),
            _ => {
                self.wrong(entry.referenced, "expected the name of an oracle, or `name: {arguments}`");
                OracleCall { name: String::new(), args: Value::Null, offset }
            }
        }
    }

    fn step(&mut self, entry: Spanned<StepEntry>) -> Option<Step> {
        let at = entry.referenced;
        let mut entry = entry.value;
        let mut acts = Vec::new();
        let call = |operation: Operation, entry: &mut StepEntry| Call {
            operation,
            with: entry.with.take().unwrap_or_else(|| Value::Object(Map::new())),
            trigger: entry.trigger.take(),
            invalid: std::mem::take(&mut entry.invalid),
            rpc_id: entry.rpc_id.take().map(|id| id.value),
        };
        if let Some(operation) = entry.call.take() {
            acts.push(Act::Call(call(operation, &mut entry)));
        }
        if let Some(operation) = entry.stream.take() {
            acts.push(Act::Stream(call(operation, &mut entry)));
        }
        if let Some(operation) = entry.open.take() {
            acts.push(Act::Open(call(operation, &mut entry)));
        }
        acts.extend(entry.drain.take().map(Act::Drain));
        acts.extend(entry.close.take().map(Act::Close));
        if let Some(raw) = entry.raw.take() {
            acts.push(Act::Raw(self.raw(at, raw)));
        }
        acts.extend(entry.wait.take().map(|wait| Act::Wait(Wait { task: wait.task, until: wait.until })));
        if let Some(with) = entry.walk.take() {
            let until = self.places(std::mem::take(&mut entry.until));
            acts.push(Act::Walk(Walk { with: Value::Object(with), until }));
        }
        acts.extend(
            entry.card.take().map(|card| Act::Card(CardRequest { method: card.method, extended: card.extended })),
        );
        if let Some(steps) = entry.together.take() {
            acts.push(Act::Together(steps.into_iter().filter_map(|step| self.step(step)).collect()));
        }
        let (Some(act), true) = (acts.pop(), acts.is_empty()) else {
            self.wrong(
                at,
                "a step does exactly one of call, stream, open, drain, close, raw, wait, walk, card, together",
            );
            return None;
        };
        if entry.with.is_some() || entry.trigger.is_some() || entry.invalid || entry.rpc_id.is_some() {
            self.wrong(at, "`with`, `trigger`, `invalid` and `rpc-id` go with `call`, `stream` and `open` only");
        }
        if !entry.until.is_empty() {
            self.wrong(at, "`until` beside the act goes with `walk` only; that of a `wait` stands inside it");
        }
        self.check_call(at, &act);
        Some(Step {
            act,
            name: entry.name,
            over: entry.over,
            headers: entry.headers,
            reach: self.places(entry.reach),
            expect: entry.expect.map(|expect| self.expect(expect.value)),
            offset: Mistake::at(self.file, at, "").offset,
            line: Some(at.line()).filter(|line| *line > 0),
        })
    }

    fn check_call(&mut self, at: Location, act: &Act) {
        let (Act::Call(call) | Act::Stream(call) | Act::Open(call)) = act else { return };
        if call.trigger.is_some() && !call.operation.sends_a_message() {
            self.wrong(at, format!("`trigger` goes with operations that send a message, not with {}", call.operation));
        }
        let is_stream = matches!(call.operation, Operation::SendStreamingMessage | Operation::SubscribeToTask);
        match (act, is_stream) {
            (Act::Call(_), true) => self.wrong(at, format!("{} streams: use `stream` or `open`", call.operation)),
            (Act::Stream(_) | Act::Open(_), false) => {
                self.wrong(at, format!("{} does not stream: use `call`", call.operation));
            }
            _ => {}
        }
    }

    fn raw(&mut self, at: Location, entry: RawEntry) -> Raw {
        let body = match (entry.body, entry.base64, entry.fill) {
            (Some(text), None, None) => RawBody::Text(text),
            (None, None, Some(length)) => RawBody::Bytes(vec![0; length].into()),
            (None, Some(encoded), None) => match base64::engine::general_purpose::STANDARD.decode(&encoded) {
                Ok(bytes) => RawBody::Bytes(bytes.into()),
                Err(error) => {
                    self.wrong(at, format!("`base64` is not base64: {error}"));
                    RawBody::Bytes(Bytes::new())
                }
            },
            (None, None, None) => RawBody::Bytes(Bytes::new()),
            _ => {
                self.wrong(at, "a raw request has one of `body`, `base64` and `fill`");
                RawBody::Bytes(Bytes::new())
            }
        };
        Raw { body, method: entry.method, suffix: entry.suffix, content_type: entry.content_type }
    }

    fn expect(&mut self, entry: ExpectEntry) -> Expect {
        Expect {
            outcome: entry.outcome.iter().map(|outcome| read_outcome(&outcome.value)).collect(),
            at: self.places(entry.at),
            error_at: self.places(entry.error_at),
            http: self.names(entry.http),
            grpc: self.names(entry.grpc),
            rpc_id: entry.rpc_id.and_then(|condition| self.matcher(&condition)),
        }
    }

    /// Conditions by name of a header or the like, which is the same in either case.
    fn names(&mut self, entries: BTreeMap<String, Spanned<Value>>) -> BTreeMap<String, Matcher> {
        let mut names = BTreeMap::new();
        for (name, condition) in entries {
            if let Some(matcher) = self.matcher(&condition) {
                names.insert(name.to_ascii_lowercase(), matcher);
            }
        }
        names
    }

    fn places(&mut self, entries: BTreeMap<String, Spanned<Value>>) -> BTreeMap<String, Matcher> {
        let mut places = BTreeMap::new();
        for (place, condition) in entries {
            match check_pointer(&place) {
                Ok(place) => places.extend(self.matcher(&condition).map(|matcher| (place, matcher))),
                Err(message) => self.wrong(condition.referenced, message),
            }
        }
        places
    }

    fn matcher(&mut self, condition: &Spanned<Value>) -> Option<Matcher> {
        match Matcher::read(&condition.value) {
            Ok(matcher) => Some(matcher),
            Err(message) => {
                self.wrong(condition.referenced, message);
                None
            }
        }
    }
}

fn read_outcome(name: &str) -> Outcome {
    match name {
        "result" => Outcome::Result,
        "refusal" => Outcome::Refusal,
        "http-refusal" => Outcome::HttpRefusal,
        "nothing" => Outcome::Nothing,
        "http" => Outcome::Http,
        "grpc" => Outcome::Grpc,
        error => Outcome::Error(error.to_owned()),
    }
}
