//! Names of the single things that a case expects: each can be violated on its own.

use super::{Act, Action, Asserts, Case, CheckRef, Deliveries, Enough, Expect, Matcher, OracleCall, Outcome, Step};

/// One thing that an expectation expects of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assertion<'a> {
    /// That there is a result.
    Result,
    /// That the request is refused, by whatever error.
    Refused,
    /// Which error it is.
    Error,
    /// That it is the error of this name, where several are allowed; what is violated is `Error`.
    Named(&'a str),
    /// Another outcome: an HTTP answer, no response object.
    Outcome,
    /// A place of the result.
    At(&'a str),
    /// A place of the error.
    ErrorAt(&'a str),
    /// The HTTP status (`status`) or a header.
    Http(&'a str),
    /// The gRPC status (`status`), its `message`, or metadata.
    Grpc(&'a str),
    /// What came over the connection, and what became of it.
    Connection(&'a str),
    /// The extensions that are said to be active.
    Extensions,
    /// The id of the JSON-RPC response.
    Id,
}

impl<'a> Assertion<'a> {
    /// What an outcome asserts of an error, where it is one.
    fn of_error(outcome: &'a Outcome) -> Option<Self> {
        match outcome {
            Outcome::Error(name) => Some(Self::Named(name)),
            outcome => outcome.is_error().then_some(Self::Error),
        }
    }

    /// Its name within the expectation, such as `refused`, `/status/state` or `http:status`.
    pub fn name(&self) -> String {
        match self {
            Self::Result => "result".to_owned(),
            Self::Refused => "refused".to_owned(),
            Self::Error => "error".to_owned(),
            Self::Named(error) => format!("error:{error}"),
            Self::Outcome => "outcome".to_owned(),
            Self::At("") => "/".to_owned(),
            Self::At(place) => (*place).to_owned(),
            Self::ErrorAt(place) => format!("error-at:{place}"),
            Self::Http(name) => format!("http:{name}"),
            Self::Grpc(name) => format!("grpc:{name}"),
            Self::Connection(name) => format!("connection:{name}"),
            Self::Extensions => "extensions".to_owned(),
            Self::Id => "id".to_owned(),
        }
    }
}

impl Expect {
    /// Whether a result is right, be it beside errors that are right, too.
    pub fn allows_result(&self) -> bool {
        self.outcome.is_empty() || self.outcome.contains(&Outcome::Result)
    }

    /// Whether a request may be right: one that some read as no request at all is malformed, though others serve it.
    pub fn takes_for_right(&self) -> bool {
        let is_malformed = |outcome: &Outcome| matches!(outcome, Outcome::Error(name) if ["InvalidRequestError", "JSONParseError"].contains(&name.as_str()));
        self.allows_result() && !self.outcome.iter().any(is_malformed)
    }

    /// Whether it is about there being an answer at all.
    pub fn asks_for_any_answer(&self) -> bool {
        self.outcome.contains(&Outcome::Answered)
    }

    /// Every assertion that an answer can violate, or be seen to hold.
    pub fn assertions(&self) -> Vec<Assertion<'_>> {
        let another = [Outcome::Nothing, Outcome::Answered, Outcome::Http, Outcome::Grpc];
        let is_another = self.outcome.iter().any(|outcome| another.contains(outcome));
        std::iter::once(self.outcome_assertion())
            .chain(self.outcome.iter().filter_map(Assertion::of_error))
            .chain((is_another && self.outcome_assertion() != Assertion::Outcome).then_some(Assertion::Outcome))
            .chain(self.at.keys().map(|place| Assertion::At(place)))
            .chain(self.error_at.keys().map(|place| Assertion::ErrorAt(place)))
            .chain(self.http.keys().map(|name| Assertion::Http(name)))
            .chain(self.grpc.keys().map(|name| Assertion::Grpc(name)))
            .chain(self.connection.keys().map(|name| Assertion::Connection(name)))
            .chain(self.extensions.as_ref().map(|_| Assertion::Extensions))
            .chain(self.rpc_id.as_ref().map(|_| Assertion::Id))
            .collect()
    }

    /// What an error asserts that is none of those that are allowed: which error it is, where it had to be one.
    pub fn error_assertion(&self) -> Assertion<'static> {
        if self.outcome.iter().any(Outcome::is_error) { Assertion::Error } else { self.outcome_assertion() }
    }

    /// What an answer violates that is neither a result nor an error: where both are allowed, none has to be a result.
    pub fn answer_assertion(&self) -> Assertion<'static> {
        match self.outcome_assertion() {
            Assertion::Result => self.error_assertion(),
            other => other,
        }
    }

    /// What an outcome that is allowed was seen to hold; `is_certain` where an error can be no other that is allowed.
    pub fn held_by<'a>(&self, outcome: &'a Outcome, is_certain: bool) -> Vec<Assertion<'a>> {
        let refusal = (self.outcome_assertion() == Assertion::Refused).then_some(Assertion::Refused);
        match outcome {
            Outcome::Result => vec![Assertion::Result],
            Outcome::Error(name) if is_certain => refusal.into_iter().chain([Assertion::Named(name)]).collect(),
            Outcome::Error(_) | Outcome::Refusal => refusal.into_iter().chain([Assertion::Error]).collect(),
            Outcome::HttpRefusal | Outcome::Closed => vec![self.outcome_assertion()],
            Outcome::Nothing | Outcome::Answered | Outcome::Http | Outcome::Grpc => vec![Assertion::Outcome],
        }
    }

    /// What its outcome asserts where the answer is no error at all.
    pub fn outcome_assertion(&self) -> Assertion<'static> {
        match self.outcome.as_slice() {
            all if all.is_empty() || all.contains(&Outcome::Result) => Assertion::Result,
            all if all.iter().any(Outcome::is_error) => Assertion::Refused,
            _ => Assertion::Outcome,
        }
    }
}

impl Case {
    /// The names of all its assertions. Of an oracle that reads places, only its own: what is below it nobody knows.
    pub fn assertions(&self) -> Vec<String> {
        match &self.action {
            Action::Observe(call) => call.assertions(&call.name),
            Action::Visit(visit) => visit.assertions(),
            Action::Steps(_) => {
                let of_step = |step: &Step| {
                    let expect = step.expect.iter().flat_map(Expect::assertions);
                    let prefix = self.prefix(step);
                    expect.map(|assertion| format!("{prefix}{}", assertion.name())).collect::<Vec<_>>()
                };
                let steps = self.all_steps().into_iter().flat_map(of_step);
                let of_oracle = |call: &OracleCall| call.assertions(&self.oracle_assertion(call));
                steps.chain(self.holds.iter().flat_map(of_oracle)).collect()
            }
        }
    }

    /// Whether what decides a requirement can be violated, or can only hold: that there is a result, where an error is right,
    /// too; that a request is refused, where its case is not reached by one that is served; that something is delivered, where
    /// the case has waited for that before.
    pub fn can_violate(&self, check: &CheckRef) -> bool {
        let only_holds = |step: &Step| {
            let expect = step.expect.as_ref()?;
            let is_mixed = expect.allows_result() && expect.error_assertion() != Assertion::Result;
            // Where there is a result, the case is not reached.
            let is_absent = step.reach.get("") == Some(&Matcher::Present(false));
            let (own, is_one) = match expect.outcome_assertion() {
                Assertion::Refused => (Assertion::Refused, is_absent),
                _ => (Assertion::Result, is_mixed || self.has_waited(step)),
            };
            is_one.then(|| format!("{}{}", self.prefix(step), own.name()))
        };
        let only_hold: Vec<String> = self.all_steps().into_iter().filter_map(only_holds).collect();
        let mut names = self.assertions().into_iter().filter(|name| !only_hold.contains(name));
        let is_of_a_place = check.assertion.as_deref().is_some_and(|name| self.asserts_place(name));
        is_of_a_place || names.any(|name| check.is_violated_by(&self.id, &name))
    }

    /// Whether what the step takes from a webhook is there already: an earlier step has waited for it.
    fn has_waited(&self, step: &Step) -> bool {
        let Act::Deliveries(Deliveries { to, enough: Enough::Quiet }) = &step.act else { return false };
        let all = self.all_steps();
        let mut before = all.into_iter().take_while(|other| !std::ptr::eq(*other, step));
        before.any(|other| matches!(&other.act, Act::Deliveries(waited) if waited.to == *to))
    }

    /// Whether a name is one of a place that an oracle of the case may read.
    pub fn asserts_place(&self, name: &str) -> bool {
        let observed = match &self.action {
            Action::Observe(call) => Some((call, call.name.clone())),
            Action::Steps(_) | Action::Visit(_) => None,
        };
        let held = self.holds.iter().map(|call| (call, self.oracle_assertion(call)));
        let mut readers = held.chain(observed).filter(|(call, _)| call.asserts == Asserts::Places);
        readers.any(|(_, own)| name.strip_prefix(own.as_str()).is_some_and(|rest| rest.starts_with(':')))
    }

    /// What comes before the names of a step's assertions, where more than one step expects something: the step's name, or
    /// what it does, with a number where several do the same.
    pub fn prefix(&self, step: &Step) -> String {
        let all = self.all_steps();
        let expecting: Vec<&Step> = all.into_iter().filter(|step| step.expect.is_some()).collect();
        if expecting.len() < 2 {
            return String::new();
        }
        let own = label(step);
        let twins: Vec<&&Step> = expecting.iter().filter(|other| label(other) == own).collect();
        match twins.iter().position(|twin| std::ptr::eq(**twin, step)) {
            Some(place) if place > 0 => format!("{own}-{}.", place + 1),
            _ => format!("{own}."),
        }
    }

    /// The name of what an oracle asserts: its own, with a number where the case asks it twice.
    pub fn oracle_assertion(&self, call: &OracleCall) -> String {
        let before = self.holds.iter().take_while(|other| other.at != call.at);
        match before.filter(|other| other.name == call.name).count() {
            0 => call.name.clone(),
            place => format!("{}-{}", call.name, place + 1),
        }
    }
}

impl OracleCall {
    /// What it asserts, where it is called so.
    fn assertions(&self, own: &str) -> Vec<String> {
        match self.asserts {
            Asserts::Each(names) => names.iter().map(|name| format!("{own}:{name}")).collect(),
            Asserts::One | Asserts::Places => vec![own.to_owned()],
        }
    }
}

/// The name of a step, or of what it does.
fn label(step: &Step) -> String {
    let kind = match &step.act {
        Act::Raw(_) => "raw",
        Act::Bytes(_) => "bytes",
        Act::Card(_) => "card",
        Act::Hello(_) => "hello",
        Act::Wait(_) => "wait",
        Act::Walk(_) => "walk",
        Act::Deliveries(wanted) => &wanted.to,
        Act::Together(_) => "together",
        Act::Drain(name) | Act::Close(name) | Act::Release(name) => name,
        Act::Call(call) | Act::Stream(call) | Act::Open(call) => {
            return step.name.clone().unwrap_or_else(|| call.operation.to_string());
        }
    };
    step.name.clone().unwrap_or_else(|| kind.to_owned())
}

#[cfg(test)]
mod tests {
    use crate::case::{Action, Asserts, CheckRef, Library, Oracle, Over};

    fn library() -> Library {
        let profiles = crate::profile::bundled().unwrap();
        let known: Vec<&crate::profile::Profile> = profiles.iter().map(|profile| &**profile).collect();
        let read = |_: &serde_json::Value| Ok(Vec::new());
        let card = Oracle { name: "card-valid", over: Over::Case, asserts: Asserts::Places, read };
        Library::load(None, &known, &[card]).unwrap()
    }

    /// What only shows that something is right is no proof that a case can fail.
    #[test]
    fn some_assertions_can_only_hold() {
        let library = library();
        for (check, can) in [
            ("get/unknown-id#refused", true),
            ("get/unknown-id", true),
            ("send/task-or-message#error", true),
            ("send/task-or-message#result", false),
            ("send/refused-changes-nothing#SendMessage.refused", false),
            ("send/refused-changes-nothing#SendMessage.error", true),
            ("card/valid#card-valid:/skills/*/id", true),
            ("push/posted-something#result", false),
            ("push/posted-something#http:method", true),
            ("push/posted-to-each#to-first.result", true),
        ] {
            let read: CheckRef = serde_json::from_value(check.into()).unwrap();
            assert_eq!(library.cases[&read.case].can_violate(&read), can, "{check}");
        }
    }

    /// Every assertion of every case has a name of its own.
    #[test]
    fn no_two_steps_of_a_case_have_one_prefix() {
        let library = library();
        let mut seen = 0;
        for case in library.cases.values() {
            let Action::Steps(_) = &case.action else { continue };
            let steps: Vec<_> = case.all_steps().into_iter().filter(|step| step.expect.is_some()).collect();
            let mut prefixes: Vec<String> = steps.iter().map(|step| case.prefix(step)).collect();
            prefixes.sort();
            prefixes.dedup();
            assert_eq!(prefixes.len(), steps.len(), "{}", case.id);
            seen += usize::from(steps.len() > 1);
        }
        assert!(seen > 50);
    }
}
