//! What the command line can say of what becomes of a run: its reports and its gate.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::target::{GATE, OUTPUT, fail_on};
use crate::report::gate::FailOn;
use crate::report::tested::MinTested;

#[derive(Debug, Default, ClapArgs)]
pub(in crate::cli) struct OutcomeArgs {
    /// Write a report, as `a2aspec check` does; may be repeated [default: terminal]
    #[arg(long, help_heading = OUTPUT, value_name = "FORMAT[=FILE]")]
    pub report: Vec<String>,

    /// Repository file that SARIF reports name as the location of each problem [default: a2aspec.toml]
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub sarif_location: Option<String>,

    /// Lowest level of a violated requirement that fails the run [default: must]
    #[arg(long, help_heading = GATE, value_name = "LEVEL", value_parser = fail_on())]
    pub fail_on: Option<FailOn>,

    /// Count only the set of requirements of this date, such as 2026-12: later cases are reported and do not fail the run
    #[arg(long, help_heading = GATE, value_name = "DATE")]
    pub requirements: Option<String>,

    /// Fail the run if fewer than this share (such as 90%) or number of the applicable cases were tested
    #[arg(long, help_heading = GATE, value_name = "N[%]")]
    pub min_tested: Option<MinTested>,

    /// Accept the known failures listed in this file; new failures and stale entries fail the run
    #[arg(long, help_heading = GATE, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Write the current failures to a baseline file, keeping reasons, bugs and dates from --baseline
    #[arg(long, help_heading = GATE, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
}
