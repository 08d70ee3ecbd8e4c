//! Faults that nobody writes: wrong answers where a case asks something.
//!
//! Most ways of being wrong are one effect at one place: this request, which nothing but this case makes, is answered with
//! that error. The cases themselves say both. What they ask is known from a run without a fault, and what they allow is
//! their `outcome`. One agent is wrong for many cases at once: each is asked its own.

use std::collections::{BTreeMap, BTreeSet};

use a2a_reference_agent::{Fault, Place};
use a2aspec::case::{Case, Outcome};

use super::kill::Suite;

/// The errors that say that the agent broke, or does not know what it is asked: the first that a case does not allow.
const BLUNT: [&str; 2] = ["InternalError", "MethodNotFoundError"];
/// Errors that a careless agent gives instead of the right one: the first that a case does not allow.
const MISTAKEN: [&str; 3] = ["TaskNotFoundError", "InvalidParamsError", "UnsupportedOperationError"];
/// What stands among the errors for no error at all: an empty result where the request is to be refused.
const SERVED: &str = "none";
/// How many of the places of a case are tried, over each interface.
const PLACES: usize = 6;

/// An agent that is wrong for many cases, at one place of each.
pub struct Wrong {
    /// The errors that it gives, each with the cases to which it does.
    pub cases: BTreeMap<&'static str, BTreeSet<String>>,
    /// What makes it wrong.
    pub faults: Vec<&'static Fault>,
}

/// Errors by name, each with the cases that it answers and the places at which it does.
type Errors = BTreeMap<&'static str, (BTreeSet<String>, BTreeSet<Place>)>;

/// The errors that some case is answered with, each as one fault: what it is for reports.
pub fn errors() -> impl Iterator<Item = &'static str> {
    BLUNT.into_iter().chain(MISTAKEN).chain([SERVED])
}

/// What answers with an error at some places.
pub fn fault(error: &str, places: BTreeSet<Place>) -> Fault {
    Fault::at(id(error), (error != SERVED).then_some(error), places)
}

/// The name of the fault that answers cases with an error.
pub fn id(error: &str) -> String {
    format!("error:{error}")
}

/// The agents that are wrong for these cases at a base.
pub fn of(suite: &Suite, base: usize, is_wanted: &dyn Fn(&str) -> bool) -> Vec<Wrong> {
    let Some(meetings) = suite.meetings.get(base) else { return Vec::new() };
    let mut agents: BTreeMap<(u8, usize), Errors> = BTreeMap::new();
    let is_case = |purpose: &str| suite.library.cases.contains_key(purpose);
    // Bindings that are wrong alike are equivalent.
    let is_alone = |case: &str| !suite.library.cases[case].across;
    for (case, places) in meetings.places_of(&is_case).filter(|(case, _)| is_wanted(case) && is_alone(case)) {
        let allowed = allowed(&suite.library.cases[case]);
        let mut met: BTreeMap<&str, usize> = BTreeMap::new();
        for place in places {
            let count = met.entry(place.interface()).or_default();
            let served = place.error.is_some().then_some(SERVED);
            let wrong = [(0, blunt(&allowed)), (1, mistaken(&allowed, place)), (2, served)];
            for (kind, error) in wrong.into_iter().filter(|_| *count < PLACES) {
                let Some(error) = error else { continue };
                let (cases, places) = agents.entry((kind, *count)).or_default().entry(error).or_default();
                cases.insert(case.to_owned());
                places.insert(place.clone());
            }
            *count += 1;
        }
    }
    agents.into_values().map(Wrong::new).collect()
}

impl Wrong {
    fn new(by_error: Errors) -> Self {
        let mut wrong = Self { cases: BTreeMap::new(), faults: Vec::new() };
        for (error, (cases, places)) in by_error {
            wrong.faults.push(Box::leak(Box::new(fault(error, places))));
            wrong.cases.insert(error, cases);
        }
        wrong
    }
}

/// Everything that some step of a case allows.
fn allowed(case: &Case) -> BTreeSet<Outcome> {
    let expected = case.all_steps().into_iter().filter_map(|step| step.expect.as_ref());
    expected.flat_map(|expect| &expect.outcome).cloned().collect()
}

fn blunt(allowed: &BTreeSet<Outcome>) -> Option<&'static str> {
    BLUNT.into_iter().find(|error| !allowed.contains(&Outcome::Error((*error).to_owned())))
}

/// A wrong error in place of a right one, where it matters which it is.
fn mistaken(allowed: &BTreeSet<Outcome>, place: &Place) -> Option<&'static str> {
    let right = place.error.as_deref()?;
    let is_named = |outcome: &Outcome| matches!(outcome, Outcome::Error(_) | Outcome::Result);
    let is_wrong = |error: &&str| *error != right && !allowed.contains(&Outcome::Error((*error).to_owned()));
    allowed.iter().all(is_named).then(|| MISTAKEN.into_iter().find(is_wrong)).flatten()
}
