//! The public vectors that tests are held to, where they are at hand.

use std::io::Write as _;
use std::path::PathBuf;

/// A file of them; says so where there are none at all.
pub fn vectors(name: &str) -> Option<Vec<u8>> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/vectors"));
    if !root.is_dir() {
        // Not by a macro, whose words are shown for tests that fail only.
        std::io::stderr().write_all(b"not run: ../shared/vectors is absent\n").unwrap();
        return None;
    }
    Some(std::fs::read(root.join(name)).unwrap())
}
