//! What is wrong with a parser.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Reply, compare};
use crate::corpus::{Class, Input, Kind, Verdict};
use crate::verdict::Level;
use crate::wire::base64;

/// In which way a parser is wrong about an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// It died.
    Crash,
    /// It did not answer in time.
    Hang,
    /// It refused what it should read.
    WrongRefusal,
    /// It read something else than what is there.
    WrongValue,
    /// It read what it should refuse.
    WrongAcceptance,
}

impl What {
    /// Every way.
    pub const ALL: [Self; 5] = [Self::Crash, Self::Hang, Self::WrongRefusal, Self::WrongValue, Self::WrongAcceptance];

    /// Its name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::WrongRefusal => "wrong-refusal",
            Self::WrongValue => "wrong-value",
            Self::WrongAcceptance => "wrong-acceptance",
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Crash => "the parser died",
            Self::Hang => "the parser did not answer",
            Self::WrongRefusal => "refused what it should read",
            Self::WrongValue => "read something else",
            Self::WrongAcceptance => "read what it should refuse",
        })
    }
}

/// What is wrong about one reply: in which way, and at which place of the value, indices left out.
pub(super) type Wrong = (What, Option<String>);

/// Judges a reply; `None` where nothing is wrong with it.
pub(super) fn judge(kind: Kind, input: &Input, reply: &Reply) -> Option<Wrong> {
    let answer = match reply {
        Reply::Crash(_) => return Some((What::Crash, None)),
        Reply::Hang => return Some((What::Hang, None)),
        Reply::Answer(answer) => answer,
    };
    match (input.verdict, answer.accepted) {
        (Verdict::Accept, false) => Some((What::WrongRefusal, None)),
        (Verdict::Reject, true) => Some((What::WrongAcceptance, None)),
        (Verdict::Accept, true) => {
            let (expected, read) = input.value.as_ref().zip(answer.value.as_ref())?;
            let place = compare::difference(kind, expected, read)?;
            Some((What::WrongValue, named(kind, &place)))
        }
        _ => None,
    }
}

/// Members whose own members have names that mean nothing.
const FREE: [&str; 7] = ["metadata", "data", "params", "result", "scopes", "securitySchemes", "header"];

/// A pointer as far as its names are those of the kind, with `*` for each index. In JSON of no type no name means anything.
fn named(kind: Kind, pointer: &str) -> Option<String> {
    if kind == Kind::Json {
        return None;
    }
    let is_index = |token: &str| !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
    let mut named = String::new();
    for token in pointer.split('/').skip(1) {
        named.push('/');
        named.push_str(if is_index(token) { "*" } else { token });
        if FREE.contains(&token) {
            break;
        }
    }
    Some(named)
}

/// How much a finding matters. A parser that dies or hangs is wrong about any input, and so breaks what every reader owes.
pub(super) fn level(what: What, class: &Class) -> Level {
    match what {
        What::Crash | What::Hang => Level::Must,
        _ => class.level,
    }
}

/// One cause, with the smallest input that was found for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The same for the same cause in every run: what is wrong, and the class.
    pub id: String,
    /// What the parser reads.
    pub kind: Kind,
    /// The version of what it reads, where that has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The seed of the run.
    pub seed: u64,
    /// What is wrong.
    pub what: What,
    /// How much it matters; MAY where it did not come again.
    pub level: Level,
    /// The class of the input.
    pub class: Class,
    /// The input.
    #[serde(serialize_with = "as_base64", rename = "input_base64")]
    pub input: Vec<u8>,
    /// JSON pointer to what the class is about, in the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// What a reader should make of it.
    pub verdict: Verdict,
    /// The value that a reader should read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Value>,
    /// Where another value was read, indices left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What the parser said.
    pub said: String,
    /// How many inputs of the run came to this.
    pub seen: usize,
    /// How often it came again when the input was given three more times.
    pub again: usize,
}

fn as_base64<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&base64::encode(bytes))
}

/// What a reply says, in a few words.
pub(super) fn said(reply: &Reply) -> String {
    match reply {
        Reply::Crash(status) => format!("ended with {status}"),
        Reply::Hang => "no answer".to_owned(),
        Reply::Answer(answer) if answer.accepted => match &answer.value {
            Some(value) => format!("accepted, as {value}"),
            None => "accepted".to_owned(),
        },
        Reply::Answer(answer) => match &answer.error {
            Some(error) => format!("refused: {error}"),
            None => "refused".to_owned(),
        },
    }
}
