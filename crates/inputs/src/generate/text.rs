//! Strings: plain words first, then those that programs stumble over.

use super::Choices;

/// Ordinary strings, the simplest first.
const PLAIN: [&str; 12] = [
    "a",
    "hello",
    "task-1",
    "Hello, world!",
    "b2c1",
    "write a short story about a lighthouse",
    "Grüße aus Köln",
    "你好",
    "line one\nline two",
    "\"quoted\" and 'quoted'",
    "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "0",
];

/// A way in which a string is odd and yet a string that JSON, and every version of A2A, allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Odd {
    /// No characters at all.
    Empty,
    /// Spaces and tabs only, or around a word.
    Spaces,
    /// U+0000 in the middle.
    Nul,
    /// Other control characters, the escape of terminals among them.
    Control,
    /// Line ends of every kind, U+2028 and U+2029 among them.
    LineEnds,
    /// Characters that turn the direction of the text.
    Bidi,
    /// Combining characters, and the same word composed and decomposed.
    Combining,
    /// Characters beyond U+FFFF.
    Astral,
    /// U+FEFF, U+FFFE, U+FFFF: characters that mark, or that are none.
    Noncharacter,
    /// Names that some languages give a meaning: `__proto__`, `constructor`.
    MemberName,
    /// Paths that lead elsewhere.
    Path,
    /// Directives of format functions and templates.
    Format,
    /// Pieces of markup, queries and commands.
    Markup,
    /// Pieces of JSON, and of event streams.
    Nested,
    /// Words that other notations take for values: `null`, `true`, `NaN`, `1e5`.
    Literal,
    /// Up to some thousand characters.
    Long,
}

impl Odd {
    /// Every way, in the order in which it is simpler.
    pub const ALL: [Self; 16] = [
        Self::Empty,
        Self::Spaces,
        Self::Nul,
        Self::Control,
        Self::LineEnds,
        Self::Bidi,
        Self::Combining,
        Self::Astral,
        Self::Noncharacter,
        Self::MemberName,
        Self::Path,
        Self::Format,
        Self::Markup,
        Self::Nested,
        Self::Literal,
        Self::Long,
    ];

    /// Strings that are odd in this way.
    fn samples(self) -> &'static [&'static str] {
        match self {
            Self::Empty => &[""],
            Self::Spaces => &[" ", "\t", " a ", "a\u{a0}b"],
            Self::Nul => &["a\0b", "\0", "a\0"],
            Self::Control => &["\u{1b}[31mred", "\u{7}", "\u{8}\u{7f}", "\u{85}"],
            Self::LineEnds => &["a\r\nb", "a\rb", "\n", "a\u{2028}b\u{2029}c", "a\n\ndata: b"],
            Self::Bidi => &["\u{202e}gpj.exe", "\u{2066}a\u{2069}", "\u{200f}a"],
            Self::Combining => &["e\u{301}", "\u{e9}", "Z\u{351}\u{36b}\u{343}a", "\u{1100}\u{1161}", "ﬁ", "İ"],
            Self::Astral => &["😀", "👩\u{200d}👩\u{200d}👧", "\u{10ffff}", "𝒳", "\u{1f3f4}\u{e0067}\u{e007f}"],
            Self::Noncharacter => &["\u{feff}a", "a\u{fffe}", "\u{ffff}", "\u{fffd}", "\u{fdd0}"],
            Self::MemberName => &["__proto__", "constructor", "toString", "__class__", "length"],
            Self::Path => &["../../../etc/passwd", "..\\..\\a", "/", "%2e%2e%2f", "a/b?c=d#e", "file:///etc/passwd"],
            Self::Format => &["%s%n%d", "{0}", "${a}", "{{7*7}}", "%", "\\u0000", "\\"],
            Self::Markup => &["<script>alert(1)</script>", "' OR '1'='1", "$(id)", "]]>", "<!--", "a;b|c&d"],
            Self::Nested => &["{\"a\":1}", "[", "\"", "data: {}\n\n", "{\"jsonrpc\":\"2.0\"}"],
            Self::Literal => &["null", "true", "NaN", "1e5", "-0", "0x10", "undefined", "Infinity"],
            Self::Long => &["a", "ä", "😀", "a b "],
        }
    }
}

/// Longest string of [`Odd::Long`], in repetitions of its piece.
const LONGEST: usize = 4096;

/// An ordinary string.
pub fn plain(choices: &mut Choices<'_>) -> String {
    choices.pick(&PLAIN).copied().unwrap_or_default().to_owned()
}

/// An odd string, and in which way it is odd.
pub fn odd(choices: &mut Choices<'_>) -> (String, Odd) {
    let way = choices.pick(&Odd::ALL).copied().unwrap_or(Odd::Empty);
    (odd_in(way, choices), way)
}

/// A string that is odd in this way.
pub fn odd_in(way: Odd, choices: &mut Choices<'_>) -> String {
    let sample = choices.pick(way.samples()).copied().unwrap_or_default();
    match way {
        Odd::Long => sample.repeat(64 + choices.below(LONGEST - 63)),
        _ => sample.to_owned(),
    }
}

/// Any string: mostly ordinary, at times odd, at times made of any characters.
pub fn any(choices: &mut Choices<'_>) -> String {
    match choices.below(8) {
        6 => odd(choices).0,
        7 => characters(choices),
        _ => plain(choices),
    }
}

/// A few characters from anywhere in Unicode.
fn characters(choices: &mut Choices<'_>) -> String {
    let length = choices.below(9);
    let mut text = String::new();
    for _ in 0..length {
        let code = match choices.below(4) {
            0 => choices.below(0x80),
            1 => choices.below(0x800),
            2 => choices.below(0x1_0000),
            _ => choices.below(0x11_0000),
        };
        // A surrogate is no character: its place is taken by the replacement character.
        text.push(u32::try_from(code).ok().and_then(char::from_u32).unwrap_or('\u{fffd}'));
    }
    text
}

/// A JSON string as it is spelled in a text, quotes included: what [`any`] gives in one of its many spellings, and lone
/// surrogates, which only an escape can spell. Always of the grammar of RFC 8259.
pub fn source(choices: &mut Choices<'_>) -> String {
    if choices.one_in(16) {
        const LONE: [&str; 5] = [r"\ud800", r"\udfff", r"\udc00\ud800", r"a\ud83d", r"\ud83d\u0061"];
        return format!("\"{}\"", choices.pick(&LONE).copied().unwrap_or_default());
    }
    let text = any(choices);
    if !choices.one_in(4) {
        return serde_json::Value::String(text).to_string();
    }
    let mut spelled = String::from("\"");
    for character in text.chars() {
        spell(character, choices, &mut spelled);
    }
    spelled.push('"');
    spelled
}

/// One character of a string in one of the ways in which RFC 8259 section 7 spells it.
fn spell(character: char, choices: &mut Choices<'_>, spelled: &mut String) {
    let short = match character {
        '"' => Some('"'),
        '\\' => Some('\\'),
        '/' => Some('/'),
        '\u{8}' => Some('b'),
        '\u{c}' => Some('f'),
        '\n' => Some('n'),
        '\r' => Some('r'),
        '\t' => Some('t'),
        _ => None,
    };
    let must = matches!(character, '"' | '\\' | '\0'..='\x1f');
    match (choices.below(3), short) {
        (0, _) if !must => spelled.push(character),
        (0 | 1, Some(letter)) => spelled.extend(['\\', letter]),
        (way, _) => {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let code = if way == 1 { format!("\\u{unit:04x}") } else { format!("\\u{unit:04X}") };
                spelled.push_str(&code);
            }
        }
    }
}

/// A string for a member of this name: what its name promises where it promises something (a URL, a time, base64), any
/// string otherwise.
pub fn for_member(name: &str, choices: &mut Choices<'_>) -> String {
    let lower = name.to_ascii_lowercase();
    let of = |choices: &mut Choices<'_>, all: &[&str]| choices.pick(all).copied().unwrap_or_default().to_owned();
    if lower.contains("timestamp") || lower.ends_with("after") {
        of(
            choices,
            &["2025-01-02T03:04:05Z", "2025-01-02T03:04:05.678Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"],
        )
    } else if lower.ends_with("url") || lower.ends_with("uri") {
        of(choices, &["https://a.example", "https://a.example/b/c?d=e", "http://127.0.0.1:8080/", "https://[::1]/x"])
    } else if matches!(lower.as_str(), "raw" | "bytes" | "filewithbytes" | "signature" | "protected") {
        of(choices, &["AAAA", "", "aGVsbG8", "YQ", "e30"])
    } else if lower.ends_with("type") && lower != "@type" || lower.ends_with("modes") {
        of(choices, &["text/plain", "application/json", "image/png", "text/plain; charset=utf-8"])
    } else if lower == "@type" {
        "type.googleapis.com/google.rpc.ErrorInfo".to_owned()
    } else if lower.ends_with("version") {
        of(choices, &["1.0", "0.3.0", "1.0.0"])
    } else if matches!(lower.as_str(), "protocolbinding" | "transport" | "preferredtransport") {
        of(choices, &["JSONRPC", "HTTP+JSON", "GRPC"])
    } else {
        any(choices)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::generate::seeded;
    use crate::wire::json;

    #[test]
    fn nothing_chosen_is_a_plain_word() {
        let mut choices = Choices::new(&[]);
        assert_eq!((any(&mut choices), source(&mut choices)), ("a".to_owned(), "\"a\"".to_owned()));
        assert_eq!(for_member("url", &mut choices), "https://a.example");
    }

    #[test]
    fn every_way_of_being_odd_comes_up_and_every_spelling_is_json() {
        let mut seen = std::collections::BTreeSet::new();
        let mut lone = false;
        for number in 0..2000 {
            let bytes = seeded(5, number, 64);
            seen.insert(odd(&mut Choices::new(&bytes)).1);
            let spelled = source(&mut Choices::new(&bytes));
            let read = json::parse(spelled.as_bytes(), &json::Limits::default());
            assert!(read.is_ok(), "{spelled}: {read:?}");
            lone |= matches!(&read.unwrap().root().kind, json::Kind::String(text) if text.has_lone_surrogate());
        }
        assert_eq!(seen.len(), Odd::ALL.len());
        assert!(lone);
    }

    #[test]
    fn a_spelling_means_the_string() {
        for number in 0..500 {
            let bytes = seeded(6, number, 64);
            let text = any(&mut Choices::new(&bytes));
            let mut spelled = String::from("\"");
            let mut choices = Choices::new(&bytes);
            text.chars().for_each(|character| spell(character, &mut choices, &mut spelled));
            spelled.push('"');
            assert_eq!(serde_json::from_str::<String>(&spelled).unwrap(), text);
        }
    }
}
