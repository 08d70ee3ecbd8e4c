//! The traceability matrix: which cases check which requirement, which requirements a case checks, and what nothing
//! checks, with the reason.
//!
//! Enters: the [`Library`](crate::case::Library) of cases and catalogues. Leaves: a [`Coverage`], as Markdown, as a page
//! of HTML or as JSON; the same for the same library, whenever it is made. Knows nothing of agents and runs.

mod facts;
mod html;
mod markdown;
mod matrix;
#[cfg(test)]
mod sample;
mod state;
mod summary;

pub use matrix::{CaseRow, Check, ClientRow, Coverage, Equipment, OwnRow, Part, Renamed, Row, Section};
pub use state::{Counts, State, Summary};

/// The JSON schema of the JSON form (draft 2020-12).
pub(crate) const SCHEMA: &str = include_str!("../../schemas/coverage.schema.json");

/// A form of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub(crate) enum Format {
    /// For people: numbers by version and area, and what is not checked.
    Summary,
    /// For people: every requirement and every case.
    Markdown,
    /// The content of markdown, on one page with filters. The page needs no other file.
    Html,
    /// For programs.
    Json,
}

/// The matrix in a format; it ends with a line feed.
pub(crate) fn render(coverage: &Coverage, format: Format) -> String {
    match format {
        Format::Summary => summary::render(coverage),
        Format::Markdown => markdown::render(coverage),
        Format::Html => html::render(coverage),
        Format::Json => json(coverage),
    }
}

/// The members of the types, under their names; enumerated values in kebab-case.
fn json(coverage: &Coverage) -> String {
    // It is made of texts, numbers and lists; nothing in it can refuse to be written.
    let mut text = serde_json::to_string_pretty(coverage).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_stays_the_same() {
        insta::assert_snapshot!(render(&sample::coverage(), Format::Json));
    }

    #[test]
    fn the_markdown_stays_the_same() {
        insta::assert_snapshot!(render(&sample::coverage(), Format::Markdown));
    }

    #[test]
    fn the_summary_stays_the_same() {
        insta::assert_snapshot!(render(&sample::coverage(), Format::Summary));
    }

    #[test]
    fn the_page_stays_the_same() {
        insta::assert_snapshot!(render(&sample::coverage(), Format::Html));
    }

    #[test]
    fn nothing_is_a_matrix_too() {
        for format in [Format::Summary, Format::Markdown, Format::Html, Format::Json] {
            assert!(render(&Coverage::default(), format).ends_with('\n'));
        }
    }
}
