//! What the command line can say of a run of cases.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::list::Form;
use super::receiver::ReceiverArgs;
use super::target::{AGENT, GATE, OUTPUT, PACE, SELECTION, TargetArgs, level};
use crate::case::Durable;
use crate::plan::Shard;
use crate::report::tested::MinTested;
use crate::verdict::Level;

/// Which cases are run.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(in crate::cli) struct SelectionArgs {
    /// Run only the cases of this area, including areas that are off by default; may be repeated
    #[arg(long, help_heading = SELECTION, value_name = "AREA")]
    pub area: Vec<String>,

    /// Run only the cases of this level: must, should or may; may be repeated
    #[arg(long, help_heading = SELECTION, value_name = "LEVEL", hide_possible_values = true, ignore_case = true, value_parser = level())]
    pub level: Vec<Level>,

    /// Run only what matches: a case id, an area, a section or a requirement id; `*` matches any characters; may be repeated
    #[arg(long, help_heading = SELECTION, value_name = "PATTERN")]
    pub only: Vec<String>,

    /// Skip what matches; takes the patterns of --only; may be repeated
    #[arg(long, help_heading = SELECTION, value_name = "PATTERN")]
    pub skip: Vec<String>,

    /// Run only MUST cases, each over one binding
    #[arg(long, help_heading = SELECTION)]
    pub quick: bool,

    /// Add the case files in this folder
    #[arg(long, help_heading = SELECTION, value_name = "DIR")]
    pub cases: Option<PathBuf>,
}

#[derive(Debug, Clone, Default, ClapArgs)]
#[command(mut_args = with_replicas)]
pub(in crate::cli) struct CheckArgs {
    #[command(flatten)]
    pub target: TargetArgs,

    #[command(flatten)]
    pub selection: SelectionArgs,

    /// Run only part K of N parts of similar cost; `a2aspec merge` joins their JSON reports
    #[arg(long, help_heading = SELECTION, value_name = "K/N", conflicts_with = "write_baseline")]
    pub shard: Option<Shard>,

    /// Count only the set of requirements of this date, such as 2026-12: later cases are reported and do not fail the run
    #[arg(long, help_heading = GATE, value_name = "DATE")]
    pub requirements: Option<String>,

    /// Fail the run if fewer than this share (such as 90%) or number of the applicable cases were tested
    #[arg(long, help_heading = GATE, value_name = "N[%]")]
    pub min_tested: Option<MinTested>,

    /// Fail the run if any applicable case was not tested (same as --min-tested 100%)
    #[arg(long, help_heading = GATE, conflicts_with = "min_tested")]
    pub fail_on_unreached: bool,

    /// Stop at the first case that fails the gate
    #[arg(long, help_heading = PACE, conflicts_with = "write_baseline")]
    pub fail_fast: bool,

    /// Re-run each failed case up to N times, alone, at the end; a case that then passes is `flaky` and does not fail the run
    #[arg(long, help_heading = PACE, value_name = "N")]
    pub retries: Option<usize>,

    /// URL of another replica of the agent; may be repeated. Consecutive requests of a case go to different replicas. BINDING=URL
    /// applies to one binding
    #[arg(long, help_heading = AGENT, value_name = "[BINDING=]URL", conflicts_with = "is_self")]
    pub replica: Vec<String>,

    /// Send the agent this many requests a second beside the cases; a failed case is then run again without them
    #[arg(long, help_heading = PACE, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000), conflicts_with = "replica")]
    pub load: Option<u32>,

    /// Command that restarts the agent. The shell runs it once, after all other cases, within those about what --durable names
    #[arg(long, help_heading = AGENT, value_name = "COMMAND", conflicts_with_all = ["is_self", "replica", "load"])]
    pub restart_command: Option<String>,

    /// Data that must survive a restart of the agent: tasks, page-tokens, push-configs, subscriptions. The last three include tasks
    #[arg(long, help_heading = AGENT, value_name = "WHAT", value_delimiter = ',', conflicts_with = "is_self")]
    pub durable: Vec<Durable>,

    /// Print the plan of the run and run no case. Requests go out only for the card, tokens, signature keys and the version, which may
    /// take one message; replicas are only connected to
    #[arg(long, help_heading = OUTPUT, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "terminal")]
    pub dry_run: Option<Form>,

    /// Stop the run after this many seconds, as Ctrl-C does; the exit code is 130
    #[arg(long, help_heading = PACE, value_name = "SECONDS")]
    pub deadline: Option<f64>,

    #[command(flatten)]
    pub receiver: ReceiverArgs,

    /// Accept the known failures listed in this file; new failures and stale entries fail the run
    #[arg(long, help_heading = GATE, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Write the current failures to a baseline file, keeping reasons, bugs and dates from --baseline
    #[arg(long, help_heading = GATE, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,

    /// Fail the run if the card no longer offers something that this file lists (`a2aspec card lock` writes it)
    #[arg(long, help_heading = GATE, value_name = "FILE")]
    pub lock: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
#[command(
    mut_args = without_reports,
    after_help = "`doctor` sends about one message for each trigger and interface. The exit code is 0 whatever the agent violates. It is 3 where \
                  `check` has 3, such as for an agent that cannot be reached or has no usable card; 2 for wrong arguments; and 130 for an \
                  interrupted run."
)]
pub(in crate::cli) struct DoctorArgs {
    #[command(flatten)]
    pub target: TargetArgs,

    #[command(flatten)]
    pub receiver: ReceiverArgs,
}

#[derive(Debug, ClapArgs)]
#[command(
    mut_args = without_trace,
    after_help = "Ctrl-C ends it, with the exit code of the last round. It polls the card up to ten times a second after a change, and once a \
                        second otherwise."
)]
pub(in crate::cli) struct WatchArgs {
    #[command(flatten)]
    pub target: TargetArgs,

    #[command(flatten)]
    pub selection: SelectionArgs,

    /// Count only the set of requirements of this date, such as 2026-12: later cases are reported and do not fail the run
    #[arg(long, help_heading = GATE, value_name = "DATE")]
    pub requirements: Option<String>,
}

#[derive(Debug, ClapArgs)]
#[command(
    mut_args = without_reports,
    after_help = "Ctrl-C ends it. The page is on the loopback interface, and its URL has a token that changes with each start. Nothing runs \
                  before you start it in the page; the agent's card is fetched at once. The console sends what you write, with the \
                  credentials of the run."
)]
pub(in crate::cli) struct UiArgs {
    #[command(flatten)]
    pub target: TargetArgs,

    #[command(flatten)]
    pub selection: SelectionArgs,

    #[command(flatten)]
    pub receiver: ReceiverArgs,

    /// Serve the page on this port; 0 takes a free one
    #[arg(long, help_heading = OUTPUT, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
}

/// Hides the flags about reports: a command that uses it prints one text of its own.
fn without_reports(arg: clap::Arg) -> clap::Arg {
    match arg.get_id().as_str() {
        "fail_on" | "report" | "sarif_location" | "trace" => arg.hide(true),
        _ => arg,
    }
}

/// Names the replicas where credentials go.
fn with_replicas(arg: clap::Arg) -> clap::Arg {
    match arg.get_id().as_str() {
        "allow_origin" => arg.help(
            "Also send credentials to this origin, such as https://grpc.agent.example; may be repeated [default: only the origins of \
             URL, --base-url and --replica]",
        ),
        _ => arg,
    }
}

/// Hides the flag of traces, which only a check writes.
fn without_trace(arg: clap::Arg) -> clap::Arg {
    match arg.get_id().as_str() {
        "trace" => arg.hide(true),
        _ => arg,
    }
}
