//! `a2aspec replay --parser`: findings about a parser, again.

use std::path::{Path, PathBuf};

use super::super::fail::Failure;
use super::super::{Exit, print};
use super::{failure, seconds};
use crate::diagnostic::words::{one_line, shorten};
use crate::files;
use crate::parsers::{Adapter, Fate, Recorded, again};

/// How the files of findings end.
const ENDING: &str = ".finding.json";

/// Gives a parser the inputs of findings again, and says what became of each.
pub(in crate::cli) fn run(parser: &str, findings: &Path, timeout: f64) -> Result<Exit, Failure> {
    let recorded = read(findings)?;
    let mut adapter = Adapter::new(parser, seconds(timeout, "--timeout")?);
    let mut text = String::new();
    let mut comes = false;
    for finding in &recorded {
        let (fate, said) = again(finding, &mut adapter).map_err(|error| failure(&error))?;
        comes |= fate != Fate::Fixed;
        text.push_str(&told(finding, fate, &said));
    }
    print::out(&text)?;
    Ok(if comes { Exit::Fails } else { Exit::Holds })
}

fn told(finding: &Recorded, fate: Fate, said: &str) -> String {
    const LONGEST: usize = 160;
    let (name, what) = match fate {
        Fate::Still => ("STILL", finding.what.to_string()),
        Fate::Fixed => ("FIXED", String::new()),
        Fate::Flaky(came) => ("FLAKY", format!("{} ({came} of 3 times)", finding.what)),
        Fate::Otherwise(now) => ("OTHERWISE", format!("{now}, before: {}", finding.what)),
    };
    let mut text = format!("{name:9} {}\n", one_line(&finding.id));
    if fate != Fate::Fixed {
        text.push_str(&format!("          {what}; {}\n", shorten(&one_line(said), LONGEST)));
    }
    text
}

/// The findings of a file, or of a folder.
fn read(place: &Path) -> Result<Vec<Recorded>, Failure> {
    let unreadable = |path: &Path, error: &dyn std::fmt::Display| {
        Failure::usage(format!("{} cannot be read: {error}", path.display()))
    };
    let paths = files::at(place, ENDING).map_err(|error| unreadable(place, &error))?;
    if paths.is_empty() {
        let message = format!("there is no finding in {}: no file ends in {ENDING}", place.display());
        return Err(Failure::usage(message));
    }
    let read = |path: PathBuf| {
        let text = files::text(&path, files::LONGEST).map_err(|error| unreadable(&path, &error))?;
        serde_json::from_str(&text).map_err(|error| unreadable(&path, &error))
    };
    paths.into_iter().map(read).collect()
}
