//! What the command line can say of files that are made for an agent.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

use super::target::{AGENT, CREDENTIALS};

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct InitArgs {
    /// The agent's URL
    pub url: String,

    /// The agent card: a URL or a file [default: the well-known places of the URL]
    #[arg(long, help_heading = AGENT, value_name = "URL|FILE")]
    pub card: Option<String>,

    /// The card's interfaces are at this URL instead, as `a2aspec check` has it; may be repeated
    #[arg(long, help_heading = AGENT, value_name = "[BINDING=]URL")]
    pub base_url: Vec<String>,

    /// Only this protocol version; may be repeated [default: every version that the card declares]
    #[arg(long, help_heading = AGENT, value_name = "PROFILE")]
    pub profile: Vec<String>,

    /// Only this binding; may be repeated [default: every binding that the card declares]
    #[arg(long, help_heading = AGENT, value_name = "BINDING")]
    pub binding: Vec<String>,

    /// Header of every request to the agent's origin, such as 'X-Api-Key: env:KEY'; a value that stands there itself is not written
    #[arg(long, help_heading = CREDENTIALS, value_name = "NAME: VALUE")]
    pub header: Vec<String>,

    /// Bearer token of every request to the agent's origin, read from an environment variable, a file or a command
    #[arg(long, help_heading = CREDENTIALS, value_name = "env:NAME|file:PATH|command:LINE")]
    pub bearer: Option<String>,

    /// Seconds to wait for each answer, and for a stream as a whole [default: 10]
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,

    /// The root of your repository
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,

    /// Replace files that are there
    #[arg(long)]
    pub force: bool,

    /// What runs your pipelines: a file for it is written
    #[arg(long, value_enum, value_name = "SYSTEM", default_value_t = System::Github)]
    pub ci: System,

    /// Write the settings alone, and no pipeline
    #[arg(long, conflicts_with = "ci")]
    pub no_workflow: bool,
}

/// What runs pipelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum System {
    /// GitHub, in .github/workflows/a2aspec.yml
    Github,
    /// GitLab, in .gitlab/a2aspec.yml, which .gitlab-ci.yml includes
    Gitlab,
    /// Jenkins, in Jenkinsfile.a2aspec, the script of a job of its own
    Jenkins,
}
