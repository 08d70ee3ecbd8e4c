//! The report for programs.

use std::io;

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{Formatter, PrettyFormatter};

use super::model::Report;
use crate::diagnostic::words::escaped_as_json;

/// The JSON schema of the report (draft 2020-12).
pub const SCHEMA: &str = include_str!("../../schemas/report.schema.json");

/// The report as JSON.
pub(crate) fn render(report: &Report) -> String {
    indented(report)
}

/// Indented JSON that ends with a line feed, in which nothing steers a terminal. Lists are not indented: a report has many short ones,
/// which took a third of its lines.
pub(crate) fn indented(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    // What is told is made of texts, numbers and lists; nothing in it can refuse to be written.
    let _written = value.serialize(&mut Serializer::with_formatter(&mut bytes, Lines::default()));
    let text = String::from_utf8(bytes).unwrap_or_default();
    // JSON lets through what steers a terminal beyond ASCII. It can only be in strings, where an escape says the same.
    let mut out = escaped_as_json(&text).into_owned();
    out.push('\n');
    out
}

/// Each member of an object is a line of its own, and the values of a list are on the lines of the list.
struct Lines(PrettyFormatter<'static>);

impl Default for Lines {
    fn default() -> Self {
        Self(PrettyFormatter::with_indent(b" "))
    }
}

impl Formatter for Lines {
    fn begin_array_value<W: io::Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn begin_object_key<W: io::Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }

    fn end_object<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::FailOn;
    use crate::diagnostic::words::steers;
    use crate::report::baseline::Baseline;
    use crate::report::sample;
    use crate::report::sets::{Later, SetInfo};
    use crate::verdict::Verdict;

    #[test]
    fn reports_are_valid_against_their_schema() {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        assert!(jsonschema::meta::is_valid(&schema));
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let mut known = sample::full();
        let list = Baseline::of(&known, FailOn::Should, &Baseline::default());
        let mut info = list.against("known.yaml", &known, FailOn::Should, jiff::civil::date(2026, 11, 23));
        info.stale.clone_from(&list.known);
        known.baseline = Some(info);
        let later = Later { since: "2027-03".to_owned(), counts_as: Verdict::Skipped };
        known.requirement_set = Some(SetInfo { name: "2026-12".to_owned(), later: [(0, later)].into() });
        for report in [
            sample::full(),
            sample::clean(),
            sample::stream(),
            sample::grpc(),
            sample::interrupted(),
            sample::flaky(),
            sample::secured(),
            sample::not_run(),
            known,
        ] {
            let report: Value = serde_json::from_str(&render(&report)).unwrap();
            let errors: Vec<String> =
                validator.iter_errors(&report).map(|error| format!("{}: {error}", error.instance_path())).collect();
            assert!(errors.is_empty(), "{errors:#?}");
        }
    }

    #[test]
    fn a_report_of_long_bodies_is_valid_and_short() {
        let mut report = sample::long();
        report.exchanges_left_out = 2;
        let text = render(&report);
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let report: Value = serde_json::from_str(&text).unwrap();
        assert!(jsonschema::draft202012::is_valid(&schema, &report), "{text}");
        let response = &report["exchanges"][0]["response"];
        assert_eq!(response["body_encoding"], "base64");
        assert_eq!(response["body_cut"]["bytes"], 8 << 20);
        assert!(report["results"][0]["findings"][0]["excerpt"]["text"].is_string());
        assert!(report["results"][0]["findings_left_out"].is_u64());
        assert!(text.len() < 60_000, "{}", text.len());
    }

    #[test]
    fn the_schema_knows_every_member() {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let report = serde_json::to_value(sample::grpc()).unwrap();
        let mut not_run = serde_json::to_value(sample::not_run()).unwrap();
        not_run["error"]["unknown"] = Value::Null;
        assert!(!validator.is_valid(&not_run));
        for place in [
            "",
            "/tool",
            "/target",
            "/target/interfaces/1",
            "/summary",
            "/summary/must",
            "/results/0",
            "/results/0/findings/0",
            "/requirements/0",
            "/cases/0",
            "/exchanges/1",
            "/exchanges/1/request",
            "/exchanges/1/response",
        ] {
            let mut odd = report.clone();
            let object = odd.pointer_mut(place).and_then(Value::as_object_mut).expect(place);
            object.insert("unknown".into(), Value::Null);
            assert!(!validator.is_valid(&odd), "a member is let through at {place:?}");
        }
    }

    #[test]
    fn what_could_steer_a_terminal_is_escaped_and_means_the_same() {
        let odd = "\u{7f}\u{9b}2J\u{202e}\u{200b}\u{e0041}\u{1b}]0;x\u{7} \u{e9}";
        let mut report = sample::stream();
        report.target.name = Some(odd.to_owned());
        let text = render(&report);
        assert!(!text.contains(|c| c != '\n' && steers(c)));
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["target"]["name"], odd);
    }

    #[test]
    fn the_text_stays_the_same() {
        insta::assert_snapshot!(render(&sample::stream()));
    }
}
