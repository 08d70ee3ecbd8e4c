//! The files that say what a version is: those of its folder and, below them, those of the folder of the version that it is like.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::facts::Facts;
use super::schema::Schemas;
use crate::bundle;
use crate::wire::json::merge;
use crate::yaml::{Mistake, Tree};

/// The facts of a version.
const FACTS: &str = "profile.yaml";

/// A folder of files, by their names.
type Files<'a> = BTreeMap<&'a str, &'a str>;

/// What says what a version is.
#[derive(Debug)]
pub(super) struct Folder<'a> {
    /// Its name.
    pub name: &'a str,
    files: Files<'a>,
    /// Its facts, without those of the version that it is like.
    own: Tree,
    /// The folder from which it takes what it does not have itself.
    like: Option<Box<Self>>,
}

impl<'a> Folder<'a> {
    /// The folders of all versions that the program carries.
    ///
    /// # Errors
    /// Facts that are no YAML, and a version that is like none, or like itself.
    pub(super) fn bundled() -> Result<Vec<Self>, Mistake> {
        let mut all: BTreeMap<&'static str, Files<'static>> = BTreeMap::new();
        for (path, text) in bundle::files(&bundle::SCHEMAS) {
            if let Some((folder, name)) = path.split_once('/') {
                all.entry(folder).or_default().insert(name, text);
            }
        }
        all.retain(|_, files| files.contains_key(FACTS));
        all.keys().map(|name| Self::of(name, &all, &mut Vec::new())).collect()
    }

    fn of(name: &'a str, all: &BTreeMap<&'a str, Files<'a>>, above: &mut Vec<&'a str>) -> Result<Self, Mistake> {
        let known = all.get_key_value(name).filter(|_| !above.contains(&name));
        let Some((name, files)) = known else {
            let of = format!("{}/{FACTS}", above.last().copied().unwrap_or_default());
            return Err(Mistake::whole(&of, format!("no other profile is called `{name}`")));
        };
        above.push(name);
        let place = place(name, FACTS);
        let text = files.get(FACTS).ok_or_else(|| Mistake::whole(&place, "the profile has no such file"))?;
        let own = bundle::tree(&place, text)?;
        let like = own.value().get("like").and_then(Value::as_str);
        let like = like.map(|like| Self::of(all.get_key_value(like).map_or("", |(name, _)| name), all, above));
        let like = like.transpose()?.map(Box::new);
        Ok(Self { name, files: files.clone(), own, like })
    }

    /// The facts: its own over those of the version that it is like.
    ///
    /// # Errors
    /// The mistake in them.
    pub(super) fn facts(&self) -> Result<Facts, Mistake> {
        if self.like.is_none() {
            return self.own.typed();
        }
        let whole = self.value();
        Facts::deserialize(whole).map_err(|error| Mistake::whole(&self.place(FACTS), error.to_string()))
    }

    /// The schemas in a file: its own over those of the version that it is like.
    ///
    /// # Errors
    /// A file that is not there, or holds no schemas.
    pub(super) fn schemas(&self, file: &str) -> Result<Schemas, Mistake> {
        let below = self.like.as_ref().filter(|like| like.has(file)).map(|like| like.schemas(file)).transpose()?;
        let place = self.place(file);
        match (self.files.get(file), below) {
            (Some(text), Some(below)) => Ok(below.under(&Schemas::read(&place, text)?)),
            (Some(text), None) => Schemas::read(&place, text),
            (None, Some(below)) => Ok(below),
            (None, None) => Err(Mistake::whole(&self.place(FACTS), format!("there is no file `{file}` beside it"))),
        }
    }

    fn has(&self, file: &str) -> bool {
        self.files.contains_key(file) || self.like.as_ref().is_some_and(|like| like.has(file))
    }

    /// The facts as a value: its own over those of the version that it is like.
    fn value(&self) -> Value {
        let Some(like) = &self.like else { return self.own.value().clone() };
        let mut whole = like.value();
        merge(&mut whole, self.own.value());
        whole
    }

    /// How messages name a file of it.
    pub(super) fn place(&self, file: &str) -> String {
        place(self.name, file)
    }
}

/// How messages name a file of a folder.
fn place(folder: &str, file: &str) -> String {
    format!("{folder}/{file}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(facts: &[(&'static str, &'static str)]) -> BTreeMap<&'static str, Files<'static>> {
        facts.iter().map(|(name, text)| (*name, Files::from([(FACTS, *text)]))).collect()
    }

    #[test]
    fn a_version_takes_what_it_does_not_say_from_the_one_that_it_is_like() {
        let all = folders(&[
            ("a", "title: A\nheaders: { x: '1', y: '1' }"),
            ("b", "like: a\nheaders: { y: null, z: '2' }"),
            ("c", "like: b\ntitle: C"),
        ]);
        let value = Folder::of("c", &all, &mut Vec::new()).unwrap().value();
        assert_eq!(value, serde_json::json!({ "title": "C", "headers": { "x": "1", "z": "2" }, "like": "b" }));
    }

    #[test]
    fn a_version_is_like_another_one() {
        for (facts, of) in [("like: none", "a/profile.yaml"), ("like: a", "a/profile.yaml")] {
            let wrong = Folder::of("a", &folders(&[("a", facts)]), &mut Vec::new()).unwrap_err();
            assert_eq!((wrong.file.as_str(), wrong.message.contains("no other profile")), (of, true), "{facts}");
        }
    }
}
