//! Texts with members in braces: resource names such as `tasks/{id}`, and the paths of routes.

use std::fmt;

use serde::Deserialize;
use serde_json::{Map, Value};

/// A text in which `{member}` stands for the value of a member.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Member(String),
}

impl TryFrom<String> for Template {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let (member, after) = after.split_once('}').ok_or_else(|| format!("`{text}` has a brace too few"))?;
            if !before.is_empty() {
                pieces.push(Piece::Text(before.to_owned()));
            }
            pieces.push(Piece::Member(member.to_owned()));
            rest = after;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        Ok(Self(pieces))
    }
}

impl Template {
    /// The members that it names, in order.
    pub fn members(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Member(name) => Some(name.as_str()),
            Piece::Text(_) => None,
        })
    }

    /// The member that it names, where it names one alone.
    pub fn only_member(&self) -> Option<&str> {
        let mut members = self.members();
        members.next().filter(|_| members.next().is_none())
    }

    /// The text with each member's value in its place, as `spell` spells it; `None` where one is missing or no text.
    pub fn fill(&self, members: &Map<String, Value>, spell: impl Fn(&str) -> String) -> Option<String> {
        let parts = self.0.iter().map(|piece| match piece {
            Piece::Text(text) => Some(text.clone()),
            Piece::Member(name) => members.get(name).and_then(Value::as_str).map(&spell),
        });
        parts.collect()
    }

    /// The values of the members in a text that was filled in; `None` where it was not made like this.
    pub fn parse(&self, text: &str) -> Option<Vec<(&str, String)>> {
        let mut found = Vec::new();
        let mut rest = text;
        let mut pieces = self.0.iter().peekable();
        while let Some(piece) = pieces.next() {
            match piece {
                Piece::Text(text) => rest = rest.strip_prefix(text.as_str())?,
                Piece::Member(name) => {
                    let end = match pieces.peek() {
                        Some(Piece::Text(text)) => rest.find(text.as_str())?,
                        _ => rest.len(),
                    };
                    let (value, after) = rest.split_at(end);
                    found.push((name.as_str(), value.to_owned()));
                    rest = after;
                }
            }
        }
        rest.is_empty().then_some(found)
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => f.write_str(text),
            Piece::Member(name) => write!(f, "{{{name}}}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn template(text: &str) -> Template {
        Template::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn a_name_is_composed_and_taken_apart() {
        let name = template("tasks/{taskId}/configs/{id}");
        let members = json!({ "taskId": "a/b", "id": "7" });
        let text = name.fill(members.as_object().unwrap(), str::to_owned).unwrap();
        assert_eq!(text, "tasks/a/b/configs/7");
        assert_eq!(name.parse(&text).unwrap(), [("taskId", "a/b".to_owned()), ("id", "7".to_owned())]);
        assert_eq!(name.to_string(), "tasks/{taskId}/configs/{id}");
        assert_eq!(name.members().collect::<Vec<_>>(), ["taskId", "id"]);
        assert_eq!((name.only_member(), template("tasks/{id}").only_member()), (None, Some("id")));
    }

    #[test]
    fn what_is_missing_or_foreign_is_no_name() {
        let name = template("tasks/{id}");
        assert_eq!(name.fill(json!({}).as_object().unwrap(), str::to_owned), None);
        assert_eq!(name.fill(json!({ "id": 7 }).as_object().unwrap(), str::to_owned), None);
        assert_eq!(name.parse("task/7"), None);
        assert_eq!(template("{id}:cancel").parse("7:cancelled"), None);
        assert!(Template::try_from("tasks/{id".to_owned()).is_err());
    }
}
