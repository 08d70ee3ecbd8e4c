//! What the command line can say.

mod agent;
mod card;
mod check;
mod fuzz;
mod init;
mod list;
mod many;
mod receiver;
mod reports;
mod target;
mod trust;
mod webhook;

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Args as ClapArgs, Parser, Subcommand};

use super::print::Loudness;
use crate::coverage;

pub(super) use agent::AgentArgs;
pub(super) use card::{
    CardArgs, CardCanonicalArgs, CardCommand, CardLintArgs, CardPlaceArgs, CardSignArgs, CardVerifyArgs,
};
pub(super) use check::{CheckArgs, DoctorArgs, SelectionArgs, WatchArgs};
pub(super) use fuzz::{FuzzArgs, ReplayArgs};
pub(super) use init::{InitArgs, System};
pub(super) use list::{ExplainArgs, Form, ListArgs};
pub(super) use many::{CensusArgs, MatrixArgs};
pub(super) use receiver::ReceiverArgs;
pub(super) use reports::{DiffArgs, DiffFormat, MergeArgs};
pub(super) use target::TargetArgs;
pub(super) use trust::TrustArgs;
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

    /// Say nothing on standard error but what is wrong
    #[arg(short, long, global = true, conflicts_with = "verbose", display_order = 1_000)]
    pub quiet: bool,

    /// Say on standard error what came of each case as it ends
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
    /// Check an agent and report what it conforms to and what it violates
    Check(Box<CheckArgs>),
    /// Check the reference agent that comes with the program: the same as `check --self`
    Selftest(Box<CheckArgs>),
    /// Say in a minute what can be tested on an agent, what cannot and why, and which settings would help
    Doctor(Box<DoctorArgs>),
    /// Check an agent, and run again what failed whenever the agent comes back or its card changes
    Watch(Box<WatchArgs>),
    /// Write a2aspec.toml for an agent, with the triggers that it is found to know, and a workflow that checks it
    Init(Box<InitArgs>),
    /// Fuzz an agent with odd, broken and hostile requests, judged by what the specification says of them; or a parser
    Fuzz(Box<FuzzArgs>),
    /// Run findings of the fuzzer's again and say what became of them
    Replay(Box<ReplayArgs>),
    /// Serve the reference agent, which conforms to every requirement
    Agent(AgentArgs),
    /// List cases, or requirements
    List(ListArgs),
    /// Explain a case, a requirement, an area or a section: what it demands, why, and how to fix an agent
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
    /// Write the cases in another format, for other runners
    Export(ExportArgs),
    /// Print what a shell reads to complete this command line
    Completions(CompletionsArgs),
    /// Print a page of the manual, to be read by `man -l`
    Man(ManArgs),
    /// Say what is wrong with an agent card; verify and make its signatures
    Card(CardArgs),
    /// Trust the a2aspec.toml of this folder to run its commands
    Trust(TrustArgs),
    /// Receive what an agent posts to webhooks and show it
    Webhook(WebhookArgs),
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
pub(super) struct ExportArgs {
    /// The format: acts, which was proposed to the A2A project
    #[arg(value_enum, hide_possible_values = true)]
    pub format: ExportFormat,

    /// The folder to write; it must be empty, or not be there
    #[arg(default_value = "acts")]
    pub dir: PathBuf,

    /// Add the case files of a folder
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
    /// The folder to write; it must be empty, or not be there
    pub dir: PathBuf,

    /// Only this kind: json, sse, envelope, request, grpc, card, task, message, event or protojson; may be repeated
    #[arg(long, value_name = "KIND")]
    pub kind: Vec<String>,

    /// Cards, tasks, messages, events and ProtoJSON of this protocol version only; may be repeated [default: every version]
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
