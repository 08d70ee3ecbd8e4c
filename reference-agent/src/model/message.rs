use super::Metadata;

/// Who sent a message (section 4.1.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The client.
    User,
    /// The agent.
    Agent,
}

/// One turn of communication (section 4.1.4).
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Made by the sender; empty where its version has no such ids, until the agent makes one.
    pub message_id: String,
    /// The context that the message belongs to.
    pub context_id: Option<String>,
    /// The task that the message belongs to.
    pub task_id: Option<String>,
    /// Who sent it.
    pub role: Role,
    /// The content; never empty.
    pub parts: Vec<Part>,
    /// Free-form.
    pub metadata: Metadata,
    /// URIs of the extensions that contributed.
    pub extensions: Vec<String>,
    /// Tasks named for additional context.
    pub reference_task_ids: Vec<String>,
}

impl Message {
    /// The text of the first text part; empty where there is none.
    pub fn first_text(&self) -> &str {
        self.parts
            .iter()
            .find_map(|part| match &part.content {
                Content::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .unwrap_or_default()
    }

    /// Takes the white space from the ends of its texts. Only a fault asks for it.
    pub fn trim_texts(&mut self) {
        for part in &mut self.parts {
            if let Content::Text(text) = &mut part.content {
                *text = text.trim().to_owned();
            }
        }
    }
}

/// A piece of content (section 4.1.6).
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The content itself: exactly one kind.
    pub content: Content,
    /// Free-form.
    pub metadata: Metadata,
    /// A name for a file.
    pub filename: Option<String>,
    /// The media type of the content.
    pub media_type: Option<String>,
}

/// The four kinds of content of a [`Part`].
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Text.
    Text(String),
    /// Bytes of a file.
    Raw(Vec<u8>),
    /// Where a file is.
    Url(String),
    /// Any JSON value, null included.
    Data(serde_json::Value),
}

impl Part {
    /// A part with nothing but its content.
    pub fn new(content: Content) -> Self {
        Self { content, metadata: Metadata::new(), filename: None, media_type: None }
    }

    /// A part of plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Content::Text(text.into()))
    }
}
