//! The report as lines of JSON, for dashboards and log stores, which take one record at a time.
//!
//! The first line is the run: `"record": "run"` and what the JSON report has beside its lists. Then comes one line for each entry
//! of the lists, by kind, with the members that it has there and the URL of the agent. Exchanges are left out.

use serde_json::{Map, Value, json};

use super::model::Report;
use crate::diagnostic::words::escaped_as_json;

/// The kinds of entries, each with the list of the report that has them.
const LISTS: [(&str, &str); 6] = [
    ("root_cause", "root_causes"),
    ("problem", "problems"),
    ("result", "results"),
    ("trigger", "triggers"),
    ("requirement", "requirements"),
    ("case", "cases"),
];

/// The report, one record a line.
pub(crate) fn render(report: &Report) -> String {
    let Ok(Value::Object(mut run)) = serde_json::to_value(report) else { return String::new() };
    run.remove("exchanges");
    let lists = LISTS.map(|(kind, name)| (kind, run.remove(name)));
    let url = report.target.url.clone();
    let mut out = line("run", &[], Value::Object(run));
    for (kind, list) in lists {
        let Some(Value::Array(entries)) = list else { continue };
        for (index, entry) in entries.into_iter().enumerate() {
            // Problems name results by their place.
            out.push_str(&line(kind, &[("url", json!(url)), ("index", json!(index))], entry));
        }
    }
    out
}

fn line(kind: &str, more: &[(&str, Value)], entry: Value) -> String {
    let mut record = Map::from_iter([("record".to_owned(), json!(kind))]);
    record.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    if let Value::Object(members) = entry {
        record.extend(members);
    }
    let text = Value::Object(record).to_string();
    format!("{}\n", escaped_as_json(&text))
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn records(report: &Report) -> Vec<Value> {
        render(report).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// All of the JSON report is there but the exchanges, each entry with its own members.
    #[test]
    fn each_entry_of_the_report_is_a_record() {
        let report = sample::full();
        let whole = serde_json::to_value(&report).unwrap();
        let records = records(&report);
        assert_eq!(records[0]["record"], "run");
        assert_eq!(records[0]["summary"], whole["summary"]);
        for (kind, list) in LISTS {
            let of_kind: Vec<&Value> = records.iter().filter(|record| record["record"] == kind).collect();
            let entries = whole.get(list).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            assert_eq!(of_kind.len(), entries.len(), "{list}");
            for (index, (record, entry)) in of_kind.into_iter().zip(entries).enumerate() {
                assert_eq!((&record["url"], &record["index"]), (&whole["target"]["url"], &json!(index)));
                for (name, value) in entry.as_object().unwrap() {
                    assert_eq!(record[name], *value, "{kind} {index}: {name}");
                }
            }
        }
        assert!(records.iter().any(|record| record["record"] == "problem"));
    }

    #[test]
    fn a_run_that_could_not_be_done_is_one_record() {
        let records = records(&sample::not_run());
        assert_eq!(records.len(), 1);
        assert!(records[0]["error"].is_object(), "{}", records[0]);
    }

    #[test]
    fn the_text_stays_the_same() {
        insta::assert_snapshot!(render(&sample::stream()));
    }
}
