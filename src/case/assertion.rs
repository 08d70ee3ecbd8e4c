//! Names of the single things that a case expects: each can be violated on its own.

use super::{Act, Case, Expect, OracleCall, Outcome, Step};

/// One thing that an expectation expects of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assertion<'a> {
    /// That there is a result.
    Result,
    /// That the request is refused, by whatever error.
    Refused,
    /// Which error it is.
    Error,
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
    /// The id of the JSON-RPC response.
    Id,
}

impl Assertion<'_> {
    /// Its name within the expectation, such as `refused`, `/status/state` or `http:status`.
    pub fn name(&self) -> String {
        match self {
            Self::Result => "result".to_owned(),
            Self::Refused => "refused".to_owned(),
            Self::Error => "error".to_owned(),
            Self::Outcome => "outcome".to_owned(),
            Self::At("") => "/".to_owned(),
            Self::At(place) => (*place).to_owned(),
            Self::ErrorAt(place) => format!("error:{place}"),
            Self::Http(name) => format!("http:{name}"),
            Self::Grpc(name) => format!("grpc:{name}"),
            Self::Id => "id".to_owned(),
        }
    }
}

impl Expect {
    /// What its outcome asserts where the answer is no error at all.
    pub fn outcome_assertion(&self) -> Assertion<'static> {
        let is_refusal = |outcome: &Outcome| matches!(outcome, Outcome::Error(_) | Outcome::Refusal);
        match self.outcome.as_slice() {
            all if all.is_empty() || all.contains(&Outcome::Result) => Assertion::Result,
            all if all.iter().any(is_refusal) => Assertion::Refused,
            _ => Assertion::Outcome,
        }
    }
}

impl Case {
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

/// The name of a step, or of what it does.
fn label(step: &Step) -> String {
    let kind = match &step.act {
        Act::Raw(_) => "raw",
        Act::Card(_) => "card",
        Act::Wait(_) => "wait",
        Act::Walk(_) => "walk",
        Act::Together(_) => "together",
        Act::Drain(name) | Act::Close(name) => name,
        Act::Call(call) | Act::Stream(call) | Act::Open(call) => {
            return step.name.clone().unwrap_or_else(|| call.operation.to_string());
        }
    };
    step.name.clone().unwrap_or_else(|| kind.to_owned())
}

#[cfg(test)]
mod tests {
    use crate::case::{Action, Library};

    /// Every assertion of every case has a name of its own.
    #[test]
    fn no_two_steps_of_a_case_have_one_prefix() {
        let profiles = crate::profile::bundled().unwrap();
        let known: Vec<&crate::profile::Profile> = profiles.iter().map(|profile| &**profile).collect();
        let library = Library::lint(None, &known, &crate::judge::oracle::all()).unwrap();
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
