//! `--only` and `--skip`.

use thiserror::Error;

use crate::case::{Case, Requirement};

/// What the user wants to run.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Patterns of which one must match; empty: everything.
    pub only: Vec<String>,
    /// Patterns of which none may match.
    pub skip: Vec<String>,
}

/// A pattern that selects nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{pattern}` matches no case, area, section or requirement that applies here")]
pub struct NothingMatches {
    /// The pattern.
    pub pattern: String,
}

impl Selection {
    /// Puts in the place of each id that became another what it became; says which these are.
    pub fn follow<'a>(&mut self, renamed: impl Fn(&str) -> Option<&'a str>) -> Vec<(String, &'a str)> {
        let mut followed = Vec::new();
        for pattern in self.only.iter_mut().chain(&mut self.skip) {
            if let Some(new) = renamed(pattern) {
                followed.push((std::mem::replace(pattern, new.to_owned()), new));
            }
        }
        followed
    }

    /// Whether a case is to run.
    pub fn picks(&self, case: &Case, requirements: &[Requirement]) -> bool {
        let hit = |pattern: &String| matches(pattern, &case.id, requirements);
        (self.only.is_empty() || self.only.iter().any(hit)) && !self.skip.iter().any(hit)
    }

    /// That every pattern matches something.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self, cases: &[(String, Vec<Requirement>)]) -> Result<(), NothingMatches> {
        let idle = self
            .only
            .iter()
            .chain(&self.skip)
            .find(|pattern| !cases.iter().any(|(id, requirements)| matches(pattern, id, requirements)));
        idle.map_or(Ok(()), |pattern| Err(NothingMatches { pattern: pattern.clone() }))
    }
}

/// Whether a pattern names the case by its id, its area, or the id or section of a requirement.
fn matches(pattern: &str, id: &str, requirements: &[Requirement]) -> bool {
    let area = id.split('/').next().unwrap_or(id);
    let mut names = vec![id, area];
    for requirement in requirements {
        names.push(&requirement.id.value);
        names.extend(requirement.section.split(',').map(str::trim));
    }
    names.into_iter().any(|name| glob(pattern, name))
}

/// Whether `text` fits `pattern`, in which `*` stands for any characters.
fn glob(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
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

    #[test]
    fn an_old_id_is_followed_to_the_new_one() {
        let mut selection = Selection { only: vec!["get".into(), "1.0-1-1".into()], skip: vec!["1.0-1-1".into()] };
        let followed = selection.follow(|id| (id == "1.0-1-1").then_some("1.0-2-1"));
        assert_eq!(followed, [("1.0-1-1".to_owned(), "1.0-2-1"), ("1.0-1-1".to_owned(), "1.0-2-1")]);
        assert_eq!((selection.only[1].as_str(), selection.skip[0].as_str()), ("1.0-2-1", "1.0-2-1"));
    }

    #[test]
    fn a_pattern_that_matches_nothing_is_an_error() {
        let selection = Selection { only: vec!["gte".into()], skip: Vec::new() };
        let error = selection.check(&[("get/existing".into(), Vec::new())]).unwrap_err();
        assert_eq!(error.pattern, "gte");
    }
}
