//! What has been asked before is not asked again, as long as there is something else.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::Value;

use super::hunt::Phase;
use super::probe::{Body, Probe, Send};

/// So many attempts are remembered; then they may come once more.
const KEPT: usize = 1 << 18;
/// After so many repeated ones of a phase one is let through: an agent may do otherwise the second time.
const PASSED: usize = 24;

/// What was asked before.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    seen: HashSet<u64>,
    passed: BTreeMap<&'static str, usize>,
}

impl Repeats {
    /// Whether these steps have been made before over this interface, and are to be passed over.
    pub fn pass_over(&mut self, phase: Phase, interface: usize, steps: &[Probe]) -> bool {
        if phase == Phase::Boundaries {
            return false;
        }
        if self.seen.len() >= KEPT {
            self.seen.clear();
        }
        let passed = self.passed.entry(phase.name()).or_default();
        if self.seen.insert(name(interface, steps)) {
            return false;
        }
        let is_due = *passed >= PASSED;
        *passed = if is_due { 0 } else { *passed + 1 };
        !is_due
    }
}

/// A short name of what is asked.
fn name(interface: usize, steps: &[Probe]) -> u64 {
    let mut hasher = DefaultHasher::new();
    interface.hash(&mut hasher);
    for step in steps {
        (step.operation, step.over, step.is_beside, step.by.name(), format!("{:?}", step.reading)).hash(&mut hasher);
        match &step.send {
            Send::Call { params } => {
                (params.to_string(), &step.headers, step.rpc_id.as_ref().map(Value::to_string)).hash(&mut hasher)
            }
            Send::Bytes { params, send } => (params.to_string(), format!("{send:?}")).hash(&mut hasher),
            Send::Deliveries(wanted) => format!("{wanted:?}").hash(&mut hasher),
            Send::End { task } => task.hash(&mut hasher),
            Send::Raw { suffix, body, head } => {
                (suffix, format!("{head:?}")).hash(&mut hasher);
                match body {
                    Body::Text(text) => text.hash(&mut hasher),
                    Body::Bytes(bytes) => bytes.hash(&mut hasher),
                }
            }
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fuzz::probe::step;
    use crate::profile::Operation;

    #[test]
    fn under_a_tenth_are_repetitions_where_there_is_something_else() {
        let mut repeats = Repeats::default();
        let ask = |id: u64| vec![step(Operation::GetTask, json!({ "id": id }))];
        let (mut made, mut again) = (0, 0);
        for number in 0..1_000 {
            // Two in three were asked before.
            let is_new = number % 3 == 0;
            if !repeats.pass_over(Phase::Mutation, 0, &ask(if is_new { number } else { 0 })) {
                made += 1;
                again += usize::from(!is_new);
            }
        }
        assert!(made > 300 && again * 10 < made, "{again} of {made}");
        assert!(!repeats.pass_over(Phase::Mutation, 1, &ask(0)), "over another interface it is new");
        let often = (0..100).filter(|_| !repeats.pass_over(Phase::Transport, 0, &ask(0))).count();
        assert_eq!(often, 4);
        assert!(!repeats.pass_over(Phase::Boundaries, 0, &ask(0)));
    }
}
