//! Values, arrays and objects of RFC 8259, read without recursion.

use std::ops::Range;

use super::scanner::{Read, Scanner, is_space};
use super::{JsonError, JsonErrorKind, Kind, Limits, MAX_DEPTH, Member, Node, Position, Text};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads `bytes` as one JSON text.
pub(super) fn read<'a>(bytes: &'a [u8], limits: &Limits) -> Result<(&'a str, Node), JsonError> {
    let fail = |kind, offset| JsonError { kind, offset, position: Position::of(bytes, offset) };
    if bytes.len() > limits.bytes {
        let kind = JsonErrorKind::TooLarge { bytes: bytes.len(), limit: limits.bytes };
        return Err(fail(kind, limits.bytes));
    }
    if bytes.starts_with(BYTE_ORDER_MARK) {
        return Err(fail(JsonErrorKind::ByteOrderMark, 0));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| fail(JsonErrorKind::InvalidUtf8, error.valid_up_to()))?;
    if text.trim_start_matches(is_space).is_empty() {
        return Err(fail(JsonErrorKind::Empty { bytes: bytes.len() }, bytes.len()));
    }
    let mut reader = Reader {
        scan: Scanner::new(text),
        depth: limits.depth.min(MAX_DEPTH),
        values: limits.values,
        values_left: limits.values,
    };
    let root = reader.text().map_err(|wrong| fail(wrong.kind, wrong.offset))?;
    Ok((text, root))
}

struct Reader<'a> {
    scan: Scanner<'a>,
    depth: usize,
    values: usize,
    values_left: usize,
}

/// An array or object whose end has not been met.
enum Open {
    Array { start: usize, items: Vec<Node> },
    Object { start: usize, members: Vec<Member>, key: Text, key_span: Range<usize> },
}

/// What a value begins with, once its first character is known.
enum Begun {
    Whole(Kind),
    Open(Open),
}

impl Reader<'_> {
    fn text(&mut self) -> Read<Node> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            self.scan.skip_space();
            let start = self.scan.at;
            let node = match self.begin(open.len())? {
                Begun::Open(container) => {
                    open.push(container);
                    continue;
                }
                Begun::Whole(kind) => Node { kind, span: start..self.scan.at },
            };
            if let Some(root) = self.end(node, &mut open)? {
                self.scan.skip_space();
                return match self.scan.rest().chars().next() {
                    None => Ok(root),
                    Some(found) => Err(self.scan.wrong(JsonErrorKind::TrailingBytes { found })),
                };
            }
        }
    }

    /// Begins the value at the cursor; `levels` arrays and objects are open around it.
    fn begin(&mut self, levels: usize) -> Read<Begun> {
        self.values_left = match self.values_left.checked_sub(1) {
            Some(left) => left,
            None => {
                return Err(self.scan.wrong(JsonErrorKind::TooManyValues { limit: self.values }));
            }
        };
        let start = self.scan.at;
        let kind = match self.scan.peek() {
            Some(b'[') => {
                self.enter(levels)?;
                if self.scan.take(b']') {
                    Kind::Array(Vec::new())
                } else {
                    let items = Vec::new();
                    return Ok(Begun::Open(Open::Array { start, items }));
                }
            }
            Some(b'{') => {
                self.enter(levels)?;
                if self.scan.take(b'}') {
                    Kind::Object(Vec::new())
                } else {
                    let (key, key_span) = self.key("a name in quotes or '}'")?;
                    return Ok(Begun::Open(Open::Object { start, members: Vec::new(), key, key_span }));
                }
            }
            Some(b'"') => Kind::String(self.scan.string()?),
            Some(b'-' | b'0'..=b'9') => Kind::Number(self.scan.number()?),
            Some(b't') => self.scan.literal("true", Kind::Bool(true))?,
            Some(b'f') => self.scan.literal("false", Kind::Bool(false))?,
            Some(b'n') => self.scan.literal("null", Kind::Null)?,
            _ => return Err(self.scan.unexpected("a value")),
        };
        Ok(Begun::Whole(kind))
    }

    /// Hands a finished value to what is open around it, and closes what ends with it. The root, once it is closed.
    fn end(&mut self, mut node: Node, open: &mut Vec<Open>) -> Read<Option<Node>> {
        loop {
            match open.pop() {
                None => return Ok(Some(node)),
                Some(Open::Array { start, mut items }) => {
                    items.push(node);
                    self.scan.skip_space();
                    if self.scan.take(b',') {
                        open.push(Open::Array { start, items });
                        return Ok(None);
                    }
                    if !self.scan.take(b']') {
                        return Err(self.scan.unexpected("',' or ']'"));
                    }
                    items.shrink_to_fit();
                    node = Node { kind: Kind::Array(items), span: start..self.scan.at };
                }
                Some(Open::Object { start, mut members, key, key_span }) => {
                    members.push(Member { key, key_span, value: node });
                    self.scan.skip_space();
                    if self.scan.take(b',') {
                        self.scan.skip_space();
                        let (key, key_span) = self.key("a name in quotes")?;
                        open.push(Open::Object { start, members, key, key_span });
                        return Ok(None);
                    }
                    if !self.scan.take(b'}') {
                        return Err(self.scan.unexpected("',' or '}'"));
                    }
                    members.shrink_to_fit();
                    node = Node { kind: Kind::Object(members), span: start..self.scan.at };
                }
            }
        }
    }

    fn enter(&mut self, levels: usize) -> Read<()> {
        if levels >= self.depth {
            return Err(self.scan.wrong(JsonErrorKind::TooDeep { limit: self.depth }));
        }
        self.scan.at += 1;
        self.scan.skip_space();
        Ok(())
    }

    /// A name and the colon after it.
    fn key(&mut self, expected: &'static str) -> Read<(Text, Range<usize>)> {
        if self.scan.peek() != Some(b'"') {
            return Err(self.scan.unexpected(expected));
        }
        let start = self.scan.at;
        let key = self.scan.string()?;
        let span = start..self.scan.at;
        self.scan.skip_space();
        if self.scan.take(b':') { Ok((key, span)) } else { Err(self.scan.unexpected("':'")) }
    }
}
