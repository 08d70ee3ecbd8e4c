//! Where a report goes, and in which form.

mod place;
mod sink;

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;

use super::conformance::Part;
use crate::diagnostic::words::join;

pub(crate) use sink::save;
pub use sink::{Sink, Sinks, begin, prepare};

/// A form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// For people.
    Terminal,
    /// For people, with all evidence of each problem and all names.
    TerminalFull,
    /// For programs: `schemas/report.schema.json`.
    Json,
    /// For dashboards and log stores: a line of JSON for each problem, result and requirement.
    Ndjson,
    /// For continuous integration.
    Junit,
    /// For people, in a browser: one page that needs no other file.
    Html,
    /// For pages: the summary of a pipeline's step, a comment.
    Markdown,
    /// For GitHub: annotations of a workflow.
    Github,
    /// For code scanning services: SARIF 2.1.0.
    Sarif,
    /// For test harnesses: TAP 14.
    Tap,
    /// For viewers of HTTP: the exchanges as HTTP Archive 1.2.
    Har,
    /// For pages that show how an agent stands: the JSON of a badge.
    Badge,
    /// The same for one part of the versions.
    BadgeOf(Part),
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 16] = [
        Self::Terminal,
        Self::TerminalFull,
        Self::Html,
        Self::Json,
        Self::Ndjson,
        Self::Junit,
        Self::Markdown,
        Self::Github,
        Self::Sarif,
        Self::Tap,
        Self::Har,
        Self::Badge,
        Self::BadgeOf(Part::Core),
        Self::BadgeOf(Part::Streaming),
        Self::BadgeOf(Part::Push),
        Self::BadgeOf(Part::Security),
    ];

    /// Whether it is text for people in a terminal, and nothing for programs.
    pub fn is_for_terminals(self) -> bool {
        matches!(self, Self::Terminal | Self::TerminalFull)
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::TerminalFull => "terminal=full",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Junit => "junit",
            Self::Html => "html",
            Self::Markdown => "markdown",
            Self::Github => "github",
            Self::Sarif => "sarif",
            Self::Tap => "tap",
            Self::Har => "har",
            Self::Badge => "badge",
            Self::BadgeOf(Part::Core) => "badge-core",
            Self::BadgeOf(Part::Streaming) => "badge-streaming",
            Self::BadgeOf(Part::Push) => "badge-push",
            Self::BadgeOf(Part::Security) => "badge-security",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = OutputError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|format| format.name() == text);
        found.ok_or_else(|| OutputError::UnknownFormat { found: text.to_owned() })
    }
}

/// Where a report goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
}

/// One report that the user asks for: `FORMAT`, or `FORMAT=FILE`; the file `-` is standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Its form.
    pub format: Format,
    /// Where it goes.
    pub destination: Destination,
}

impl FromStr for Output {
    type Err = OutputError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // One name has the sign in itself.
        let full = Format::TerminalFull.name();
        let of_full = text.strip_prefix(full).and_then(|rest| rest.strip_prefix('=')).map(|file| (full, file));
        let (format, file) = match of_full.or_else(|| text.split_once('=').filter(|_| text != full)) {
            Some((format, file)) => (format, Some(file)),
            None => (text, None),
        };
        let format = format.parse()?;
        let destination = match file {
            None | Some("-") => Destination::Stdout,
            Some("") => return Err(OutputError::NoFile { format }),
            Some(file) => Destination::File(PathBuf::from(file)),
        };
        Ok(Self { format, destination })
    }
}

/// An output that cannot be written as the user asks.
#[derive(Debug, Error)]
pub enum OutputError {
    /// No format has this name.
    #[error("no such format `{found}`; there is {}, each alone or as FORMAT=FILE", join(&Format::ALL))]
    UnknownFormat {
        /// What was asked for.
        found: String,
    },
    /// `FORMAT=` and nothing after it.
    #[error("`{format}=` needs a file name, as in {format}=report.{}", extension(*.format))]
    NoFile {
        /// The format.
        format: Format,
    },
    /// Two outputs in one place, maybe by two names.
    #[error("{}", twice(.first, .second))]
    Twice {
        /// What is to be written, and where.
        first: (String, String),
        /// The same of the other.
        second: (String, String),
    },
    /// A pipe that nobody has opened for reading.
    #[error("{}: nobody reads this pipe; start its reader first", path.display())]
    NoReader {
        /// The pipe.
        path: PathBuf,
    },
    /// The folder of the file is not there.
    #[error("{}: there is no folder {}", path.display(), folder.display())]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// The name is that of a folder.
    #[error("{}: this is a folder; name a file in it", path.display())]
    IsFolder {
        /// The folder.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
}

fn extension(format: Format) -> &'static str {
    match format {
        Format::Terminal | Format::TerminalFull | Format::Github => "txt",
        Format::Html => "html",
        Format::Json | Format::Badge | Format::BadgeOf(_) => "json",
        Format::Ndjson => "ndjson",
        Format::Junit => "xml",
        Format::Markdown => "md",
        Format::Sarif => "sarif",
        Format::Tap => "tap",
        Format::Har => "har",
    }
}

/// Two outputs that would be in one place.
fn twice((first, place): &(String, String), (second, other): &(String, String)) -> String {
    let help = "give each a file of its own, as in json=report.json";
    match place == other {
        true => format!("the {first} and the {second} cannot both go to {place}; {help}"),
        false => format!("the {first} goes to {place} and the {second} to {other}, which is the same; {help}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_read() {
        let read = |text: &str| text.parse::<Output>().map_err(|error| error.to_string());
        let to = |format, destination| Ok(Output { format, destination });
        assert_eq!(read("json"), to(Format::Json, Destination::Stdout));
        assert_eq!(read("terminal=-"), to(Format::Terminal, Destination::Stdout));
        assert_eq!(read("terminal=full"), to(Format::TerminalFull, Destination::Stdout));
        assert_eq!(read("terminal=full=full"), to(Format::TerminalFull, Destination::File("full".into())));
        assert_eq!(read("terminal=fuller"), to(Format::Terminal, Destination::File("fuller".into())));
        assert_eq!(
            read("terminal=full=").unwrap_err(),
            "`terminal=full=` needs a file name, as in terminal=full=report.txt"
        );
        assert_eq!(read("junit=out/a=b.xml"), to(Format::Junit, Destination::File("out/a=b.xml".into())));
        assert_eq!(read("json=").unwrap_err(), "`json=` needs a file name, as in json=report.json");
        assert_eq!(
            read("xml=report.xml").unwrap_err(),
            "no such format `xml`; there is terminal, terminal=full, html, json, ndjson, junit, markdown, github, sarif, tap, har, badge, \
             badge-core, badge-streaming, badge-push and badge-security, each alone or as FORMAT=FILE"
        );
    }
}
