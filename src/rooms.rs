//! The direction of imports: a room knows those that stand before it here, and no other.
//!
//! Tests, and what is made for them (`sample`, `script`), may reach anywhere.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Every room, from the ground up.
const ROOMS: [&str; 44] = [
    // Texts and bytes.
    "bundle",
    "files",
    "page",
    "room",
    "typed_text",
    "clock",
    // Traffic that others recorded, entry by entry.
    "har",
    // What a version of the protocol is, and what is checked.
    "profile",
    // Who asks, and what goes where.
    "auth",
    // What nobody may see of that.
    "secrets",
    // What a card adds to it.
    "extension",
    // Signed cards.
    "signature",
    // Values out of choices.
    "generate",
    // The nouns that all who follow share.
    "finding",
    "reason",
    "verdict",
    // What parsers are given, and what they make of it.
    "corpus",
    "parsers",
    "transcript",
    "interface",
    "event",
    "case",
    // Clients: who drives them, and what they ask.
    "wrapper",
    "visit",
    // The way of the data.
    "binding",
    "discovery",
    "judge",
    "session",
    "plan",
    "run",
    "fuzz",
    "report",
    // All of it together.
    "suite",
    // The same of clients.
    "client",
    // The same of traffic that others recorded.
    "traffic",
    // What is told without a run.
    "coverage",
    "compare",
    "matrix",
    // Its users.
    "libtest",
    "cli",
    // The program.
    "lib",
    "main",
    // What tests of all of it have.
    "rooms",
    "vectors",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The room of a file.
fn room(path: &Path) -> String {
    let first = path.iter().next().unwrap();
    Path::new(first).file_stem().unwrap().to_str().unwrap().to_owned()
}

fn is_for_tests(path: &Path) -> bool {
    path.iter().any(|part| matches!(part.to_str(), Some("tests" | "tests.rs" | "sample.rs" | "script.rs")))
}

/// The rooms that a file names, with the lines; what follows its `#[cfg(test)]` module is left aside.
fn named(text: &str) -> Vec<(usize, String)> {
    let own = text.split("#[cfg(test)]\n#[allow").next().unwrap_or(text);
    let own = own.split("#[cfg(test)]\nmod tests {").next().unwrap_or(own);
    let lines = own.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    let names = lines.flat_map(|(number, line)| {
        let pieces = line.split("crate::").skip(1);
        pieces.map(move |rest| {
            let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
            (number + 1, rest[..end.unwrap_or(rest.len())].to_owned())
        })
    });
    names.collect()
}

#[test]
fn no_room_knows_a_later_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let place: BTreeMap<&str, usize> = ROOMS.iter().enumerate().map(|(place, room)| (*room, place)).collect();
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut wrong = Vec::new();
    for file in files {
        let path = file.strip_prefix(&root).unwrap();
        let here = room(path);
        let own = *place.get(here.as_str()).unwrap_or_else(|| panic!("`{here}` has no place among the rooms"));
        if is_for_tests(path) {
            continue;
        }
        for (line, other) in named(&std::fs::read_to_string(&file).unwrap()) {
            if place.get(other.as_str()).is_some_and(|other| *other > own) {
                wrong.push(format!("src/{}:{line}: {here} knows {other}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
