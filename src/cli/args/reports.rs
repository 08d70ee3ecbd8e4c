//! What the command line can say of reports that were written.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::target::fail_on;
use crate::report::gate::FailOn;
use crate::report::tested::MinTested;

#[derive(Debug, ClapArgs)]
#[command(after_help = "Exit codes are those of `a2aspec check`. Gate settings are also read from a2aspec.toml.")]
pub(in crate::cli) struct MergeArgs {
    /// JSON reports of the parts (`a2aspec check --shard K/N --report json=FILE`)
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// Write a report, as `a2aspec check` does; may be repeated [default: terminal]
    #[arg(long, value_name = "FORMAT[=FILE]")]
    pub report: Vec<String>,

    /// Repository file that SARIF reports name as the location of each problem [default: a2aspec.toml]
    #[arg(long, value_name = "FILE")]
    pub sarif_location: Option<String>,

    /// Lowest level of a violated requirement that fails the run [default: must]
    #[arg(long, value_name = "LEVEL", value_parser = fail_on())]
    pub fail_on: Option<FailOn>,

    /// Count only the set of requirements of this date, such as 2026-12: later cases are reported and do not fail the run
    #[arg(long, value_name = "DATE")]
    pub requirements: Option<String>,

    /// Fail the run if fewer than this share (such as 90%) or number of the applicable cases were tested
    #[arg(long, value_name = "N[%]")]
    pub min_tested: Option<MinTested>,

    /// Fail the run if any applicable case was not tested (same as --min-tested 100%)
    #[arg(long, conflicts_with = "min_tested")]
    pub fail_on_unreached: bool,

    /// Accept the known failures listed in this file; new failures and stale entries fail the run
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Write the current failures to a baseline file, keeping reasons, bugs and dates from --baseline
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,

    /// Settings file [default: a2aspec.toml in the working directory, if it exists]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "The exit code is 1 if a requirement at the level of --fail-on is newly violated.")]
pub(in crate::cli) struct DiffArgs {
    /// Earlier JSON report (`a2aspec check --report json=FILE`)
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,

    /// Later JSON report
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,

    /// Output format
    #[arg(long, value_enum, default_value_t = DiffFormat::Terminal)]
    pub format: DiffFormat,

    /// Lowest level of a newly violated requirement that fails the comparison [default: must]
    #[arg(long, value_name = "LEVEL", value_parser = fail_on())]
    pub fail_on: Option<FailOn>,
}

/// How a comparison is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum DiffFormat {
    /// For people.
    Terminal,
    /// For pages.
    Markdown,
    /// For programs.
    Json,
}
