//! A document and its suites (2, 3.1, 15, 16).

use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

use super::Reader;
use super::test::Suite;
use crate::case::Case;
use crate::case::convert::inner;
use crate::yaml::tree::Part;

/// Major versions of the format that are read.
const MAJORS: [&str; 2] = ["0", "1"];

impl<'a> Reader<'a> {
    /// The tests of the document.
    pub(super) fn document(&mut self) -> Vec<Case> {
        let Some(root) = self.map(self.tree.value(), "") else { return Vec::new() };
        let version = self.needed(root, "", "acts_version");
        if !version.is_empty() && !MAJORS.contains(&version.split('.').next().unwrap_or_default()) {
            let message = format!("version {version} of the format is not known; 0 and 1 are");
            self.wrong("/acts_version", &Part::Value, message);
            return Vec::new();
        }
        // The contract of the agent under test (11.1): what its prefixes mean is known, and it holds no tests.
        if root.contains_key("behaviors") && !root.contains_key("suites") {
            return Vec::new();
        }
        let known = ["acts_version", "spec_version", "spec_ref", "metadata", "variables", "include", "suites"];
        self.only(root, "", &known);
        let profile = self.profile(root);
        self.read_variables(root);
        self.check_includes(root);
        if !root.contains_key("suites") && !root.contains_key("include") {
            self.wrong("", &Part::Value, "a document has `suites` or `include`");
        }
        let of_all = std::mem::take(&mut self.beyond);
        let mut cases = Vec::new();
        for (index, suite) in self.list(root, "", "suites").iter().enumerate() {
            let at = inner("/suites", index);
            let Some(members) = self.map(suite, &at) else { continue };
            self.only(members, &at, &["id", "name", "description", "tags", "tests"]);
            let id = self.needed(members, &at, "id");
            self.needed(members, &at, "name");
            let of_suite: Vec<_> = of_all.iter().cloned().chain(std::mem::take(&mut self.beyond)).collect();
            if self.list(members, &at, "tests").is_empty() {
                self.wrong(&at, &Part::Value, "a suite has `tests`");
            }
            for (index, test) in self.list(members, &at, "tests").iter().enumerate() {
                let at = inner(&inner(&at, "tests"), index);
                self.beyond.clone_from(&of_suite);
                cases.extend(self.test(test, &at, &Suite { id, profile: profile.as_deref() }));
            }
            self.beyond.clear();
        }
        cases
    }

    /// The protocol version whose tests these are.
    fn profile(&mut self, root: &'a Map<String, Value>) -> Option<String> {
        let written = self.needed(root, "", "spec_version");
        let minor: Vec<&str> = written.split('.').take(2).collect();
        let profiles = self.around.profiles;
        let names: Vec<&str> = profiles.iter().map(|profile| profile.name()).collect();
        let found = names.iter().find(|name| **name == written || **name == minor.join("."));
        if found.is_none() && !written.is_empty() {
            self.wrong_name("/spec_version", "protocol version", written, &names);
        }
        found.map(|name| (*name).to_owned())
    }

    fn read_variables(&mut self, root: &'a Map<String, Value>) {
        let Some(variables) = root.get("variables").and_then(|variables| self.map(variables, "/variables")) else {
            return;
        };
        for name in variables.keys() {
            let value = self.text(variables, "/variables", name);
            self.variables.extend(value.map(|value| (name.clone(), value.to_owned())));
        }
    }

    /// Every file of the folder is read, so that what is included has only to be there.
    fn check_includes(&mut self, root: &'a Map<String, Value>) {
        for (at, name) in self.texts(root, "", "include") {
            let path = plain(&Path::new(self.file).parent().unwrap_or(Path::new("")).join(name));
            if !self.around.files.iter().any(|file| plain(Path::new(file)) == path) {
                self.wrong(&at, &Part::Value, format!("`{name}` is not among the files that are read"));
            }
        }
    }
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}
