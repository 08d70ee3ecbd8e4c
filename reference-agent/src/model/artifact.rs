use super::{Metadata, Part};

/// An output of a task (section 4.1.7).
#[derive(Debug, Clone, PartialEq)]
pub struct Artifact {
    /// Made by the agent, unique within the task.
    pub artifact_id: String,
    /// A name for people.
    pub name: Option<String>,
    /// What the artifact holds, for people.
    pub description: Option<String>,
    /// The content; never empty.
    pub parts: Vec<Part>,
    /// Free-form.
    pub metadata: Metadata,
    /// URIs of the extensions that contributed.
    pub extensions: Vec<String>,
}

impl Artifact {
    /// An artifact with a name and parts, and nothing else.
    pub fn new(artifact_id: String, name: &str, parts: Vec<Part>) -> Self {
        Self {
            artifact_id,
            name: Some(name.to_owned()),
            description: None,
            parts,
            metadata: Metadata::new(),
            extensions: Vec::new(),
        }
    }
}
