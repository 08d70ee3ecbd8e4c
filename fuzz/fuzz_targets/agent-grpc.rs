//! See `grpc` in `src/agent.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| a2aspec_fuzz::agent::grpc(bytes));
