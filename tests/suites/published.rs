//! Published agents and clients, each against what was read of it by hand.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../clients.rs"]
mod clients;
#[path = "../common/mod.rs"]
mod common;
#[path = "../real.rs"]
mod real;

use libtest_mimic::Arguments;

fn main() {
    let arguments = Arguments::from_args();
    let trials = match clients::trials() {
        Ok(trials) => trials,
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    };
    libtest_mimic::run(&arguments, trials.into_iter().chain(real::trials()).collect()).exit();
}
