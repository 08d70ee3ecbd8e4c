//! What the command line can say of many agents.

use std::path::PathBuf;

use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Reports of the same name and URL are runs of one agent: the newest counts, the others are its history. Where a page \
                        of the same name stands beside a report, as in weather.json and weather.html, verdicts lead to it."
)]
pub(in crate::cli) struct MatrixArgs {
    /// JSON reports, as `a2aspec check --report json=FILE` writes them; NAME= says what the agent is called, where not as its card says
    #[arg(value_name = "[NAME=]FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// Write the matrix: terminal, html or json, to a file where one is named; may be repeated [default: terminal]
    #[arg(long, value_name = "FORMAT[=FILE]")]
    pub report: Vec<String>,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Started again after it was ended in whatever way, it checks those agents that have no report yet, and those that could \
                        not be checked. Exits with 0 once each agent was tried, whatever is wrong with it."
)]
pub(in crate::cli) struct CensusArgs {
    /// The file that lists the agents (TOML): a table [targets.NAME] for each, with the keys of a2aspec.toml
    #[arg(value_name = "FILE")]
    pub targets: PathBuf,

    /// Where the report of each agent goes, as NAME.json and NAME.html
    #[arg(long, value_name = "FOLDER", default_value = "census")]
    pub folder: PathBuf,

    /// How many agents are checked at once
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u16).range(1..))]
    pub agents: u16,

    /// How many of them on one host
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    pub per_host: u16,

    /// Run only what the specification demands (MUST), each case over one binding
    #[arg(long)]
    pub quick: bool,

    /// Run only what matches: a case id, an area, a section or a requirement id; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub only: Vec<String>,

    /// End the run on an agent after so many seconds; its report has what ran until then
    #[arg(long, value_name = "SECONDS", default_value = "600")]
    pub deadline: f64,

    /// Write the matrix of all agents: terminal, html or json, to a file where one is named; may be repeated [default: terminal]
    #[arg(long, value_name = "FORMAT[=FILE]")]
    pub report: Vec<String>,
}
