//! Headers of responses that the gateway loses or adds: always there on one side, and never on the other.

use std::collections::{BTreeMap, BTreeSet};

use super::difference::{Difference, Trial};
use super::kind::Kind;
use super::pairs::Pair;
use crate::diagnostic::words::count;

/// Headers that belong to a connection or to the server, which a gateway may change (RFC 9110, section 7.6).
const OF_THE_HOP: [&str; 19] = [
    "age",
    "alt-svc",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "keep-alive",
    "proxy-authenticate",
    "proxy-connection",
    "server",
    "te",
    "trailer",
    "trailers",
    "transfer-encoding",
    "upgrade",
    "via",
    "x-powered-by",
    "accept-ranges",
];

/// Headers that direct the gateway, which takes them out: those of nginx, of surrogates, and of web servers.
const FOR_THE_GATEWAY: [&str; 4] = ["x-accel-", "surrogate-", "x-sendfile", "cdn-cache-control"];

/// Headers whose being added changes what clients do.
const THAT_MATTER: [&str; 6] =
    ["a2a-extensions", "x-a2a-extensions", "a2a-version", "www-authenticate", "retry-after", "location"];

/// Most headers that a note names.
const MOST_NAMES: usize = 12;

/// What a header is in the pairs of exchanges.
#[derive(Debug, Default)]
struct Use<'p> {
    only_direct: Vec<&'p Pair<'p>>,
    only_gateway: Vec<&'p Pair<'p>>,
    both: usize,
}

/// The headers that are lost or added, and a note of those whose being added is harmless.
pub(super) fn differences(pairs: &[Pair<'_>], cases: &BTreeSet<&str>) -> (Vec<Difference>, Option<String>) {
    let mut uses: BTreeMap<String, Use<'_>> = BTreeMap::new();
    // Those of the card are compared with the card.
    let is_alike = |(direct, gateway): &&Pair<'_>| {
        direct.status == gateway.status && direct.status.is_some() && !direct.over.is_empty()
    };
    for pair in pairs.iter().filter(is_alike) {
        let names =
            |headers: &[(String, String)]| headers.iter().map(|(name, _)| name.clone()).collect::<BTreeSet<_>>();
        let (direct, gateway) = (names(&pair.0.headers), names(&pair.1.headers));
        for name in direct.union(&gateway).filter(|name| is_for_clients(name)) {
            let known = uses.entry(name.clone()).or_default();
            match (direct.contains(name), gateway.contains(name)) {
                (true, false) => known.only_direct.push(pair),
                (false, true) => known.only_gateway.push(pair),
                _ => known.both += 1,
            }
        }
    }
    let mut found = Vec::new();
    let mut harmless = Vec::new();
    for (name, known) in &uses {
        // One that comes and goes on its own is not the gateway's doing.
        let (pairs, what) = match (known.only_direct.as_slice(), known.only_gateway.as_slice(), known.both) {
            (lost, [], 0) if !lost.is_empty() => (lost, "loses"),
            ([], added, 0) if !added.is_empty() && THAT_MATTER.contains(&name.as_str()) => (added, "adds"),
            ([], added, 0) if !added.is_empty() => {
                harmless.push(name.clone());
                continue;
            }
            _ => continue,
        };
        found.extend(difference(name, what, pairs, cases));
    }
    harmless.truncate(MOST_NAMES);
    let note =
        (!harmless.is_empty()).then(|| format!("the gateway adds headers to responses: {}", harmless.join(", ")));
    (found, note)
}

/// Whether a header is for whoever is behind the gateway.
fn is_for_clients(name: &str) -> bool {
    !OF_THE_HOP.contains(&name) && !FOR_THE_GATEWAY.iter().any(|begin| name.starts_with(begin))
}

fn difference(name: &str, what: &str, pairs: &[&Pair<'_>], cases: &BTreeSet<&str>) -> Option<Difference> {
    let of_cases = || pairs.iter().filter(|(direct, _)| cases.contains(direct.case.as_str()));
    let (direct, gateway) = of_cases().next()?;
    let kind = if name.ends_with("a2a-extensions") { Kind::ExtensionsLost } else { Kind::Header };
    let trials: BTreeSet<Trial> =
        of_cases().map(|(direct, _)| Trial { case: direct.case.clone(), over: direct.over.clone() }).collect();
    let value = |headers: &[(String, String)]| {
        let found = headers.iter().find(|(known, _)| known == name);
        found.map_or_else(|| "not sent".to_owned(), |(_, value)| value.clone())
    };
    let message = format!("the gateway {what} the header {name} of responses");
    let difference = Difference::new(kind, message).between(value(&direct.headers), value(&gateway.headers));
    let difference = difference.over(trials.iter().map(|trial| trial.over.clone()).filter(|over| !over.is_empty()));
    let help = format!("{}; seen in {}", difference.help, count(pairs.len(), "response"));
    let difference = difference.shown(Some(direct.shown.clone()), Some(gateway.shown.clone()));
    Some(Difference { help, shown_by: trials.into_iter().collect(), ..difference })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_directs_the_gateway_is_for_no_client() {
        for name in ["x-accel-buffering", "x-accel-redirect", "surrogate-control", "connection", "via"] {
            assert!(!is_for_clients(name), "{name}");
        }
        for name in ["a2a-extensions", "etag", "cache-control", "x-request-id"] {
            assert!(is_for_clients(name), "{name}");
        }
    }
}
