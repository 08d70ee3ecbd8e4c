//! Findings again: whether a parser is still wrong about their inputs.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::finding;
use super::{Adapter, AdapterError, What};
use crate::corpus::{Input, Kind, Verdict};
use crate::wire::base64;

/// How often an input is given.
const TIMES: usize = 3;

/// A finding as its file has it, as far as it takes to give the input again. The generators may have changed since.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Recorded {
    /// The name of its cause.
    pub id: String,
    /// What the parser reads.
    pub kind: Kind,
    /// What was wrong.
    pub what: What,
    /// What a reader should make of the input.
    pub verdict: Verdict,
    /// The input.
    #[serde(rename = "input_base64", deserialize_with = "from_base64")]
    pub input: Vec<u8>,
    /// The value that a reader should read; null is one.
    #[serde(default, deserialize_with = "there")]
    pub expected: Option<Value>,
    /// Where another value was read, indices left out.
    pub place: Option<String>,
}

/// What became of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It comes as before.
    Still,
    /// It does not come any more.
    Fixed,
    /// It comes so many times of three.
    Flaky(usize),
    /// Something else is wrong now.
    Otherwise(What),
}

/// Gives the input of a finding three more times; what the parser said last is told beside what became of it.
///
/// # Errors
/// The adapter cannot be started, or does not keep to the protocol.
pub fn again(recorded: &Recorded, adapter: &mut Adapter) -> Result<(Fate, String), AdapterError> {
    let input = Input {
        bytes: recorded.input.clone(),
        verdict: recorded.verdict,
        value: recorded.expected.clone(),
        place: None,
    };
    let mut wrong = Vec::new();
    let mut said = String::new();
    for _ in 0..TIMES {
        let reply = adapter.ask(&input.bytes)?;
        said = finding::said(&reply);
        wrong.extend(finding::judge(recorded.kind, &input, &reply));
    }
    let before = (recorded.what, recorded.place.clone());
    let other = wrong.iter().find(|found| **found != before);
    let fate = match (wrong.len(), other) {
        (0, _) => Fate::Fixed,
        (TIMES, None) => Fate::Still,
        (TIMES, Some((what, _))) => Fate::Otherwise(*what),
        (came, _) => Fate::Flaky(came),
    };
    Ok((fate, said))
}

fn from_base64<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<u8>, D::Error> {
    base64::decode(&String::deserialize(reader)?).map_err(serde::de::Error::custom)
}

/// What stands there is a value, be it null.
fn there<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(reader).map(Some)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_null_is_not_one_that_is_missing() {
        let read = |expected: &str| {
            let text = format!(
                r#"{{"id":"a","kind":"json","what":"wrong-value","verdict":"accept","input_base64":"bnVsbA=="{expected}}}"#
            );
            serde_json::from_str::<Recorded>(&text).unwrap()
        };
        assert_eq!(read("").expected, None);
        assert_eq!(read(r#","expected":null"#).expected, Some(Value::Null));
        assert_eq!(read("").input, b"null");
    }
}
