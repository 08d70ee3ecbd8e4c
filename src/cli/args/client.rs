//! What the command line can say of a check of a client.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::outcome::OutcomeArgs;
use super::target::{PACE, SELECTION, level};
use crate::verdict::Level;

/// Heading of the flags about the client.
const CLIENT: &str = "Client";

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "The command starts a wrapper around the client: a program that speaks the contract of docs/clients.md. The wrapper starts once, in \
                  the working directory. Exit codes are the same as for `a2aspec check`; 3 means that the wrapper did not connect, names nothing that can be \
                  checked, failed its self-test or ended early. With --serve, 3 means that no client visited any case, or that nothing can be \
                  served."
)]
pub(in crate::cli) struct ClientArgs {
    /// Check only this protocol version; may be repeated [default: every version that the wrapper names; 1.0 with --serve]
    #[arg(long, help_heading = CLIENT, value_name = "PROFILE")]
    pub profile: Vec<String>,

    /// Check only this binding; may be repeated [default: every binding that the wrapper names; jsonrpc with --serve]
    #[arg(long, help_heading = CLIENT, value_name = "BINDING")]
    pub binding: Vec<String>,

    /// Serve each case at its own URL and start no wrapper; you point your client at the URLs
    #[arg(long, help_heading = CLIENT, value_name = "[HOST:]PORT", conflicts_with_all = ["command", "jobs", "timeout"])]
    pub serve: Option<String>,

    /// With --serve: write the URLs of the cases, and what to do at each, to this file as JSON
    #[arg(long, help_heading = CLIENT, value_name = "FILE", requires = "serve")]
    pub urls: Option<PathBuf>,

    /// With --serve: how long a case waits for further requests after the first, in seconds [default: 30]
    #[arg(long, help_heading = PACE, value_name = "SECONDS", requires = "serve")]
    pub wait: Option<f64>,

    /// With --serve: end the run after this many seconds, whatever was visited by then
    #[arg(long, help_heading = PACE, value_name = "SECONDS", requires = "serve")]
    pub deadline: Option<f64>,

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

    /// Time limit for each command that a2aspec sends to the wrapper, in seconds [default: 10]
    #[arg(long, help_heading = PACE, value_name = "SECONDS")]
    pub timeout: Option<f64>,

    #[command(flatten)]
    pub outcome: OutcomeArgs,

    /// The command that starts the wrapper, with its arguments
    #[arg(last = true, required_unless_present = "serve", value_name = "COMMAND")]
    pub command: Vec<String>,
}
