//! What the command line can say of hunts, and of what they have found.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::receiver::ReceiverArgs;
use super::target::{PACE, TargetArgs};
use crate::diagnostic::near;
use crate::profile::Operation;

#[derive(Debug, ClapArgs)]
#[command(mut_args = of_hunts)]
pub(in crate::cli) struct FuzzArgs {
    #[command(flatten)]
    pub target: TargetArgs,

    /// Send new requests for this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub time: f64,

    /// Fuzz a parser instead of an agent: a command that reads inputs on standard input and answers each with one line
    #[arg(long, value_name = "COMMAND", requires = "kind", conflicts_with_all = ["url", "rate", "phase", "only"])]
    pub parser: Option<String>,

    /// Input of the parser: json, sse, envelope, request, grpc, card, task, message, event or protojson
    #[arg(long, value_name = "KIND", requires = "parser")]
    pub kind: Option<String>,

    /// Maximum number of requests, or of inputs for a parser
    #[arg(long, value_name = "N")]
    pub requests: Option<u64>,

    /// Random seed; the same seed and the same responses give the same run [default: random; 1 with
    /// --parser]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Run only this phase; may be repeated [default: every phase except stress; growth only with --pid or --self]
    #[arg(long, value_name = "PHASE", value_parser = phase())]
    pub phase: Vec<crate::fuzz::Phase>,

    /// Process id of the agent; watch its memory and open handles while requests are repeated
    #[arg(long, value_name = "PID", conflicts_with = "parser")]
    pub pid: Option<u32>,

    /// Fuzz only this operation, such as SendMessage; may be repeated [default: every operation of the agent]
    #[arg(long, value_name = "OPERATION", value_parser = operation)]
    pub only: Vec<Operation>,

    /// Accept a known finding: its name without `fuzz/`, or a file with one name per line; may be repeated
    #[arg(long, value_name = "NAME|FILE")]
    pub known: Vec<String>,

    /// Stop at the first new finding that fails the run (--fail-on, --known)
    #[arg(long, help_heading = PACE, conflicts_with = "parser")]
    pub fail_fast: bool,

    /// Folder for findings, written as case files for `replay` and `check --cases`; with --parser as files for `replay --parser`
    #[arg(long, value_name = "DIR", default_value = "a2aspec-findings")]
    pub findings: PathBuf,

    #[command(flatten)]
    pub receiver: ReceiverArgs,
}

#[derive(Debug, ClapArgs)]
#[command(mut_args = of_replays)]
pub(in crate::cli) struct ReplayArgs {
    /// File or folder written by `fuzz --findings`
    pub findings: PathBuf,

    /// Replay findings of `fuzz --parser` with this command
    #[arg(long, value_name = "COMMAND", conflicts_with = "url")]
    pub parser: Option<String>,

    #[command(flatten)]
    pub target: TargetArgs,

    #[command(flatten)]
    pub receiver: ReceiverArgs,
}

/// What flags of other commands do in a hunt.
fn of_hunts(arg: clap::Arg) -> clap::Arg {
    match arg.get_id().as_str() {
        "max_messages" => {
            arg.help("Maximum number of messages that the agent accepts and works on. Messages that it refuses do not count [default: 200 with a URL, \
             no limit with --self]")
        }
        "jobs" => arg.help(
            "Maximum number of concurrent requests. A request stops counting after a short time if the agent still works on it. 1 sends them \
             one by one [default: 8]",
        ),
        "timeout" => arg.help(
            "Time limit for each response, and for a whole stream, in seconds [default: 10; with --parser 2 for each input]",
        ),
        "report" => arg.help(
            "Write a report to standard output or to a file: terminal, terminal=full (all evidence), html, json, ndjson, junit, markdown, \
             github, sarif, tap, har or badge; may be repeated [default: terminal]. With --parser only terminal or json, once, on \
             standard output",
        ),
        "profile" => {
            arg.help("Fuzz only this protocol version; may be repeated [default: every version that the card declares]")
        }
        _ => arg,
    }
}

/// What they do where findings are replayed.
fn of_replays(arg: clap::Arg) -> clap::Arg {
    match arg.get_id().as_str() {
        "fail_on" => {
            arg.help("Level for the gate in reports; the exit code of `replay` does not depend on it [default: must]")
        }
        "trace" => arg.hide(true),
        "report" => arg.help(
            "Write a report to standard output or to a file: terminal, terminal=full (all evidence), html, json, ndjson, junit, markdown, \
             github, sarif, tap, har or badge; may be repeated [default: none; the list of findings is always printed]",
        ),
        "max_messages" => arg.help(
            "Send at most this many messages each time that a finding runs. A finding for which no messages remain is not tried",
        ),
        "timeout" => arg.help(
            "Time limit for each response, and for a whole stream, in seconds [default: 10; with --parser 2 for each input]",
        ),
        _ => arg,
    }
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
