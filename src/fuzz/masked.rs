//! What an agent says, without the values that it may have taken from a request.

use serde_json::Value;

/// A word of so many letters may be in a text by chance.
const SHORT: usize = 3;
/// So many words of a text tell it from another: how much of a long text is shown depends on its values.
const MOST_WORDS: usize = 8;
/// What stands for a value.
const VALUE: &str = "#";

/// The words of a text without values: what is in quotes, what was sent, and words with digits or with characters that no word of a
/// programmer has.
pub(super) fn masked(text: &str, sent: &Value) -> String {
    let mut words = Vec::new();
    let mut quoted: Option<char> = None;
    for word in text.split_whitespace() {
        let marks = |mark: char| word.chars().filter(|one| *one == mark).count();
        if let Some(mark) = quoted {
            quoted = (marks(mark) % 2 == 0).then_some(mark);
            continue;
        }
        let mark = ['`', '\''].into_iter().find(|mark| word.trim_matches(['"', '(', '[', ':']).starts_with(*mark));
        quoted = mark.filter(|mark| marks(*mark) % 2 == 1);
        let bare = word.trim_matches(|one: char| one.is_ascii_punctuation());
        let is_value = mark.is_some()
            || bare.chars().any(|one| one.is_ascii_digit() || !one.is_ascii_graphic())
            || (bare.len() > SHORT && is_said(sent, bare));
        let word = if is_value { VALUE } else { bare };
        if words.last() != Some(&word) {
            words.push(word);
        }
    }
    words.truncate(MOST_WORDS);
    words.join(" ").to_ascii_lowercase()
}

/// Whether a text of a request has a word in it.
fn is_said(sent: &Value, word: &str) -> bool {
    match sent {
        Value::String(text) => text.contains(word),
        Value::Array(items) => items.iter().any(|item| is_said(item, word)),
        Value::Object(members) => members.values().any(|member| is_said(member, word)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_count_without_values() {
        let sent = json!({ "id": "said so" });
        let said = |text: &str| masked(text, &sent);
        for text in
            ["no task 'a b c' in context 17", "no task 'x' in context a2aspec-0198", "no task `x y` in context é"]
        {
            assert_eq!(said(text), "no task # in context #");
        }
        assert_eq!(said("no context 'a'"), "no context #");
        assert_eq!(said("cannot read said"), "cannot read #");
        assert_eq!(said("one two three four five six seven eight nine ten"), "one two three four five six seven eight");
        assert_eq!(said(""), "");
    }
}
