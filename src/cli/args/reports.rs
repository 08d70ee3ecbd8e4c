//! What the command line can say of reports that were written.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::target::fail_on;
use crate::report::gate::FailOn;
use crate::report::tested::MinTested;

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "The exit codes are those of `a2aspec check`; settings of the gate are also read from a2aspec.toml."
)]
pub(in crate::cli) struct MergeArgs {
    /// The report of each part, as `a2aspec check --shard K/N --report json=FILE` writes it
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// Write a report, as `a2aspec check` does; may be repeated [default: terminal]
    #[arg(long, value_name = "FORMAT[=FILE]")]
    pub report: Vec<String>,

    /// The file of the repository in which code scanning shows what is wrong, for reports in SARIF [default: a2aspec.toml]
    #[arg(long, value_name = "FILE")]
    pub sarif_location: Option<String>,

    /// From which level on a broken requirement fails the run [default: must]
    #[arg(long, value_name = "LEVEL", value_parser = fail_on())]
    pub fail_on: Option<FailOn>,

    /// Fail the run unless so many of the cases that apply are tested: a share, such as 90%, or a number of cases
    #[arg(long, value_name = "N[%]")]
    pub min_tested: Option<MinTested>,

    /// Fail the run if any case that applies is not tested: the same as --min-tested 100%
    #[arg(long, conflicts_with = "min_tested")]
    pub fail_on_unreached: bool,

    /// Let pass the known failures that this file lists; new ones fail the run, and so do entries that are no longer true
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Write whatever fails into such a file, with the reasons that --baseline has
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,

    /// Read settings from this file [default: a2aspec.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "Exits with 1 where something is newly violated at the level of --fail-on.")]
pub(in crate::cli) struct DiffArgs {
    /// The earlier report, as `a2aspec check --report json=FILE` writes it
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,

    /// The later one
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,

    /// How to tell it
    #[arg(long, value_enum, default_value_t = DiffFormat::Terminal)]
    pub format: DiffFormat,

    /// From which level on something newly violated fails the comparison [default: must]
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
