//! See `status_details` in `src/frames.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| a2aspec_fuzz::frames::status_details(bytes));
