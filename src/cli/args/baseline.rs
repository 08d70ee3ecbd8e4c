//! What the command line can say of lists of known failures.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Subcommand};
use jiff::civil::Date;

use crate::profile::Binding;
use crate::report::baseline;
use crate::report::gate::FailOn;

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct BaselineArgs {
    #[command(subcommand)]
    pub command: BaselineCommand,
}

#[derive(Debug, Subcommand)]
#[command(
    after_help = "All entries keep their reasons, bugs and dates unless you give new ones; only `accept` removes dates that have passed. A changed \
                    entry loses the comments inside it."
)]
pub(in crate::cli) enum BaselineCommand {
    /// Add an entry for a case that is known to fail
    Add(BaselineAddArgs),
    /// Add the failures of a JSON report, and update the entries whose cases now fail in another way
    Accept(BaselineAcceptArgs),
    /// Delete the entries whose cases pass in a JSON report
    Prune(BaselinePruneArgs),
}

/// What is written into entries for people.
#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct NoteArgs {
    /// Why the failure is accepted
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,

    /// URL of the bug
    #[arg(long, value_name = "URL")]
    pub bug: Option<String>,

    /// Last day on which it is accepted, such as 2027-01-31
    #[arg(long, value_name = "DATE", value_parser = baseline::date)]
    pub until: Option<Date>,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct BaselineAddArgs {
    /// Baseline file; made if it does not exist
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Case, such as get/unknown-id
    #[arg(value_name = "CASE")]
    pub case: String,

    /// Protocol version in which it fails
    #[arg(long, value_name = "PROFILE")]
    pub profile: String,

    /// Binding over which it fails, such as grpc; jsonrpc+grpc for a case across two
    #[arg(long, value_name = "BINDING", value_parser = bindings)]
    pub binding: String,

    /// Accept only the violation of this assertion; may be repeated [default: every violation]
    #[arg(long, value_name = "ASSERTION")]
    pub violated: Vec<String>,

    #[command(flatten)]
    pub note: NoteArgs,

    /// Add the case files in this folder
    #[arg(long, value_name = "DIR")]
    pub cases: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct BaselineAcceptArgs {
    /// Baseline file; made if it does not exist
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// JSON report (`a2aspec check URL --report json=FILE`)
    #[arg(value_name = "REPORT")]
    pub report: PathBuf,

    /// Accept only the failures of matching cases, by id or area, with `*` as a wildcard; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub only: Vec<String>,

    /// Lowest level of a violated requirement that is accepted [default: must]
    #[arg(long, value_name = "LEVEL", value_parser = failing())]
    pub fail_on: Option<FailOn>,

    #[command(flatten)]
    pub note: NoteArgs,
}

/// Reads one binding, or two joined by `+`, as results name them.
fn bindings(text: &str) -> Result<String, String> {
    let parsed: Vec<Binding> = text.split('+').map(str::parse).collect::<Result<_, _>>()?;
    if parsed.len() > 2 { Err("a case runs across two bindings at most".to_owned()) } else { Ok(text.to_owned()) }
}

/// Reads `--fail-on` of a gate that can fail.
fn failing() -> impl TypedValueParser<Value = FailOn> {
    PossibleValuesParser::new([FailOn::Must, FailOn::Should].map(FailOn::name)).try_map(|name| name.parse())
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct BaselinePruneArgs {
    /// Baseline file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// JSON report (`a2aspec check URL --report json=FILE`)
    #[arg(value_name = "REPORT")]
    pub report: PathBuf,
}
