//! Tests of the data and of what reads it: cases, schemas, parsers, generators.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../corpus.rs"]
mod corpus;
#[path = "../coverage.rs"]
mod coverage;
#[path = "../fuzz_targets.rs"]
mod fuzz_targets;
#[path = "../generate.rs"]
mod generate;
#[path = "../order.rs"]
mod order;
#[path = "../peers.rs"]
mod peers;
#[path = "../schemas.rs"]
mod schemas;
#[path = "../sets.rs"]
mod sets;
#[path = "../verdicts.rs"]
mod verdicts;
#[path = "../wire_properties.rs"]
mod wire_properties;
#[path = "../wire_vectors.rs"]
mod wire_vectors;
