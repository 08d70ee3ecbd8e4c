//! Texts for people: plural forms, line breaks, and what is safe to show.

use std::borrow::Cow;
use std::time::Duration;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// A number with its noun: `1 case`, `2 cases`.
pub fn count(number: usize, noun: &str) -> String {
    count_as(number, noun, &format!("{noun}s"))
}

/// A number with a noun whose plural is not made with `s`.
pub fn count_as(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Names one after the other: `a`, `a and b`, `a, b and c`.
pub fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}

/// [`list`], of what has a name.
pub fn join(things: &[impl ToString]) -> String {
    list(&things.iter().map(ToString::to_string).collect::<Vec<_>>())
}

/// A duration: `850 ms`, `3.2 s`, `2 min 5 s`.
pub fn duration(duration: Duration) -> String {
    match duration.as_millis() {
        milliseconds @ 0..1_000 => format!("{milliseconds} ms"),
        1_000..60_000 => {
            let text = format!("{:.1}", duration.as_secs_f64());
            format!("{} s", text.strip_suffix(".0").unwrap_or(&text))
        }
        _ => {
            let seconds = duration.as_secs();
            format!("{} min {} s", seconds / 60, seconds % 60)
        }
    }
}

/// Whether a character could steer a terminal or mislead its reader: control characters, marks that change the direction
/// of writing, and characters that take no room.
pub fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// A text without anything that [`steers`], spelled as escapes instead. Line feeds and tabs stay.
pub fn printable(text: &str) -> String {
    spelled(text, |c| matches!(c, '\n' | '\t'))
}

/// [`printable`], on one line.
pub fn one_line(text: &str) -> String {
    spelled(text, |_| false)
}

/// [`printable`], of a text with styles: the sequences that choose colours (`ESC [ 1 ; 31 m`) stay, and no others.
pub fn printable_with_styles(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut out = printable(parts.next().unwrap_or_default());
    for part in parts {
        let style = part.strip_prefix('[').and_then(|rest| rest.find(|c: char| !c.is_ascii_digit() && c != ';'));
        let is_style = style.is_some_and(|end| part.as_bytes().get(end + 1) == Some(&b'm'));
        out.push_str(if is_style { "\u{1b}" } else { "\\u{1b}" });
        out.push_str(&printable(part));
    }
    out
}

fn spelled(text: &str, stays: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            _ if stays(c) || !steers(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ => out.extend(c.escape_unicode()),
        }
    }
    out
}

/// A text in which everything that [`steers`] is written as JSON escapes it within strings (RFC 8259, section 7): a document whose
/// white space is line feeds and tabs means the same as before.
pub fn escaped_as_json(text: &str) -> Cow<'_, str> {
    let is_kept = |c: char| matches!(c, '\n' | '\t') || !steers(c);
    if text.chars().all(is_kept) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_kept(c) {
            true => out.push(c),
            false => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    Cow::Owned(out)
}

/// The text cut to `longest` characters, with `...` where something is missing.
pub fn shorten(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    let kept: String = text.chars().take(longest.saturating_sub(4)).collect();
    // A quote that opens at the cut has nothing in it.
    let kept = kept.strip_suffix('"').filter(|before| before.ends_with(' ')).unwrap_or(&kept);
    format!("{} ...", kept.trim_end())
}

/// The text broken at white space into lines of at most `width` columns; longer words, such as URLs, stay whole, so that they can
/// be copied.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        for (index, piece) in pieces(word, width).into_iter().enumerate() {
            let space = if index == 0 { " " } else { "" };
            match lines.last_mut() {
                Some(line) if line.width() + space.len() + piece.width() <= width => {
                    line.push_str(space);
                    line.push_str(piece);
                }
                _ => lines.push(piece.to_owned()),
            }
        }
    }
    lines
}

/// A word, or what a line may break it into where it does not fit on one: scripts whose characters take two columns are written
/// without spaces, and a line may end at any of these characters.
fn pieces(word: &str, width: usize) -> Vec<&str> {
    if word.width() <= width {
        return vec![word];
    }
    let is_wide = |c: char| c.width() == Some(2);
    let mut all = Vec::new();
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let end = match is_wide(first) {
            // What takes no column of its own belongs to the character before it.
            true => rest.char_indices().skip(1).find(|(_, c)| c.width() != Some(0)).map(|(at, _)| at),
            false => rest.find(is_wide),
        };
        let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
        all.push(piece);
        rest = after;
    }
    all
}

/// The text cut into lines of at most `width` columns, none of which is lost: after a comma or brace near the end of
/// the line where there is one, else anywhere. For texts in which every character counts.
pub fn chop(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let mut rest: Vec<char> = text.chars().collect();
    while let Some(fits) = overflow(&rest, width) {
        let near = fits - fits / 3;
        let breaks =
            rest.get(near..fits).and_then(|tail| tail.iter().rposition(|c| matches!(c, ',' | '{' | '[' | ' ')));
        let tail = rest.split_off(breaks.map_or(fits, |at| near + at + 1));
        lines.push(rest.into_iter().collect());
        rest = tail;
    }
    if !rest.is_empty() {
        lines.push(rest.into_iter().collect());
    }
    lines
}

/// How many of the characters fit into a line of so many columns, one at least; nothing where all do.
fn overflow(text: &[char], width: usize) -> Option<usize> {
    let mut columns = 0;
    let fits = text.iter().position(|c| {
        columns += c.width().unwrap_or(0);
        columns > width
    });
    fits.map(|fits| fits.max(1)).filter(|fits| *fits < text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals() {
        assert_eq!(count(0, "case"), "0 cases");
        assert_eq!(count(1, "case"), "1 case");
        assert_eq!(count(2, "case"), "2 cases");
        assert_eq!(count_as(2, "entry", "entries"), "2 entries");
        assert_eq!(list(&["a".into(), "b".into(), "c".into()]), "a, b and c");
    }

    #[test]
    fn durations() {
        let spelled = [7, 999, 1_000, 3_249, 59_949, 60_000, 125_900].map(|ms| duration(Duration::from_millis(ms)));
        assert_eq!(spelled, ["7 ms", "999 ms", "1 s", "3.2 s", "59.9 s", "1 min 0 s", "2 min 5 s"]);
    }

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(printable("a\u{1b}[2J\n\tb\u{202e}"), "a\\u{1b}[2J\n\tb\\u{202e}");
        assert_eq!(one_line("a\r\n\tb\u{7}"), "a\\r\\n\\tb\\u{7}");
        let odd = "\u{0}\u{7f}\u{80}\u{9b}\u{9d}\u{ad}\u{200b}\u{200d}\u{200f}\u{2028}\u{202a}\u{2066}\u{2069}\u{feff}\u{e0041}";
        assert!(one_line(odd).is_ascii(), "{:?}", one_line(odd));
        assert_eq!(one_line("caf\u{e9} \u{1f600} \u{4e2d}"), "caf\u{e9} \u{1f600} \u{4e2d}");
    }

    #[test]
    fn only_styles_reach_the_terminal() {
        let styled = "\u{1b}[1m\u{1b}[38;5;9mred\u{1b}[0m\n\u{1b}[m";
        assert_eq!(printable_with_styles(styled), styled);
        let others = [
            "\u{1b}[2J",
            "\u{1b}]0;title\u{7}",
            "\u{1b}[1;2H",
            "\u{1b}c",
            "\u{1b}",
            "\u{1b}[",
            "\u{1b}[31",
            "\u{1b}[?1m",
            "\u{9b}1m",
        ];
        for other in others {
            let shown = printable_with_styles(other);
            assert!(!shown.contains(steers), "{shown:?}");
        }
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap("one two  three\nfour", 9), ["one two", "three", "four"]);
        assert_eq!(wrap("http://a.example/long x", 5), ["http://a.example/long", "x"]);
        assert_eq!(chop("abcd\u{e9}", 2), ["ab", "cd", "\u{e9}"]);
        assert_eq!(chop("{\"a\":1,\"b\":2}", 9), ["{\"a\":1,", "\"b\":2}"]);
        assert!(chop("", 9).is_empty());
        // Characters that take two columns, and such as take none.
        assert_eq!(wrap("\u{65e5}\u{672c}\u{8a9e} ab", 6), ["\u{65e5}\u{672c}\u{8a9e}", "ab"]);
        assert_eq!(wrap("\u{65e5}\u{672c}\u{8a9e}ab", 4), ["\u{65e5}\u{672c}", "\u{8a9e}ab"]);
        assert_eq!(wrap("e\u{301}e\u{301} e\u{301}", 4), ["e\u{301}e\u{301} e\u{301}"]);
        assert_eq!(chop("\u{65e5}\u{672c}\u{8a9e}", 3), ["\u{65e5}", "\u{672c}", "\u{8a9e}"]);
        assert_eq!(chop("\u{65e5}\u{672c}", 1), ["\u{65e5}", "\u{672c}"]);
        assert_eq!(shorten("abcdefgh", 8), "abcdefgh");
        assert_eq!(shorten("abcdefghi", 8), "abcd ...");
    }
}
