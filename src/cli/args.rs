//! What the command line can say.

mod agent;
mod baseline;
mod card;
mod check;
mod client;
mod compare;
mod fuzz;
mod init;
mod judge;
mod list;
mod many;
mod outcome;
mod proxy;
mod receiver;
mod reports;
mod schema;
mod target;
mod trust;
mod webhook;

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Args as ClapArgs, Parser, Subcommand};

use super::print::Loudness;
use crate::coverage;

pub(super) use agent::{AgentArgs, Varied};
pub(super) use baseline::{
    BaselineAcceptArgs, BaselineAddArgs, BaselineArgs, BaselineCommand, BaselinePruneArgs, NoteArgs,
};
pub(super) use card::{
    CardArgs, CardCanonicalArgs, CardCommand, CardLintArgs, CardLockArgs, CardPlaceArgs, CardSignArgs, CardVerifyArgs,
};
pub(super) use check::{CheckArgs, DoctorArgs, SelectionArgs, UiArgs, WatchArgs};
pub(super) use client::ClientArgs;
pub(super) use compare::CompareArgs;
pub(super) use fuzz::{FuzzArgs, ReplayArgs};
pub(super) use init::{InitArgs, System};
pub(super) use judge::JudgeArgs;
pub(super) use list::{ExplainArgs, Form, ListArgs};
pub(super) use many::{CensusArgs, MatrixArgs};
pub(super) use outcome::OutcomeArgs;
pub(super) use proxy::ProxyArgs;
pub(super) use receiver::ReceiverArgs;
pub(super) use reports::{DiffArgs, DiffFormat, MergeArgs};
pub(super) use schema::{SchemaArgs, SchemaOf};
pub(super) use target::TargetArgs;
pub(super) use trust::TrustArgs;
pub(super) use webhook::{WebhookArgs, WebhookCommand, WebhookListenArgs};

/// Conformance suite for the Agent2Agent (A2A) protocol
///
/// Point it at an agent's URL. It reports which requirements of the specification the agent meets and violates, with evidence.
#[derive(Debug, Parser)]
#[command(name = "a2aspec", version)]
#[command(
    after_help = "Exit codes: 0 the gate passes; 1 the gate fails; 2 wrong usage or configuration, or an output that cannot be written; 3 the agent \
                  or an interface cannot be reached, or has no usable card; 4 the suite failed; 130 interrupted, or the deadline passed."
)]
pub(super) struct Args {
    #[command(subcommand)]
    pub command: Command,

    /// Print only errors on standard error
    #[arg(short, long, global = true, conflicts_with = "verbose", display_order = 1_000)]
    pub quiet: bool,

    /// Print each result on standard error as it finishes
    #[arg(short, long, global = true, display_order = 1_001)]
    pub verbose: bool,
}

impl Args {
    /// How much is to be said.
    pub fn loudness(&self) -> Loudness {
        match (self.quiet, self.verbose) {
            (true, _) => Loudness::Quiet,
            (false, true) => Loudness::Verbose,
            (false, false) => Loudness::Normal,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Check an agent and report the requirements that it violates
    Check(Box<CheckArgs>),
    /// Check the bundled reference agent (same as `check --self`)
    Selftest(Box<CheckArgs>),
    /// Report what can be tested on an agent, what cannot, and which settings would help
    Doctor(Box<DoctorArgs>),
    /// Check a client, which a wrapper drives, and report the requirements that it violates
    Client(Box<ClientArgs>),
    /// Judge recorded traffic (HTTP archives) without sending anything
    Judge(Box<JudgeArgs>),
    /// Forward traffic between clients and an agent, and judge the clients and the agent by this traffic
    Proxy(Box<ProxyArgs>),
    /// Compare an agent with itself behind a gateway, or two of its releases, and report the differences
    Compare(Box<CompareArgs>),
    /// Re-run the failed cases each time the agent restarts or its card changes
    Watch(Box<WatchArgs>),
    /// Work on an agent in a local web page: cases as they run, their conversations, requests by hand
    Ui(Box<UiArgs>),
    /// Write a2aspec.toml and a CI workflow for an agent
    Init(Box<InitArgs>),
    /// Fuzz an agent, or a parser, with malformed and unusual input
    Fuzz(Box<FuzzArgs>),
    /// Replay fuzzer findings and report which still occur
    Replay(Box<ReplayArgs>),
    /// Serve the reference agent, which meets every requirement
    Agent(Box<AgentArgs>),
    /// List cases, or requirements
    List(ListArgs),
    /// Explain a case, a requirement, an area or a section: what it demands, why, and how to fix an agent
    Explain(ExplainArgs),
    /// Show which cases check each requirement, and which requirements have no case
    Coverage(CoverageArgs),
    /// List the supported protocol versions
    Profiles,
    /// Show what changes for an agent between two protocol versions
    DiffSpec(DiffSpecArgs),
    /// Merge the JSON reports of a sharded run (check --shard)
    Merge(MergeArgs),
    /// Compare two JSON reports: new, fixed and no longer tested
    Diff(DiffArgs),
    /// Change a list of known failures in its file
    Baseline(BaselineArgs),
    /// Compare many agents in one table, from their JSON reports
    Matrix(MatrixArgs),
    /// Check many agents and write a report for each and a matrix of all
    Census(CensusArgs),
    /// Check case files and catalogues
    Lint(LintArgs),
    /// Write test inputs for parsers, each with the expected result and the reason
    Corpus(CorpusArgs),
    /// Export the cases in another format, for other runners
    Export(ExportArgs),
    /// Print the JSON Schema of a file that a2aspec reads or writes, for editors and programs
    Schema(SchemaArgs),
    /// Print a shell completion script
    Completions(CompletionsArgs),
    /// Print a manual page (read it with `man -l`)
    Man(ManArgs),
    /// Lint, verify, sign or canonicalise an agent card
    Card(CardArgs),
    /// Allow the a2aspec.toml in this folder to run its commands
    Trust(TrustArgs),
    /// Receive webhook deliveries and print them
    Webhook(WebhookArgs),
}

#[derive(Debug, ClapArgs)]
pub(super) struct CoverageArgs {
    /// Show only this protocol version and the standards it builds on
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,

    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "summary")]
    pub report: coverage::Format,

    /// Add the case files in this folder
    #[arg(long, value_name = "DIR")]
    pub cases: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct DiffSpecArgs {
    /// Current version, such as 0.3
    pub from: String,

    /// New version, such as 1.0
    pub to: String,
}

#[derive(Debug, ClapArgs)]
pub(super) struct LintArgs {
    /// Folder with your case files, or with cases and catalogues [default: the bundled cases]
    pub dir: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ExportArgs {
    /// Format: acts, as proposed to the A2A project
    #[arg(value_enum, hide_possible_values = true)]
    pub format: ExportFormat,

    /// Folder to write to; must be empty or not exist
    #[arg(default_value = "acts")]
    pub dir: PathBuf,

    /// Add the case files in this folder
    #[arg(long, value_name = "DIR")]
    pub cases: Option<PathBuf>,
}

/// A format of cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ExportFormat {
    /// The A2A Conformance Test Specification.
    Acts,
}

#[derive(Debug, ClapArgs)]
pub(super) struct CorpusArgs {
    /// Folder to write to; must be empty or not exist
    pub dir: PathBuf,

    /// Write only this kind: json, sse, envelope, request, grpc, card, task, message, event or protojson; may be repeated
    #[arg(long, value_name = "KIND")]
    pub kind: Vec<String>,

    /// Write cards, tasks, messages, events and ProtoJSON only for this protocol version; may be repeated [default: every
    /// version]
    #[arg(long, value_name = "PROFILE")]
    pub profile: Vec<String>,

    /// Seed; the same seed writes the same files
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Number of inputs for each kind and version
    #[arg(long, value_name = "N", default_value_t = crate::corpus::folder::COUNT, value_parser = at_least_one())]
    pub count: usize,
}

#[derive(Debug, ClapArgs)]
pub(super) struct CompletionsArgs {
    /// Shell
    pub shell: clap_complete::Shell,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ManArgs {
    /// Command to document [default: a2aspec itself]
    pub command: Option<String>,
}

/// Reads a number of things of which there must be one.
fn at_least_one() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u32).range(1..=1_000_000).map(|count| count as usize)
}
