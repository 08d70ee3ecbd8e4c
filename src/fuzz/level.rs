//! How much it weighs what was found, where no requirement says so, or says too little: what users of a fuzzer look for first are crashes,
//! hangs, failures at right requests, and data that are lost or somebody else's.

use jiff::Timestamp;
use serde_json::Value;

use super::aim::Aim;
use super::bucket::{Sighting, is_failure};
use super::probe::{Probe, Send};
use crate::finding::Kind;
use crate::profile::Operation;
use crate::transcript::Exchange;
use crate::verdict::Level;

/// The level of what rests on no requirement.
pub(super) fn of_sense(sighting: &Sighting<'_>) -> Level {
    match &sighting.finding.kind {
        Kind::SentOtherwise { .. }
        | Kind::AnsweredOtherwise { .. }
        | Kind::FilterNotKept { .. }
        | Kind::PageTooLong
        | Kind::ListChangedOtherwise { .. }
        | Kind::ListedTwice { .. }
        | Kind::PagesDiffer
        | Kind::HeadSplit => Level::Must,
        _ => Level::May,
    }
}

/// The level below which it does not fall, whatever requirements say: that of an agent that falls, and of a right request at which it fails or
/// stays silent.
pub(super) fn at_least(sighting: &Sighting<'_>) -> Level {
    let Some(last) = sighting.probes.last() else { return Level::May };
    let has_failed = match &sighting.finding.kind {
        Kind::FailedInstead { .. } => true,
        Kind::WrongError { .. } => is_failure(&sighting.finding),
        Kind::RequestUnanswered | Kind::ConnectionClosed | Kind::AnswerNoHttp => !may_take_long(last),
        _ => false,
    };
    let asked = sighting.evidence.iter().find(|exchange| Some(exchange.number) == sighting.finding.exchange);
    let is_right = || asked.is_some_and(|exchange| is_right(sighting.aim, last, exchange));
    if sighting.is_fatal || (has_failed && is_right()) { Level::Must } else { Level::May }
}

/// Whether an agent may work on it, or wait for something, before it answers.
pub(super) fn may_take_long(probe: &Probe) -> bool {
    probe.may_start_work() || probe.operation == Operation::SubscribeToTask
}

/// Whether a request is right: by its schema, and by what schemas do not say of its texts and numbers. Where an agent fails at the plain
/// request, too, it says so once, at the level of that.
fn is_right(aim: &Aim, probe: &Probe, exchange: &Exchange) -> bool {
    let request = &exchange.request;
    let Some(kind) = request.operation.and_then(|operation| aim.params(operation)) else { return false };
    let is_call = matches!(probe.send, Send::Call { .. }) && request.params.is_object();
    let dialect = &aim.session.connection.interface.dialect;
    is_call
        && aim.refuses(probe.operation) != Some("InternalError")
        && is_plain("", &request.params, aim.session.connection.interface.tenant.as_deref())
        && dialect.violations(kind, &dialect.to_wire(kind, &request.params)).is_empty()
}

/// Whether every member whose form is told in words has that form.
fn is_plain(name: &str, value: &Value, tenant: Option<&str>) -> bool {
    match (name, value) {
        ("url", Value::String(url)) => url.starts_with("http"),
        ("statusTimestampAfter", Value::String(time)) => time.parse::<Timestamp>().is_ok(),
        ("tenant", Value::String(name)) => Some(name.as_str()) == tenant,
        // A client speaks in its own role.
        ("role", role) => role == "ROLE_USER",
        ("pageToken", _) => false,
        ("pageSize" | "historyLength", Value::Number(number)) => {
            number.as_i64().is_some_and(|number| (0..=100).contains(&number))
        }
        // What is in them is the client's own.
        ("metadata" | "data", _) => true,
        (_, Value::Object(members)) => members.iter().all(|(name, member)| is_plain(name, member, tenant)),
        (name, Value::Array(items)) => items.iter().all(|item| is_plain(name, item, tenant)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_schemas_do_not_say_is_looked_at() {
        let right = [
            json!({ "id": "a", "historyLength": 3, "metadata": { "url": "x", "pageSize": -1 } }),
            json!({ "taskId": "\0", "url": "https://a.example", "tenant": "acme" }),
            json!({ "message": { "parts": [{ "text": "x".repeat(100_000) }] } }),
        ];
        let odd = [
            json!({ "pageSize": 101 }),
            json!({ "pageToken": "a" }),
            json!({ "message": { "role": "ROLE_AGENT" } }),
            json!({ "statusTimestampAfter": "yesterday" }),
            json!({ "message": { "parts": [{ "url": "../a" }] } }),
            json!({ "tenant": "another" }),
        ];
        let is_right = |value: &Value| is_plain("", value, Some("acme"));
        assert!(right.iter().all(is_right) && !odd.iter().any(is_right));
    }
}
