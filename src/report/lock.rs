//! What clients lose with the card that a run has read: it is held against a file of `a2aspec card lock`.

use serde::{Deserialize, Serialize};

use crate::diagnostic::words::count_as;

/// What became of a file of `a2aspec card lock` in a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct LockInfo {
    /// The file.
    pub file: String,
    /// What clients lose, a sentence each. Anything fails the gate.
    pub lost: Vec<String>,
}

impl LockInfo {
    /// Whether clients lose anything.
    pub fn is_broken(&self) -> bool {
        !self.lost.is_empty()
    }

    /// The whole in one sentence, without a full stop.
    pub(crate) fn sentence(&self) -> String {
        match self.lost.len() {
            0 => format!("clients lose nothing that {} has", self.file),
            all => format!("clients lose {} that {} has", count_as(all, "thing", "things"), self.file),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, render, sample};
    use super::*;

    #[test]
    fn the_reports_that_people_read_name_each_loss() {
        let lost = ["the skill \"a\" is gone", "the skill \"b\\u{1b}[2J\" is gone"].map(str::to_owned).to_vec();
        let lock = Some(LockInfo { file: "card.lock.json".to_owned(), lost });
        let report = super::super::Report { lock, ..sample::full() };
        for format in [Format::Terminal, Format::Markdown, Format::Html, Format::Github, Format::Json] {
            let text = render(&report, format, 100);
            assert_eq!(text.matches(" is gone").count(), 2, "{format}: {text}");
            assert!(text.contains("card.lock.json") && !text.contains("\u{1b}[2J"), "{format}: {text}");
        }
    }
}
