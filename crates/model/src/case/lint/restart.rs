//! Where a case may restart the agent: once, between two of its steps, and while no stream is open.

use std::collections::BTreeSet;

use super::Lint;
use crate::case::convert::inner;
use crate::case::{Act, Action, Case};
use crate::yaml::tree::Part;

impl Lint<'_> {
    /// `after-restart` is at most once in a case, and where a restart cuts nothing off.
    pub(super) fn check_restart(&mut self, case: &Case) {
        let Action::Steps(steps) = &case.action else { return };
        let (mut is_restarted, mut open) = (false, BTreeSet::new());
        for step in steps {
            let at = inner(&step.at, "after-restart");
            if step.after_restart.is_some() {
                let message = match open.first() {
                    _ if is_restarted => Some("the agent is restarted once in a case".to_owned()),
                    Some(name) => Some(format!("the stream `{name}` is still open here, and a restart cuts it off")),
                    None => None,
                };
                message.into_iter().for_each(|message| self.wrong(case, &at, &Part::Name, message, None));
                is_restarted = true;
            }
            match &step.act {
                Act::Open(_) => open.extend(step.name.as_deref()),
                Act::Drain(name) | Act::Close(name) => {
                    open.remove(name.as_str());
                }
                Act::Together(steps) => {
                    for step in steps.iter().filter(|step| step.after_restart.is_some()) {
                        let at = inner(&step.at, "after-restart");
                        let message = "the agent is not restarted while several steps go on";
                        self.wrong(case, &at, &Part::Name, message, Some("name it at the `together`".to_owned()));
                    }
                }
                _ => {}
            }
        }
    }
}
