//! What the command line can say of the agent that the program brings along.

use std::path::PathBuf;

use a2a_reference_agent::Variation;
use clap::Args as ClapArgs;

use crate::diagnostic::near;
use crate::discovery::triggers::Preset;

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct AgentArgs {
    /// Address to listen on. On an address other than loopback, the agent needs --deliver-anywhere to send push notifications;
    /// without it, webhooks in private networks are refused
    #[arg(long, default_value = "127.0.0.1")]
    pub host: std::net::IpAddr,

    /// Port to listen on; 0 picks a free port
    #[arg(long, default_value_t = 8080)]
    pub port: u16,

    /// Serve only this protocol version (see `a2aspec profiles`)
    #[arg(long, value_name = "VERSION")]
    pub only: Option<String>,

    /// Capabilities to leave out: streaming, push, extended-card
    #[arg(long, value_name = "CAPABILITY", value_delimiter = ',')]
    pub without: Vec<a2a_reference_agent::Capability>,

    /// Speak only this HTTP+JSON dialect of A2A 0.3: json or proto [default: both, the dialect of the request]
    #[arg(long, value_name = "DIALECT")]
    pub rest_dialect: Option<a2a_reference_agent::RestDialect>,

    /// Refuse requests that do not activate the extension urn:a2aspec:echo:v1
    #[arg(long)]
    pub require_extension: bool,

    /// Also understand a known set of triggers: a2a-tck (message-id prefixes of the official TCK) or acts (texts of ACTS)
    #[arg(long, value_name = "PRESET", hide_possible_values = true)]
    pub triggers: Option<Preset>,

    /// Keep streams open at auth-required (1.0 and 1.0-draft)
    #[arg(long)]
    pub keep_auth_streams: bool,

    /// Use random-looking ids instead of sequential ones
    #[arg(long)]
    pub scatter_ids: bool,

    /// Send push notifications to any host [default: only to loopback addresses; to no host if --host is not loopback or --name is
    /// not localhost]. With --name other than localhost, private networks stay refused
    #[arg(long)]
    pub deliver_anywhere: bool,

    /// Trust this certificate (PEM) for push notifications over TLS, in addition to the system's
    #[arg(long, value_name = "FILE")]
    pub webhook_cacert: Option<PathBuf>,

    /// Serve only over TLS, with this certificate chain (PEM); needs --tls-key
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls: Option<PathBuf>,

    /// Private key of --tls (PEM)
    #[arg(long, value_name = "FILE", requires = "tls")]
    pub tls_key: Option<PathBuf>,

    /// Host name in the card's URLs [default: the address of --host]. Requests for other hosts are refused, except loopback and
    /// --host. With a name other than localhost, webhooks in private networks are always refused
    #[arg(long, value_name = "HOST")]
    pub name: Option<String>,

    /// Add a user; may be repeated. Callers must then authenticate, and see only their own tasks. The suffix :expired or
    /// :wrong-audience makes the agent refuse the token; :narrow makes it refuse messages
    #[arg(long = "user", value_name = "NAME=TOKEN[:STANDING]")]
    pub users: Vec<a2a_reference_agent::User>,

    /// Add a tenant with tasks and interfaces of its own (1.0); may be repeated
    #[arg(long = "tenant", value_name = "NAME")]
    pub tenants: Vec<a2a_reference_agent::Tenant>,

    /// Security scheme for --user; may be repeated, and callers then use any of them: bearer, basic (the token is the password),
    /// api-key=header:NAME, api-key=query:NAME, api-key=cookie:NAME, oauth2 and openid (the token is a bearer token), mtls (a
    /// certificate with NAME as DNS name). Over gRPC, header keys are metadata; query and cookie keys are refused [default:
    /// bearer]
    #[arg(long = "auth", value_name = "SCHEME", requires = "users")]
    pub schemes: Vec<a2a_reference_agent::Scheme>,

    /// Issuer that the card declares for --auth oauth2 and openid. The agent accepts every user's token, whoever issued it
    #[arg(long, value_name = "URL", requires = "schemes")]
    pub oauth_issuer: Option<String>,

    /// Token endpoint of the issuer [default: /token below its URL]
    #[arg(long, value_name = "URL", requires = "oauth_issuer")]
    pub oauth_token_url: Option<String>,

    /// Certificates (PEM) of the authorities that sign client certificates, for --auth mtls
    #[arg(long, value_name = "FILE", requires_all = ["tls", "schemes"])]
    pub tls_client_ca: Option<PathBuf>,

    /// Serve at N ports from --port on, as N replicas of one agent; the cards name the first
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=16), hide_default_value = true)]
    pub replicas: u16,

    /// Keep this neither in all replicas nor over a restart by SIGUSR1, so that responses depend on the replica or are lost: tasks,
    /// page-tokens, streams, cancellations, push-configs
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub unshared: Vec<a2a_reference_agent::Unshared>,

    /// Add a fault, so that a case fails; may be repeated
    #[arg(long, value_name = "ID", value_parser = a2a_reference_agent::Fault::find)]
    pub fault: Vec<&'static a2a_reference_agent::Fault>,

    /// Behave in this legal but unusual way, to test a client; may be repeated. `random` changes the way with each exchange
    #[arg(long, value_name = "ID", value_parser = variation)]
    pub variation: Vec<Varied>,

    /// Seed for --variation random: the same seed makes the same choices [default: from the clock, printed at the start]
    #[arg(long, value_name = "N", requires = "variation")]
    pub seed: Option<u64>,

    /// List the variations and exit
    #[arg(long, conflicts_with_all = ["variation", "list_faults"])]
    pub list_variations: bool,

    /// List the faults and exit
    #[arg(long, conflicts_with = "fault")]
    pub list_faults: bool,
}

/// What `--variation` names.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) enum Varied {
    /// Another one with each exchange.
    Random,
    /// This one.
    By(&'static Variation),
}

/// Reads `--variation`.
fn variation(id: &str) -> Result<Varied, String> {
    if id == RANDOM {
        return Ok(Varied::Random);
    }
    Variation::find(id).map(Varied::By).map_err(|error| {
        let known = Variation::all().unwrap_or_default().iter().map(|variation| variation.id.as_str());
        match near::nearest(id, known.chain([RANDOM])) {
            Some(near) => format!("{error}; did you mean `{near}`?"),
            None => error.to_string(),
        }
    })
}

/// What takes the place of an id where each exchange has another.
const RANDOM: &str = "random";
