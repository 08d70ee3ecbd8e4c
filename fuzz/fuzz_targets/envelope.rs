//! See `envelope` in `src/json.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| a2aspec_fuzz::json::envelope(bytes));
