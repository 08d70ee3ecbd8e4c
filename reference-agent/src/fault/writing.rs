//! How an answer is written: its JSON, the lines of its events, and the pieces in which it is sent.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;

/// What the JSON of an event stands behind, as the agent itself writes it.
const DATA: &[u8] = b"data: ";

/// A way to write what the agent says, which says the same.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Writing {
    /// White space around each token, with line breaks.
    pub spaced: bool,
    /// Each character of each text and name as `\uXXXX`.
    pub escaped: bool,
    /// The members of each object in the opposite order.
    pub reversed: bool,
    /// The members of each object in the order of their names.
    pub sorted: bool,
    /// How whole numbers are written, but for ids and codes: these are compared as they are.
    pub numbers: Numbers,
    /// How the lines of an event stream end.
    pub lines: Lines,
    /// Whether an event stream begins with a byte order mark.
    pub bom: bool,
    /// Lines before the data of each event: comments and fields.
    pub before: Vec<String>,
    /// Lines behind the data of each event.
    pub behind: Vec<String>,
    /// A block of such lines before each event, and one at the end of the stream: an event without data is none.
    pub between: Vec<String>,
    /// Whether the space behind the colon of `data` is left out.
    pub no_space: bool,
    /// Whether each event takes several lines of data.
    pub multi_line: bool,
    /// How many bytes a piece of the body has; 0: it is sent as it comes.
    pub pieces: usize,
}

/// How whole numbers are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Numbers {
    /// `10`.
    #[default]
    Plain,
    /// `10.0`.
    Fraction,
    /// `10E+0`.
    Exponent,
}

/// How lines end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Lines {
    /// By LF.
    #[default]
    Lf,
    /// By CR LF.
    Crlf,
    /// By CR.
    Cr,
    /// By each of the three in turn.
    Mixed,
}

impl Lines {
    const fn end(self, line: usize) -> &'static str {
        match (self, line % 3) {
            (Self::Lf, _) | (Self::Mixed, 2) => "\n",
            (Self::Crlf, _) | (Self::Mixed, 1) => "\r\n",
            (Self::Cr, _) | (Self::Mixed, _) => "\r",
        }
    }
}

impl Writing {
    /// A body of JSON; none where it is none.
    pub fn body(&self, body: &[u8]) -> Option<Bytes> {
        let value: Value = serde_json::from_slice(body).ok()?;
        Some(self.json(&value).into())
    }

    /// A piece of an event stream: an event or a comment.
    pub fn event(&self, piece: &[u8], is_first: bool) -> Bytes {
        let value = piece.strip_prefix(DATA).and_then(|json| serde_json::from_slice(json).ok());
        let mut lines: Vec<String> = Vec::new();
        let block = |lines: &mut Vec<String>| {
            if !self.between.is_empty() {
                lines.extend(self.between.iter().cloned().chain([String::new()]));
            }
        };
        match value {
            Some(value) => {
                block(&mut lines);
                lines.extend(self.before.iter().cloned());
                let space = if self.no_space { "" } else { " " };
                let text = if self.multi_line { broken(&value, self) } else { self.json(&value) };
                lines.extend(text.lines().map(|line| format!("data:{space}{line}")));
                lines.extend(self.behind.iter().cloned());
                lines.push(String::new());
            }
            None => lines.extend(String::from_utf8_lossy(piece).lines().map(str::to_owned)),
        }
        let mut text = String::new();
        if is_first && self.bom {
            text.push('\u{feff}');
        }
        for (number, line) in lines.iter().enumerate() {
            text.push_str(line);
            text.push_str(self.ending(number, &lines));
        }
        text.into()
    }

    /// What ends a line: between CR and LF there is no line, so that the two never come together.
    fn ending(&self, number: usize, lines: &[String]) -> &'static str {
        let is_before_empty = lines.get(number + 1).is_some_and(String::is_empty);
        match self.lines {
            // The end of a line, and an empty line behind it: `\r` and `\n` would be one end.
            Lines::Mixed if is_before_empty => "\r\n",
            Lines::Mixed if lines.get(number).is_some_and(String::is_empty) => "\n",
            lines => lines.end(number),
        }
    }

    /// Bytes in pieces.
    pub fn pieces(&self, bytes: &Bytes) -> Vec<Bytes> {
        let size = if self.pieces == 0 { bytes.len().max(1) } else { self.pieces };
        (0..bytes.len()).step_by(size).map(|at| bytes.slice(at..bytes.len().min(at + size))).collect()
    }

    fn json(&self, value: &Value) -> String {
        let mut text = String::new();
        self.write(value, &mut text, "");
        text
    }

    fn write(&self, value: &Value, text: &mut String, name: &str) {
        let space = if self.spaced { " \n\t" } else { "" };
        match value {
            Value::Object(members) => {
                let mut members: Vec<(&String, &Value)> = members.iter().collect();
                if self.sorted {
                    members.sort_by_key(|(name, _)| *name);
                }
                if self.reversed {
                    members.reverse();
                }
                self.list(text, ('{', '}'), &members, |text, (name, value)| {
                    self.text(name, text);
                    text.push_str(space);
                    text.push(':');
                    text.push_str(space);
                    self.write(value, text, name);
                });
            }
            Value::Array(items) => self.list(text, ('[', ']'), items, |text, item| self.write(item, text, name)),
            Value::String(string) => self.text(string, text),
            Value::Number(number) => match number.as_i64().filter(|_| !matches!(name, "id" | "code" | "status")) {
                Some(number) if self.numbers == Numbers::Fraction => text.push_str(&format!("{number}.0")),
                Some(number) if self.numbers == Numbers::Exponent => text.push_str(&format!("{number}E+0")),
                _ => text.push_str(&number.to_string()),
            },
            other => text.push_str(&other.to_string()),
        }
    }

    fn list<T>(&self, text: &mut String, (open, close): (char, char), items: &[T], one: impl Fn(&mut String, &T)) {
        let space = if self.spaced { "\r\n " } else { "" };
        text.push(open);
        for (index, item) in items.iter().enumerate() {
            text.push_str(if index > 0 { "," } else { "" });
            text.push_str(space);
            one(text, item);
        }
        text.push_str(space);
        text.push(close);
    }

    fn text(&self, string: &str, text: &mut String) {
        if !self.escaped {
            text.push_str(&Value::from(string).to_string());
            return;
        }
        text.push('"');
        for (number, unit) in string.encode_utf16().enumerate() {
            // Hexadecimal digits have two cases.
            text.push_str(&if number % 2 == 0 { format!("\\u{unit:04x}") } else { format!("\\u{unit:04X}") });
        }
        text.push('"');
    }
}

/// JSON over several lines, none of which is empty.
fn broken(value: &Value, writing: &Writing) -> String {
    let spaced = Writing { spaced: true, ..Writing::default() };
    let own = Writing { escaped: writing.escaped, reversed: writing.reversed, ..spaced };
    own.json(value).replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn writing(text: &str) -> Writing {
        serde_saphyr::from_str(text).unwrap()
    }

    #[test]
    fn json_says_the_same_in_each_way() {
        let value =
            json!({ "id": 7, "b": [1, -2, "n\u{e9} \u{1f600}", null, {}], "a": { "totalSize": 10, "code": -32001 } });
        let body = Bytes::from(value.to_string());
        for way in ["spaced", "escaped", "reversed", "sorted"] {
            let written = writing(&format!("{way}: true")).body(&body).unwrap();
            assert_ne!(written, body, "{way}");
            assert_eq!(serde_json::from_slice::<Value>(&written).unwrap(), value, "{way}");
        }
        let fraction = writing("numbers: fraction").body(&body).unwrap();
        let text = String::from_utf8_lossy(&fraction).into_owned();
        assert!(
            text.contains("\"totalSize\":10.0") && text.contains("\"id\":7,") && text.contains("-32001}"),
            "{text}"
        );
        let exponent = writing("numbers: exponent").body(&body).unwrap();
        assert!(String::from_utf8_lossy(&exponent).contains("[1E+0,-2E+0,"));
        assert_eq!(writing("spaced: true").body(b"no JSON"), None);
    }

    #[test]
    fn events_are_written_as_the_standard_lets_them() {
        let event = b"data: {\"a\":[1,2]}\n\n";
        for (way, expected) in [
            ("lines: crlf", "data: {\"a\":[1,2]}\r\n\r\n"),
            ("lines: cr", "data: {\"a\":[1,2]}\r\r"),
            ("bom: true", "\u{feff}data: {\"a\":[1,2]}\n\n"),
            ("no-space: true", "data:{\"a\":[1,2]}\n\n"),
            ("before: ['id: 1', ': x']", "id: 1\n: x\ndata: {\"a\":[1,2]}\n\n"),
            ("behind: ['event']", "data: {\"a\":[1,2]}\nevent\n\n"),
            ("between: ['retry: 9']", "retry: 9\n\ndata: {\"a\":[1,2]}\n\n"),
        ] {
            assert_eq!(writing(way).event(event, true), expected, "{way}");
        }
        let broken = writing("multi-line: true").event(event, false);
        let text = String::from_utf8_lossy(&broken).into_owned();
        assert!(
            text.lines().count() > 4
                && text.lines().filter(|line| !line.is_empty()).all(|line| line.starts_with("data: "))
        );
        let joined: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
        assert_eq!(serde_json::from_str::<Value>(&joined.join("\n")).unwrap(), json!({ "a": [1, 2] }));
        assert_eq!(writing("lines: cr").event(b": still here\n\n", false), ": still here\r\r");
    }

    #[test]
    fn pieces_are_the_whole() {
        let bytes = Bytes::from_static(b"abcdefg");
        assert_eq!(writing("pieces: 3").pieces(&bytes), ["abc", "def", "g"]);
        assert_eq!(writing("bom: true").pieces(&bytes), ["abcdefg"]);
        assert!(writing("pieces: 3").pieces(&Bytes::new()).is_empty());
    }
}
