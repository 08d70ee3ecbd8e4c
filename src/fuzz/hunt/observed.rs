//! What the cases that judge everything seen say of the answers of a hunt.

use std::sync::Arc;

use crate::auth::Caller;
use crate::binding::is_call;
use crate::case::Action;
use crate::finding::{Finding, Kind};
use crate::fuzz::aim::Aim;
use crate::fuzz::ids::UNKNOWN;
use crate::fuzz::probe::Probe;
use crate::judge::{Judgement, RunView, Service, failure, oracle};
use crate::plan::Trial;
use crate::profile::Binding;
use crate::transcript::Answer;

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

/// What is wrong with answers by the cases that judge everything seen. In what form a failure comes is told with the failure.
pub(in crate::fuzz) fn together(aim: &Aim, answers: &[Answer]) -> Vec<(Arc<Trial>, Finding)> {
    let interface = &aim.session.connection.interface;
    let service = Service::default();
    let view = RunView {
        profile: &interface.profile,
        dialect: &interface.dialect,
        binding: interface.binding,
        answers,
        beside: &[],
        tried: &[],
        service: &service,
        asked_twice: &[],
    };
    let is_failure = |number: u64| {
        let mut cited = answers.iter().filter(|answer| answer.exchange.number == number);
        cited.any(|answer| failure(answer).is_some())
    };
    let is_of_a_failure = |finding: &Finding| finding.kind.is_about_form() && finding.exchange.is_some_and(is_failure);
    let mut found = Vec::new();
    for trial in &aim.observers {
        let Action::Observe(call) = &trial.case.action else { continue };
        let judged = oracle::over_run(view, call).naming(|own| format!("{}{own}", call.name));
        if let Judgement::Wrong(findings) = judged.judgement {
            let own = findings.into_iter().filter(|finding| !may_be_an_echo(finding) && !is_of_a_failure(finding));
            found.extend(own.map(|finding| (Arc::clone(trial), finding)));
        }
    }
    found
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
