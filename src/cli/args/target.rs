//! What is said to every command that talks to an agent.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::discovery::triggers::Preset;
use crate::report::gate::FailOn;
use crate::verdict::Level;

/// Headings of flags in help texts.
pub(super) const AGENT: &str = "Agent";
pub(super) const CREDENTIALS: &str = "Credentials";
pub(super) const CONNECTION: &str = "Connection";
const SIGNATURES: &str = "Signed cards";
pub(super) const OWN: &str = "Reference agent";
pub(super) const WEBHOOKS: &str = "Webhooks";
pub(super) const SELECTION: &str = "Selection";
pub(super) const PACE: &str = "Pace and limits";
pub(super) const GATE: &str = "Gate";
pub(super) const OUTPUT: &str = "Output";

/// Whom connections to the agent trust, and what they show of themselves.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(in crate::cli) struct CertificateArgs {
    /// Trust the certificates in this PEM file, in addition to the system's; may be repeated
    #[arg(long, help_heading = CONNECTION, value_name = "FILE")]
    pub cacert: Vec<PathBuf>,

    /// Client certificate (PEM) for agents that request one; needs --key
    #[arg(long, help_heading = CONNECTION, value_name = "FILE", requires = "key")]
    pub cert: Option<PathBuf>,

    /// Private key of --cert (PEM)
    #[arg(long, help_heading = CONNECTION, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,
}

/// The agent, and what is said to every command that talks to it.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(in crate::cli) struct TargetArgs {
    /// URL of the agent [default: `url` in a2aspec.toml]
    pub url: Option<String>,

    /// URL or file of the agent card [default: the well-known paths below URL]
    #[arg(long, help_heading = AGENT, value_name = "URL|FILE")]
    pub card: Option<String>,

    /// Check the card's interfaces at this URL: its scheme, host and port replace those in the card, and its path comes before each
    /// interface's path. A prefix (jsonrpc=, http-json=, grpc=) limits it to one binding and takes precedence; may be repeated
    #[arg(long, help_heading = AGENT, value_name = "[BINDING=]URL")]
    pub base_url: Vec<String>,

    /// The replicas that a run names, where a command has a flag for them.
    #[arg(skip)]
    pub replicas: Vec<String>,

    /// Check only this protocol version; may be repeated [default: every version that the card declares]
    #[arg(long, help_heading = AGENT, value_name = "PROFILE")]
    pub profile: Vec<String>,

    /// Check only this binding; may be repeated [default: every binding that the card declares]
    #[arg(long, help_heading = AGENT, value_name = "BINDING")]
    pub binding: Vec<String>,

    /// Check only this tenant's interfaces and send its name with every request [default: the first interface of each version and
    /// binding]
    #[arg(long, help_heading = AGENT, value_name = "NAME")]
    pub tenant: Option<String>,

    /// Header for every request to the agent's origin, such as 'X-Api-Key: env:KEY'. env:NAME reads an environment variable,
    /// file:PATH a file, command:LINE the output of a shell command; any other value is sent as written. Masked in every output
    #[arg(long, help_heading = CREDENTIALS, value_name = "NAME: VALUE")]
    pub header: Vec<String>,

    /// Bearer token for every request to the agent's origin, from an environment variable, a file or a command
    #[arg(long, help_heading = CREDENTIALS, value_name = "env:NAME|file:PATH|command:LINE")]
    pub bearer: Option<String>,

    /// Define an identity: bob=bearer:env:BOB, bob=basic:env:PAIR (user:password), 'bob=X-Api-Key: file:key', 'bob=cookie sid:
    /// env:SID' or 'bob=query api_key: env:KEY'; may be repeated. If the agent must refuse an identity, also give its
    /// role: old=role:expired, old=role:wrong-audience or old=role:narrow. Define OAuth 2.0 identities in the settings file
    #[arg(long, help_heading = CREDENTIALS, value_name = "NAME=CREDENTIALS")]
    pub identity: Vec<String>,

    /// Send requests as this identity (--identity, or the settings file)
    #[arg(long = "as", help_heading = CREDENTIALS, value_name = "NAME")]
    pub as_identity: Option<String>,

    /// Also check that this second identity cannot see the first one's tasks
    #[arg(long, help_heading = CREDENTIALS, value_name = "NAME")]
    pub other: Option<String>,

    /// Also send credentials to this origin, such as https://grpc.agent.example; may be repeated [default: only the origins of
    /// URL and --base-url]
    #[arg(long, help_heading = CREDENTIALS, value_name = "ORIGIN")]
    pub allow_origin: Vec<String>,

    #[command(flatten)]
    pub certificates: CertificateArgs,

    /// Send all requests through this proxy, such as http://proxy.example:8080, including those to localhost [default:
    /// HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, never for localhost]
    #[arg(long, help_heading = CONNECTION, value_name = "URL")]
    pub proxy: Option<String>,

    /// Accept any certificate. An attacker on the network path can impersonate the agent and receive your credentials
    #[arg(long, help_heading = CONNECTION)]
    pub insecure: bool,

    /// Connect to this address for a host name, such as agent.example.com=127.0.0.1; may be repeated
    #[arg(long, help_heading = CONNECTION, value_name = "HOST=ADDRESS")]
    pub resolve: Vec<String>,

    /// Verify the card's signatures with this key: a file with a JWK, a JWKS or a PEM public key; may be repeated
    #[arg(long, help_heading = SIGNATURES, value_name = "FILE")]
    pub card_key: Vec<PathBuf>,

    /// Allow signature keys to be fetched from this host, if a signature's `jku` header names it; may be repeated [default: none]
    #[arg(long, help_heading = SIGNATURES, value_name = "HOST[:PORT]")]
    pub allow_jku: Vec<String>,

    /// Maximum number of concurrent requests. A request stops counting after a short time if the agent still works on it. 1 runs the
    /// cases one by one
    /// [default: 8]
    #[arg(long, help_heading = PACE, value_name = "N")]
    pub jobs: Option<usize>,

    /// Maximum number of requests per second [default: no limit]
    #[arg(long, help_heading = PACE, value_name = "N")]
    pub rate: Option<f64>,

    /// Time limit for each response, and for a whole stream, in seconds [default: 10]
    #[arg(long, help_heading = PACE, value_name = "SECONDS")]
    pub timeout: Option<f64>,

    /// Wait up to this many seconds until the agent serves its card [default: 0]
    #[arg(long, help_heading = PACE, value_name = "SECONDS")]
    pub wait: Option<f64>,

    /// Send at most this many messages. Cases for which no messages remain are not tested
    #[arg(long, help_heading = PACE, value_name = "N")]
    pub max_messages: Option<u64>,

    /// Lowest level of a violated requirement that fails the run [default: must]
    #[arg(long, help_heading = GATE, value_name = "LEVEL", value_parser = fail_on())]
    pub fail_on: Option<FailOn>,

    /// Write a report to standard output or to a file: terminal, terminal=full (all evidence), html, json, ndjson, junit,
    /// markdown, github, sarif, tap, har, badge or badge-PART (core, streaming, push, security); may be repeated [default: terminal]
    #[arg(long, help_heading = OUTPUT, value_name = "FORMAT[=FILE]")]
    pub report: Vec<String>,

    /// Repository file that SARIF reports name as the location of each problem [default: a2aspec.toml]
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub sarif_location: Option<String>,

    /// Write every request and response to this file, as an HTTP archive if its name ends in .har
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// Use a known set of triggers
    #[arg(long, help_heading = AGENT, value_name = "PRESET")]
    pub triggers: Option<Preset>,

    /// Settings file [default: a2aspec.toml in the working directory, if it exists]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Start the bundled reference agent on a free port and use it instead of URL
    #[arg(long = "self", help_heading = OWN, conflicts_with = "url")]
    pub is_self: bool,

    /// Start the reference agent (--self) without these capabilities: streaming, push, extended-card
    #[arg(long, help_heading = OWN, value_name = "CAPABILITY", value_delimiter = ',', conflicts_with = "url")]
    pub without: Vec<a2a_reference_agent::Capability>,

    /// Start the reference agent (--self) with only this HTTP+JSON dialect of A2A 0.3: json or proto [default: both]
    #[arg(long, help_heading = OWN, value_name = "DIALECT", conflicts_with = "url")]
    pub rest_dialect: Option<a2a_reference_agent::RestDialect>,

    /// Start the reference agent (--self) with a required extension
    #[arg(long, help_heading = OWN, conflicts_with = "url")]
    pub require_extension: bool,

    /// Start the reference agent (--self) with this fault (see `a2aspec agent --list-faults`); may be repeated
    #[arg(long, help_heading = OWN, value_name = "ID", value_parser = a2a_reference_agent::Fault::find, conflicts_with = "url")]
    pub fault: Vec<&'static a2a_reference_agent::Fault>,
}

/// Reads `--level`.
pub(super) fn level() -> impl TypedValueParser<Value = Level> {
    PossibleValuesParser::new(["must", "should", "may"]).try_map(|name| name.parse::<Level>())
}

/// Reads `--fail-on`.
pub(super) fn fail_on() -> impl TypedValueParser<Value = FailOn> {
    let values = FailOn::ALL.map(|level| {
        PossibleValue::new(level.name()).help(match level {
            FailOn::Must => "Violated MUST requirements",
            FailOn::Should => "Violated MUST and SHOULD requirements",
            FailOn::Never => "Ignore violations; only report them",
        })
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse())
}
