//! What several suites need: agents, programs, proxies, snapshots.

#![allow(dead_code, reason = "not every suite needs all of it")]

pub mod agent;
pub mod browser;
pub mod deadline;
pub mod issuer;
pub mod made;
#[path = "../../examples/minimal-agent/main.rs"]
pub mod minimal_agent;
pub mod program;
pub mod proxy;
pub mod readings;
pub mod rerun;
pub mod snapshot;
pub mod stock;
pub mod suite;
pub mod tools;
#[path = "../../crates/model/src/vectors.rs"]
pub mod vectors;
