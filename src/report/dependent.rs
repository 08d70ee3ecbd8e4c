//! What follows from another finding: it is told once, and the rest is not reached.

use std::collections::BTreeMap;

use super::builder::{key_of_result, key_of_trial};
use crate::finding::{Finding, Follows, Kind};
use crate::judge::UNSUPPORTED;
use crate::plan::Plan;
use crate::profile::Operation;
use crate::reason::Reason;
use crate::verdict::{TrialResult, Verdict};

/// The case that tells of an operation that an interface does not have.
const TELLS: &str = "operations/served";
/// The case that tells that nothing speaks JSON-RPC where the card says so: what else is wrong with such answers follows from it.
const SERVES: &str = "card/serves-declared";

/// Something that is wrong over one interface, from which other findings follow.
struct Cause {
    profile: String,
    binding: String,
    /// The case that tells of it.
    case: String,
    what: What,
}

#[derive(PartialEq)]
enum What {
    /// An operation is denied whatever it is asked.
    Denied(String),
    /// All answers of a kind are wrong as a whole.
    Entails(Follows),
    /// Results of this type are no objects.
    Object(String),
}

/// Makes those results unreached that saw nothing but what follows from a finding of another case.
pub(super) fn mark(plan: &Plan, results: &mut [TrialResult]) {
    let causes: Vec<Cause> = results.iter().flat_map(causes_in).collect();
    mark_alike(plan, results);
    // What is flaky was served when it was asked again.
    let is_to_be_read = |result: &TrialResult| {
        let tells = [TELLS, SERVES].contains(&result.case.as_str());
        !tells && result.verdict.is_violation()
    };
    for result in results.iter_mut().filter(|result| is_to_be_read(result)) {
        let Some(reason) = follows(result, &causes) else { continue };
        if let Some(trial) = plan.trials.iter().find(|trial| key_of_trial(trial) == key_of_result(result)) {
            let times = result.times;
            *result = TrialResult { times, ..trial.without_findings(Verdict::Unreached, reason) };
        }
    }
}

/// What a result tells from which others follow.
fn causes_in(result: &TrialResult) -> Vec<Cause> {
    let of_kind = |finding: &Finding| match &finding.kind {
        _ if finding.follows.is_some() => None,
        _ if result.case == TELLS => Some(What::Denied(denied_by(finding)?.to_owned())),
        Kind::SchemaObject { .. } => Some(What::Object(finding.assertion.rsplit(':').next()?.to_owned())),
        _ => None,
    };
    let entailed = |finding: &Finding| finding.entails.iter().cloned().map(What::Entails).collect::<Vec<_>>();
    let all = result.findings.iter().flat_map(|finding| of_kind(finding).into_iter().chain(entailed(finding)));
    let cause = |what| {
        let (profile, binding, case) = (result.profile.clone(), result.binding.clone(), result.case.clone());
        Cause { profile, binding, case, what }
    };
    all.map(cause).collect()
}

/// Why a result shows nothing of its own, if each of its findings follows from another: of denials, one that is told is enough,
/// since who has no such operation need not be told of the next.
fn follows(result: &TrialResult, causes: &[Cause]) -> Option<Reason> {
    let told_by = |what: &What| {
        let is_here = |cause: &&Cause| {
            cause.profile == result.profile && result.binding.split('+').any(|one| one == cause.binding)
        };
        let mut told = causes.iter().filter(is_here).filter(|cause| cause.case != result.case);
        told.find(|cause| cause.what == *what).map(|cause| cause.case.clone())
    };
    let mut reasons = Vec::new();
    for finding in &result.findings {
        if let Some(operation) = denied_by(finding) {
            let told = told_by(&What::Denied(operation.to_owned()));
            reasons.extend(told.map(|_| Reason::NotServed { operation: operation.to_owned() }));
            continue;
        }
        reasons.push(match finding.follows.as_ref()? {
            whole @ Follows::UnreadStream => Reason::StreamsUnread { case: told_by(&What::Entails(whole.clone()))? },
            whole @ Follows::NoResponse { .. } => Reason::NoResponses { case: told_by(&What::Entails(whole.clone()))? },
            unfound @ Follows::UnfoundTask => {
                told_by(&What::Entails(unfound.clone()))?;
                Reason::NotServed { operation: Operation::GetTask.to_string() }
            }
            Follows::NoObject { operation, of } => {
                Reason::ResultNoObject { operation: operation.clone(), case: told_by(&What::Object(of.clone()))? }
            }
        });
    }
    reasons.into_iter().next()
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
