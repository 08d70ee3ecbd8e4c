//! The triggers whose own words did not do, by the cases that are at stake.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::model::TriggerInfo;
use crate::case::Trigger;
use crate::event::OtherWords;
use crate::plan::{Plan, Trial};
use crate::secrets::Secrets;
use crate::verdict::{TrialResult, Verdict};

/// What a user may put into the configuration, that with the most cases first.
pub(super) fn that_did_not_do(
    plan: &Plan,
    results: &[TrialResult],
    words: &[OtherWords],
    secrets: &Secrets,
) -> Vec<TriggerInfo> {
    let case = |trial: &Trial| (trial.case.id.clone(), trial.case.triggers().into_iter().collect());
    let sent: BTreeMap<String, BTreeSet<Trigger>> = plan.trials.iter().map(|trial| case(trial)).collect();
    let of_trigger = |trigger: Trigger| {
        let sought = words.iter().find(|words| words.trigger == trigger.name());
        // Where its own words do, something else kept a case from its state.
        if sought.is_some_and(|words| words.does) {
            return None;
        }
        let found = sought.filter(|words| words.text.is_some());
        let is_counted = |result: &&TrialResult| match found {
            Some(_) => !matches!(result.verdict, Verdict::Unreached | Verdict::Skipped),
            None => waits(result, trigger, sought.is_some()),
        };
        let of_it = results.iter().filter(|result| sent.get(&result.case).is_some_and(|sent| sent.contains(&trigger)));
        let cases = of_it.filter(is_counted).count();
        (cases > 0).then(|| TriggerInfo {
            trigger: trigger.to_string(),
            text: found.and_then(|words| words.text.as_ref()).map(|text| secrets.mask(text)),
            message_id_prefix: found.and_then(|words| words.message_id_prefix.clone()),
            is_example: found.is_some_and(|words| words.is_example),
            cases,
        })
    };
    let mut found: Vec<TriggerInfo> = Trigger::ALL.into_iter().filter_map(of_trigger).collect();
    found.sort_by_key(|info| Reverse(info.cases));
    found
}

/// Whether words for a trigger would help with a result. Where its own were seen not to do, it need not be named: a case may
/// have been kept from its state later than by its first message.
fn waits(result: &TrialResult, trigger: Trigger, is_known_to_miss: bool) -> bool {
    let Some(reason) = result.reason.as_ref().filter(|_| result.verdict == Verdict::Unreached) else { return false };
    match reason.trigger() {
        Some(name) => name == trigger.name() && reason.is_about_a_trigger(),
        None => is_known_to_miss && reason.may_be_for_the_words(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reason::Reason;
    use crate::report::sample;

    #[test]
    fn a_case_waits_for_the_trigger_that_it_missed() {
        let report = sample::full();
        let mut result = report.results.into_iter().find(|result| result.verdict == Verdict::Unreached).unwrap();
        let mut waiting = |reason: Reason| {
            result.reason = Some(reason);
            [(Trigger::Fail, false), (Trigger::Fail, true), (Trigger::Slow, true)]
                .map(|(trigger, is_known)| waits(&result, trigger, is_known))
        };
        let text = String::new;
        let missed = Reason::TriggerMissed { text: text(), received: text(), goal: text(), trigger: "fail".to_owned() };
        assert_eq!(waiting(missed), [true, true, false]);
        let silent =
            Reason::TriggerUnanswered { text: text(), received: text(), goal: text(), trigger: "fail".to_owned() };
        assert_eq!(waiting(silent), [false; 3]);
        assert_eq!(waiting(Reason::NoUpdate), [false, true, true]);
        assert_eq!(waiting(Reason::Interrupted), [false; 3]);
    }
}
