//! What answers have said: their texts, times and numbers become material for further requests.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::transcript::Answer;

/// How many of each are kept, the last ones, and how long a text is at most.
const KEPT: usize = 64;
const LONGEST: usize = 512;
/// How much of one answer is looked at.
const MOST: usize = 64;
/// What numbers are tried around before any was learned: limits that schemas and texts name, and sizes of usual buffers.
const GIVEN: [i64; 14] = [0, 1, 10, 20, 50, 100, 128, 255, 1_000, 1_024, 4_096, 32_767, 65_536, 2_147_483_647];

/// What was learned over an interface.
#[derive(Debug, Default)]
pub(super) struct Learned(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    texts: VecDeque<String>,
    numbers: VecDeque<i64>,
    known: BTreeSet<String>,
}

impl Learned {
    /// Takes what an answer says, error or result.
    pub fn hear(&self, answer: &Answer) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut left = MOST;
        for error in answer.errors() {
            kept.take("", &error.value, &mut left);
        }
        for payload in answer.payloads().into_iter().take(4) {
            kept.take("", &payload.reading.value, &mut left);
        }
    }

    /// The texts, the first learned first.
    pub fn texts(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).texts.iter().cloned().collect()
    }

    /// The numbers, with those that are tried in any case.
    pub fn numbers(&self) -> Vec<i64> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        GIVEN.iter().chain(&kept.numbers).copied().collect()
    }
}

impl Kept {
    fn take(&mut self, name: &str, value: &Value, left: &mut usize) {
        if *left == 0 {
            return;
        }
        *left -= 1;
        match value {
            // What is at an address is somebody's.
            Value::String(_) if ["url", "uri"].contains(&name) => {}
            Value::String(text) if !text.is_empty() && text.len() <= LONGEST && self.known.insert(text.clone()) => {
                self.texts.push_back(text.clone());
                if self.texts.len() > KEPT
                    && let Some(first) = self.texts.pop_front()
                {
                    self.known.remove(&first);
                }
            }
            Value::Number(number) => {
                let number = number.as_i64().filter(|number| !self.numbers.contains(number));
                self.numbers.extend(number);
                if self.numbers.len() > KEPT {
                    self.numbers.pop_front();
                }
            }
            // The names of members are texts, too.
            Value::Object(members) => members.iter().for_each(|(name, member)| self.take(name, member, left)),
            Value::Array(items) => items.iter().for_each(|item| self.take(name, item, left)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_and_numbers_are_kept_once_and_addresses_are_not() {
        let mut kept = Kept::default();
        let said = json!({ "id": "a", "url": "https://a.example", "parts": [{ "text": "b" }, { "data": 17 }, { "text": "a" }] });
        kept.take("", &said, &mut 100);
        assert_eq!(
            (kept.texts.make_contiguous().to_vec(), kept.numbers.make_contiguous().to_vec()),
            (vec!["a".to_owned(), "b".to_owned()], vec![17])
        );
        for number in 0..200 {
            kept.take("", &json!([number, format!("t{number}")]), &mut 100);
        }
        assert_eq!((kept.texts.len(), kept.numbers.len(), kept.known.len()), (KEPT, KEPT, KEPT));
    }
}
