//! Mistakes in texts, shown with the line that holds them and a caret under it.
//!
//! Enters: what is wrong and where, with the text if there is one. Leaves: text for a terminal, styled with ANSI
//! escapes; print it through `anstream`, which removes them where they are not wanted. Nothing of a text that came
//! from a network reaches the terminal as a control character.

pub mod excerpt;
pub mod near;
pub mod place;
pub mod shell;
pub mod words;

use std::collections::BTreeSet;
use std::ops::Range;

use annotate_snippets::{Group, Level, Origin, Renderer};

use crate::json;
use crate::yaml::Mistake;
use excerpt::Excerpt;
use words::{count, one_line};

/// One thing that is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic<'a> {
    /// What is wrong: a lower-case fragment without a full stop.
    pub message: String,
    /// The text's name: a path or a URL.
    pub origin: String,
    /// The text, where it is at hand.
    pub text: Option<&'a str>,
    /// The bytes of the text that are wrong; `None`: the text as a whole.
    pub span: Option<Range<usize>>,
    /// What stands beside the caret.
    pub label: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// Whether the work goes on all the same.
    pub is_warning: bool,
}

impl<'a> Diagnostic<'a> {
    /// Something wrong with a text as a whole.
    pub fn new(origin: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            origin: origin.into(),
            text: None,
            span: None,
            label: None,
            help: None,
            is_warning: false,
        }
    }

    /// Something wrong with the value of a JSON text that an RFC 6901 pointer names, such as `/skills/0/id` of a card.
    ///
    /// Where the text has no such value the caret stands at the nearest one around it; where the text is not JSON it
    /// stands where the text stops being JSON.
    pub fn at_pointer(origin: impl Into<String>, text: &'a str, pointer: &str, message: impl Into<String>) -> Self {
        let new = Self { text: Some(text), ..Self::new(origin, message) };
        match json::parse(text.as_bytes(), &json::Limits::default()) {
            Ok(document) => {
                let place = place::in_document(&document, pointer);
                Self { span: Some(place.span.clone()), label: place.missing(), ..new }
            }
            Err(error) => {
                Self { span: Some(place::token_at(text, error.offset)), label: Some(error.kind.to_string()), ..new }
            }
        }
    }

    /// Something wrong at a byte of a text. An offset past the end counts as the end.
    pub fn at_offset(origin: impl Into<String>, text: &'a str, offset: usize, message: impl Into<String>) -> Self {
        Self { text: Some(text), span: Some(place::token_at(text, offset)), ..Self::new(origin, message) }
    }

    /// Makes it a warning instead of an error.
    #[must_use]
    pub fn warning(self) -> Self {
        Self { is_warning: true, ..self }
    }

    /// The diagnostic as text that ends with a line feed, at most `width` columns wide where that is possible.
    pub fn render(&self, width: usize) -> String {
        let message = one_line(&self.message);
        let level = if self.is_warning { Level::WARNING } else { Level::ERROR };
        let mut group = Group::with_title(level.primary_title(message));
        let excerpt = self.text.zip(self.span.clone()).map(|(text, span)| {
            let excerpt = Excerpt::new(&self.origin, text, span);
            match &self.label {
                Some(label) => excerpt.label(label.as_str()),
                None => excerpt,
            }
        });
        group = match &excerpt {
            Some(excerpt) => excerpt.extend(group),
            None => group.element(Origin::path(one_line(&self.origin))),
        };
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(one_line(help)));
        }
        let renderer = Renderer::styled().hyperlink(false).term_width(excerpt::source_width(width));
        format!("{}\n", renderer.render(&[group]))
    }
}

/// Mistakes in files, each with its line where `source` knows the text of the file, and how many there are.
///
/// Empty when there is no mistake.
pub fn mistakes<'a>(mistakes: &[Mistake], source: impl Fn(&str) -> Option<&'a str>, width: usize) -> String {
    let mut out = String::new();
    for mistake in mistakes {
        let text = source(&mistake.file);
        let diagnostic = Diagnostic {
            text,
            span: text.zip(mistake.offset).map(|(text, offset)| match mistake.length {
                0 => place::token_at(text, offset),
                length => offset..offset + length,
            }),
            help: mistake.help.clone(),
            ..Diagnostic::new(&mistake.file, &mistake.message)
        };
        out.push_str(&diagnostic.render(width));
        out.push('\n');
    }
    let files: BTreeSet<&str> = mistakes.iter().map(|mistake| mistake.file.as_str()).collect();
    if mistakes.len() > 1 {
        out.push_str(&format!("{} in {}\n", count(mistakes.len(), "mistake"), count(files.len(), "file")));
    }
    out
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;

    const YAML: &str =
        "cases:\n  - id: get/unknown-id\n    titel: a task that was never created\n    why: it matters\n";

    fn mistake(file: &str, offset: Option<usize>, message: &str, help: Option<&str>) -> Mistake {
        Mistake { offset, help: help.map(ToOwned::to_owned), ..Mistake::whole(file, message) }
    }

    #[test]
    fn mistakes_show_their_line() {
        let list = [
            mistake("cases/get/get.yaml", YAML.find("titel"), "unknown field `titel`", Some("did you mean `title`?")),
            mistake("cases/get/get.yaml", Some(YAML.len()), "missing field `right`", None),
            mistake("own/lost.yaml", Some(3), "cannot be read: permission denied", None),
        ];
        let text = mistakes(&list, |file| (file == "cases/get/get.yaml").then_some(YAML), 90);
        insta::assert_snapshot!(strip_str(&text).to_string());
    }

    #[test]
    fn no_mistakes_are_no_text() {
        assert_eq!(mistakes(&[], |_| None, 90), "");
    }

    #[test]
    fn card_problems_point_into_the_card() {
        let url = "http://127.0.0.1:41241/.well-known/agent-card.json";
        let card = "{\n  \"name\": \"Echo\",\n  \"skills\": [\n    { \"id\": 7, \"name\": \"echo\" }\n  ]\n}\n";
        let shown = [
            Diagnostic::at_pointer(url, card, "/skills/0/id", "the card is not valid: the id of a skill is no string"),
            Diagnostic {
                help: Some("describe each skill".to_owned()),
                ..Diagnostic::at_pointer(
                    url,
                    card,
                    "/skills/0/description",
                    "the card is not valid: a skill has no description",
                )
            },
            Diagnostic::at_pointer(url, "<html><body>Not found", "", "the card is not JSON"),
            Diagnostic::at_offset(url, "{\"name\": \"Echo\"\u{1b}[2J", 15, "the card is not JSON"),
            Diagnostic::new(url, "no card was found").warning(),
        ];
        let shown: Vec<String> = shown.iter().map(|one| strip_str(&one.render(90)).to_string()).collect();
        insta::assert_snapshot!(shown.join("\n"));
    }
}
