//! `a2aspec diff`: what has changed between two reports.

use std::path::Path;

use super::args::{DiffArgs, DiffFormat};
use super::fail::Failure;
use super::print::Reader;
use super::{Exit, print, saved};
use crate::report::diff::{self, Diff, Saved};

/// Columns of the text.
const WIDTH: usize = 100;

pub(super) fn run(args: &DiffArgs) -> Result<Exit, Failure> {
    let (before, after) = (read(&args.before)?, read(&args.after)?);
    let name = |path: &Path| path.display().to_string();
    let diff = Diff::between((&name(&args.before), &before), (&name(&args.after), &after));
    let text = match args.format {
        DiffFormat::Terminal => diff::terminal(&diff, WIDTH),
        DiffFormat::Markdown => diff::markdown(&diff),
        DiffFormat::Json => serde_json::to_string_pretty(&diff)
            .map(|text| text + "\n")
            .map_err(|error| Failure::broken(error.to_string()))?,
    };
    print::to(Reader::programs_if(args.format != DiffFormat::Terminal), &text)?;
    Ok(if diff.fails(args.fail_on.unwrap_or_default()) { Exit::Fails } else { Exit::Holds })
}

fn read(path: &Path) -> Result<Saved, Failure> {
    let (file, text) = saved::text(path)?;
    Saved::read(&file, &text).map_err(|error| Failure::new(Exit::Usage, &error.to_string(), Some(saved::HELP)))
}
