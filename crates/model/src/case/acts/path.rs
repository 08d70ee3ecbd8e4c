//! Paths with dots and brackets (5.2): `task.artifacts[0].parts[*]`.

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Segment {
    /// A member, or an item by its number.
    Name(String),
    /// Every item.
    Every,
}

/// The segments of a path; `None` where it is none.
pub(super) fn read(path: &str) -> Option<Vec<Segment>> {
    let mut segments = Vec::new();
    for part in path.split('.') {
        let (name, indices) = part.split_once('[').map_or((part, None), |(name, rest)| (name, Some(rest)));
        let is_name = |name: &str| !name.is_empty() && !name.contains([']', '*', ' ', '/']);
        if !is_name(name) {
            return None;
        }
        segments.push(Segment::Name(name.to_owned()));
        for index in indices.into_iter().flat_map(|rest| rest.split('[')) {
            segments.push(match index.strip_suffix(']')? {
                "*" => Segment::Every,
                number => Segment::Name(number.parse::<usize>().ok()?.to_string()),
            });
        }
    }
    Some(segments)
}

/// The names of a path without wildcards.
pub(super) fn plain(path: &str) -> Option<Vec<String>> {
    let name = |segment| match segment {
        Segment::Name(name) => Some(name),
        Segment::Every => None,
    };
    read(path)?.into_iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_names_numbers_and_wildcards() {
        assert_eq!(plain("task.artifacts[0].parts[12].text").unwrap().join("/"), "task/artifacts/0/parts/12/text");
        assert_eq!(read("a[*]"), Some(vec![Segment::Name("a".to_owned()), Segment::Every]));
        assert_eq!(plain("a[*]"), None);
        for wrong in ["", "a..b", "a[", "a[x]", "a b", "[0]", "a]"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
