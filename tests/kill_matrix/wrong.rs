//! Faults that nobody writes: wrong answers where a case asks something.
//!
//! Most ways of being wrong are one effect at one place: this request, which nothing but this case makes, is answered with
//! that error. The cases themselves say both. What they ask is known from a run without a fault, and what they allow is
//! their `outcome`. One agent is wrong for many cases at once: for all that come to their mistake without one that is made
//! for another.

use std::collections::{BTreeMap, BTreeSet};

use a2a_reference_agent::{Fault, Place};
use a2aspec::case::{Case, Outcome};
use a2aspec::session::fixtures;

use super::kill::Suite;
use super::meets::Meetings;

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
    /// The errors that it gives, each with the trials to which it does.
    pub trials: BTreeMap<&'static str, BTreeSet<Trial>>,
    /// What makes it wrong.
    pub faults: Vec<&'static Fault>,
}

/// A case over an interface, by its version and binding: `1.0 jsonrpc`; over any where what it asks, such as a card, is of none.
pub type Trial = (String, Option<String>);

/// One wrong answer: to a case, at one of its places.
struct Mistake<'a> {
    case: &'a str,
    place: &'a Place,
    error: &'static str,
    /// What has to stay right, or the case does not come to that place.
    needs: BTreeSet<&'a Place>,
}

/// Mistakes that do not get in each other's way.
#[derive(Default)]
struct Mistakes<'a> {
    wrong: BTreeMap<&'a Place, &'static str>,
    right: BTreeSet<&'a Place>,
    trials: BTreeMap<&'static str, BTreeSet<Trial>>,
}

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

/// The agents that are wrong for these cases at a base: as few as there can be without one mistake hiding another.
pub fn of(suite: &Suite, base: usize, is_wanted: &dyn Fn(&str) -> bool) -> Vec<Wrong> {
    let Some(meetings) = suite.meetings.get(base) else { return Vec::new() };
    let cases = &suite.library.cases;
    let everybodys = meetings.places_of_everybody(&|purpose| cases.contains_key(purpose));
    let mut agents: Vec<Mistakes<'_>> = Vec::new();
    // Bindings that are wrong alike are equivalent.
    for case in cases.values().filter(|case| is_wanted(&case.id) && !case.across) {
        for mistake in mistakes(case, meetings, &everybodys) {
            match agents.iter_mut().find(|agent| agent.have_room_for(&mistake)) {
                Some(agent) => agent.add(mistake),
                None => {
                    let mut agent = Mistakes::default();
                    agent.add(mistake);
                    agents.push(agent);
                }
            }
        }
    }
    agents.into_iter().map(Mistakes::agent).collect()
}

/// The mistakes that can be made in answer to a case, over each interface.
fn mistakes<'a>(case: &'a Case, meetings: &'a Meetings, everybodys: &BTreeSet<&Place>) -> Vec<Mistake<'a>> {
    let allowed = allowed(case);
    let own = meetings.places(&case.id);
    let given: BTreeSet<&Place> = fixtures(case).iter().flat_map(|purpose| meetings.places(purpose)).collect();
    let mut met: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    let mut mistakes = Vec::new();
    for place in own.iter().filter(|place| !everybodys.contains(place) && !given.contains(place)) {
        let count = met.entry(place.interface()).or_default();
        *count += 1;
        if *count > PLACES {
            continue;
        }
        let is_here = |other: &&Place| other.interface() == place.interface() && *other != place;
        let needs: BTreeSet<&Place> = own.iter().chain(given.iter().copied()).filter(is_here).collect();
        let served = place.error.is_some().then_some(SERVED);
        let errors = [blunt(&allowed), mistaken(&allowed, place), served];
        let all = errors.into_iter().flatten();
        mistakes.extend(all.map(|error| Mistake { case: &case.id, place, error, needs: needs.clone() }));
    }
    mistakes
}

impl<'a> Mistakes<'a> {
    /// Whether an agent that makes these can make another, and each case comes to its own.
    fn have_room_for(&self, mistake: &Mistake<'a>) -> bool {
        !self.right.contains(mistake.place)
            && self.wrong.get(mistake.place).is_none_or(|error| *error == mistake.error)
            && mistake.needs.iter().all(|place| !self.wrong.contains_key(place))
    }

    fn add(&mut self, mistake: Mistake<'a>) {
        self.wrong.insert(mistake.place, mistake.error);
        self.right.extend(mistake.needs);
        let trial = (mistake.case.to_owned(), mistake.place.interface().map(str::to_owned));
        self.trials.entry(mistake.error).or_default().insert(trial);
    }

    fn agent(self) -> Wrong {
        let mut places: BTreeMap<&'static str, BTreeSet<Place>> = BTreeMap::new();
        for (place, error) in self.wrong {
            places.entry(error).or_default().insert(place.clone());
        }
        let faults = places.into_iter().map(|(error, places)| &*Box::leak(Box::new(fault(error, places))));
        Wrong { trials: self.trials, faults: faults.collect() }
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
