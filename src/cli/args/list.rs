//! What the command line can say of what the suite knows.

use std::path::PathBuf;

use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct ListArgs {
    /// List requirements instead of cases
    #[arg(long)]
    pub requirements: bool,

    /// Only those of this protocol version
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,

    /// In which form to print it
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Form::Terminal)]
    pub format: Form,

    /// Add the case files of a folder
    #[arg(long, value_name = "DIR")]
    pub cases: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct ExplainArgs {
    /// A case, a requirement, an area such as `get`, or a section such as 3.1.3
    #[arg(value_name = "ID|AREA|SECTION")]
    pub id: String,

    /// Of a section only what this protocol version, or standard, has there [default: each that has such a section]
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,

    /// Add the case files of a folder
    #[arg(long, value_name = "DIR")]
    pub cases: Option<PathBuf>,
}

/// For whom something is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum Form {
    /// For people
    Terminal,
    /// For programs
    Json,
}
