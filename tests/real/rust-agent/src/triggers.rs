//! What brings the agent into each state: the first word of a message. As in `../../serving.py`.

/// The extension by which the card announces the triggers.
pub const EXTENSION: &str = "urn:a2aspec:triggers:v1";

/// Everything that the first word of a message may be; any other word behaves as `complete`.
pub const ALL: [&str; 10] =
    ["complete", "message", "slow", "chunks", "input-required", "auth-required", "fail", "reject", "file", "data"];
