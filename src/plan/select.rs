//! `--area`, `--only` and `--skip`.

use std::collections::BTreeSet;
use std::sync::Arc;

use thiserror::Error;

use crate::case::{Case, Requirement};
use crate::diagnostic::near;
use crate::verdict::Level;

/// What the user wants to run.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Areas of which one must be the case's, switched on even where their cases run only when asked for; empty: every
    /// area, with the cases that run unasked.
    pub areas: Vec<String>,
    /// Levels of which one must be the case's; empty: every level.
    pub levels: Vec<Level>,
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
    /// Every part matches some case, and no case matches all of them.
    #[error("no case is left: none matches everything that is selected, or all that do are skipped")]
    Together,
    /// A level that no case has.
    #[error("no case of the level {level} applies here")]
    Level {
        /// The level.
        level: Level,
    },
    /// An area of other bindings, versions or operations.
    #[error("no case of the area `{area}` applies here")]
    IdleArea {
        /// The area.
        area: String,
    },
}

impl Selection {
    /// Whether it leaves out nothing that runs unasked.
    pub fn is_everything(&self) -> bool {
        let Self { areas, levels, only, skip } = self;
        levels.is_empty() && [areas, only, skip].into_iter().all(Vec::is_empty)
    }

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

    /// That it leaves something to do, where there is something.
    ///
    /// # Errors
    /// [`NothingMatches::Together`].
    pub(crate) fn leaves(&self, cases: usize) -> Result<(), NothingMatches> {
        let Self { areas, levels, only, skip } = self;
        let is_limited = !(areas.is_empty() && levels.is_empty() && only.is_empty() && skip.is_empty());
        if is_limited && cases == 0 { Err(NothingMatches::Together) } else { Ok(()) }
    }

    /// Whether a case is to run; one that does not run unasked must be named, by its area or by a pattern.
    pub(crate) fn picks(&self, case: &Case, requirements: &[Arc<Requirement>], runs_unasked: bool) -> bool {
        let hit = |pattern: &String| matches(pattern, &case.id, requirements);
        let is_in_area = self.areas.iter().any(|area| area == case.area());
        let is_hit = self.only.iter().any(hit);
        (self.areas.is_empty() || is_in_area)
            && (self.levels.is_empty() || self.levels.contains(&level(case, requirements)))
            && (self.only.is_empty() || is_hit)
            && (runs_unasked || is_in_area || is_hit)
            && !self.skip.iter().any(hit)
    }

    /// Whether a requirement is selected, by itself or by a case that checks it.
    pub(crate) fn picks_requirement(&self, requirement: &Arc<Requirement>) -> bool {
        let itself = std::slice::from_ref(requirement);
        let cases = || requirement.cases.iter().map(|check| check.value.case.as_str());
        let hit = |pattern: &String| of_requirements(pattern, itself) || cases().any(|case| names(pattern, case));
        (self.areas.is_empty() || cases().any(|case| self.areas.iter().any(|area| area == area_of(case))))
            && (self.levels.is_empty() || self.levels.contains(&requirement.level))
            && (self.only.is_empty() || self.only.iter().any(hit))
            && !self.skip.iter().any(hit)
    }

    /// Everything in it that has to match something.
    pub(crate) fn unmatched(&self) -> Unmatched<'_> {
        Unmatched {
            areas: self.areas.iter().collect(),
            levels: self.levels.clone(),
            patterns: self.only.iter().chain(&self.skip).collect(),
        }
    }
}

/// What of a selection has matched nothing yet, in its order.
pub(crate) struct Unmatched<'a> {
    areas: Vec<&'a String>,
    levels: Vec<Level>,
    patterns: Vec<&'a String>,
}

impl Unmatched<'_> {
    /// Takes note of a case that applies.
    pub fn meet(&mut self, case: &Case, requirements: &[Arc<Requirement>]) {
        self.areas.retain(|area| case.area() != area.as_str());
        let met = level(case, requirements);
        self.levels.retain(|level| *level != met);
        self.patterns.retain(|pattern| !matches(pattern, &case.id, requirements));
    }

    /// That nothing is left; `areas` are all that there are, and `ids` those of all cases and requirements.
    ///
    /// # Errors
    /// The first area that is left, or else the first level, or else the first pattern.
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
        if let Some(&level) = self.levels.first() {
            return Err(NothingMatches::Level { level });
        }
        let idle = self.patterns.first();
        idle.map_or(Ok(()), |pattern| {
            let known = areas.iter().copied().chain(ids);
            let near = near::nearest(pattern, known).map(str::to_owned);
            Err(NothingMatches::Pattern { pattern: (*pattern).clone(), near })
        })
    }
}

/// The level of a case: a user's own case names it; any other has the strongest level of the requirements that it checks.
pub(crate) fn level(case: &Case, requirements: &[Arc<Requirement>]) -> Level {
    let own = case.own.as_ref().map(|own| own.level);
    own.or_else(|| requirements.iter().map(|requirement| requirement.weight()).min()).unwrap_or(Level::May)
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

/// Whether a pattern names the case by its id or its area.
pub(crate) fn names(pattern: &str, id: &str) -> bool {
    glob(pattern, id) || glob(pattern, area_of(id))
}

/// Whether a pattern names the case by its id, its area, or the id or section of a requirement.
fn matches(pattern: &str, id: &str, requirements: &[Arc<Requirement>]) -> bool {
    names(pattern, id) || of_requirements(pattern, requirements)
}

/// Whether a pattern names one of the requirements by its id or a section.
fn of_requirements(pattern: &str, requirements: &[Arc<Requirement>]) -> bool {
    requirements.iter().any(|requirement| {
        let sections = requirement.section.split(',').map(str::trim);
        std::iter::once(requirement.id.value.as_str()).chain(sections).any(|name| glob(pattern, name))
    })
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
        let library = library(EXISTING, "MAY");
        unmatched.meet(&library.cases[EXISTING], &[]);
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
        let library = library("own/case", "MAY");
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

    #[test]
    fn a_selection_that_leaves_nothing_is_an_error() {
        let skip = Selection { skip: vec!["*".into()], ..Selection::default() };
        assert_eq!(skip.leaves(0), Err(NothingMatches::Together));
        assert_eq!((skip.leaves(1), Selection::default().leaves(0)), (Ok(()), Ok(())));
    }

    #[test]
    fn cases_are_selected_by_their_level() {
        let library = library("own/case", "SHOULD");
        let of = |levels: &[Level]| Selection { levels: levels.to_vec(), ..Selection::default() };
        let picks = |levels: &[Level]| of(levels).picks(&library.cases["own/case"], &[], true);
        assert!(picks(&[]) && picks(&[Level::Should]) && picks(&[Level::Must, Level::Should]));
        assert!(!picks(&[Level::Must]) && !picks(&[Level::May]));
        // The case that is met has the level MAY.
        assert_eq!(check(&of(&[Level::May])), Ok(()));
        assert_eq!(check(&of(&[Level::Must])), Err(NothingMatches::Level { level: Level::Must }));
    }

    /// A library of one case of a user's own.
    fn library(case: &str, level: &str) -> crate::case::Library {
        let text = format!(
            "cases: [{{ id: {case}, title: t, why: w, right: r, wrong: w, fix: m, level: {level}, steps: [{{ card: {{}} }}] }}]"
        );
        let source = crate::case::Source { file: "own.yaml".into(), text };
        crate::case::Library::read(vec![source], &[], &[]).unwrap()
    }
}
