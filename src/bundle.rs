//! The data that the program carries inside itself: profiles, schemas, cases, catalogues.

use include_dir::{Dir, include_dir};

/// `schemas/`: one folder a profile.
pub static SCHEMAS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/schemas");

/// `cases/`: one folder an area, and `requirements/`, one file a catalogue.
pub static CASES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/cases");

/// The `FileDescriptorSet` of each profile that has an `a2a.proto`, by the profile's folder. `build.rs` makes them.
static DESCRIPTORS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/descriptors.rs"));

/// The compiled proto of a profile: an encoded `google.protobuf.FileDescriptorSet`.
pub fn descriptors(profile: &str) -> Option<&'static [u8]> {
    DESCRIPTORS.iter().find(|(name, _)| *name == profile).map(|(_, bytes)| *bytes)
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
