//! Words of a shell, for command lines that people copy.

/// Characters beside letters and digits that no shell reads otherwise.
const PLAIN: &str = "-_./:=@%+,";

/// A text as one word of a shell, whatever is in it. Those of `also_plain` need no quotes, either.
pub fn word(text: &str, also_plain: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || PLAIN.contains(c) || also_plain.contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// A command with its arguments as a shell takes it.
pub fn line(words: &[String]) -> String {
    words.iter().map(|text| word(text, "")).collect::<Vec<_>>().join(" ")
}
