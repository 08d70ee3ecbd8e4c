//! JSON pointers (RFC 6901).

use std::collections::VecDeque;

/// Appends `/token` to `pointer`, with `~` and `/` escaped (RFC 6901 section 3).
pub fn push(pointer: &mut String, token: &str) {
    pointer.reserve(token.len() + 1);
    pointer.push('/');
    for c in token.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// A pointer as people read it: `/` for the empty one, to the whole value.
pub fn shown(pointer: &str) -> &str {
    if pointer.is_empty() { "/" } else { pointer }
}

/// The pointers to the values within a value, itself included, that are not null: to the first so many.
pub fn first_in(value: &serde_json::Value, most: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = VecDeque::from([(String::new(), value)]);
    while let Some((place, value)) = waiting.pop_front().filter(|_| found.len() < most) {
        let inner = |token: &str| {
            let mut inner = place.clone();
            push(&mut inner, token);
            inner
        };
        match value {
            serde_json::Value::Null => continue,
            serde_json::Value::Object(members) => {
                waiting.extend(members.iter().take(most).map(|(name, value)| (inner(name), value)));
            }
            serde_json::Value::Array(items) => {
                waiting.extend(
                    items.iter().take(most).enumerate().map(|(index, value)| (inner(&index.to_string()), value)),
                );
            }
            _ => {}
        }
        found.push(place);
    }
    found
}

/// What stands at a place of a value. Unlike `serde_json::Value::pointer` it copies no token that has no escape: judges look at some
/// ten places of each answer.
pub fn find<'v>(value: &'v serde_json::Value, pointer: &str) -> Option<&'v serde_json::Value> {
    if pointer.contains('~') {
        return value.pointer(pointer);
    }
    if pointer.is_empty() {
        return Some(value);
    }
    pointer.strip_prefix('/')?.split('/').try_fold(value, |value, token| match value {
        serde_json::Value::Object(members) => members.get(token),
        serde_json::Value::Array(items) => items.get(index(token)?),
        _ => None,
    })
}

/// The tokens of a pointer with their escapes resolved; `None` if it is no pointer (RFC 6901 section 3).
#[must_use]
pub fn tokens(pointer: &str) -> Option<Vec<String>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    pointer.strip_prefix('/')?.split('/').map(unescape).collect()
}

/// The array index that a token spells; `None` for leading zeros, signs and the `-` past the end (section 4).
#[must_use]
pub fn index(token: &str) -> Option<usize> {
    let canonical = token == "0" || !token.starts_with('0');
    if canonical && token.bytes().all(|b| b.is_ascii_digit()) { token.parse().ok() } else { None }
}

fn unescape(token: &str) -> Option<String> {
    let mut plain = String::with_capacity(token.len());
    let mut chars = token.chars();
    while let Some(c) = chars.next() {
        match c {
            '~' => match chars.next()? {
                '0' => plain.push('~'),
                '1' => plain.push('/'),
                _ => return None,
            },
            other => plain.push(other),
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_both_ways() {
        let mut pointer = String::new();
        push(&mut pointer, "a/b");
        push(&mut pointer, "m~n");
        push(&mut pointer, "");
        assert_eq!(pointer, "/a~1b/m~0n/");
        assert_eq!(tokens(&pointer), Some(vec!["a/b".into(), "m~n".into(), String::new()]));
        assert_eq!(tokens("/~01"), Some(vec!["~1".into()]));
    }

    #[test]
    fn finds_what_serde_json_finds() {
        let value = serde_json::json!({ "a": [1, { "b/c": 2, "": 3 }], "01": 4, "~": 5, "é": null });
        for place in [
            "",
            "/a",
            "/a/0",
            "/a/01",
            "/a/+0",
            "/a/-",
            "/a/2",
            "/a/1/b~1c",
            "/a/1/",
            "/01",
            "/~0",
            "/~",
            "a",
            "/é",
            "/a/0/b",
        ] {
            assert_eq!(find(&value, place), value.pointer(place), "{place:?}");
        }
    }

    #[test]
    fn refuses_what_is_no_pointer() {
        assert_eq!(tokens("a"), None);
        assert_eq!(tokens("/~"), None);
        assert_eq!(tokens("/~2"), None);
    }

    #[test]
    fn reads_indices() {
        assert_eq!(index("0"), Some(0));
        assert_eq!(index("10"), Some(10));
        for token in ["", "01", "-", "+1", "1e0", "99999999999999999999999"] {
            assert_eq!(index(token), None, "{token:?}");
        }
    }
}
