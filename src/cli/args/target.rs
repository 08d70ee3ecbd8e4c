//! What is said to every command that talks to an agent.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::discovery::triggers::Preset;
use crate::report::gate::FailOn;

/// Under what flags stand in a help text.
pub(super) const AGENT: &str = "Agent";
pub(super) const CREDENTIALS: &str = "Credentials";
const CONNECTION: &str = "Connection";
const SIGNATURES: &str = "Signed cards";
const OWN: &str = "Reference agent";
pub(super) const WEBHOOKS: &str = "Webhooks";
pub(super) const SELECTION: &str = "Selection";
pub(super) const PACE: &str = "Pace and limits";
pub(super) const GATE: &str = "Gate";
pub(super) const OUTPUT: &str = "Output";

/// The agent, and what is said to every command that talks to it.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(in crate::cli) struct TargetArgs {
    /// The agent's URL [default: that of a2aspec.toml]
    pub url: Option<String>,

    /// The agent card: a URL or a file [default: the well-known places of the URL]
    #[arg(long, help_heading = AGENT, value_name = "URL|FILE")]
    pub card: Option<String>,

    /// The card's interfaces are at this URL instead: its scheme, host and port, and its path before theirs. For one
    /// binding only with jsonrpc=, http-json= or grpc= before the URL, which wins; may be repeated
    #[arg(long, help_heading = AGENT, value_name = "[BINDING=]URL")]
    pub base_url: Vec<String>,

    /// Check only this protocol version; may be repeated [default: every version that the card declares]
    #[arg(long, help_heading = AGENT, value_name = "PROFILE")]
    pub profile: Vec<String>,

    /// Check only this binding; may be repeated [default: every binding that the card declares]
    #[arg(long, help_heading = AGENT, value_name = "BINDING")]
    pub binding: Vec<String>,

    /// Check only the interfaces of this tenant, whose name every request says [default: of each version and binding the first
    /// interface that the card declares]
    #[arg(long, help_heading = AGENT, value_name = "NAME")]
    pub tenant: Option<String>,

    /// Header of every request to the agent's origin, such as 'X-Api-Key: env:KEY'; the value is read from an environment
    /// variable with env:NAME, from a file with file:PATH, from what a line of the shell prints with command:LINE, and else as it
    /// stands there; masked in every output
    #[arg(long, help_heading = CREDENTIALS, value_name = "NAME: VALUE")]
    pub header: Vec<String>,

    /// Bearer token of every request to the agent's origin, read from an environment variable, a file or a command
    #[arg(long, help_heading = CREDENTIALS, value_name = "env:NAME|file:PATH|command:LINE")]
    pub bearer: Option<String>,

    /// An identity, such as bob=bearer:env:BOB, bob=basic:env:PAIR (user:password), 'bob=X-Api-Key: file:key',
    /// 'bob=cookie sid: env:SID' or 'bob=query api_key: env:KEY'; may be repeated. With bob=role:expired, role:wrong-audience or
    /// role:narrow the agent is to refuse what bob brings. One that gets tokens of OAuth 2 stands in the settings file
    #[arg(long, help_heading = CREDENTIALS, value_name = "NAME=CREDENTIALS")]
    pub identity: Vec<String>,

    /// Check the agent as this identity, of --identity or the settings file
    #[arg(long = "as", help_heading = CREDENTIALS, value_name = "NAME")]
    pub as_identity: Option<String>,

    /// Check as well what this identity is shown, which has no right to what the first one has
    #[arg(long, help_heading = CREDENTIALS, value_name = "NAME")]
    pub other: Option<String>,

    /// Send credentials to this origin, too, such as https://grpc.agent.example; may be repeated [default: only to the
    /// origins of the agent's URL and of --base-url]
    #[arg(long, help_heading = CREDENTIALS, value_name = "ORIGIN")]
    pub allow_origin: Vec<String>,

    /// Trust the certificates in this file (PEM), beside those that this machine trusts; may be repeated
    #[arg(long, help_heading = CONNECTION, value_name = "FILE")]
    pub cacert: Vec<PathBuf>,

    /// Show this certificate (PEM) to agents that ask for one, with the key of --key
    #[arg(long, help_heading = CONNECTION, value_name = "FILE", requires = "key")]
    pub cert: Option<PathBuf>,

    /// The private key of --cert (PEM)
    #[arg(long, help_heading = CONNECTION, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,

    /// Go through this proxy, such as http://proxy.example:8080, also to this machine [default: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and
    /// NO_PROXY of the environment, but never to this machine]
    #[arg(long, help_heading = CONNECTION, value_name = "URL")]
    pub proxy: Option<String>,

    /// Take certificates as they come: whoever is on the way can be the agent, and is sent its credentials
    #[arg(long, help_heading = CONNECTION)]
    pub insecure: bool,

    /// Look for a host at this address, whatever the name leads to, such as agent.example.com=127.0.0.1; may be repeated
    #[arg(long, help_heading = CONNECTION, value_name = "HOST=ADDRESS")]
    pub resolve: Vec<String>,

    /// Verify the signatures of the card with this key: a file with a JWK, a JWKS or a public key in PEM; may be repeated
    #[arg(long, help_heading = SIGNATURES, value_name = "FILE")]
    pub card_key: Vec<PathBuf>,

    /// Fetch the keys of the card's signatures from this host, where their headers (jku) point there; may be repeated
    /// [default: from nowhere]
    #[arg(long, help_heading = SIGNATURES, value_name = "HOST[:PORT]")]
    pub allow_jku: Vec<String>,

    /// How many requests are in flight at once, apart from those that wait for the agent's work; with 1, cases run one
    /// after the other [default: 8]
    #[arg(long, help_heading = PACE, value_name = "N")]
    pub jobs: Option<usize>,

    /// The most requests a second [default: as many as the agent answers]
    #[arg(long, help_heading = PACE, value_name = "N")]
    pub rate: Option<f64>,

    /// Seconds to wait for each answer, and for a stream as a whole [default: 10]
    #[arg(long, help_heading = PACE, value_name = "SECONDS")]
    pub timeout: Option<f64>,

    /// Seconds to wait for an agent that is starting: until its card can be fetched [default: 0]
    #[arg(long, help_heading = PACE, value_name = "SECONDS")]
    pub wait: Option<f64>,

    /// The most messages that the agent is sent; cases that need more are not reached
    #[arg(long, help_heading = PACE, value_name = "N")]
    pub max_messages: Option<u64>,

    /// From which level on a broken requirement fails the run [default: must]
    #[arg(long, help_heading = GATE, value_name = "LEVEL", value_parser = fail_on())]
    pub fail_on: Option<FailOn>,

    /// Write a report: terminal, terminal=full (all evidence), html, json, junit, markdown, github, sarif, tap, har or badge, to a file
    /// where one is named; may be repeated
    /// [default: terminal]
    #[arg(long, help_heading = OUTPUT, value_name = "FORMAT[=FILE]")]
    pub report: Vec<String>,

    /// The file of the repository in which code scanning shows what is wrong, for reports in SARIF [default: a2aspec.toml]
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub sarif_location: Option<String>,

    /// Write every exchange to a file
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// Drive the agent by a known set of triggers
    #[arg(long, help_heading = AGENT, value_name = "PRESET")]
    pub triggers: Option<Preset>,

    /// Read settings from this file [default: a2aspec.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Take the reference agent that comes with the program, started on a free port, whatever a2aspec.toml names
    #[arg(long = "self", help_heading = OWN, conflicts_with = "url")]
    pub is_self: bool,

    /// Take the reference agent (--self), without these capabilities: streaming, push, extended-card
    #[arg(long, help_heading = OWN, value_name = "CAPABILITY", value_delimiter = ',', conflicts_with = "url")]
    pub without: Vec<a2a_reference_agent::Capability>,

    /// Take the reference agent (--self), speaking this dialect of A2A 0.3 over HTTP+JSON alone: json or proto [default: both]
    #[arg(long, help_heading = OWN, value_name = "DIALECT", conflicts_with = "url")]
    pub rest_dialect: Option<a2a_reference_agent::RestDialect>,

    /// Take the reference agent (--self), so that every request must ask for its extension, in versions that have extensions
    #[arg(long, help_heading = OWN, conflicts_with = "url")]
    pub require_extension: bool,

    /// Take the reference agent (--self) with this fault, as `a2aspec agent --list-faults` names it; may be repeated
    #[arg(long, help_heading = OWN, value_name = "ID", value_parser = a2a_reference_agent::Fault::find, conflicts_with = "url")]
    pub fault: Vec<&'static a2a_reference_agent::Fault>,
}

/// Reads `--fail-on`.
pub(super) fn fail_on() -> impl TypedValueParser<Value = FailOn> {
    let values = FailOn::ALL.map(|level| {
        PossibleValue::new(level.name()).help(match level {
            FailOn::Must => "Broken MUSTs",
            FailOn::Should => "Broken MUSTs and SHOULDs",
            FailOn::Never => "Nothing: report only",
        })
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse())
}
