//! The sets of requirements: what counted at a date.
//!
//! Each release that adds requirements or cases adds a file to `sets/`, which has what is new since the file before. A gate that
//! names a date decides by the files that are not later. A check that no file has is a user's own, and always counts.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::civil::Date;
use serde::Deserialize;
use thiserror::Error;

use super::Source;
use crate::bundle;
use crate::diagnostic::words::list;
use crate::verdict::Level;
use crate::yaml::{Mistake, Placed};

/// The folder of the files.
const FOLDER: &str = "sets";

/// Every set, with what it added.
#[derive(Debug, Default)]
pub struct Sets {
    /// What each file has, by the name of its set.
    pub added: BTreeMap<String, Vec<Added>>,
    /// The set that added a requirement, by its id as it is now.
    requirements: BTreeMap<String, String>,
    /// The first set that has a case, by its id.
    cases: BTreeMap<String, String>,
    /// The set that added a case to a requirement, by the requirement and the case.
    checks: BTreeMap<String, BTreeMap<String, String>>,
}

/// What a set has of a requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// The id of the requirement, as it was then.
    pub requirement: String,
    /// Its level then.
    pub level: Level,
    /// The cases that check it since then.
    pub cases: Vec<String>,
}

/// The set that a date selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequirementSet {
    /// Its name, such as `2026-12`.
    pub name: String,
    /// Requirements that came later, each with the set that added it.
    requirements: BTreeMap<String, String>,
    /// Cases that came to a requirement later, by the requirement and the case, each with the set that added it.
    checks: BTreeMap<String, BTreeMap<String, String>>,
}

/// A date that selects no set.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoSet {
    /// The text is no date.
    #[error("`{text}` is not a date such as 2026-12")]
    NotADate {
        /// The text.
        text: String,
    },
    /// There was no set yet.
    #[error("there was no set of requirements at {text}")]
    TooEarly {
        /// The date.
        text: String,
    },
}

/// A file of a set.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetFile {
    /// Its name, equal to the name of the file.
    set: Placed<String>,
    /// What it adds: requirements, each with its level and the cases that check it since then.
    adds: BTreeMap<String, Placed<String>>,
}

/// Whether a file holds a set, which its place and its name say.
pub(super) fn is_set(file: &str) -> bool {
    let path = Path::new(file);
    let is_inside = path.parent().and_then(Path::file_name).is_some_and(|folder| folder == FOLDER);
    is_inside && path.file_stem().and_then(|stem| stem.to_str()).is_some_and(is_name)
}

/// Whether a text is the name of a set: a year and a month.
fn is_name(text: &str) -> bool {
    month(text).as_deref() == Some(text)
}

/// The month of a date, which is a month or a day.
fn month(text: &str) -> Option<String> {
    let day = if text.len() == "2026-12".len() { format!("{text}-01") } else { text.to_owned() };
    let is_plain = day.len() == "2026-12-01".len();
    let date: Date = day.parse().ok().filter(|_| is_plain)?;
    Some(format!("{:04}-{:02}", date.year(), date.month()))
}

/// Reads one file.
///
/// # Errors
/// The first mistake in it.
pub(super) fn read(file: &str, text: &str) -> Result<(String, Vec<Added>), Mistake> {
    let SetFile { set, adds } = bundle::tree(file, text)?.typed()?;
    if Path::new(file).file_stem().is_none_or(|stem| stem.to_str() != Some(&set.value)) {
        return Err(Mistake::at(file, &set, format!("the set `{}` is in a file of another name", set.value)));
    }
    let added = adds.into_iter().map(|(requirement, what)| {
        let mut words = what.value.split_whitespace().map(str::to_owned);
        match words.next().and_then(|level| level.parse().ok()) {
            Some(level) => Ok(Added { requirement, level, cases: words.collect() }),
            None => Err(Mistake::at(file, &what, format!("`{}` does not begin with a level", what.value))),
        }
    });
    Ok((set.value, added.collect::<Result<_, _>>()?))
}

impl Sets {
    /// What the files among these texts hold. `now` is what a requirement is called now, if that is something else.
    ///
    /// # Errors
    /// The first mistake in one of them.
    pub(super) fn of<'a>(sources: &[Source], now: impl Fn(&str) -> Option<&'a str>) -> Result<Self, Mistake> {
        let mut sets = Self::default();
        for source in sources.iter().filter(|source| is_set(&source.file)) {
            let (name, added) = read(&source.file, &source.text)?;
            sets.added.insert(name, added);
        }
        // The earliest comes first, and counts.
        for (name, added) in &sets.added {
            for Added { requirement, cases, .. } in added {
                let id = now(requirement).unwrap_or(requirement);
                sets.requirements.entry(id.to_owned()).or_insert_with(|| name.clone());
                let checks = sets.checks.entry(id.to_owned()).or_default();
                for case in cases {
                    checks.entry(case.clone()).or_insert_with(|| name.clone());
                    sets.cases.entry(case.clone()).or_insert_with(|| name.clone());
                }
            }
        }
        Ok(sets)
    }

    /// The names of all, the earliest first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.added.keys().map(String::as_str)
    }

    /// All names in a sentence for those who named none of them.
    pub fn listed(&self) -> String {
        let names: Vec<String> = self.names().map(|name| format!("`{name}`")).collect();
        match names.as_slice() {
            [] => "these cases have no sets of requirements".to_owned(),
            [only] => format!("the only set of requirements is {only}"),
            all => format!("the sets of requirements are {}", list(all)),
        }
    }

    /// The set since which a case checks a requirement; nothing where no set has that.
    pub fn since(&self, requirement: &str, case: &str) -> Option<&str> {
        self.checks.get(requirement)?.get(case).map(String::as_str)
    }

    /// The first set that has a case; nothing where none has it.
    pub fn first(&self, case: &str) -> Option<&str> {
        self.cases.get(case).map(String::as_str)
    }

    /// The newest set that is not later than a month or a day.
    ///
    /// # Errors
    /// The text is no date, or is before the first set.
    pub fn at(&self, date: &str) -> Result<RequirementSet, NoSet> {
        let month = month(date).ok_or_else(|| NoSet::NotADate { text: date.to_owned() })?;
        let newest = self.names().take_while(|name| *name <= month.as_str()).last();
        let name = newest.ok_or_else(|| NoSet::TooEarly { text: date.to_owned() })?;
        let later = |added: &BTreeMap<String, String>| -> BTreeMap<String, String> {
            added.iter().filter(|(_, set)| set.as_str() > name).map(|(of, set)| (of.clone(), set.clone())).collect()
        };
        let checks = self.checks.iter().map(|(id, cases)| (id.clone(), later(cases)));
        Ok(RequirementSet {
            name: name.to_owned(),
            requirements: later(&self.requirements),
            checks: checks.filter(|(_, cases)| !cases.is_empty()).collect(),
        })
    }
}

impl RequirementSet {
    /// The later set that added a case to a requirement; nothing where this set has that, or no set.
    pub fn later(&self, requirement: &str, case: &str) -> Option<&str> {
        self.checks.get(requirement)?.get(case).map(String::as_str)
    }

    /// Whether a requirement is not later.
    pub fn has(&self, requirement: &str) -> bool {
        !self.requirements.contains_key(requirement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(file: &str, text: &str) -> Source {
        Source { file: file.to_owned(), text: text.to_owned() }
    }

    /// Two sets: the later one has a case more for an old requirement, and a new requirement.
    fn sets() -> Sets {
        let first = "set: '2026-12'\nadds:\n  r-1: MUST a/b a/c\n  r-old: SHOULD a/d\n";
        let second = "set: '2027-03'\nadds:\n  r-1: MUST a/b a/e\n  r-2: MUST a/b\n  r-new: SHOULD\n";
        let sources = [source("x/sets/2027-03.yaml", second), source("x/sets/2026-12.yaml", first)];
        Sets::of(&sources, |id| (id == "r-old").then_some("r-new")).unwrap()
    }

    #[test]
    fn a_date_selects_the_newest_set_that_is_not_later() {
        let sets = sets();
        let at = |date: &str| sets.at(date).map(|set| set.name).map_err(|error| error.to_string());
        for (date, name) in [
            ("2026-12", "2026-12"),
            ("2026-12-01", "2026-12"),
            ("2027-02-28", "2026-12"),
            ("2027-03", "2027-03"),
            ("2031-07", "2027-03"),
        ] {
            assert_eq!(at(date), Ok(name.to_owned()), "{date}");
        }
        for early in ["2026-11", "2026-11-30", "1999-01"] {
            assert_eq!(at(early), Err(format!("there was no set of requirements at {early}")));
        }
        for wrong in
            ["", "2026", "2026-13", "2026-02-30", "december", "2026-12-1", "2026/12", "2026-12-01T00:00", " 2026-12"]
        {
            assert_eq!(at(wrong), Err(format!("`{wrong}` is not a date such as 2026-12")));
        }
        assert_eq!(sets.listed(), "the sets of requirements are `2026-12` and `2027-03`");
        assert!(Sets::default().at("2026-12").is_err());
    }

    #[test]
    fn what_came_later_is_not_in_an_older_set() {
        let sets = sets();
        let (older, newer) = (sets.at("2026-12").unwrap(), sets.at("2027-03").unwrap());
        for (requirement, case, since, is_later) in [
            ("r-1", "a/b", Some("2026-12"), false),
            ("r-1", "a/c", Some("2026-12"), false),
            ("r-1", "a/e", Some("2027-03"), true),
            // The case is old, and checks something new.
            ("r-2", "a/b", Some("2027-03"), true),
            // A name that became another one is still what it was.
            ("r-new", "a/d", Some("2026-12"), false),
            // A user's own always counts.
            ("r-1", "own/case", None, false),
            ("own-own/case", "own/case", None, false),
        ] {
            assert_eq!(sets.since(requirement, case), since, "{requirement} {case}");
            let later = older.later(requirement, case);
            assert_eq!(later, Some("2027-03").filter(|_| is_later), "{requirement} {case}");
            assert_eq!(newer.later(requirement, case), None);
        }
        assert_eq!(["a/b", "a/e", "own/case"].map(|case| sets.first(case)), [Some("2026-12"), Some("2027-03"), None]);
        assert!(older.has("r-1") && older.has("r-new") && older.has("own-x") && !older.has("r-2") && newer.has("r-2"));
    }

    #[test]
    fn a_file_says_what_it_is() {
        assert!(is_set("cases/sets/2026-12.yaml") && is_set("/tmp/my/sets/2027-01.yaml"));
        for other in ["cases/sets/list.yaml", "cases/2026-12.yaml", "cases/sets/2026-13.yaml", "sets/2026-12-01.yaml"] {
            assert!(!is_set(other), "{other}");
        }
        let read = |text: &str| read("sets/2026-12.yaml", text).map_err(|mistake| mistake.message);
        assert!(read("set: '2026-12'\nadds: { r-1: MUST a/b }\n").is_ok());
        assert!(read("set: '2027-01'\nadds: {}\n").unwrap_err().contains("a file of another name"));
        assert!(read("set: '2026-12'\nadds: { r-1: a/b }\n").unwrap_err().contains("does not begin with a level"));
        assert!(read("set: '2026-12'\nadd: {}\n").is_err());
    }
}
