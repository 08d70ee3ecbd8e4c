//! A version of A2A as data: what `schemas/<profile>/` says about its wire.
//!
//! Enters: `profile.yaml` and `a2a.schema.json`. Leaves: a [`Profile`], which answers questions about operations,
//! errors, states and card members, turns canonical values into the version's wire form and back ([`dialect`]), and
//! validates objects ([`schema`]). Knows nothing of networks or cases.

pub mod dialect;
pub mod facts;
pub mod schema;
pub mod shape;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

pub use dialect::{Reading, Site};
pub use facts::{Binding, Capability, Facts, Operation, OperationFacts};
pub use schema::Schemas;

use crate::bundle;
use crate::yaml::{self, Mistake};

/// One protocol version, ready for use.
#[derive(Debug)]
pub struct Profile {
    /// What `profile.yaml` says.
    pub facts: Facts,
    /// The JSON Schemas of the wire objects.
    pub schemas: Schemas,
}

impl Profile {
    /// Reads a profile from the texts of its two files.
    ///
    /// # Errors
    /// The mistake in `profile.yaml`, or a schema file that is not JSON.
    pub fn read(folder: &str, yaml_text: &str, schema_text: &str) -> Result<Self, Mistake> {
        let facts: Facts = yaml::read(&format!("{folder}/profile.yaml"), yaml_text)?;
        let schemas = Schemas::read(&format!("{folder}/a2a.schema.json"), schema_text)?;
        Ok(Self { facts, schemas })
    }

    /// The name by which cases, catalogues and flags know it, such as `1.0`.
    pub fn name(&self) -> &str {
        &self.facts.profile
    }

    /// What this version says of an operation; `None` where it has no such operation.
    pub fn operation(&self, operation: Operation) -> Option<&OperationFacts> {
        self.facts.operations.get(&operation)
    }

    /// The name of the error that a JSON-RPC code stands for.
    pub fn error_name(&self, code: i64) -> Option<&str> {
        self.facts.errors.iter().find(|(_, facts)| facts.jsonrpc == Some(code)).map(|(name, _)| name.as_str())
    }

    /// Whether a task in this canonical state can never change again.
    pub fn is_terminal(&self, state: &str) -> bool {
        self.facts.states.terminal.iter().any(|known| known == state)
    }

    /// Whether a task in this canonical state waits for its client.
    pub fn is_interrupted(&self, state: &str) -> bool {
        self.facts.states.interrupted.iter().any(|known| known == state)
    }

    /// Whether a card that spells its protocol version `declared` means this profile.
    pub fn is_declared_as(&self, declared: &str) -> bool {
        self.facts.declared_as.iter().any(|pattern| match pattern.strip_suffix(".*") {
            Some(stem) => declared.strip_prefix(stem).is_some_and(|rest| rest.starts_with('.')),
            None => pattern == declared,
        })
    }
}

/// Every profile in the program, oldest first.
///
/// # Errors
/// A mistake in the bundled files: a bug of ours, which `a2aspec lint` and the tests find first.
pub fn bundled() -> Result<Vec<Arc<Profile>>, Mistake> {
    static LOADED: OnceLock<Result<Vec<Arc<Profile>>, Mistake>> = OnceLock::new();
    LOADED.get_or_init(read_bundled).clone()
}

fn read_bundled() -> Result<Vec<Arc<Profile>>, Mistake> {
    let files: BTreeMap<&str, &str> = bundle::files(&bundle::SCHEMAS).into_iter().collect();
    let mut profiles = Vec::new();
    for (path, text) in &files {
        let Some(folder) = path.strip_suffix("/profile.yaml") else { continue };
        let schema = format!("{folder}/a2a.schema.json");
        let schema_text =
            files.get(schema.as_str()).ok_or_else(|| Mistake::whole(&schema, "a profile needs its schemas"))?;
        profiles.push(Arc::new(Profile::read(folder, text, schema_text)?));
    }
    Ok(profiles)
}
