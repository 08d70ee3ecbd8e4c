//! The public vectors that tests are held to, where they are at hand.

#![allow(dead_code, reason = "not every test needs both")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Once;

/// Where a file or folder of them is; says so where there are none at all.
pub fn place(name: &str) -> Option<PathBuf> {
    // This file serves crates of several folders.
    let beside = |folder: &Path| folder.join("../shared/vectors");
    let mut roots = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(beside);
    if let Some(root) = roots.find(|root| root.is_dir()) {
        return Some(root.join(name));
    }
    // Not by a macro, whose words are shown for tests that fail only.
    static SAID: Once = Once::new();
    SAID.call_once(|| std::io::stderr().write_all(b"not run: ../shared/vectors is absent\n").unwrap());
    None
}

/// A file of them.
pub fn vectors(name: &str) -> Option<Vec<u8>> {
    Some(std::fs::read(place(name)?).unwrap())
}
