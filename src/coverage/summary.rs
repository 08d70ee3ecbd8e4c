//! The matrix in a minute: how many requirements of each version are checked, where the cases are, and what is not checked and
//! why.

use std::collections::{BTreeMap, BTreeSet};

use super::markdown::{Text, escape, number};
use super::matrix::{Coverage, Part};
use super::state::State;
use crate::diagnostic::words::count;
use crate::verdict::Level;

/// The summary as Markdown.
pub(super) fn render(coverage: &Coverage) -> String {
    let mut out = Text::default();
    out.paragraph("# What is checked");
    out.paragraph(
        "How many requirements of the specifications are checked. Written by `a2aspec coverage`, not by hand. Every requirement \
         with its cases is in `a2aspec coverage --report html`.",
    );
    requirements(&mut out, coverage);
    areas(&mut out, coverage);
    rest(&mut out, coverage);
    out.0.truncate(out.0.trim_end().len());
    out.line("");
    out.0
}

fn requirements(out: &mut Text, coverage: &Coverage) {
    out.paragraph("## By version");
    out.paragraph(
        "Requirements that bind servers: how many cases check, in whole or in part, and how many there are. Requirements about \
         clients are counted apart; `a2aspec client` checks some of them.",
    );
    let levels = Level::ALL.map(|level| level.to_string());
    let heads = ["version or standard".to_owned()].into_iter().chain(levels);
    out.head(&heads.chain(["about clients", "cases"].map(str::to_owned)).collect::<Vec<_>>(), 1);
    for part in &coverage.parts {
        let checked = Level::ALL.map(|level| {
            let counts = part.summary.level(level);
            match counts.total {
                0 => String::new(),
                total => format!("{} of {total}", counts.checked + counts.partly),
            }
        });
        let rest = [number(part.client_requirements.len()), number(cases_of(part).len())];
        out.row(std::iter::once(escape(&part.title)).chain(checked).chain(rest));
    }
    out.line("");
}

/// The cases that check what a catalogue itself says.
fn cases_of(part: &Part) -> BTreeSet<&str> {
    part.requirements.iter().flat_map(|row| &row.cases).map(String::as_str).collect()
}

fn areas(out: &mut Text, coverage: &Coverage) {
    // Standards are checked in each version that builds on them.
    let is_version = |part: &&Part| part.included_by.is_empty();
    let versions: Vec<(&Part, BTreeSet<&str>)> = coverage
        .parts
        .iter()
        .filter(is_version)
        .map(|version| {
            let below = coverage.parts.iter().filter(|part| part.included_by.contains(&version.title));
            (version, below.chain([version]).flat_map(cases_of).collect())
        })
        .collect();
    let area = |case: &str| case.split('/').next().unwrap_or(case).to_owned();
    let mut areas: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for case in &coverage.cases {
        let counts = areas.entry(area(&case.id)).or_insert_with(|| vec![0; versions.len()]);
        for (count, (_, cases)) in counts.iter_mut().zip(&versions) {
            *count += usize::from(cases.contains(case.id.as_str()));
        }
    }
    out.paragraph("## By area");
    out.paragraph("Cases that the requirements of each version, and of the standards that it builds on, name.");
    let heads = std::iter::once("area".to_owned()).chain(versions.iter().map(|(part, _)| part.catalogue.clone()));
    out.head(&heads.collect::<Vec<_>>(), 1);
    areas.retain(|_, counts| counts.iter().any(|count| *count > 0));
    for (area, counts) in &areas {
        out.row(std::iter::once(escape(area)).chain(counts.iter().copied().map(number)));
    }
    let all = (0..versions.len()).map(|index| number(areas.values().map(|counts| counts[index]).sum()));
    out.row(std::iter::once("all".to_owned()).chain(all));
    out.line("");
}

fn rest(out: &mut Text, coverage: &Coverage) {
    out.paragraph("## What is not checked, and why");
    for state in State::ALL.into_iter().filter(|state| *state != State::Checked) {
        let total = coverage.summary.total_of(state);
        if total > 0 {
            let must = coverage.summary.level(Level::Must).of(state);
            let requirements = count(total, "requirement");
            out.line(&format!("- *{}*: {requirements} ({must} MUST): {};", state.title(), state.meaning()));
        }
    }
    let clients = coverage.parts.iter().map(|part| part.client_requirements.len()).sum();
    let checked: usize = coverage
        .parts
        .iter()
        .flat_map(|part| &part.client_requirements)
        .filter(|requirement| !requirement.cases.is_empty())
        .count();
    out.paragraph(&format!("- *about clients*: {}, of which cases check {checked}.", count(clients, "requirement")));
    if !coverage.equipment.is_empty() {
        out.paragraph("What it would take to check more:");
        out.equipment(&coverage.equipment);
    }
}
