//! What a client did, held against what its case requires: the requests that came, and what the client reported.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::Judgement;
use super::matcher::{check, describe};
use crate::case::Matcher;
use crate::case::visit::{Conditions, Demand, Doing, Of, Reported, Told, Visit, Wants, named_place};
use crate::finding::{Finding, Kind, show};
use crate::profile::Capability;
use crate::reason::Reason;
use crate::visit::Met;
use crate::wire::json::pointer;

/// What a client reported of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepReport {
    /// How it ended.
    pub told: Told,
    /// The value, or the array of events.
    pub value: Value,
    /// The name of the error.
    pub name: Option<String>,
    /// What the error says, with its code.
    pub message: String,
}

/// A visit that is over.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// The requests that came, in their order.
    pub met: &'a [Met],
    /// What was reported of each step, by its place among them; nothing of those that were not done.
    pub reports: &'a BTreeMap<usize, StepReport>,
    /// The file of the case.
    pub file: &'a str,
}

/// What judging came to.
#[derive(Debug, Default)]
pub struct Judged {
    /// The assertions that were seen to hold.
    pub held: Vec<String>,
    /// What was wrong.
    pub findings: Vec<Finding>,
    /// Why something could not be seen: the first such.
    pub unseen: Option<Reason>,
}

impl Judged {
    /// The assertions that were violated, each once.
    pub fn violated(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for finding in &self.findings {
            if !names.contains(&finding.assertion) {
                names.push(finding.assertion.clone());
            }
        }
        names
    }

    fn holds(&mut self, assertion: String) {
        if !self.held.contains(&assertion) {
            self.held.push(assertion);
        }
    }

    fn unseen(&mut self, reason: Reason) {
        self.unseen.get_or_insert(reason);
    }
}

/// Judges a visit.
pub fn client(visit: &Visit, seen: Seen<'_>) -> Judged {
    let mut judged = Judged::default();
    for (index, step) in visit.steps.iter().enumerate() {
        if let Some(reported) = &step.reported {
            report(visit, step, reported, seen.reports.get(&index), seen, &mut judged);
        }
    }
    for wanted in &visit.requests {
        demand(wanted, seen, &mut judged);
    }
    let violated = judged.violated();
    judged.held.retain(|name| !violated.contains(name));
    judged
}

/// Judges requests that a client sent of its own accord to an agent that declares these capabilities (`None`: no card is known), by what
/// holds for the requests of every client. What none of the requests is about is unseen.
pub fn observed(visit: &Visit, met: &[Met], declared: Option<&BTreeSet<Capability>>, file: &str) -> super::Judged {
    let seen = Seen { met, reports: &BTreeMap::new(), file };
    let mut judged = Judged::default();
    for wanted in visit.always(declared) {
        match met.iter().any(|met| met.is_of(wanted.of)) {
            true => demand(wanted, seen, &mut judged),
            false => judged.unseen(Reason::NoRequest { of: named(wanted.of) }),
        }
    }
    let violated = judged.violated();
    judged.held.retain(|name| !violated.contains(name));
    let judgement = match (judged.findings.is_empty(), judged.held.is_empty()) {
        (false, _) => Judgement::Wrong(judged.findings),
        (true, false) => Judgement::Right,
        (true, true) => Judgement::Unseen(judged.unseen.unwrap_or(Reason::NothingSent)),
    };
    super::Judged { judgement, held: judged.held, violated }
}

/// How a report is called in headlines.
fn shown(report: &StepReport) -> String {
    match report.told {
        Told::Result | Told::End => report.told.name().to_owned(),
        kind if report.message.is_empty() => format!("an error ({})", kind.name()),
        kind => format!("an error ({}): {}", kind.name(), report.message),
    }
}

fn report(
    visit: &Visit,
    step: &Doing,
    reported: &Reported,
    told: Option<&StepReport>,
    seen: Seen<'_>,
    judged: &mut Judged,
) {
    let label = visit.label(step);
    let Some(told) = told else {
        return judged.unseen(Reason::StepNotDone { step: label });
    };
    if let Some(of) = step.word.operation().map(Of::Operation)
        && !matches!(told.told, Told::Result | Told::End)
        && !reported.outcome.contains(&Told::Agent)
        && !seen.met.iter().any(|met| met.is_of(of))
    {
        // What was never asked cannot have been read: other cases report that. Where any answer of the agent is right, that none
        // was asked for is what is wrong.
        return judged.unseen(none_came(&named(of), seen));
    }
    let last = step.word.operation().and_then(|operation| {
        let mut asked = seen.met.iter().rev();
        asked.find(|met| met.is_of(Of::Operation(operation))).map(|met| met.exchange.number)
    });
    let place = |finding: Finding, assertion: String| Finding {
        assertion,
        exchange: finding.exchange.or(last),
        source: step.line.map(|line| format!("{}:{line}", seen.file)),
        ..finding
    };
    if !reported.outcome.is_empty() {
        let assertion = format!("{label}.reported");
        if is_allowed(&reported.outcome, reported.name.is_some(), told.told) {
            judged.holds(assertion);
        } else {
            let expected = reported.outcome.iter().map(|told| told.name()).collect::<Vec<_>>().join(" or ");
            let kind = Kind::ClientReported { step: label.clone(), condition: expected.clone() };
            judged.findings.push(place(Finding::new(kind).compare(expected, shown(told)), assertion));
            // What an error reports in place of a value has no places.
            return;
        }
    }
    // Of a place that is wrong, what is below it is but a consequence: a list that lacks an item has no last one.
    let mut wrong: Vec<&str> = Vec::new();
    for (pointer, matcher) in &reported.at {
        if wrong.iter().any(|above| pointer.starts_with(above)) {
            continue;
        }
        let assertion = named_place(&label, pointer);
        if !matches!(told.told, Told::Result | Told::End) && told.value.is_null() {
            // Which outcome is right is another assertion's.
            judged.unseen(Reason::StepNotDone { step: label.clone() });
            continue;
        }
        let mismatches = check(&told.value, pointer, matcher);
        match mismatches.is_empty() {
            true => judged.holds(assertion.clone()),
            false => wrong.push(pointer),
        }
        for mismatch in mismatches {
            let kind = Kind::ClientReportedValue {
                step: label.clone(),
                place: pointer::shown(pointer).to_owned(),
                condition: describe(matcher),
            };
            let finding = Finding::new(kind).compare(mismatch.expected, mismatch.received);
            judged.findings.push(place(finding, assertion.clone()));
        }
    }
    if let Some(matcher) = &reported.name {
        let assertion = format!("{label}.name");
        let document = json!({ "name": told.name });
        let mismatches = check(&document, "/name", matcher);
        if mismatches.is_empty() {
            judged.holds(assertion.clone());
        }
        for mismatch in mismatches {
            let kind = Kind::ClientReported { step: label.clone(), condition: describe(matcher) };
            let received = told.name.clone().unwrap_or_else(|| shown(told));
            judged.findings.push(place(Finding::new(kind).compare(mismatch.expected, received), assertion.clone()));
        }
    }
}

/// Whether an outcome is among those that are right. A wrapper that cannot tell kinds of errors apart says `other`, which is right
/// wherever some kind is; not where the case is about telling them apart.
fn is_allowed(outcomes: &[Told], tells_apart: bool, told: Told) -> bool {
    let is_error = |told: &Told| Told::KINDS.contains(told);
    outcomes.contains(&told)
        || (is_error(&told) && outcomes.contains(&Told::Error))
        || (told == Told::Other && !tells_apart && outcomes.iter().any(is_error))
}

fn demand(demand: &Demand, seen: Seen<'_>, judged: &mut Judged) {
    let place = demand.place.as_deref();
    let is_chosen = |met: &&Met| met.is_of(demand.of) && met.is_at(place);
    let chosen: Vec<&Met> = seen.met.iter().filter(is_chosen).collect();
    let source = || demand.line.map(|line| format!("{}:{line}", seen.file));
    let found = |kind: Kind, met: Option<&Met>| Finding {
        assertion: demand.assertion(),
        exchange: met.map(|met| met.exchange.number),
        source: source(),
        ..Finding::new(kind)
    };
    let of = match place {
        Some(place) => format!("{} at `{place}`", named(demand.of)),
        None => named(demand.of),
    };
    match &demand.wants {
        Wants::Count(matcher) => {
            let mismatches = check(&json!({ "count": chosen.len() }), "/count", matcher);
            if mismatches.is_empty() {
                judged.holds(demand.assertion());
            }
            for mismatch in mismatches {
                let kind = Kind::ClientRequests { of: of.clone(), condition: describe(matcher) };
                let last = chosen.last().copied().or_else(|| seen.met.last());
                judged.findings.push(found(kind, last).compare(mismatch.expected, mismatch.received));
            }
        }
        Wants::Each(conditions) => on_requests(demand, conditions, &chosen, &of, seen, judged),
        Wants::First(conditions) => {
            on_requests(demand, conditions, chosen.get(..1).unwrap_or_default(), &of, seen, judged);
        }
        Wants::Last(conditions) => {
            let last = chosen.len().checked_sub(1).and_then(|last| chosen.get(last..));
            on_requests(demand, conditions, last.unwrap_or_default(), &of, seen, judged);
        }
        Wants::Later(conditions) => {
            let of = format!("second {of}");
            on_requests(demand, conditions, chosen.get(1..).unwrap_or_default(), &of, seen, judged);
        }
        Wants::Never(conditions) => {
            // Whoever must not be asked must not be asked for anything.
            let is_unwanted = |met: &&Met| {
                let is_any = demand.of == Of::Any && place.is_some() && (met.is_of(Of::Any) || met.is_of(Of::Unknown));
                (met.is_of(demand.of) || is_any)
                    && met.is_at(place)
                    && conditions.iter().all(|(pointer, matcher)| check(&met.document, pointer, matcher).is_empty())
            };
            match seen.met.iter().find(is_unwanted) {
                Some(met) => judged.findings.push(found(Kind::ClientAsks { of: unwanted(&of, conditions) }, Some(met))),
                None => judged.holds(demand.assertion()),
            }
        }
        Wants::Order(ofs) => {
            let firsts: Vec<Option<usize>> =
                ofs.iter().map(|of| seen.met.iter().position(|met| met.is_of(*of))).collect();
            let order = ofs.iter().map(|of| named(*of)).collect::<Vec<_>>().join(", ");
            if let Some(missing) = firsts.iter().position(Option::is_none) {
                let of = ofs.get(missing).map(|of| named(*of)).unwrap_or_default();
                judged.unseen(none_came(&of, seen));
            } else if firsts.is_sorted() {
                judged.holds(demand.assertion());
            } else {
                let met = firsts.iter().flatten().max().and_then(|at| seen.met.get(*at));
                judged.findings.push(found(Kind::ClientOrder { order }, met));
            }
        }
        Wants::Differ(places) => {
            if chosen.len() < 2 {
                return judged.unseen(none_came(&format!("second {of}"), seen));
            }
            for place in places {
                let mut known: Vec<&Value> = Vec::new();
                for met in &chosen {
                    let Some(value) = pointer::find(&met.document, place) else { continue };
                    if known.contains(&value) {
                        let kind = Kind::ClientRepeats { of: of.clone(), place: what(place) };
                        judged.findings.push(Finding { received: Some(show(value)), ..found(kind, Some(met)) });
                        break;
                    }
                    known.push(value);
                }
                match known.len() {
                    // One that has none repeats none, and shows nothing.
                    0 | 1 => judged.unseen(none_came(&format!("second {of} with {}", what(place)), seen)),
                    _ => judged.holds(demand.assertion()),
                }
            }
        }
    }
}

fn on_requests(
    demand: &Demand,
    conditions: &Conditions,
    chosen: &[&Met],
    of: &str,
    seen: Seen<'_>,
    judged: &mut Judged,
) {
    if chosen.is_empty() {
        return judged.unseen(none_came(of, seen));
    }
    for (pointer, matcher) in conditions {
        let assertion = demand.assertion_at(pointer);
        let wrong = chosen.iter().find_map(|met| {
            let mismatch = check(&met.document, pointer, matcher).into_iter().next()?;
            Some((met, mismatch))
        });
        let Some((met, mismatch)) = wrong else {
            judged.holds(assertion);
            continue;
        };
        let kind = Kind::ClientRequest { what: what(pointer), of: of.to_owned(), condition: describe(matcher) };
        let finding = Finding::new(kind).compare(mismatch.expected, mismatch.received);
        judged.findings.push(Finding {
            assertion,
            exchange: Some(met.exchange.number),
            pointer: in_body(met, &mismatch.pointer),
            source: demand.line.map(|line| format!("{}:{line}", seen.file)),
            ..finding
        });
    }
}

/// Where a place of the document of a request stands in its body.
fn in_body(met: &Met, place: &str) -> Option<String> {
    if let Some(place) = place.strip_prefix("/at") {
        return Some(format!("{}{place}", met.base.as_deref()?));
    }
    place.strip_prefix("/rpc").map(str::to_owned)
}

/// A place of the document of a request, in words.
fn what(place: &str) -> String {
    let name = |part: &str| place.strip_prefix(part).map(|name| name.replace("~1", "/").replace("~0", "~"));
    if let Some(name) = name("/headers/") {
        return format!("the header {name}");
    }
    if let Some(name) = name("/http/") {
        return format!("the HTTP {name}");
    }
    if let Some(name) = name("/rpc/") {
        return format!("`{name}` of the JSON-RPC request");
    }
    match place {
        "/answer/status" => "the status of the answer".to_owned(),
        "/call/number" => "the number".to_owned(),
        "/call/id" => "the kind of the JSON-RPC id".to_owned(),
        "/answer/left" => "whether the client closed the connection".to_owned(),
        "/at" => "the parameters".to_owned(),
        place => format!("`{}`", place.strip_prefix("/at").unwrap_or(place)),
    }
}

/// What requests are called in headlines.
fn named(of: Of) -> String {
    match of {
        Of::Card => "request for the card".to_owned(),
        Of::Operation(operation) => format!("{operation} request"),
        Of::Any => "request".to_owned(),
        Of::Unknown => "request for no operation of the version".to_owned(),
    }
}

/// A request that must not come, in words: what makes it so are the conditions that it meets.
fn unwanted(of: &str, conditions: &Conditions) -> String {
    let telling = conditions.iter().filter(|(_, matcher)| !matches!(matcher, Matcher::Present(true)));
    let met: Vec<String> = telling
        .map(|(place, matcher)| {
            let condition = describe(matcher);
            match (condition.strip_prefix("to be "), condition.strip_prefix("to contain ")) {
                (Some(state), _) => format!("{} is {state}", what(place)),
                (_, Some(part)) => format!("{} contains {part}", what(place)),
                _ => format!("{} is {condition}", what(place)),
            }
        })
        .collect();
    match met.is_empty() {
        true => of.to_owned(),
        false => format!("{of} in which {}", met.join(" and ")),
    }
}

/// That no such request came, and what the client said instead.
fn none_came(of: &str, seen: Seen<'_>) -> Reason {
    let said = seen.reports.values().find(|report| !matches!(report.told, Told::Result | Told::End));
    match said {
        Some(report) => Reason::NoRequestButError { told: shown(report), of: of.to_owned() },
        None => Reason::NoRequest { of: of.to_owned() },
    }
}
