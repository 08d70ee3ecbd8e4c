//! How quickly an interface usually answers: where that is known, silence is told from work that takes long.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::profile::Operation;
use crate::transcript::Answer;

/// An answer is quick if it takes no more than this part of the time limit.
const QUICK: u32 = 20;
/// So many answers show what is usual, if all but one in ten are quick.
const LEAST: u64 = 40;
const SLOW_ONES: u64 = 10;

/// How many answers to each operation were quick, and how many there were.
#[derive(Debug, Default)]
pub(super) struct Usual(Mutex<BTreeMap<Operation, (u64, u64)>>);

impl Usual {
    /// Learns from an answer. How long a stream goes on says nothing.
    pub fn learn(&self, operation: Operation, answer: &Answer, limit: Duration) {
        if answer.exchange.response.is_none() || operation.streams() {
            return;
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (quick, all) = known.entry(operation).or_default();
        *all += 1;
        *quick += u64::from(answer.exchange.elapsed * QUICK <= limit);
    }

    /// Whether an operation is answered quickly, as a rule.
    pub fn is_quick(&self, operation: Operation) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&operation).is_some_and(|(quick, all)| *all >= LEAST && (all - quick) * SLOW_ONES <= *all)
    }
}
