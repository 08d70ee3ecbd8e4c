//! The tokens of RFC 8259: white space, words, numbers and strings.

use std::ops::Range;

use super::{JsonErrorKind, Kind, Number, Text};

/// White space of section 2; Unicode knows more of it, JSON does not.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// An error before its line and column are counted.
pub(super) struct Wrong {
    pub(super) kind: JsonErrorKind,
    pub(super) offset: usize,
}

pub(super) type Read<T> = Result<T, Wrong>;

/// A cursor over the text, always between two characters.
pub(super) struct Scanner<'a> {
    text: &'a str,
    pub(super) at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// One of the three words, whose value is `kind`.
    pub(super) fn literal(&mut self, word: &'static str, kind: Kind) -> Read<Kind> {
        for expected in word.bytes() {
            if !self.take(expected) {
                return Err(self.unexpected(word));
            }
        }
        Ok(kind)
    }

    /// Section 6: `[ minus ] int [ frac ] [ exp ]`.
    pub(super) fn number(&mut self) -> Read<Number> {
        let start = self.at;
        self.take(b'-');
        let leading_zero = self.peek() == Some(b'0');
        match self.digits() {
            0 => return Err(self.bad_number("no digit after '-'")),
            1 => {}
            _ if leading_zero => {
                self.at = start;
                return Err(self.bad_number("leading zero"));
            }
            _ => {}
        }
        if self.take(b'.') && self.digits() == 0 {
            return Err(self.bad_number("no digit after '.'"));
        }
        if self.take(b'e') || self.take(b'E') {
            let _sign = self.take(b'+') || self.take(b'-');
            if self.digits() == 0 {
                return Err(self.bad_number("no digit in the exponent"));
            }
        }
        Ok(Number::new(self.slice(start..self.at)))
    }

    fn digits(&mut self) -> usize {
        let count = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.at += count;
        count
    }

    /// Section 7, from the opening quote to the closing one.
    pub(super) fn string(&mut self) -> Read<Text> {
        self.at += 1;
        let mut value = String::new();
        let mut lone_surrogate = false;
        loop {
            let plain = self.rest().bytes().take_while(|b| *b >= 0x20 && *b != b'"' && *b != b'\\').count();
            let run = self.at..self.at + plain;
            self.at = run.end;
            match self.peek() {
                Some(b'"') => {
                    value.push_str(self.slice(run));
                    self.at += 1;
                    return Ok(Text::new(value.into_boxed_str(), lone_surrogate));
                }
                Some(b'\\') => {
                    value.push_str(self.slice(run));
                    let decoded = self.escape()?;
                    lone_surrogate |= decoded.is_none();
                    value.push(decoded.unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                Some(control) => {
                    let code = u32::from(control);
                    return Err(self.wrong(JsonErrorKind::ControlCharacter { code }));
                }
                None => return Err(self.unexpected("the closing quote of a string")),
            }
        }
    }

    /// One escape, or both halves of a surrogate pair. `None` for a surrogate without its partner.
    fn escape(&mut self) -> Read<Option<char>> {
        let start = self.at;
        self.at += 1;
        let Some(letter) = self.rest().chars().next() else {
            return Err(self.unexpected("the rest of an escape"));
        };
        let plain = match letter {
            '"' | '\\' | '/' => letter,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                self.at += 1;
                let first = self.hex(start)?;
                return self.code_point(first);
            }
            _ => {
                let found = format!("\\{letter}");
                self.at = start;
                return Err(self.wrong(JsonErrorKind::BadEscape { found }));
            }
        };
        self.at += letter.len_utf8();
        Ok(Some(plain))
    }

    /// What the UTF-16 unit `first` means, together with the escape that follows if that is its partner.
    fn code_point(&mut self, first: u16) -> Read<Option<char>> {
        let after_first = self.at;
        if (0xD800..0xDC00).contains(&first) && self.rest().starts_with("\\u") {
            self.at += 2;
            let second = self.hex(after_first)?;
            if (0xDC00..0xE000).contains(&second) {
                return Ok(char::decode_utf16([first, second]).next().and_then(Result::ok));
            }
            // The second escape stands for itself: it is read again on its own.
            self.at = after_first;
        }
        Ok(char::from_u32(u32::from(first)))
    }

    /// Four hexadecimal digits of the escape that begins at `start`.
    fn hex(&mut self, start: usize) -> Read<u16> {
        let mut unit: u16 = 0;
        for _ in 0..4 {
            match self.rest().chars().next() {
                Some(c) => match c.to_digit(16).and_then(|digit| u16::try_from(digit).ok()) {
                    Some(digit) => unit = (unit << 4) | digit,
                    None => {
                        let mut found = self.slice(start..self.at).to_owned();
                        found.push(c);
                        self.at = start;
                        return Err(self.wrong(JsonErrorKind::BadEscape { found }));
                    }
                },
                None => return Err(self.unexpected("four hexadecimal digits")),
            }
            self.at += 1;
        }
        Ok(unit)
    }

    pub(super) fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(is_space).len();
    }

    pub(super) fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.at += 1;
        }
        found
    }

    pub(super) fn unexpected(&self, expected: &'static str) -> Wrong {
        self.wrong(match self.rest().chars().next() {
            Some(found) => JsonErrorKind::UnexpectedCharacter { found, expected },
            None => JsonErrorKind::UnexpectedEnd { expected },
        })
    }

    fn bad_number(&self, reason: &'static str) -> Wrong {
        self.wrong(JsonErrorKind::BadNumber { reason })
    }

    pub(super) fn wrong(&self, kind: JsonErrorKind) -> Wrong {
        Wrong { kind, offset: self.at }
    }
}
