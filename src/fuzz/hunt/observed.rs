//! What the cases that judge everything seen, and what holds of every answer, say of the answers of a hunt.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::auth::Caller;
use crate::binding::is_call;
use crate::case::Action;
use crate::finding::{Finding, Kind};
use crate::fuzz::aim::Aim;
use crate::fuzz::hunt::judging::{by_itself, call_of};
use crate::fuzz::ids::UNKNOWN;
use crate::fuzz::probe::{Hold, Probe, Send};
use crate::fuzz::watch::{OF_ALL, OF_CALLS, OF_TWO};
use crate::judge::{Judgement, RunView, Service, failure, oracle};
use crate::plan::Trial;
use crate::profile::Binding;
use crate::transcript::{Answer, Delivered};

/// Whether the cases that judge everything seen are about an answer: what an HTTP server says of odd bytes is none, whoever reads odd
/// frames and fields has a part of HTTP/2 and of gRPC in it, too, and another target may be no operation's. Each caller has their
/// own tasks, and the same id may be that of one of each.
pub(in crate::fuzz) fn is_for_observers(aim: &Aim, probe: &Probe, answer: &Answer) -> bool {
    let is_of_another = ["odd-frame", "cut-message", "open-frame", "changed-target"].contains(&probe.class.as_str());
    // An odd name in a path, or a query, may be refused before anybody looks for an operation.
    let request = &answer.exchange.request;
    let is_in_a_url = answer.binding == Binding::HttpJson && !probe.place.is_empty() && request.body.is_empty();
    let is_odd = request.is_verbatim || is_in_a_url || probe.class == UNKNOWN;
    probe.by == Caller::Own
        && !is_of_another
        && (!is_odd || answer.is_of_the_protocol())
        && is_call(&aim.session.connection.interface, request)
}

/// Who has noticed what is wrong with answers that are judged together.
pub(in crate::fuzz) enum Witness {
    /// A case that judges everything seen.
    Case(Arc<Trial>),
    /// What holds of every answer.
    Hold(&'static Hold),
}

impl Witness {
    /// The case, if it was one.
    pub fn case(&self) -> Option<&Trial> {
        match self {
            Self::Case(trial) => Some(trial),
            Self::Hold(_) => None,
        }
    }

    /// What holds, if it was that.
    pub fn hold(&self) -> Option<&'static Hold> {
        match self {
            Self::Case(_) => None,
            Self::Hold(hold) => Some(hold),
        }
    }
}

/// What is wrong with answers to some requests over an interface. In what form a failure comes is told with the failure.
pub(in crate::fuzz) fn together(aim: &Aim, heard: &[(&Probe, &Answer)]) -> Vec<(Witness, Finding)> {
    let in_order = |mut answers: Vec<Answer>| {
        answers.sort_by_key(|answer| answer.exchange.number);
        answers
    };
    let calls = heard.iter().filter(|(probe, answer)| is_for_observers(aim, probe, answer));
    let calls = in_order(calls.map(|(_, answer)| (*answer).clone()).collect());
    let all: Vec<Answer> = in_order(heard.iter().map(|(_, answer)| (*answer).clone()).collect());
    let service = Service::default();
    let view = view(aim, &calls, &service);
    let is_failure = |number: u64| {
        let mut cited = all.iter().filter(|answer| answer.exchange.number == number);
        cited.any(|answer| failure(answer).is_some())
    };
    let is_of_a_failure = |finding: &Finding| finding.kind.is_about_form() && finding.exchange.is_some_and(is_failure);
    let mut found = Vec::new();
    for trial in &aim.observers {
        let Action::Observe(call) = &trial.case.action else { continue };
        let judged = oracle::over_run(view, call).naming(|own| format!("{}{own}", call.name));
        if let Judgement::Wrong(findings) = judged.judgement {
            let own = findings.into_iter().filter(|finding| !may_be_an_echo(finding) && !is_of_a_failure(finding));
            found.extend(own.map(|finding| (Witness::Case(Arc::clone(trial)), finding)));
        }
    }
    let traced: BTreeSet<u64> = found.iter().filter_map(traces).collect();
    for (holds, answers) in [(&OF_CALLS[..], &calls), (&OF_ALL[..], &all)] {
        for hold in holds {
            // What a failure shows of the inside is told with the failure, and what is served that must be refused with that.
            let is_wrong_by_itself = |number: u64| {
                let mut cited = heard.iter().filter(|(_, answer)| answer.exchange.number == number);
                cited.any(|(probe, answer)| by_itself(aim, probe, answer).is_some())
            };
            let is_told = |finding: &Finding| match finding.kind {
                Kind::StackTrace => {
                    finding.exchange.is_some_and(|number| is_failure(number) || traced.contains(&number))
                }
                _ => finding.exchange.is_some_and(is_wrong_by_itself),
            };
            let own = of_hold(aim, answers, hold).into_iter().filter(|finding| !is_told(finding));
            found.extend(own.map(|finding| (Witness::Hold(hold), finding)));
        }
    }
    found
}

/// The answer in which a case has seen a stack trace: whatever else sees it sees the same.
fn traces((_, finding): &(Witness, Finding)) -> Option<u64> {
    finding.exchange.filter(|_| finding.kind == Kind::StackTrace)
}

/// What an oracle over answers finds wrong with these.
fn of_hold(aim: &Aim, answers: &[Answer], hold: &Hold) -> Vec<Finding> {
    let service = Service::default();
    let judged = oracle::over_run(view(aim, answers, &service), &call_of(hold));
    match judged.naming(|own| format!("{}{own}", hold.oracle)).judgement {
        Judgement::Wrong(findings) => findings,
        _ => Vec::new(),
    }
}

fn view<'a>(aim: &'a Aim, answers: &'a [Answer], service: &'a Service) -> RunView<'a> {
    let interface = &aim.session.connection.interface;
    RunView {
        profile: &interface.profile,
        dialect: &interface.dialect,
        binding: interface.binding,
        answers,
        beside: &[],
        tried: &[],
        service,
        asked_twice: &[],
    }
}

/// What another interface shows otherwise than it was sent over the first one, by the last of some steps.
pub(in crate::fuzz) fn over_another(
    aim: &Aim,
    steps: &[Probe],
    answers: &[Answer],
) -> Option<(&'static Hold, Finding)> {
    let own = |step: &Probe| step.by == Caller::Own && matches!(step.send, Send::Call { .. });
    let last = steps.get(answers.len().checked_sub(1)?)?;
    last.over.filter(|_| own(last))?;
    let number = answers.last()?.exchange.number;
    let heard: Vec<Answer> =
        steps.iter().zip(answers).filter(|(step, _)| own(step)).map(|(_, answer)| answer.clone()).collect();
    OF_TWO.iter().find_map(|hold| {
        let found = of_hold(aim, &heard, hold).into_iter().find(|finding| finding.exchange == Some(number))?;
        Some((*hold, found))
    })
}

/// Messages in deliveries that are not as the client has sent them.
pub(in crate::fuzz) fn of_messages(
    aim: &Aim,
    steps: &[Probe],
    answers: &[Answer],
    delivered: &Delivered,
) -> Option<(&'static Hold, Finding)> {
    let [hold, ..] = OF_TWO;
    let sent = steps.iter().zip(answers).filter(|(step, _)| step.operation.sends_a_message() && !step.listens());
    let all: Vec<Answer> = sent.map(|(_, answer)| answer).chain(&delivered.answers).cloned().collect();
    let is_posted = |number: u64| delivered.answers.iter().any(|one| one.exchange.number == number);
    let found = of_hold(aim, &all, hold).into_iter().find(|finding| finding.exchange.is_some_and(is_posted))?;
    Some((hold, found))
}

/// Whether what is wrong may be what a client said: an agent that takes an odd message or address and shows it shows what it was
/// given, perhaps long after.
fn may_be_an_echo(finding: &Finding) -> bool {
    let is_said_by_clients = |of: &str| {
        let ends = ["Message", "Part", "PushNotificationConfig", "AuthenticationInfo"];
        of.starts_with("File") || ends.iter().any(|end| of.ends_with(end))
    };
    let is_in_history = finding.pointer.as_deref().is_some_and(|pointer| pointer.contains("/history/"));
    match &finding.kind {
        Kind::SchemaValue { of, .. } | Kind::SchemaObject { of, .. } => is_in_history || is_said_by_clients(of),
        _ => is_in_history,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_may_have_said_is_not_held_against_the_agent() {
        let schema = |of: &str, pointer: &str| {
            let kind = Kind::SchemaObject { of: of.to_owned(), condition: "the member \"id\"".to_owned() };
            may_be_an_echo(&Finding::new(kind).at(1, pointer))
        };
        assert!(schema("Message", "/result/message") && schema("FilePart", "/result/status/message/parts/0"));
        assert!(schema("Task", "/result/task/history/0") && schema("TaskPushNotificationConfig", "/result"));
        assert!(
            !schema("Task", "/result/task")
                && !schema("SendMessageResponse", "/result")
                && !schema("Artifact", "/result")
        );
        let order = Finding::new(Kind::NotNewestFirst { task: "a".to_owned(), other: "b".to_owned() });
        assert!(!may_be_an_echo(&order.at(1, "/result/tasks/0/status")));
    }
}
