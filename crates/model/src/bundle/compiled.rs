//! What the program carries is read when it is built: `build.rs` leaves the nodes.

use std::sync::LazyLock;

use crate::yaml::node::Node;
use crate::yaml::pack::Pack;

static NODES: LazyLock<Pack<'_>> = LazyLock::new(|| Pack::of(super::NODES));

/// What a bundled file holds, if this is its text: a user may have another of the same name.
pub(super) fn node(file: &str, text: &str) -> Option<Node> {
    (super::text(file)? == text).then(|| NODES.node(file))?
}

#[cfg(test)]
mod tests {
    use super::super::{CASES, SCHEMAS, files};
    use super::*;
    use crate::yaml::node;
    use crate::yaml::tree::Tree;
    use serde_json::Value;

    /// What was read when the program was built is what would be read now, and nothing is left out.
    #[test]
    fn every_bundled_file_is_read_when_it_is_built() {
        let cases = files(&CASES).into_iter().map(|(path, text)| (format!("cases/{path}"), text));
        let schemas = files(&SCHEMAS).into_iter().map(|(path, text)| (path.to_owned(), text));
        let mut count = 0;
        for (file, text) in cases.chain(schemas).filter(|(file, _)| file.ends_with(".yaml")) {
            assert_eq!(super::node(&file, text), Some(node::read(text).unwrap()), "{file}");
            count += 1;
        }
        assert_eq!(count, NODES.files().count());
    }

    #[test]
    fn a_file_of_the_same_name_and_another_text_is_another() {
        assert!(super::node("cases/requirements/1.0.yaml", "catalogue: \"1.0\"\n").is_none());
    }

    /// A tree loses nothing and adds nothing, numbers and texts of several lines included; and as a type it is the same.
    #[test]
    fn every_bundled_file_is_the_same_as_a_tree() {
        for (file, text) in files(&CASES) {
            let options = serde_saphyr::options! { strict_booleans: true };
            let value: Value = serde_saphyr::from_str_with_options(text, options).unwrap();
            let tree = Tree::read(file, text).unwrap();
            assert_eq!(tree.value(), &value, "{file}");
            assert_eq!(tree.typed::<Value>().unwrap(), value, "{file}");
        }
    }
}
