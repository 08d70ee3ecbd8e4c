//! Commands as tests start them: a program gets the same surroundings on every machine, whatever the machine's own settings are.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

/// Settings that lead a program elsewhere or change what it prints: proxies, the width and colours of a terminal, and the marks of a
/// service that runs jobs.
const SETTINGS: [&str; 15] = [
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NO_PROXY",
    "no_proxy",
    "COLUMNS",
    "LINES",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "FORCE_COLOR",
    "TERM",
];

/// The beginnings of the names of such settings.
const PREFIXES: [&str; 2] = ["A2ASPEC_", "GITHUB_"];

/// Where a program looks for the settings of a user, on each system.
const HOMES: [&str; 2] = ["XDG_CONFIG_HOME", "APPDATA"];

/// A command in the root of the package, without standard input, and without the settings of this machine and its user.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    let of_the_machine = |name: &str| SETTINGS.contains(&name) || PREFIXES.iter().any(|start| name.starts_with(start));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(of_the_machine)) {
        command.env_remove(name);
    }
    // Nothing is there. What a test wants kept gets a folder of the test's own.
    let nowhere = std::env::temp_dir().join(format!("a2aspec-test-{}-home", std::process::id()));
    command.envs(HOMES.map(|name| (name, &nowhere))).env("NO_COLOR", "1");
    command.current_dir(env!("CARGO_MANIFEST_DIR")).stdin(Stdio::null());
    command
}

/// Lets what this process starts begin with the signals at their default that end a program.
pub fn reset_signals() {
    #[cfg(unix)]
    signals::reset();
}

#[cfg(unix)]
mod signals {
    use std::sync::Once;

    use tokio::signal::unix::{SignalKind, signal};

    /// What ends a program that does nothing about it: SIGHUP, SIGINT, SIGQUIT and SIGTERM.
    const ENDING: [i32; 4] = [1, 2, 3, 15];

    /// A program takes over which signals are ignored: `nohup` and the runners of some services ignore SIGHUP, and a shell without
    /// job control ignores SIGINT for what it starts beside itself. What is caught, though, is at its default in a new program
    /// (POSIX, `exec`). So this process catches what it has so far ignored, and does nothing about it, which is the same to itself.
    pub fn reset() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let _entered = runtime.enter();
            let ignored = ignored();
            for number in ENDING.into_iter().filter(|number| ignored & (1 << (number - 1)) != 0) {
                // The handler stays when this is dropped.
                drop(signal(SignalKind::from_raw(number)).unwrap());
            }
        });
    }

    /// The signals that this process ignores, one bit for each, from the lowest. Where the system does not say, only SIGHUP may be.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(1)
    }
}
