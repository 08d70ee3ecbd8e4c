//! The matrix itself: a pure function of the library.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::state::{State, Summary};
use crate::case::{Binds, Case, Catalogue, CheckRef, Library, Need, Requirement};
use crate::diagnostic::words;
use crate::profile::Binding;
use crate::report::natural;
use crate::verdict::Level;

/// Which cases check which requirement, and the other way round.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Coverage {
    /// What is asked of servers, counted by level.
    pub summary: Summary,
    /// What it would take to see more.
    pub equipment: Vec<Equipment>,
    /// The versions of the protocol and the standards that they build on.
    pub parts: Vec<Part>,
    /// Every case that applies, by id.
    pub cases: Vec<CaseRow>,
}

/// Equipment that the suite does not have yet.
#[derive(Debug, Clone, Serialize)]
pub struct Equipment {
    /// What it is.
    pub need: Need,
    /// The requirements that need it, counted by level.
    pub summary: Summary,
}

/// One catalogue.
#[derive(Debug, Clone, Serialize)]
pub struct Part {
    /// Its name.
    pub catalogue: String,
    /// Its name for people.
    pub title: String,
    /// Where the text is.
    pub source: String,
    /// The titles of the catalogues that include it.
    pub included_by: Vec<String>,
    /// What it asks of servers, counted by level.
    pub summary: Summary,
    /// The same by section, each requirement under the first that states it.
    pub sections: Vec<Section>,
    /// What it asks of servers, by section.
    pub requirements: Vec<Row>,
    /// What it asks of clients, by section.
    pub client_requirements: Vec<ClientRow>,
    /// The ids that became others.
    pub renamed: Vec<Renamed>,
}

/// One section.
#[derive(Debug, Clone, Serialize)]
pub struct Section {
    /// Its number, or its name.
    pub section: String,
    /// What it asks of servers, counted by level.
    pub summary: Summary,
}

/// One requirement of servers.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// Its id.
    pub id: String,
    /// The sections that state it.
    pub section: String,
    /// How strongly.
    pub level: Level,
    /// The bindings of which it speaks; empty: all.
    pub bindings: Vec<Binding>,
    /// What it says.
    pub text: String,
    /// Where it stands.
    pub state: State,
    /// The equipment that it needs.
    pub needs: Vec<Need>,
    /// Why it cannot be seen, or not wholly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// The ids of the cases that check it.
    pub cases: Vec<String>,
    /// What of these decides it.
    pub checks: Vec<CheckRef>,
}

/// One requirement of clients, which `a2aspec client` checks.
#[derive(Debug, Clone, Serialize)]
pub struct ClientRow {
    /// Its id.
    pub id: String,
    /// The sections that state it.
    pub section: String,
    /// How strongly.
    pub level: Level,
    /// The bindings of which it speaks; empty: all.
    pub bindings: Vec<Binding>,
    /// What it says.
    pub text: String,
    /// Why it cannot be seen, or not wholly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// The ids of the cases that check it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<String>,
}

/// An id that became another.
#[derive(Debug, Clone, Serialize)]
pub struct Renamed {
    /// What it was.
    pub id: String,
    /// What it is.
    pub renamed_to: String,
}

/// One case.
#[derive(Debug, Clone, Serialize)]
pub struct CaseRow {
    /// Its id.
    pub id: String,
    /// What it checks.
    pub title: String,
    /// The bindings to which it is confined; empty: every binding.
    pub bindings: Vec<Binding>,
    /// Whether it runs over pairs of bindings.
    pub across: bool,
    /// What it asserts, by name.
    pub assertions: Vec<String>,
    /// The requirements that it checks, by id.
    pub requirements: Vec<Check>,
    /// Of a user's own case, which no catalogue names, what it says of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnRow>,
}

/// A requirement that a case checks.
#[derive(Debug, Clone, Serialize)]
pub struct Check {
    /// Its id.
    pub id: String,
    /// How strongly it is stated.
    pub level: Level,
}

/// What a user's own case says of itself.
#[derive(Debug, Clone, Serialize)]
pub struct OwnRow {
    /// How much it matters.
    pub level: Level,
    /// Where the rule stands.
    pub section: String,
}

impl Coverage {
    /// The matrix of everything that there is: of the profiles with these names, in their order, of the standards that
    /// they include, and of whatever other catalogue the library has.
    pub fn whole(library: &Library, profiles: &[&str]) -> Self {
        let mut catalogues = with_standards(library, profiles);
        for catalogue in library.catalogues.values() {
            if !catalogues.iter().any(|known| known.catalogue == catalogue.catalogue) {
                catalogues.push(catalogue);
            }
        }
        Self::of(library, &catalogues, |_| true)
    }

    /// The matrix of one profile and the standards that it includes.
    pub(crate) fn of_profile(library: &Library, profile: &str) -> Self {
        let applies = |profiles: &[String]| profiles.is_empty() || profiles.iter().any(|name| name == profile);
        Self::of(library, &with_standards(library, &[profile]), applies)
    }

    fn of(library: &Library, catalogues: &[&Catalogue], own_applies: impl Fn(&[String]) -> bool) -> Self {
        let parts: Vec<Part> = catalogues.iter().map(|catalogue| part(catalogue, catalogues)).collect();
        let rows = || parts.iter().flat_map(|part| &part.requirements);
        let mut checks: BTreeMap<&str, Vec<Check>> = BTreeMap::new();
        for row in rows() {
            for case in &row.cases {
                checks.entry(case).or_default().push(Check { id: row.id.clone(), level: row.level });
            }
        }
        for row in parts.iter().flat_map(|part| &part.client_requirements) {
            for case in &row.cases {
                checks.entry(case).or_default().push(Check { id: row.id.clone(), level: row.level });
            }
        }
        let cases = library.cases.values().filter_map(|case| {
            let own = case.own.as_ref().filter(|own| own_applies(&own.profiles));
            let own = own.map(|own| OwnRow { level: own.level, section: own.section.clone() });
            let requirements = checks.remove(case.id.as_str()).unwrap_or_default();
            (own.is_some() || !requirements.is_empty()).then(|| case_row(case, requirements, own))
        });
        Self { cases: cases.collect(), summary: summary(rows()), equipment: equipment(rows().collect()), parts }
    }
}

/// The catalogues of these profiles, and then the standards that they include, each once.
fn with_standards<'a>(library: &'a Library, profiles: &[&str]) -> Vec<&'a Catalogue> {
    let named: Vec<&Catalogue> = profiles.iter().filter_map(|profile| library.catalogues.get(*profile)).collect();
    let included = named.iter().flat_map(|catalogue| &catalogue.includes);
    let included = included.filter_map(|name| library.catalogues.get(&name.value));
    let mut seen = BTreeSet::new();
    let mut catalogues: Vec<&Catalogue> = named.iter().copied().chain(included).collect();
    catalogues.retain(|catalogue| seen.insert(catalogue.catalogue.as_str()));
    catalogues
}

fn part(catalogue: &Catalogue, all: &[&Catalogue]) -> Part {
    let is_included = |other: &&&Catalogue| other.includes.iter().any(|included| included.value == catalogue.catalogue);
    let mut requirements: Vec<&Requirement> = catalogue.current_requirements().map(AsRef::as_ref).collect();
    requirements.sort_by(|a, b| {
        let order = natural::compare(first_section(&a.section), first_section(&b.section));
        order.then_with(|| natural::compare(&a.id.value, &b.id.value))
    });
    let (clients, servers): (Vec<_>, Vec<_>) =
        requirements.into_iter().partition(|requirement| requirement.binds == Binds::Client);
    let requirements: Vec<Row> = servers.into_iter().map(row).collect();
    Part {
        catalogue: catalogue.catalogue.clone(),
        title: one_line(&catalogue.title),
        source: catalogue.source.clone(),
        included_by: all.iter().filter(is_included).map(|other| one_line(&other.title)).collect(),
        summary: summary(&requirements),
        sections: sections(&requirements),
        requirements,
        client_requirements: clients.into_iter().map(client_row).collect(),
        renamed: catalogue.requirements.iter().filter_map(|requirement| renamed(requirement)).collect(),
    }
}

fn row(requirement: &Requirement) -> Row {
    Row {
        id: requirement.id.value.clone(),
        section: requirement.section.clone(),
        level: requirement.level,
        bindings: requirement.bindings.clone(),
        text: one_line(&requirement.text),
        state: State::of(requirement),
        needs: requirement.needs.clone(),
        because: requirement.because.as_deref().map(one_line),
        cases: requirement.case_ids().into_iter().map(str::to_owned).collect(),
        checks: requirement.cases.iter().map(|check| check.value.clone()).collect(),
    }
}

fn client_row(requirement: &Requirement) -> ClientRow {
    ClientRow {
        id: requirement.id.value.clone(),
        section: requirement.section.clone(),
        level: requirement.level,
        bindings: requirement.bindings.clone(),
        text: one_line(&requirement.text),
        because: requirement.because.as_deref().map(one_line),
        cases: requirement.case_ids().into_iter().map(str::to_owned).collect(),
    }
}

fn renamed(requirement: &Requirement) -> Option<Renamed> {
    let new = requirement.renamed_to.as_ref()?;
    Some(Renamed { id: requirement.id.value.clone(), renamed_to: new.value.clone() })
}

fn case_row(case: &Case, mut requirements: Vec<Check>, own: Option<OwnRow>) -> CaseRow {
    requirements.sort_by(|a, b| natural::compare(&a.id, &b.id));
    CaseRow {
        id: case.id.clone(),
        title: one_line(&case.title),
        bindings: case.bindings.clone(),
        across: case.across,
        assertions: case.assertions(),
        requirements,
        own,
    }
}

fn summary<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Summary {
    Summary::of(rows.into_iter().map(|row| (row.level, row.state)))
}

/// The sections of rows that are in their order.
fn sections(rows: &[Row]) -> Vec<Section> {
    let groups = rows.chunk_by(|a, b| first_section(&a.section) == first_section(&b.section));
    let named = groups.filter_map(|group| Some((first_section(&group.first()?.section), group)));
    named.map(|(section, group)| Section { section: section.to_owned(), summary: summary(group) }).collect()
}

fn equipment(rows: Vec<&Row>) -> Vec<Equipment> {
    let needs: BTreeSet<Need> = rows.iter().flat_map(|row| row.needs.iter().copied()).collect();
    let those = |need: &Need| rows.iter().copied().filter(|row| row.needs.contains(need)).collect::<Vec<_>>();
    needs.into_iter().map(|need| Equipment { need, summary: summary(those(&need)) }).collect()
}

/// The section under which a requirement is listed: the first of those that state it.
fn first_section(sections: &str) -> &str {
    sections.split(',').next().unwrap_or(sections).trim()
}

/// A text of a catalogue, as wide as it comes.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Row {
    /// What is to be said beside its cases: nothing where they check the whole of it.
    pub(crate) fn remark(&self) -> String {
        let mut said = Vec::new();
        if !matches!(self.state, State::Checked | State::NeedsEquipment) {
            said.push(self.state.title().to_owned());
        }
        if !self.needs.is_empty() {
            said.push(format!("needs {}", words::join(&self.needs)));
        }
        let said = said.join("; ");
        match &self.because {
            Some(because) if said.is_empty() => because.clone(),
            Some(because) => format!("{said}: {because}"),
            None => said,
        }
    }
}

/// The bindings of which something speaks, for people; nothing where it speaks of all.
pub(super) fn over(bindings: &[Binding]) -> String {
    words::join(bindings)
}

impl CaseRow {
    /// What it runs over, for people.
    pub(super) fn runs_over(&self) -> String {
        match (self.across, self.bindings.is_empty()) {
            (false, true) => "each binding".to_owned(),
            (false, false) => over(&self.bindings),
            (true, true) => "each pair of bindings".to_owned(),
            (true, false) => format!("pairs of {}", over(&self.bindings)),
        }
    }

    /// Of a user's own case, by which rule it goes, for people.
    pub(super) fn own_rule(&self) -> Option<String> {
        let own = self.own.as_ref()?;
        let section = if own.section.is_empty() { String::new() } else { format!(", section {}", own.section) };
        Some(format!("a case of your own ({}{section})", own.level))
    }
}
