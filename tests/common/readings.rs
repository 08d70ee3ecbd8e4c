//! What docs/interpretations.md accepts where the texts of A2A leave something open.

use std::path::Path;

/// A reading of the texts.
pub struct Reading {
    /// Its heading.
    pub title: String,
    /// The name of the heading in links.
    pub anchor: String,
    /// The cases that judge by it.
    pub cases: Vec<String>,
}

/// All readings, in their order.
pub fn readings() -> Vec<Reading> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/interpretations.md");
    let text = std::fs::read_to_string(path).expect("the document is there");
    text.split("\n### ").skip(1).filter_map(reading).collect()
}

fn reading(chapter: &str) -> Option<Reading> {
    let title = chapter.lines().next()?.to_owned();
    let cases = chapter.split("\n**Cases.**").nth(1).unwrap_or_default().split("\n\n").next()?;
    let cases = cases.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    Some(Reading { anchor: anchor(&title), title, cases })
}

/// The name that renderers of Markdown give a heading.
fn anchor(title: &str) -> String {
    let kept = title.to_lowercase();
    kept.chars()
        .filter(|one| one.is_alphanumeric() || " -_".contains(*one))
        .map(|one| if one == ' ' { '-' } else { one })
        .collect()
}
