//! `a2aspec matrix`: many agents side by side.

use std::path::{Path, PathBuf};

use super::args::MatrixArgs;
use super::fail::Failure;
use super::{Exit, check, saved, settings};
use crate::diagnostic::near;
use crate::matrix::{self, Builder, Matrix, Source};
use crate::report::Format;
use crate::report::output::{self, Destination, Output, Sink};

/// A help line names up to so many agents.
const MOST_NAMES: usize = 10;

/// Reads the reports one after the other, and says what they come to.
pub(super) fn run(args: MatrixArgs) -> Result<Exit, Failure> {
    let place = Place::of(args.report)?;
    let names: Vec<String> = args.files.iter().map(|file| file.display().to_string()).collect();
    place.begin(names.iter().map(|name| (name.as_str(), String::new())), "the matrix was not finished")?;
    let mut builder = Builder::default();
    for named in &args.files {
        let (name, file) = split(named);
        place.add(&mut builder, name.as_deref(), &file)?;
    }
    let mut matrix = builder.finish();
    if let Err(unknown) = matrix.only(&args.conditions) {
        return Err(no_agent(&unknown, &matrix));
    }
    place.write(&matrix)
}

/// A condition names no agent.
fn no_agent(name: &str, matrix: &Matrix) -> Failure {
    let help = match near::nearest(name, matrix.names()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("the agents are {}", matrix.names().take(MOST_NAMES).collect::<Vec<_>>().join(", ")),
    };
    Failure::new(Exit::Usage, &format!("no agent of the matrix has the name `{name}`"), Some(&help))
}

/// `NAME=FILE`, where that is no file itself.
fn split(named: &Path) -> (Option<String>, PathBuf) {
    let text = named.to_string_lossy();
    match text.split_once('=') {
        Some((name, file)) if !named.exists() && !name.is_empty() => (Some(name.to_owned()), PathBuf::from(file)),
        _ => (None, named.to_owned()),
    }
}

/// Where a matrix goes, and from where its links lead.
pub(super) struct Place {
    sinks: Vec<(Format, Sink)>,
    folder: PathBuf,
}

impl Place {
    /// Makes sure that it can be written as the flags say.
    pub fn of(reports: Vec<String>) -> Result<Self, Failure> {
        let outputs = settings::outputs(reports)?;
        let other = |output: &&Output| !matches!(output.format, Format::Terminal | Format::Html | Format::Json);
        if let Some(other) = outputs.iter().find(other) {
            let format = other.format;
            return Err(Failure::usage(format!(
                "a matrix cannot be written as {format}; there is terminal, html and json"
            )));
        }
        let folder = |format: Format| {
            outputs.iter().find_map(|output| match &output.destination {
                Destination::File(path) if output.format == format => path.parent().map(Path::to_owned),
                _ => None,
            })
        };
        let folder = folder(Format::Html).or_else(|| folder(Format::Json)).unwrap_or_default();
        let sinks = output::prepare(&outputs, None).map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Self { sinks: sinks.reports, folder })
    }

    /// Puts into each file, until the matrix is there, that the agents of these names and URLs are not in it yet: no earlier matrix
    /// is taken for this one, and where this one fails there is one that says so.
    pub fn begin<'a>(&self, agents: impl IntoIterator<Item = (&'a str, String)>, reason: &str) -> Result<(), Failure> {
        let mut builder = Builder::default();
        agents.into_iter().for_each(|(name, url)| builder.not_checked(name, &url, reason));
        let matrix = builder.finish();
        output::begin(&self.sinks, |format| rendered(&matrix, format))
            .map_err(|error| Failure::usage(error.to_string()))
    }

    /// Adds the report in a file, and the page beside it, if there is one.
    pub fn add(&self, builder: &mut Builder, name: Option<&str>, file: &Path) -> Result<(), Failure> {
        let (named, text) = saved::text(file)?;
        let page = file.with_extension("html");
        let page = page.is_file().then(|| relative(&page, &self.folder));
        let source = Source { name, file: &named, link: relative(file, &self.folder), page, text: &text };
        builder.add(source).map_err(|error| Failure::new(Exit::Usage, &error.to_string(), Some(saved::HELP)))
    }

    /// Writes it in each form.
    pub fn write(&self, matrix: &Matrix) -> Result<Exit, Failure> {
        let are_written = check::write_all(&self.sinks, |format, _| rendered(matrix, format));
        Ok(if are_written { Exit::Holds } else { Exit::Usage })
    }
}

fn rendered(matrix: &Matrix, format: Format) -> String {
    match format {
        Format::Html => matrix::html(matrix),
        Format::Json => matrix.json(),
        _ => matrix::text(matrix),
    }
}

/// The way from a folder to a file, as a URL writes it.
fn relative(file: &Path, folder: &Path) -> String {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (file, folder) = (absolute(file), absolute(here));
    let (to, from): (Vec<_>, Vec<_>) = (file.components().collect(), folder.components().collect());
    let common = to.iter().zip(&from).take_while(|(one, other)| one == other).count();
    let up = std::iter::repeat_n("..".to_owned(), from.len() - common);
    let down = to.iter().skip(common).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_from_the_page_to_the_reports() {
        let way = |file: &str, folder: &str| relative(Path::new(file), Path::new(folder));
        assert_eq!(way("runs/a.json", ""), "runs/a.json");
        assert_eq!(way("runs/a.json", "runs"), "a.json");
        assert_eq!(way("runs/a.json", "site/pages"), "../../runs/a.json");
        assert_eq!(way("/x/y/a.json", "/x/z"), "../y/a.json");
    }

    #[test]
    fn a_report_can_have_a_name() {
        assert_eq!(split(Path::new("weather=a.json")), (Some("weather".to_owned()), PathBuf::from("a.json")));
        assert_eq!(split(Path::new("a.json")), (None, PathBuf::from("a.json")));
    }
}
