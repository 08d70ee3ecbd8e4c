//! a2aspec: a data-driven conformance suite for the Agent2Agent (A2A) protocol.
//!
//! A whole run is a [`Suite`]: it reads the agent's card, decides which cases apply, runs them and gives a [`Report`].
//!
//! ```no_run
//! use a2aspec::report::{Format, render};
//! use a2aspec::{FailOn, Gate, Suite};
//!
//! # async fn check() -> Result<(), a2aspec::SuiteError> {
//! let report = Suite::builder("http://localhost:8080").bearer("t0ken").skip("card/last-modified").run().await?;
//! println!("{}", render(&report, Format::Junit, 100));
//! assert_eq!(report.gate(FailOn::Must), Gate::Passes, "the agent violates a MUST");
//! # Ok(())
//! # }
//! ```
//!
//! [`libtest`] shows a run as tests of `cargo test`. Without default features the crate is only a library: the feature `cli` has
//! the program with its reference agent, `libtest` the tests.
//!
//! The modules in the order of a run: [`discovery`] finds the agent and reads its card; [`auth`] says which credentials go where;
//! [`profile`] knows each version of the protocol as data; [`case`] reads the checks and the requirements; [`plan`] decides which
//! cases run where; [`binding`] puts operations on the wire, whose bytes [`wire`] reads; `run` holds the conversations and
//! records them as [`transcript`]s; [`judge`] says what was wrong; [`report`] tells; [`suite`] is all of it together.
//! [`coverage`] tells what the checks reach, without any run. [`cli`] is the thin shell around it all.

#![warn(clippy::print_stdout, clippy::print_stderr)]
// What the program alone tells, such as coverage and the difference of two reports, is not taken out of the library.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports, reason = "the program is what uses it"))]

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub(crate) mod client;
#[cfg(feature = "cli")]
pub(crate) mod compare;
pub mod coverage;
#[cfg(feature = "cli")]
pub(crate) mod diff_spec;
pub mod discovery;
pub mod fuzz;
pub(crate) mod har;
#[cfg(feature = "libtest")]
pub mod libtest;
#[cfg(feature = "cli")]
pub(crate) mod matrix;
pub(crate) mod page;
pub mod plan;
#[cfg(feature = "cli")]
pub(crate) mod proxy;
pub mod report;
pub(crate) mod run;
pub mod session;
#[cfg(feature = "cli")]
pub(crate) mod stage;
pub mod suite;
#[cfg(feature = "cli")]
pub(crate) mod traffic;
pub mod transport;
#[cfg(feature = "cli")]
pub(crate) mod ui;
pub(crate) mod wrapper;

pub use a2aspec_binding as binding;
pub use a2aspec_inputs::{corpus, generate, parsers};
pub use a2aspec_judge as judge;
pub use a2aspec_model::{
    auth, bundle, case, event, finding, interface, profile, reason, signature, transcript, verdict,
};
pub(crate) use a2aspec_model::{clock, extension, files, room, secrets};
pub(crate) use a2aspec_wire::diagnostic;
pub use a2aspec_wire::{self as wire, yaml};
pub use report::Report;
pub use report::gate::{FailOn, Gate, Threshold};
pub use report::tested::{MinTested, TooFew};
pub use suite::{Suite, SuiteBuilder, SuiteError};

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod rooms;
