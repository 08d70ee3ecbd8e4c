//! What the command line can say of recorded traffic.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::outcome::OutcomeArgs;
use super::target::{AGENT, SELECTION, level};
use crate::plan::Selection;
use crate::verdict::Level;

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "`judge` sends nothing. It uses only cases that send no requests. These judge the responses of the agent and the requests of clients, over \
                  JSON-RPC and HTTP+JSON. A requirement that the traffic does not show is not tested. Exit codes are the same as for `a2aspec check`; 3 means that the traffic has no A2A call that can be judged."
)]
pub(in crate::cli) struct JudgeArgs {
    /// HTTP archives (HAR 1.2), as browsers, proxies and `a2aspec check --trace FILE.har` write them
    #[arg(value_name = "TRAFFIC", required = true)]
    pub files: Vec<PathBuf>,

    /// Judge only the agent at this URL, or with a card at this URL; needed if the traffic is of several agents
    #[arg(long, help_heading = AGENT, value_name = "URL")]
    pub agent: Option<String>,

    /// Judge the calls as calls of this protocol version; may be repeated [default: as the card, the requests' heads and the methods show]
    #[arg(long, help_heading = AGENT, value_name = "PROFILE")]
    pub profile: Vec<String>,

    /// Judge only this binding; may be repeated [default: jsonrpc and http-json]
    #[arg(long, help_heading = AGENT, value_name = "BINDING")]
    pub binding: Vec<String>,

    #[command(flatten)]
    pub by: JudgedByArgs,

    #[command(flatten)]
    pub outcome: OutcomeArgs,
}

/// By which cases traffic is judged.
#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct JudgedByArgs {
    /// Judge only by the cases of this area, including areas that are off by default; may be repeated
    #[arg(long, help_heading = SELECTION, value_name = "AREA")]
    pub area: Vec<String>,

    /// Judge only by the cases of this level: must, should or may; may be repeated
    #[arg(long, help_heading = SELECTION, value_name = "LEVEL", hide_possible_values = true, ignore_case = true, value_parser = level())]
    pub level: Vec<Level>,

    /// Judge only by what matches: a case id, an area, a section or a requirement id; `*` matches any characters; may be repeated
    #[arg(long, help_heading = SELECTION, value_name = "PATTERN")]
    pub only: Vec<String>,

    /// Skip what matches; takes the patterns of --only; may be repeated
    #[arg(long, help_heading = SELECTION, value_name = "PATTERN")]
    pub skip: Vec<String>,

    /// Add the case files in this folder
    #[arg(long, help_heading = SELECTION, value_name = "DIR")]
    pub cases: Option<PathBuf>,
}

impl JudgedByArgs {
    /// Which of the cases.
    pub fn selection(&self) -> Selection {
        let Self { area, level, only, skip, .. } = self;
        Selection { areas: area.clone(), levels: level.clone(), only: only.clone(), skip: skip.clone() }
    }
}
