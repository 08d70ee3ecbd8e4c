//! Programs from elsewhere.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::deadline::run;

/// How long it may take to make them ready, which is once on a machine.
const SETUP: Duration = Duration::from_secs(1_800);

/// How long one of them may take.
const USE: Duration = Duration::from_secs(900);

/// Exit code by which a set-up says that they cannot be had here.
const CANNOT_BE_HAD: i32 = 77;

/// Says that something is not run, and why.
pub fn not_run(what: &str, why: &str) {
    tell(&format!("{what} not run: {why}\n"));
}

/// Not by a macro, whose words are shown for tests that fail only.
fn tell(line: &str) {
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

/// Tools that a script makes ready.
pub struct Tools {
    folder: &'static str,
    ready: OnceLock<Option<String>>,
}

impl Tools {
    /// Those of a folder of `tests`.
    pub const fn of(folder: &'static str) -> Self {
        Self { folder, ready: OnceLock::new() }
    }

    fn path(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(self.folder)
    }

    /// What the script says in the end, once they are ready; nothing where they cannot be had, which is told.
    pub fn ready(&self) -> Option<&str> {
        let make = || {
            let done = run(Command::new("sh").arg("setup.sh").current_dir(self.path()), SETUP).unwrap();
            match done.code {
                Some(0) => Some(done.stdout.trim().to_owned()),
                Some(CANNOT_BE_HAD) => {
                    tell(&done.stdout);
                    None
                }
                // A mistake in the set-up itself, which must not look like a machine without what it needs.
                _ => panic!("{} of {} failed: {done}", "setup.sh", self.folder),
            }
        };
        self.ready.get_or_init(make).as_deref()
    }

    /// Runs a script of theirs; each line that it says is one thing.
    pub fn ask<T: DeserializeOwned>(&self, script: &str, arguments: &[&str]) -> Vec<T> {
        let done = run(Command::new("node").arg(self.path().join(script)).args(arguments), USE).unwrap();
        assert_eq!(done.code, Some(0), "{script}: {done}");
        done.stdout.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
    }
}
