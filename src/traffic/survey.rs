//! The first reading: where calls of A2A go, by which methods, and which cards the traffic has.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use crate::har::Entry;
use crate::profile::{Binding, Dialect, Profile, Route};

/// The most cards that are kept.
const MOST_CARDS: usize = 256;
/// The most addresses of calls that are told apart.
const MOST_PLACES: usize = 4_096;
/// The most spellings of states that are kept, and that are looked for in one body.
const MOST_STATES: usize = 64;
/// The most members of a path that are looked at.
const DEEPEST: usize = 32;

/// What the first reading has seen.
pub(super) struct Survey<'p> {
    profiles: &'p [Arc<Profile>],
    /// The names of all methods of JSON-RPC.
    methods: BTreeSet<&'p str>,
    /// The paths at which cards may be found.
    well_known: BTreeSet<&'p str>,
    /// How many entries there are.
    pub entries: usize,
    /// When the first request began.
    pub began: Option<Timestamp>,
    /// The cards by their URLs.
    pub cards: BTreeMap<String, Value>,
    /// Where calls over JSON-RPC go.
    pub jsonrpc: BTreeMap<String, Seen>,
    /// Where calls over HTTP+JSON go: the origin, and by version which path is before the route.
    pub http_json: BTreeMap<(String, Vec<Based>), Seen>,
    /// How many calls went over gRPC.
    pub grpc: usize,
}

/// A version whose routes have a request, and what is before the route in its path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Based {
    /// The path before the route.
    pub base: String,
    /// Name of the profile.
    pub profile: String,
}

/// What was seen of one address.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The versions that headers name.
    pub versions: BTreeSet<String>,
    /// The methods that were called.
    pub methods: BTreeSet<String>,
    /// How the states of tasks are spelled.
    pub states: BTreeSet<String>,
}

impl<'p> Survey<'p> {
    /// One that has seen nothing.
    pub fn new(profiles: &'p [Arc<Profile>]) -> Self {
        let facts = || profiles.iter().map(|profile| &profile.facts);
        Self {
            profiles,
            methods: facts()
                .flat_map(|facts| facts.operations.values())
                .filter_map(|it| it.method.as_deref())
                .collect(),
            well_known: facts().flat_map(|facts| facts.card.well_known.iter().map(String::as_str)).collect(),
            entries: 0,
            began: None,
            cards: BTreeMap::new(),
            jsonrpc: BTreeMap::new(),
            http_json: BTreeMap::new(),
            grpc: 0,
        }
    }

    /// Takes note of an entry.
    pub fn see(&mut self, entry: &Entry) {
        self.entries += 1;
        if let Some(began) = entry.began {
            self.began = Some(self.began.map_or(began, |first| first.min(began)));
        }
        if entry.own.as_ref().is_some_and(|own| own.is_inbound) {
            return;
        }
        let Some(url) = place(&entry.url) else { return };
        if entry.header("content-type").is_some_and(|kind| kind.starts_with("application/grpc")) {
            self.grpc += usize::from(url.path().contains("A2AService/"));
        } else if let Some(card) = self.card(entry, &url) {
            if self.cards.len() < MOST_CARDS {
                self.cards.insert(url.to_string(), card);
            }
        } else if let Some(method) = self.method(entry) {
            if self.jsonrpc.len() < MOST_PLACES {
                self.jsonrpc.entry(url.to_string()).or_default().take(entry, Some(method));
            }
        } else {
            let based = self.based(entry, &url);
            if !based.is_empty() && self.http_json.len() < MOST_PLACES {
                let origin = url.origin().ascii_serialization();
                self.http_json.entry((origin, based)).or_default().take(entry, None);
            }
        }
    }

    /// The card that an entry fetches.
    fn card(&self, entry: &Entry, url: &Url) -> Option<Value> {
        let is_place = self.well_known.iter().any(|path| url.path().ends_with(path));
        let answer =
            entry.answer.as_ref().filter(|answer| entry.method == "GET" && is_place && answer.status == 200)?;
        let card: Value = serde_json::from_slice(answer.body.bytes()).ok()?;
        (card.get("name").is_some() || card.get("skills").is_some()).then_some(card)
    }

    /// The method of A2A that an entry calls over JSON-RPC.
    fn method(&self, entry: &Entry) -> Option<String> {
        #[derive(Deserialize)]
        struct Called {
            method: String,
        }
        let body = entry.body.bytes();
        let is_object = entry.method == "POST" && body.trim_ascii_start().starts_with(b"{");
        let called = is_object.then(|| serde_json::from_slice::<Called>(body).ok()).flatten()?;
        self.methods.contains(called.method.as_str()).then_some(called.method)
    }

    /// The versions to which a request belongs by its route: one that is A2A's alone, or any in a request that is one of A2A by its
    /// head.
    fn based(&self, entry: &Entry, url: &Url) -> Vec<Based> {
        let is_said = version(entry).is_some()
            || entry.header("content-type").is_some_and(|kind| kind.contains("application/a2a+json"));
        let mut found = Vec::new();
        for profile in self.profiles.iter().filter(|profile| !profile.routes.is_empty()) {
            let routes = || profile.routes.values().flatten();
            let own = routes().filter(|route| route.verb == entry.method && !has_tenant(route));
            let telling = own.filter(|route| is_said || is_telling(route));
            let base = telling.filter_map(|route| base(route, url.path())).min_by_key(|base| base.len());
            found.extend(base.map(|base| Based { base: base.to_owned(), profile: profile.name().to_owned() }));
        }
        found.sort();
        found
    }
}

impl Seen {
    fn take(&mut self, entry: &Entry, method: Option<String>) {
        self.versions.extend(version(entry).map(str::to_owned));
        self.methods.extend(method);
        let answered = entry.answer.as_ref().map_or(&[][..], |answer| answer.body.bytes());
        for state in states(answered).take(MOST_STATES) {
            if self.states.len() < MOST_STATES && !self.states.contains(state) {
                self.states.insert(state.to_owned());
            }
        }
    }
}

/// The members `state` in a text that has JSON in it.
fn states(body: &[u8]) -> impl Iterator<Item = &str> {
    let text = std::str::from_utf8(body).unwrap_or_default();
    text.match_indices("\"state\"").filter_map(|(at, name)| {
        let value = text.get(at + name.len()..)?.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        value.split_once('"').map(|(state, _)| state)
    })
}

/// The version that the head of a request names.
pub(super) fn version(entry: &Entry) -> Option<&str> {
    entry.header("a2a-version").map(str::trim).filter(|version| !version.is_empty())
}

/// A URL without query, fragment and credentials; only those of HTTP.
pub(super) fn place(url: &str) -> Option<Url> {
    let mut url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    url.set_query(None);
    url.set_fragment(None);
    // A URL of HTTP can have them and can do without.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Some(url)
}

/// Whether the path of a route begins with the name of a tenant.
fn has_tenant(route: &Route) -> bool {
    route.path.members().any(|member| member == "tenant")
}

/// Whether a path of this route is one of A2A by itself: a verb behind a colon.
fn is_telling(route: &Route) -> bool {
    let path = route.path.to_string();
    let verb = path.rsplit_once(':').map(|(_, verb)| verb);
    verb.is_some_and(|verb| ["send", "stream", "cancel", "subscribe", "resubscribe"].contains(&verb))
}

/// What is before the route in a path, if the path ends with one: the shortest.
pub(super) fn base<'u>(route: &Route, path: &'u str) -> Option<&'u str> {
    let slashes = path.match_indices('/').map(|(at, _)| at).take(DEEPEST);
    slashes.filter_map(|at| path.split_at_checked(at)).find_map(|(before, suffix)| {
        let members = route.path.parse(suffix)?;
        let is_one = |value: &String| !value.is_empty() && !value.contains(['/', ':']);
        members.iter().all(|(_, value)| is_one(value)).then_some(before)
    })
}

impl Seen {
    /// The versions over a binding that have one of the methods, if any method was seen.
    pub fn fits(&self, profile: &Profile, binding: Binding) -> bool {
        let has =
            |method: &String| profile.facts.operations.values().any(|facts| facts.method.as_ref() == Some(method));
        profile.facts.bindings.contains_key(&binding) && (self.methods.is_empty() || self.methods.iter().any(has))
    }

    /// The dialect of a version in which most states are spelled, if it has several.
    pub fn dialect(&self, profile: &Profile, binding: Binding) -> Option<Arc<Dialect>> {
        let fits = |dialect: &Dialect| {
            let known = |state: &&String| dialect.violations("TaskState", &Value::from(state.as_str())).is_empty();
            self.states.iter().filter(known).count()
        };
        let several = profile.dialects_over(binding).count() > 1;
        // Of those that fit as well, the likeliest is the first.
        let all = profile.dialects_over(binding).enumerate().filter(|_| several);
        all.max_by_key(|(place, dialect)| (fits(dialect), Reverse(*place))).map(|(_, dialect)| Arc::clone(dialect))
    }

    /// Whether a head names this version.
    pub fn names(&self, profile: &Profile) -> bool {
        self.versions.iter().any(|version| profile.is_declared_as(version) || profile.name() == version)
    }
}
