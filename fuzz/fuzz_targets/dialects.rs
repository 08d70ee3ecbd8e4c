//! See `dialects` in `src/a2a.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| a2aspec_fuzz::a2a::dialects(bytes));
