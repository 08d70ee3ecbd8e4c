//! One agent both ways, or two of its releases: directly, and through a gateway. Only the differences are told.
//!
//! Enters: how each side is prepared ([`Suite`]). Leaves: a [`Comparison`]. The cases run on both sides by the same suite, and so do
//! some requests of the comparison's own; their exchanges are held against each other. What differs is done again, and only what differs
//! each time is told: what comes and goes is nobody's doing.

mod address;
mod card;
mod confirm;
mod difference;
mod explain;
mod found;
mod headers;
mod kind;
mod pairs;
mod probe;
mod seen;
mod sight;
mod told;
mod verdicts;

#[cfg(test)]
mod sample;

use std::time::Instant;

pub(crate) use difference::{Comparison, SCHEMA, SCHEMA_VERSION, Side};
pub(crate) use told::{closing, markdown, terminal};

use crate::auth::origin;
use crate::event::Event;
use crate::interface::Agent;
use crate::profile::Binding;
use crate::report::model::Tool;
use crate::suite::Suite;
use address::{Place, Places, declared};
use confirm::Confirmed;
use difference::{Difference, Trial};
use kind::Kind;
use probe::lane;
use seen::Seen;
use sight::Lane;

/// Is told how far a comparison is.
pub(crate) trait Watcher {
    /// Something begins, with so many cases.
    fn begin(&mut self, what: &str, cases: usize);
    /// Something happened.
    fn see(&mut self, event: &Event);
}

/// The two sides, ready to run.
struct Both {
    direct: Suite,
    gateway: Suite,
    lanes: Vec<Lane>,
}

impl Both {
    fn of(&self, side: Side) -> &Suite {
        match side {
            Side::Direct => &self.direct,
            Side::Gateway => &self.gateway,
        }
    }

    /// The suite of a side with the trials that are wanted, over the interfaces that both have.
    fn suite(&self, side: Side, wants: impl Fn(&Trial) -> bool) -> Suite {
        let mut suite = self.of(side).clone();
        suite.retain(|trial| {
            let is_common = |binding: &str| {
                let over = format!("{} {binding}", trial.profile);
                self.lanes.iter().any(|lane| lane.over == over)
            };
            let bindings = trial.bindings();
            let of = Trial { case: trial.case.id.clone(), over: format!("{} {bindings}", trial.profile) };
            bindings.split('+').all(is_common) && wants(&of)
        });
        suite
    }

    /// Runs the wanted trials of a side; `what` says what for.
    async fn run(
        &self,
        side: Side,
        (what, wants): (&str, impl Fn(&Trial) -> bool),
        watcher: &mut impl Watcher,
    ) -> Seen {
        let suite = self.suite(side, wants);
        watcher.begin(&format!("{what} {}", side.way()), suite.plan().trials.len());
        Seen::run(suite, &self.lanes, watcher).await
    }
}

/// How a comparison ended.
pub(crate) enum Ended {
    /// Both sides were compared.
    Compared(Box<Comparison>),
    /// It was interrupted before that; why.
    Interrupted(String),
}

/// Compares an agent with itself. `prepare` finds it one way; its interfaces are at these bases, where there are some.
///
/// # Errors
/// Those of `prepare`.
pub(crate) async fn compare<E>(
    prepare: impl AsyncFn(Side, Vec<String>) -> Result<Suite, E>,
    watcher: &mut impl Watcher,
) -> Result<Ended, E> {
    let (began, started) = (Instant::now(), crate::clock::now());
    let direct = prepare(Side::Direct, Vec::new()).await?;
    let gateway = prepare(Side::Gateway, Vec::new()).await?;
    let urls = (direct.url().clone(), gateway.url().clone());
    let places = Places::new(&urls.1, &urls.0, direct.agent());
    let places_directly = Places::new(&urls.0, &urls.1, &Agent::default());
    let mut notes = Vec::new();
    let mut found: Vec<Difference> = card::addresses(gateway.agent(), &places).into_iter().collect();
    let direct = match address::bases(direct.agent(), &places_directly, &urls.0) {
        bases if bases.is_empty() => direct,
        bases => {
            notes.push(format!(
                "the direct card leads elsewhere; its interfaces are called at {}",
                origin::shown(urls.0.as_str())
            ));
            prepare(Side::Direct, bases).await?
        }
    };
    let gateway = match address::bases(gateway.agent(), &places, &urls.1) {
        bases if bases.is_empty() => gateway,
        bases => prepare(Side::Gateway, bases).await?,
    };
    let (lanes, alone) =
        lanes(&direct, &gateway, &[(Side::Direct, &places_directly), (Side::Gateway, &places)], &mut notes);
    found.extend(alone);
    let both = Both { direct, gateway, lanes };
    let (of_cards, of_card_notes) = cards(&both, &places).await;
    found.extend(of_cards);
    notes.extend(of_card_notes);
    let probed = confirm::probes(&both).await;
    found.extend(probed.differences);
    let mut messages = probed.messages;
    let straight = both.run(Side::Direct, ("checking", |_: &Trial| true), watcher).await;
    if let Some(why) = straight.interrupted() {
        return Ok(Ended::Interrupted(why));
    }
    let through = both.run(Side::Gateway, ("checking", |_: &Trial| true), watcher).await;
    if let Some(why) = through.interrupted() {
        return Ok(Ended::Interrupted(why));
    }
    let Confirmed { differences, changes, counts, unsteady, note, messages: again, interrupted } =
        confirm::cases(&both, &straight, &through, watcher).await;
    if let Some(why) = interrupted {
        return Ok(Ended::Interrupted(why));
    }
    messages += again + straight.report.messages_sent + through.report.messages_sent;
    notes.extend(note);
    found.extend(differences);
    let differences = explain::explain(found, changes, &straight, &through);
    let mut comparison = Comparison {
        schema_version: SCHEMA_VERSION,
        tool: Tool::default(),
        direct: urls.0.to_string(),
        gateway: urls.1.to_string(),
        started: format!("{started:.3}"),
        duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        messages_sent: messages,
        exit_code: 0,
        error: None,
        notes,
        differences,
        cases: counts,
        unsteady,
    };
    for side in Side::BOTH {
        comparison.mask(both.of(side).secrets());
    }
    Ok(Ended::Compared(Box::new(comparison)))
}

/// The interfaces that both sides have and that are reached on the way of each; and those that only one side has.
fn lanes(
    direct: &Suite,
    gateway: &Suite,
    places: &[(Side, &Places)],
    notes: &mut Vec<String>,
) -> (Vec<Lane>, Vec<Difference>) {
    let suites = |side: Side| if side == Side::Direct { direct } else { gateway };
    let mut past: Vec<String> = Vec::new();
    for (side, places) in places {
        for (info, interface) in suites(*side).agent().checked() {
            let is_past = interface.mapped.is_none() && places.of(declared(info, Some(interface))) != Place::Own;
            if is_past && interface.binding == Binding::Grpc {
                let over = lane(interface).over;
                let flag = if *side == Side::Direct { "--base-url" } else { "--gateway-base-url" };
                let why =
                    format!("{over} is not compared: its address leads elsewhere; {flag} grpc=URL names the right one");
                if !past.contains(&over) {
                    notes.push(why);
                }
                past.push(over);
            }
        }
    }
    let of =
        |side: Side| suites(side).interfaces().map(lane).filter(|lane| !past.contains(&lane.over)).collect::<Vec<_>>();
    let (before, after) = (of(Side::Direct), of(Side::Gateway));
    let has = |all: &[Lane], lane: &Lane| all.iter().any(|known| known.over == lane.over);
    let mut alone = Vec::new();
    for (own, other, side) in [(&before, &after, Side::Direct), (&after, &before, Side::Gateway)] {
        for lane in own.iter().filter(|lane| !has(other, lane)) {
            let message = format!("the interface {} can be checked only {}", lane.over, side.way());
            alone.push(Difference::new(Kind::Untested, message).over([lane.over.clone()]));
        }
    }
    // Each side has its own URLs.
    let common = before.iter().chain(&after).filter(|lane| has(&before, lane) && has(&after, lane)).cloned();
    (common.collect(), alone)
}

/// In what the cards differ.
async fn cards(both: &Both, places: &Places) -> (Vec<Difference>, Vec<String>) {
    let direct = card::served(&both.direct).await;
    let gateway = card::served(&both.gateway).await;
    let profiles: Vec<_> = both.direct.interfaces().map(|interface| &*interface.profile).collect();
    card::differences(&direct, &gateway, places, &profiles)
}
