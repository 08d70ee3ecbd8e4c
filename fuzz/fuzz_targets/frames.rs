//! See `grpc_body` in `src/frames.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| a2aspec_fuzz::frames::grpc_body(bytes));
