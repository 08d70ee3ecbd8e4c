//! Where in a text to put the caret.

use std::ops::Range;

use crate::json::{Document, Kind, Node};
use crate::pointer;

/// Most characters that a caret underlines.
const LONGEST: usize = 48;

/// The place of a JSON pointer in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What to underline: the value; of a long value its beginning; of a member that holds a large value its name.
    pub span: Range<usize>,
    /// The token of the pointer at which the document has nothing; the span is then that of the value around it.
    pub absent: Option<String>,
}

impl Place {
    /// What to write at the caret where the value is missing.
    pub fn missing(&self) -> Option<String> {
        let token = self.absent.as_ref()?;
        Some(match pointer::index(token) {
            Some(index) => format!("there is no item {index} in here"),
            None => format!("there is no {token:?} in here"),
        })
    }
}

/// Finds the value that `pointer` names, or the nearest one around it. Of duplicate names the last counts.
pub fn in_document(document: &Document, pointer: &str) -> Place {
    let mut node = document.root();
    let mut name: Option<Range<usize>> = None;
    for token in pointer::tokens(pointer).unwrap_or_default() {
        match step(node, &token) {
            Some((inner, inner_name)) => (node, name) = (inner, inner_name),
            None => return Place { span: head(document.text(), node, name), absent: Some(token) },
        }
    }
    Place { span: whole(document.text(), node, name), absent: None }
}

/// One step down, with the place of the member's name.
fn step<'a>(node: &'a Node, token: &str) -> Option<(&'a Node, Option<Range<usize>>)> {
    match &node.kind {
        Kind::Array(items) => Some((items.get(pointer::index(token)?)?, None)),
        Kind::Object(members) => {
            let member = members.iter().rev().find(|member| member.key.as_str() == token)?;
            Some((&member.value, Some(member.key_span.clone())))
        }
        _ => None,
    }
}

/// The value where it is short, else what begins it.
fn whole(text: &str, node: &Node, name: Option<Range<usize>>) -> Range<usize> {
    let spelled = text.get(node.span.clone()).unwrap_or_default();
    let is_short = spelled.len() <= LONGEST && !spelled.contains('\n');
    let is_container = matches!(node.kind, Kind::Array(_) | Kind::Object(_));
    if is_short || !is_container { cut(text, node.span.clone()) } else { head(text, node, name) }
}

/// The member's name and the first character of its value; without a name, that character alone.
fn head(text: &str, node: &Node, name: Option<Range<usize>>) -> Range<usize> {
    let is_container = matches!(node.kind, Kind::Array(_) | Kind::Object(_));
    let end = if is_container { node.span.start + 1 } else { node.span.end };
    let start = name.map_or(node.span.start, |name| name.start);
    cut(text, start..end)
}

/// At most [`LONGEST`] characters, none of them after a line feed.
fn cut(text: &str, span: Range<usize>) -> Range<usize> {
    let spelled = text.get(span.clone()).unwrap_or_default();
    let longest = spelled.char_indices().nth(LONGEST).map_or(spelled.len(), |(at, _)| at);
    let line = spelled.find('\n').unwrap_or(spelled.len());
    span.start..span.start + longest.min(line)
}

/// The word, number or sign at a byte offset: what a reader that stopped there was looking at.
pub fn token_at(text: &str, offset: usize) -> Range<usize> {
    let mut start = text.floor_char_boundary(offset.min(text.len()));
    // Past the last line there is nothing to show; the end of the last line is what the reader saw.
    let shown = text.trim_end().len();
    if start > shown {
        start = shown;
    }
    let rest = text.get(start..).unwrap_or_default();
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | '$');
    let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let one = rest.chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
    cut(text, start..start + word.max(one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn underlined(text: &str, pointer: &str) -> (String, Option<String>) {
        let document = parse(text.as_bytes(), &Limits::default()).unwrap();
        let place = in_document(&document, pointer);
        (text[place.span].to_owned(), place.absent)
    }

    #[test]
    fn values_are_underlined_whole_where_they_are_short() {
        let text = r#"{"a": {"b": [1, "two"]}}"#;
        assert_eq!(underlined(text, "/a/b/1"), ("\"two\"".into(), None));
        assert_eq!(underlined(text, "/a/b"), ("[1, \"two\"]".into(), None));
        assert_eq!(underlined(text, ""), (text.into(), None));
    }

    #[test]
    fn long_values_are_underlined_at_their_beginning() {
        let long = "x".repeat(100);
        let text = format!("{{\"status\":\n{{\"message\": \"{long}\"}}}}");
        let (message, _) = underlined(&text, "/status/message");
        assert_eq!(message.len(), LONGEST);
        assert_eq!(underlined(&text, "/status").0, "\"status\":");
        assert_eq!(underlined(&text, "").0, "{");
    }

    #[test]
    fn what_is_missing_is_shown_where_it_should_be() {
        let text = r#"{"result": {"status": {"state": "x"}, "history": []}}"#;
        let absent = |pointer| underlined(text, pointer);
        assert_eq!(absent("/result/status/timestamp"), ("\"status\": {".into(), Some("timestamp".into())));
        assert_eq!(absent("/result/history/0"), ("\"history\": [".into(), Some("0".into())));
        assert_eq!(absent("/result/status/state/x"), ("\"state\": \"x\"".into(), Some("x".into())));
    }

    #[test]
    fn tokens_are_found_at_offsets() {
        let text = "titel: x\n\u{e9}t\u{e9} [\n\n";
        assert_eq!(&text[token_at(text, 0)], "titel");
        assert_eq!(&text[token_at(text, 5)], ":");
        assert_eq!(&text[token_at(text, 10)], "\u{e9}t\u{e9}");
        assert_eq!(&text[token_at(text, 8)], "");
        assert_eq!(token_at(text, 1000), 16..16);
        assert_eq!(token_at("", 4), 0..0);
    }
}
