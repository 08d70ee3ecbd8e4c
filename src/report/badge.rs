//! The report as a badge: the JSON that badge services read from a URL (the `endpoint` of shields).
//!
//! ```text
//! {"schemaVersion":1,"label":"A2A 1.0","message":"3 MUST violated","color":"red"}
//! ```
//!
//! A badge says what was seen, whatever a list of known failures lets pass. Green is only a run that came to its end, and tested as
//! much as was asked for.

use std::collections::BTreeSet;

use serde_json::json;

use super::conformance::{Outcome, Part};
use super::gate::{FailOn, Gate};
use super::model::{Counts, Report};
use super::natural;
use crate::diagnostic::words::count_as;
use crate::verdict::{Level, Verdict};

/// The badge, on one line.
pub(crate) fn render(report: &Report) -> String {
    written(&label(report), said(report))
}

fn written(label: &str, (message, color): (String, &str)) -> String {
    let badge = json!({ "schemaVersion": 1, "label": label, "message": message, "color": color });
    format!("{badge}\n")
}

/// The badge of a part, on one line. Of several versions, the worst counts.
pub(crate) fn of_part(report: &Report, part: Part) -> String {
    let shown = report.conformance.iter().filter(|shown| shown.part == part).min_by_key(|shown| shown.outcome);
    let said = match shown {
        None if report.error.is_some() => ("not checked".to_owned(), "lightgrey"),
        None => ("not checked to the end".to_owned(), "lightgrey"),
        Some(shown) => match shown.outcome {
            Outcome::NotConformant => (format!("{} MUST violated", shown.violated.len()), "red"),
            Outcome::NotShown => (format!("{} MUST not tested", shown.untested.len()), "yellow"),
            Outcome::Conformant => ("conformant".to_owned(), "brightgreen"),
            Outcome::NotDeclared => ("not declared".to_owned(), "lightgrey"),
        },
    };
    written(&format!("{} {}", label(report), part.name()), said)
}

/// The versions that were checked.
fn label(report: &Report) -> String {
    let versions: BTreeSet<&str> = report.results.iter().map(|result| result.profile.as_str()).collect();
    let mut versions: Vec<&str> = versions.into_iter().collect();
    versions.sort_by(|a, b| natural::compare(a, b));
    match versions.is_empty() {
        true => "A2A".to_owned(),
        false => format!("A2A {}", versions.join(", ")),
    }
}

fn said(report: &Report) -> (String, &'static str) {
    let violated = |level: Level| {
        let is_broken = |verdict: Verdict| verdict == Verdict::broken_at(level);
        let rules = report.requirements.iter().filter(|rule| rule.weight() == level && is_broken(rule.verdict)).count();
        // Cases of the user's own may stand for no requirement.
        rules.max(usize::from(report.results.iter().any(|result| is_broken(result.verdict))))
    };
    let gate = report.gate.as_ref().map_or_else(|| report.gate(FailOn::Never), |gate| gate.outcome);
    let (must, should) = (violated(Level::Must), violated(Level::Should));
    let flaky = report.summary.sum(|counts| counts.flaky);
    let tested = report.summary.sum(Counts::tested);
    match gate {
        _ if must > 0 => (format!("{must} MUST violated"), "red"),
        _ if report.error.is_some() => ("not checked".to_owned(), "lightgrey"),
        Gate::Unreachable | Gate::Broken | Gate::Interrupted | Gate::Unusable => {
            ("not checked to the end".to_owned(), "lightgrey")
        }
        _ if tested == 0 => ("not tested".to_owned(), "lightgrey"),
        _ if should > 0 => (format!("{should} SHOULD violated"), "orange"),
        _ if report.gate.as_ref().is_some_and(|gate| gate.too_few.is_some()) => {
            ("too little tested".to_owned(), "yellow")
        }
        _ if flaky > 0 => (format!("{flaky} flaky"), "yellow"),
        Gate::Fails => ("the gate fails".to_owned(), "red"),
        Gate::Passes => (count_as(tested, "case passes", "cases pass"), "brightgreen"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Stopped;
    use crate::report::gate::Threshold;
    use crate::report::model::Summary;
    use crate::report::sample;
    use crate::verdict::TrialResult;

    /// The badge of a report with one result that came out like this.
    fn badge(verdict: Verdict, change: impl Fn(&mut Report)) -> String {
        let mut report = sample::stream();
        report.results = vec![TrialResult { verdict, ..report.results[0].clone() }];
        report.requirements.iter_mut().for_each(|rule| rule.verdict = verdict);
        report.summary = Summary::of(&report.results);
        report.gate = None;
        change(&mut report);
        let badge: serde_json::Value = serde_json::from_str(&render(&report)).unwrap();
        assert_eq!((&badge["schemaVersion"], &badge["label"]), (&json!(1), &json!("A2A 1.0")));
        format!("{}: {}", badge["color"].as_str().unwrap(), badge["message"].as_str().unwrap())
    }

    #[test]
    fn green_is_only_what_was_seen_to_be_right() {
        let nothing = |_: &mut Report| {};
        assert_eq!(badge(Verdict::Pass, nothing), "brightgreen: 1 case passes");
        assert_eq!(badge(Verdict::Fail, nothing), "red: 1 MUST violated");
        assert_eq!(badge(Verdict::Flaky, nothing), "yellow: 1 flaky");
        assert_eq!(badge(Verdict::Unreached, nothing), "lightgrey: not tested");
        assert_eq!(badge(Verdict::Broken, nothing), "lightgrey: not checked to the end");
        let should = |report: &mut Report| {
            report.results[0].level = Level::Should;
            report.requirements[0].level = Level::Should;
        };
        assert_eq!(badge(Verdict::Warn, should), "orange: 1 SHOULD violated");
        let stopped = |report: &mut Report| report.stopped = Some(Stopped::Interrupted);
        assert_eq!(badge(Verdict::Pass, stopped), "lightgrey: not checked to the end");
        assert_eq!(badge(Verdict::Fail, stopped), "red: 1 MUST violated");
        let few = |report: &mut Report| {
            let threshold = Threshold { min_tested: Some("2".parse().unwrap()), ..FailOn::Must.into() };
            report.conclude(threshold, |_| 1);
        };
        assert_eq!(badge(Verdict::Pass, few), "yellow: too little tested");
    }
}
