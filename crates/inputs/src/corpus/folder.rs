//! The inputs as a folder of files, with an index.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

use super::{Class, Kind, Makers, NoSuchKind, Verdict};
use crate::generate::{Choices, seeded};
use crate::profile::Profile;

/// Inputs of each kind, and of each version where a kind has one, unless another number is asked for.
pub const COUNT: usize = 200;

/// Bytes of choices for each input.
const CHOICES: usize = 256;

/// What is written.
#[derive(Debug)]
pub struct Plan {
    /// The kinds.
    pub kinds: Vec<Kind>,
    /// The versions, for those kinds that have one.
    pub profiles: Vec<Arc<Profile>>,
    /// The same number makes the same inputs.
    pub seed: u64,
    /// How many inputs of each kind and version.
    pub count: usize,
}

/// What a folder holds: its `index.json`.
#[derive(Debug, Serialize)]
pub struct Index {
    /// The form of this file.
    pub format: u32,
    /// The program that wrote it.
    pub program: String,
    /// The number that makes these inputs again, with the same program.
    pub seed: u64,
    /// Every class, by the folder of its inputs.
    pub classes: BTreeMap<String, Vec<Class>>,
    /// Every input.
    pub inputs: Vec<Entry>,
}

/// An input in the index.
#[derive(Debug, Serialize)]
pub struct Entry {
    /// Path of the file within the folder.
    pub file: String,
    /// What it is.
    pub kind: &'static str,
    /// The version that it is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Its class, which the index explains.
    pub class: &'static str,
    /// What a reader should do.
    pub verdict: Verdict,
    /// Why.
    pub reason: String,
    /// Where the standard says it.
    pub section: String,
    /// JSON pointer to what the class is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What a right reader reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

/// A corpus that cannot be written.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The folder holds something already.
    #[error("{0} is not empty")]
    NotEmpty(PathBuf),
    /// A file or a folder cannot be written.
    #[error("{path} cannot be written: {error}")]
    Unwritable {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// None of the versions has inputs of a kind.
    #[error("{0}")]
    NoSuchKind(#[from] NoSuchKind),
}

/// Writes a corpus into a folder, which is made where it is not there.
///
/// # Errors
/// The folder holds something, or cannot be written; there are no such inputs.
pub fn write(folder: &Path, plan: &Plan) -> Result<Index, FolderError> {
    let unwritable = |path: &Path| {
        let path = path.to_owned();
        move |error| FolderError::Unwritable { path, error }
    };
    fs::create_dir_all(folder).map_err(unwritable(folder))?;
    if fs::read_dir(folder).map_err(unwritable(folder))?.next().is_some() {
        return Err(FolderError::NotEmpty(folder.to_owned()));
    }
    let program = format!("a2aspec {}", env!("CARGO_PKG_VERSION"));
    let mut index = Index { format: 1, program, seed: plan.seed, classes: BTreeMap::new(), inputs: Vec::new() };
    for (makers, profile) in makers(plan)? {
        let within = profile
            .as_ref()
            .map_or_else(|| makers.kind().name().to_owned(), |profile| format!("{}/{}", profile.name(), makers.kind()));
        let inside = folder.join(&within);
        fs::create_dir_all(&inside).map_err(unwritable(&inside))?;
        index.classes.insert(within.clone(), makers.classes().to_vec());
        for (class, number, input) in inputs(&makers, plan) {
            let (letter, extension) = (input.verdict.letter(), makers.kind().extension());
            let name = format!("{letter}_{}_{number:04}.{extension}", class.name);
            let path = inside.join(&name);
            fs::write(&path, &input.bytes).map_err(unwritable(&path))?;
            index.inputs.push(Entry {
                file: format!("{within}/{name}"),
                kind: makers.kind().name(),
                profile: profile.as_ref().map(|profile| profile.name().to_owned()),
                class: class.name,
                verdict: input.verdict,
                reason: class.reason.clone(),
                section: class.section.clone(),
                place: input.place,
                value: input.value,
            });
        }
    }
    let path = folder.join("index.json");
    let text = serde_json::to_string_pretty(&index).map_err(|error| unwritable(&path)(error.into()))?;
    fs::write(&path, text + "\n").map_err(unwritable(&path))?;
    Ok(index)
}

/// What makes the inputs of one folder, and their version where they have one.
type Made<'p> = (Makers, Option<&'p Arc<Profile>>);

/// What makes the inputs of a plan, kind by kind, and version by version.
fn makers(plan: &Plan) -> Result<Vec<Made<'_>>, FolderError> {
    let mut all = Vec::new();
    for kind in &plan.kinds {
        if !kind.is_of_a_version() {
            all.push((Makers::new(*kind, None)?, None));
            continue;
        }
        let made = plan.profiles.iter().map(|profile| Ok((Makers::new(*kind, Some(profile))?, Some(profile))));
        let (made, failed): (Vec<_>, Vec<_>) = made.partition(Result::is_ok);
        // Not every version has every kind; that none has it is a mistake.
        if let (true, Some(Err(error))) = (made.is_empty(), failed.into_iter().next()) {
            return Err(FolderError::NoSuchKind(error));
        }
        all.extend(made.into_iter().filter_map(Result::ok));
    }
    Ok(all)
}

/// The inputs of one kind: of each class as many as of the others where there are so many, and none twice.
fn inputs<'m>(makers: &'m Makers, plan: &Plan) -> Vec<(&'m Class, usize, super::Input)> {
    /// How often each class is tried for each input of it: some have few.
    const TRIES: usize = 4;
    /// How often at least, so that each has one.
    const RARE: usize = 400;
    let classes = makers.classes();
    let mut seen = HashSet::new();
    let mut made: Vec<(&Class, usize, super::Input)> = Vec::new();
    for round in 0..(plan.count.div_ceil(classes.len().max(1)) * TRIES).max(RARE) {
        for class in classes {
            let is_missing = || !made.iter().any(|(known, ..)| *known == class);
            if made.len() >= plan.count && !is_missing() {
                continue;
            }
            let bytes = seeded(plan.seed, round as u64, CHOICES);
            let Some(input) = makers.make(class, &mut Choices::new(&bytes)) else { continue };
            if seen.insert((class.name, input.bytes.clone())) {
                made.push((class, round, input));
            }
        }
    }
    made
}
