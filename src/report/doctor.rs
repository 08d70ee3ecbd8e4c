//! What can be tested on an agent and what cannot, as the few trials show on which the others depend.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::model::Report;
use super::root_causes::{RootCause, folded};
use super::security::{described, label};
use super::style::{self, FAINT, STRONG, paint};
use super::terminal::{found, roots, triggers};
use crate::auth::Caller;
use crate::diagnostic::words::{count, duration, one_line, printable_with_styles, wrap};
use crate::plan::{Need, Plan, Sample, Trial};
use crate::reason::Reason;
use crate::verdict::{TrialResult, Verdict};

/// The columns before what is said of a need.
const INDENT: usize = 25;

/// The callers whose credentials an agent refuses.
const BY_ROLE: [Caller; 3] = [Caller::Expired, Caller::WrongAudience, Caller::Narrow];

/// The text, for a terminal of so many columns: `report` is about the samples alone, `plan` is the whole.
pub(crate) fn render(report: &Report, plan: &Plan, samples: &[Sample], width: usize) -> String {
    let mut report = report.clone();
    for info in &mut report.triggers {
        let of_it =
            samples.iter().filter(|sample| matches!(sample.need, Need::Trigger(it) if it.name() == info.trigger));
        info.cases = of_it.map(|sample| sample.trials).sum();
    }
    let mut parts = vec![
        found::render(&report, width),
        roots::render_with(&report, width, |cause| waiting(&report, plan, samples, cause)),
    ];
    let mut by_interface: BTreeMap<usize, Vec<&Sample>> = BTreeMap::new();
    samples.iter().for_each(|sample| by_interface.entry(sample.trial.interface).or_default().push(sample));
    parts.extend(by_interface.values().map(|samples| interface(&report, plan, samples, width)));
    parts.push(credentials(&report, plan, width));
    parts.push(skipped(plan, width));
    parts.push(triggers::render(&report, width));
    let messages = usize::try_from(report.messages_sent).unwrap_or(usize::MAX);
    let took = duration(Duration::from_millis(report.duration_ms));
    parts.push(format!("{} sent in {took}; `a2aspec check` tests the whole\n", count(messages, "message")));
    parts.retain(|part| !part.is_empty());
    printable_with_styles(&parts.join("\n"))
}

/// One interface, and what it has of what trials need.
fn interface(report: &Report, plan: &Plan, samples: &[&Sample], width: usize) -> String {
    let Some(Trial { profile, binding, interface, .. }) = samples.first().map(|sample| &*sample.trial) else {
        return String::new();
    };
    let over_it = || plan.trials.iter().filter(|trial| trial.interface == *interface);
    let apply = over_it().filter(|trial| trial.skipped.is_none()).count();
    let heading = format!("{profile} {binding}");
    let mut out = format!("{}: {apply} of {} apply\n", paint(STRONG, heading), count(over_it().count(), "case"));
    let folded = folded(&report.root_causes);
    for sample in samples {
        let (name, what) = match sample.need {
            Need::Answers => ("answers".to_owned(), String::new()),
            Need::Trigger(trigger) => (format!("trigger {trigger}"), words(report, trigger.name())),
            Need::Webhooks => ("webhooks".to_owned(), String::new()),
        };
        let result = report.results.iter().enumerate().find(|(_, result)| is_of(result, &sample.trial));
        let missing = result.and_then(|(_, result)| missing(sample.need, result));
        let (style, said) = match &missing {
            None => (style::of(Verdict::Pass), format!("yes{what}")),
            Some(_) if result.is_some_and(|(index, _)| folded.contains(&index)) => {
                (style::of(Verdict::Unreached), "no: see the root cause".to_owned())
            }
            Some((true, reason)) => (style::of(Verdict::Unreached), format!("no: {reason}")),
            Some((false, reason)) => (style::of(Verdict::Unreached), format!("not known: {reason}")),
        };
        let said = format!("{said} ({})", count(sample.trials, "case"));
        for (index, line) in wrap(&one_line(&said), width.saturating_sub(INDENT)).into_iter().enumerate() {
            let name = if index == 0 { name.as_str() } else { "" };
            let line = if index == 0 { paint(style, &line) } else { line };
            out.push_str(&format!("  {name:<22} {line}\n"));
        }
    }
    out
}

/// How many trials wait at most for what a root cause keeps from the samples, in words: each counts once, whatever it needs.
fn waiting(report: &Report, plan: &Plan, samples: &[Sample], cause: &RootCause) -> Option<String> {
    let is_kept = |sample: &&Sample| cause.results(report).any(|result| is_of(result, &sample.trial));
    let kept: Vec<&Sample> = samples.iter().filter(is_kept).collect();
    let waits_for = |trial: &Trial, sample: &Sample| match sample.need {
        Need::Trigger(trigger) => trial.case.triggers().contains(&trigger),
        Need::Webhooks => trial.receives(),
        Need::Answers => true,
    };
    let waits = |trial: &&Arc<Trial>| {
        trial.skipped.is_none()
            && kept.iter().any(|sample| sample.trial.interface == trial.interface && waits_for(trial, sample))
    };
    let cases = plan.trials.iter().filter(waits).count();
    (cases > 0).then(|| format!("it keeps at most {} from being tested", count(cases, "case")))
}

fn is_of(result: &TrialResult, trial: &Trial) -> bool {
    (&result.case, &result.profile, &result.binding) == (&trial.case.id, &trial.profile, &trial.bindings())
}

/// By which words a trigger does, where these are not its own.
fn words(report: &Report, trigger: &str) -> String {
    let info = report.triggers.iter().find(|info| info.trigger == trigger);
    let text = info.and_then(|info| info.text.as_ref());
    text.map(|text| format!(", by other words: {text:?}")).unwrap_or_default()
}

/// Why there is not what is needed, and whether that is sure. A case that failed had what it needed.
fn missing(need: Need, result: &TrialResult) -> Option<(bool, String)> {
    let reason = match result.verdict {
        Verdict::Unreached | Verdict::Broken | Verdict::Skipped => result.reason.as_ref()?,
        _ => return None,
    };
    let is_sure = match need {
        // Whatever kept it from its state: there were answers.
        Need::Answers if reason.may_be_for_the_words() || reason.is_for_other_agents() => return None,
        Need::Answers => true,
        Need::Trigger(trigger) => reason.trigger() == Some(trigger.name()),
        Need::Webhooks => matches!(reason, Reason::NothingDelivered { .. } | Reason::WebhookHandshake { .. }),
    };
    Some((is_sure, reason.to_string()))
}

/// What the card says of credentials, and what the run brings; nothing where neither is anything.
fn credentials(report: &Report, plan: &Plan, width: usize) -> String {
    let (schemes, identities) = (&report.target.schemes, &report.security.identities);
    if schemes.is_empty() && identities.is_empty() {
        return String::new();
    }
    let of_schemes = schemes.iter().map(|scheme| (format!("scheme {}", scheme.name), described(scheme)));
    let of_identities = identities.iter().map(|it| (it.label(), it.brings.join(", ")));
    let wait = plan.trials.iter().filter(|trial| trial.skipped == Some(Reason::NoOtherIdentity)).count();
    let second = (wait > 0).then(|| {
        let text = "none; add one with --other to check that callers are isolated";
        ("other identity".to_owned(), format!("{text} ({})", count(wait, "case")))
    });
    let of_roles = BY_ROLE.iter().filter_map(|caller| {
        let missing = Reason::NoIdentity { role: caller.name().to_owned() };
        let wait = plan.trials.iter().filter(|trial| trial.skipped.as_ref() == Some(&missing)).count();
        let said = format!("none: {missing} ({})", count(wait, "case"));
        (wait > 0).then(|| (label(caller.name()), said))
    });
    let mut out = format!("{}\n", paint(STRONG, "credentials"));
    for (name, said) in of_schemes.chain(of_identities).chain(second).chain(of_roles) {
        for (index, line) in wrap(&one_line(&said), width.saturating_sub(INDENT)).into_iter().enumerate() {
            let name = if index == 0 { one_line(&name) } else { String::new() };
            out.push_str(&format!("  {name:<22} {line}\n"));
        }
    }
    out
}

/// What does not apply to the agent, by the reason.
fn skipped(plan: &Plan, width: usize) -> String {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for reason in plan.trials.iter().filter_map(|trial| trial.skipped.as_ref()) {
        *reasons.entry(one_line(&reason.to_string())).or_default() += 1;
    }
    if reasons.is_empty() {
        return String::new();
    }
    let mut reasons: Vec<(String, usize)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, cases)| std::cmp::Reverse(*cases));
    let mut out = format!("{}\n", paint(STRONG, "does not apply"));
    for (reason, cases) in reasons {
        let cases = count(cases, "case");
        for (index, line) in wrap(&reason, width.saturating_sub(INDENT)).into_iter().enumerate() {
            let cases = if index == 0 { cases.as_str() } else { "" };
            out.push_str(&format!("  {} {line}\n", paint(FAINT, format_args!("{cases:<22}"))));
        }
    }
    out
}
