//! A run that could not be done: why, and what to do about it.

use super::super::failure::ErrorInfo;
use super::super::model::Report;
use super::super::style::{self, STRONG, paint};
use super::summary::conclusion;
use crate::diagnostic::words::{one_line, wrap};
use crate::verdict::Verdict;

pub(super) fn render(report: &Report, error: &ErrorInfo, width: usize) -> String {
    let mut out = format!("{}\n\n", paint(STRONG, format_args!("not checked: {}", one_line(&report.target.url))));
    let name = paint(style::of(Verdict::Fail), "ERROR");
    for (index, line) in wrap(&one_line(&error.message), width - 6).into_iter().enumerate() {
        out.push_str(&if index == 0 { format!("{name} {line}\n") } else { format!("      {line}\n") });
    }
    for line in &error.details {
        out.push_str(&format!("      {}\n", one_line(line)));
    }
    for (index, line) in error.help.iter().flat_map(|help| wrap(&one_line(help), width - 6)).enumerate() {
        out.push_str(&format!("{:5} {line}\n", if index == 0 { "help:" } else { "" }));
    }
    out.push_str(&format!("\n{}\n", conclusion(report, width)));
    out
}
