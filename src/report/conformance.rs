//! Conformance by part: what of a version an agent was shown to keep, and what is open.
//!
//! A part has the cases about one thing that agents have or have not: streams, webhooks, security; the core has all others. A part is
//! conformant if every MUST requirement that applies was tested, and none was violated. Only a run of every case reports it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::model::RequirementResult;
use super::requirements;
use crate::case::Case;
use crate::diagnostic::words::count;
use crate::profile::Capability;
use crate::verdict::{Level, TrialResult, Verdict};

/// A part of a version. The names are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// What every agent has: the card, messages, tasks, errors.
    Core,
    /// Streams, and subscriptions to tasks.
    Streaming,
    /// Webhooks.
    Push,
    /// Credentials, callers and tenants kept apart, signed cards.
    Security,
}

impl Part {
    /// Every part.
    pub const ALL: [Self; 4] = [Self::Core, Self::Streaming, Self::Push, Self::Security];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Streaming => "streaming",
            Self::Push => "push",
            Self::Security => "security",
        }
    }

    /// The part of a case, by the capabilities that it needs and its area.
    fn of(case: &Case) -> Self {
        let needs = |any: &[Capability]| case.needs.iter().any(|capability| any.contains(capability));
        match case.area() {
            "security" | "tenants" => Self::Security,
            _ if needs(&[Capability::Security, Capability::Oauth2, Capability::Signatures]) => Self::Security,
            "push" => Self::Push,
            _ if needs(&[Capability::PushNotifications]) => Self::Push,
            "stream" | "subscribe" => Self::Streaming,
            _ if needs(&[Capability::Streaming]) => Self::Streaming,
            _ => Self::Core,
        }
    }
}

/// What an agent has shown of a part of a version.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Conformance {
    /// The version.
    pub profile: String,
    /// The part.
    pub part: Part,
    /// What follows from the rest.
    pub outcome: Outcome,
    /// How many MUST requirements were tested and kept.
    pub kept: usize,
    /// The MUST requirements that were violated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violated: Vec<String>,
    /// The MUST requirements that apply and were not tested, or did not have the same result each time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untested: Vec<String>,
}

/// Whether an agent keeps a part. The names are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Some of it is violated.
    NotConformant,
    /// Nothing is seen to be violated, and some of it was not tested.
    NotShown,
    /// Every MUST requirement that applies was tested, and none was violated.
    Conformant,
    /// None of it applies: the card does not declare it.
    NotDeclared,
}

impl Outcome {
    /// The verdict whose colour it has.
    pub(crate) fn verdict(self) -> Verdict {
        match self {
            Self::NotConformant => Verdict::Fail,
            Self::NotShown => Verdict::Unreached,
            Self::Conformant => Verdict::Pass,
            Self::NotDeclared => Verdict::Skipped,
        }
    }
}

impl Conformance {
    /// The outcome in a cell of a table that is about MUST requirements.
    pub(crate) fn brief(&self) -> String {
        match self.outcome {
            Outcome::NotConformant => format!("{} violated", self.violated.len()),
            Outcome::NotShown => format!("{} not tested", self.untested.len()),
            Outcome::Conformant | Outcome::NotDeclared => self.told(),
        }
    }

    /// The outcome in words, with the number that it follows from.
    pub fn told(&self) -> String {
        let must = |number: usize| count(number, "MUST requirement");
        match self.outcome {
            Outcome::NotConformant => format!("{} violated", must(self.violated.len())),
            Outcome::NotShown => format!("{} not tested", must(self.untested.len())),
            Outcome::Conformant => "conformant".to_owned(),
            Outcome::NotDeclared => "not declared".to_owned(),
        }
    }
}

/// The part of each case; own cases and those of extensions are in none.
pub(crate) fn parts<'c>(cases: impl IntoIterator<Item = &'c Case>) -> BTreeMap<&'c str, Part> {
    let of_a2a = cases.into_iter().filter(|case| case.own.is_none() && case.extension.is_empty());
    of_a2a.map(|case| (case.id.as_str(), Part::of(case))).collect()
}

/// What the results of every case say of each part of each version; `parts` has the part of each case.
pub(super) fn of(
    requirements: &[RequirementResult],
    results: &[TrialResult],
    parts: &BTreeMap<&str, Part>,
) -> Vec<Conformance> {
    let versions: BTreeSet<&str> = results.iter().map(|result| &*result.profile).collect();
    let mut found = Vec::new();
    for part in Part::ALL {
        // What is of two parts is judged in each by the cases of that part.
        let is_of_part = |case: &str| parts.get(case) == Some(&part);
        let rules = requirements.iter().filter_map(|rule| limited(rule, is_of_part));
        let results = results.iter().filter(|result| is_of_part(&result.case));
        let mut by_version: BTreeMap<&str, Conformance> =
            versions.iter().map(|version| (*version, none(version, part))).collect();
        for rule in requirements::decide(rules, results).into_iter().filter(|rule| rule.weight() == Level::Must) {
            let Some(shown) = by_version.get_mut(&*rule.profile) else { continue };
            match rule.verdict {
                Verdict::Pass => shown.kept += 1,
                Verdict::Fail => shown.violated.push(rule.id),
                // What does not apply says nothing.
                Verdict::Skipped => {}
                _ => shown.untested.push(rule.id),
            }
        }
        found.extend(by_version.into_values().map(concluded));
    }
    found.sort_by(|a, b| super::natural::compare(&a.profile, &b.profile).then(a.part.cmp(&b.part)));
    found
}

/// A requirement with those of its cases that are wanted; nothing where there are none.
fn limited(rule: &RequirementResult, is_wanted: impl Fn(&str) -> bool) -> Option<RequirementResult> {
    if !rule.cases.iter().any(|case| is_wanted(case)) {
        return None;
    }
    let mut rule = rule.clone();
    rule.cases.retain(|case| is_wanted(case));
    rule.checks.retain(|check| is_wanted(&check.case));
    Some(rule)
}

/// The parts of each version, a row for each, in the order of [`Part::ALL`].
pub(crate) fn by_version(all: &[Conformance]) -> Vec<(&str, Vec<&Conformance>)> {
    let mut rows: Vec<(&str, Vec<&Conformance>)> = Vec::new();
    for shown in all {
        match rows.last_mut() {
            Some((version, row)) if *version == shown.profile => row.push(shown),
            _ => rows.push((&shown.profile, vec![shown])),
        }
    }
    rows
}

/// Nothing yet.
fn none(version: &str, part: Part) -> Conformance {
    let (violated, untested) = (Vec::new(), Vec::new());
    Conformance { profile: version.to_owned(), part, outcome: Outcome::NotDeclared, kept: 0, violated, untested }
}

fn concluded(shown: Conformance) -> Conformance {
    let outcome = match (shown.violated.is_empty(), shown.untested.is_empty(), shown.kept) {
        (false, ..) => Outcome::NotConformant,
        (true, false, _) => Outcome::NotShown,
        (true, true, 0) => Outcome::NotDeclared,
        (true, true, _) => Outcome::Conformant,
    };
    Conformance { outcome, ..shown }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::case::Library;
    use crate::interface::{Interface, Listed};
    use crate::plan::{Means, Plan, Selection, Trial};
    use crate::profile::{self, Binding};

    /// Every case of 1.0 over JSON-RPC, for an agent that declares these.
    fn plan(declared: &[Capability]) -> Plan {
        let library: Library = crate::suite::library(None).unwrap();
        let profiles = profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
        let interface = Interface::new(profile, Binding::Jsonrpc, "http://127.0.0.1:1/".to_owned()).unwrap();
        let declared = BTreeMap::from([("1.0".to_owned(), declared.iter().copied().collect())]);
        let credentials = crate::auth::Credentials::default();
        let means = Means { has_webhooks: true, lets_in_by_certificate: false, credentials: &credentials };
        crate::plan::make(&library, &[Listed::named(interface)], &declared, &Selection::default(), means).unwrap()
    }

    /// What every runnable case comes to.
    fn results(plan: &Plan, verdict: impl Fn(&Trial) -> Verdict) -> Vec<TrialResult> {
        let result = |trial: &Arc<Trial>| {
            let verdict = if trial.skipped.is_some() { Verdict::Skipped } else { verdict(trial) };
            let mut result = trial.result(verdict, trial.skipped.clone(), Vec::new());
            let checks = trial.requirements.iter().flat_map(|rule| rule.checks_of(&trial.case.id));
            let names = checks.map(|check| check.assertion.clone().unwrap_or_else(|| "error".to_owned())).collect();
            match verdict {
                Verdict::Pass => result.held = names,
                _ if verdict.is_violation() => result.violated = names,
                _ => {}
            }
            result
        };
        plan.trials.iter().map(result).collect()
    }

    /// What a run of a plan has shown.
    fn of(plan: &Plan, results: &[TrialResult]) -> Vec<Conformance> {
        let parts = parts(plan.trials.iter().map(|trial| &*trial.case));
        super::of(&requirements::judge(plan, results), results, &parts)
    }

    fn outcomes(found: &[Conformance]) -> Vec<(&str, Outcome)> {
        found.iter().map(|shown| (shown.part.name(), shown.outcome)).collect()
    }

    #[test]
    fn conformant_is_what_was_seen_to_be_kept() {
        use Outcome::{Conformant, NotConformant, NotDeclared, NotShown};
        let plan = plan(&[Capability::Streaming]);
        let right = of(&plan, &results(&plan, |_| Verdict::Pass));
        let rest = [("streaming", Conformant), ("push", NotDeclared)];
        assert_eq!(outcomes(&right)[..3], [&[("core", Conformant)], &rest[..]].concat());
        assert!(right[0].kept > 50 && right[1].kept > 5, "{} {}", right[0].kept, right[1].kept);
        let of_streams = |trial: &Trial| Part::of(&trial.case) == Part::Streaming;
        // What is wrong with streams is not wrong with the core.
        let wrong = of(&plan, &results(&plan, |trial| if of_streams(trial) { Verdict::Fail } else { Verdict::Pass }));
        assert_eq!(outcomes(&wrong)[..2], [("core", Conformant), ("streaming", NotConformant)]);
        assert!(wrong[1].told().ends_with("MUST requirements violated"), "{}", wrong[1].told());
        // One requirement that was not tested is enough.
        let one = |trial: &Trial| trial.case.area() == "subscribe";
        for (verdict, outcome) in [
            (Verdict::Unreached, NotShown),
            (Verdict::Broken, NotShown),
            (Verdict::Flaky, NotShown),
            (Verdict::Pass, Conformant),
        ] {
            let open = of(&plan, &results(&plan, |trial| if one(trial) { verdict } else { Verdict::Pass }));
            assert_eq!(outcomes(&open)[..2], [("core", Conformant), ("streaming", outcome)], "{verdict:?}");
        }
    }

    #[test]
    fn nothing_is_conformant_that_was_not_run() {
        let plan = plan(&[]);
        let shown = of(&plan, &results(&plan, |_| Verdict::Unreached));
        assert_eq!((shown[0].outcome, shown[0].kept), (Outcome::NotShown, 0));
        assert!(shown.iter().all(|shown| shown.outcome != Outcome::Conformant), "{shown:?}");
    }
}
