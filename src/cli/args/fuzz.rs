//! What the command line can say of hunts, and of what they have found.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::target::{PACE, TargetArgs};
use crate::diagnostic::near;
use crate::profile::Operation;

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct FuzzArgs {
    #[command(flatten)]
    pub target: TargetArgs,

    /// Seconds for which new requests are made
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub time: f64,

    /// Fuzz a parser instead of an agent: a command that reads inputs from its standard input and answers each by a line
    #[arg(long, value_name = "COMMAND", requires = "kind", conflicts_with_all = ["url", "rate", "phase", "only"])]
    pub parser: Option<String>,

    /// What the parser reads: json, sse, envelope, request, grpc, card, task, message, event or protojson
    #[arg(long, value_name = "KIND", requires = "parser")]
    pub kind: Option<String>,

    /// The most requests that are made, or inputs of a parser
    #[arg(long, value_name = "N")]
    pub requests: Option<u64>,

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

    /// Make no further request after the first finding that fails the run and is not known (--fail-on, --known)
    #[arg(long, help_heading = PACE, conflicts_with = "parser")]
    pub fail_fast: bool,

    /// Write each finding into this folder, as a case file that `replay` and `check --cases` run again
    #[arg(long, value_name = "DIR", default_value = "a2aspec-findings")]
    pub findings: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct ReplayArgs {
    /// A file that `fuzz --findings` wrote, or a folder of them
    pub findings: PathBuf,

    /// Ask a parser instead of an agent, by the command of its adapter: for findings of `fuzz --parser`
    #[arg(long, value_name = "COMMAND", conflicts_with = "url")]
    pub parser: Option<String>,

    #[command(flatten)]
    pub target: TargetArgs,
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
