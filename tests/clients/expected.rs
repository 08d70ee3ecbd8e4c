//! What the clients are, and what each of their steps should see.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use a2aspec::yaml;
use serde::Deserialize;

use super::made::Language;

/// What is seen where a client has no call for a step.
pub const NO_CALL: &str = "no call";

/// The file `clients.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// The clients.
    pub clients: Vec<Client>,
    /// What each step should see, and in which versions there is none.
    steps: BTreeMap<String, Sight>,
    /// What some clients see instead, each with its argument.
    deviations: Vec<Deviation>,
}

/// A published client.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Client {
    /// Its name here.
    pub name: String,
    /// In what it is written: tells how it is made and started.
    pub language: Language,
    /// The package and its version.
    #[allow(dead_code, reason = "it is for readers of the file")]
    pub sdk: String,
    /// The program of ours that uses it.
    pub program: String,
    /// The program that uses what the SDK has for signatures of cards.
    pub signatures: Option<String>,
    /// The environment that the program runs in, in Python.
    #[serde(default)]
    pub environment: String,
    /// The versions of A2A that it speaks, and over which bindings.
    pub speaks: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sight {
    saw: String,
    #[serde(default)]
    not_in: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Deviation {
    clients: Vec<String>,
    versions: Vec<String>,
    bindings: Vec<String>,
    steps: Vec<String>,
    saw: String,
    why: String,
}

impl Deviation {
    fn is_of(&self, client: &str, version: &str, binding: &str) -> bool {
        let has = |all: &[String], one: &str| all.iter().any(|each| each == one);
        has(&self.clients, client) && has(&self.versions, version) && has(&self.bindings, binding)
    }
}

impl Expected {
    /// Reads the file, and makes sure that each deviation is argued and is one.
    pub fn read(path: &Path) -> Result<Self, String> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
        let expected: Self = yaml::read(&name, &text).map_err(|mistake| format!("{name}: {}", mistake.message))?;
        expected.is_argued().map_err(|mistake| format!("{name}: {mistake}"))?;
        Ok(expected)
    }

    fn is_argued(&self) -> Result<(), String> {
        let mut met = BTreeSet::new();
        for deviation in &self.deviations {
            let Deviation { steps, saw, why, .. } = deviation;
            if why.trim().is_empty() {
                return Err(format!("that {steps:?} see {saw:?} is not argued"));
            }
            for step in steps {
                let sight = self.steps.get(step).ok_or_else(|| format!("{step} is no step"))?;
                if sight.saw == *saw {
                    return Err(format!("{step} should see {saw:?}: that is no deviation"));
                }
                let mut is_met = false;
                for client in &self.clients {
                    for (version, binding) in
                        client.speaks.iter().flat_map(|(version, all)| all.iter().map(move |one| (version, one)))
                    {
                        if deviation.is_of(&client.name, version, binding) && !sight.not_in.contains(version) {
                            is_met = true;
                            if !met.insert((&client.name, version, binding, step)) {
                                return Err(format!("{} has two deviations at {step} over {binding}", client.name));
                            }
                        }
                    }
                }
                if !is_met {
                    return Err(format!("no client comes to the deviation {saw:?} at {step}"));
                }
            }
        }
        Ok(())
    }

    /// What each step of a client should see.
    pub fn of(&self, client: &str, version: &str, binding: &str) -> BTreeMap<String, String> {
        let steps = self.steps.iter().filter(|(_, sight)| !sight.not_in.iter().any(|one| one == version));
        let mut expected: BTreeMap<String, String> =
            steps.map(|(step, sight)| (step.clone(), sight.saw.clone())).collect();
        for deviation in self.deviations.iter().filter(|one| one.is_of(client, version, binding)) {
            for step in deviation.steps.iter().filter(|step| expected.contains_key(*step)).collect::<Vec<_>>() {
                expected.insert(step.clone(), deviation.saw.clone());
            }
        }
        expected
    }
}
