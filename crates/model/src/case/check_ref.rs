//! What decides a requirement: a case, or some of what a case asserts.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Assertion;

/// A case, or some of its assertions: `get/unknown-id`, `get/unknown-id#error`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRef {
    /// Id of the case.
    pub case: String,
    /// The assertion that decides, with all that is below it; nothing where every one does. A segment `*` stands for any, and
    /// `$` at the end leaves out what is below.
    pub assertion: Option<String>,
}

/// What can stand behind a name that has something below it: a place of an object, a part of an oracle, an assertion of a
/// step.
const BELOW: [char; 3] = ['/', ':', '.'];

/// What ends a name with which nothing below it is meant.
const EXACTLY: char = '$';

impl CheckRef {
    /// A whole case.
    pub fn whole(case: &str) -> Self {
        Self { case: case.to_owned(), assertion: None }
    }

    /// Whether an assertion of a case is among those that decide by being violated.
    pub fn is_violated_by(&self, case: &str, assertion: &str) -> bool {
        self.case == case && (self.covers(assertion) || self.wants_what_lacks(assertion))
    }

    /// Whether it is the error of one name, such as `error:TaskNotFoundError`, and the assertion is violated where none of the
    /// errors came that are allowed, or none at all.
    fn wants_what_lacks(&self, assertion: &str) -> bool {
        let named = self.assertion.as_deref().and_then(|pattern| pattern.rsplit_once(':'));
        let of_step = named.and_then(|(error, _)| error.strip_suffix("error"));
        of_step.is_some_and(|step| {
            [Assertion::Error, Assertion::Refused]
                .iter()
                .any(|lacking| assertion.strip_prefix(step) == Some(lacking.name().as_str()))
        })
    }

    /// Whether an assertion of its case is.
    pub fn covers(&self, assertion: &str) -> bool {
        self.assertion.as_deref().is_none_or(|pattern| is_at_or_below(pattern, assertion))
    }

    /// What it names, be what is below it meant or not.
    pub fn name(&self) -> Option<&str> {
        self.assertion.as_deref().map(|pattern| pattern.trim_end_matches(EXACTLY))
    }

    /// Whether the assertion is below a name, or below what the name is an instance of.
    pub fn is_below(&self, name: &str) -> bool {
        let Some(pattern) = self.name() else { return false };
        let (mut own, mut above) = (pattern.split(BELOW), name.split(BELOW));
        let is_like = above.by_ref().all(|segment| own.next().is_some_and(|own| own == "*" || own == segment));
        is_like && own.next().is_some()
    }
}

/// Whether a name is that of the pattern, or of something below it, unless that is left out.
fn is_at_or_below(pattern: &str, name: &str) -> bool {
    let (pattern, is_exact) = match pattern.strip_suffix(EXACTLY) {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut rest = name;
    for (index, literal) in pattern.split('*').enumerate() {
        if index > 0 {
            rest = rest.find(BELOW).map_or("", |end| rest.get(end..).unwrap_or_default());
        }
        match rest.strip_prefix(literal) {
            Some(left) => rest = left,
            None => return false,
        }
    }
    rest.is_empty() || (!is_exact && rest.starts_with(BELOW))
}

impl fmt::Display for CheckRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.assertion {
            Some(assertion) => write!(f, "{}#{assertion}", self.case),
            None => f.write_str(&self.case),
        }
    }
}

impl Serialize for CheckRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CheckRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(match text.split_once('#') {
            Some((case, assertion)) => Self { case: case.to_owned(), assertion: Some(assertion.to_owned()) },
            None => Self { case: text, assertion: None },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> CheckRef {
        serde_json::from_value(text.into()).unwrap()
    }

    #[test]
    fn a_case_or_one_of_its_assertions() {
        let (whole, one) = (read("get/unknown-id"), read("get/unknown-id#error"));
        assert_eq!((whole.case.as_str(), whole.assertion.as_deref()), ("get/unknown-id", None));
        assert_eq!((one.case.as_str(), one.assertion.as_deref()), ("get/unknown-id", Some("error")));
        assert_eq!(
            (whole.to_string(), one.to_string()),
            ("get/unknown-id".to_owned(), "get/unknown-id#error".to_owned())
        );
    }

    #[test]
    fn the_error_of_a_name_is_missing_where_another_came_or_none() {
        let error = read("a/b#error:TaskNotFoundError");
        assert!(error.is_violated_by("a/b", "error") && error.is_violated_by("a/b", "refused"));
        assert!(!error.is_violated_by("a/c", "error") && !error.is_violated_by("a/b", "/id"));
        assert!(error.covers("error:TaskNotFoundError") && !error.covers("error") && !error.covers("refused"));
        assert!(!error.covers("error:InvalidParamsError"));
        let second = read("a/b#second.error:TaskNotFoundError");
        assert!(second.is_violated_by("a/b", "second.refused") && !second.is_violated_by("a/b", "error"));
        assert!(!read("a/b#/status/state").is_violated_by("a/b", "/status"));
    }

    #[test]
    fn a_place_is_below_those_around_it() {
        let id = read("a/b#card-valid:/skills/*/id");
        for (name, is_below) in [
            ("card-valid", true),
            ("card-valid:/skills", true),
            ("card-valid:/skills/2", true),
            ("card-valid:/skills/2/id", false),
            ("card-valid:/skills/2/name", false),
            ("card-valid:/provider", false),
        ] {
            assert_eq!(id.is_below(name), is_below, "{name}");
        }
        assert!(!read("a/b").is_below("card-valid"));
    }

    #[test]
    fn what_is_below_a_name_is_covered_by_it() {
        for (pattern, name, covers) in [
            ("a/b", "anything", true),
            ("a/b#error", "error", true),
            ("a/b#error", "error-at:/code", false),
            ("a/b#second", "second.error", true),
            ("a/b#second.error", "second", false),
            ("a/b#/status", "/status/state", true),
            ("a/b#/status", "/statusMessage", false),
            ("a/b#schema", "schema:Task/id", true),
            ("a/b#schema:Task", "schema:TaskStatus/state", false),
            ("a/b#card-valid:/skills/*/id", "card-valid:/skills/0/id", true),
            ("a/b#card-valid:/skills/*/id", "card-valid:/skills/0/name", false),
            ("a/b#card-valid:/skills/*/id", "card-valid:/skills", false),
            ("a/b#card-valid:/s/*/oauth2/flows", "card-valid:/s/mine/oauth2/flows/implicit/tokenUrl", true),
            ("a/b#/*/task", "/3/task/id", true),
            ("a/b#card-valid:/s$", "card-valid:/s", true),
            ("a/b#card-valid:/s$", "card-valid:/s/mine", false),
            ("a/b#card-valid:/s/*$", "card-valid:/s/mine", true),
            ("a/b#card-valid:/s/*$", "card-valid:/s/mine/type", false),
        ] {
            assert_eq!(read(pattern).covers(name), covers, "{pattern} {name}");
        }
    }
}
