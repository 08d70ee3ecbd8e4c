//! See `case_file` in `src/text.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| a2aspec_fuzz::text::case_file(bytes));
