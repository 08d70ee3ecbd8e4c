//! What the objects of this family look like in JSON, with a row for each version.

use super::names::Names;

/// A version of this family.
#[derive(Debug)]
pub struct VersionTraits {
    /// The words for states and roles.
    pub names: &'static Names,
    /// Whether files and data are objects within a part (1.0-draft, sections 4.1.6 to 4.1.8), or members of it.
    pub nests_parts: bool,
    /// Whether a status update says whether it is the last one (1.0-draft, section 4.2.1).
    pub says_final: bool,
}

/// 1.0.
pub static V1_0: VersionTraits = VersionTraits { names: &Names::OF_PROTO, nests_parts: false, says_final: false };

/// The draft of 1.0.
pub static DRAFT: VersionTraits = VersionTraits { names: &Names::IN_KEBAB_CASE, nests_parts: true, says_final: true };

/// How tasks and messages that answer a send, and events, stand in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// By themselves, over JSON-RPC (9.4.1, 9.4.2).
    Bare,
    /// In a member that says what they are (3.2.3, 11.4).
    Wrapped,
}
