//! `--area`, `--only` and `--skip`.

use std::collections::BTreeSet;
use std::sync::Arc;

use thiserror::Error;

use crate::case::{Case, Requirement};
use crate::diagnostic::near;

/// What the user wants to run.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Areas of which one must be the case's, switched on even where their cases run only when asked for; empty: every
    /// area, with the cases that run unasked.
    pub areas: Vec<String>,
    /// Patterns of which one must match; empty: everything.
    pub only: Vec<String>,
    /// Patterns of which none may match.
    pub skip: Vec<String>,
}

/// A part of a selection that selects nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NothingMatches {
    /// A pattern.
    #[error("`{pattern}` matches no case, area, section or requirement that applies here")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// The id that is most like it, if one is.
        near: Option<String>,
    },
    /// An area that is none.
    #[error("there is no area `{area}`")]
    NoArea {
        /// What was given for an area.
        area: String,
        /// The areas whose names are most like it.
        near: Vec<String>,
        /// Every area.
        all: Vec<String>,
    },
    /// An area of other bindings, versions or operations.
    #[error("no case of the area `{area}` applies here")]
    IdleArea {
        /// The area.
        area: String,
    },
}

impl Selection {
    /// Puts in the place of each id that became another what it became; says which these are.
    pub(crate) fn follow<'a>(&mut self, renamed: impl Fn(&str) -> Option<&'a str>) -> Vec<(String, &'a str)> {
        let mut followed = Vec::new();
        for pattern in self.only.iter_mut().chain(&mut self.skip) {
            if let Some(new) = renamed(pattern) {
                followed.push((std::mem::replace(pattern, new.to_owned()), new));
            }
        }
        followed
    }

    /// Whether a case is to run; one that does not run unasked must be named, by its area or by a pattern.
    pub(crate) fn picks(&self, case: &Case, requirements: &[Arc<Requirement>], runs_unasked: bool) -> bool {
        let hit = |pattern: &String| matches(pattern, &case.id, requirements);
        let is_in_area = self.areas.iter().any(|area| area == case.area());
        let is_hit = self.only.iter().any(hit);
        (self.areas.is_empty() || is_in_area)
            && (self.only.is_empty() || is_hit)
            && (runs_unasked || is_in_area || is_hit)
            && !self.skip.iter().any(hit)
    }

    /// Everything in it that has to match something.
    pub(crate) fn unmatched(&self) -> Unmatched<'_> {
        Unmatched { areas: self.areas.iter().collect(), patterns: self.only.iter().chain(&self.skip).collect() }
    }
}

/// What of a selection has matched nothing yet, in its order.
pub(crate) struct Unmatched<'a> {
    areas: Vec<&'a String>,
    patterns: Vec<&'a String>,
}

impl Unmatched<'_> {
    /// Takes note of a case that applies.
    pub fn meet(&mut self, case: &str, requirements: &[Arc<Requirement>]) {
        self.areas.retain(|area| area_of(case) != area.as_str());
        self.patterns.retain(|pattern| !matches(pattern, case, requirements));
    }

    /// That nothing is left; `areas` are all that there are, and `ids` those of all cases and requirements.
    ///
    /// # Errors
    /// The first area that is left, or else the first pattern.
    pub fn check<'a>(
        &self,
        areas: &BTreeSet<&'a str>,
        ids: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), NothingMatches> {
        if let Some(&area) = self.areas.first() {
            let all = || areas.iter().map(|area| (*area).to_owned()).collect();
            return Err(match areas.contains(area.as_str()) {
                true => NothingMatches::IdleArea { area: area.clone() },
                false => NothingMatches::NoArea { area: area.clone(), near: near(area, areas), all: all() },
            });
        }
        let idle = self.patterns.first();
        idle.map_or(Ok(()), |pattern| {
            let known = areas.iter().copied().chain(ids);
            let near = near::nearest(pattern, known).map(str::to_owned);
            Err(NothingMatches::Pattern { pattern: (*pattern).clone(), near })
        })
    }
}

/// The areas that begin like a name, or hold it, or are held in it.
fn near(name: &str, areas: &BTreeSet<&str>) -> Vec<String> {
    let begins_alike = |area: &str| area.chars().zip(name.chars()).take_while(|(a, b)| a == b).count() >= 3;
    let is_near = |area: &&&str| begins_alike(area) || area.contains(name) || name.contains(**area);
    areas.iter().filter(is_near).map(|area| (*area).to_owned()).collect()
}

fn area_of(id: &str) -> &str {
    id.split('/').next().unwrap_or(id)
}

/// Whether a pattern names the case by its id, its area, or the id or section of a requirement.
fn matches(pattern: &str, id: &str, requirements: &[Arc<Requirement>]) -> bool {
    let of_requirement = |requirement: &Arc<Requirement>| {
        let sections = requirement.section.split(',').map(str::trim);
        std::iter::once(requirement.id.value.as_str()).chain(sections).any(|name| glob(pattern, name))
    };
    glob(pattern, id) || glob(pattern, area_of(id)) || requirements.iter().any(of_requirement)
}

/// Whether `text` fits `pattern`, in which `*` stands for any characters.
fn glob(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, end)) if !end.contains('*') => text.strip_prefix(head).is_some_and(|tail| tail.ends_with(end)),
        Some((head, rest)) => text.strip_prefix(head).is_some_and(|tail| {
            let mut ends = tail.char_indices().map(|(index, _)| index).chain([tail.len()]);
            ends.any(|index| glob(rest, &tail[index..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        assert!(glob("get/*", "get/unknown-id"));
        assert!(glob("*unknown*", "get/unknown-id"));
        assert!(glob("3.1.*", "3.1.3"));
        assert!(glob("*", ""));
        assert!(!glob("get/*", "list/members"));
        assert!(!glob("get", "get/unknown-id"));
    }

    const EXISTING: &str = "get/existing";

    fn check(selection: &Selection) -> Result<(), NothingMatches> {
        let mut unmatched = selection.unmatched();
        unmatched.meet(EXISTING, &[]);
        unmatched.check(&BTreeSet::from(["get", "list"]), [EXISTING])
    }

    fn of_area(area: &str) -> Selection {
        Selection { areas: vec![area.into()], ..Selection::default() }
    }

    #[test]
    fn an_old_id_is_followed_to_the_new_one() {
        let mut selection = Selection {
            only: vec!["get".into(), "1.0-1-1".into()],
            skip: vec!["1.0-1-1".into()],
            ..Selection::default()
        };
        let followed = selection.follow(|id| (id == "1.0-1-1").then_some("1.0-2-1"));
        assert_eq!(followed, [("1.0-1-1".to_owned(), "1.0-2-1"), ("1.0-1-1".to_owned(), "1.0-2-1")]);
        assert_eq!((selection.only[1].as_str(), selection.skip[0].as_str()), ("1.0-2-1", "1.0-2-1"));
    }

    #[test]
    fn a_pattern_that_matches_nothing_is_an_error() {
        for (pattern, near) in [("gte", Some("get")), ("get/exsiting", Some(EXISTING)), ("nothing-alike", None)] {
            let selection = Selection { only: vec![pattern.into()], ..Selection::default() };
            let near = near.map(str::to_owned);
            assert_eq!(check(&selection), Err(NothingMatches::Pattern { pattern: pattern.into(), near }));
        }
    }

    #[test]
    fn an_area_without_cases_is_an_error() {
        assert_eq!(check(&of_area("get")), Ok(()));
        assert_eq!(check(&of_area("list")), Err(NothingMatches::IdleArea { area: "list".into() }));
        let near = |area: &str, near: &[&str]| {
            let near = near.iter().map(|area| (*area).to_owned()).collect();
            let all = vec!["get".into(), "list".into()];
            assert_eq!(check(&of_area(area)), Err(NothingMatches::NoArea { area: area.into(), near, all }));
        };
        near("lists", &["list"]);
        near("robustness", &[]);
    }

    #[test]
    fn what_does_not_run_unasked_is_run_when_it_is_named() {
        let library = crate::case::Library::read(vec![asked_for()], &[], &[]).unwrap();
        let case = &library.cases["own/case"];
        let picks = |selection: &Selection| selection.picks(case, &[], false);
        assert!(!picks(&Selection::default()));
        assert!(picks(&of_area("own")));
        assert!(!picks(&of_area("other")));
        assert!(picks(&Selection { only: vec!["own/*".into()], ..Selection::default() }));
        assert!(!picks(&Selection { only: vec!["other/*".into()], ..Selection::default() }));
        assert!(!picks(&Selection { skip: vec!["own/*".into()], ..of_area("own") }));
        assert!(Selection::default().picks(case, &[], true));
    }

    fn asked_for() -> crate::case::Source {
        let text = "cases: [{ id: own/case, title: t, why: w, right: r, wrong: w, fix: m, level: MAY, \
                    steps: [{ card: {} }] }]";
        crate::case::Source { file: "own.yaml".into(), text: text.into() }
    }
}
