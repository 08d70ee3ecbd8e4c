//! What a run takes.

use super::program;

/// The most memory of a run of all versions together with the agent that it starts, in KiB: 88 MiB, and what the program
/// itself takes more when it is not optimised.
const MOST: u64 = 116 << 10;

#[test]
fn all_versions_take_less_than_a_hundred_megabytes() {
    let (ran, peak) = program::start(&["check"], &[]).wait_and_watch();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(peak.is_none_or(|peak| peak < MOST), "the run took {} MiB", peak.unwrap_or_default() >> 10);
}
