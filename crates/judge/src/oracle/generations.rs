//! Generations of tasks: each change of a task has the next one (1.1 section 3.2.7), and a message may be for one alone (3.2.2).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::args::{AnswerHeldUp, Deliveries, Pair, Step, StreamAndTask};
use super::deliveries::some;
use super::streams::{finding_at, intact, kind, state};
use super::webhooks::{is_answered_first, news};
use super::{judged_apart, judged_of, judgement_of, violates};
use crate::finding::{Finding, Kind};
use crate::matcher::same;
use crate::reason::Reason;
use crate::{CaseView, Judged, Judgement};

/// What `generations` asserts: that each update shows its generation; that it is the next one after that of the update before, or
/// after that of the task with which the stream begins; and that the task, read later, has that of the last update.
pub(super) const GENERATIONS: &[&str] = &["shown", "next", "joined", "as-read"];

/// An update that repeats a state changes nothing, and yet no two updates are to be alike: it may have the next generation, or keep the
/// one before. Deliveries on other streams are no updates of this one.
pub(super) fn generations(view: CaseView<'_>, args: &StreamAndTask) -> Judged {
    judged_of((|| {
        let answer = view.stream(&args.stream)?;
        let task = view.task(&args.task)?;
        intact(answer)?;
        let (mut held, mut findings) = (BTreeSet::new(), Vec::new());
        let (mut known, mut shown, mut is_joining) = (0, None, true);
        for (index, event) in answer.events().iter().enumerate() {
            let Some((event, member)) = event.value().and_then(|event| Some((event, kind(event)?))) else { continue };
            let found = generation(event.get(member));
            let repeats = member == "statusUpdate" && state(event) == shown;
            shown = state(event).or(shown);
            if member == "task" || member == "message" {
                (known, is_joining) = (found.max(known), true);
                continue;
            }
            let place = format!("/{member}/generation");
            held.insert("shown");
            if found == 0 {
                let finding = finding_at(answer, index, &place, Kind::GenerationMissing);
                findings.push(violates("shown", finding.compare("1 or more", "none")));
                continue;
            }
            let name = if is_joining { "joined" } else { "next" };
            if known > 0 {
                held.insert(name);
            }
            if known > 0 && found != known + 1 && !(repeats && found == known) {
                let finding = finding_at(answer, index, &place, Kind::GenerationNotNext);
                findings.push(violates(name, finding.compare((known + 1).to_string(), found.to_string())));
            }
            (known, is_joining) = (found, false);
        }
        let is_over = |state: &str| view.profile.is_terminal(state);
        if known > 0 && shown.is_some_and(is_over) && task.pointer("/status/state").and_then(Value::as_str) == shown {
            held.insert("as-read");
            let read = generation(Some(task));
            if read != known {
                let finding = view.cite(Finding::new(Kind::GenerationNotRead), &args.task, "/generation");
                findings.push(violates("as-read", finding.compare(known.to_string(), read.to_string())));
            }
        }
        if held.is_empty() {
            return Err(Judgement::Unseen(Reason::NoUpdate));
        }
        Ok(judged_apart(held, findings))
    })())
}

/// What `delivery-generations` asserts: that each update which is posted shows its generation, and that no other update has it.
pub(super) const POSTED: &[&str] = &["shown", "unique"];

/// An update may be posted more than once, and one that repeats a state may keep the generation of the one before.
pub(super) fn posted(view: CaseView<'_>, args: &Deliveries) -> Judged {
    judged_of((|| {
        let (mut held, mut findings) = (BTreeSet::new(), Vec::new());
        let mut known: BTreeMap<i64, (u64, &Value)> = BTreeMap::new();
        for (answer, event) in news(some(view.delivered(args)?)?) {
            let Some(member) = kind(event).filter(|member| matches!(*member, "statusUpdate" | "artifactUpdate")) else {
                continue;
            };
            let (number, place) = (answer.exchange.number, format!("/{member}/generation"));
            let found = generation(event.get(member));
            held.insert("shown");
            if found == 0 {
                let finding = Finding::new(Kind::GenerationMissing).at(number, place);
                findings.push(violates("shown", finding.compare("1 or more", "none")));
                continue;
            }
            let Some((first, other)) = known.get(&found) else {
                known.insert(found, (number, event));
                continue;
            };
            held.insert("unique");
            let repeats = state(event).is_some() && state(event) == state(other);
            if !repeats && !same(event, other) {
                let finding = Finding::new(Kind::GenerationNotOwn).at(number, place).against(*first);
                findings.push(violates("unique", finding.compare("another generation", found.to_string())));
            }
        }
        if known.len() > 1 {
            held.insert("unique");
        }
        if held.is_empty() {
            return Err(Judgement::Unseen(Reason::NoUpdate));
        }
        Ok(judged_apart(held, findings))
    })())
}

/// The generation of a task or an update: 0 where it shows none.
fn generation(of: Option<&Value>) -> i64 {
    let shown = of.and_then(|of| of.get("generation"));
    shown.and_then(|shown| shown.as_i64().or_else(|| shown.as_str()?.parse().ok())).unwrap_or_default()
}

/// A request is answered before another step of one `together` has ended, which takes as long as a task is at work.
pub(super) fn answered_at_once(view: CaseView<'_>, args: &AnswerHeldUp) -> Judgement {
    judgement_of((|| {
        let (answer, is_first) = is_answered_first(view, args)?;
        let finding = Finding::new(Kind::AnswerHeldBack).in_exchange(answer.exchange.number);
        let finding = finding.compare("an answer at once", "one after a task has come to its end");
        Ok(if is_first { Judgement::Right } else { Judgement::Wrong(vec![finding]) })
    })())
}

/// Of two messages for one generation, one is accepted. That both are refused is for the cases about each.
pub(super) fn one_accepted(view: CaseView<'_>, args: &Pair<Step>) -> Judgement {
    judgement_of((|| {
        let Pair(first, second) = args;
        let (first, second) = (view.heard(first)?, view.heard(second)?);
        match (first.refusal(), second.refusal()) {
            (None, None) => {
                let finding = Finding::new(Kind::GenerationTakenTwice).in_exchange(second.exchange.number);
                Ok(Judgement::Wrong(vec![finding.compare("one result and one error", "two results")]))
            }
            (Some(_), Some(_)) => Err(Judgement::Unseen(Reason::BothRefused)),
            _ => Ok(Judgement::Right),
        }
    })())
}
