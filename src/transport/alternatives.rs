//! Which of several ways to write a call an agent understands.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::http::{Http, Incoming};
use crate::binding::{CallRequest, Codec, Outgoing};
use crate::interface::Interface;
use crate::profile::Operation;
use crate::transcript::Exchange;

/// What an interface has shown of that.
#[derive(Default)]
pub(super) struct Alternatives {
    /// The way that it understood, by its place among those of the operation.
    known: Mutex<HashMap<Operation, usize>>,
    /// Exchanges in which it understood none.
    missed: Mutex<Vec<Exchange>>,
}

impl Alternatives {
    /// Sends a call in the way that the agent is known to understand; until that is known, a way that it does not know
    /// (HTTP 404 or 405 for the route, 415 for the media type, 400 or 422 for the body of a right request) makes place for
    /// the next.
    pub(crate) async fn send(
        &self,
        http: &Http,
        codec: &dyn Codec,
        interface: &Interface,
        call: &CallRequest,
    ) -> Incoming {
        let known = lock(&self.known).get(&call.operation).copied();
        let first = http.next_number();
        let mut answer: Option<Incoming> = None;
        let (mut unknown_route, mut refused_body) = (None, None);
        let ways = codec.requests(interface, call, first);
        let bodies: Vec<_> = ways.iter().map(|outgoing| (route(outgoing), outgoing.body.clone())).collect();
        for (way, outgoing) in ways.into_iter().enumerate() {
            let (route, body) = (route(&outgoing), outgoing.body.clone());
            let is_in_vain = unknown_route.as_ref() == Some(&route) || refused_body.as_ref() == Some(&body);
            if known.is_some_and(|known| known != way) || is_in_vain {
                continue;
            }
            let number = if answer.is_none() { first } else { http.next_number() };
            let incoming = http.send(number, outgoing).await;
            let is_other = |other: &(Route, Bytes)| other.0 == route && other.1 != body;
            let has_other_body = known.is_none() && bodies.iter().skip(way).any(is_other);
            match incoming.status() {
                Some(404 | 405) => unknown_route = Some(route),
                Some(415) => {}
                // A second that is refused, too, is in no better case than the first, whose answer counts.
                Some(400 | 422) if refused_body.is_some() || (has_other_body && is_right(interface, call)) => {
                    refused_body = Some(body);
                }
                status => {
                    if status.is_some_and(|status| status < 400) {
                        lock(&self.known).insert(call.operation, way);
                    }
                    self.miss(http, answer).await;
                    return incoming;
                }
            }
            // If the agent understands none, its first answer says best what it has against the call.
            match &answer {
                None => answer = Some(incoming),
                Some(_) => self.miss(http, Some(incoming)).await,
            }
        }
        let nowhere = || http.nowhere(first, Some(call.operation), &call.purpose, "there is no route for this call");
        answer.unwrap_or_else(nowhere)
    }

    async fn miss(&self, http: &Http, incoming: Option<Incoming>) {
        if let Some(mut incoming) = incoming {
            http.read_to_end(&mut incoming).await;
            lock(&self.missed).push(incoming.into_exchange());
        }
    }

    /// The exchanges since the last question in which a way was not understood.
    pub(crate) fn take_missed(&self) -> Vec<Exchange> {
        std::mem::take(&mut *lock(&self.missed))
    }
}

/// Verb and path.
type Route = (String, String);

fn route(outgoing: &Outgoing) -> Route {
    let path = outgoing.url.split('?').next().unwrap_or_default();
    (outgoing.method.clone(), path.to_owned())
}

/// Whether the parameters are what the version asks for: of others the body is refused whatever its form.
fn is_right(interface: &Interface, call: &CallRequest) -> bool {
    let kind = interface.profile.operation(call.operation).and_then(|facts| facts.params.as_deref());
    kind.is_none_or(|kind| {
        interface.dialect.violations(kind, &interface.dialect.to_wire(kind, &call.params)).is_empty()
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;
    use crate::auth::Credentials;
    use crate::binding::over_http;
    use crate::profile::{self, Binding};
    use crate::transport::http::Settings;
    use crate::transport::memory::{Memory, Reply};

    /// Sets a configuration twice in 0.3; what came of each, and how many exchanges were not understood.
    async fn set_twice(url: Value, answer: fn(&Value) -> (u16, Value)) -> Vec<(Option<u16>, String, usize)> {
        let memory = Memory::new(move |request| {
            let (status, body) = answer(&serde_json::from_slice(&request.body).unwrap_or_default());
            Reply::json(status, &body)
        });
        let settings = Settings { credentials: Credentials::default(), timeout: Duration::from_secs(10) };
        let http = Http::over(Arc::new(memory), settings);
        let profiles = profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "0.3").unwrap();
        let interface = Interface::new(profile, Binding::HttpJson, "http://agent.invalid".to_owned()).unwrap();
        let call = CallRequest {
            operation: Operation::CreateTaskPushNotificationConfig,
            params: json!({ "taskId": "t", "id": "c", "url": url }).into(),
            rpc_id: None,
            headers: Vec::new(),
            purpose: String::new(),
        };
        let alternatives = Alternatives::default();
        let mut seen = Vec::new();
        for _ in 0..2 {
            let codec = over_http(Binding::HttpJson).unwrap();
            let mut incoming = alternatives.send(&http, codec, &interface, &call).await;
            http.read_to_end(&mut incoming).await;
            let (status, exchange) = (incoming.status(), incoming.into_exchange());
            let body = exchange.response.map(|response| String::from_utf8_lossy(&response.body).into_owned());
            seen.push((status, body.unwrap_or_default(), alternatives.take_missed().len()));
        }
        seen
    }

    #[tokio::test]
    async fn a_refused_body_makes_place_for_the_other_and_what_is_understood_is_kept() {
        let takes_the_configuration_alone = |body: &Value| match body.get("config") {
            None => (200, json!("taken")),
            Some(_) => (400, json!("what is config?")),
        };
        let seen = set_twice(json!("https://hook.invalid/"), takes_the_configuration_alone).await;
        assert_eq!(seen, [(Some(200), "\"taken\"".to_owned(), 1), (Some(200), "\"taken\"".to_owned(), 0)]);
    }

    /// The first answer says best what the agent has against the call; a wrong call is written once.
    #[tokio::test]
    async fn where_both_bodies_are_refused_the_first_answer_counts() {
        let refuses_all = |body: &Value| match body.get("config") {
            None => (400, json!("there must be config")),
            Some(_) => (422, json!("no webhooks here")),
        };
        let first = |missed| (Some(422), "\"no webhooks here\"".to_owned(), missed);
        assert_eq!(set_twice(json!("https://hook.invalid/"), refuses_all).await, [first(1), first(1)]);
        assert_eq!(set_twice(json!(7), refuses_all).await, [first(0), first(0)]);
    }
}
