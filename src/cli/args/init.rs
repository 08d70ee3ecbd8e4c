//! What the command line can say of files that are made for an agent.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

use super::target::{AGENT, CREDENTIALS};

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct InitArgs {
    /// URL of the agent
    pub url: String,

    /// URL or file of the agent card [default: the well-known paths below URL]
    #[arg(long, help_heading = AGENT, value_name = "URL|FILE")]
    pub card: Option<String>,

    /// Check the card's interfaces at this URL (see `a2aspec check`); may be repeated
    #[arg(long, help_heading = AGENT, value_name = "[BINDING=]URL")]
    pub base_url: Vec<String>,

    /// Write settings only for this protocol version; may be repeated [default: every version that the card declares]
    #[arg(long, help_heading = AGENT, value_name = "PROFILE")]
    pub profile: Vec<String>,

    /// Write settings only for this binding; may be repeated [default: every binding that the card declares]
    #[arg(long, help_heading = AGENT, value_name = "BINDING")]
    pub binding: Vec<String>,

    /// Header for every request to the agent's origin, such as 'X-Api-Key: env:KEY'; literal values are not written to the file
    #[arg(long, help_heading = CREDENTIALS, value_name = "NAME: VALUE")]
    pub header: Vec<String>,

    /// Bearer token for every request to the agent's origin, from an environment variable, a file or a command
    #[arg(long, help_heading = CREDENTIALS, value_name = "env:NAME|file:PATH|command:LINE")]
    pub bearer: Option<String>,

    /// Time limit for each response, and for a whole stream, in seconds [default: 10]
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,

    /// Root of your repository
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,

    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,

    /// CI system to write a pipeline for
    #[arg(long, value_enum, value_name = "SYSTEM", default_value_t = System::Github)]
    pub ci: System,

    /// Write only the settings
    #[arg(long, conflicts_with = "ci")]
    pub no_workflow: bool,
}

/// What runs pipelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum System {
    /// GitHub, in .github/workflows/a2aspec.yml
    Github,
    /// GitLab, in .gitlab/a2aspec.yml, for .gitlab-ci.yml to include
    Gitlab,
    /// Jenkins, in Jenkinsfile.a2aspec
    Jenkins,
}
