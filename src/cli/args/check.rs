//! What the command line can say of a run of cases.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::list::Form;
use super::receiver::ReceiverArgs;
use super::target::{GATE, OUTPUT, PACE, SELECTION, TargetArgs};
use crate::plan::Shard;
use crate::report::tested::MinTested;

/// Which cases are run.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(in crate::cli) struct SelectionArgs {
    /// Run only the cases of this area, also those that no run has unless they are asked for; may be repeated
    #[arg(long, help_heading = SELECTION, value_name = "AREA")]
    pub area: Vec<String>,

    /// Run only what matches: a case id, an area, a section or a requirement id; `*` stands for anything
    #[arg(long, help_heading = SELECTION, value_name = "PATTERN")]
    pub only: Vec<String>,

    /// Leave out what matches, by the same patterns
    #[arg(long, help_heading = SELECTION, value_name = "PATTERN")]
    pub skip: Vec<String>,

    /// Run only what the specification demands (MUST), each case over one binding
    #[arg(long, help_heading = SELECTION)]
    pub quick: bool,

    /// Add the case files of a folder
    #[arg(long, help_heading = SELECTION, value_name = "DIR")]
    pub cases: Option<PathBuf>,
}

#[derive(Debug, Clone, Default, ClapArgs)]
pub(in crate::cli) struct CheckArgs {
    #[command(flatten)]
    pub target: TargetArgs,

    #[command(flatten)]
    pub selection: SelectionArgs,

    /// Run only part K of N, which cost about the same; `a2aspec merge` puts the JSON reports of all parts together
    #[arg(long, help_heading = SELECTION, value_name = "K/N", conflicts_with = "write_baseline")]
    pub shard: Option<Shard>,

    /// Fail the run unless so many of the cases that apply are tested: a share, such as 90%, or a number of cases
    #[arg(long, help_heading = GATE, value_name = "N[%]")]
    pub min_tested: Option<MinTested>,

    /// Fail the run if any case that applies is not tested: the same as --min-tested 100%
    #[arg(long, help_heading = GATE, conflicts_with = "min_tested")]
    pub fail_on_unreached: bool,

    /// Begin no further case after the first that fails the gate
    #[arg(long, help_heading = PACE, conflicts_with = "write_baseline")]
    pub fail_fast: bool,

    /// Run a case that failed again at the end, alone, up to so often; one that passes then is flaky, and does not fail the run
    #[arg(long, help_heading = PACE, value_name = "N")]
    pub retries: Option<usize>,

    /// Say what would be run, as text or as JSON, and run nothing: the agent's card is fetched, and its version probed
    #[arg(long, help_heading = OUTPUT, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "terminal")]
    pub dry_run: Option<Form>,

    /// End the whole run after so many seconds, as Ctrl-C does: the report has what ran until then, and the exit code is 130
    #[arg(long, help_heading = PACE, value_name = "SECONDS")]
    pub deadline: Option<f64>,

    #[command(flatten)]
    pub receiver: ReceiverArgs,

    /// Let pass the known failures that this file lists; new ones fail the run, and so do entries that are no longer true
    #[arg(long, help_heading = GATE, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Write whatever fails into such a file, with the reasons that --baseline has
    #[arg(long, help_heading = GATE, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Sends about one message for each trigger and interface. Exits with 0 whatever is wrong with the agent, unless \
                        it cannot be reached (3), the arguments are wrong (2), or the run was interrupted (130)."
)]
pub(in crate::cli) struct DoctorArgs {
    #[command(flatten)]
    pub target: TargetArgs,

    #[command(flatten)]
    pub receiver: ReceiverArgs,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Ends by Ctrl-C, with the exit code that the last round has. The card is fetched up to ten times a second, \
                        and once a second as long as nothing changes."
)]
pub(in crate::cli) struct WatchArgs {
    #[command(flatten)]
    pub target: TargetArgs,

    #[command(flatten)]
    pub selection: SelectionArgs,
}
