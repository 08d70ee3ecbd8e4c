//! The data that the program carries inside itself: profiles, schemas, cases, catalogues.

mod compiled;

use include_dir::{Dir, include_dir};

use crate::yaml::{Mistake, Tree};

/// `schemas/`: one folder a profile.
pub static SCHEMAS: Dir<'_> = include_dir!("$DATA/schemas");

/// `cases/`: one folder an area; `requirements/`, one file a catalogue; `sets/`, one file a set of requirements.
pub static CASES: Dir<'_> = include_dir!("$DATA/cases");

/// The `FileDescriptorSet` of each profile that has an `a2a.proto`, by the profile's folder. `build.rs` makes them.
static DESCRIPTORS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/descriptors.rs"));

/// What the YAML of [`SCHEMAS`] and [`CASES`] holds, as `build.rs` read it, by the name that messages have for a file.
static NODES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/nodes.bin"));

/// The compiled proto of a profile: an encoded `google.protobuf.FileDescriptorSet`.
pub fn descriptors(profile: &str) -> Option<&'static [u8]> {
    DESCRIPTORS.iter().find(|(name, _)| *name == profile).map(|(_, bytes)| *bytes)
}

/// The text of a file by the name that messages have for it: that of a case begins with `cases/`, that of a schema with its folder.
pub fn text(name: &str) -> Option<&'static str> {
    let file = match name.strip_prefix("cases/") {
        Some(path) => CASES.get_file(path),
        None => SCHEMAS.get_file(name),
    };
    file?.contents_utf8()
}

/// A text of YAML as a tree, which takes no reading where the program carries it.
///
/// # Errors
/// As of [`Tree::read`].
pub fn tree(file: &str, text: &str) -> Result<Tree, Mistake> {
    compiled::node(file, text).map_or_else(|| Tree::read(file, text), |node| Ok(Tree::of(file, text, node)))
}

/// Every file below `dir` with its path relative to the bundle's root, in the order of their paths.
pub fn files<'a>(dir: &'a Dir<'a>) -> Vec<(&'a str, &'a str)> {
    let mut found = Vec::new();
    collect(dir, &mut found);
    found.sort_unstable();
    found
}

fn collect<'a>(dir: &'a Dir<'a>, found: &mut Vec<(&'a str, &'a str)>) {
    for file in dir.files() {
        if let (Some(path), Some(text)) = (file.path().to_str(), file.contents_utf8()) {
            found.push((path, text));
        }
    }
    for inner in dir.dirs() {
        collect(inner, found);
    }
}
