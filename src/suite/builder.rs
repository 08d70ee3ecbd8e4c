//! What to check, and how: the settings of a run.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use url::Url;

use super::again::CommandLine;
use super::error::{SuiteError, UrlError};
use super::notice::Notice;
use super::{Suite, prepare};
use crate::auth::{Credentials, Given, Identity, origin, userinfo};
use crate::binding::Dialing;
use crate::binding::http::Http;
use crate::binding::inbound::Listen;
use crate::case::{Library, Trigger};
use crate::discovery::bases::{self, Bases};
use crate::discovery::find::Lookup;
use crate::discovery::triggers::{Preset, Say};
use crate::plan::{Selection, Shard};
use crate::profile::{self, Binding, Profile};
use crate::report::{Report, Secrets};
use crate::run::FailFast;
use crate::signature::Keys;
use crate::verdict::TrialResult;

/// How many requests are in flight: enough to hide the latency of an agent, few enough for one that works slowly.
const JOBS: usize = 8;
/// How long to wait for an answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Is told what is worth knowing.
type Listener = Box<dyn Fn(&Notice<'_>) + Send + Sync>;

/// The settings of a run. What is wrong with one of them is told by [`SuiteBuilder::validate`], or else when the run is
/// prepared.
pub struct SuiteBuilder {
    pub(super) url: Option<Url>,
    pub(super) lookup: Lookup,
    pub(super) has_card: bool,
    pub(super) cards: Vec<(String, Url)>,
    pub(super) bases: Bases,
    /// The bases and the origins as the user wrote them, without credentials.
    pub(super) base_urls: Vec<String>,
    pub(super) allowed: Vec<String>,
    pub(super) keys: Keys,
    pub(super) allowed_jku: Vec<String>,
    pub(super) profiles: Vec<String>,
    pub(super) bindings: Vec<Binding>,
    pub(super) selection: Selection,
    pub(super) library: Option<Arc<Library>>,
    pub(super) triggers: BTreeMap<Trigger, Say>,
    pub(super) preset: Option<Preset>,
    pub(super) jobs: usize,
    pub(super) max_messages: Option<u64>,
    pub(super) quick: bool,
    pub(super) shard: Option<Shard>,
    pub(super) wait: Duration,
    pub(super) deadline: Option<Duration>,
    pub(super) fail_fast: Option<FailFast>,
    pub(super) retries: usize,
    pub(super) webhook_listen: Option<SocketAddr>,
    pub(super) webhook_url: Option<Url>,
    pub(super) command: Option<CommandLine>,
    given: Given,
    dialing: Dialing,
    timeout: Duration,
    client: Option<Http>,
    stop: Option<watch::Receiver<bool>>,
    listener: Option<Listener>,
    /// The first thing that is wrong.
    wrong: Option<SuiteError>,
}

impl Default for SuiteBuilder {
    fn default() -> Self {
        Self {
            url: None,
            lookup: Lookup::WellKnown,
            has_card: true,
            cards: Vec::new(),
            bases: Bases::default(),
            base_urls: Vec::new(),
            allowed: Vec::new(),
            keys: Keys::default(),
            allowed_jku: Vec::new(),
            profiles: Vec::new(),
            bindings: Vec::new(),
            selection: Selection::default(),
            library: None,
            triggers: BTreeMap::new(),
            preset: None,
            jobs: JOBS,
            max_messages: None,
            quick: false,
            shard: None,
            wait: Duration::ZERO,
            deadline: None,
            fail_fast: None,
            retries: 0,
            webhook_listen: None,
            webhook_url: None,
            command: None,
            given: Given::default(),
            dialing: Dialing::default(),
            timeout: TIMEOUT,
            client: None,
            stop: None,
            listener: None,
            wrong: None,
        }
    }
}

/// The agent: where it is and what it is sent along.
impl SuiteBuilder {
    /// The agent's URL. `user:password@` in it goes to its origin as HTTP Basic.
    #[must_use]
    pub fn url(mut self, url: impl AsRef<str>) -> Self {
        let (text, userinfo) = userinfo::split(url.as_ref());
        self.given.add_agent(userinfo);
        self.url = self.parsed(&text);
        self
    }

    /// The card: a URL or a file. Without it, the card is looked for at the well-known places of the agent's URL.
    #[must_use]
    pub fn card(mut self, place: impl AsRef<str>) -> Self {
        let place = place.as_ref();
        if place.contains("://") {
            let (text, userinfo) = userinfo::split(place);
            if let Some(url) = self.parsed(&text) {
                self.given.add_other(url.as_str(), userinfo);
                self.lookup = Lookup::Url(url);
            }
        } else if Path::new(place).exists() {
            self.lookup = Lookup::File(PathBuf::from(place));
        } else {
            self.fail(SuiteError::NoCardFile(place.to_owned()));
        }
        self
    }

    /// Keys by which the signatures of the card are verified: a JWK, a JWKS, or a public key in PEM. May be repeated.
    #[must_use]
    pub fn card_keys(mut self, keys: Keys) -> Self {
        self.keys.add(keys);
        self
    }

    /// The signatures of the card may have their keys fetched from this host: `keys.example`, or with a port. May be repeated.
    #[must_use]
    pub fn allow_jku(mut self, host: &str) -> Self {
        self.allowed_jku.push(host.to_owned());
        self
    }

    /// The agent has no card: the URL is the interface that [`SuiteBuilder::profiles`] and [`SuiteBuilder::bindings`] name,
    /// each with one entry.
    #[must_use]
    pub fn without_card(mut self) -> Self {
        self.has_card = false;
        self
    }

    /// The agent has a card for this version alone, at the well-known places of this URL. Where such cards are named, no
    /// others are looked for.
    #[must_use]
    pub fn card_of(mut self, profile: &str, url: impl AsRef<str>) -> Self {
        let (text, userinfo) = userinfo::split(url.as_ref());
        if let Some(url) = self.parsed(&text) {
            self.given.add_other(url.as_str(), userinfo);
            self.cards.push((profile.to_owned(), url));
        }
        self
    }

    /// The interfaces of the card are at this URL instead: `http://localhost:8080`, or for those of one binding
    /// `grpc=http://localhost:50051`. May be repeated.
    #[must_use]
    pub fn base_url(mut self, base: &str) -> Self {
        let (binding, url) = bases::parts(base);
        let (url, userinfo) = userinfo::split(url);
        let bare = binding.map_or_else(|| url.clone(), |binding| format!("{binding}={url}"));
        match self.bases.add(&bare) {
            Ok(()) => {
                self.given.add_other(&url, userinfo);
                origin::of(&url).into_iter().for_each(|origin| self.given.trust(origin));
                self.base_urls.push(bare);
            }
            Err(error) => self.fail(SuiteError::BaseUrl { text: bare, error }),
        }
        self
    }

    /// A header of every request to the agent's origin; its value is masked everywhere. It replaces one of the same name.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let added = self.given.add_header(name, value);
        added.unwrap_or_else(|error| self.fail(error.into()));
        self
    }

    /// The bearer token of every request to the agent's origin; it is masked everywhere.
    #[must_use]
    pub fn bearer(mut self, token: &str) -> Self {
        let added = self.given.add_bearer(token);
        added.unwrap_or_else(|error| self.fail(error.into()));
        self
    }

    /// Headers that go to origins of their own, before all others. They are no secrets: nothing masks them.
    #[must_use]
    pub fn identity(mut self, identity: Identity) -> Self {
        self.given.add_identity(identity);
        self
    }

    /// A header of the second identity, which has no right to what the first one has: cases see what it is shown all the same.
    #[must_use]
    pub fn other_header(mut self, name: &str, value: &str) -> Self {
        let added = self.given.add_other_header(name, value);
        added.unwrap_or_else(|error| self.fail(error.into()));
        self
    }

    /// Headers of the second identity that go to origins of their own. They are no secrets: nothing masks them.
    #[must_use]
    pub fn other_identity(mut self, identity: Identity) -> Self {
        self.given.add_other_identity(identity);
        self
    }

    /// Credentials go to this origin, too, such as `https://grpc.agent.example`.
    #[must_use]
    pub fn allow_origin(mut self, text: &str) -> Self {
        match origin::parse(text) {
            Ok(origin) => {
                self.given.trust(origin);
                self.allowed.push(text.to_owned());
            }
            Err(why) => self.fail(SuiteError::Origin { text: userinfo::split(text).0, why }),
        }
        self
    }
}

/// The way to the agent.
impl SuiteBuilder {
    /// How connections are made: whom TLS trusts, what it shows, and where hosts are. A [client](SuiteBuilder::client) has its
    /// own ways.
    #[must_use]
    pub fn dialing(mut self, dialing: Dialing) -> Self {
        self.dialing = dialing;
        self
    }
}

/// What is run.
impl SuiteBuilder {
    /// Only these protocol versions, such as `1.0`; every version that the card declares, where there are none.
    #[must_use]
    pub fn profiles(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.profiles = names.into_iter().map(Into::into).collect();
        self
    }

    /// Only these bindings; every binding that the card declares, where there are none.
    #[must_use]
    pub fn bindings(mut self, bindings: impl IntoIterator<Item = Binding>) -> Self {
        self.bindings = bindings.into_iter().collect();
        self
    }

    /// Only these cases.
    #[must_use]
    pub fn selection(mut self, selection: Selection) -> Self {
        self.selection = selection;
        self
    }

    /// Only the cases of this area, also those that run only when they are asked for. May be repeated.
    #[must_use]
    pub fn area(mut self, name: &str) -> Self {
        self.selection.areas.push(name.to_owned());
        self
    }

    /// Only what matches: the id of a case, an area, a section or the id of a requirement; `*` stands for any characters.
    /// May be repeated.
    #[must_use]
    pub fn only(mut self, pattern: &str) -> Self {
        self.selection.only.push(pattern.to_owned());
        self
    }

    /// Nothing of what matches, by the same patterns. May be repeated.
    #[must_use]
    pub fn skip(mut self, pattern: &str) -> Self {
        self.selection.skip.push(pattern.to_owned());
        self
    }

    /// The cases, where they are not those of the program alone: see [`library`](super::library).
    #[must_use]
    pub fn library(mut self, library: impl Into<Arc<Library>>) -> Self {
        self.library = Some(library.into());
        self
    }

    /// What to send to bring the agent into a state. It counts before what the card announces.
    #[must_use]
    pub fn trigger(mut self, trigger: Trigger, say: Say) -> Self {
        self.triggers.insert(trigger, say);
        self
    }

    /// A named set of triggers. What the card announces counts before it.
    #[must_use]
    pub fn preset(mut self, preset: Preset) -> Self {
        self.preset = Some(preset);
        self
    }
}

/// How it is run.
impl SuiteBuilder {
    /// How long to wait for each answer, and for a stream as a whole: 10 s, if nothing else is said.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// For how long the agent is looked for, if it does not answer or has no card yet: not at all, if nothing else is said.
    #[must_use]
    pub fn wait(mut self, limit: Duration) -> Self {
        self.wait = limit;
        self
    }

    /// How long the whole run may take, with the search for the agent: what has not ended by then is unreached, as where the
    /// run is [stopped](SuiteBuilder::stop).
    #[must_use]
    pub fn deadline(mut self, limit: Duration) -> Self {
        self.deadline = Some(limit);
        self
    }

    /// Begins no further case after the first result for which this is so. What has begun by then goes on to its end.
    ///
    /// ```
    /// use a2aspec::{FailOn, Suite};
    ///
    /// let suite = Suite::builder("http://localhost:8080").fail_fast(|result| FailOn::Must.fails_at(result.verdict));
    /// ```
    #[must_use]
    pub fn fail_fast(mut self, is_failure: impl Fn(&TrialResult) -> bool + Send + Sync + 'static) -> Self {
        self.fail_fast = Some(FailFast::at(is_failure));
        self
    }

    /// Runs a case that failed again at the end, alone, up to so often. Where it passes then, its result is flaky, which fails
    /// no gate. Cases that judge the whole run are not run again.
    #[must_use]
    pub fn retries(mut self, times: usize) -> Self {
        self.retries = times;
        self
    }

    /// How many requests are in flight at once, apart from those that wait for the agent's work: 8, if nothing else is said. With
    /// 1, cases run one after the other.
    #[must_use]
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = jobs;
        self
    }

    /// The most messages that the agent is sent; cases that need more are not reached.
    #[must_use]
    pub fn max_messages(mut self, most: u64) -> Self {
        self.max_messages = Some(most);
        self
    }

    /// Runs only what the specification demands, and each case over one binding.
    #[must_use]
    pub fn quick(mut self) -> Self {
        self.quick = true;
        self
    }

    /// Runs only a part of the plan. Whoever prepares the same plan for the same agent has the same parts, and their reports are
    /// put together by `a2aspec merge`.
    #[must_use]
    pub fn shard(mut self, shard: Shard) -> Self {
        self.shard = Some(shard);
        self
    }

    /// Webhooks are received at this address, such as `0.0.0.0:9000`: the loopback interface and a free port, if nothing is said.
    #[must_use]
    pub fn webhook_listen(mut self, address: &str) -> Self {
        match address.parse() {
            Ok(address) => self.webhook_listen = Some(address),
            Err(_) => {
                let message = format!(
                    "{address:?} is no address to listen on: an IP address and a port are, as in 127.0.0.1:9000"
                );
                self.fail(SuiteError::Webhook(message));
            }
        }
        self
    }

    /// The agent gets to webhooks by this URL, which leads to the address of [`SuiteBuilder::webhook_listen`].
    #[must_use]
    pub fn webhook_url(mut self, url: &str) -> Self {
        self.webhook_url = self.parsed(url);
        self
    }

    /// A client whose TLS and time limit this run shares, for programs with many runs: to set one up takes longer than many
    /// a run.
    #[must_use]
    pub fn client(mut self, client: &Http) -> Self {
        self.client = Some(client.anew(Credentials::default()));
        self
    }

    /// Ends the run as soon as this turns true: what has not ended by then is unreached.
    #[must_use]
    pub fn stop(mut self, stop: watch::Receiver<bool>) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Is told what is worth knowing while the agent is looked for.
    #[must_use]
    pub fn on_notice(mut self, listener: impl Fn(&Notice<'_>) + Send + Sync + 'static) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }

    /// What the command lines in the report say beside what is known here.
    #[must_use]
    pub fn command(mut self, command: CommandLine) -> Self {
        self.command = Some(command);
        self
    }
}

impl SuiteBuilder {
    /// Whether everything that was said can be used, as far as that can be told without the agent.
    ///
    /// # Errors
    /// The first thing that cannot.
    pub fn validate(mut self) -> Result<Self, SuiteError> {
        if let Some(wrong) = self.wrong.take() {
            return Err(wrong);
        }
        let profiles = profiles()?;
        for name in &self.profiles {
            if !profiles.iter().any(|profile| profile.name() == name) {
                let known = profiles.iter().map(|profile| profile.name().to_owned()).collect();
                return Err(SuiteError::UnknownProfile { name: name.clone(), known });
            }
        }
        self.listen()?;
        if self.fail_fast.is_some() && self.retries > 0 {
            return Err(SuiteError::FailFastWithRetries);
        }
        match self.named(&profiles)? {
            None if !self.has_card => Err(SuiteError::NoInterfaceNamed),
            _ => Ok(self),
        }
    }

    /// Looks for the agent and plans the run.
    ///
    /// # Errors
    /// Something that was said cannot be used, or there is nothing to check.
    pub async fn prepare(self) -> Result<Suite, SuiteError> {
        prepare::prepare(self).await
    }

    /// Checks the agent.
    ///
    /// # Errors
    /// Those of [`SuiteBuilder::prepare`]. An agent that is lost on the way is no error: the report says so.
    pub async fn run(self) -> Result<Report, SuiteError> {
        Ok(self.prepare().await?.run().await)
    }

    /// Where webhooks are received, and whether the user said so.
    pub(super) fn listen(&self) -> Result<(Listen, bool), SuiteError> {
        let url = self.webhook_url.as_ref().map(ToString::to_string);
        match (self.webhook_listen, url) {
            (None, None) => Ok((Listen::default(), false)),
            (None, Some(_)) => Err(SuiteError::Webhook(
                "a URL of webhooks leads to an address of this machine: say to which it leads (--webhook-listen)"
                    .to_owned(),
            )),
            (Some(address), None) if address.ip().is_unspecified() => Err(SuiteError::Webhook(format!(
                "{address} is every address of this machine: say by which URL the agent gets there (--webhook-url)"
            ))),
            (Some(address), url) => Ok((Listen { address, url }, true)),
        }
    }

    /// What must not be shown, as far as it is known without the card.
    pub fn secrets(&self) -> Secrets {
        Secrets::new(self.given.secrets())
    }

    /// The names of the headers that the agent is sent along.
    pub(super) fn header_names(&self) -> Vec<&str> {
        self.given.header_names()
    }

    /// The one interface that versions and bindings name, if they name one.
    pub(super) fn named<'a>(
        &self,
        profiles: &'a [Arc<Profile>],
    ) -> Result<Option<(&'a Arc<Profile>, Binding)>, SuiteError> {
        let names = (self.profiles.as_slice(), self.bindings.as_slice());
        let ([name], [binding]) = names else { return Ok(None) };
        // An agent with several cards is no single interface.
        if self.url.is_none() || !self.cards.is_empty() {
            return Ok(None);
        }
        let Some(profile) = profiles.iter().find(|known| known.name() == name) else { return Ok(None) };
        match profile.facts.bindings.contains_key(binding) {
            true => Ok(Some((profile, *binding))),
            false => {
                let known = profile.facts.bindings.keys().map(ToString::to_string).collect();
                Err(SuiteError::NoSuchBinding { profile: name.clone(), binding: *binding, known })
            }
        }
    }

    /// A client for the agent at this URL.
    pub(super) fn http(&self, url: &Url) -> Result<Http, SuiteError> {
        let credentials = self.given.for_agent(url.as_str());
        match &self.client {
            Some(client) => Ok(client.anew(credentials)),
            None => {
                let settings = crate::binding::http::Settings { credentials, timeout: self.timeout };
                Http::dialing(self.dialing.clone(), settings).map_err(SuiteError::Client)
            }
        }
    }

    /// What ends the run.
    pub(super) fn stopped(&self) -> watch::Receiver<bool> {
        // Nobody holds the other end of the second: it never turns true.
        self.stop.clone().unwrap_or_else(|| watch::channel(false).1)
    }

    pub(super) fn tell(&self, notice: &Notice<'_>) {
        if let Some(listener) = &self.listener {
            listener(notice);
        }
    }

    fn parsed(&mut self, text: &str) -> Option<Url> {
        let parsed = parse_url(text);
        parsed.map_err(|error| self.fail(SuiteError::Url { text: text.to_owned(), error })).ok()
    }

    fn fail(&mut self, error: SuiteError) {
        self.wrong.get_or_insert(error);
    }
}

/// The protocol versions that the program knows.
pub(super) fn profiles() -> Result<Vec<Arc<Profile>>, SuiteError> {
    profile::bundled().map_err(|mistake| SuiteError::Cases { mistakes: vec![mistake], sources: Vec::new() })
}

/// Reads the URL of an agent.
fn parse_url(text: &str) -> Result<Url, UrlError> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(url),
        // `localhost:8080` parses as a URL of the scheme `localhost`.
        Ok(url) if text.contains("://") => Err(UrlError::Scheme(url.scheme().to_owned())),
        Ok(_) | Err(url::ParseError::RelativeUrlWithoutBase) => Err(UrlError::NoScheme),
        Err(error) => Err(UrlError::Unreadable(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn webhooks_are_received_where_the_agent_gets_to() {
        let listen = |address: Option<&str>, url: Option<&str>| {
            let suite = SuiteBuilder::default().url("https://agent.example");
            let suite = address.iter().fold(suite, |suite, address| suite.webhook_listen(address));
            url.iter().fold(suite, |suite, url| suite.webhook_url(url)).validate().map(|suite| suite.listen().unwrap())
        };
        assert_eq!(listen(None, None).unwrap(), (Listen::default(), false));
        let (own, is_said) = listen(Some("192.0.2.1:9000"), None).unwrap();
        assert_eq!((own.address.to_string().as_str(), own.url, is_said), ("192.0.2.1:9000", None, true));
        let (own, _) = listen(Some("0.0.0.0:9000"), Some("https://tunnel.example/in")).unwrap();
        assert_eq!(own.url.as_deref(), Some("https://tunnel.example/in"));
        for (address, url, wrong) in [
            (Some("0.0.0.0:9000"), None, "--webhook-url"),
            (None, Some("https://tunnel.example/in"), "--webhook-listen"),
            (Some("localhost"), None, "no address to listen on"),
            (Some("127.0.0.1:1"), Some("tunnel.example"), "has no scheme"),
        ] {
            let error = listen(address, url).err().unwrap().to_string();
            assert!(error.contains(wrong), "{error}");
        }
    }
}
