//! The settings files that the user trusts: by path and content, in a file of the user's settings folder.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::cli::fail::Failure;
use crate::cli::{Exit, private};

/// The name of the file in the settings folder.
const FILE: &str = "trusted.json";

/// The digest of a settings file: SHA-256 in hexadecimal digits.
pub(in crate::cli) fn digest(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What is known of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// The user trusts it as it is.
    Trusted,
    /// The user trusted it, and it has changed since.
    Changed,
    /// The user never trusted it.
    Unknown,
}

/// The trusted files: the digest of each, by its absolute path.
pub(super) struct Store {
    path: PathBuf,
    files: BTreeMap<String, String>,
}

impl Store {
    /// Reads the store. A store that is not there is empty.
    ///
    /// # Errors
    /// It cannot be read, or is not JSON of that form.
    pub fn read() -> Result<Self, Failure> {
        let nowhere = |error| Failure::usage(format!("there is no settings folder for the trusted files: {error}"));
        let path = private::path(FILE).map_err(nowhere)?;
        let unreadable = |error: &dyn std::fmt::Display| {
            let message = format!("the list of trusted files {} cannot be read: {error}", path.display());
            Failure::new(Exit::Usage, &message, Some("delete it, and trust your files again"))
        };
        let files = match std::fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| unreadable(&error))?,
            Err(error) if error.kind() == ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(unreadable(&error)),
        };
        Ok(Self { path, files })
    }

    /// What is known of a file with this content.
    pub fn knows(&self, file: &Path, digest: &str) -> Known {
        match self.files.get(&key(file)) {
            Some(known) if known == digest => Known::Trusted,
            Some(_) => Known::Changed,
            None => Known::Unknown,
        }
    }

    /// Trusts a file with this content.
    pub fn add(&mut self, file: &Path, digest: String) -> Result<(), Failure> {
        self.files.insert(key(file), digest);
        self.write()
    }

    /// Trusts a file no longer. Whether it was trusted.
    pub fn remove(&mut self, file: &Path) -> Result<bool, Failure> {
        let was_there = self.files.remove(&key(file)).is_some();
        if was_there {
            self.write()?;
        }
        Ok(was_there)
    }

    /// The trusted files with their digests.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(file, digest)| (file.as_str(), digest.as_str()))
    }

    fn write(&self) -> Result<(), Failure> {
        let text = serde_json::to_vec_pretty(&self.files).map_err(|error| Failure::broken(error.to_string()))?;
        private::write(&self.path, &text).map_err(|error| {
            Failure::usage(format!("the list of trusted files {} cannot be written: {error}", self.path.display()))
        })
    }
}

fn key(file: &Path) -> String {
    file.display().to_string()
}
