//! The direction of imports within a crate: a room imports only rooms above it in these lists. Cargo enforces the order of crates.
//!
//! Tests, and what is made for them (`sample`), may reach anywhere.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The crates that have several rooms, each with the rooms from the ground up.
const CRATES: [(&str, &[&str]); 3] = [
    (
        "crates/model/src",
        &[
            // Texts and bytes.
            "bundle",
            "files",
            "room",
            "typed_text",
            "clock",
            // What a version of the protocol is, and what is checked.
            "profile",
            // Who asks, and what goes where.
            "auth",
            // What is masked of that.
            "secrets",
            // What a card adds to it.
            "extension",
            // Signed cards.
            "signature",
            // The nouns that all who follow share.
            "finding",
            "reason",
            "verdict",
            "transcript",
            "interface",
            "event",
            "case",
            "lib",
            // What tests of all of it have.
            "vectors",
        ],
    ),
    // Values out of choices; what parsers are given, and what they make of it.
    ("crates/inputs/src", &["generate", "corpus", "parsers", "lib"]),
    (
        "src",
        &[
            // Texts.
            "page",
            // Traffic that others recorded, entry by entry.
            "har",
            // Clients: who drives them, and whom they ask.
            "wrapper",
            "stage",
            // The way of the data.
            "transport",
            "discovery",
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
            // The same of traffic that passes through it.
            "proxy",
            // The same of an agent and its gateway.
            "compare",
            // The same by hand, in a page.
            "ui",
            // What is reported without a run.
            "coverage",
            "diff_spec",
            "matrix",
            // Its users.
            "libtest",
            "cli",
            // The program.
            "lib",
            "main",
            // What tests of all of it have.
            "rooms",
        ],
    ),
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
    path.iter().any(|part| matches!(part.to_str(), Some("tests" | "tests.rs" | "sample.rs")))
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
    let mut wrong = Vec::new();
    for (folder, rooms) in CRATES {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let place: BTreeMap<&str, usize> = rooms.iter().enumerate().map(|(place, room)| (*room, place)).collect();
        let mut files = Vec::new();
        sources(&root, &mut files);
        for file in files {
            let path = file.strip_prefix(&root).unwrap();
            let here = room(path);
            let own = *place.get(here.as_str()).unwrap_or_else(|| panic!("`{here}` has no place in {folder}"));
            if is_for_tests(path) {
                continue;
            }
            for (line, other) in named(&std::fs::read_to_string(&file).unwrap()) {
                if place.get(other.as_str()).is_some_and(|other| *other > own) {
                    wrong.push(format!("{folder}/{}:{line}: {here} knows {other}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
