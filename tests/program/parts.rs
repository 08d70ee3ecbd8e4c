//! Conformance by part: core, streaming, push and security.

use serde_json::Value;

use super::program::{self, Folder};

const PARTS: [&str; 4] = ["core", "streaming", "push", "security"];

/// A run on the reference agent in one version with these flags: what the report has of each part, and the messages of the badges.
fn parts(flags: &[&str]) -> (Vec<Value>, Vec<String>) {
    let folder = Folder::new();
    let json = folder.file("report.json");
    let badges = PARTS.map(|part| (part, folder.file(&format!("{part}.json"))));
    let outputs = badges.iter().map(|(part, file)| format!("badge-{part}={file}")).chain([format!("json={json}")]);
    let outputs: Vec<String> = outputs.flat_map(|output| ["--report".to_owned(), output]).collect();
    let outputs: Vec<&str> = outputs.iter().map(String::as_str).collect();
    let ran = program::run(&[&["check", "--self", "--profile", "0.2.5"], flags, &outputs].concat(), &[]);
    assert!(ran.code < 2, "{}", ran.stderr);
    let read = |file: &str| -> Value { serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap() };
    let message = |(part, file): &(&str, String)| {
        let badge = read(file);
        assert_eq!(badge["label"], format!("A2A 0.2.5 {part}"));
        badge["message"].as_str().unwrap().to_owned()
    };
    (read(&json)["conformance"].as_array().cloned().unwrap_or_default(), badges.iter().map(message).collect())
}

/// The message of the badge that follows from what a report has of a part.
fn message(shown: &Value) -> String {
    let number = |name: &str| shown[name].as_array().map_or(0, Vec::len);
    match shown["outcome"].as_str().unwrap() {
        "not-conformant" => format!("{} MUST violated", number("violated")),
        "not-shown" => format!("{} MUST not tested", number("untested")),
        "conformant" => "conformant".to_owned(),
        other => other.replace('-', " "),
    }
}

/// On a busy machine a case may not be reached, so that a part is not shown. Nothing of a right agent is violated.
#[test]
fn a_right_agent_violates_no_part_and_has_those_that_it_declares() {
    let (shown, badges) = parts(&["--without", "push"]);
    assert_eq!(shown.iter().map(|shown| shown["part"].as_str().unwrap()).collect::<Vec<_>>(), PARTS);
    assert_eq!(shown.iter().map(message).collect::<Vec<_>>(), badges);
    assert_eq!(shown[2]["outcome"], "not-declared");
    for part in &shown[..2] {
        assert!(part["violated"].is_null() && part["kept"].as_u64().unwrap() > 5, "{part}");
    }
}

#[test]
fn a_fault_is_of_one_part() {
    let (shown, badges) = parts(&["--fault", "stream/chunk-lost"]);
    assert!(shown[0]["violated"].is_null(), "{}", shown[0]);
    assert_eq!(shown[1]["outcome"], "not-conformant");
    assert_eq!(shown.iter().map(message).collect::<Vec<_>>(), badges);
}

/// The parts of a run have no conformance each, and together that of the whole.
#[test]
fn shards_of_every_case_show_together_what_the_whole_shows() {
    let folder = Folder::new();
    let read = |file: &str| -> Value { serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap() };
    let files = ["1/2", "2/2"].map(|shard| {
        let file = folder.file(&format!("{}.json", &shard[..1]));
        let report = format!("json={file}");
        let ran = program::run(&["check", "--self", "--profile", "0.2.5", "--shard", shard, "--report", &report], &[]);
        assert!(ran.code < 2 && read(&file)["conformance"].is_null(), "{}", ran.stderr);
        file
    });
    let json = folder.file("whole.json");
    let ran = program::run(
        &["merge", &files[0], &files[1], "--report", "terminal", "--report", &format!("json={json}")],
        &[],
    );
    assert!(ran.stdout.contains("\nconformance  core "), "{}{}", ran.stdout, ran.stderr);
    // A case that is not reached on a busy machine is untested.
    let rules = |shown: &Value| {
        let number = |name: &str| shown[name].as_array().map_or(0, Vec::len);
        assert!(shown["violated"].is_null(), "{shown}");
        (shown["part"].clone(), shown["kept"].as_u64().unwrap() + number("untested") as u64)
    };
    let merged: Vec<_> = read(&json)["conformance"].as_array().expect("parts").iter().map(rules).collect();
    let (whole, _) = parts(&[]);
    assert_eq!(merged, whole.iter().map(rules).collect::<Vec<_>>());
}

/// A pass of a few cases says nothing of the others.
#[test]
fn a_run_of_some_cases_makes_no_agent_conformant() {
    for flags in
        [["--only", "get"], ["--skip", "get"], ["--level", "must"], ["--binding", "jsonrpc"], ["--area", "get"]]
    {
        let (shown, badges) = parts(&flags);
        assert!(shown.is_empty() && badges.iter().all(|badge| badge == "not checked to the end"), "{badges:?}");
    }
}
