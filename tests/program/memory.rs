//! What a run takes.

use super::program;

/// By how much a run of all versions may take more memory than a run of one of them, in quarters of that: five times as many cases
/// leave their exchanges in the report, and nothing else.
const MOST_QUARTERS: u64 = 8;

/// How much it is in MiB is measured by `cargo bench --bench suite`.
#[test]
fn memory_hardly_grows_with_the_number_of_versions() {
    let peak = |flags: &[&str]| {
        let (ran, peak) = program::start(&[&["selftest"], flags].concat(), &[]).wait_and_watch();
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        peak
    };
    if let (Some(one), Some(all)) = (peak(&["--profile", "1.0"]), peak(&[])) {
        println!("{one} KiB for one version, {all} KiB for all");
        assert!(4 * all < (4 + MOST_QUARTERS) * one, "{one} KiB for one version, {all} KiB for all");
    }
}
