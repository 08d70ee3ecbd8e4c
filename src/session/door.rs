//! Whether an interface is one at all: what its first answers were, before any case.
//!
//! Where not one of them came from the agent, was a JSON-RPC response, or was more than that there is no such route, all cases would
//! say the same, each in its own words. So none of them is run but those about the card, which report it once.

use serde_json::Value;

use super::Session;
use crate::auth::origin;
use crate::binding::address;
use crate::judge::{NO_ROUTE, barred, before_the_agent, describe, is_of_a2a};
use crate::profile::{Binding, Naming, Operation, Profile};
use crate::reason::Reason;
use crate::transcript::{Answer, Content};

/// Why nothing can be asked of who answered everything like this, if so.
pub(super) fn closed(profile: &Profile, answers: &[Answer]) -> Option<Reason> {
    let last = answers.last()?;
    if answers.iter().all(|answer| before_the_agent(answer).is_some()) {
        return barred(last);
    }
    let takes = |answer: &&Answer| answer.exchange.request.operation == Some(Operation::SendMessage);
    // The path of a message has no id. For a path with one, 404 may be about the id.
    if let Some(message) = answers.iter().find(takes)
        && answers.iter().all(|answer| is_no_route(profile, answer))
    {
        return Some(Reason::NoRoutes { received: describe(message) });
    }
    answers.iter().all(is_foreign).then(|| Reason::NoJsonRpc { received: describe(last) })
}

impl Session {
    /// A reason with what helps against it: where the run has credentials that do not go to the interface, others are of no use.
    pub(crate) fn explain(&self, reason: Reason) -> Reason {
        let address = address(&self.connection.interface);
        match reason {
            Reason::CredentialsWanted { label } if self.http.credentials().keeps_from(&address) => {
                Reason::CredentialsWithheld { label, origin: origin::shown(&address) }
            }
            reason => reason,
        }
    }
}

/// Whether an answer over HTTP+JSON is that there is no such route, or a page. What breaks has a route.
fn is_no_route(profile: &Profile, answer: &Answer) -> bool {
    if answer.binding != Binding::HttpJson {
        return false;
    }
    // Where the version gives errors no form, any object may be one.
    let has_form = !matches!(profile.naming(answer.binding), Naming::ByStatus);
    match (&answer.content, answer.refusal()) {
        (Content::Unreadable(_), _) => {
            let response = answer.exchange.response.as_ref();
            response.is_some_and(|response| response.status < 400 || NO_ROUTE.contains(&response.status))
        }
        (_, Some(error)) => {
            let is_status =
                error.code.and_then(|code| u16::try_from(code).ok()).is_some_and(|code| NO_ROUTE.contains(&code));
            is_status && !(has_form && is_of_a2a(profile, answer.binding, error))
        }
        _ => false,
    }
}

/// Whether an answer over JSON-RPC is nothing of the kind: a page, an empty body, JSON of another form.
fn is_foreign(answer: &Answer) -> bool {
    let Some(response) = answer.exchange.response.as_ref().filter(|_| answer.binding == Binding::Jsonrpc) else {
        return false;
    };
    let is_stream = response.header("content-type").is_some_and(|value| value.starts_with("text/event-stream"));
    // What is JSON-RPC with a mistake is judged as such.
    let is_like_it = |body: &Value| match body {
        Value::Array(items) => !items.is_empty(),
        body => ["jsonrpc", "result", "id"].iter().any(|member| body.get(member).is_some()),
    };
    let body = serde_json::from_slice::<Value>(&response.body);
    !is_stream && !body.is_ok_and(|body| is_like_it(&body))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;

    use super::*;
    use crate::report::sample;
    use crate::transcript::{Content, Unreadable};

    fn answer(binding: Binding, status: u16, body: &'static str) -> Answer {
        let mut exchange = sample::exchange(1, "control", "{}", Some(body));
        if let Some(response) = &mut exchange.response {
            (response.status, response.body) = (status, Bytes::from(body));
        }
        let content = Content::Unreadable(Unreadable::new(format!("HTTP {status}"), None));
        Answer { binding, exchange: Arc::new(exchange), content }
    }

    fn name(answers: &[Answer]) -> Option<String> {
        let profiles = crate::profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
        closed(profile, answers).map(|reason| reason.name())
    }

    #[test]
    fn a_door_is_told_from_an_agent() {
        let of = |status, body| answer(Binding::Jsonrpc, status, body);
        let (page, response) = (of(200, "<html>"), of(200, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
        assert_eq!(name(&[page.clone(), of(404, ""), of(200, r#"{"detail":"no"}"#)]).as_deref(), Some("no-json-rpc"));
        assert_eq!(name(&[of(401, "{}"), of(403, "")]).as_deref(), Some("credentials-wanted"));
        assert_eq!(name(&[of(502, ""), of(503, "")]).as_deref(), Some("unavailable"));
        // One answer of the kind, be it wrong, is enough.
        assert_eq!(name(&[page.clone(), response]), None);
        assert_eq!(name(&[page.clone(), of(200, r#"{"id":1,"result":{}}"#)]), None);
        assert_eq!(name(&[of(401, ""), page]).as_deref(), Some("no-json-rpc"));
        // Over HTTP a page may be any error, but for a message.
        assert_eq!(name(&[answer(Binding::HttpJson, 404, "<html>")]), None);
        assert_eq!(name(&[]), None);
    }
}
