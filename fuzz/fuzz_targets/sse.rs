//! See `event_stream` in `src/frames.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| a2aspec_fuzz::frames::event_stream(bytes));
