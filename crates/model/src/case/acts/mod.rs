//! Files of the A2A Conformance Test Specification (ACTS), a format proposed to the A2A project: from their text to cases.
//!
//! Enters: a file with `acts_version`. Leaves: a [`Case`] for each of its tests, in the canonical vocabulary. What a case cannot
//! say is named in its place, and the test that uses it does not run. Section numbers are those of the proposal.

mod behaviour;
mod condition;
mod document;
mod path;
mod raw;
mod request;
mod step;
mod stream;
mod template;
mod test;
mod write;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Beyond;
use super::convert::inner;
use super::read::Found;
use crate::diagnostic::near;
use crate::profile::Profile;
use crate::yaml::tree::Part;
use crate::yaml::{Mistake, Tree};

pub use behaviour::Behaviour;
pub use write::{Export, export};

/// How the names of these files end; any other file is one that says its `acts_version`.
const ENDINGS: [&str; 3] = [".acts.yaml", ".acts.yml", ".acts.json"];

/// Whether a file is one of this format.
pub(super) fn is_acts(file: &str, tree: &Tree) -> bool {
    is_named(file) || tree.value().get("acts_version").is_some()
}

/// Whether the name of a file says that it is one.
pub(super) fn is_named(file: &str) -> bool {
    ENDINGS.iter().any(|ending| file.ends_with(ending))
}

/// What a file is read with.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// The versions that it may be about.
    pub profiles: &'a [&'a Profile],
    /// The files that are read with it, which it may include.
    pub files: &'a [&'a str],
    /// The values of environment variables.
    pub env: &'a dyn Fn(&str) -> Option<String>,
}

/// Reads the tests of a file.
pub(super) fn cases(file: &str, text: &str, tree: &Tree, around: Around<'_>) -> Found {
    let mut reader = Reader {
        file,
        text,
        tree,
        around,
        mistakes: tree.duplicates(),
        beyond: Vec::new(),
        variables: BTreeMap::new(),
    };
    let cases = reader.document();
    Found { cases, mistakes: reader.mistakes, misshapes: Vec::new() }
}

/// Collects what is wrong in one file, and what of the test that is read no case can say.
struct Reader<'a> {
    file: &'a str,
    text: &'a str,
    tree: &'a Tree,
    around: Around<'a>,
    mistakes: Vec<Mistake>,
    beyond: Vec<Beyond>,
    /// The variables of the document, as they are written.
    variables: BTreeMap<String, String>,
}

impl<'a> Reader<'a> {
    /// Notes a mistake: the file does not conform to the format.
    fn wrong(&mut self, at: &str, part: &Part, message: impl AsRef<str>) {
        self.mistakes.push(self.tree.mistake(at, part, message.as_ref()));
    }

    fn wrong_name(&mut self, at: &str, kind: &str, name: &str, known: &[&str]) {
        let mistake = self.tree.mistake(at, &Part::Value, &format!("no such {kind}: `{name}`"));
        self.mistakes.push(Mistake { help: near::help(name, known.iter().copied()), ..mistake });
    }

    /// Notes what a case cannot say: the test is not run.
    fn beyond(&mut self, at: &str, part: &Part, what: impl AsRef<str>) {
        let mistake = self.tree.mistake(at, part, what.as_ref());
        let before = self.text.get(..mistake.offset.unwrap_or_default()).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        self.beyond.push(Beyond { place: format!("{}:{line}:{column}", self.file), mistake });
    }

    /// Names each member that the format does not have here: a later version of it may.
    fn only(&mut self, members: &Map<String, Value>, at: &str, known: &[&str]) {
        for name in members.keys().filter(|name| !known.contains(&name.as_str())) {
            self.beyond(&inner(at, name), &Part::Name, format!("the key `{name}` is unknown"));
        }
    }

    fn map(&mut self, value: &'a Value, at: &str) -> Option<&'a Map<String, Value>> {
        let map = value.as_object();
        if map.is_none() {
            self.wrong(at, &Part::Value, "a map is expected here");
        }
        map
    }

    fn list(&mut self, members: &'a Map<String, Value>, at: &str, name: &str) -> &'a [Value] {
        match members.get(name) {
            None => &[],
            Some(Value::Array(items)) => items,
            Some(_) => {
                self.wrong(&inner(at, name), &Part::Value, "a list is expected here");
                &[]
            }
        }
    }

    /// The strings of a list.
    fn texts(&mut self, members: &'a Map<String, Value>, at: &str, name: &str) -> Vec<(String, &'a str)> {
        let mut texts = Vec::new();
        for (index, item) in self.list(members, at, name).iter().enumerate() {
            let at = inner(&inner(at, name), index);
            match item.as_str() {
                Some(text) => texts.push((at, text)),
                None => self.wrong(&at, &Part::Value, "a string is expected here"),
            }
        }
        texts
    }

    fn text(&mut self, members: &'a Map<String, Value>, at: &str, name: &str) -> Option<&'a str> {
        let text = members.get(name)?.as_str();
        if text.is_none() {
            self.wrong(&inner(at, name), &Part::Value, format!("`{name}` is a string"));
        }
        text
    }

    /// A string that has to be there.
    fn needed(&mut self, members: &'a Map<String, Value>, at: &str, name: &str) -> &'a str {
        if !members.contains_key(name) {
            self.wrong(at, &Part::Value, format!("the key `{name}` is missing"));
        }
        self.text(members, at, name).unwrap_or_default()
    }
}
