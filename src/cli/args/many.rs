//! What the command line can say of many agents.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use crate::matrix::Condition;

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Reports with the same name and URL are runs of one agent, and so are reports with the same NAME=. The newest is shown, the others \
                  are its history. Verdicts link to the \
                  page beside a report, such as weather.html beside weather.json."
)]
pub(in crate::cli) struct MatrixArgs {
    /// JSON reports (`a2aspec check --report json=FILE`); NAME= replaces the agent's name
    #[arg(value_name = "[NAME=]FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// Show only requirements for which this agent has this result: fail, pass or untested; may be repeated
    #[arg(long = "where", value_name = "NAME=RESULT")]
    pub conditions: Vec<Condition>,

    /// Write the matrix to standard output or to a file: terminal, html or json; may be repeated [default: terminal]
    #[arg(long, value_name = "FORMAT[=FILE]")]
    pub report: Vec<String>,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Started again, it checks only agents without a report and agents that could not be checked. The exit code is 0 once each agent \
                  was tried, whatever its result."
)]
pub(in crate::cli) struct CensusArgs {
    /// TOML file with a table [targets.NAME] for each agent, with the keys of a2aspec.toml
    #[arg(value_name = "FILE")]
    pub targets: PathBuf,

    /// Folder for the reports: NAME.json and NAME.html for each agent
    #[arg(long, value_name = "FOLDER", default_value = "census")]
    pub folder: PathBuf,

    /// Maximum number of agents checked at the same time
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u16).range(1..))]
    pub agents: u16,

    /// Maximum number of agents checked at the same time on one host
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    pub per_host: u16,

    /// Run only MUST cases, each over one binding
    #[arg(long)]
    pub quick: bool,

    /// Run only what matches: a case id, an area, a section or a requirement id; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub only: Vec<String>,

    /// Stop checking an agent after this many seconds; its report has the results so far
    #[arg(long, value_name = "SECONDS", default_value = "600")]
    pub deadline: f64,

    /// Write the matrix to standard output or to a file: terminal, html or json; may be repeated [default: terminal]
    #[arg(long, value_name = "FORMAT[=FILE]")]
    pub report: Vec<String>,
}
