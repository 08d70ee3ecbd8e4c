//! What a user of the agent can choose.

mod scheme;
mod tenant;
mod unshared;

pub use scheme::{Issuer, KeyPlace, NoIssuer, NoScheme, Scheme};
pub use tenant::{NoTenant, Tenant};
pub use unshared::{UnknownUnshared, Unshared};

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::str::FromStr;
use std::time::Duration;

use crate::fault::{Fault, Switch};
use crate::variation::{Habit, Variation};
use crate::version::Version;

/// An optional capability of an agent, as declared in its card (A2A 1.0, section 4.4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Capability {
    /// Streams of events: `capabilities.streaming`.
    Streaming,
    /// Push notifications to webhooks: `capabilities.pushNotifications`.
    Push,
    /// A fuller card for authenticated callers: `capabilities.extendedAgentCard`.
    ExtendedCard,
}

impl Capability {
    /// Every capability, in the order of the documentation.
    pub const ALL: [Self; 3] = [Self::Streaming, Self::Push, Self::ExtendedCard];

    const fn name(self) -> &'static str {
        match self {
            Self::Streaming => "streaming",
            Self::Push => "push",
            Self::ExtendedCard => "extended-card",
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A word that names no [`Capability`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown capability `{0}` (there are: streaming, push, extended-card)")]
pub struct UnknownCapability(
    /// The word.
    pub String,
);

impl FromStr for Capability {
    type Err = UnknownCapability;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|capability| capability.name() == word)
            .ok_or_else(|| UnknownCapability(word.to_owned()))
    }
}

/// How the bodies of A2A 0.3 look over HTTP+JSON. Its text leaves it open (0.3, sections 3.2.3 and 7.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RestDialect {
    /// As its JSON Schema says, like over JSON-RPC: `kind`, `parts`, `user`.
    Json,
    /// As the JSON form of its protobuf definition: `content`, `ROLE_USER`, resource names. Published clients speak it.
    #[default]
    Proto,
}

impl RestDialect {
    const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Proto => "proto",
        }
    }
}

impl fmt::Display for RestDialect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A word that names no [`RestDialect`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown dialect `{0}` (there are: json, proto)")]
pub struct UnknownRestDialect(
    /// The word.
    pub String,
);

impl FromStr for RestDialect {
    type Err = UnknownRestDialect;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        [Self::Json, Self::Proto]
            .into_iter()
            .find(|form| form.name() == word)
            .ok_or_else(|| UnknownRestDialect(word.to_owned()))
    }
}

/// A set of ways to ask for a behaviour, beside the first word of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// The ids of messages by which the official kit asks (a2aproject/a2a-tck).
    A2aTck,
    /// The texts by which tests in the format ACTS ask, as it was proposed to the A2A project.
    Acts,
}

/// Somebody who may ask the agent, and is told from others by what each [`Scheme`] takes: their token, and their name or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Their name.
    pub name: String,
    /// Their token, which is good for a bearer token, a key and a password. What the agent holds are samples, so it is no secret.
    pub token: String,
    /// What the token is good for.
    pub standing: Standing,
}

/// What a token is good for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Standing {
    /// For everything.
    #[default]
    Good,
    /// For nothing any more.
    Expired,
    /// For another agent.
    WrongAudience,
    /// For everything but sending messages.
    Narrow,
}

impl User {
    /// Those whose tokens the faults about callers know: who asks, somebody else, and who has a token of each other standing. The suite
    /// counts on the order.
    #[must_use]
    pub fn known_to_faults() -> [Self; 5] {
        [
            ("own", "reference", Standing::Good),
            ("other", "another", Standing::Good),
            ("expired", "no-good.expired", Standing::Expired),
            ("wrong-audience", "no-good.elsewhere", Standing::WrongAudience),
            ("narrow", "no-good.narrow", Standing::Narrow),
        ]
        .map(|(name, token, standing)| Self { name: name.to_owned(), token: token.to_owned(), standing })
    }
}

impl Standing {
    /// That of this name.
    fn named(name: &str) -> Option<Self> {
        match name {
            "expired" => Some(Self::Expired),
            "wrong-audience" => Some(Self::WrongAudience),
            "narrow" => Some(Self::Narrow),
            _ => None,
        }
    }
}

/// A text that names no [`User`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "write a user as NAME=TOKEN, the token in letters, digits and -._~+/ (RFC 6750, section 2.1); behind it may be \
     :expired, :wrong-audience or :narrow"
)]
pub struct NoUser;

impl FromStr for User {
    type Err = NoUser;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, token) = text.split_once('=').ok_or(NoUser)?;
        let (token, standing) = match token.split_once(':') {
            Some((token, standing)) => (token, Standing::named(standing).ok_or(NoUser)?),
            None => (token, Standing::Good),
        };
        let is_token = |token: &str| {
            !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte))
        };
        match !name.is_empty() && is_token(token.trim_end_matches('=')) {
            true => Ok(Self { name: name.to_owned(), token: token.to_owned(), standing }),
            false => Err(NoUser),
        }
    }
}

/// A chain of certificates and the key of the first of them, both as texts in PEM (RFC 7468).
#[derive(Clone)]
pub struct Tls {
    /// The chain, that of the agent first.
    pub chain: Vec<u8>,
    /// The key.
    pub key: Vec<u8>,
}

/// Without the key, which is a secret.
impl fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Tls").finish_non_exhaustive()
    }
}

/// How an agent is to behave.
#[derive(Debug, Clone)]
pub struct Config {
    /// The only version that the agent speaks, whose card is at the root then; by default it speaks all of them.
    pub only: Option<Version>,
    /// Capabilities that the agent neither declares nor serves; by default none.
    pub without: BTreeSet<Capability>,
    /// How long the `slow` behaviour works before it completes; by default 4 s.
    pub slow: Duration,
    /// The address that the card gives to clients, such as `https://agent.example`, without a slash at the end;
    /// by default the address that the agent listens on.
    pub public_url: Option<String>,
    /// The only form of A2A 0.3 over HTTP+JSON that the agent speaks. By default it speaks both: a request that shows its
    /// form is answered in it, one about a task in that of the last message to the task, and any other in the usual one.
    pub rest_dialect: Option<RestDialect>,
    /// Whether push notifications are posted to any host; by default only to the loopback interface of this machine, so
    /// that nobody can make the agent call others (section 13.2). An agent that [others get to](Self::is_exposed) posts nowhere
    /// by default: what is on its own loopback interface is not theirs to call.
    pub delivers_anywhere: bool,
    /// Certificates in PEM that are trusted where push notifications are posted over TLS, beside those of this machine; by default
    /// none.
    pub webhook_authorities: Option<Vec<u8>>,
    /// Who may ask the agent for anything but its public card, each of them for what is theirs; by default there are none,
    /// and everybody may ask for everything.
    pub users: Vec<User>,
    /// The tenants of the agent, which only 1.0 has: each has interfaces in the card beside those without a tenant, and tasks of its
    /// own. By default there are none, and what tenant a request names makes no difference.
    pub tenants: Vec<Tenant>,
    /// The ways in which users say who they are, any one of which is enough; by default a bearer token.
    pub schemes: Vec<Scheme>,
    /// Who gives the tokens of OAuth 2.0 and OpenID Connect, which these schemes need; by default nobody.
    pub issuer: Option<Issuer>,
    /// The certificate of the agent, by which it is reached with TLS alone; by default there is none.
    pub tls: Option<Tls>,
    /// The certificates in PEM of those who certify users, which [`Scheme::Mtls`] needs; by default there are none.
    pub client_authorities: Option<Vec<u8>>,
    /// The name of the host in the agent's URL, such as that of its certificate; by default the address that it listens on.
    pub host: Option<String>,
    /// Whether it listens beyond the loopback interface, where others get to it: [`start`](crate::start) knows.
    pub is_exposed: bool,
    /// Whether each request must ask for the extension of the agent, in versions that have extensions; by default it may.
    pub requires_extension: bool,
    /// Whether streams stay open while their task waits for credentials, as where these come outside the protocol, in versions
    /// that let them; by default they end (1.0, sections 7.6.1 and 11.7).
    pub streams_await_credentials: bool,
    /// Whether the ids that it makes look as if none had to do with another, though every run makes the same; by default they are
    /// counted, for each user by themselves, which is easier to read.
    pub scatters_ids: bool,
    /// What asks for a behaviour beside the first word of a message; by default nothing.
    pub triggers: Option<Preset>,
    /// How many replicas of the agent there are beside the first, each at an address of its own: at the ports that follow
    /// the first, or at free ones. By default there are none. The cards name the
    /// address of the first alone, as those behind a load balancer name that of the balancer.
    pub more_replicas: usize,
    /// What the replicas do not share, which is wrong; by default they share everything.
    pub unshared: BTreeSet<Unshared>,
    /// The ways in which the agent is wrong on purpose; by default none.
    pub faults: Vec<&'static Fault>,
    /// The legal ways in which it differs from others; by default none.
    pub variations: Vec<&'static Variation>,
    /// A seed, where in each exchange one of its variations acts, and not all of them; by default all act.
    pub random_variations: Option<u64>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            only: None,
            without: BTreeSet::new(),
            slow: Duration::from_secs(4),
            public_url: None,
            rest_dialect: None,
            delivers_anywhere: false,
            webhook_authorities: None,
            users: Vec::new(),
            tenants: Vec::new(),
            schemes: vec![Scheme::Bearer],
            issuer: None,
            tls: None,
            client_authorities: None,
            host: None,
            is_exposed: false,
            requires_extension: false,
            streams_await_credentials: false,
            scatters_ids: false,
            triggers: None,
            more_replicas: 0,
            unshared: BTreeSet::new(),
            faults: Vec::new(),
            variations: Vec::new(),
            random_variations: None,
        }
    }
}

impl Config {
    /// Checks that each scheme has what it takes, and that nothing is given for one that the agent does not have.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] with what is missing.
    pub(crate) fn check_schemes(&self) -> io::Result<()> {
        let has = |scheme: &Scheme| self.schemes.contains(scheme);
        let by_issuer = has(&Scheme::Oauth2) || has(&Scheme::OpenId);
        let wrong = match (has(&Scheme::Mtls), &self.client_authorities, &self.tls, by_issuer, &self.issuer) {
            (true, None, ..) | (true, _, None, ..) => {
                "mutual TLS takes a certificate of the agent and those of who certifies its users"
            }
            (false, Some(_), ..) => "certificates of users are asked for by mutual TLS alone",
            (.., true, None) => "OAuth 2.0 and OpenID Connect take an issuer",
            (.., false, Some(_)) => "an issuer is named by OAuth 2.0 and OpenID Connect alone",
            _ => return Ok(()),
        };
        Err(io::Error::new(io::ErrorKind::InvalidInput, wrong))
    }

    /// Whether the agent speaks `version`.
    #[must_use]
    pub fn speaks(&self, version: Version) -> bool {
        self.only.is_none_or(|only| only == version)
    }

    /// Whether the agent has `capability`.
    #[must_use]
    pub fn has(&self, capability: Capability) -> bool {
        !self.without.contains(&capability)
    }

    /// Whether the agent serves `capability`: if it has it.
    pub(crate) fn serves(&self, capability: Capability) -> bool {
        self.has(capability) || self.breaks(Switch::ServesUndeclared)
    }

    /// Whether streams stay open while their task waits for credentials.
    pub(crate) fn awaits_credentials(&self) -> bool {
        self.streams_await_credentials || self.has_habit(Habit::AwaitsCredentials)
    }

    /// What faults and variations change, as the layer around the agent does it.
    pub(crate) fn changes(&self) -> Vec<&'static Fault> {
        let of_variations = self.variations.iter().map(|variation| &variation.change);
        self.faults.iter().copied().chain(of_variations).collect()
    }

    /// Whether a variation has `habit`.
    pub(crate) fn has_habit(&self, habit: Habit) -> bool {
        self.variations.iter().any(|variation| variation.habits.contains(&habit))
    }

    /// Whether a fault has thrown `switch`.
    pub(crate) fn breaks(&self, switch: Switch) -> bool {
        self.faults.iter().any(|fault| fault.switch == Some(switch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for capability in Capability::ALL {
            assert_eq!(capability.to_string().parse(), Ok(capability));
        }
        for version in Version::ALL {
            assert_eq!(version.to_string().parse(), Ok(version));
        }
        for form in [RestDialect::Json, RestDialect::Proto] {
            assert_eq!(form.to_string().parse(), Ok(form));
        }
        let user = |standing| User { name: "ann".to_owned(), token: "t0ken=".to_owned(), standing };
        assert_eq!("ann=t0ken=".parse(), Ok(user(Standing::Good)));
        assert_eq!("ann=t0ken=:wrong-audience".parse(), Ok(user(Standing::WrongAudience)));
        for wrong in ["ann", "=t0ken", "ann=", "ann=a b", "ann==", "ann=a:", "ann=a:old", "ann=:narrow"] {
            assert_eq!(wrong.parse::<User>(), Err(NoUser), "{wrong}");
        }
        assert_eq!("Push".parse::<Capability>(), Err(UnknownCapability("Push".to_owned())));
    }
}
