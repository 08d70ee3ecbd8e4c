//! What the command line can say of trusted settings files.

use std::path::PathBuf;

use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct TrustArgs {
    /// Settings file [default: a2aspec.toml]
    pub file: Option<PathBuf>,

    /// List the trusted files, and report which have changed since
    #[arg(long, conflicts_with_all = ["file", "revoke"])]
    pub list: bool,

    /// Stop trusting the file
    #[arg(long)]
    pub revoke: bool,
}
