//! What to check, and how: the settings of a run.

mod agent;
mod run;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use url::Url;

use super::again::CommandLine;
use super::error::{SuiteError, UrlError};
use super::notice::Notice;
use super::{Suite, prepare};
use crate::auth::{Caller, Credentials, Given, Origin, Parameter, userinfo};
use crate::case::{Library, Trigger};
use crate::discovery::bases::Bases;
use crate::discovery::find::Lookup;
use crate::discovery::replicas::Replicas;
use crate::discovery::triggers::{Preset, Say};
use crate::plan::{Selection, Shard};
use crate::profile::{self, Binding, Profile};
use crate::report::{Report, Secrets};
use crate::run::{Beside, FailFast, Restart};
use crate::signature::Keys;
use crate::transport::Dialing;
use crate::transport::http::Http;
use crate::transport::inbound::{Listen, ServerTls};

/// How many requests are in flight: enough to hide the latency of an agent, few enough for one that works slowly.
const JOBS: usize = 8;
/// How long to wait for an answer.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(10);

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
    pub(super) replicas: Replicas,
    /// The replicas as the user wrote them.
    pub(super) replica_urls: Vec<String>,
    pub(super) allowed: Vec<String>,
    pub(super) allowed_origins: Vec<Origin>,
    /// Whether the agent is one of many that the user may not know.
    pub(super) is_of_stranger: bool,
    pub(super) keys: Keys,
    pub(super) allowed_jku: Vec<String>,
    pub(super) profiles: Vec<String>,
    pub(super) bindings: Vec<Binding>,
    pub(super) tenant: Option<String>,
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
    pub(super) load: Option<u32>,
    pub(super) restart: Option<Restart>,
    /// The command by which the agent is restarted, where it is one.
    pub(super) restart_command: Option<String>,
    pub(super) webhook_listen: Option<SocketAddr>,
    pub(super) webhook_url: Option<Url>,
    pub(super) webhook_tls: Option<ServerTls>,
    pub(super) command: Option<CommandLine>,
    given: Given,
    dialing: Dialing,
    timeout: Duration,
    rate: Option<f64>,
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
            replicas: Replicas::default(),
            replica_urls: Vec::new(),
            allowed: Vec::new(),
            allowed_origins: Vec::new(),
            is_of_stranger: false,
            keys: Keys::default(),
            allowed_jku: Vec::new(),
            profiles: Vec::new(),
            bindings: Vec::new(),
            tenant: None,
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
            load: None,
            restart: None,
            restart_command: None,
            webhook_listen: None,
            webhook_url: None,
            webhook_tls: None,
            command: None,
            given: Given::default(),
            dialing: Dialing::default(),
            timeout: TIMEOUT,
            rate: None,
            client: None,
            stop: None,
            listener: None,
            wrong: None,
        }
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
        if self.load.is_some() {
            if !self.replicas.are_none() {
                return Err(SuiteError::LoadWithReplicas);
            }
            let limits = [("--rate", self.rate.is_some()), ("--max-messages", self.max_messages.is_some())];
            if let Some((limit, _)) = limits.into_iter().find(|(_, is_set)| *is_set) {
                return Err(SuiteError::LoadWithLimit { limit });
            }
        }
        if self.restart.is_some() && (self.load.is_some() || !self.replicas.are_none()) {
            return Err(SuiteError::RestartBeside);
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

    /// What goes on beside the cases.
    pub(super) fn beside(&self) -> Option<Beside> {
        let replicas = (!self.replicas.are_none()).then_some(Beside::Replicas);
        self.load.map(Beside::Load).or(replicas)
    }

    /// The URL of the agent, without credentials, where one is named.
    #[cfg(feature = "cli")]
    pub(crate) fn agent_url(&self) -> Option<&str> {
        self.url.as_ref().map(Url::as_str)
    }

    /// Where webhooks are received, and whether the user said so.
    pub(crate) fn listen(&self) -> Result<(Listen, bool), SuiteError> {
        let (url, tls) = (self.webhook_url.as_ref().map(ToString::to_string), self.webhook_tls.clone());
        match (self.webhook_listen, url) {
            (None, None) => Ok((Listen { tls, ..Listen::default() }, false)),
            (None, Some(_)) => Err(SuiteError::Webhook(
                "a URL of webhooks leads to an address of this machine: say to which it leads (--webhook-listen)"
                    .to_owned(),
            )),
            (Some(address), None) if address.ip().is_unspecified() => Err(SuiteError::Webhook(format!(
                "{address} is every address of this machine: say by which URL the agent gets there (--webhook-url)"
            ))),
            (Some(address), url) => Ok((Listen { address, url, tls, ..Listen::default() }, true)),
        }
    }

    /// What must not be shown, as far as it is known without the card.
    pub fn secrets(&self) -> Secrets {
        let of_webhooks = self.webhook_url.as_ref().and_then(|url| userinfo::split(url.as_str()).1);
        let of_webhooks = of_webhooks.map(|userinfo| userinfo.secrets()).unwrap_or_default();
        let of_query = self.webhook_url.as_ref().map(userinfo::secrets_of_query).unwrap_or_default();
        let all = [self.given.secrets(), self.dialing.secrets().to_vec(), of_webhooks, of_query];
        Secrets::new(all.concat()).and_of(self.given.tokens())
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
        self.check_apart(url, &credentials)?;
        match &self.client {
            Some(client) => Ok(client.anew(credentials)),
            None => {
                let settings = crate::transport::http::Settings { credentials, timeout: self.timeout };
                let client = Http::dialing(self.dialing.clone(), settings).map_err(SuiteError::Client)?;
                Ok(client.at_most(self.rate))
            }
        }
    }

    /// Whether callers who are to be told apart bring different things.
    fn check_apart(&self, url: &Url, credentials: &Credentials) -> Result<(), SuiteError> {
        let brings = |caller: Caller| {
            let credentials = credentials.of(caller);
            let mut headers: Vec<(String, String)> = credentials
                .headers_for(url.as_str())
                .into_iter()
                .map(|(name, value)| (name.to_ascii_lowercase(), value))
                .collect();
            headers.sort();
            let parameters: Vec<Parameter> = credentials.parameters_for(url.as_str()).into_iter().cloned().collect();
            (headers, parameters, self.dialing.certificate_of(caller).map(<[u8]>::to_vec))
        };
        let mut known = BTreeMap::new();
        for caller in Caller::GIVEN.into_iter().filter(|caller| credentials.of(*caller).brings_to(url.as_str())) {
            if let Some(first) = known.insert(brings(caller), caller) {
                return Err(SuiteError::SameCredentials { first, second: caller });
            }
        }
        Ok(())
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
        let (own, is_said) = listen(None, None).unwrap();
        assert_eq!((own.address, own.url, is_said), (Listen::default().address, None, false));
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
