//! The messages of A2A 1.0 as a table (`model.txt`).

use std::collections::HashMap;
use std::sync::LazyLock;

/// How a member is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Whole,
    Truth,
    State,
    Role,
    Time,
    Bytes,
    /// An object that nobody else's rules reach into.
    Struct,
    Any,
    Message(String),
    Many(Box<Kind>),
    Map(Box<Kind>),
}

/// One member of a message.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// REQUIRED in the protocol buffer definition.
    pub(crate) required: bool,
    /// Nothing can be made of an object without it.
    pub(crate) needed: bool,
    /// A default that is written differs from one that is not.
    pub(crate) present: bool,
}

static MESSAGES: LazyLock<HashMap<&'static str, Vec<Member>>> = LazyLock::new(|| {
    let lines = include_str!("model.txt").lines().filter(|line| !line.starts_with('#'));
    let message = |line: &'static str| {
        let mut words = line.split_whitespace();
        Some((words.next()?, words.filter_map(member).collect()))
    };
    lines.filter_map(message).collect()
});

fn member(word: &str) -> Option<Member> {
    let (name, written) = word.split_once('=')?;
    let kind = written.trim_end_matches(['!', '?']);
    let marks = &written[kind.len()..];
    Some(Member {
        name: name.to_owned(),
        kind: kind_of(kind),
        required: marks.starts_with('!'),
        needed: marks == "!!",
        present: marks == "?",
    })
}

fn kind_of(word: &str) -> Kind {
    let inner = |from: char, to: char| word.strip_prefix(from).and_then(|rest| rest.strip_suffix(to));
    if let Some(inner) = inner('[', ']') {
        return Kind::Many(Box::new(kind_of(inner)));
    }
    if let Some(inner) = inner('{', '}') {
        return Kind::Map(Box::new(kind_of(inner)));
    }
    match word {
        "text" => Kind::Text,
        "whole" => Kind::Whole,
        "truth" => Kind::Truth,
        "state" => Kind::State,
        "role" => Kind::Role,
        "time" => Kind::Time,
        "bytes" => Kind::Bytes,
        "struct" => Kind::Struct,
        "any" => Kind::Any,
        message => Kind::Message(message.to_owned()),
    }
}

/// The members of a message.
pub(crate) fn members(message: &str) -> &'static [Member] {
    MESSAGES.get(message).map_or(&[], Vec::as_slice)
}

/// The states by their numbers, which ProtoJSON also allows to be written.
pub(crate) const STATES: [&str; 9] = [
    "TASK_STATE_UNSPECIFIED",
    "TASK_STATE_SUBMITTED",
    "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",
    "TASK_STATE_FAILED",
    "TASK_STATE_CANCELED",
    "TASK_STATE_INPUT_REQUIRED",
    "TASK_STATE_REJECTED",
    "TASK_STATE_AUTH_REQUIRED",
];

/// The roles by their numbers.
pub(crate) const ROLES: [&str; 3] = ["ROLE_UNSPECIFIED", "ROLE_USER", "ROLE_AGENT"];

/// Whether a task in this state has ended.
pub(crate) fn is_terminal(state: &str) -> bool {
    ["COMPLETED", "FAILED", "CANCELED", "REJECTED"].iter().any(|end| state.strip_prefix("TASK_STATE_") == Some(end))
}

/// Whether a task in this state waits for somebody.
pub(crate) fn is_interrupted(state: &str) -> bool {
    matches!(state, "TASK_STATE_INPUT_REQUIRED" | "TASK_STATE_AUTH_REQUIRED")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_that_is_named_is_there() {
        fn named(kind: &Kind) -> Option<&str> {
            match kind {
                Kind::Message(name) => Some(name),
                Kind::Many(inner) | Kind::Map(inner) => named(inner),
                _ => None,
            }
        }
        for (message, members) in MESSAGES.iter() {
            for name in members.iter().filter_map(|member| named(&member.kind)) {
                assert!(MESSAGES.contains_key(name), "{message} names {name}");
            }
        }
        assert!(members("Task")[0].needed && !members("Task")[1].required);
    }
}
