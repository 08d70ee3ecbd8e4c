//! An agent checked by `cargo test`: what stands here stands in `tests/a2a.rs` of your agent's package.
//!
//! Its `Cargo.toml` says so:
//!
//! ```toml
//! [dev-dependencies]
//! a2aspec = { version = "0.1", default-features = false, features = ["libtest"] }
//!
//! [[test]]
//! name = "a2a"
//! harness = false
//! ```
//!
//! `cargo test --test a2a` checks everything, `cargo test --test a2a stream/` the streams, and
//! `cargo test --test a2a -- --list` shows what there is. Here it is `cargo run --example cargo-test -- stream/`.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use a2aspec::Suite;
use tokio::runtime::Runtime;

/// The tests.
pub fn main() -> io::Result<ExitCode> {
    // The reference agent stands for yours. It is on a free port, and lives as long as its runtime.
    let runtime = Runtime::new()?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let agent = runtime.block_on(a2a_reference_agent::start(a2a_reference_agent::Config::default(), address))?;
    Ok(a2aspec::libtest::main(Suite::builder(agent.url()).bearer("reference").profiles(["1.0"])))
}
