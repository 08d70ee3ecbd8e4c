//! What the program carries is read when it is built: `build.rs` leaves the nodes.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::node::Node;
use crate::bundle;

/// The nodes of each bundled file by its name, in the form of postcard.
static NODES: LazyLock<HashMap<&str, &[u8]>> =
    LazyLock::new(|| postcard::from_bytes::<Vec<_>>(bundle::NODES).unwrap_or_default().into_iter().collect());

/// What a bundled file holds, if this is its text: a user may have another of the same name.
pub(super) fn node(file: &str, text: &str) -> Option<Node> {
    let nodes = NODES.get(file)?;
    (bundle::text(file)? == text).then(|| postcard::from_bytes(nodes).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was read when the program was built is what would be read now, and nothing is left out.
    #[test]
    fn every_bundled_file_is_read_when_it_is_built() {
        let cases = bundle::files(&bundle::CASES).into_iter().map(|(path, text)| (format!("cases/{path}"), text));
        let schemas = bundle::files(&bundle::SCHEMAS).into_iter().map(|(path, text)| (path.to_owned(), text));
        let mut count = 0;
        for (file, text) in cases.chain(schemas).filter(|(file, _)| file.ends_with(".yaml")) {
            assert_eq!(node(&file, text), Some(super::super::node::read(text).unwrap()), "{file}");
            count += 1;
        }
        assert_eq!(count, NODES.len());
    }

    #[test]
    fn a_file_of_the_same_name_and_another_text_is_another() {
        assert!(node("cases/requirements/1.0.yaml", "catalogue: \"1.0\"\n").is_none());
    }
}
