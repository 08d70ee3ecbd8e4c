//! What the requests of the comparison's own show.

use super::difference::Difference;
use super::kind::Kind;
use super::pairs::{self, shown};
use super::probe::{BODIES, HEADERS, Probe, Probed, Timing};
use super::sight::{Body, Sight};
use crate::diagnostic::words::duration;
use std::time::Duration;

/// How long the direct stream must go on after its first event so that times show anything.
const LONG: Duration = Duration::from_millis(250);
/// Of how many parts of that time the gateway's stream may take one for its events to count as having come together.
const PARTS: u32 = 4;

/// The differences between what came both ways, over each interface.
pub(super) fn differences(direct: &Probed, gateway: &Probed) -> Vec<Difference> {
    let mut found: Vec<Difference> = Vec::new();
    let overs = direct.sights.keys().filter(|(_, probe)| *probe == Probe::Plain).map(|(over, _)| over.clone());
    for over in overs {
        let lane = Lane { over: &over, direct, gateway };
        for difference in lane.differences() {
            match found.iter_mut().find(|known| known.is_same(&difference)) {
                Some(known) => known.interfaces.push(over.clone()),
                None => found.push(difference.over([over.clone()])),
            }
        }
    }
    found
}

/// What came both ways over an interface.
struct Lane<'p> {
    over: &'p str,
    direct: &'p Probed,
    gateway: &'p Probed,
}

impl<'p> Lane<'p> {
    fn both(&self, probe: Probe) -> Option<(&'p Sight, &'p Sight)> {
        let key = (self.over.to_owned(), probe);
        Some((self.direct.sights.get(&key)?, self.gateway.sights.get(&key)?))
    }

    fn differences(&self) -> Vec<Difference> {
        let Some((plain, plain_at_gateway)) = self.both(Probe::Plain) else { return Vec::new() };
        if plain.status.is_none() || plain_at_gateway.status.is_none() {
            return self.plain().into_iter().collect();
        }
        let mut found: Vec<Difference> = Vec::new();
        found.extend(self.credentials());
        if found.is_empty() {
            found.extend(self.version());
        }
        let is_explained = found.iter().any(|it| it.kind != Kind::Header);
        found.extend(self.requirements());
        if plain.outcome() == plain_at_gateway.outcome() {
            found.extend(self.extensions());
            found.extend(self.limit(&BODIES.map(Probe::Body), Kind::BodyLimit, &BODIES, "a request body"));
            found.extend(self.limit(&HEADERS.map(Probe::Header), Kind::HeaderLimit, &HEADERS, "a request header"));
            found.extend(self.path());
            found.extend(self.query());
        } else if !is_explained {
            found.extend(self.plain());
        }
        let is_reached = !matches!(plain_at_gateway.status, None | Some(429 | 500..)) && !is_barred(plain_at_gateway);
        if !is_explained && is_reached {
            found.extend(self.long());
            found.extend(self.stream());
            found.extend(self.twice());
        }
        found
    }

    /// In what the answers to the plainest request differ.
    fn plain(&self) -> Option<Difference> {
        let (direct, gateway) = self.both(Probe::Plain)?;
        pairs::difference(direct, gateway).map(|difference| Difference { is_plain: true, ..difference })
    }

    /// Whether a version that no agent has is refused on both sides.
    fn version(&self) -> Option<Difference> {
        let (direct, gateway) = self.both(Probe::OtherVersion)?;
        let is_lost = self.is_heeded_directly_only(Probe::OtherVersion)?;
        let message = "the gateway loses the A2A-Version header of requests";
        let told = |sight: &Sight| format!("{} for A2A-Version: 99.0", sight.outcome());
        is_lost.then(|| shown(Kind::VersionLost, message, direct, gateway).between(told(direct), told(gateway)))
    }

    /// Whether a request without the extension that the card requires is refused on both sides.
    fn requirements(&self) -> Option<Difference> {
        let (direct, gateway) = self.both(Probe::Plain)?;
        let message = "the gateway loses the A2A-Extensions header of requests";
        let is_lost = self.is_heeded_directly_only(Probe::WithoutExtensions)?;
        is_lost.then(|| shown(Kind::ExtensionsLost, message, direct, gateway))
    }

    /// Whether what tells a request from the plain one makes a difference directly, and none through the gateway, though the agent has
    /// answered there.
    fn is_heeded_directly_only(&self, probe: Probe) -> Option<bool> {
        let (direct, gateway) = self.both(probe)?;
        let (plain, plain_at_gateway) = self.both(Probe::Plain)?;
        let is_heeded = plain.outcome() != direct.outcome();
        Some(is_heeded && plain_at_gateway.outcome() == gateway.outcome() && is_of_the_agent(gateway))
    }

    /// Whether extensions that are asked for become active on both sides.
    fn extensions(&self) -> Option<Difference> {
        let (direct, gateway) = self.both(Probe::WithExtensions)?;
        let names = |sight: &Sight| {
            ["a2a-extensions", "x-a2a-extensions"].iter().find_map(|name| sight.header(name)).map(str::to_owned)
        };
        let known = names(direct)?;
        let is_lost = names(gateway).is_none() && direct.outcome() == gateway.outcome();
        let message = "the gateway loses the A2A-Extensions header";
        is_lost.then(|| {
            let difference = shown(Kind::ExtensionsLost, message, direct, gateway);
            difference.between(format!("active: {known}"), "no extension is active")
        })
    }

    /// Whether who brings credentials is let in on both sides, and who brings none on neither.
    fn credentials(&self) -> Option<Difference> {
        let (plain, plain_at_gateway) = self.both(Probe::Plain)?;
        if !is_barred(plain) && is_barred(plain_at_gateway) {
            let message = "requests with credentials are refused through the gateway";
            return Some(shown(Kind::CredentialsLost, message, plain, plain_at_gateway));
        }
        let (nobody, nobody_at_gateway) = self.both(Probe::Nobody)?;
        if is_barred(nobody) && !is_barred(nobody_at_gateway) && nobody_at_gateway.status != Some(404) {
            let message = "requests without credentials are served through the gateway";
            return Some(shown(Kind::Unguarded, message, nobody, nobody_at_gateway));
        }
        let challenge = |sight: &Sight| sight.header("www-authenticate").map(str::to_owned);
        let (asks, asks_at_gateway) = (challenge(nobody), challenge(nobody_at_gateway));
        let is_lost = asks.is_some() && asks_at_gateway.is_none() && nobody_at_gateway.status == Some(401);
        let message = "the gateway loses the header www-authenticate of responses";
        is_lost.then(|| {
            let difference = shown(Kind::Header, message, nobody, nobody_at_gateway);
            difference.between(asks.unwrap_or_default(), "not sent")
        })
    }

    /// The smallest size that is taken directly, and not through the gateway.
    fn limit(&self, probes: &[Probe], kind: Kind, sizes: &[usize], what: &str) -> Option<Difference> {
        let mut of_size = probes.iter().zip(sizes).filter_map(|(probe, size)| Some((self.both(*probe)?, size)));
        let ((direct, gateway), size) =
            of_size.find(|((direct, gateway), _)| direct.outcome() != gateway.outcome() && !is_too_large(direct))?;
        let message = format!("{what} of {} KiB is refused through the gateway", size >> 10);
        Some(shown(kind, message, direct, gateway))
    }

    /// Whether a task is looked up whose id needs escapes.
    fn path(&self) -> Option<Difference> {
        let (direct, gateway) = self.both(Probe::Escaped)?;
        let is_decoded = direct.outcome() != gateway.outcome();
        let message = "escapes in paths (%2F) do not reach the agent through the gateway";
        is_decoded.then(|| shown(Kind::PathDecoded, message, direct, gateway))
    }

    /// Whether a wrong query is refused on both sides.
    fn query(&self) -> Option<Difference> {
        let (direct, gateway) = self.both(Probe::WrongQuery)?;
        let (without, without_at_gateway) = self.both(Probe::NoQuery)?;
        let is_heeded = direct.outcome() != without.outcome();
        let is_lost = is_heeded && gateway.outcome() == without_at_gateway.outcome();
        let message = "the gateway loses the query of requests";
        is_lost.then(|| shown(Kind::QueryLost, message, direct, gateway))
    }

    /// Whether an answer that takes long arrives.
    fn long(&self) -> Option<Difference> {
        let (direct, gateway) = self.both(Probe::Long)?;
        let difference = pairs::difference(direct, gateway)?;
        let took = duration(direct.elapsed);
        let is_cut = gateway.status.is_none() || gateway.status >= Some(500);
        let message = "a response that takes the agent long does not arrive through the gateway";
        match is_cut {
            true => Some(shown(Kind::TimeLimit, message, direct, gateway).between(
                format!("{} after {took}", direct.outcome()),
                format!("{} after {}", gateway.outcome(), duration(gateway.elapsed)),
            )),
            false => Some(difference),
        }
    }

    /// Whether the events of a stream arrive, and when they do.
    fn stream(&self) -> Option<Difference> {
        let (direct, gateway) = self.both(Probe::Stream)?;
        if let Some(difference) = pairs::difference(direct, gateway) {
            return Some(difference);
        }
        let (before, after) = (self.direct.timings.get(self.over)?, self.gateway.timings.get(self.over)?);
        if before.is_whole && !after.is_whole && after.events < before.events {
            let told = |timing: &Timing| format!("{} events in {}", timing.events, duration(timing.end));
            let message = "streams are cut before their end";
            return Some(shown(Kind::StreamCut, message, direct, gateway).between(told(before), told(after)));
        }
        is_buffered(before, after).then(|| {
            let told = |timing: &Timing| {
                format!("the first event after {}, the end after {}", duration(timing.first), duration(timing.end))
            };
            let message = "the events of streams arrive together at the end through the gateway";
            shown(Kind::StreamBuffered, message, direct, gateway).between(told(before), told(after))
        })
    }

    /// Whether a message makes more tasks through the gateway.
    fn twice(&self) -> Option<Difference> {
        let (direct, gateway) = (self.direct.tasks.get(self.over)?, self.gateway.tasks.get(self.over)?);
        let told = |tasks: &usize| format!("{tasks} in the list after one message");
        let message = "a message reaches the agent more than once through the gateway";
        (gateway > direct).then(|| Difference::new(Kind::DeliveredTwice, message).between(told(direct), told(gateway)))
    }
}

/// Whether events that came one after the other directly came together, at the end.
pub(super) fn is_buffered(direct: &Timing, gateway: &Timing) -> bool {
    let left = |timing: &Timing| timing.end.saturating_sub(timing.first);
    let was_early = left(direct) >= LONG && direct.first < direct.end / 2;
    was_early && left(gateway) < left(direct) / PARTS && gateway.first > direct.first + left(direct) / 2
}

/// Whether who asks was not let in.
fn is_barred(sight: &Sight) -> bool {
    let is_refusal = matches!(sight.error.as_deref(), Some("gRPC status 16" | "gRPC status 7"));
    matches!(sight.status, Some(401 | 403 | 407)) || is_refusal
}

/// Whether an answer is one of the agent, if only an error, and none of what is before it.
fn is_of_the_agent(sight: &Sight) -> bool {
    let is_readable = matches!(sight.body, Body::Json | Body::Grpc | Body::Stream { .. });
    let is_before =
        matches!(sight.status, None | Some(429 | 500..)) || sight.error.as_deref() == Some("gRPC status 14");
    is_readable && !is_before && !is_barred(sight)
}

fn is_too_large(sight: &Sight) -> bool {
    matches!(sight.status, None | Some(413 | 414 | 431))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(first: u64, end: u64) -> Timing {
        Timing { first: Duration::from_millis(first), end: Duration::from_millis(end), events: 5, is_whole: true }
    }

    #[test]
    fn what_comes_together_at_the_end_is_buffered() {
        assert!(is_buffered(&timing(5, 1_000), &timing(1_010, 1_012)));
        // A gateway may be slow, as long as it does not wait.
        assert!(!is_buffered(&timing(5, 1_000), &timing(300, 1_300)));
        assert!(!is_buffered(&timing(5, 1_000), &timing(5, 1_000)));
        // Work that is over in a moment shows nothing, and neither does an agent that collects by itself.
        assert!(!is_buffered(&timing(5, 100), &timing(100, 101)));
        assert!(!is_buffered(&timing(990, 1_000), &timing(1_000, 1_001)));
    }
}
