//! What was read by hand against what the suite says.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::expected::{Deviation, Expected, Quote};
use crate::report::{Exchange, Outcome, Report};

/// The most that is shown of one side of an exchange.
const SHOWN: usize = 600;

/// In what a report differs from what is expected, for people to read; nothing if it does not.
pub fn between(expected: &Expected, report: &Report) -> Option<String> {
    let mut text = String::new();
    for outcome in &report.results {
        let known = expected.findings.iter().find(|finding| finding.case == outcome.case);
        match (outcome.verdict.as_str(), known) {
            ("fail" | "warn" | "note", Some(known)) => compare(&mut text, known, outcome, report),
            ("fail" | "warn" | "note", None) => too_many(&mut text, outcome, report),
            ("unreached" | "broken", _) if excused(expected, outcome) => {}
            ("unreached" | "broken", _) => {
                let reason = outcome.reason.as_deref().unwrap_or("no reason given");
                let _ = writeln!(text, "\nNOT JUDGED  {} is {}: {reason}", outcome.case, outcome.verdict);
            }
            _ => {}
        }
    }
    too_few(&mut text, expected, report);
    (!text.is_empty()).then(|| {
        format!(
            "{text}\nRead each against the specification before you change either: tests/real/README.md tells how.\n"
        )
    })
}

fn excused(expected: &Expected, outcome: &Outcome) -> bool {
    expected.untested.iter().any(|known| known.case == outcome.case && known.verdict == outcome.verdict)
}

fn compare(text: &mut String, known: &Deviation, outcome: &Outcome, report: &Report) {
    let mut differ = |what: &str, expected: &str, came: &str| {
        if expected != came {
            let _ = writeln!(text, "\nDIFFERENT   {}: the {what} is {came:?}, not {expected:?}", known.case);
        }
    };
    differ("verdict", &known.verdict, &outcome.verdict);
    differ("level", &known.level, &outcome.level);
    differ("list of sections", &sorted(known.section.split(", ")), &sorted(outcome.section.split(", ")));
    let [expected, came] =
        [&known.requirements, &outcome.requirements].map(|ids| sorted(ids.iter().map(String::as_str)));
    differ("list of requirements", &expected, &came);
    let quoted = |exchange: &Exchange| {
        Quote::is_in(&known.exchange.sent, &exchange.sent()) && Quote::is_in(&known.exchange.came, &exchange.came())
    };
    if !report.cited(outcome).any(quoted) {
        let _ = writeln!(text, "\nDIFFERENT   {}: the quoted exchange is none of those that prove it", known.case);
        evidence(text, outcome, report);
    }
}

/// A list whose order means nothing.
fn sorted<'a>(items: impl Iterator<Item = &'a str>) -> String {
    items.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
}

fn too_many(text: &mut String, outcome: &Outcome, report: &Report) {
    let Outcome { case, verdict, level, section, requirements, .. } = outcome;
    let _ = writeln!(text, "\nTOO MANY    {case}: {verdict} ({level}, {section}; {})", requirements.join(", "));
    evidence(text, outcome, report);
}

fn too_few(text: &mut String, expected: &Expected, report: &Report) {
    let outcome = |case: &str| report.results.iter().find(|outcome| outcome.case == case);
    for known in &expected.findings {
        let now = match outcome(&known.case) {
            Some(outcome) if matches!(outcome.verdict.as_str(), "fail" | "warn" | "note" | "unreached" | "broken") => {
                continue;
            }
            Some(outcome) => outcome.verdict.as_str(),
            None => "not there",
        };
        let _ =
            writeln!(text, "\nTOO FEW     {} is {now}, and was {}: {}", known.case, known.verdict, known.why.trim());
    }
    for known in &expected.untested {
        if outcome(&known.case).is_none_or(|outcome| outcome.verdict != known.verdict) {
            let _ = writeln!(text, "\nTOO FEW     {} is no longer {}: {}", known.case, known.verdict, known.why.trim());
        }
    }
}

fn evidence(text: &mut String, outcome: &Outcome, report: &Report) {
    for finding in &outcome.findings {
        let _ = writeln!(text, "  {}", finding.message);
        for (name, value) in [("expected", &finding.expected), ("came", &finding.actual)] {
            if let Some(value) = value {
                let _ = writeln!(text, "    {name}: {value}");
            }
        }
    }
    for exchange in report.cited(outcome) {
        for (mark, side) in [(">", exchange.sent()), ("<", exchange.came())] {
            for line in shortened(&side).lines() {
                let _ = writeln!(text, "  {mark} {line}");
            }
        }
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} ...", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}
