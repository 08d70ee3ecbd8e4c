//! What was read by hand against what the suite says.

use std::fmt::Write as _;

use super::expected::{Deviation, Expected, Quote, Untested};
use super::report::{Exchange, Interface, Outcome, Problem, Report};

/// The most that is shown of one side of an exchange.
const SHOWN: usize = 600;

/// How many problems a report may tell for a hundred causes.
const MOST_TOLD: usize = 120;

/// In what a report differs from what is expected, for people to read; nothing if it does not.
pub fn between(expected: &Expected, report: &Report) -> Option<String> {
    let mut text = String::new();
    for interface in &report.target.interfaces {
        other_profile(&mut text, expected, interface);
    }
    for outcome in &report.results {
        let known = expected.finding(&outcome.case, &outcome.binding);
        match (outcome.verdict.as_str(), known) {
            ("fail" | "warn" | "note", Some((known, quote))) => compare(&mut text, known, quote, outcome, report),
            ("fail" | "warn" | "note", None) => too_many(&mut text, outcome, report),
            ("unreached" | "broken", _) if excused(expected, outcome) => {}
            ("unreached" | "broken", _) => {
                let Outcome { case, binding, verdict, reason, .. } = outcome;
                let reason = reason.as_deref().unwrap_or("no reason given");
                let _ = writeln!(text, "\nNOT JUDGED  {case} over {binding} is {verdict}: {reason}");
            }
            _ => {}
        }
    }
    too_few(&mut text, expected, report);
    unproven(&mut text, report);
    told_often(&mut text, expected, report);
    (!text.is_empty()).then(|| {
        format!(
            "{text}\nRead each against the specification before you change either: tests/real/README.md tells how.\n"
        )
    })
}

/// A cause that is told again and again is noise.
fn told_often(text: &mut String, expected: &Expected, report: &Report) {
    let is_told = |problem: &&Problem| matches!(problem.verdict.as_str(), "fail" | "warn");
    let (told, causes) = (report.problems.iter().filter(is_told).count(), expected.causes());
    if told * 100 > causes * MOST_TOLD {
        let _ = writeln!(text, "\nTOLD OFTEN  {told} problems tell {causes} causes");
    }
}

fn other_profile(text: &mut String, expected: &Expected, interface: &Interface) {
    let Interface { binding, version, profile } = interface;
    if profile.as_ref() != Some(&expected.profile) {
        let by = profile.as_deref().unwrap_or("none");
        let wanted = &expected.profile;
        let _ = writeln!(text, "\nDIFFERENT   {binding} {version} was checked by the profile {by}, not {wanted}");
    }
}

fn excused(expected: &Expected, outcome: &Outcome) -> bool {
    let is_this = |known: &Untested| known.case == outcome.case && known.verdict == outcome.verdict;
    expected.untested.iter().any(|known| is_this(known) && known.bindings.contains(&outcome.binding))
}

fn compare(text: &mut String, known: &Deviation, quote: &Quote, outcome: &Outcome, report: &Report) {
    let Outcome { case, binding, .. } = outcome;
    let mut differ = |what: &str, expected: &str, came: &str| {
        if expected != came {
            let _ = writeln!(text, "\nDIFFERENT   {case} over {binding}: the {what} is {came:?}, not {expected:?}");
        }
    };
    differ("verdict", &known.verdict, &outcome.verdict);
    differ("level", &known.level, &outcome.level);
    // A case may be about more than what this agent breaks of it.
    let mut lacks = |what: &str, named: &mut dyn Iterator<Item = &str>, all: &[&str]| {
        for missing in named.filter(|one| !all.contains(one)) {
            let all = all.join(", ");
            let _ = writeln!(text, "\nDIFFERENT   {case} over {binding}: {missing} is no {what} of it; it has {all}");
        }
    };
    lacks("section", &mut known.section.split(", "), &outcome.section.split(", ").collect::<Vec<_>>());
    let violated =
        report.requirements.iter().filter(|one| one.is_violated() && one.violations_in(outcome).next().is_some());
    let requirements: Vec<&str> = violated.map(|requirement| requirement.id.as_str()).collect();
    lacks("violated requirement", &mut known.requirements.iter().map(String::as_str), &requirements);
    let quoted = |exchange: &Exchange| {
        Quote::is_in(&quote.sent, &exchange.sent()) && Quote::is_in(&quote.came, &exchange.came())
    };
    if !report.cited(outcome).any(quoted) {
        let _ = writeln!(text, "\nDIFFERENT   {case} over {binding}: the quoted exchange is none that proves it");
        evidence(text, outcome, report);
    }
}

fn too_many(text: &mut String, outcome: &Outcome, report: &Report) {
    let Outcome { case, binding, verdict, level, section, requirements, .. } = outcome;
    let requirements = requirements.join(", ");
    let _ = writeln!(text, "\nTOO MANY    {case} over {binding}: {verdict} ({level}, {section}; {requirements})");
    evidence(text, outcome, report);
}

fn too_few(text: &mut String, expected: &Expected, report: &Report) {
    let verdict = |case: &str, binding: &str| {
        let outcome = report.results.iter().find(|outcome| outcome.case == case && outcome.binding == binding);
        outcome.map_or("not there", |outcome| outcome.verdict.as_str())
    };
    for known in &expected.findings {
        let Deviation { case, verdict: was, why, unsteady, .. } = known;
        for binding in known.exchanges.keys() {
            let now = verdict(case, binding);
            let is_there = matches!(now, "fail" | "warn" | "note" | "unreached" | "broken");
            if !(is_there || *unsteady && now == "pass") {
                let _ = writeln!(text, "\nTOO FEW     {case} over {binding} is {now}, and was {was}: {}", why.trim());
            }
        }
    }
    for Untested { case, verdict: was, bindings, why, unsteady } in &expected.untested {
        for binding in bindings {
            let now = verdict(case, binding);
            if now != was && !(*unsteady && now == "pass") {
                let _ = writeln!(text, "\nTOO FEW     {case} over {binding} is no longer {was}: {}", why.trim());
            }
        }
    }
}

/// A requirement that is said to be violated is violated by a finding of one of its assertions, whose exchange is there to
/// be read.
fn unproven(text: &mut String, report: &Report) {
    for requirement in report.requirements.iter().filter(|requirement| requirement.is_violated()) {
        let is_shown = report
            .results
            .iter()
            .flat_map(|outcome| requirement.violations_in(outcome))
            .any(|finding| report.exchanges.iter().any(|exchange| Some(exchange.id()) == finding.exchange));
        if !is_shown {
            let _ =
                writeln!(text, "\nUNPROVEN    {} is {}, which no exchange shows", requirement.id, requirement.verdict);
        }
    }
}

fn evidence(text: &mut String, outcome: &Outcome, report: &Report) {
    for finding in &outcome.findings {
        let _ = writeln!(text, "  {}", finding.message);
        for (name, value) in [("expected", &finding.expected), ("received", &finding.received)] {
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
