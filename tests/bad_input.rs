//! What a user is told when something is wrong: one clear message, in the right place, with the right exit code.
//!
//! Each test runs the program and compares everything that it says with a snapshot, which is to be read as a user
//! reads it: what is wrong, where, and what to do.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::agent;
#[path = "bad_input/cards.rs"]
mod cards;
#[path = "bad_input/case_files.rs"]
mod case_files;
#[path = "bad_input/hostile.rs"]
mod hostile;
#[path = "bad_input/interfaces.rs"]
mod interfaces;
use crate::common::program;
use crate::common::proxy;
use crate::common::snapshot;
#[path = "bad_input/streams.rs"]
mod streams;
#[path = "bad_input/usage.rs"]
mod usage;

/// Runs the program, and compares what it says with a snapshot.
fn says(name: &str, arguments: &[&str]) -> program::Ran {
    let ran = program::run(arguments, &[]);
    snapshot::check(name, &snapshot::told(&ran));
    ran
}
