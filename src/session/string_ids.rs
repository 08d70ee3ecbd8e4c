//! Ids of requests whose bytes a case chose, for an agent that reads strings alone.

use bytes::Bytes;
use serde_json::Value;

/// The same id as a string, if it is a number.
pub(super) fn of(id: Value) -> Value {
    match id {
        Value::Number(number) => Value::from(number.to_string()),
        id => id,
    }
}

/// The same bytes, but for each member `id` that is an integer: it is a string of these digits. The bytes need be no JSON, so nothing
/// else of them changes.
pub(super) fn in_place_of_numbers(body: &Bytes) -> Bytes {
    const NAME: &str = "\"id\"";
    let Ok(text) = std::str::from_utf8(body) else { return body.clone() };
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(NAME) {
        made.push_str(before);
        made.push_str(NAME);
        let number = after.trim_start().strip_prefix(':').map(str::trim_start).unwrap_or_default();
        let length = number.bytes().take_while(u8::is_ascii_digit).count();
        rest = after;
        if let Some((digits, behind)) = number.split_at_checked(length).filter(|(digits, _)| !digits.is_empty()) {
            let space = after.len() - number.len();
            made.push_str(after.get(..space).unwrap_or_default());
            made.push_str(&format!("\"{digits}\""));
            rest = behind;
        }
    }
    made.push_str(rest);
    Bytes::from(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_become_strings() {
        let rows = [
            (r#"{"id":1,"params":{"id":"t"}}"#, r#"{"id":"1","params":{"id":"t"}}"#),
            (r#"[{"id" : 12},{"id":null,"x":3}]"#, r#"[{"id" : "12"},{"id":null,"x":3}]"#),
            (r#"{"id": 7"#, r#"{"id": "7""#),
            (r#"{"id"#, r#"{"id"#),
            (r#"{"id""#, r#"{"id""#),
        ];
        for (given, made) in rows {
            assert_eq!(in_place_of_numbers(&Bytes::from(given)), made, "{given}");
        }
    }
}
