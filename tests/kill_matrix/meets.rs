//! What a fault can meet: the trials that it cannot are not run, for it cannot turn them red.

use a2a_reference_agent::Fault;
use a2aspec::case::{Act, Action, Case, Goal};
use a2aspec::plan::{Endpoint, Trial};
use a2aspec::profile::Operation;

/// Whether a fault can act on what a trial brings about, as far as the case says what that is.
pub fn can_meet(fault: &Fault, trial: &Trial, endpoints: &[Endpoint]) -> bool {
    let acts_at = |index: usize| {
        let acts = |at: &Endpoint| fault.acts_in(at.profile.name()) && fault.acts_over(&at.binding.to_string());
        endpoints.get(index).is_some_and(acts)
    };
    let is_there = acts_at(trial.endpoint) || trial.second.is_some_and(acts_at);
    is_there && asks_for(&trial.case).is_none_or(|asked| asked.iter().any(|one| fault.acts_on(&one.to_string())))
}

/// The operations that a case calls; nothing for one that judges all of them, or sends bytes of its own.
fn asks_for(case: &Case) -> Option<Vec<Operation>> {
    let Action::Steps(_) = case.action else { return None };
    let steps = case.all_steps();
    if steps.iter().any(|step| matches!(step.act, Act::Raw(_) | Act::Card(_))) {
        return None;
    }
    let mut asked: Vec<Operation> = steps.iter().filter_map(|step| step.act.operation()).collect();
    for fixture in case.given.values() {
        asked.extend([Operation::SendMessage, Operation::GetTask]);
        if fixture.task == Goal::Canceled {
            asked.push(Operation::CancelTask);
        }
    }
    Some(asked)
}
