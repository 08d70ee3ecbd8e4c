//! `a2aspec schema`.

use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct SchemaArgs {
    /// File that the schema describes
    #[arg(value_enum)]
    pub file: SchemaOf,
}

/// A file that a2aspec reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum SchemaOf {
    /// The settings: a2aspec.toml
    Settings,
    /// The agents of a census
    Targets,
    /// A list of known failures, for `--baseline`
    Baseline,
    /// What clients rely on in a card: `card lock`
    Lock,
    /// Your own cases, for `--cases`
    Cases,
    /// The JSON report of a check
    Report,
    /// The plan of a run: `--dry-run=json`
    Plan,
    /// Many agents in one table: `matrix --report json`
    Matrix,
    /// An agent directly and through a gateway: `compare --report json`
    Comparison,
    /// Requirements and their cases: `coverage --report json`
    Coverage,
}
