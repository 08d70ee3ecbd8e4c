//! The two streams of the program. Standard output gets what a command found, standard error whatever else there is to say.
//!
//! Everything that is printed goes through here, so that a stream that cannot be written to is an error and no panic. Text for
//! people cannot steer a terminal but by colours. What is made for programs is written as it is: an escape that only people read
//! would break it.

use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal as _, Write};
use std::sync::OnceLock;

use terminal_size::{Height, Width, terminal_size_of};
use unicode_width::UnicodeWidthStr as _;

use super::Exit;
use super::fail::Failure;
use crate::diagnostic::words::{escaped_as_json, one_line, printable_with_styles, wrap};
use crate::report::Secrets;

/// Prints what a command found, and gives the exit code of a command that has nothing else to do.
///
/// # Errors
/// See [`out`].
pub(super) fn found(text: impl AsRef<str>) -> Result<Exit, Failure> {
    out(text.as_ref()).map(|()| Exit::Holds)
}

/// Columns that read well where no terminal says how many there are.
pub(super) const READABLE: usize = 100;

/// Columns of the text on standard output: those of `COLUMNS` where the user sets it, as other tools have it, or else those of the
/// terminal, or else [`READABLE`].
pub(super) fn width() -> usize {
    columns(std::env::var("COLUMNS").ok().as_deref(), terminal_size_of(io::stdout()))
}

fn columns(said: Option<&str>, terminal: Option<(Width, Height)>) -> usize {
    const NARROWEST: usize = 58;
    const WIDEST: usize = 160;
    let said = said.and_then(|columns| columns.trim().parse().ok()).filter(|columns| *columns > 0);
    // A terminal that does not know its size says that it has no columns.
    let seen = terminal.map(|(Width(columns), _)| usize::from(columns)).filter(|columns| *columns > 0);
    said.or(seen).map_or(READABLE, |columns: usize| columns.clamp(NARROWEST, WIDEST))
}

/// Who reads what a command prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// People: nothing may steer their terminal.
    People,
    /// Programs: every byte counts.
    Programs,
}

impl Reader {
    /// Programs, where that is so.
    pub fn programs_if(it_is: bool) -> Self {
        if it_is { Self::Programs } else { Self::People }
    }
}

/// Prints on standard output for whoever reads it.
///
/// # Errors
/// See [`out`].
pub(super) fn to(reader: Reader, text: &str) -> Result<(), Failure> {
    match reader {
        Reader::People => out(text),
        Reader::Programs => data(text),
    }
}

/// Prints what a command made for programs, as [`data`], and gives the exit code of a command that has nothing else to do.
///
/// # Errors
/// See [`out`].
pub(super) fn made(text: impl AsRef<str>) -> Result<Exit, Failure> {
    data(text.as_ref()).map(|()| Exit::Holds)
}

/// Prints text for people on standard output. A reader that has seen enough and left, such as `head`, is no error.
///
/// # Errors
/// Standard output takes no more, as on a full disk.
pub(super) fn out(text: &str) -> Result<(), Failure> {
    written(write(anstream::stdout().lock(), text))
}

/// Prints on standard output what is made for programs: the bytes of the text and no others. Only a terminal, which no program
/// reads, gets what could steer it as `\u200d`, which JSON reads as the same character.
///
/// # Errors
/// See [`out`].
pub(super) fn data(text: &str) -> Result<(), Failure> {
    let mut stream = io::stdout().lock();
    let shown = if stream.is_terminal() { escaped_as_json(text) } else { Cow::Borrowed(text) };
    written(stream.write_all(shown.as_bytes()).and_then(|()| stream.flush()))
}

fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::usage(format!("standard output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints on standard error, with sentences broken where the terminal ends if that is one. There is nobody to tell where that fails.
pub(super) fn err(text: &str) {
    let columns = terminal_size_of(io::stderr()).map(|(Width(columns), _)| usize::from(columns));
    let fitted = columns.filter(|columns| *columns > 0).map_or(Cow::Borrowed(text), |columns| fit(text, columns));
    let _ = write(anstream::stderr().lock(), &fitted);
}

/// The text with each sentence that is wider than this broken between words. What is drawn, such as the place in a file, stays as it
/// is, and so does what has colours.
fn fit(text: &str, columns: usize) -> Cow<'_, str> {
    if text.lines().all(|line| line.width() <= columns) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        let said = line.trim_start_matches(' ');
        let is_drawn = said.starts_with("-->")
            || said.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().starts_with('|');
        if line.trim_end().width() <= columns || is_drawn || said.contains('\x1b') {
            out.push_str(line);
            continue;
        }
        let indent = line.len() - said.len();
        let mut before = " ".repeat(indent);
        for piece in wrap(said, columns.saturating_sub(indent + 2).max(1)) {
            out.push_str(&before);
            out.push_str(&piece);
            out.push('\n');
            before = " ".repeat(indent + 2);
        }
        if !line.ends_with('\n') {
            out.pop();
        }
    }
    Cow::Owned(out)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_what_is_said_or_else_what_the_terminal_has() {
        let terminal = |columns| Some((Width(columns), Height(24)));
        assert_eq!(columns(None, terminal(80)), 80);
        assert_eq!(columns(Some("120"), terminal(80)), 120);
        assert_eq!(columns(Some("120"), None), 120);
        for unusable in ["", "0", "-5", "wide", "99999999999999999999999"] {
            assert_eq!(columns(Some(unusable), terminal(80)), 80, "{unusable}");
        }
        assert_eq!(columns(None, None), READABLE);
        assert_eq!(columns(None, terminal(0)), READABLE);
        assert_eq!([columns(None, terminal(7)), columns(Some("9999"), None)], [58, 160]);
    }

    #[test]
    fn sentences_are_broken_between_words_and_drawings_are_not() {
        let told = "error: the agent at http://127.0.0.1:1 cannot be reached: connection refused\n  tried the one and the other\nhelp: no";
        assert_eq!(
            fit(told, 24),
            "error: the agent at\n  http://127.0.0.1:1\n  cannot be reached:\n  connection refused\n  tried the one and\n    the other\nhelp: no"
        );
        let drawn =
            "  --> a/very/long/name/of/a/file.yaml:1:2\n   |\n12 | name: of what is in it\n   |       ^^ expected it\n";
        assert_eq!(fit(drawn, 12), drawn);
        assert_eq!(fit("short\n", 12), "short\n");
    }
}
