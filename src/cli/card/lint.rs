//! `a2aspec card lint`: what is wrong with cards, by the cases that look at a card alone.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::fleet::{self, Fleet};
use super::{Card, Exit, Failure, keys};
use crate::case::{Act, Action, Case, Library, OracleCall, Requirement, Step};
use crate::cli::args::{CardLintArgs, CardPlaceArgs};
use crate::cli::fail::{self, library};
use crate::cli::print;
use crate::diagnostic::words::{count_as, one_line};
use crate::discovery::hints::{self, Hint};
use crate::extension;
use crate::finding::Finding;
use crate::judge::{self, CaseView, Judgement, Observation, RunView, Service, StepRecord, oracle};
use crate::profile::{Binding, Profile, Reading};
use crate::signature::Keys;
use crate::transcript::{Answer, Content, Direction, Ended, Exchange, Payload, Request, Response, Unreadable};
use crate::verdict::Level;
use crate::wire::json;

/// One thing that is wrong.
struct Wrong<'l> {
    level: Level,
    finding: Finding,
    requirement: &'l Requirement,
    case: &'l Case,
}

pub(super) async fn run(args: &CardLintArgs) -> Result<Exit, Failure> {
    let places = fleet::places(&args.places)?;
    let library = library(None)?;
    let mut trusted = Keys::default();
    for file in &args.key {
        trusted.add(keys(file)?);
    }
    let (mut is_wrong, mut unread) = (false, None);
    let mut fleet = Fleet::default();
    for place in &places {
        let card = Card::find(&CardPlaceArgs { place: place.clone(), profile: args.profile.clone() }).await;
        let card = match card {
            Ok(card) => card,
            Err(failure) => {
                unread = unread.or(Some(fail::show(&failure)));
                continue;
            }
        };
        for profile in &card.profiles {
            let found = lint(&card, profile, &library, &trusted);
            is_wrong |= found.iter().any(|wrong| wrong.level == Level::Must);
            let hints = hints::of_card(&card.parsed(), profile);
            print::out(&told(&card, profile.name(), &found, &hints))?;
        }
        fleet.add(card)?;
    }
    if fleet.len() > 1 || args.connect {
        let conflicts = fleet.conflicts();
        let unreached = if args.connect { Some(fleet.unreached().await) } else { None };
        is_wrong |= !conflicts.is_empty() || unreached.as_ref().is_some_and(|all| !all.is_empty());
        print::out(&fleet::told(fleet.len(), &conflicts, unreached.as_deref()))?;
    }
    Ok(unread.unwrap_or(if is_wrong { Exit::Fails } else { Exit::Holds }))
}

/// Everything that the cases of a version find in the card by looking at it, the gravest first.
fn lint<'l>(card: &Card, profile: &Profile, library: &'l Library, trusted: &Keys) -> Vec<Wrong<'l>> {
    let answer = answer(&card.shown, &card.bytes);
    let mut found: Vec<Wrong<'l>> = Vec::new();
    let declared = answer.result().map(|card| extension::declared(card, profile)).unwrap_or_default();
    let is_about_what_it_declares = |case: &Case| case.extension.is_empty() || case.extension_of(&declared).is_some();
    let checks = library.checks(profile.name());
    let mut cases: Vec<&Case> = checks
        .iter()
        .map(|check| check.case)
        .filter(|case| looks_at_the_card(case) || looks_at_the_text(case))
        .filter(|case| is_about_what_it_declares(case))
        .collect();
    cases.sort_by_key(|case| &case.id);
    cases.dedup_by_key(|case| &case.id);
    for case in cases {
        for finding in judged(case, profile, &answer, trusted) {
            let entries = checks.iter().filter(|check| check.case.id == case.id).map(|check| check.requirement);
            // Of the gravest the one that speaks of nothing else.
            let violated = entries.filter_map(|entry| Some((entry, closeness(entry, case, &finding)?)));
            let closest = violated.min_by_key(|(entry, closeness)| (entry.level, Reverse(*closeness)));
            if let Some((requirement, _)) = closest {
                found.push(Wrong { level: requirement.level, finding, requirement, case });
            }
        }
    }
    found.sort_by_key(|wrong| wrong.level);
    found
}

/// How closely a requirement names what a finding violates, if it does.
fn closeness(entry: &Requirement, case: &Case, finding: &Finding) -> Option<usize> {
    let cited = entry.cases.iter().map(|cited| &cited.value);
    let violated = cited.filter(|cited| cited.is_violated_by(&case.id, &finding.assertion));
    violated.map(|cited| cited.name().map_or(0, str::len)).max()
}

/// Whether a case does nothing but fetch the card as everybody does, and judge what it says.
fn looks_at_the_card(case: &Case) -> bool {
    let Action::Steps(steps) = &case.action else { return false };
    let is_plain = |step: &Step| {
        matches!(&step.act, Act::Card(card) if card.method == "GET" && !card.extended) && step.headers.is_empty()
    };
    // The headers with which a card is served are not in a file.
    let is_of_http = |step: &Step| step.expect.as_ref().is_some_and(|expect| !expect.http.is_empty());
    let judges = case.holds.iter().any(|call| call.name != "card-max-age")
        || steps.iter().any(|step| step.expect.as_ref().is_some_and(|expect| !expect.at.is_empty()));
    judges && case.given.is_empty() && steps.iter().all(|step| is_plain(step) && !is_of_http(step))
}

/// Whether a case judges the JSON text of each answer, whichever it is: what a card says twice is read in two ways, and a signature
/// holds for one of them.
fn looks_at_the_text(case: &Case) -> bool {
    matches!(&case.action, Action::Observe(call) if call.name == "duplicate-keys")
}

fn judged(case: &Case, profile: &Profile, answer: &Answer, keys: &Keys) -> Vec<Finding> {
    let steps = match &case.action {
        Action::Steps(steps) => steps,
        Action::Observe(call) => return observed(call, profile, answer),
        Action::Visit(_) => return Vec::new(),
    };
    let record = |step: &Step| StepRecord {
        name: step.name.clone(),
        seen: Observation::Answer(answer.clone()),
        applies: step.applies.clone(),
        reach: step.reach.clone(),
        expect: step.expect.clone(),
        written: step.expect.clone(),
        source: None,
    };
    let mut played: Vec<StepRecord> = Vec::new();
    for step in steps {
        let record = record(step);
        // As in a run: what a step does not find ends the case.
        if judge::reached(profile, &record).is_err() {
            return Vec::new();
        }
        let prefix = |name: &str| format!("{}{name}", case.prefix(step));
        if let Judgement::Wrong(wrong) = judge::step(profile, &record).naming(prefix).judgement {
            return wrong;
        }
        played.push(record);
    }
    let fixtures = BTreeMap::new();
    let view = CaseView { profile, played: &played, fixtures: &fixtures, speaks: None, methods_of: None, keys };
    let mut findings = Vec::new();
    for call in &case.holds {
        let assertion = case.oracle_assertion(call);
        let judged = oracle::over_case(view, call).naming(|own| format!("{assertion}{own}"));
        if let Judgement::Wrong(wrong) = judged.judgement {
            findings.extend(wrong);
        }
    }
    findings
}

/// What an oracle over all answers says of this one.
fn observed(call: &OracleCall, profile: &Profile, answer: &Answer) -> Vec<Finding> {
    let Some(dialect) = profile.dialects.get(&profile.facts.card.dialect) else { return Vec::new() };
    let view = RunView {
        profile,
        dialect,
        binding: answer.binding,
        answers: std::slice::from_ref(answer),
        beside: &[],
        service: &Service::default(),
        asked_twice: &[],
        tried: &[],
    };
    match oracle::over_run(view, call).naming(|own| format!("{}{own}", call.name)).judgement {
        Judgement::Wrong(wrong) => wrong,
        _ => Vec::new(),
    }
}

/// The card as if it had been served.
fn answer(place: &str, bytes: &[u8]) -> Answer {
    let content = match json::parse(bytes, &json::Limits::default()) {
        Ok(document) => {
            let reading = Arc::new(Reading::plain(document.value()));
            Content::Result(Payload { document, base: String::new(), reading })
        }
        Err(error) => Content::Unreadable(Unreadable::new(error.kind.to_string(), Some(error.offset))),
    };
    let exchange = Exchange {
        number: 1,
        purpose: "card lint".to_owned(),
        direction: Direction::Outbound,
        request: Request {
            method: "GET".to_owned(),
            url: place.to_owned(),
            headers: Vec::new(),
            body: Bytes::new(),
            is_verbatim: false,
            operation: None,
            params: Arc::default(),
            rpc_id: None,
        },
        response: Some(Response {
            status: 200,
            headers: Vec::new(),
            body: Bytes::copy_from_slice(bytes),
            trailers: Vec::new(),
            text: None,
        }),
        ended: Ended::Complete,
        started: Duration::ZERO,
        elapsed: Duration::ZERO,
        share: None,
    };
    Answer { binding: Binding::Jsonrpc, exchange: Arc::new(exchange), content }
}

fn told(card: &Card, version: &str, found: &[Wrong<'_>], hints: &[(String, Hint)]) -> String {
    let guess = if card.is_guess { ", a guess: it says no known protocol version where that belongs" } else { "" };
    let mut out = format!("{}, read as a card of A2A {version}{guess}\n\n", one_line(&card.shown));
    for wrong in found {
        let place = wrong.finding.pointer.as_deref().filter(|place| !place.is_empty()).unwrap_or("the card");
        let text = one_line(&wrong.requirement.text);
        out.push_str(&format!("{:<6} {}: {}\n", wrong.level.to_string(), place, one_line(&wrong.finding.headline())));
        let rows = [
            ("expected", wrong.finding.expected.as_deref()),
            ("received", wrong.finding.received.as_deref()),
            ("demands", Some(text.as_str())),
            ("see", Some(&*wrong.requirement.id.value)),
            ("fix", Some(wrong.case.fix.as_str())),
        ];
        for (label, text) in rows {
            if let Some(text) = text {
                out.push_str(&format!("       {label:<9} {}\n", one_line(text)));
            }
        }
        out.push('\n');
    }
    for (place, hint) in hints {
        out.push_str(&format!("{:<6} {}: {}\n", "note", one_line(place), one_line(&hint.to_string())));
    }
    if !hints.is_empty() {
        out.push('\n');
    }
    let of = |level| found.iter().filter(|wrong| wrong.level == level).count();
    let levels = Level::ALL.map(|level| format!("{} {level}", of(level)));
    out.push_str(&match found.len() {
        0 => "nothing is wrong with it\n\n".to_owned(),
        all => format!("{}: {}\n\n", count_as(all, "thing is wrong", "things are wrong"), levels.join(", ")),
    });
    out
}
