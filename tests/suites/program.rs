//! Tests of the program as users start it, and of its documents.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../bad_input.rs"]
mod bad_input;
#[path = "../commands.rs"]
mod commands;
#[path = "../common/mod.rs"]
mod common;
#[path = "../compare.rs"]
mod compare;
#[path = "../documents.rs"]
mod documents;
#[path = "../field.rs"]
mod field;
#[path = "../foreign.rs"]
mod foreign;
#[path = "../fuzz.rs"]
mod fuzz;
#[path = "../null_agents.rs"]
mod null_agents;
#[cfg(unix)]
#[path = "../packages/mod.rs"]
mod packages;
#[path = "../parsers.rs"]
mod parsers;
#[path = "../program.rs"]
mod program;
#[cfg(unix)]
#[path = "../proxy.rs"]
mod proxy;
#[path = "../site.rs"]
mod site;
#[path = "../wrappers.rs"]
mod wrappers;
