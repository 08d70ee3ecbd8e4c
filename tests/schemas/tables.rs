//! The tables of facts, drawn from the specification, that lie beside the project.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Once;

use super::ROOT;

/// One line of a table: the cell of each column by its name.
pub(crate) type Row = BTreeMap<String, String>;

/// The lines of a table of this version. Nothing where the tables are absent, which is said once.
pub(crate) fn read(version: &str, file: &str) -> Option<Vec<Row>> {
    let folder = Path::new(ROOT).join("../shared/spec");
    if !folder.is_dir() {
        // Past the capture of a passing test's output, which nobody would see.
        static SAID: Once = Once::new();
        SAID.call_once(|| std::io::stderr().write_all(b"not run: ../shared/spec is absent\n").expect("it is open"));
        return None;
    }
    let path = folder.join(version).join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut lines = text.lines().map(|line| line.split('\t'));
    let head: Vec<&str> = lines.next().expect("a head line").collect();
    // Empty cells at the end of a line may be missing.
    let with_names = |cells: std::str::Split<'_, char>| {
        let cells = cells.chain(std::iter::repeat(""));
        head.iter().zip(cells).map(|(name, cell)| ((*name).to_owned(), cell.to_owned())).collect()
    };
    Some(lines.map(with_names).collect())
}
