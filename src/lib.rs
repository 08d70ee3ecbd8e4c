//! a2aspec: a data-driven conformance suite for the Agent2Agent (A2A) protocol.
//!
//! Reading the modules in the order of a run:
//! [`discovery`] finds the agent and reads its card; [`auth`] says which credentials go where; [`profile`] knows each version of the protocol as data; [`case`]
//! reads the checks and the requirements; [`plan`] decides which cases run where; [`binding`] puts operations on the
//! wire, whose bytes [`wire`] reads; [`run`] holds the conversations and records them as [`transcript`]s; [`judge`]
//! says what was wrong; [`report`] tells. [`coverage`] tells what the checks reach, without any run. [`cli`] is the thin shell around it all.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod auth;
pub mod binding;
pub mod bundle;
pub mod case;
pub mod cli;
pub mod compare;
pub mod coverage;
pub mod diagnostic;
pub mod discovery;
pub mod event;
pub mod finding;
pub mod interface;
pub mod judge;
pub mod plan;
pub mod profile;
pub mod reason;
pub mod report;
pub mod room;
pub mod run;
pub mod session;
pub mod transcript;
mod typed_text;
pub mod verdict;
pub mod wire;
pub mod yaml;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod rooms;
