//! Why a suite cannot be run.

use std::net::SocketAddr;

use thiserror::Error;

use crate::auth::Caller;
use crate::auth::given::HeaderError;
use crate::case::Source;
use crate::diagnostic::words::{count, list};
use crate::discovery::DiscoveryError;
use crate::discovery::bases::BaseError;
use crate::plan::NothingMatches;
use crate::profile::Binding;
use crate::yaml::Mistake;

/// Why a suite cannot be run. What it cites of a card is masked, but for the text of a card that is not JSON.
#[derive(Debug, Error)]
pub enum SuiteError {
    /// Nobody has said which agent is checked.
    #[error("there is no agent to check: name its URL")]
    NoAgent,
    /// The URL of the agent, or of its card, cannot be used.
    #[error("the URL {text:?} {error}")]
    Url {
        /// The URL, without credentials.
        text: String,
        /// What is wrong with it.
        error: UrlError,
    },
    /// The card is to be read from a file that is not there.
    #[error("there is no card file {0:?}")]
    NoCardFile(String),
    /// A base URL cannot be used.
    #[error("the base URL {text:?} {error}")]
    BaseUrl {
        /// The base URL, without credentials.
        text: String,
        /// What is wrong with it.
        error: BaseError,
    },
    /// The URL of a replica cannot be used.
    #[error("the replica {text:?} {error}")]
    ReplicaUrl {
        /// The URL, without credentials.
        text: String,
        /// What is wrong with it.
        error: BaseError,
    },
    /// It is not known where the replicas have an interface.
    #[error(
        "the card has the {binding} interface at an address of its own, {url}: name its replicas, too, with --replica \
         {}=URL, or leave it out with --binding",
        binding
    )]
    NoReplicas {
        /// Its binding.
        binding: Binding,
        /// Where it is.
        url: String,
    },
    /// A replica cannot be reached.
    #[error("the replica at {url} cannot be reached: {how}")]
    NoReplica {
        /// Where it is to be.
        url: String,
        /// What became of the connection.
        how: String,
    },
    /// What is to be allowed is no origin.
    #[error("the origin {text:?} {why}")]
    Origin {
        /// The origin, without credentials.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// What is said of the receiver of webhooks cannot be used.
    #[error("{0}")]
    Webhook(String),
    /// The receiver of webhooks cannot listen.
    #[error("webhooks cannot be received at {address}: {error}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why not.
        error: std::io::Error,
    },
    /// What fails is to be run again at the end, and the first failure is the end.
    #[error(
        "--fail-fast ends the run at the first failure, and --retries runs it again at the end: they exclude each other"
    )]
    FailFastWithRetries,
    /// Two side conditions: a verdict that changes would have two possible causes.
    #[error("--load and --replica exclude each other: a verdict that changes is to have one cause")]
    LoadWithReplicas,
    /// The same of a restart.
    #[error("--restart-command goes with neither --load nor --replica: a verdict that changes is to have one cause")]
    RestartBeside,
    /// Traffic beside the cases, and a limit for all that is sent.
    #[error("--load sends requests beside those of the cases, and {limit} limits all of them: they exclude each other")]
    LoadWithLimit {
        /// The flag with the limit.
        limit: &'static str,
    },
    /// The time that the run was given was over before the agent was found.
    #[error("the {limit} s of --deadline were over before the first case")]
    TimeOver {
        /// How many seconds it was given.
        limit: String,
    },
    /// The token of an identity ended before the agent was found.
    #[error("the token of the identity `{identity}` has ended before the first case, and there is no other: {why}")]
    TokenOver {
        /// The name of the identity.
        identity: String,
        /// Why it was not renewed.
        why: String,
    },
    /// A header cannot be sent.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// Two callers bring the same, so that whatever the agent does shows nothing of whether it tells them apart.
    #[error(
        "the {} identity and the {} one bring the same credentials: no agent can tell them apart",
        first.name(),
        second.name()
    )]
    SameCredentials {
        /// Who brings it.
        first: Caller,
        /// Who brings it, too.
        second: Caller,
    },
    /// There is no such protocol version.
    #[error("there is no profile `{name}`; there is {}", known.join(", "))]
    UnknownProfile {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A protocol version does not have the binding that is asked for.
    #[error("A2A {profile} has no binding {binding}, only {}", list(known))]
    NoSuchBinding {
        /// The version.
        profile: String,
        /// The binding.
        binding: Binding,
        /// Those that it has.
        known: Vec<String>,
    },
    /// An agent without a card is checked at an interface that must be named.
    #[error("without a card, one protocol version and one binding must be named")]
    NoInterfaceNamed,
    /// Case files or catalogues are wrong.
    #[error("{}", mistakes_in_short(mistakes))]
    Cases {
        /// Every mistake.
        mistakes: Vec<Mistake>,
        /// The texts to show them in.
        sources: Vec<Source>,
    },
    /// The HTTP client cannot be set up on this machine.
    #[error("the HTTP client cannot be set up: {0}")]
    Client(String),
    /// The run was stopped before the first case.
    #[error("interrupted before the first case")]
    Interrupted,
    /// The agent cannot be reached, or has no card that can be used.
    #[error(transparent)]
    Discovery(#[from] DiscoveryError),
    /// No card is known for the protocol versions that are wanted.
    #[error("no card is known for A2A {}", list(profiles))]
    NoCardFor {
        /// The versions.
        profiles: Vec<String>,
    },
    /// The card declares nothing that can be checked.
    #[error("{}", nothing_usable(reasons))]
    NoInterface {
        /// Each interface with the reason; empty where the card declares none.
        reasons: Vec<String>,
    },
    /// The card declares nothing of what is wanted.
    #[error("the card declares none of the wanted versions and bindings; it declares {}", offered.join(", "))]
    NotDeclared {
        /// What it declares.
        offered: Vec<String>,
    },
    /// A part of the selection selects nothing.
    #[error(transparent)]
    NothingMatches(#[from] NothingMatches),
}

/// What is wrong with a URL, readable after it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UrlError {
    /// It has no scheme, as in `localhost:8080`.
    #[error("has no scheme")]
    NoScheme,
    /// It has another scheme than http and https.
    #[error("has the scheme {0:?}")]
    Scheme(String),
    /// It is no URL.
    #[error("cannot be read: {0}")]
    Unreadable(url::ParseError),
}

impl SuiteError {
    /// The same with every text that a card can have put there changed.
    pub(super) fn masked(self, mask: impl Fn(&str) -> String) -> Self {
        let all = |texts: Vec<String>| texts.iter().map(|text| mask(text)).collect();
        match self {
            Self::NoInterface { reasons } => Self::NoInterface { reasons: all(reasons) },
            Self::NotDeclared { offered } => Self::NotDeclared { offered: all(offered) },
            other => other,
        }
    }
}

fn mistakes_in_short(mistakes: &[Mistake]) -> String {
    let first = mistakes.first().map(|mistake| format!(": {}: {}", mistake.file, mistake.message));
    format!("{} in the cases{}", count(mistakes.len(), "mistake"), first.unwrap_or_default())
}

fn nothing_usable(reasons: &[String]) -> String {
    match reasons {
        [] => "the card declares no interface".to_owned(),
        _ => format!("the card declares no interface that can be checked: {}", reasons.join("; ")),
    }
}
