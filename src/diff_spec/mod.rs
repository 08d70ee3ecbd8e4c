//! What changes between two versions, for whoever writes an agent.
//!
//! Enters: two profiles and the library. Leaves: a [`Comparison`], made of nothing but their data, so that it says what
//! the suite goes by. Each topic is a table of both versions, held against the other line by line (`facts`); what is
//! demanded is compared by the cases, since these are what versions have in common.

mod facts;

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use crate::case::Library;
use crate::profile::Profile;
use crate::verdict::Level;

/// Columns; what does not fit goes on lines of its own.
const WIDTH: usize = 100;

/// A table: what something is called in the vocabulary of the cases, or on the wire, and how a version has it.
type Table = BTreeMap<String, String>;

/// What changes from one version to another.
#[derive(Debug)]
pub struct Comparison {
    /// Name of the version that one comes from.
    pub from: String,
    /// Name of the version that one goes to.
    pub to: String,
    /// What changes, by topic. A topic without changes is not there.
    pub topics: Vec<Topic>,
}

/// The changes in one matter.
#[derive(Debug)]
pub struct Topic {
    /// What it is about.
    pub title: &'static str,
    /// The changes, in the order of their names.
    pub changes: Vec<Change>,
}

/// One change.
#[derive(Debug, PartialEq, Eq)]
pub struct Change {
    /// What changes.
    pub name: String,
    /// How the older one has it; nothing where it has not.
    pub before: Option<String>,
    /// How the newer one has it; nothing where it has not.
    pub after: Option<String>,
}

/// Compares two versions.
pub fn between(from: &Profile, to: &Profile, library: &Library) -> Comparison {
    let mut topics: Vec<Topic> = facts::TOPICS
        .iter()
        .map(|(title, table)| Topic { title, changes: changes(&table(from, to), &table(to, from)) })
        .collect();
    topics.push(Topic { title: "What is demanded", changes: changes(&demands(from, library), &demands(to, library)) });
    topics.retain(|topic| !topic.changes.is_empty());
    Comparison { from: from.name().to_owned(), to: to.name().to_owned(), topics }
}

/// What a version demands, by the cases that check it: level and title.
fn demands(profile: &Profile, library: &Library) -> Table {
    let mut levels: BTreeMap<&str, Level> = BTreeMap::new();
    for check in library.checks(profile.name()) {
        let level = levels.entry(check.case.id.as_str()).or_insert(check.requirement.level);
        *level = check.requirement.level.min(*level);
    }
    let demand =
        |(id, level): (&str, Level)| Some((id.to_owned(), format!("{level}: {}", library.cases.get(id)?.title)));
    levels.into_iter().filter_map(demand).collect()
}

fn changes(before: &Table, after: &Table) -> Vec<Change> {
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort();
    names.dedup();
    let change = |name: &String| Change {
        name: name.clone(),
        before: before.get(name).cloned(),
        after: after.get(name).cloned(),
    };
    names.into_iter().map(change).filter(|change| change.before != change.after).collect()
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "From A2A {} to A2A {}", self.from, self.to)?;
        for Topic { title, changes } in &self.topics {
            let mut text = String::new();
            for Change { name, before, after } in changes {
                match (before, after) {
                    (None, Some(after)) => writeln!(text, "  new      {name}: {after}")?,
                    (Some(before), None) => writeln!(text, "  gone     {name}: {before}")?,
                    (before, after) => {
                        let [before, after] = [before, after].map(|side| side.as_deref().unwrap_or("nothing"));
                        let one_line = format!("  changed  {name}: {before} -> {after}");
                        match one_line.chars().count() {
                            ..=WIDTH => writeln!(text, "{one_line}")?,
                            _ => writeln!(text, "  changed  {name}:\n             {before}\n          -> {after}")?,
                        }
                    }
                }
            }
            write!(f, "\n{title}\n{text}")?;
        }
        match self.topics.is_empty() {
            true => writeln!(f, "\nnothing changes"),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::judge::oracle;
    use crate::profile;

    fn comparison(from: &str, to: &str) -> Comparison {
        let profiles = profile::bundled().unwrap();
        let known: Vec<&Profile> = profiles.iter().map(AsRef::as_ref).collect();
        let library = Library::load(None, &known, &oracle::all()).unwrap();
        let [from, to] = [from, to].map(|name| *known.iter().find(|profile| profile.name() == name).unwrap());
        between(from, to, &library)
    }

    fn change<'a>(comparison: &'a Comparison, topic: &str, name: &str) -> Option<(Option<&'a str>, Option<&'a str>)> {
        let topic = comparison.topics.iter().find(|known| known.title == topic)?;
        let change = topic.changes.iter().find(|change| change.name == name)?;
        Some((change.before.as_deref(), change.after.as_deref()))
    }

    #[test]
    fn what_changed_between_0_3_and_1_0() {
        let comparison = comparison("0.3", "1.0");
        let has = |topic: &str, name: &str| change(&comparison, topic, name);
        assert_eq!(has("Methods of JSON-RPC", "GetTask"), Some((Some("tasks/get"), Some("GetTask"))));
        assert_eq!(has("Methods of JSON-RPC", "ListTasks"), Some((None, Some("ListTasks"))));
        assert_eq!(
            has("Routes of HTTP+JSON", "CancelTask").and_then(|(before, _)| before),
            Some("POST /v1/tasks/{id}:cancel")
        );
        assert_eq!(
            has("Values in JSON", "TASK_STATE_INPUT_REQUIRED"),
            Some((Some("input-required"), Some("TASK_STATE_INPUT_REQUIRED")))
        );
        assert_eq!(has("Members in JSON", "Message.kind"), Some((Some("required"), None)));
        // One wire type, two canonical ones; only the tenant is new.
        assert_eq!(has("Members in JSON", "CancelTaskRequest.id"), None);
        assert_eq!(has("Members in JSON", "SubscribeToTaskRequest.id"), None);
        assert_eq!(has("Errors", "VersionNotSupportedError").map(|(before, _)| before), Some(None));
        assert!(has("What is demanded", "list/last-page-token").unwrap().1.unwrap().starts_with("MUST: "));
        // What both demand alike is no change.
        assert_eq!(has("What is demanded", "get/existing"), None);
    }

    #[test]
    fn a_version_does_not_differ_from_itself() {
        let comparison = comparison("1.0", "1.0");
        assert!(comparison.topics.is_empty(), "{comparison}");
        assert_eq!(comparison.to_string(), "From A2A 1.0 to A2A 1.0\n\nnothing changes\n");
    }

    #[test]
    fn the_way_back_is_the_same_turned_round() {
        let (there, back) = (comparison("0.3", "1.0"), comparison("1.0", "0.3"));
        let count =
            |comparison: &Comparison| comparison.topics.iter().map(|topic| topic.changes.len()).collect::<Vec<_>>();
        assert_eq!(count(&there), count(&back));
    }
}
