//! What the suite asks an agent without a fault.
//!
//! Until a fault meets something, an agent with it is the agent without it: trials none of whose requests it can meet are not
//! run, for it cannot turn them red. And what only a case asks is a place for faults that nobody writes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use a2a_reference_agent::{Asked, Fault, Place};
use a2aspec::event::Event;
use a2aspec::plan::Trial;
use a2aspec::session::shared::REREAD;
use a2aspec::transcript::Exchange;
use axum::body::Body;
use axum::http::{Request, Response};

/// What the purposes of the requests begin with that lead to tasks which many cases look at.
const FIXTURES: &str = "a task that is ";

/// What the suite asks the agent without a fault, by the case or other purpose for which it does, in order.
#[derive(Default)]
pub struct Meetings {
    asked: BTreeMap<String, Vec<Asked>>,
    places: BTreeMap<String, Vec<Place>>,
}

/// The exchanges of runs, as they are told.
#[derive(Default)]
pub struct Seen(Mutex<Vec<Told>>);

/// What is looked at of an exchange. The exchange itself would keep the room of its answer, and leave the run without.
struct Told {
    purpose: String,
    request: Request<Body>,
    answer: Option<Response<Body>>,
}

impl Seen {
    /// Takes note of what happened.
    pub fn see(&self, event: &Event) {
        if let Event::Exchanged(exchange) = event {
            // Bytes that a case chose are no place: what the agent makes of them is another request, or none.
            let answer = answer(exchange).filter(|_| !exchange.request.is_verbatim);
            let told = Told { purpose: exchange.purpose.clone(), request: request(exchange), answer };
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(told);
        }
    }
}

impl Meetings {
    /// Those of runs that have been seen.
    pub async fn of(seen: Seen) -> Self {
        let mut meetings = Self::default();
        for Told { purpose, request, answer } in seen.0.into_inner().unwrap_or_else(PoisonError::into_inner) {
            let asked = Asked::read(request).await;
            if let Some(answer) = answer {
                let place = Place::new(&asked, asked.error_in(answer).await);
                let places = meetings.places.entry(purpose.clone()).or_default();
                if !places.contains(&place) {
                    places.push(place);
                }
            }
            meetings.asked.entry(purpose).or_default().push(asked);
        }
        meetings
    }

    /// The places that are asked for a purpose, in order.
    pub fn places(&self, purpose: &str) -> &[Place] {
        self.places.get(purpose).map(Vec::as_slice).unwrap_or_default()
    }

    /// The places that are asked for no case, and for no task that some of them are given: all cases rest on those.
    pub fn places_of_everybody(&self, is_case: &dyn Fn(&str) -> bool) -> BTreeSet<&Place> {
        let is_some = |purpose: &str| is_case(purpose) || purpose.starts_with(FIXTURES) || purpose == REREAD;
        self.places.iter().filter(|(purpose, _)| !is_some(purpose)).flat_map(|(_, places)| places).collect()
    }

    /// The purposes for which a fault can meet the agent.
    pub fn purposes(&self, fault: &Fault) -> BTreeSet<&str> {
        let met = self.asked.iter().filter(|(_, asked)| asked.iter().any(|asked| fault.can_meet(asked)));
        met.map(|(purpose, _)| purpose.as_str()).collect()
    }
}

fn request(exchange: &Exchange) -> Request<Body> {
    let sent = &exchange.request;
    let mut request = Request::builder().method(sent.method.as_str()).uri(&sent.url);
    for (name, value) in &sent.headers {
        request = request.header(name, value);
    }
    request.body(Body::from(sent.body.clone())).expect("it was sent")
}

/// What came back, with the trailers among the headers: an error is one in either.
fn answer(exchange: &Exchange) -> Option<Response<Body>> {
    let came = exchange.response.as_ref()?;
    let mut response = Response::builder().status(came.status);
    for (name, value) in came.headers.iter().chain(&came.trailers) {
        response = response.header(name, value);
    }
    Some(response.body(Body::from(came.body.clone())).expect("it came"))
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
