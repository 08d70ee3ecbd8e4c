//! Texts that users read are in plain English, as docs/contributing/words.md describes it.

use std::fmt::Write as _;
use std::path::Path;

use a2aspec::yaml;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::Value;

use super::{ROOT, document};

/// Verbs that have a technical word in their place: report, print, declare; is, is recorded, follows.
const VERBS: [&str; 15] = [
    "tell", "tells", "told", "telling", "say", "says", "said", "saying", "hear", "hears", "heard", "stand", "stands",
    "standing", "stood",
];
/// First words of a sentence whose subject is a clause, or whose verb comes first.
const FIRST: [&str; 8] = ["What", "Who", "Whoever", "Told", "Seen", "Judged", "Named", "Shown"];
/// In place of code and of quotations.
const CODE: &str = "X";
/// A longer sentence becomes two.
const MOST_WORDS: usize = 30;

/// What is wrong with a text.
fn faults(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for sentence in sentences(text) {
        let words: Vec<&str> = sentence.split_whitespace().map(|word| word.trim_matches(MARKS)).collect();
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        if let Some(first) = words.first().filter(|word| FIRST.contains(*word) && !sentence.ends_with('?')) {
            found.push(format!("begins with {first:?}"));
        }
        let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        for (at, word) in lower.iter().enumerate() {
            let before = at.checked_sub(1).map_or("", |at| lower[at].as_str());
            let after = lower.get(at + 1).map_or("", String::as_str);
            if VERBS.contains(&word.as_str()) || word == "nobody" {
                found.push(format!("has the word {word:?}"));
            }
            let is_a_verb = ["is", "are", "was", "were", "be"].contains(&word.as_str());
            if is_a_verb && after == "no" && !["there", "here"].contains(&before) && !is_a_degree(lower.get(at + 2)) {
                found.push(format!("has the words \"{word} no\""));
            }
        }
        // Lists of names in code do not make a sentence hard to read.
        let count = words.iter().filter(|word| **word != CODE).count();
        if count > MOST_WORDS {
            found.push(format!("has a sentence of {count} words"));
        }
    }
    found
}

/// What is around a word without being of it.
const MARKS: [char; 13] = ['"', '\'', '(', ')', '[', ']', ',', ';', ':', '.', '!', '?', '*'];

/// "is no longer" and "is no more than" are plain.
fn is_a_degree(word: Option<&String>) -> bool {
    word.is_some_and(|word| ["longer", "more", "less", "better", "faster"].contains(&word.as_str()))
}

fn sentences(text: &str) -> Vec<String> {
    let mut sentences = vec![String::new()];
    for word in text.split_whitespace() {
        let Some(last) = sentences.last_mut() else { break };
        if !last.is_empty() {
            last.push(' ');
        }
        last.push_str(word);
        if word.ends_with(['.', '?', '!', ':', ';']) && !["e.g.", "i.e."].contains(&word) {
            sentences.push(String::new());
        }
    }
    sentences
}

/// Prints everything that is wrong, and fails if anything is.
fn assert_plain(texts: impl IntoIterator<Item = (String, String)>) {
    let mut list = String::new();
    let mut seen = 0;
    for (place, text) in texts {
        seen += 1;
        for fault in faults(&text) {
            let _ = writeln!(list, "{place} {fault}: {text}");
        }
    }
    assert!(seen > 0, "no text was read");
    assert!(list.is_empty(), "docs/contributing/words.md has the rules:\n{list}");
}

#[test]
fn the_patterns_are_seen() {
    let of = |text: &str| faults(text).join(", ");
    assert_eq!(of("What fails goes into a file."), "begins with \"What\"");
    assert_eq!(of("What is A2A?"), "");
    assert_eq!(of("The run says it."), "has the word \"says\"");
    assert_eq!(of("A body that is no JSON is refused."), "has the words \"is no\"");
    assert_eq!(of("There is no task, and it is no longer asked for."), "");
    assert_eq!(of("Refused by nobody."), "has the word \"nobody\"");
    assert_eq!(of(&"word ".repeat(31)), "has a sentence of 31 words");
    assert_eq!(of(&format!("{}end. {}", "word ".repeat(20), "word ".repeat(20))), "");
}

#[test]
fn cases_are_in_plain_english() {
    let mut texts = Vec::new();
    let is_of_cases =
        |file: &String| ["requirements", "sets"].iter().all(|it| !file.starts_with(&format!("cases/{it}/")));
    for file in files_below("cases").into_iter().filter(is_of_cases) {
        let read: Value = yaml::read(&file, &document(&file)).unwrap_or_else(|error| panic!("{file}: {error:?}"));
        texts_of(&read, &file, &["title", "why", "right", "wrong", "fix"], &mut texts);
    }
    assert!(texts.len() > 4000, "{}", texts.len());
    assert_plain(texts);
}

#[test]
fn faults_and_variations_are_in_plain_english() {
    for (file, keys, least) in [
        ("reference-agent/faults.yaml", &[" breaks: "][..], 1000),
        ("reference-agent/variations.yaml", &[" what: ", " client: "], 300),
    ] {
        let source = document(file);
        // Some numbers of these files are not numbers of JSON, so they are read by lines.
        let texts = source.lines().filter_map(|line| keys.iter().find_map(|key| Some(line.split_once(key)?.1)));
        let texts: Vec<&str> = texts.collect();
        assert!(texts.len() > least, "{file}: {}", texts.len());
        assert_plain(texts.into_iter().map(|text| (file.to_owned(), text.to_owned())));
    }
}

/// The files in which reports find their words.
#[test]
fn reasons_and_kinds_are_in_plain_english() {
    for file in [
        "crates/model/src/finding/kind.rs",
        "crates/model/src/reason.rs",
        "crates/model/src/event.rs",
        "src/discovery/remedy.rs",
    ] {
        let source = document(file);
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
        let texts = lines.flat_map(|line| line.split('"').skip(1).step_by(2)).filter(|text| text.contains(' '));
        assert_plain(texts.map(|text| (file.to_owned(), text.to_owned())));
    }
}

/// Pages that are still to be written in plain English.
const UNREVISED: [&str; 0] = [];

#[test]
fn documents_are_in_plain_english() {
    let pages = ["docs", "docs/contributing", "clients"].into_iter().flat_map(|folder| {
        let entries = std::fs::read_dir(Path::new(ROOT).join(folder)).expect("the folder can be read");
        let names =
            entries.map(|entry| entry.expect("the entry can be read").file_name().to_string_lossy().into_owned());
        let pages: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
        pages.into_iter().map(move |name| format!("{folder}/{name}"))
    });
    let own = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"].map(str::to_owned);
    // It has the patterns as examples.
    let is_plain = |page: &String| page != "docs/contributing/words.md" && !UNREVISED.contains(&page.as_str());
    let mut pages: Vec<String> = own.into_iter().chain(pages).filter(is_plain).collect();
    pages.sort_unstable();
    assert!(pages.len() > 30, "{pages:?}");
    assert_plain(pages.iter().flat_map(|page| prose(&document(page)).into_iter().map(|text| (page.clone(), text))));
}

/// The paragraphs, items and cells of a page, without code and quotations. A heading may name a subject: "What is checked".
fn prose(page: &str) -> Vec<String> {
    let (mut texts, mut text, mut is_left_out) = (Vec::new(), String::new(), false);
    for event in Parser::new_ext(page, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::Heading { .. }) => is_left_out = true,
            Event::End(TagEnd::CodeBlock | TagEnd::Heading(_)) => is_left_out = false,
            Event::Text(part) if !is_left_out => text.push_str(&part),
            Event::Code(_) if !is_left_out => text.push_str(CODE),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            Event::Start(Tag::Item | Tag::Paragraph)
            | Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell) => {
                texts.push(std::mem::take(&mut text));
            }
            _ => {}
        }
    }
    let without_quotes = |text: &String| text.split('"').step_by(2).collect::<Vec<_>>().join(CODE);
    texts.iter().map(without_quotes).filter(|text| text.contains(' ')).collect()
}

/// The strings of these members, at any depth, with the id of what they belong to.
fn texts_of(value: &Value, place: &str, members: &[&str], texts: &mut Vec<(String, String)>) {
    match value {
        Value::Object(all) => {
            let id = all.get("id").and_then(Value::as_str);
            let place = id.map_or_else(|| place.to_owned(), |id| format!("{place} {id}"));
            for (name, value) in all {
                match value {
                    Value::String(text) if members.contains(&name.as_str()) => {
                        texts.push((format!("{place} {name}"), text.clone()));
                    }
                    _ => texts_of(value, &place, members, texts),
                }
            }
        }
        Value::Array(all) => all.iter().for_each(|value| texts_of(value, place, members, texts)),
        _ => {}
    }
}

/// The YAML files below a folder of the project.
fn files_below(folder: &str) -> Vec<String> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(Path::new(ROOT).join(folder)).expect("the folder can be read") {
        let name = entry.expect("the entry can be read").file_name().to_string_lossy().into_owned();
        let path = format!("{folder}/{name}");
        if Path::new(ROOT).join(&path).is_dir() {
            files.extend(files_below(&path));
        } else if Path::new(&name).extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
    files.sort_unstable();
    files
}
