//! The two streams of the program. Standard output gets what a command found, standard error whatever else there is to say.
//!
//! Everything that is printed goes through here, so that nothing of it can steer a terminal but by colours, and a stream that
//! cannot be written to is an error and no panic.

use std::io::{self, ErrorKind, IsTerminal as _, Write};
use std::sync::OnceLock;

use super::Exit;
use super::fail::Failure;
use crate::diagnostic::words::{one_line, printable_with_styles};
use crate::report::Secrets;

/// Prints what a command found, and gives the exit code of a command that has nothing else to do.
///
/// # Errors
/// See [`out`].
pub(super) fn found(text: impl AsRef<str>) -> Result<Exit, Failure> {
    out(text.as_ref()).map(|()| Exit::Holds)
}

/// Prints on standard output. A reader that has seen enough and left, such as `head`, is no error.
///
/// # Errors
/// Standard output takes no more, as on a full disk.
pub(super) fn out(text: &str) -> Result<(), Failure> {
    match write(anstream::stdout().lock(), text) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::usage(format!("standard output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints on standard error. There is nobody to tell where that fails.
pub(super) fn err(text: &str) {
    let _ = write(anstream::stderr().lock(), text);
}

/// How much is said beside what a command found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Loudness {
    /// What is wrong, and nothing else.
    Quiet,
    /// What is worth knowing.
    Normal,
    /// Each case as well.
    Verbose,
}

/// It is said once, by the command line, and holds for all that is printed.
static LOUDNESS: OnceLock<Loudness> = OnceLock::new();

/// Sets how much is said.
pub(super) fn be(loudness: Loudness) {
    let _ = LOUDNESS.set(loudness);
}

/// How much is said.
pub(super) fn loudness() -> Loudness {
    LOUDNESS.get().copied().unwrap_or(Loudness::Normal)
}

/// Says something that is worth knowing on one line of standard error.
pub(super) fn note(secrets: &Secrets, text: &str) {
    if loudness() > Loudness::Quiet {
        warn(secrets, text);
    }
}

/// Says what nobody may miss on one line of standard error.
pub(super) fn warn(secrets: &Secrets, text: &str) {
    err(&format!("{}\n", one_line(&secrets.mask(text))));
}

/// Takes away what a terminal shows on standard output, so that what comes is alone; nothing where that is no terminal.
pub(super) fn clear() {
    let mut stream = io::stdout().lock();
    if stream.is_terminal() {
        let _ = stream.write_all(b"\x1b[2J\x1b[3J\x1b[H").and_then(|()| stream.flush());
    }
}

fn write(mut stream: impl Write, text: &str) -> io::Result<()> {
    stream.write_all(printable_with_styles(text).as_bytes())?;
    stream.flush()
}
