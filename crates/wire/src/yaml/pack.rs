//! Texts that are read when a program is built: their nodes in one file of bytes, in the form of postcard.
//!
//! It is no file format: the same version of this crate writes and reads it.

use std::collections::HashMap;

use super::node::Node;

/// Packs nodes by the names of their files.
///
/// # Errors
/// A node that has no such form. There is none today.
pub fn pack(nodes: &[(String, Node)]) -> Result<Vec<u8>, postcard::Error> {
    let packed = nodes.iter().map(|(name, node)| Ok((name.as_str(), postcard::to_stdvec(node)?)));
    postcard::to_stdvec(&packed.collect::<Result<Vec<_>, postcard::Error>>()?)
}

/// What [`pack`] made. A node is read when it is asked for.
#[derive(Debug)]
pub struct Pack<'a>(HashMap<&'a str, &'a [u8]>);

impl<'a> Pack<'a> {
    /// The nodes of these bytes; none if they are of another making.
    pub fn of(bytes: &'a [u8]) -> Self {
        Self(postcard::from_bytes::<Vec<_>>(bytes).unwrap_or_default().into_iter().collect())
    }

    /// The node of a file.
    pub fn node(&self, file: &str) -> Option<Node> {
        postcard::from_bytes(self.0.get(file)?).ok()
    }

    /// The names of the files, in no order.
    pub fn files(&self) -> impl Iterator<Item = &'a str> {
        self.0.keys().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::node;

    #[test]
    fn what_is_packed_is_there_by_its_name() {
        let read = || node::read("a: [1, -2, 0.5, true, null, text]\nb: { c: 'd' }\n").unwrap();
        let bytes = pack(&[("one".to_owned(), read()), ("two".to_owned(), node::read("3").unwrap())]).unwrap();
        let pack = Pack::of(&bytes);
        assert_eq!(pack.node("one"), Some(read()));
        assert_eq!(pack.node("three"), None);
        assert_eq!(pack.files().count(), 2);
    }

    #[test]
    fn other_bytes_have_no_files() {
        assert_eq!(Pack::of(b"\xff\xff\xff").files().count(), 0);
    }
}
