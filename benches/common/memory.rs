//! How much memory a process has, where procfs tells: on Linux.

/// In KiB. `VmRSS` is what is resident now, `VmHWM` the most that ever was.
pub fn of(process: u32, what: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    // `VmHWM:     12345 kB`
    let line = status.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}
