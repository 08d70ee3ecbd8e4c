//! Which requirements are shown: those on which agents came out as they were asked for.

use std::str::FromStr;

use serde::Serialize;

use super::{Matrix, is_violated};
use crate::verdict::Verdict;

/// How an agent came out on a requirement or in an area, in one of three words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    /// Violated: `fail` and `warn`.
    Fail,
    /// Met: `pass` and `note`.
    Pass,
    /// Neither was seen: every other verdict, and none.
    Untested,
}

impl Outcome {
    /// All, in the order in which they are offered.
    pub(super) const ALL: [Self; 3] = [Self::Fail, Self::Pass, Self::Untested];

    /// What a verdict comes to.
    pub(super) fn of(verdict: Option<Verdict>) -> Self {
        match verdict {
            Some(Verdict::Pass | Verdict::Note) => Self::Pass,
            Some(verdict) if is_violated(verdict) => Self::Fail,
            _ => Self::Untested,
        }
    }

    /// As the command line and addresses of pages write it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Pass => "pass",
            Self::Untested => "untested",
        }
    }

    /// For people, behind the name of an agent.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Fail => "fails",
            Self::Pass => "passes",
            Self::Untested => "not tested",
        }
    }
}

/// An agent, and how it has to come out for a row to be shown: `NAME=RESULT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Condition {
    /// The agent, as the matrix shows it.
    pub agent: String,
    /// How it has to come out.
    pub result: Outcome,
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const FORM: &str = "use NAME=fail, NAME=pass or NAME=untested";
        // Names may have equals signs, results have none.
        let (agent, result) = text.rsplit_once('=').ok_or(FORM)?;
        let result = Outcome::ALL.into_iter().find(|outcome| outcome.name() == result);
        match result {
            Some(result) if !agent.is_empty() => Ok(Self { agent: agent.to_owned(), result }),
            _ => Err(FORM.to_owned()),
        }
    }
}

/// A condition that a matrix is held to.
#[derive(Debug, Serialize)]
pub(super) struct Kept {
    agent: String,
    result: Outcome,
    /// The place of the agent.
    #[serde(skip)]
    place: usize,
}

impl Matrix {
    /// Leaves only requirements for which all conditions hold.
    ///
    /// # Errors
    /// A condition names no agent of the matrix: its name.
    pub(crate) fn only(&mut self, conditions: &[Condition]) -> Result<(), String> {
        for Condition { agent, result } in conditions {
            let place = self.agents.iter().position(|known| known.label == *agent).ok_or_else(|| agent.clone())?;
            self.conditions.push(Kept { agent: agent.clone(), result: *result, place });
        }
        let conditions = &self.conditions;
        self.requirements.retain(|requirement| {
            let verdict = |kept: &Kept| requirement.verdicts.get(kept.place).copied().flatten();
            conditions.iter().all(|kept| Outcome::of(verdict(kept)) == kept.result)
        });
        Ok(())
    }

    /// The name by which each agent is shown.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.agents.iter().map(|agent| agent.label.as_str())
    }

    /// Whether the conditions hold in an area, by the worst verdict of each agent in it.
    pub(super) fn keeps_area(&self, area: &str) -> bool {
        let worst = |kept: &Kept| self.agents.get(kept.place)?.runs.first()?.areas.get(area)?.worst;
        self.conditions.iter().all(|kept| Outcome::of(worst(kept)) == kept.result)
    }

    /// How many requirements are shown and why; nothing without conditions.
    pub(super) fn kept(&self) -> Option<String> {
        let conditions = self.conditions.iter().map(|kept| format!("{}: {}", kept.agent, kept.result.words()));
        let conditions: Vec<String> = conditions.collect();
        (!conditions.is_empty())
            .then(|| format!("{} of {} requirements: {}", self.requirements.len(), self.all, conditions.join(", ")))
    }
}
