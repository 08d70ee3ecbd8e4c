//! What to send to bring an agent into a state, and who says so.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::case::{Behaviour, Trigger};

/// The extension by which a card can announce its triggers.
pub(crate) const EXTENSION: &str = "urn:a2aspec:triggers:v1";

/// The text that says of a trigger that no words do it: the agent has no such state.
const NEVER: &str = "never";

/// What to send.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "cli", derive(clap::ValueEnum, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Message-id prefixes of the official TCK.
    A2aTck,
    /// Texts of ACTS files.
    Acts,
}

impl Preset {
    /// Its name on the command line and in `a2aspec.toml`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::A2aTck => "a2a-tck",
            Self::Acts => "acts",
        }
    }

    /// What it sends for a trigger.
    fn say(self, trigger: Trigger) -> Say {
        let text = match self {
            Self::A2aTck => None,
            Self::Acts => Behaviour::by(trigger).map(|behaviour| behaviour.prefix),
        };
        let prefix = self.prefix(trigger).map(str::to_owned);
        Say { text: text.unwrap_or(trigger.name()).to_owned(), message_id_prefix: prefix, metadata: None }
    }

    /// The official kit drives by the id of the message; its texts mean nothing. It has no way to a task that fails.
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
            (Self::A2aTck, Trigger::AuthRequired) => Some("tck-auth-required"),
            (Self::A2aTck, Trigger::Fail) | (Self::Acts, _) => None,
        }
    }
}

/// The most examples of a card that are tried: each costs a message.
const MOST_EXAMPLES: usize = 8;

/// What to send for each trigger.
#[derive(Debug, Clone, Default)]
pub struct Triggers {
    said: BTreeMap<Trigger, Say>,
    /// What the card's skills say that one can send.
    examples: Vec<String>,
}

impl Triggers {
    /// Triggers from their sources: the first that names one decides. Who names none gets the defaults, plain words
    /// that the reference agent knows.
    pub(crate) fn new(
        configured: BTreeMap<Trigger, Say>,
        announced: BTreeMap<Trigger, Say>,
        preset: Option<Preset>,
    ) -> Self {
        let mut said = configured;
        for (trigger, say) in announced {
            said.entry(trigger).or_insert(say);
        }
        for trigger in Trigger::ALL {
            said.entry(trigger).or_insert_with(|| match preset {
                Some(preset) => preset.say(trigger),
                None => Say::from(SayEntry::Text(trigger.name().to_owned())),
            });
        }
        Self { said, examples: Vec::new() }
    }

    /// The same, with examples of the card to be tried where a trigger does not do.
    #[must_use]
    pub(crate) fn with_examples(self, examples: Vec<String>) -> Self {
        Self { examples, ..self }
    }

    /// What else may do for a trigger, the likeliest first: what the card says that one can send, then words that published
    /// samples and kits know.
    pub(crate) fn others(&self, trigger: Trigger) -> Vec<(Source, Say)> {
        let own = self.say(trigger);
        let examples = self.examples.iter().map(|text| (Source::Example, Say::from(SayEntry::Text(text.clone()))));
        let kit = Preset::A2aTck.prefix(trigger).map(|prefix| Say {
            text: trigger.name().to_owned(),
            message_id_prefix: Some(prefix.to_owned()),
            metadata: None,
        });
        let words = words(trigger).iter().map(|word| Say::from(SayEntry::Text((*word).to_owned())));
        let known = kit.into_iter().chain(words).map(|say| (Source::Known, say));
        examples.chain(known).filter(|(_, say)| *say != own).collect()
    }

    /// Whether the settings, or the card, say that nothing does it.
    pub(crate) fn is_never(&self, trigger: Trigger) -> bool {
        self.said
            .get(&trigger)
            .is_some_and(|say| say.text == NEVER && say.message_id_prefix.is_none() && say.metadata.is_none())
    }

    /// What to send for a trigger.
    pub(crate) fn say(&self, trigger: Trigger) -> Say {
        self.said.get(&trigger).cloned().unwrap_or_else(|| Say {
            text: trigger.name().to_owned(),
            message_id_prefix: None,
            metadata: None,
        })
    }
}

/// Where other words for a trigger come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// An example of a skill in the card.
    Example,
    /// The suite's own list.
    Known,
}

/// Words by which published samples are driven, beside the names of the triggers. Few for each: they are guesses, and each
/// costs a message.
fn words(trigger: Trigger) -> &'static [&'static str] {
    match trigger {
        Trigger::Complete | Trigger::Message => &["hello"],
        Trigger::Slow => &["slow 3", "long running task"],
        Trigger::Chunks => &["stream"],
        Trigger::InputRequired => &["input", "can you reimburse me for my lunch?"],
        Trigger::AuthRequired => &["auth", "log in"],
        Trigger::Fail => &["error"],
        Trigger::Reject => &["refuse"],
        Trigger::File => &["image", "generate an image"],
        Trigger::Data => &["json"],
    }
}

/// The examples of a card's skills, each once: the first of each skill before the second of any, since skills differ more
/// than the examples of one.
pub(crate) fn examples(skills: &Value) -> Vec<String> {
    let listed = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let by_skill: Vec<Vec<Value>> =
        listed(skills).iter().map(|skill| skill.get("examples").map(listed).unwrap_or_default()).collect();
    let longest = by_skill.iter().map(Vec::len).max().unwrap_or_default();
    let in_turn = (0..longest).flat_map(|place| by_skill.iter().filter_map(move |examples| examples.get(place)));
    let mut found: Vec<String> = Vec::new();
    for text in in_turn.filter_map(Value::as_str).map(str::trim).filter(|text| !text.is_empty()) {
        if found.len() < MOST_EXAMPLES && !found.iter().any(|known| known == text) {
            found.push(text.to_owned());
        }
    }
    found
}

/// The triggers that a card announces, given its list of extensions.
///
/// What the suite does not understand there is left alone: an extension that is ours must not fail an agent.
pub(crate) fn announced(extensions: &Value) -> BTreeMap<Trigger, Say> {
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
        assert_eq!(triggers.say(Trigger::AuthRequired).message_id_prefix.as_deref(), Some("tck-auth-required"));
        let triggers = Triggers::new(BTreeMap::new(), BTreeMap::new(), Some(Preset::A2aTck));
        assert_eq!(triggers.say(Trigger::Fail), say("fail"));
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
    fn examples_come_before_other_words_and_each_once() {
        let skills = json!([
            { "id": "a", "examples": ["book a flight", "fail", 7] },
            { "id": "b" },
            { "id": "c", "examples": ["book a flight", " plan a trip "] },
        ]);
        let examples = examples(&skills);
        assert_eq!(examples, ["book a flight", "fail", "plan a trip"]);
        let triggers = Triggers::new(BTreeMap::new(), BTreeMap::new(), None).with_examples(examples);
        let others = triggers.others(Trigger::Fail);
        let texts: Vec<&str> = others.iter().map(|(_, say)| say.text.as_str()).collect();
        assert_eq!(texts, ["book a flight", "plan a trip", "error"], "its own word is no other");
        let (source, kit) = &triggers.others(Trigger::Reject)[3];
        assert_eq!((*source, kit.message_id_prefix.as_deref()), (Source::Known, Some("tck-reject-task")));
    }

    #[test]
    fn a_card_has_few_examples_if_any() {
        assert!(examples(&json!(null)).is_empty());
        assert!(examples(&json!([{ "examples": "text" }, 7])).is_empty());
        let many: Vec<String> = (0..99).map(|number| number.to_string()).collect();
        assert_eq!(examples(&json!([{ "examples": many }])).len(), MOST_EXAMPLES);
    }

    #[test]
    fn a_strange_extension_announces_nothing() {
        assert!(announced(&json!({"uri": EXTENSION})).is_empty());
        assert!(announced(&json!([{"uri": EXTENSION, "params": []}])).is_empty());
    }
}
