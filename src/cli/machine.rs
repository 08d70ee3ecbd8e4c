//! What a machine lacks for the program's work, and what its user can do about it.

use std::sync::mpsc;
use std::thread::Builder;

use super::fail::Failure;
use crate::clock;

/// Threads that a run has at once, at most: for signals, for judging, for the card's keys and for the names of hosts.
const THREADS: usize = 8;

/// What errors say, and the help for it. The texts are those of the systems and libraries, in small letters.
const HELP: [(&[&str], &str); 4] = [
    (
        &["no ca certificates", "no native root ca", "no native certs"],
        "this machine has no certificates of authorities: install the package ca-certificates, or name a file of them with \
         SSL_CERT_FILE",
    ),
    (
        &["too many open files", "no file descriptors available"],
        "this program may open too few files: raise the limit (ulimit -n 1024), or send fewer requests at once with --jobs",
    ),
    (
        &["resource temporarily unavailable", "cannot allocate memory", "cannot start its threads"],
        "this user may start no more threads: end other programs, or raise the limit (ulimit -u; in a container, its limit of pids)",
    ),
    (&["no space left on device"], "make room on the disk"),
];

/// What to do about an error that the machine is the cause of.
pub(super) fn help(message: &str) -> Option<&'static str> {
    let message = message.to_ascii_lowercase();
    let found = HELP.iter().find(|(texts, _)| texts.iter().any(|text| message.contains(text)));
    found.map(|(_, help)| *help)
}

/// Whether the machine has what every run takes: a clock that can be written as a date, and a few threads. Later, libraries would
/// end the process for want of either.
///
/// # Errors
/// What is missing.
pub(super) fn check() -> Result<(), Failure> {
    clock::check().map_err(|error| {
        Failure::new(super::Exit::Broken, &error.to_string(), Some("set the clock to the time that it is"))
    })?;
    let mut waiting = Vec::new();
    for _ in 0..THREADS {
        let (hold, held) = mpsc::channel::<()>();
        let thread = Builder::new().spawn(move || held.recv().is_err());
        let thread =
            thread.map_err(|error| Failure::broken(format!("the program cannot start its threads: {error}")))?;
        waiting.push((hold, thread));
    }
    for (hold, thread) in waiting {
        drop(hold);
        let _ = thread.join();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_blamed_for_what_it_lacks_alone() {
        for (message, word) in [
            ("builder error: No CA certificates were loaded from the system", "ca-certificates"),
            ("signals cannot be waited for: Too many open files (os error 24)", "ulimit -n"),
            ("the runtime cannot be started: Resource temporarily unavailable (os error 11)", "ulimit -u"),
        ] {
            let text = Failure::broken(message).text;
            assert!(text.contains(word) && !text.contains("bug"), "{text}");
        }
        assert!(Failure::broken("the card has no canonical form").text.contains("this is a bug"));
    }
}
