//! What a fault can meet. Until it meets something, an agent with a fault is the agent without it: trials none of whose
//! requests it can meet are not run, for it cannot turn them red.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use a2a_reference_agent::{Asked, Fault};
use a2aspec::event::Event;
use a2aspec::plan::Trial;
use a2aspec::transcript::Exchange;
use axum::body::Body;
use axum::http::Request;

/// What the purposes of the requests begin with that lead to tasks which many cases look at.
const FIXTURES: &str = "a task that is ";

/// What the suite asks the agent without a fault, by the case or other purpose for which it does.
#[derive(Default)]
pub struct Meetings {
    asked: BTreeMap<String, Vec<Asked>>,
}

/// The exchanges of runs, as they are told.
#[derive(Default)]
pub struct Seen(Mutex<Vec<Arc<Exchange>>>);

impl Seen {
    /// Takes note of what happened.
    pub fn see(&self, event: &Event) {
        if let Event::Exchanged(exchange) = event {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(exchange));
        }
    }
}

impl Meetings {
    /// Those of runs that have been seen.
    pub async fn of(seen: Seen) -> Self {
        let mut asked: BTreeMap<String, Vec<Asked>> = BTreeMap::new();
        for exchange in seen.0.into_inner().unwrap_or_else(PoisonError::into_inner) {
            let sent = &exchange.request;
            let mut request = Request::builder().method(sent.method.as_str()).uri(&sent.url);
            for (name, value) in &sent.headers {
                request = request.header(name, value);
            }
            let request = request.body(Body::from(sent.body.clone())).expect("it was sent");
            asked.entry(exchange.purpose.clone()).or_default().push(Asked::read(request).await);
        }
        Self { asked }
    }

    /// The purposes for which a fault can meet the agent.
    pub fn purposes(&self, fault: &Fault) -> BTreeSet<&str> {
        let met = self.asked.iter().filter(|(_, asked)| asked.iter().any(|asked| fault.can_meet(asked)));
        met.map(|(purpose, _)| purpose.as_str()).collect()
    }
}

/// Whether a fault that meets the agent for these purposes can do something to a trial: to its own requests, to those
/// by which its tasks came to be, or if it judges the whole run, to any.
pub fn concerns(fault: &Fault, purposes: &BTreeSet<&str>, trial: &Trial) -> bool {
    let case = &trial.case;
    let mut bindings = [Some(trial.binding), trial.other].into_iter().flatten();
    let is_made = || !case.given.is_empty() && purposes.iter().any(|purpose| purpose.starts_with(FIXTURES));
    bindings.any(|binding| fault.acts_over(&trial.profile, &binding.to_string()))
        && (trial.observes() || purposes.contains(case.id.as_str()) || is_made())
}
