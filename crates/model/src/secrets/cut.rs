//! What is left of a secret where a text was cut: its beginning before the mark of the cut, or its end behind it.

use std::ops::Range;

use super::Reader;
use super::spelling;

/// What stands where something was left out.
const MARKS: [&str; 2] = ["...", "\u{2026}"];
/// The shortest rest that counts, in characters.
const SHORTEST: usize = 4;
/// The longest: more than that is found as a piece.
const LONGEST: usize = 11;
/// Most bytes in which the longest is spelled.
const WINDOW: usize = 96;
/// Most bytes of an escape that was cut itself.
const OF_AN_ESCAPE: usize = 11;
/// Most marks that are looked at: what the suite cuts has a few.
const MOST_MARKS: usize = 64;

/// Adds where rests of these secrets stand.
pub(super) fn find<'a>(
    text: &str,
    secrets: impl Iterator<Item = &'a String> + Clone,
    reader: &mut Reader<'_>,
    found: &mut Vec<Range<usize>>,
) {
    let marks = MARKS.iter().flat_map(|mark| text.match_indices(mark).take(MOST_MARKS));
    for (at, mark) in marks {
        let before = text.get(..at).unwrap_or_default();
        let end = before.strip_suffix(' ').unwrap_or(before).len();
        let behind = at + mark.len();
        let rest = text.get(behind..).unwrap_or_default();
        let start = behind + usize::from(rest.starts_with(' '));
        for secret in secrets.clone() {
            found.extend(before_a_cut(text, end, secret, reader));
            found.extend(behind_a_cut(start, secret, reader));
        }
    }
}

fn before_a_cut(text: &str, end: usize, secret: &str, reader: &mut Reader<'_>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_cut = |at: usize| {
        let is_escape = bytes.get(at).is_some_and(|byte| spelling::is_lead(*byte));
        at == end || is_escape && at < end && end - at <= OF_AN_ESCAPE
    };
    let head = beginnings(secret).next()?;
    let starts = (end.saturating_sub(WINDOW)..end).filter(|start| text.is_char_boundary(*start));
    // Few places are worth more than a look at the first characters.
    let starts = starts.filter(|start| reader.end_of(*start, head).is_some()).collect::<Vec<_>>();
    let is_rest = |start: &usize| beginnings(secret).any(|head| reader.end_of(*start, head).is_some_and(is_cut));
    starts.into_iter().find(is_rest).map(|start| start..end)
}

fn behind_a_cut(start: usize, secret: &str, reader: &mut Reader<'_>) -> Option<Range<usize>> {
    let ends = secret.char_indices().rev().map(|(at, _)| at).take(LONGEST).skip(SHORTEST - 1);
    let ends = ends.filter_map(|at| secret.get(at..).filter(|_| at > 0));
    ends.filter_map(|end| reader.end_of(start, end)).max().map(|end| start..end)
}

/// The beginnings of a secret, the shortest first, without the whole.
fn beginnings(secret: &str) -> impl Iterator<Item = &str> {
    let ends = secret.char_indices().map(|(at, _)| at).skip(SHORTEST).take(LONGEST - SHORTEST + 1);
    ends.filter_map(|end| secret.get(..end))
}
