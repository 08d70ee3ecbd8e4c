//! Pages in Chromium.

use serde::Deserialize;

use super::tools::Tools;

/// A browser, and what drives it.
pub static BROWSER: Tools = Tools::of("browser");

/// What was found out of a page.
#[derive(Debug, Deserialize)]
pub struct Opened {
    pub file: String,
    /// When its first text was there, in milliseconds.
    pub paint: f64,
    /// How many rows its filters can hide.
    pub rows: usize,
    pub wrong: Vec<String>,
}

/// Opens pages.
pub fn open(browser: &str, files: &[&str]) -> Vec<Opened> {
    let opened: Vec<Opened> = BROWSER.ask("open.mjs", &[&[browser], files].concat());
    assert_eq!(opened.len(), files.len());
    opened
}

/// Nothing is wrong with a page.
#[track_caller]
pub fn assert_right(opened: &Opened) {
    assert!(opened.wrong.is_empty(), "{}:\n{}", opened.file, opened.wrong.join("\n"));
}
