//! What follows from another finding: it is told once, and the rest is not reached.

use std::collections::{BTreeMap, BTreeSet};

use super::builder::{key_of_result, key_of_trial};
use crate::finding::{Finding, Kind};
use crate::judge::UNSUPPORTED;
use crate::plan::Plan;
use crate::reason::Reason;
use crate::verdict::{TrialResult, Verdict};

/// The case that tells of an operation that an interface does not have.
const TELLS: &str = "operations/served";

/// An operation that an interface denies whatever it is asked.
type Denied = (String, String, String);

/// Makes those results unreached that saw nothing but that an operation is denied, where that is told by a case of its own.
pub(super) fn mark(plan: &Plan, results: &mut [TrialResult]) {
    let tells = |result: &&TrialResult| result.case == TELLS;
    let denied: BTreeSet<Denied> = results
        .iter()
        .filter(tells)
        .flat_map(|result| {
            let operations = result.findings.iter().filter_map(denied_by);
            operations.map(|operation| (result.profile.clone(), result.binding.clone(), operation.to_owned()))
        })
        .collect();
    mark_alike(plan, results);
    // What is flaky was served when it was asked again.
    let is_to_be_read = |result: &TrialResult| {
        result.case != TELLS && result.verdict >= Verdict::Note && result.verdict != Verdict::Flaky
    };
    for result in results.iter_mut().filter(|result| is_to_be_read(result)) {
        let is_told = |operation: &str| {
            let (profile, operation) = (&result.profile, operation.to_owned());
            let mut sides = result.binding.split('+').map(str::to_owned);
            sides.any(|binding| denied.contains(&(profile.clone(), binding, operation.clone())))
        };
        let operations: Option<Vec<&str>> = result.findings.iter().map(denied_by).collect();
        let Some(operation) = operations.and_then(|all| all.into_iter().find(|operation| is_told(operation))) else {
            continue;
        };
        let reason = Reason::NotServed { operation: operation.to_owned() };
        if let Some(trial) = plan.trials.iter().find(|trial| key_of_trial(trial) == key_of_result(result)) {
            // What was shown before the denial was shown.
            let (held, times) = (std::mem::take(&mut result.held), result.times);
            *result = TrialResult { held, times, ..trial.without_findings(Verdict::Unreached, reason) };
        }
    }
}

/// Makes unreached what follows from it that an interface answers every request alike: all but what its card shows.
fn mark_alike(plan: &Plan, results: &mut [TrialResult]) {
    let told = |result: &TrialResult| {
        let finding = result.findings.iter().find(|finding| finding.kind == Kind::AnswersAlike)?;
        let received = finding.received.clone().unwrap_or_default();
        Some(((result.profile.clone(), result.binding.clone()), received))
    };
    let alike: BTreeMap<(String, String), String> = results.iter().filter_map(told).collect();
    if alike.is_empty() {
        return;
    }
    for result in results.iter_mut().filter(|result| result.case != TELLS && result.verdict >= Verdict::Note) {
        let received = alike.get(&(result.profile.clone(), result.binding.clone()));
        let trial = plan.trials.iter().find(|trial| key_of_trial(trial) == key_of_result(result));
        if let (Some(received), Some(trial)) = (received, trial)
            && !trial.case.needs_no_control()
        {
            let reason = Reason::AnsweredAlike { received: received.clone() };
            *result = TrialResult { times: result.times, ..trial.without_findings(Verdict::Unreached, reason) };
        }
    }
}

fn denied_by(finding: &Finding) -> Option<&str> {
    match &finding.kind {
        Kind::OperationDenied { operation }
        | Kind::OperationUnsupported { operation }
        | Kind::NotFoundOverHttp { operation } => Some(operation),
        Kind::WrongError { operation, received, .. } if received == UNSUPPORTED => Some(operation),
        _ => None,
    }
}
