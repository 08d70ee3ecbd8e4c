//! What was shown of each part of each version: a line for each version.

use super::super::conformance::{Conformance, Part, by_version};
use super::super::model::Report;
use super::super::style::{self, FAINT, paint};

/// Columns between two cells.
const GAP: usize = 2;

/// The table, as wide as its cells; where that is too wide, a line for each part. Nothing where the run shows no conformance.
pub(super) fn render(report: &Report, width: usize) -> String {
    let rows = by_version(&report.conformance);
    if rows.is_empty() {
        return String::new();
    }
    let heads = ["conformance"].into_iter().chain(Part::ALL.map(Part::name));
    let mut widths: Vec<usize> = heads.clone().map(str::len).collect();
    for (version, row) in &rows {
        let cells = std::iter::once(version.chars().count()).chain(row.iter().map(|shown| shown.brief().len()));
        widths.iter_mut().zip(cells).for_each(|(width, cell)| *width = cell.max(*width));
    }
    if widths.iter().map(|width| width + GAP).sum::<usize>() > width + GAP {
        return by_part(&report.conformance);
    }
    let pad = |text: &str, width: usize| format!("{text:width$}{:GAP$}", "");
    let head: String = heads.zip(&widths).map(|(head, width)| pad(head, *width)).collect();
    let mut out = format!("{}\n", paint(FAINT, head.trim_end()));
    for (version, row) in rows {
        let mut line = pad(version, widths.first().copied().unwrap_or_default());
        for (at, shown) in row.iter().enumerate() {
            let text = shown.brief();
            // Nothing comes after the last one.
            let after = match at + 1 < row.len() {
                true => widths.get(at + 1).map_or(0, |width| width + GAP).saturating_sub(text.len()),
                false => 0,
            };
            line.push_str(&format!("{}{:after$}", paint(style::of(shown.outcome.verdict()), &text), ""));
        }
        out.push_str(&format!("{line}\n"));
    }
    out
}

fn by_part(all: &[Conformance]) -> String {
    let version = all.iter().map(|shown| shown.profile.chars().count()).max().unwrap_or_default();
    let part = Part::ALL.map(|part| part.name().len()).into_iter().max().unwrap_or_default();
    let mut out = format!("{}\n", paint(FAINT, "conformance"));
    for shown in all {
        let outcome = paint(style::of(shown.outcome.verdict()), shown.brief());
        out.push_str(&format!("{:version$}  {:part$}  {outcome}\n", shown.profile, shown.part.name()));
    }
    out
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;
    use crate::report::sample;

    #[test]
    fn each_version_has_a_line_where_there_is_room_for_it() {
        let mut report = sample::full();
        let second = report.conformance.iter().map(|shown| Conformance { profile: "0.3".to_owned(), ..shown.clone() });
        report.conformance = second.chain(report.conformance.clone()).collect();
        let text = |width| strip_str(&render(&report, width)).to_string();
        let (wide, narrow) = (text(100), text(20));
        assert_eq!((wide.lines().count(), narrow.lines().count()), (3, 1 + 2 * Part::ALL.len()), "{wide}{narrow}");
        assert!(wide.lines().all(|line| line.trim_end() == line), "{wide}");
        for shown in &report.conformance {
            assert!(wide.contains(&shown.brief()) && narrow.contains(&shown.brief()), "{wide}{narrow}");
        }
        report.conformance.clear();
        assert!(render(&report, 100).is_empty());
    }
}
