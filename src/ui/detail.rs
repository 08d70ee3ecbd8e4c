//! A case as the page shows it: what it demands, what was wrong, and the conversation with all its bytes.

use serde_json::{Value, json};

use super::kept::LONGEST;
use super::known::{Known, Place, line};
use crate::finding::Finding;
use crate::report::exchange::describe;
use crate::report::{by_hand, markdown};
use crate::secrets::Secrets;
use crate::transcript::Exchange;

/// A case over one binding in one version; nothing where none is planned.
pub(super) fn of(known: &Known, place: &Place) -> Option<Value> {
    let suite = known.suite()?;
    let trial = suite.plan().trials.iter().find(|trial| Place::of(trial) == *place)?;
    let report = known.report()?;
    let (index, result) = report.results.iter().enumerate().find(|(_, result)| Place::of_result(result) == *place)?;
    let case = &trial.case;
    let requirements = trial.requirements.iter().map(|requirement| {
        let links: Vec<&str> = requirement.links.iter().map(|link| link.url.as_str()).collect();
        json!({ "id": requirement.id.value, "level": requirement.level, "text": requirement.text, "links": links })
    });
    let rerun = report.cases.iter().find(|info| info.id == case.id).and_then(|info| info.rerun_of(result));
    let issue = report.problems.iter().find(|problem| problem.evidence.iter().any(|one| one.result == index));
    let (told, exchanges) = known.conversation(place).unwrap_or((result, &[]));
    let secrets = suite.secrets();
    Some(json!({
        "line": line(result),
        "title": case.title, "why": case.why, "right": case.right, "wrong": case.wrong, "fix": case.fix,
        "requirements": requirements.collect::<Vec<_>>(),
        "findings": told.findings.iter().map(finding).collect::<Vec<_>>(),
        "again": result.again.iter().map(|verdict| verdict.name()).collect::<Vec<_>>(),
        "steps": told.steps,
        "exchanges": exchanges.iter().map(|exchange| of_exchange(exchange, secrets)).collect::<Vec<_>>(),
        "rerun": rerun.map(|rerun| &rerun.command),
        "issue": issue.map(|problem| markdown::issue(&report, problem)),
    }))
}

/// What is wrong, and where.
pub(super) fn finding(finding: &Finding) -> Value {
    json!({
        "headline": finding.headline(), "assertion": finding.assertion, "pointer": finding.pointer, "expected": finding.expected,
        "received": finding.received, "exchange": finding.exchange, "event": finding.event,
    })
}

/// An exchange with its bytes as text, and the line that makes it by hand.
pub(super) fn of_exchange(exchange: &Exchange, secrets: &Secrets) -> Value {
    let info = describe(exchange, LONGEST, secrets);
    let is_grpc = info.request.headers.get("content-type").is_some_and(|kind| kind.starts_with("application/grpc"));
    let by_hand = (!info.is_inbound()).then(|| by_hand::line(&info.request, is_grpc)).flatten();
    let is_long = exchange.response.as_ref().is_some_and(|response| response.body.len() >= LONGEST);
    let operation = exchange.request.operation.map(|it| it.to_string());
    json!({ "info": info, "by_hand": by_hand, "operation": operation, "is_long": is_long })
}
