//! Which of several ways to write a call an agent understands.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::http::{Http, Incoming};
use super::{CallRequest, Codec};
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
    /// (HTTP 404 or 405 for the route, 415 for the media type) makes place for the next.
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
        let mut unknown_route = None;
        for (way, outgoing) in codec.requests(interface, call, first).into_iter().enumerate() {
            let route = (outgoing.method.clone(), outgoing.url.clone());
            if known.is_some_and(|known| known != way) || unknown_route.as_ref() == Some(&route) {
                continue;
            }
            let number = if answer.is_none() { first } else { http.next_number() };
            let incoming = http.send(number, outgoing).await;
            match incoming.status() {
                Some(404 | 405) => unknown_route = Some(route),
                Some(415) => {}
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
