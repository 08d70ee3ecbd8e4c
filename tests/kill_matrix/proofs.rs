//! What must be seen violated: each case, and of it each assertion that decides a requirement, in each version and over each
//! binding by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;

use a2aspec::case::CheckRef;
use a2aspec::plan::Trial;
use a2aspec::verdict::Level;

/// What no fault violates: a line for each, and behind ` # ` why. It may only get shorter.
static NOT_PROVEN: LazyLock<String> = LazyLock::new(|| std::fs::read_to_string(PATH).expect("the list can be read"));

/// Where the list is.
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kill_matrix/not-proven.txt");

/// What stands before the reason.
const REASON: &str = " # ";

/// What stands in place of a binding where it does not matter over which.
const ANY: &str = "any";

/// By case and version, what must be violated of it.
pub type Proofs = BTreeMap<(String, String), Vec<Proof>>;

/// By case and version, what of it no fault violates.
pub type Open<'a> = BTreeMap<(&'a str, &'a str), Vec<&'a Proof>>;

/// A case as a whole or one of its assertions, in a version and over a binding: `1.0 get/unknown-id#error jsonrpc`.
#[derive(Debug, PartialEq)]
pub struct Proof {
    profile: String,
    check: CheckRef,
    /// Nothing where it does not matter.
    pub binding: Option<String>,
}

impl Proof {
    fn of(trial: &Trial, check: &CheckRef) -> Self {
        // The pairs of bindings are many, and alike; the card is the same over each.
        let is_alike = trial.other.is_some() || trial.case.is_about_the_card();
        let binding = (!is_alike).then(|| trial.bindings());
        Self { profile: trial.profile.clone(), check: check.clone(), binding }
    }

    /// Whether these violations of its case in its version are one of it.
    pub fn is_in(&self, binding: &str, violated: &BTreeSet<String>) -> bool {
        let check = &self.check;
        self.binding.as_deref().is_none_or(|wanted| wanted == binding)
            && (check.assertion.is_none() || violated.iter().any(|name| check.is_violated_by(&check.case, name)))
    }

    /// Whether it is listed that no fault does it. Every case has a fault: only assertions can be.
    pub fn is_listed(&self) -> bool {
        let proof = self.to_string();
        listed().any(|(listed, _)| listed == proof)
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.profile, self.check, self.binding.as_deref().unwrap_or(ANY))
    }
}

/// What must be violated of the cases of these trials. What a MAY names is worth a note: that its case turns red is enough.
pub fn wanted<'a>(trials: impl Iterator<Item = &'a Trial>) -> Proofs {
    let mut all = Proofs::new();
    for trial in trials {
        let case = &trial.case.id;
        let whole = CheckRef::whole(case);
        let demanded = trial.requirements.iter().filter(|requirement| requirement.level < Level::May);
        let checks = demanded.flat_map(|requirement| requirement.checks_of(case)).chain([&whole]);
        let checks = checks.filter(|check| trial.case.can_violate(check));
        let proofs = all.entry((case.clone(), trial.profile.clone())).or_default();
        for proof in checks.map(|check| Proof::of(trial, check)) {
            if !proofs.contains(&proof) {
                proofs.push(proof);
            }
        }
    }
    all
}

/// What the list says is not proven, and why.
fn listed() -> impl Iterator<Item = (&'static str, &'static str)> {
    NOT_PROVEN.lines().map(|line| line.split_once(REASON).unwrap_or((line, "")))
}

/// What is wrong with the list: lines that are not in their order, give no reason, or name no assertion that must be violated.
/// Every case has a fault, so that none stands there as a whole.
pub fn wrong_lines(proofs: &Proofs) -> Vec<&'static str> {
    let assertions = proofs.values().flatten().filter(|proof| proof.check.assertion.is_some());
    let known: BTreeSet<String> = assertions.map(ToString::to_string).collect();
    let lines: Vec<(&str, &str)> = listed().collect();
    let unordered = lines.windows(2).filter(|pair| pair[0].0 >= pair[1].0).map(|pair| pair[1].0);
    let wrong = lines.iter().filter(|(proof, reason)| reason.is_empty() || !known.contains(*proof));
    unordered.chain(wrong.map(|(proof, _)| *proof)).collect()
}

/// Lists what no fault violates. The reasons that were given stay.
pub fn write<'a>(open: impl Iterator<Item = &'a Proof>) {
    let reasons: BTreeMap<&str, &str> = listed().collect();
    let line = |proof: &Proof| {
        let proof = proof.to_string();
        match reasons.get(proof.as_str()).filter(|reason| !reason.is_empty()) {
            Some(reason) => format!("{proof}{REASON}{reason}\n"),
            None => format!("{proof}\n"),
        }
    };
    let lines: BTreeSet<String> = open.map(line).collect();
    std::fs::write(PATH, lines.into_iter().collect::<String>()).expect("the list can be written");
}
