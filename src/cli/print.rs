//! The two streams of the program. Standard output gets what a command found, standard error whatever else there is to say.
//!
//! Everything that is printed goes through here, so that nothing of it can steer a terminal but by colours, and a stream that
//! cannot be written to is an error and no panic.

use std::io::{self, ErrorKind, Write};

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

/// Says something on one line of standard error.
pub(super) fn note(secrets: &Secrets, text: &str) {
    err(&format!("{}\n", one_line(&secrets.mask(text))));
}

fn write(mut stream: impl Write, text: &str) -> io::Result<()> {
    stream.write_all(printable_with_styles(text).as_bytes())?;
    stream.flush()
}
