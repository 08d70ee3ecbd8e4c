//! What must hold of every reader of the suite, for any bytes: the bodies of the fuzz targets.
//!
//! Each panics where something does not hold. cargo-fuzz drives them from `fuzz_targets/`; `tests/fuzz_targets.rs` of the suite
//! runs them on what was found before (`regressions/`) and on some hundred seeded inputs, without cargo-fuzz.

// A target tells by a panic.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod a2a;
pub mod agent;
pub mod frames;
pub mod http;
pub mod json;
pub mod text;

use std::sync::{Arc, OnceLock};

use a2aspec::profile::{self, Profile};

/// Panics where something does not hold of the bytes.
pub type Target = fn(&[u8]);

/// Every target by its name.
pub const TARGETS: [(&str, Target); 19] = [
    ("agent", agent::json_rpc),
    ("agent-http", agent::http_json),
    ("agent-grpc", agent::grpc),
    ("json", json::text),
    ("envelope", json::envelope),
    ("sse", frames::event_stream),
    ("frames", frames::grpc_body),
    ("details", frames::status_details),
    ("http1", http::answers),
    ("http2", http::frames),
    ("fields", http::fields),
    ("tls", http::tls),
    ("timestamp", text::time),
    ("base64", text::base64_text),
    ("case", text::case_file),
    ("config", text::config),
    ("card", a2a::card),
    ("signature", a2a::signature),
    ("dialects", a2a::dialects),
];

fn profiles() -> &'static [Arc<Profile>] {
    static ALL: OnceLock<Vec<Arc<Profile>>> = OnceLock::new();
    ALL.get_or_init(|| profile::bundled().expect("the profiles are right"))
}
