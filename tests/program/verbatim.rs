//! What is made for programs is written as it is: every character comes back that an escape for people would change.

use serde_json::{Value, json};

use super::agent::{Agent, card_of};
use super::program::{self, Folder, Ran};

/// Every character that could steer a terminal, by the tables of Unicode and not by those of the program: controls (Cc), format
/// characters (Cf), and the separators of lines and paragraphs; and such as JSON and XML treat in a way of their own.
fn odd() -> impl Iterator<Item = char> {
    let ranges = [
        0x1..=0x1f_u32,
        0x7f..=0x9f,
        0xad..=0xad,
        0x600..=0x605,
        0x61c..=0x61c,
        0x6dd..=0x6dd,
        0x70f..=0x70f,
        0x180e..=0x180e,
        0x200b..=0x200f,
        0x2028..=0x202e,
        0x2060..=0x206f,
        0xfeff..=0xfeff,
        0xfff9..=0xffff,
        0x110bd..=0x110bd,
        0x1d173..=0x1d17a,
        0xe0001..=0xe007f,
        0x22..=0x22,
        0x5c..=0x5c,
        0x1f468..=0x1f468,
    ];
    ranges.into_iter().flatten().filter_map(char::from_u32)
}

/// A name with all of them, a family, and names in Persian and Hebrew.
fn name() -> String {
    let family = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}";
    format!(
        "{family} \u{646}\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645} \u{5d0}\u{200f} {}",
        odd().collect::<String>()
    )
}

fn card() -> Value {
    let interface = ("https://agent.example/a2a".to_owned(), "JSONRPC", "1.0");
    let mut card = card_of(&[interface]);
    card["name"] = json!(name());
    card["description"] = json!(name());
    card
}

fn ran(arguments: &[&str]) -> Ran {
    let ran = program::run(arguments, &[]);
    assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
    ran
}

#[test]
fn a_card_is_signed_as_it_is_and_shown_as_it_is_signed() {
    let folder = Folder::new();
    let file = folder.write("card.json", &card().to_string());
    let key = json!({
        "kty": "OKP", "crv": "Ed25519", "kid": "team", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
    });
    let key = folder.write("key.json", &key.to_string());
    let canonical: Value = serde_json::from_str(&ran(&["card", "canonical", &file]).stdout).unwrap();
    assert_eq!(canonical["name"], json!(name()));
    let signed = ran(&["card", "sign", &file, "--key", &key, "--kid", "team"]).stdout;
    let read: Value = serde_json::from_str(&signed).unwrap();
    assert_eq!(read["name"], json!(name()));
    let signed = folder.write("signed.json", &signed);
    ran(&["card", "verify", &signed, "--key", &key]);
    // What is printed of a signed card is what was signed.
    assert_eq!(ran(&["card", "canonical", &signed]).stdout, ran(&["card", "canonical", &file]).stdout);
}

/// Standard output gets the bytes that a file gets, in each format for programs; JSON has the name as it was.
#[test]
fn reports_for_programs_are_the_same_on_standard_output_and_in_files() {
    let agent = Agent::serve(async |url| {
        let mut card = card();
        card["supportedInterfaces"][0]["url"] = json!(format!("{url}/{}", "a2a"));
        let card = card.to_string();
        axum::Router::new().fallback(move || async move { ([("content-type", "application/json")], card) })
    });
    let check = |report: &str| program::run(&["check", &agent.url, "--only", "card/*", "--report", report], &[]);
    let folder = Folder::new();
    for format in ["json", "ndjson", "junit", "sarif", "har", "tap", "badge", "html", "markdown", "github"] {
        let file = folder.file(format);
        let printed = check(format);
        assert_ne!(printed.code, 2, "{}", printed.stderr);
        check(&format!("{format}={file}"));
        let written = std::fs::read_to_string(file).unwrap();
        assert!(!written.is_empty());
        assert_eq!(steady(&printed.stdout), steady(&written), "{format}");
        if format == "json" {
            let report: Value = serde_json::from_str(&printed.stdout).unwrap();
            assert_eq!(report["target"]["name"], json!(name()));
        }
    }
    let outlined = ran(&["check", &agent.url, "--dry-run=json"]).stdout;
    let outline: Value = serde_json::from_str(&outlined).unwrap();
    assert!(outline.to_string().contains(&json!(name()).to_string()), "{outline}");
}

/// Without numbers, which differ from run to run.
fn steady(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect::<String>()
        .replace("00", "0")
        .replace("00", "0")
}

/// Reports that are compared come back as they were, too.
#[test]
fn a_comparison_for_programs_has_the_text_as_it_was() {
    let folder = Folder::new();
    let report = ran(&["selftest", "--only", "get/unknown-id", "--profile", "1.0", "--report", "json"]).stdout;
    let mut report: Value = serde_json::from_str(&report).unwrap();
    report["target"]["url"] = json!(name());
    let file = folder.write("report.json", &report.to_string());
    let diff: Value = serde_json::from_str(&ran(&["diff", &file, &file, "--format", "json"]).stdout).unwrap();
    assert_eq!(diff["before"]["url"], json!(name()));
    report["target"]["name"] = json!(name());
    let named = folder.write("named.json", &report.to_string());
    let matrix: Value = serde_json::from_str(&ran(&["matrix", &named, "--report", "json"]).stdout).unwrap();
    assert_eq!(matrix["agents"][0]["name"], json!(name()), "{matrix}");
}

/// Case files may have any title; lists of them for programs have it as it is.
#[test]
fn lists_and_scripts_are_as_they_were_made() {
    let list: Value = serde_json::from_str(&ran(&["list", "--format", "json"]).stdout).unwrap();
    assert!(list.as_array().is_some_and(|cases| cases.len() > 100));
    for shell in ["bash", "zsh", "fish"] {
        assert!(ran(&["completions", shell]).stdout.contains("sarif-location"), "{shell}");
    }
    let schema = ran(&["schema", "cases"]).stdout;
    assert!(serde_json::from_str::<Value>(&schema).is_ok());
}

/// What is written into a folder has each character as it was made.
#[test]
fn folders_for_programs_are_written_as_bytes() {
    let folder = Folder::new();
    let corpus = folder.file("corpus");
    ran(&["corpus", &corpus, "--kind", "json", "--count", "200"]);
    let index: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.file("corpus/index.json")).unwrap()).unwrap();
    let inputs = index["inputs"].as_array().unwrap();
    assert!(inputs.iter().all(|input| folder.path().join("corpus").join(input["file"].as_str().unwrap()).is_file()));
    let acts = folder.file("acts");
    ran(&["export", "acts", &acts]);
    let index: Value = serde_json::from_str(&std::fs::read_to_string(folder.file("acts/index.json")).unwrap()).unwrap();
    assert!(index["written"].as_array().is_some_and(|written| !written.is_empty()) || index["written"].is_object());
}
