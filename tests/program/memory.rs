//! What a run takes.

use super::program;

/// The most memory of a run of all versions together with the agent that it starts, in KiB: the 143 MiB that it takes as tests
/// build it, and a tenth.
const MOST: u64 = 157 << 10;

#[test]
fn a_run_of_all_versions_takes_little_memory() {
    let (ran, peak) = program::start(&["selftest"], &[]).wait_and_watch();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(peak.is_none_or(|peak| peak < MOST), "the run took {} MiB", peak.unwrap_or_default() >> 10);
}
