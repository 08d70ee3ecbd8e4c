//! Events whose data hold several JSON texts, which some agents send in place of several events.

use serde::de::IgnoredAny;

use crate::MOST_EVENTS;

/// The JSON objects of which data consist, one after the other with white space or U+001E between them; none unless there are
/// several and nothing else. A text that is one JSON text is not read for this.
pub(crate) fn objects_in(data: &str) -> Vec<String> {
    if !data.split('}').skip(1).any(|rest| rest.trim_start_matches(is_between).starts_with('{')) {
        return Vec::new();
    }
    read(&data.replace('\u{1e}', " ")).filter(|found| found.len() > 1).unwrap_or_default()
}

fn is_between(one: char) -> bool {
    matches!(one, ' ' | '\t' | '\r' | '\n' | '\u{1e}')
}

fn read(text: &str) -> Option<Vec<String>> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let (mut found, mut begin) = (Vec::new(), 0);
    while let Some(value) = values.next() {
        value.ok()?;
        let object = text.get(begin..values.byte_offset())?.trim();
        if !object.starts_with('{') || found.len() >= MOST_EVENTS {
            return None;
        }
        found.push(object.to_owned());
        begin = values.byte_offset();
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_objects_are_told_from_one_text() {
        for (data, wanted) in [
            (r#"{"a":1}{"b":2}"#, vec![r#"{"a":1}"#, r#"{"b":2}"#]),
            ("{}\n\n {\"b\":{}} ", vec!["{}", r#"{"b":{}}"#]),
            ("\u{1e}{}\n\u{1e}{}\n\u{1e}{}", vec!["{}"; 3]),
            (r#"{"a":"}{"}"#, vec![]),
            (r#"{"a":"}{"} {}"#, vec![r#"{"a":"}{"}"#, "{}"]),
            (r#"{"a":[{},{}]}"#, vec![]),
            ("{} {", vec![]),
            ("{} {} 1", vec![]),
            ("[]{}{}", vec![]),
            ("{},{}", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(objects_in(data), wanted, "{data:?}");
        }
        assert!(objects_in(&"{}".repeat(MOST_EVENTS + 1)).is_empty());
    }
}
