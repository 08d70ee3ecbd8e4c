//! What the command line can say of a check of a client.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::target::{GATE, OUTPUT, PACE, SELECTION, fail_on, level};
use crate::report::gate::FailOn;
use crate::report::tested::MinTested;
use crate::verdict::Level;

/// Heading of the flags about the client.
const CLIENT: &str = "Client";

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "The command starts a wrapper around the client: a program that speaks the contract of docs/clients.md. It is started once, in \
                  this folder. Exit codes are those of `a2aspec check`; 3 means that the wrapper did not connect, failed its self-test or \
                  went away."
)]
pub(in crate::cli) struct ClientArgs {
    /// Check only this protocol version; may be repeated [default: every version that the wrapper names]
    #[arg(long, help_heading = CLIENT, value_name = "PROFILE")]
    pub profile: Vec<String>,

    /// Check only this binding; may be repeated [default: every binding that the wrapper names]
    #[arg(long, help_heading = CLIENT, value_name = "BINDING")]
    pub binding: Vec<String>,

    /// Run only the cases of this area; may be repeated
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

    /// Add the case files in this folder
    #[arg(long, help_heading = SELECTION, value_name = "DIR")]
    pub cases: Option<PathBuf>,

    /// Maximum number of cases at once; the wrapper may ask for fewer [default: 8]
    #[arg(long, help_heading = PACE, value_name = "N")]
    pub jobs: Option<usize>,

    /// How long the client may take for each command, in seconds [default: 10]
    #[arg(long, help_heading = PACE, value_name = "SECONDS")]
    pub timeout: Option<f64>,

    /// Write a report, as `a2aspec check` does; may be repeated [default: terminal]
    #[arg(long, help_heading = OUTPUT, value_name = "FORMAT[=FILE]")]
    pub report: Vec<String>,

    /// Repository file that SARIF reports name as the location of each problem [default: a2aspec.toml]
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub sarif_location: Option<String>,

    /// Lowest level of a violated requirement that fails the run [default: must]
    #[arg(long, help_heading = GATE, value_name = "LEVEL", value_parser = fail_on())]
    pub fail_on: Option<FailOn>,

    /// Fail the run if fewer of the applicable cases were tested: a share, such as 90%, or a number
    #[arg(long, help_heading = GATE, value_name = "N[%]")]
    pub min_tested: Option<MinTested>,

    /// Accept the known failures listed in this file; new failures and stale entries fail the run
    #[arg(long, help_heading = GATE, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Write the current failures to a baseline file, keeping the reasons from --baseline
    #[arg(long, help_heading = GATE, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,

    /// The command that starts the wrapper, with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}
