//! Many agents side by side: by areas and requirements, with the history of those that were checked more than once.
//!
//! Enter: JSON reports, one after the other, so that no more than one is held at a time. Leaves: a [`Matrix`], for people as a page
//! or a text, and as JSON for programs. Nothing is judged here: each verdict is that of the report it comes from.

mod html;
mod names;
mod outcome;
mod read;
mod text;
mod trend;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub(crate) use html::render as html;
pub(crate) use outcome::Condition;
pub(crate) use text::render as text;

use crate::diagnostic::words::count;
use crate::report::conformance::{Conformance, by_version};
use crate::report::model::{Counts, Tool};
use crate::report::natural;
use crate::report::saved::SavedError;
use crate::verdict::{Level, Verdict};

/// The version of the JSON form: it grows when what was there means something else, or is no longer there.
const SCHEMA_VERSION: u32 = 1;

/// The JSON schema of the JSON form (draft 2020-12).
pub(crate) const SCHEMA: &str = include_str!("../../schemas/matrix.schema.json");

/// Agents side by side. `schemas/matrix.schema.json` describes its JSON.
#[derive(Debug, Serialize)]
pub(crate) struct Matrix {
    schema_version: u32,
    tool: Tool,
    /// The agents, by name.
    agents: Vec<Agent>,
    /// Only requirements for which all of these hold are in it.
    #[serde(rename = "where", skip_serializing_if = "Vec::is_empty")]
    conditions: Vec<outcome::Kept>,
    /// Every requirement that was checked on one of them.
    requirements: Vec<Requirement>,
    /// How many requirements there were before some were left out.
    #[serde(skip)]
    all: usize,
    /// What all agents come to, in one sentence.
    #[serde(skip)]
    conclusion: String,
}

/// An agent.
#[derive(Debug, Serialize)]
struct Agent {
    name: String,
    /// The name by which it is shown, which no other agent has.
    label: String,
    /// The URL of its newest run.
    url: String,
    /// Whether the user gave the name.
    #[serde(skip)]
    is_named: bool,
    /// Its runs, the newest first.
    runs: Vec<Run>,
    /// Why it could not be checked, where there is no run.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_checked: Option<String>,
}

/// A run.
#[derive(Debug, Serialize)]
struct Run {
    /// Where its JSON report is.
    file: String,
    /// Where its page is, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
    started: String,
    /// The version of the program that made it.
    made_by: String,
    /// Whether the gate passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    gate: Option<String>,
    counts: Counts,
    /// How many MUST requirements are violated.
    must_violations: usize,
    /// What was shown of each part of each version, where every case was run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conformance: Vec<Conformance>,
    /// The verdicts of each area, counted.
    areas: BTreeMap<String, Area>,
    /// The requirements that are violated and were not in the run before, where there is one.
    newly_violated: Vec<String>,
    /// Those that were violated in the run before, and are not.
    fixed: Vec<String>,
    /// The requirements, by their place in the list of all.
    #[serde(skip)]
    verdicts: BTreeMap<usize, Verdict>,
    #[serde(skip)]
    url: String,
}

/// What one area of an agent came to.
#[derive(Debug, Default, Serialize)]
struct Area {
    #[serde(flatten)]
    counts: Counts,
    /// The worst of it, but for what does not apply.
    worst: Option<Verdict>,
    versions: BTreeSet<String>,
    levels: BTreeSet<Level>,
}

/// A requirement.
#[derive(Debug, Serialize)]
struct Requirement {
    id: String,
    version: String,
    section: String,
    level: Level,
    text: String,
    areas: BTreeSet<String>,
    /// What it came to in the newest run of each agent, in the order of these; nothing where it was not checked.
    verdicts: Vec<Option<Verdict>>,
}

/// A report that was written to a file.
pub(crate) struct Source<'a> {
    /// What the agent is called here, where not as its card says.
    pub name: Option<&'a str>,
    /// The file.
    pub file: &'a str,
    /// How the matrix leads to it.
    pub link: String,
    /// Where a page that shows the same is, if there is one.
    pub page: Option<String>,
    /// What the file says.
    pub text: &'a str,
}

/// Reports that come in one after the other.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    agents: BTreeMap<(String, String), Agent>,
    requirements: Vec<Requirement>,
    known: BTreeMap<(String, String), usize>,
}

impl Builder {
    /// Takes a report. Reports of the same name and URL are runs of one agent, and so are those to which the user gave one name.
    ///
    /// # Errors
    /// The text is no report, or is of another version.
    pub(crate) fn add(&mut self, source: Source<'_>) -> Result<(), SavedError> {
        let saved = read::read(source.file, source.text)?;
        let url = saved.target.url;
        let name = source.name.map(str::to_owned).or(saved.target.name).unwrap_or_else(|| url.clone());
        self.agent(name.clone(), url.clone()).is_named |= source.name.is_some();
        if let Some(error) = &saved.error {
            self.not_checked(&name, &url, &error.message);
            return Ok(());
        }
        let mut areas: BTreeMap<String, Area> = BTreeMap::new();
        let mut counts = Counts::default();
        for trial in &saved.results {
            counts.count(trial.verdict);
            areas.entry(trial.area().to_owned()).or_default().count(trial);
        }
        let verdicts = saved.requirements.into_iter().map(|requirement| {
            let verdict = requirement.verdict;
            (self.place(requirement), verdict)
        });
        let verdicts = verdicts.collect();
        let run = Run {
            file: source.link,
            page: source.page,
            started: saved.started,
            made_by: saved.tool.version,
            gate: saved.gate.map(|gate| gate.outcome),
            counts,
            must_violations: 0,
            conformance: saved.conformance,
            areas,
            newly_violated: Vec::new(),
            fixed: Vec::new(),
            verdicts,
            url: url.clone(),
        };
        self.agent(name, url).runs.push(run);
        Ok(())
    }

    /// Takes an agent that could not be checked.
    pub(crate) fn not_checked(&mut self, name: &str, url: &str, reason: &str) {
        self.agent(name.to_owned(), url.to_owned()).not_checked = Some(reason.to_owned());
    }

    fn agent(&mut self, name: String, url: String) -> &mut Agent {
        let key = (name.clone(), url.clone());
        self.agents.entry(key).or_insert_with(|| Agent {
            name,
            label: String::new(),
            url,
            is_named: false,
            runs: Vec::new(),
            not_checked: None,
        })
    }

    fn place(&mut self, found: read::Requirement) -> usize {
        let read::Requirement { id, profile: version, section, level, text, cases, .. } = found;
        let areas = cases.iter().map(|case| read::area(case).to_owned());
        let key = (version.clone(), id.clone());
        if let Some(place) = self.known.get(&key) {
            self.requirements[*place].areas.extend(areas);
            return *place;
        }
        let areas = areas.collect();
        let place = self.requirements.len();
        self.requirements.push(Requirement { id, version, section, level, text, areas, verdicts: Vec::new() });
        self.known.insert(key, place);
        place
    }

    /// What all of them come to.
    pub(crate) fn finish(self) -> Matrix {
        let Self { agents, mut requirements, .. } = self;
        let mut agents = names::joined(agents.into_values());
        for agent in &mut agents {
            // Times of RFC 3339 in UTC are in order as texts.
            agent.runs.sort_by(|one, other| other.started.cmp(&one.started));
            if let Some(run) = agent.runs.first() {
                agent.url.clone_from(&run.url);
            }
            agent.compare(&requirements);
        }
        names::distinguish(&mut agents);
        for (place, requirement) in requirements.iter_mut().enumerate() {
            let newest =
                agents.iter().map(|agent| agent.runs.first().and_then(|run| run.verdicts.get(&place)).copied());
            requirement.verdicts = newest.collect();
        }
        // What only older runs have checked is history.
        requirements.retain(|requirement| requirement.verdicts.iter().any(Option::is_some));
        requirements.sort_by(|one, other| {
            let newest = natural::compare(&other.version, &one.version);
            newest.then_with(|| natural::compare(&one.id, &other.id))
        });
        let (all, conclusion) = (requirements.len(), conclusion(&agents, &requirements));
        let tool = Tool::default();
        Matrix { schema_version: SCHEMA_VERSION, tool, agents, conditions: Vec::new(), requirements, all, conclusion }
    }
}

impl Area {
    fn count(&mut self, trial: &read::Trial) {
        self.counts.count(trial.verdict);
        // What does not apply is not bad.
        self.worst = match (self.worst, trial.verdict) {
            (Some(worst), Verdict::Skipped) => Some(worst),
            (None | Some(Verdict::Skipped), verdict) => Some(verdict),
            (Some(worst), verdict) => Some(worst.max(verdict)),
        };
        self.versions.insert(trial.profile.clone());
        self.levels.insert(trial.level);
    }
}

impl Run {
    /// The day on which it began.
    fn day(&self) -> &str {
        self.started.split('T').next().unwrap_or_default()
    }
}

impl Agent {
    /// Counts what each run violates, and compares it with the run before.
    fn compare(&mut self, requirements: &[Requirement]) {
        let is_must = |place: &usize| requirements.get(*place).is_some_and(|found| found.level == Level::Must);
        for run in &mut self.runs {
            let failing = run.verdicts.iter().filter(|(_, verdict)| **verdict == Verdict::Fail);
            run.must_violations = failing.filter(|(place, _)| is_must(place)).count();
        }
        let violated = self.runs.iter().map(|run| {
            let violated = run.verdicts.iter().filter(|(_, verdict)| is_violated(**verdict));
            violated.map(|(place, _)| *place).collect::<BTreeSet<usize>>()
        });
        let violated: Vec<BTreeSet<usize>> = violated.collect();
        let name = |place: &usize| requirements.get(*place).map(|requirement| requirement.id.clone());
        for (index, run) in self.runs.iter_mut().enumerate() {
            let (Some(now), Some(before)) = (violated.get(index), violated.get(index + 1)) else { continue };
            run.newly_violated = now.difference(before).filter_map(name).collect();
            // What is no longer tested is not fixed.
            let is_seen = |place: &&usize| {
                run.verdicts.get(*place).is_some_and(|verdict| matches!(verdict, Verdict::Pass | Verdict::Note))
            };
            run.fixed = before.difference(now).filter(is_seen).filter_map(name).collect();
        }
    }
}

/// Whether an agent with this verdict violates what a requirement demands.
fn is_violated(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Fail | Verdict::Warn)
}

/// What they come to, in one sentence.
fn conclusion(agents: &[Agent], requirements: &[Requirement]) -> String {
    let violates = |place: usize| {
        let verdicts = requirements.iter().filter_map(|requirement| requirement.verdicts.get(place));
        verdicts.into_iter().any(|verdict| *verdict == Some(Verdict::Fail))
    };
    let checked = agents.iter().enumerate().filter(|(_, agent)| !agent.runs.is_empty());
    let (wrong, right): (Vec<_>, Vec<_>) = checked.partition(|(place, _)| violates(*place));
    let unknown = agents.len() - wrong.len() - right.len();
    let all = count(agents.len(), "agent");
    let unchecked = if unknown > 0 { format!("; {unknown} could not be checked") } else { String::new() };
    format!("Of {all}, {} violated a MUST in the newest run, and {} did not{unchecked}.", wrong.len(), right.len())
}

impl Matrix {
    /// For programs.
    pub(crate) fn json(&self) -> String {
        // Writing to memory cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The newest run of each agent that was checked.
    fn newest(&self) -> impl Iterator<Item = (&Agent, &Run)> {
        self.agents.iter().filter_map(|agent| Some((agent, agent.runs.first()?)))
    }

    /// What the newest run of each agent has shown of each part: a row for each agent and version.
    fn conformance<'m>(&'m self) -> impl Iterator<Item = (&'m Agent, &'m str, Vec<&'m Conformance>)> {
        let rows = |(agent, run): (_, &'m Run)| {
            by_version(&run.conformance).into_iter().map(move |(version, row)| (agent, version, row))
        };
        self.newest().flat_map(rows)
    }

    /// Every area that was checked on one of the agents, and for which the conditions hold.
    fn areas(&self) -> BTreeSet<&str> {
        let all: BTreeSet<&str> = self.newest().flat_map(|(_, run)| run.areas.keys().map(String::as_str)).collect();
        all.into_iter().filter(|area| self.keeps_area(area)).collect()
    }
}

#[cfg(test)]
mod tests;
