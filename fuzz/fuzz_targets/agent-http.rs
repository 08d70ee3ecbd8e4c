//! See `http_json` in `src/agent.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| a2aspec_fuzz::agent::http_json(bytes));
