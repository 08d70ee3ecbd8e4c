//! JSON as RFC 8259 defines it, with the place of every value.
//!
//! [`parse`] accepts exactly the grammar of RFC 8259 in UTF-8 without a byte order mark, and keeps what ordinary
//! readers throw away: duplicate names, the spelling of numbers, lone surrogate escapes and byte ranges.

mod error;
mod merge;
mod node;
mod number;
mod parser;
pub mod pointer;
mod scanner;
mod walk;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

pub use error::{JsonError, JsonErrorKind, Position};
pub use merge::merge;
pub use node::{Kind, Member, Node, Text};
pub use number::Number;
pub use walk::Walk;

/// Deepest nesting that [`parse`] ever accepts, whatever [`Limits::depth`] says.
///
/// Values are compared, cloned and dropped by recursion; this keeps that within any thread's stack.
pub const MAX_DEPTH: usize = 1024;

/// Most duplicates that [`Document::duplicates`] lists: enough to report, too few to exhaust memory.
pub const MAX_DUPLICATES: usize = 64;

/// How much a JSON text may ask of its reader. RFC 8259 section 9 allows such limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Longest text, in bytes.
    pub bytes: usize,
    /// Most arrays and objects open at once; never more than [`MAX_DEPTH`].
    pub depth: usize,
    /// Most values in the whole text, since a value costs more memory than its two bytes of text.
    pub values: usize,
}

impl Default for Limits {
    /// 4 MiB, 512 levels, 65 536 values.
    fn default() -> Self {
        Self { bytes: 4 << 20, depth: 512, values: 1 << 16 }
    }
}

/// A JSON text that was read, with its bytes. Cloning shares both.
#[derive(Clone)]
pub struct Document {
    inner: Arc<Inner>,
}

struct Inner {
    text: Box<str>,
    root: Node,
}

/// One name that an object uses again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    /// JSON pointer of the object.
    pub pointer: String,
    /// The name, escapes resolved.
    pub key: String,
    /// Where the name stood first.
    pub first: Range<usize>,
    /// Where it came again.
    pub again: Range<usize>,
}

/// Reads one JSON text.
///
/// # Errors
/// [`JsonErrorKind::TooLarge`], [`JsonErrorKind::TooDeep`] and [`JsonErrorKind::TooManyValues`] say that a limit was
/// met; every other kind is a departure of the text from RFC 8259.
pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Document, JsonError> {
    let (text, root) = parser::read(bytes, limits)?;
    Ok(Document { inner: Arc::new(Inner { text: text.into(), root }) })
}

impl Document {
    /// The text `null`, for what has no text of its own.
    #[must_use]
    pub fn null() -> Self {
        Self::of_value(&serde_json::Value::Null)
    }

    /// The text of a value that came in another form than JSON.
    #[must_use]
    pub fn of_value(value: &serde_json::Value) -> Self {
        Self::of_text(&value.to_string())
    }

    /// A text that the suite wrote itself.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let limits = Limits { depth: usize::MAX, bytes: usize::MAX, values: usize::MAX };
        parse(text.as_bytes(), &limits).unwrap_or_else(|_| Self::null())
    }

    /// The value that the text is.
    #[must_use]
    pub fn root(&self) -> &Node {
        &self.inner.root
    }

    /// The text, byte for byte as it was given.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.inner.text.as_bytes()
    }

    /// The text; it is known to be UTF-8.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// The spelling of `node`, which must be of this document; empty if it is not.
    #[must_use]
    pub fn raw(&self, node: &Node) -> &str {
        self.text().get(node.span.clone()).unwrap_or_default()
    }

    /// The value that an RFC 6901 pointer names. Of duplicate names the last counts, as in [`Document::value`].
    #[must_use]
    pub fn at(&self, pointer: &str) -> Option<&Node> {
        let mut node = self.root();
        for token in pointer::tokens(pointer)? {
            node = match &node.kind {
                Kind::Array(items) => items.get(pointer::index(&token)?)?,
                Kind::Object(_) => node.get(&token)?,
                _ => return None,
            };
        }
        Some(node)
    }

    /// Line and column of a byte offset.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        Position::of(self.bytes(), offset)
    }

    /// The names that an object uses more than once (RFC 8259 section 4: they SHOULD be unique), in the order of the
    /// text and at most [`MAX_DUPLICATES`] of them. Names are compared with their escapes resolved, save those that
    /// hold a lone surrogate: their decoded form is not unique, so they are compared as spelled.
    #[must_use]
    pub fn duplicates(&self) -> Vec<Duplicate> {
        /// Among so few, each is held against the others.
        const FEW: usize = 16;
        let mut found = Vec::new();
        self.visit(|pointer, node| {
            let Kind::Object(members) = &node.kind else {
                return;
            };
            let comes_again =
                |(at, one)| members.iter().skip(at + 1).any(|other: &Member| self.name(one) == self.name(other));
            if members.len() <= FEW && !members.iter().enumerate().any(comes_again) {
                return;
            }
            let mut seen = HashMap::with_capacity(members.len());
            for member in members {
                if found.len() >= MAX_DUPLICATES {
                    return;
                }
                let name = self.name(member);
                if let Some(first) = seen.get(&name) {
                    found.push(Duplicate {
                        pointer: pointer.to_owned(),
                        key: member.key.as_str().to_owned(),
                        first: Range::clone(first),
                        again: member.key_span.clone(),
                    });
                } else {
                    seen.insert(name, member.key_span.clone());
                }
            }
        });
        found.sort_by_key(|duplicate| duplicate.again.start);
        found
    }

    /// What tells a name from others: one with a lone surrogate is as it is spelled.
    fn name<'d>(&'d self, member: &'d Member) -> (bool, &'d str) {
        match member.key.has_lone_surrogate() {
            true => (true, self.text().get(member.key_span.clone()).unwrap_or_default()),
            false => (false, member.key.as_str()),
        }
    }

    /// The document as an ordinary value. Of duplicate names the last counts. A number too large for a double becomes
    /// the largest double of its sign, so that it stays a number.
    #[must_use]
    pub fn value(&self) -> serde_json::Value {
        self.root().to_value()
    }

    /// Every value with its pointer, parents before children, in the order of the text. Two members of the same name
    /// have the same pointer. Each step copies a pointer; where that matters use [`Document::visit`].
    pub fn walk(&self) -> Walk<'_> {
        Walk::new(self.root())
    }

    /// [`Document::walk`] in time linear in the text, whatever the length of its names.
    pub fn visit<'a>(&'a self, mut see: impl FnMut(&str, &'a Node)) {
        let mut walk = self.walk();
        while let Some(node) = walk.advance() {
            see(walk.pointer(), node);
        }
    }
}

impl std::fmt::Debug for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Document").field(&self.text()).finish()
    }
}

#[cfg(test)]
mod tests;
