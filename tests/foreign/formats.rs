//! Reports in the hands of validators and parsers that others publish.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::reports::FOUND;
use super::tools::Tools;

/// Validators, parsers and the schemas that they bring along.
static VALIDATORS: Tools = Tools::of("validators");

/// What was read of a report.
#[derive(Debug, Deserialize)]
struct Read {
    wrong: Vec<String>,
    counts: BTreeMap<String, usize>,
}

impl Read {
    fn count(&self, name: &str) -> usize {
        self.counts.get(name).copied().unwrap_or_default()
    }
}

fn read(format: &str, file: &str) -> Read {
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/report.schema.json");
    VALIDATORS.ask("check.mjs", &[format, file, schema]).pop().unwrap()
}

fn report() -> Value {
    serde_json::from_str(&std::fs::read_to_string(FOUND.file("report.json")).unwrap()).unwrap()
}

/// How many results of the run have one of these verdicts.
fn verdicts(wanted: &[&str]) -> usize {
    let report = report();
    let results = report["results"].as_array().unwrap();
    results.iter().filter(|result| wanted.contains(&result["verdict"].as_str().unwrap())).count()
}

/// Reads the report in a format, and then a spoiled one, which is to be refused.
#[track_caller]
fn right(format: &str, end: &str, spoil: (&str, &str)) -> Option<Read> {
    VALIDATORS.ready()?;
    let file = FOUND.file(&format!("report.{end}"));
    let found = read(format, &file);
    assert!(found.wrong.is_empty(), "{format}:\n{}", found.wrong.join("\n"));
    let text = std::fs::read_to_string(&file).unwrap();
    let spoiled = text.replacen(spoil.0, spoil.1, 1);
    assert_ne!(spoiled, text, "{format} has {spoil:?}");
    let spoiled = read(format, &FOUND.write(&format!("spoiled.{end}"), &spoiled));
    assert!(!spoiled.wrong.is_empty(), "{format}: {spoil:?} is not noticed");
    Some(found)
}

#[test]
fn json_by_another_validator() {
    let Some(read) = right("json", "json", ("\"verdict\": \"pass\"", "\"verdict\": \"passed\"")) else { return };
    for verdict in ["pass", "fail", "warn", "unreached", "skipped"] {
        assert_eq!(read.count(verdict), verdicts(&[verdict]), "{verdict}");
    }
}

/// Against the published schema, with what code scanning asks for beyond it.
#[test]
fn sarif_by_its_schema() {
    let Some(read) = right("sarif", "sarif", ("\"level\": \"error\"", "\"level\": \"fatal\"")) else { return };
    assert!(read.count("error") > 0 && read.count("warning") > 0, "{read:?}");
}

/// Against the schema of Jenkins, with what it and GitLab read since; and by a parser, which counts what we count.
#[test]
fn junit_by_its_schema() {
    let Some(read) = right("junit", "xml", ("<testcase name=", "<testcase title=")) else { return };
    assert_eq!(read.count("failure"), verdicts(&["fail"]));
    assert_eq!(read.count("skipped"), verdicts(&["unreached", "skipped"]));
    assert_eq!(read.count("pass"), verdicts(&["pass", "warn", "note"]));
}

#[test]
fn tap_by_a_parser() {
    let Some(read) = right("tap", "tap", ("\nok 1 ", "\nfine 1 ")) else { return };
    assert_eq!(read.count("failure"), verdicts(&["fail"]));
    assert_eq!(read.count("skipped"), verdicts(&["unreached", "skipped"]));
    assert_eq!(read.count("pass"), verdicts(&["pass", "warn", "note"]));
}

#[test]
fn markdown_by_a_renderer() {
    let Some(read) = right("markdown", "md", ("| MUST |", "| MUST | | | | | | | |")) else { return };
    assert!(read.count("table") > 0 && read.count("heading") > 0, "{read:?}");
}

/// Against the schemas that `har-validator` uses, with what HTTP Archive 1.2 says beside them.
#[test]
fn har_by_its_schema() {
    let Some(read) = right("har", "har", ("\"httpVersion\": \"HTTP/1.1\"", "\"httpVersion\": 1.1")) else { return };
    let report = report();
    let exchanges = report["exchanges"].as_array().unwrap();
    let unanswered = exchanges.iter().filter(|exchange| exchange["response"].is_null()).count();
    assert!(!exchanges.is_empty());
    assert_eq!(read.count("answered"), exchanges.len() - unanswered);
    assert_eq!(read.count("unanswered"), unanswered);
}
