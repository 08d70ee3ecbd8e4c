//! What to send to bring an agent into a state, and who says so.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::case::Trigger;

/// The extension by which a card can announce its triggers.
pub const EXTENSION: &str = "urn:a2aspec:triggers:v1";

/// What to send.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Say {
    /// The text of the message's one part.
    #[serde(default)]
    pub text: String,
    /// What the message's id begins with.
    #[serde(default)]
    pub message_id_prefix: Option<String>,
    /// Metadata of the message.
    #[serde(default)]
    pub metadata: Option<Value>,
}

/// A trigger as configuration spells it: a bare text, or the whole.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum SayEntry {
    /// The text of the message.
    Text(String),
    /// All of it.
    Whole(Say),
}

impl From<SayEntry> for Say {
    fn from(entry: SayEntry) -> Self {
        match entry {
            SayEntry::Text(text) => Self { text, message_id_prefix: None, metadata: None },
            SayEntry::Whole(say) => say,
        }
    }
}

/// A named set of triggers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// The message-id prefixes by which agents made for the official kit are driven.
    A2aTck,
}

impl Preset {
    /// Its name on the command line and in `a2aspec.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::A2aTck => "a2a-tck",
        }
    }

    /// The official kit drives by the id of the message; its texts mean nothing. It has no way to a task that fails or
    /// that waits for authorization.
    fn prefix(self, trigger: Trigger) -> Option<&'static str> {
        match (self, trigger) {
            (Self::A2aTck, Trigger::Complete) => Some("tck-complete-task"),
            (Self::A2aTck, Trigger::Message) => Some("tck-message-response"),
            (Self::A2aTck, Trigger::Slow) => Some("test-resubscribe-message-id"),
            (Self::A2aTck, Trigger::Chunks) => Some("tck-stream-artifact-chunked"),
            (Self::A2aTck, Trigger::InputRequired) => Some("tck-input-required"),
            (Self::A2aTck, Trigger::Reject) => Some("tck-reject-task"),
            (Self::A2aTck, Trigger::File) => Some("tck-artifact-file"),
            (Self::A2aTck, Trigger::Data) => Some("tck-artifact-data"),
            (Self::A2aTck, Trigger::AuthRequired | Trigger::Fail) => None,
        }
    }
}

/// What to send for each trigger.
#[derive(Debug, Clone, Default)]
pub struct Triggers {
    said: BTreeMap<Trigger, Say>,
}

impl Triggers {
    /// Triggers from their sources: the first that names one decides. Who names none gets the defaults, plain words
    /// that the reference agent knows.
    pub fn new(configured: BTreeMap<Trigger, Say>, announced: BTreeMap<Trigger, Say>, preset: Option<Preset>) -> Self {
        let mut said = configured;
        for (trigger, say) in announced {
            said.entry(trigger).or_insert(say);
        }
        for trigger in Trigger::ALL {
            let prefix = preset.and_then(|preset| preset.prefix(trigger));
            said.entry(trigger).or_insert_with(|| Say {
                text: trigger.name().to_owned(),
                message_id_prefix: prefix.map(str::to_owned),
                metadata: None,
            });
        }
        Self { said }
    }

    /// What to send for a trigger.
    pub fn say(&self, trigger: Trigger) -> Say {
        self.said.get(&trigger).cloned().unwrap_or_else(|| Say {
            text: trigger.name().to_owned(),
            message_id_prefix: None,
            metadata: None,
        })
    }
}

/// The triggers that a card announces, given its list of extensions.
///
/// What the suite does not understand there is left alone: an extension that is ours must not fail an agent.
pub fn announced(extensions: &Value) -> BTreeMap<Trigger, Say> {
    let listed = extensions.as_array().map_or(&[][..], Vec::as_slice);
    let ours = listed.iter().find(|extension| extension.get("uri").and_then(Value::as_str) == Some(EXTENSION));
    let Some(params) = ours.and_then(|extension| extension.get("params")) else { return BTreeMap::new() };
    let read = |trigger: Trigger| {
        let entry = params.get(trigger.name())?;
        let text = entry.as_str().or_else(|| entry.get("text")?.as_str()).unwrap_or_default().to_owned();
        let prefix = entry.get("messageIdPrefix").and_then(Value::as_str).map(str::to_owned);
        let metadata = entry.get("metadata").filter(|metadata| metadata.is_object()).cloned();
        Some((trigger, Say { text, message_id_prefix: prefix, metadata }))
    };
    Trigger::ALL.into_iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn say(text: &str) -> Say {
        Say { text: text.to_owned(), message_id_prefix: None, metadata: None }
    }

    #[test]
    fn the_first_source_that_names_a_trigger_decides() {
        let configured = BTreeMap::from([(Trigger::Fail, say("from the file"))]);
        let announced = BTreeMap::from([(Trigger::Fail, say("from the card")), (Trigger::Slow, say("from the card"))]);
        let triggers = Triggers::new(configured, announced, Some(Preset::A2aTck));
        assert_eq!(triggers.say(Trigger::Fail).text, "from the file");
        assert_eq!(triggers.say(Trigger::Slow).text, "from the card");
        assert_eq!(triggers.say(Trigger::Reject).message_id_prefix.as_deref(), Some("tck-reject-task"));
        assert_eq!(triggers.say(Trigger::AuthRequired), say("auth-required"));
    }

    #[test]
    fn a_card_can_announce_triggers_as_texts_or_objects() {
        let extensions = json!([
            {"uri": "urn:other"},
            {"uri": EXTENSION, "params": {"complete": "do it", "slow": {"text": "s", "messageIdPrefix": "p"}, "x": 1}},
        ]);
        let read = announced(&extensions);
        assert_eq!(read.get(&Trigger::Complete), Some(&say("do it")));
        assert_eq!(read.get(&Trigger::Slow).and_then(|say| say.message_id_prefix.as_deref()), Some("p"));
        assert_eq!(read.len(), 2);
    }

    #[test]
    fn a_strange_extension_announces_nothing() {
        assert!(announced(&json!({"uri": EXTENSION})).is_empty());
        assert!(announced(&json!([{"uri": EXTENSION, "params": []}])).is_empty());
    }
}
