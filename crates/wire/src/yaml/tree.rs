//! A YAML text as a JSON value, with the place of everything in it.
//!
//! A reader of types stops at the first mistake, and forgets where the rest stood. A tree keeps both, so that whoever finds
//! a mistake in the value names its place by a JSON pointer.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::node::{self, Content, Name, Node, Span};
use super::typed::Reader;
use super::{Mistake, check_size, mistake};
use crate::json::pointer;

/// A text that is YAML.
#[derive(Debug)]
pub struct Tree {
    file: String,
    text: String,
    root: Node,
    value: OnceLock<Value>,
}

/// What of a member, or of a value, a mistake is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The name of the member.
    Name,
    /// Its value.
    Value,
    /// A text within its name.
    InName(String),
    /// A text within its value.
    InValue(String),
}

impl Tree {
    /// Reads `text`, which came from `file`. Booleans are `true` and `false` only.
    ///
    /// # Errors
    /// What keeps the text from being YAML.
    pub fn read(file: &str, text: &str) -> Result<Self, Mistake> {
        check_size(file, text)?;
        let root = node::read(text).map_err(|error| mistake(file, text, &error))?;
        Ok(Self::of(file, text, root))
    }

    /// A text that was read before, with the node that was made of it.
    pub fn of(file: &str, text: &str, root: Node) -> Self {
        Self { file: file.to_owned(), text: text.to_owned(), root, value: OnceLock::new() }
    }

    /// The text as a type.
    ///
    /// # Errors
    /// The first mistake that keeps it from being one, such as a name that is there twice.
    pub fn typed<T: DeserializeOwned>(&self) -> Result<T, Mistake> {
        if let Some(twice) = self.duplicates().into_iter().next() {
            return Err(twice);
        }
        T::deserialize(Reader { node: &self.root, text: &self.text }).map_err(|refusal| match refusal.at {
            Some(span) => self.mistake_at(range(span), &refusal.message),
            None => Mistake::whole(&self.file, refusal.message),
        })
    }

    /// The text as a value. Of a name that stands twice in one map the first counts.
    pub fn value(&self) -> &Value {
        self.value.get_or_init(|| self.root.to_value())
    }

    /// The names that stand twice in one map.
    pub fn duplicates(&self) -> Vec<Mistake> {
        let mut found = Vec::new();
        duplicates(&self.root, &mut |name| {
            let message = format!("`{}` stands here twice", name.text);
            found.push(self.mistake_at(range(name.span), &message));
        });
        found
    }

    /// A mistake at the place that a pointer names; where there is none, at the nearest around it.
    pub fn mistake(&self, at: &str, part: &Part, message: &str) -> Mistake {
        self.mistake_at(self.find(at, part), message)
    }

    fn mistake_at(&self, span: Range<usize>, message: &str) -> Mistake {
        Mistake { offset: Some(span.start), length: span.len(), ..Mistake::whole(&self.file, message) }
    }

    /// The line of a place, counted from 1.
    pub fn line(&self, at: &str) -> u64 {
        self.walk(at).1.span.line.into()
    }

    fn find(&self, at: &str, part: &Part) -> Range<usize> {
        let (name, value, is_exact) = self.walk(at);
        let name = name.map(|name| range(name.span));
        let value = || range(value.span);
        let within = |range: Range<usize>, text: &str| {
            let found = self.text.get(range.clone()).and_then(|part| part.find(text));
            found.map_or(range.clone(), |at| range.start + at..range.start + at + text.len())
        };
        match part {
            Part::Name if is_exact => name.unwrap_or_else(value),
            Part::InName(text) if is_exact => within(name.unwrap_or_else(value), text),
            Part::InValue(text) if is_exact => within(value(), text),
            _ => value(),
        }
    }

    /// The name and the value at the end of a pointer, or as far as it leads; and whether it led to its end.
    fn walk(&self, at: &str) -> (Option<&Name>, &Node, bool) {
        let mut here = (None, &self.root);
        for token in pointer::tokens(at).unwrap_or_default() {
            let next = match &here.1.content {
                Content::List(items) => {
                    pointer::index(&token).and_then(|index| items.get(index)).map(|item| (None, item))
                }
                Content::Map(members) => {
                    members.iter().find(|(name, _)| name.text == token).map(|(name, value)| (Some(name), value))
                }
                _ => None,
            };
            match next {
                Some(next) => here = next,
                None => return (here.0, here.1, false),
            }
        }
        (here.0, here.1, true)
    }
}

fn duplicates(node: &Node, report: &mut impl FnMut(&Name)) {
    match &node.content {
        Content::List(items) => items.iter().for_each(|item| duplicates(item, report)),
        Content::Map(members) => {
            let mut earlier = HashSet::new();
            for (name, value) in members {
                if !earlier.insert(name.text.as_str()) {
                    report(name);
                }
                duplicates(value, report);
            }
        }
        _ => {}
    }
}

/// The bytes of a place.
pub(super) fn range(span: Span) -> Range<usize> {
    let number = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    number(span.start)..number(span.start).saturating_add(number(span.length))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "cases:\n  - id: own/case   # here\n    with: { id: \"a ${b.c} d\", list: [1, two, 2.50], off: no }\n    body: |\n      first ${x}\n      second\n    none: ~\n";

    fn marked(at: &str, part: &Part) -> String {
        let mistake = Tree::read("own.yaml", TEXT).unwrap().mistake(at, part, "");
        let offset = mistake.offset.unwrap();
        TEXT[offset..offset + mistake.length].to_owned()
    }

    #[test]
    fn everything_has_a_place() {
        let text = |text: &str| text.to_owned();
        let rows = [
            ("/cases/0/id", Part::Value, "own/case"),
            ("/cases/0/id", Part::Name, "id"),
            ("/cases/0/with/id", Part::InValue(text("${b.c}")), "${b.c}"),
            ("/cases/0/with/id", Part::Value, "\"a ${b.c} d\""),
            ("/cases/0/with/list", Part::InName(text("is")), "is"),
            ("/cases/0/with/list/1", Part::Value, "two"),
            ("/cases/0/body", Part::InValue(text("${x}")), "${x}"),
            // What is not there is shown at what is around it.
            ("/cases/0/id/more", Part::Name, "own/case"),
            ("/cases/0/with/list/7", Part::Name, "["),
            ("/cases/0/with/none", Part::Name, "{"),
        ];
        for (at, part, wanted) in rows {
            assert_eq!(marked(at, &part), wanted, "{at} {part:?}");
        }
        assert_eq!(Tree::read("own.yaml", TEXT).unwrap().line("/cases/0/with"), 3);
    }

    #[test]
    fn a_tree_is_the_value_that_the_text_is() {
        let value = Tree::read("own.yaml", TEXT).unwrap().value().clone();
        let expected = serde_json::json!({ "cases": [{
            "id": "own/case",
            "with": { "id": "a ${b.c} d", "list": [1, "two", 2.5], "off": "no" },
            "body": "first ${x}\nsecond\n",
            "none": null,
        }] });
        assert_eq!(value, expected);
    }

    #[test]
    fn a_text_that_takes_the_reader_long_is_refused_unread() {
        let long_key = format!("a: 1\n{}: 1\n", "k".repeat(5 << 20));
        let long_line = format!("a: 1\n{}: 1\n", "k".repeat((1 << 20) + 1));
        let told = [long_key, long_line].map(|text| {
            let mistake = Tree::read("own.yaml", &text).unwrap_err();
            assert_eq!(crate::yaml::read::<Value>("own.yaml", &text).unwrap_err(), mistake);
            (mistake.offset, mistake.message)
        });
        let wanted = [
            (None, "the file has 5242889 bytes; the limit is 4 MiB"),
            (Some(5), "a line of 1048581 bytes; the limit is 1 MiB"),
        ];
        assert_eq!(told, wanted.map(|(offset, message)| (offset, message.to_owned())));
    }

    #[test]
    fn names_that_stand_twice_are_told() {
        let tree = Tree::read("own.yaml", "a: 1\nb: { c: 1, c: 2 }\na: 3\n").unwrap();
        let told: Vec<_> = tree.duplicates().into_iter().map(|mistake| (mistake.offset, mistake.message)).collect();
        assert_eq!(
            told,
            [(Some(16), "`c` stands here twice".to_owned()), (Some(23), "`a` stands here twice".to_owned())]
        );
        assert_eq!(tree.value(), &serde_json::json!({ "a": 1, "b": { "c": 1 } }));
    }

    #[test]
    fn what_is_no_yaml_has_a_place() {
        let texts =
            ["a: \"x\n", "a: [1, 2\nb: 3\n", "a: b: c\n", "a: 1\n\tb: 2\n", "a: *b\n", "- a\nb: 1\n", "a: \"x }\n"];
        let told = texts.map(|text| {
            let mistake = Tree::read("own.yaml", text).unwrap_err();
            format!("{text:?} at {:?}: {}", mistake.offset, mistake.message)
        });
        insta::assert_snapshot!(told.join("\n"));
    }
}
