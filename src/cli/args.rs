//! What the command line can say.

mod card;
mod many;
mod reports;
mod webhook;

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand};

use crate::coverage;
use crate::diagnostic::near;
use crate::discovery::triggers::Preset;
use crate::plan::Shard;
use crate::profile::Operation;
use crate::report::gate::FailOn;
use crate::report::tested::MinTested;

pub(super) use card::{
    CardArgs, CardCanonicalArgs, CardCommand, CardLintArgs, CardPlaceArgs, CardSignArgs, CardVerifyArgs,
};
pub(super) use many::{CensusArgs, MatrixArgs};
pub(super) use reports::{DiffArgs, DiffFormat, MergeArgs};
pub(super) use webhook::{WebhookArgs, WebhookCommand, WebhookListenArgs};

/// Conformance suite for the Agent2Agent (A2A) protocol
///
/// Point it at an agent and it says, requirement by requirement, whether the agent conforms to the protocol, with evidence.
#[derive(Debug, Parser)]
#[command(name = "a2aspec", version)]
#[command(after_help = "Exit codes: 0 the gate passes; 1 it fails; 2 wrong usage or configuration, or an output \
                        that cannot be written; 3 the target \
                        or an interface of it cannot be reached, or it has no usable card; 4 the suite broke; \
                        130 the run was interrupted, or its time was over.")]
pub(super) struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Check an agent and report what it conforms to and what it violates
    Check(Box<CheckArgs>),
    /// Say in a minute what can be tested on an agent, what cannot and why, and which settings would help
    Doctor(Box<DoctorArgs>),
    /// Fuzz an agent with odd, broken and hostile requests, judged by what the specification says of them; or a parser
    Fuzz(Box<FuzzArgs>),
    /// Run findings of the fuzzer's again and say what became of them
    Replay(Box<ReplayArgs>),
    /// Serve the reference agent, which conforms to every requirement
    Agent(AgentArgs),
    /// List cases, or requirements
    List(ListArgs),
    /// Explain a case or a requirement: what it demands, why, and how to fix an agent
    Explain(ExplainArgs),
    /// Show which cases check which requirement, and what nothing checks
    Coverage(CoverageArgs),
    /// List the protocol versions that the suite knows
    Profiles,
    /// Show what changes for an agent between two protocol versions
    DiffSpec(DiffSpecArgs),
    /// Put the JSON reports of all parts of a run together (check --shard)
    Merge(MergeArgs),
    /// Compare two JSON reports: what is newly violated, fixed, and no longer tested
    Diff(DiffArgs),
    /// Put many agents side by side, by areas and requirements, from their JSON reports
    Matrix(MatrixArgs),
    /// Check many agents, with a report of each and a matrix of all
    Census(CensusArgs),
    /// Check case files and catalogues
    Lint(LintArgs),
    /// Write inputs for testing parsers: what they must accept, what they should refuse, and why
    Corpus(CorpusArgs),
    /// Print what a shell reads to complete this command line
    Completions(CompletionsArgs),
    /// Print a page of the manual, to be read by `man -l`
    Man(ManArgs),
    /// Say what is wrong with an agent card; verify and make its signatures
    Card(CardArgs),
    /// Receive what an agent posts to webhooks and show it
    Webhook(WebhookArgs),
}

#[derive(Debug, Default, ClapArgs)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub target: TargetArgs,

    /// Run only the cases of this area, also those that no run has unless they are asked for; may be repeated
    #[arg(long, value_name = "AREA")]
    pub area: Vec<String>,

    /// Run only what matches: a case id, an area, a section or a requirement id; `*` stands for anything
    #[arg(long, value_name = "PATTERN")]
    pub only: Vec<String>,

    /// Leave out what matches, by the same patterns
    #[arg(long, value_name = "PATTERN")]
    pub skip: Vec<String>,

    /// Run only what the specification demands (MUST), each case over one binding
    #[arg(long)]
    pub quick: bool,

    /// Run only part K of N, which cost about the same; `a2aspec merge` puts the JSON reports of all parts together
    #[arg(long, value_name = "K/N", conflicts_with = "write_baseline")]
    pub shard: Option<Shard>,

    /// Fail the run unless so many of the cases that apply are tested: a share, such as 90%, or a number of cases
    #[arg(long, value_name = "N[%]")]
    pub min_tested: Option<MinTested>,

    /// Fail the run if any case that applies is not tested: the same as --min-tested 100%
    #[arg(long, conflicts_with = "min_tested")]
    pub fail_on_unreached: bool,

    /// Begin no further case after the first that fails the gate
    #[arg(long, conflicts_with = "write_baseline")]
    pub fail_fast: bool,

    /// Run a case that failed again at the end, alone, up to so often; one that passes then is flaky, and does not fail the run
    #[arg(long, value_name = "N")]
    pub retries: Option<usize>,

    /// End the whole run after so many seconds, as Ctrl-C does: the report has what ran until then, and the exit code is 130
    #[arg(long, value_name = "SECONDS")]
    pub deadline: Option<f64>,

    /// Receive what the agent posts to webhooks at this address, such as 0.0.0.0:9000 [default: a free port of the loopback
    /// interface, where the agent is on this machine]
    #[arg(long, value_name = "ADDR")]
    pub webhook_listen: Option<String>,

    /// Tell the agent this URL of webhooks, which leads to the address of --webhook-listen by a tunnel or an ingress
    #[arg(long, value_name = "URL")]
    pub webhook_url: Option<String>,

    /// Add the case files of a folder
    #[arg(long, value_name = "DIR")]
    pub cases: Option<PathBuf>,

    /// Let pass the known failures that this file lists; new ones fail the run, and so do entries that are no longer true
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Write whatever fails into such a file, with the reasons that --baseline has
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Sends about one message for each trigger and interface. Exits with 0 whatever is wrong with the agent, unless \
                        it cannot be reached (3), the arguments are wrong (2), or the run was interrupted (130)."
)]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    pub target: TargetArgs,

    /// Receive what the agent posts to webhooks at this address
    #[arg(long, value_name = "ADDR")]
    pub webhook_listen: Option<String>,

    /// Tell the agent this URL of webhooks, which leads to the address of --webhook-listen
    #[arg(long, value_name = "URL")]
    pub webhook_url: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct FuzzArgs {
    #[command(flatten)]
    pub target: TargetArgs,

    /// Seconds for which new requests are made
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub time: f64,

    /// Fuzz a parser instead of an agent: a command that reads inputs from its standard input and answers each by a line
    #[arg(long, value_name = "COMMAND", requires = "kind", conflicts_with_all = ["url", "rate", "phase", "only"])]
    pub parser: Option<String>,

    /// What the parser reads: json, sse, envelope, request, grpc, card, task, message or event
    #[arg(long, value_name = "KIND", requires = "parser")]
    pub kind: Option<String>,

    /// The most requests that are made, or inputs of a parser
    #[arg(long, value_name = "N")]
    pub requests: Option<u64>,

    /// The most requests a second
    #[arg(long, value_name = "N")]
    pub rate: Option<f64>,

    /// What decides which requests are made: the same seed and the same answers give the same run [default: another each time]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Only this phase: boundaries, mutation, sequences, across, transport, streams or growth; may be repeated [default: every phase; growth only with
    /// --pid or for the reference agent]
    #[arg(long, value_name = "PHASE", value_parser = phase())]
    pub phase: Vec<crate::fuzz::Phase>,

    /// The agent's process: its memory and its open handles are watched while the same questions are asked again and again
    #[arg(long, value_name = "PID", conflicts_with = "parser")]
    pub pid: Option<u32>,

    /// Only this operation, such as SendMessage; may be repeated [default: every operation that the agent has]
    #[arg(long, value_name = "OPERATION", value_parser = operation)]
    pub only: Vec<Operation>,

    /// A finding that is known, by its name without `fuzz/`, or a file with one on each line: it is counted, and fails
    /// nothing; may be repeated
    #[arg(long, value_name = "NAME|FILE")]
    pub known: Vec<String>,

    /// Write each finding into this folder, as a case file that `replay` and `check --cases` run again
    #[arg(long, value_name = "DIR", default_value = "a2aspec-findings")]
    pub findings: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ReplayArgs {
    /// A file that `fuzz --findings` wrote, or a folder of them
    pub findings: PathBuf,

    #[command(flatten)]
    pub target: TargetArgs,
}

/// The agent, and what is said to every command that talks to it.
#[derive(Debug, Default, ClapArgs)]
pub(super) struct TargetArgs {
    /// The agent's URL; without it the reference agent is started on a free port and checked
    pub url: Option<String>,

    /// The agent card: a URL or a file [default: the well-known places of the URL]
    #[arg(long, value_name = "URL|FILE")]
    pub card: Option<String>,

    /// The card's interfaces are at this URL instead: its scheme, host and port, and its path before theirs. For one
    /// binding only with jsonrpc=, http-json= or grpc= before the URL, which wins; may be repeated
    #[arg(long, value_name = "[BINDING=]URL")]
    pub base_url: Vec<String>,

    /// Check only this protocol version; may be repeated [default: every version that the card declares]
    #[arg(long, value_name = "PROFILE")]
    pub profile: Vec<String>,

    /// Check only this binding; may be repeated [default: every binding that the card declares]
    #[arg(long, value_name = "BINDING")]
    pub binding: Vec<String>,

    /// Header of every request to the agent's origin, such as 'X-Api-Key: env:KEY'; the value is read from an environment
    /// variable with env:NAME, from a file with file:PATH, and else as it stands there; masked in every output
    #[arg(long, value_name = "NAME: VALUE")]
    pub header: Vec<String>,

    /// Bearer token of every request to the agent's origin, read from an environment variable or a file
    #[arg(long, value_name = "env:NAME|file:PATH")]
    pub bearer: Option<String>,

    /// An identity, such as bob=bearer:env:BOB, bob=basic:env:PAIR (user:password) or 'bob=X-Api-Key: file:key'; may be
    /// repeated
    #[arg(long, value_name = "NAME=CREDENTIALS")]
    pub identity: Vec<String>,

    /// Check the agent as this identity, of --identity or the settings file
    #[arg(long = "as", value_name = "NAME")]
    pub as_identity: Option<String>,

    /// Check as well what this identity is shown, which has no right to what the first one has
    #[arg(long, value_name = "NAME")]
    pub other: Option<String>,

    /// Send credentials to this origin, too, such as https://grpc.agent.example; may be repeated [default: only to the
    /// origins of the agent's URL and of --base-url]
    #[arg(long, value_name = "ORIGIN")]
    pub allow_origin: Vec<String>,

    /// Trust the certificates in this file (PEM), beside those that this machine trusts; may be repeated
    #[arg(long, value_name = "FILE")]
    pub cacert: Vec<PathBuf>,

    /// Show this certificate (PEM) to agents that ask for one, with the key of --key
    #[arg(long, value_name = "FILE", requires = "key")]
    pub cert: Option<PathBuf>,

    /// The private key of --cert (PEM)
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,

    /// Take certificates as they come: whoever is on the way can be the agent, and is sent its credentials
    #[arg(long)]
    pub insecure: bool,

    /// Look for a host at this address, whatever the name leads to, such as agent.example.com=127.0.0.1; may be repeated
    #[arg(long, value_name = "HOST=ADDRESS")]
    pub resolve: Vec<String>,

    /// Verify the signatures of the card with this key: a file with a JWK, a JWKS or a public key in PEM; may be repeated
    #[arg(long, value_name = "FILE")]
    pub card_key: Vec<PathBuf>,

    /// Fetch the keys of the card's signatures from this host, where their headers (jku) point there; may be repeated
    /// [default: from nowhere]
    #[arg(long, value_name = "HOST[:PORT]")]
    pub allow_jku: Vec<String>,

    /// How many requests are in flight at once, apart from those that wait for the agent's work; with 1, cases run one
    /// after the other [default: 8]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,

    /// Seconds to wait for each answer, and for a stream as a whole [default: 10]
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,

    /// Seconds to wait for an agent that is starting: until its card can be fetched [default: 0]
    #[arg(long, value_name = "SECONDS")]
    pub wait: Option<f64>,

    /// The most messages that the agent is sent; cases that need more are not reached
    #[arg(long, value_name = "N")]
    pub max_messages: Option<u64>,

    /// From which level on a broken requirement fails the run [default: must]
    #[arg(long, value_name = "LEVEL", value_parser = fail_on())]
    pub fail_on: Option<FailOn>,

    /// Write a report: terminal, terminal=full (all evidence), html, json, junit, markdown, github, sarif, tap or badge, to a file
    /// where one is named; may be repeated
    /// [default: terminal]
    #[arg(long, value_name = "FORMAT[=FILE]")]
    pub report: Vec<String>,

    /// Write every exchange to a file
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// Drive the agent by a known set of triggers
    #[arg(long, value_name = "PRESET")]
    pub triggers: Option<Preset>,

    /// Read settings from this file [default: a2aspec.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Start the reference agent without these capabilities: streaming, push, extended-card
    #[arg(long, value_name = "CAPABILITY", value_delimiter = ',', conflicts_with = "url")]
    pub without: Vec<a2a_reference_agent::Capability>,

    /// Start the reference agent so that it speaks this dialect of A2A 0.3 over HTTP+JSON alone: json or proto [default: both]
    #[arg(long, value_name = "DIALECT", conflicts_with = "url")]
    pub rest_dialect: Option<a2a_reference_agent::RestDialect>,

    /// Start the reference agent so that every request must ask for its extension, in versions that have extensions
    #[arg(long, conflicts_with = "url")]
    pub require_extension: bool,

    /// Start the reference agent with this fault, as `a2aspec agent --list-faults` names it; may be repeated
    #[arg(long, value_name = "ID", value_parser = a2a_reference_agent::Fault::find, conflicts_with = "url")]
    pub fault: Vec<&'static a2a_reference_agent::Fault>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct AgentArgs {
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    pub host: std::net::IpAddr,

    /// Port to listen on; 0 takes a free one
    #[arg(long, default_value_t = 8080)]
    pub port: u16,

    /// Speak this protocol version alone, as `a2aspec profiles` names it, with a card that says nothing of the others
    #[arg(long, value_name = "VERSION")]
    pub only: Option<String>,

    /// Capabilities to leave out: streaming, push, extended-card
    #[arg(long, value_name = "CAPABILITY", value_delimiter = ',')]
    pub without: Vec<a2a_reference_agent::Capability>,

    /// Speak this dialect of A2A 0.3 over HTTP+JSON alone: json or proto [default: both, each task in that of its messages]
    #[arg(long, value_name = "DIALECT")]
    pub rest_dialect: Option<a2a_reference_agent::RestDialect>,

    /// Refuse requests that do not ask for the extension urn:a2aspec:echo:v1, in versions that have extensions
    #[arg(long)]
    pub require_extension: bool,

    /// Understand a known set of triggers beside the agent's own words: a2a-tck, the prefixes of the official kit's message ids
    #[arg(long, value_name = "PRESET", hide_possible_values = true)]
    pub triggers: Option<Preset>,

    /// Keep streams open at auth-required, as where credentials come outside the protocol, in 1.0 and its draft
    #[arg(long)]
    pub keep_auth_streams: bool,

    /// Post push notifications to any host, and not only to the loopback interface
    #[arg(long)]
    pub deliver_anywhere: bool,

    /// Serve by TLS alone, with this chain of certificates (PEM) and the key of --tls-key
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls: Option<PathBuf>,

    /// The private key of --tls (PEM)
    #[arg(long, value_name = "FILE", requires = "tls")]
    pub tls_key: Option<PathBuf>,

    /// Host in the URLs of the card, such as the name in the certificate [default: the address that is listened on]. With a
    /// name other than localhost, webhooks in private networks are refused
    #[arg(long, value_name = "HOST")]
    pub name: Option<String>,

    /// Offer OAuth 2.0 in the card, in versions that have its schemes
    #[arg(long)]
    pub oauth: bool,

    /// Somebody who may ask: then each must bring their token as a bearer token, and sees what is theirs alone; may be repeated
    #[arg(long = "user", value_name = "NAME=TOKEN")]
    pub users: Vec<a2a_reference_agent::User>,

    /// Be wrong in this way, so that checks can be seen to fail; may be repeated
    #[arg(long, value_name = "ID", value_parser = a2a_reference_agent::Fault::find)]
    pub fault: Vec<&'static a2a_reference_agent::Fault>,

    /// List the ways of being wrong instead
    #[arg(long, conflicts_with = "fault")]
    pub list_faults: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ListArgs {
    /// List requirements instead of cases
    #[arg(long)]
    pub requirements: bool,

    /// Only those of this protocol version
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,

    /// Add the case files of a folder
    #[arg(long, value_name = "DIR")]
    pub cases: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ExplainArgs {
    /// Id of a case or a requirement
    pub id: String,

    /// Add the case files of a folder
    #[arg(long, value_name = "DIR")]
    pub cases: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct CoverageArgs {
    /// Only this protocol version and the standards that it builds on
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,

    /// In which form to print it
    #[arg(long, value_name = "FORMAT", default_value = "summary")]
    pub report: coverage::Format,

    /// Add the case files of a folder
    #[arg(long, value_name = "DIR")]
    pub cases: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct DiffSpecArgs {
    /// The version that one comes from, such as 0.3
    pub from: String,

    /// The version that one goes to, such as 1.0
    pub to: String,
}

#[derive(Debug, ClapArgs)]
pub(super) struct LintArgs {
    /// A folder of own case files, or a whole library with its catalogues; without it the program's own
    pub dir: Option<PathBuf>,
    /// Print the JSON Schema of case files, for editors
    #[arg(long, conflicts_with = "dir")]
    pub schema: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct CorpusArgs {
    /// The folder to write; it must be empty, or not be there
    pub dir: PathBuf,

    /// Only this kind: json, sse, envelope, request, grpc, card, task, message or event; may be repeated
    #[arg(long, value_name = "KIND")]
    pub kind: Vec<String>,

    /// Cards, tasks, messages and events of this protocol version only; may be repeated [default: every version]
    #[arg(long, value_name = "PROFILE")]
    pub profile: Vec<String>,

    /// The same number writes the same files
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// How many inputs of each kind, and of each version where a kind has one
    #[arg(long, value_name = "N", default_value_t = crate::corpus::folder::COUNT, value_parser = at_least_one())]
    pub count: usize,
}

#[derive(Debug, ClapArgs)]
pub(super) struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ManArgs {
    /// The command that the page is about [default: the program as a whole]
    pub command: Option<String>,
}

/// Reads a number of things of which there must be one.
fn at_least_one() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u32).range(1..=1_000_000).map(|count| count as usize)
}

/// Reads `--fail-on`.
fn fail_on() -> impl TypedValueParser<Value = FailOn> {
    let values = FailOn::ALL.map(|level| {
        PossibleValue::new(level.name()).help(match level {
            FailOn::Must => "Broken MUSTs",
            FailOn::Should => "Broken MUSTs and SHOULDs",
            FailOn::Never => "Nothing: report only",
        })
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse())
}

/// Reads `--phase`.
fn phase() -> impl TypedValueParser<Value = crate::fuzz::Phase> {
    let names = crate::fuzz::Phase::ALL.map(|phase| PossibleValue::new(phase.name()));
    PossibleValuesParser::new(names).map(|name| {
        let all = crate::fuzz::Phase::ALL;
        all.into_iter().find(|phase| phase.name() == name).unwrap_or(all[0])
    })
}

/// Reads an operation.
fn operation(name: &str) -> Result<Operation, String> {
    let known = Operation::ALL.into_iter().find(|operation| operation.to_string() == name);
    known.ok_or_else(|| {
        let names: Vec<String> = Operation::ALL.iter().map(ToString::to_string).collect();
        let help = near::help(name, names.iter().map(String::as_str));
        help.map_or_else(|| format!("it is one of {}", names.join(", ")), |help| format!("no such operation; {help}"))
    })
}
