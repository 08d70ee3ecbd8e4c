//! See `agent_grpc` in `src/lib.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| a2aspec_fuzz::agent_grpc(bytes));
