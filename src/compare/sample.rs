//! Comparisons for tests.

use super::difference::{Comparison, Counts, Difference, SCHEMA_VERSION};
use super::kind::Kind;
use crate::report::model::Tool;

/// One without differences.
pub(super) fn alike() -> Comparison {
    Comparison {
        schema_version: SCHEMA_VERSION,
        tool: Tool { name: "a2aspec".to_owned(), version: "0.1.0".to_owned() },
        direct: "http://agent.example/".to_owned(),
        gateway: "https://gateway.example/agent".to_owned(),
        started: "2026-11-29T10:00:00.000Z".to_owned(),
        duration_ms: 61_000,
        messages_sent: 120,
        exit_code: 0,
        error: None,
        notes: vec!["the card at the gateway has 3 addresses of the gateway instead of the agent's".to_owned()],
        differences: Vec::new(),
        cases: Counts { compared: 312, failing_alike: 2, untested: 40, unsteady: 0 },
        unsteady: Vec::new(),
    }
}

/// One with two differences.
pub(super) fn with_differences() -> Comparison {
    let lost = Difference::new(Kind::VersionLost, "the gateway loses the A2A-Version header of requests")
        .between(
            "HTTP 200 with the error -32009 for A2A-Version: 99.0",
            "HTTP 200 with the error -32001 for A2A-Version: 99.0",
        )
        .over(["1.0 jsonrpc".to_owned(), "1.0 http-json".to_owned()]);
    let cases = (1..9).map(|number| format!("version/case-{number} (1.0 jsonrpc)")).collect();
    let status = Difference::new(Kind::Status, "HTTP 404 directly, HTTP 200 through the gateway (another status)")
        .between("HTTP 404", "HTTP 200")
        .over(["1.0 http-json".to_owned()]);
    Comparison { exit_code: 1, differences: vec![Difference { cases, ..lost }, status], ..alike() }
}
