//! Ids that the suite makes up.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::transcript::OWN_IDS;

/// A string that no other call returns, in this run or another: agents may remember message ids between runs.
pub(crate) fn unique() -> String {
    static RUN: OnceLock<String> = OnceLock::new();
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let run = RUN.get_or_init(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        format!("{:x}{:x}", now.as_nanos(), std::process::id())
    });
    format!("{OWN_IDS}{run}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}
