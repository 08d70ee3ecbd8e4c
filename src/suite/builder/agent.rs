//! The agent: where it is, how it is reached, and what it is sent along.

use std::path::{Path, PathBuf};

use super::super::error::SuiteError;
use super::SuiteBuilder;
use crate::auth::userinfo::{self, Userinfo};
use crate::auth::{Caller, Given, HeaderError, Identity, Token, origin};
use crate::discovery::bases;
use crate::discovery::find::Lookup;
use crate::signature::Keys;
use crate::transport::Dialing;

/// Where it is and what it is sent along.
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

    /// The agent is one of many that the user may not know: its card leads to no private address but on its own host.
    #[must_use]
    pub fn stranger(mut self) -> Self {
        self.is_of_stranger = true;
        self
    }

    /// The interfaces of the card are at this URL instead: `http://localhost:8080`, or for those of one binding
    /// `grpc=http://localhost:50051`. May be repeated.
    #[must_use]
    pub fn base_url(mut self, base: &str) -> Self {
        let Place { bare, url, userinfo } = Place::of(base);
        match self.bases.add(&bare) {
            Ok(()) => {
                self.call(&url, userinfo);
                self.base_urls.push(bare);
            }
            Err(error) => self.fail(SuiteError::BaseUrl { text: bare, error }),
        }
        self
    }

    /// A replica of the agent has its interfaces at this URL, too: `http://10.0.0.2:8080`, or for those of one binding
    /// `grpc=http://10.0.0.2:50051`. May be repeated. The requests of a case go to one replica after the other. A case that is not right
    /// then is run once more at the end, over the first alone, and its result says how it came out both times.
    #[must_use]
    pub fn replica(mut self, replica: &str) -> Self {
        let Place { bare, url, userinfo } = Place::of(replica);
        match self.replicas.add(&bare) {
            Ok(()) => {
                self.call(&url, userinfo);
                self.replica_urls.push(bare);
            }
            Err(error) => self.fail(SuiteError::ReplicaUrl { text: bare, error }),
        }
        self
    }

    /// Sends the credentials of the run, and those of the URL, also to its origin.
    fn call(&mut self, url: &str, userinfo: Option<Userinfo>) {
        self.given.add_other(url, userinfo);
        origin::of(url).into_iter().for_each(|origin| self.given.trust(origin));
    }

    /// A header of every request to the agent's origin; its value is masked everywhere. It replaces one of the same name.
    #[must_use]
    pub fn header(self, name: &str, value: &str) -> Self {
        self.taking(|given| given.of(Caller::Own).add_header(name, value))
    }

    /// The bearer token of every request to the agent's origin; it is masked everywhere.
    #[must_use]
    pub fn bearer(self, token: &str) -> Self {
        self.taking(|given| given.of(Caller::Own).add_bearer(token))
    }

    /// Headers that go to origins of their own, before all others. They are no secrets: nothing masks them.
    #[must_use]
    pub fn identity(mut self, identity: Identity) -> Self {
        self.given.of(Caller::Own).add_identity(identity);
        self
    }

    /// A header of another caller than the run, such as the second identity, which has no right to what the first one has: what
    /// it is shown is seen by the cases that ask in its name. Nobody and strangers bring nothing.
    #[must_use]
    pub fn header_of(self, caller: Caller, name: &str, value: &str) -> Self {
        self.taking(|given| given.of(caller).add_header(name, value))
    }

    /// A bearer token of a caller that is renewed while the run goes on; it is masked everywhere, and so is each that follows it.
    #[must_use]
    pub fn token_of(mut self, caller: Caller, token: Token) -> Self {
        self.given.of(caller).add_token(token);
        self
    }

    /// What nobody may see, beside what is sent to the agent, such as the secret with which its token was got.
    #[must_use]
    pub fn secret(mut self, value: &str) -> Self {
        self.given.add_secret(value);
        self
    }

    /// A cookie of every request to the agent's origin; its value is masked everywhere.
    #[must_use]
    pub fn cookie(self, name: &str, value: &str) -> Self {
        self.taking(|given| given.of(Caller::Own).add_cookie(name, value))
    }

    /// A parameter in the query of every request over HTTP to the agent's origin; its value is masked everywhere.
    #[must_use]
    pub fn parameter(mut self, name: &str, value: &str) -> Self {
        self.given.of(Caller::Own).add_parameter(name, value);
        self
    }

    /// A cookie of another caller.
    #[must_use]
    pub fn cookie_of(self, caller: Caller, name: &str, value: &str) -> Self {
        self.taking(|given| given.of(caller).add_cookie(name, value))
    }

    /// A parameter in the query of another caller's requests.
    #[must_use]
    pub fn parameter_of(mut self, caller: Caller, name: &str, value: &str) -> Self {
        self.given.of(caller).add_parameter(name, value);
        self
    }

    /// Headers of another caller that go to origins of their own. They are no secrets: nothing masks them.
    #[must_use]
    pub fn identity_of(mut self, caller: Caller, identity: Identity) -> Self {
        self.given.of(caller).add_identity(identity);
        self
    }

    /// Credentials go to this origin, too, such as `https://grpc.agent.example`. An interface there is called at whatever address.
    #[must_use]
    pub fn allow_origin(mut self, text: &str) -> Self {
        match origin::parse(text) {
            Ok(origin) => {
                self.given.trust(origin.clone());
                self.allowed_origins.push(origin);
                self.allowed.push(text.to_owned());
            }
            Err(why) => self.fail(SuiteError::Origin { text: userinfo::split(text).0, why }),
        }
        self
    }
}

impl SuiteBuilder {
    /// Takes what goes along with requests, if HTTP can carry it.
    fn taking(mut self, take: impl FnOnce(&mut Given) -> Result<(), HeaderError>) -> Self {
        take(&mut self.given).unwrap_or_else(|error| self.fail(error.into()));
        self
    }
}

/// The way to the agent.
impl SuiteBuilder {
    /// How connections are made: whom TLS trusts, what it shows, and where hosts are. A [client](SuiteBuilder::client) has its
    /// own ways.
    #[must_use]
    pub fn dialing(mut self, dialing: Dialing) -> Self {
        dialing.certified().for_each(|caller| self.given.of(caller).add_certificate());
        self.dialing = dialing;
        self
    }
}

/// Where interfaces are, as a user writes it: `URL` or `BINDING=URL`.
struct Place {
    /// The same without credentials.
    bare: String,
    url: String,
    userinfo: Option<Userinfo>,
}

impl Place {
    fn of(text: &str) -> Self {
        let (binding, url) = bases::parts(text);
        let (url, userinfo) = userinfo::split(url);
        let bare = binding.map_or_else(|| url.clone(), |binding| format!("{binding}={url}"));
        Self { bare, url, userinfo }
    }
}
