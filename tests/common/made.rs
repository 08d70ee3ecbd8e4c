//! What the clients need, which their set-ups install.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use serde::Deserialize;

use super::deadline::run;

/// How long the clients in one language may take to be made, which is once on a machine.
const SETUP: Duration = Duration::from_secs(1_800);

/// Exit code by which a set-up says that the clients cannot be had here.
const CANNOT_BE_HAD: i32 = 77;

/// A language.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    Python,
    Javascript,
    Rust,
}

/// Makes the clients in one language, once for all tests. Some reason: why they cannot be had here.
pub fn made(language: Language) -> Result<Option<String>, String> {
    static MADE: [OnceLock<Result<Option<String>, String>>; 3] = [const { OnceLock::new() }; 3];
    let (place, script) = match language {
        // The environments and the package of the agents in these languages: an SDK has both sides.
        Language::Python => (0, "../real/setup.sh"),
        Language::Rust => (1, "../real/rust-agent/setup.sh"),
        Language::Javascript => (2, "javascript/setup.sh"),
    };
    let make = || {
        let done = run(Command::new("sh").arg(script).current_dir(folder()), SETUP)?;
        match done.code {
            Some(0) => Ok(None),
            Some(CANNOT_BE_HAD) => {
                let reason = done.stdout.trim().to_owned();
                // Not by a macro, whose words are shown for tests that fail only.
                let line = format!("clients not run: {reason}\n");
                std::io::stderr().write_all(line.as_bytes()).map_err(|error| error.to_string())?;
                Ok(Some(reason))
            }
            // A mistake in the set-up itself, which must not look like a machine without what it needs.
            _ => Err(format!("{script} failed: {done}")),
        }
    };
    MADE[place].get_or_init(make).clone()
}

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients")
}
