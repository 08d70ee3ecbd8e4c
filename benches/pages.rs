//! When the first text of a report's page is there, in Chromium, by the number of its results: `cargo bench --bench pages`.

// Without a word to print there is no bench: it may fail as a test may.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/foreign/reports.rs"]
mod reports;

use common::browser::{BROWSER, open};
use common::program;
use reports::with_results;

/// How many results the pages have.
const RESULTS: [usize; 3] = [20, 500, 5_000];

/// When the first text has to be there, in milliseconds: what people take for at once.
const FIRST_PAINT: f64 = 1_000.0;

fn main() {
    // Why there is none is told by the set-up.
    let Some(browser) = BROWSER.ready() else { return };
    let files = RESULTS.map(with_results);
    let opened = open(browser, &files.each_ref().map(String::as_str));
    for (results, opened) in RESULTS.iter().zip(&opened) {
        println!("{results:>5} results  first paint after {:.0} ms (at most {FIRST_PAINT:.0} ms)", opened.paint);
    }
    std::process::exit(i32::from(opened.iter().any(|opened| opened.paint > FIRST_PAINT)));
}
