//! The extension `urn:a2aspec:echo:v1` (section 4.6): where a request asks for it, the mark in the metadata of its message
//! comes back on all that the agent makes of the message.

use serde_json::{Value, json};

use super::error::Violation;
use crate::model::{Message, Metadata};

/// The URI of the extension.
pub const ECHO_EXTENSION: &str = "urn:a2aspec:echo:v1";

/// The most characters that a mark has.
const LONGEST_MARK: usize = 100;

/// Whether a request has the extension active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Echo {
    /// Its version has no extensions.
    Unknown,
    /// It does not ask for it.
    Inactive,
    /// It asks for it.
    Active,
}

/// What comes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark(Box<str>);

impl Mark {
    /// The mark of a message; a message need not have one.
    ///
    /// # Errors
    /// What the extension has no use for.
    pub fn of(message: &Message) -> Result<Option<Self>, Violation> {
        let Some(data) = message.metadata.get(ECHO_EXTENSION) else { return Ok(None) };
        let mark = data.get("mark").and_then(Value::as_str);
        let mark = mark.filter(|mark| (1..=LONGEST_MARK).contains(&mark.chars().count()));
        let field = format!("message.metadata['{ECHO_EXTENSION}'].mark");
        let mark = mark.ok_or_else(|| Violation::new(field, "must be a string of 1 to 100 characters"))?;
        Ok(Some(Self(mark.into())))
    }

    /// Puts the mark into the metadata of what the agent makes, and the extension into its list.
    pub fn put(&self, metadata: &mut Metadata, extensions: &mut Vec<String>) {
        let data = json!({ "mark": &*self.0 });
        metadata.extend(Metadata::from_iter([(ECHO_EXTENSION.to_owned(), data)]));
        extensions.push(ECHO_EXTENSION.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Artifact, Part, Role};

    fn message(metadata: &Value) -> Message {
        Message {
            message_id: "m".to_owned(),
            context_id: None,
            task_id: None,
            role: Role::User,
            parts: vec![Part::text("x")],
            metadata: metadata.as_object().unwrap().clone().into(),
            extensions: Vec::new(),
            reference_task_ids: Vec::new(),
        }
    }

    #[test]
    fn a_mark_is_a_short_text_or_missing() {
        assert_eq!(Mark::of(&message(&json!({ "other": 1 }))), Ok(None));
        let right = json!({ (ECHO_EXTENSION): { "mark": "x" } });
        assert_eq!(Mark::of(&message(&right)), Ok(Some(Mark("x".into()))));
        for wrong in [json!(null), json!("x"), json!({}), json!({ "mark": 7 }), json!({ "mark": "" })] {
            assert!(Mark::of(&message(&json!({ (ECHO_EXTENSION): wrong }))).is_err(), "{wrong}");
        }
        let long = json!({ (ECHO_EXTENSION): { "mark": "x".repeat(LONGEST_MARK + 1) } });
        assert!(Mark::of(&message(&long)).is_err());
    }

    #[test]
    fn what_is_marked_names_the_extension() {
        let mut artifact = Artifact::new("a".to_owned(), "a", vec![Part::text("x")]);
        Mark("x".into()).put(&mut artifact.metadata, &mut artifact.extensions);
        assert_eq!(artifact.metadata.get(ECHO_EXTENSION), Some(&json!({ "mark": "x" })));
        assert_eq!(artifact.extensions, [ECHO_EXTENSION]);
    }
}
