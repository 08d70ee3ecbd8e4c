//! What the command line can say of what the suite knows.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::target::level;
use crate::verdict::Level;

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct ListArgs {
    /// List requirements instead of cases
    #[arg(long)]
    pub requirements: bool,

    /// List only the set of requirements of this date, such as 2026-12 (`check --requirements`)
    #[arg(long, value_name = "DATE")]
    pub set: Option<String>,

    /// List only this protocol version
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,

    /// List only this area; may be repeated
    #[arg(long, value_name = "AREA")]
    pub area: Vec<String>,

    /// List only this level: must, should or may; may be repeated
    #[arg(long, value_name = "LEVEL", hide_possible_values = true, ignore_case = true, value_parser = level())]
    pub level: Vec<Level>,

    /// List only what matches: a case id, an area, a section or a requirement id; `*` matches any characters; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub only: Vec<String>,

    /// List only cases about extensions whose URI contains this text [without a value: cases about any extension]
    #[arg(long, value_name = "URI", num_args = 0..=1, default_missing_value = "", conflicts_with = "requirements")]
    pub extension: Option<String>,

    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Form::Terminal)]
    pub format: Form,

    /// Add the case files in this folder
    #[arg(long, value_name = "DIR")]
    pub cases: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct ExplainArgs {
    /// Case, requirement, area such as `get`, or section such as 3.1.3
    #[arg(value_name = "ID|AREA|SECTION")]
    pub id: String,

    /// Explain the section only for this protocol version or standard [default: every version that has the section]
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,

    /// Add the case files in this folder
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
