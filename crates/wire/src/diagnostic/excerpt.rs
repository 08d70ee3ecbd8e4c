//! A line of a text with a caret under part of it.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::words::{one_line, steers};

/// Columns that line numbers and the frame take.
const FRAME: usize = 8;

/// Bytes on each side of the span that are handed to the renderer, which crops further: bounds the work on lines of
/// many megabytes.
const AROUND: usize = 16 << 10;

/// Part of a text that is pointed at.
#[derive(Debug, Clone)]
pub struct Excerpt<'a> {
    origin: Cow<'a, str>,
    line: usize,
    column: usize,
    source: Cow<'a, str>,
    is_cut: bool,
    span: Range<usize>,
    label: Option<Cow<'a, str>>,
}

impl<'a> Excerpt<'a> {
    /// Points at `span`, in bytes, of `text`, whose name is `origin`. A span that is not within the text is moved
    /// into it; one of several lines ends with its first.
    pub fn new(origin: &str, text: &'a str, span: Range<usize>) -> Self {
        let start = text.floor_char_boundary(span.start.min(text.len()));
        let line_start = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let line_end = text.get(start..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| start + at);
        let end = text.ceil_char_boundary(span.end.clamp(start, line_end));
        let from = text.ceil_char_boundary(line_start.max(start.saturating_sub(AROUND)));
        let to = text.floor_char_boundary(line_end.min(end.saturating_add(AROUND))).max(end);
        let source = text.get(from..to).map_or("", |line| line.strip_suffix('\r').unwrap_or(line));
        let (source, span) = visible(source, start - from..end - from);
        let count_chars = |range: Range<usize>| text.get(range).map_or(0, |part| part.chars().count());
        Self {
            origin: Cow::Owned(one_line(origin)),
            line: text.get(..start).map_or(1, |before| before.matches('\n').count() + 1),
            column: count_chars(line_start..start) + 1,
            source,
            is_cut: from > line_start,
            span,
            label: None,
        }
    }

    /// Adds what stands beside the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<Cow<'a, str>>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// The excerpt without a title, at most `width` columns wide where that is possible; no line feed at the end.
    /// `level` decides the colour of the caret.
    pub fn render(&self, level: Level<'a>, width: usize) -> String {
        let renderer = Renderer::styled().hyperlink(false).term_width(source_width(width));
        renderer.render(&[self.extend(Group::with_level(level))])
    }

    /// Adds the excerpt to a message that the renderer shows.
    pub(super) fn extend<'b>(&'b self, group: Group<'b>) -> Group<'b> {
        let end = self.span.end.min(self.source.len());
        let mut annotation = AnnotationKind::Primary.span(self.span.start.min(end)..end);
        if let Some(label) = &self.label {
            annotation = annotation.label(one_line(label));
        }
        let snippet = Snippet::source(self.source.as_ref()).line_start(self.line).annotation(annotation);
        if self.is_cut {
            // The renderer would count the column from the cut.
            let origin = Origin::path(self.origin.as_ref()).line(self.line).char_column(self.column);
            return group.element(origin).element(snippet);
        }
        group.element(snippet.path(self.origin.as_ref()))
    }
}

/// A source with the replacement character for what could steer a terminal, and its span. The renderer has a picture for
/// each control character of ASCII, but lets others through, and loses some that take no room.
fn visible(source: &str, span: Range<usize>) -> (Cow<'_, str>, Range<usize>) {
    let is_hidden = |c: char| !c.is_ascii() && steers(c);
    if !source.contains(is_hidden) {
        return (Cow::Borrowed(source), span);
    }
    let part = |range: Range<usize>| source.get(range).unwrap_or_default().replace(is_hidden, "\u{FFFD}");
    let end = span.end.min(source.len());
    let start = span.start.min(end);
    let (before, inside) = (part(0..start), part(start..end));
    let span = before.len()..before.len() + inside.len();
    (Cow::Owned(before + &inside + &part(end..source.len())), span)
}

/// The columns that are left for source text where a message may take `width`.
pub(super) fn source_width(width: usize) -> usize {
    width.saturating_sub(FRAME).max(40)
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;

    fn shown(text: &str, span: Range<usize>, label: &str) -> String {
        strip_str(&Excerpt::new("response body", text, span).label(label.to_owned()).render(Level::ERROR, 80))
            .to_string()
    }

    #[test]
    fn long_lines_are_cropped_around_the_span() {
        let long = |length| format!("{{\"head\":\"{}\",\"code\":-32603,\"tail\":\"{0}\"}}", "a".repeat(length));
        let shown = |text: &str| {
            let at = text.find("-32603").unwrap();
            let shown = shown(text, at..at + 6, "expected -32001");
            assert!(shown.lines().all(|line| line.chars().count() <= 80));
            shown
        };
        insta::assert_snapshot!(shown(&long(400)));
        assert!(shown(&long(4 * AROUND)).starts_with(&format!(" --> response body:1:{}\n", 4 * AROUND + 19)));
    }

    #[test]
    fn what_is_not_seen_is_marked() {
        let text = "{\"name\": \"\u{9b}2J\u{202e}\u{200b}a\u{200d}b\", \"code\": -32603}";
        let at = text.find("-32603").unwrap();
        let shown = shown(text, at..at + 6, "here");
        assert!(!shown.contains(|c| c != '\n' && steers(c)), "{shown:?}");
        insta::assert_snapshot!(shown);
    }

    #[test]
    fn odd_spans_are_moved_into_the_text() {
        let text = "e\u{301}\u{1b}[2J\r\nsecond \u{1f600} line\r\n";
        for start in 0..text.len() + 3 {
            for end in 0..text.len() + 3 {
                let shown = shown(text, start..end, "here");
                assert!(shown.contains("here"), "{start}..{end}");
                assert!(!shown.contains('\u{1b}'), "{start}..{end}");
            }
        }
    }
}
