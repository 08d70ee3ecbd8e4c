//! See `frames` in `src/http.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| a2aspec_fuzz::http::frames(bytes));
