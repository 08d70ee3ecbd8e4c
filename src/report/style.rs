//! Colours. Text carries them as ANSI escapes; `anstream` removes them where they are not wanted.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

use crate::verdict::Verdict;

/// What must be seen first.
pub(crate) const STRONG: Style = Style::new().bold();

/// What is there for who looks for it.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// The colour of a verdict.
pub(crate) const fn of(verdict: Verdict) -> Style {
    let colour = match verdict {
        Verdict::Pass => AnsiColor::Green,
        Verdict::Skipped => return FAINT,
        Verdict::Unreached => AnsiColor::Magenta,
        Verdict::Broken => AnsiColor::BrightMagenta,
        Verdict::Note => AnsiColor::Cyan,
        Verdict::Flaky => AnsiColor::Blue,
        Verdict::Warn => AnsiColor::Yellow,
        Verdict::Fail => AnsiColor::Red,
    };
    colour.on_default().bold()
}

/// The text in a style.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}
