//! How an agent has changed over its runs: as a picture for the page, and as a line for a terminal.

use super::{Agent, Run};
use crate::diagnostic::words::count;
use crate::page::{anchor, escape};

/// In a terminal the newest runs are shown, up to so many.
const MOST_IN_A_LINE: usize = 10;
/// Up to so many runs have their number at each point; of more, the first and the last.
const MOST_NUMBERS: usize = 12;
/// The picture: its width, and the left and right end of its lines.
const WIDTH: usize = 360;
const LEFT: usize = 30;
const RIGHT: usize = 330;
/// How high a line can rise, and how far the one for tested cases is below the one for violations.
const HEIGHT: usize = 30;
const STEP: usize = 70;

/// Each run as a number, the oldest first.
fn oldest_first(agent: &Agent, number: fn(&Run) -> usize) -> Vec<usize> {
    agent.runs.iter().rev().map(number).collect()
}

fn violations(run: &Run) -> usize {
    run.must_violations
}

fn tested(run: &Run) -> usize {
    run.counts.tested()
}

/// The numbers of an agent in one line; nothing where there is one run.
pub(super) fn line(agent: &Agent) -> Option<String> {
    let row = |number| {
        let numbers = oldest_first(agent, number);
        let hidden = numbers.len().saturating_sub(MOST_IN_A_LINE);
        let older = (hidden > 0).then(|| "…".to_owned());
        let shown = numbers.iter().skip(hidden).map(usize::to_string);
        older.into_iter().chain(shown).collect::<Vec<_>>().join(" → ")
    };
    // Fewer violations of fewer cases are no progress: both are shown.
    (agent.runs.len() > 1).then(|| format!("MUST violations {}  (tested cases {})", row(violations), row(tested)))
}

/// The numbers of an agent as a picture that needs no script.
pub(super) fn picture(agent: &Agent) -> String {
    let (Some(newest), Some(oldest)) = (agent.runs.first(), agent.runs.last()) else { return String::new() };
    let (from, to) = (oldest.day(), newest.day());
    let id = anchor("trend", &format!("{} {}", agent.name, agent.url));
    let rows = [
        ("MUST violations", "fail", oldest_first(agent, violations)),
        ("tested cases", "in-part", oldest_first(agent, tested)),
    ];
    let said = rows.iter().map(|(title, _, numbers)| {
        let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
        format!("{title} {}", numbers.join(", "))
    });
    let said: Vec<String> = said.collect();
    let mut out = format!(
        "<svg class=\"trend\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-labelledby=\"{id} {id}-numbers\">\n\
         <title id=\"{id}\">{}: {} from {} to {}</title>\n<desc id=\"{id}-numbers\">The oldest run first: {}.</desc>\n",
        2 * STEP + 20,
        escape(&agent.label),
        count(agent.runs.len(), "run"),
        escape(from),
        escape(to),
        said.join("; ")
    );
    for (place, (title, class, numbers)) in rows.iter().enumerate() {
        out.push_str(&curve(title, class, numbers, place * STEP));
    }
    let bottom = 2 * STEP + 12;
    out.push_str(&format!(
        "<text x=\"{LEFT}\" y=\"{bottom}\">{}</text>\n<text class=\"end\" x=\"{RIGHT}\" y=\"{bottom}\">{}</text>\n</svg>\n",
        escape(from),
        escape(to)
    ));
    out
}

/// A line with a point for each run.
fn curve(title: &str, class: &str, numbers: &[usize], top: usize) -> String {
    let (most, last) = (numbers.iter().copied().max().unwrap_or_default().max(1), numbers.len().saturating_sub(1));
    let bottom = top + 34 + HEIGHT;
    let points = numbers.iter().enumerate().map(|(place, number)| {
        let x = LEFT + (RIGHT - LEFT) * place / last.max(1);
        (place, x, bottom - HEIGHT * number / most, *number)
    });
    let points: Vec<(usize, usize, usize, usize)> = points.collect();
    let line: Vec<String> = points.iter().map(|(_, x, y, _)| format!("{x},{y}")).collect();
    let mut out = format!(
        "<g class=\"{class}\">\n<text x=\"{LEFT}\" y=\"{}\">{title}</text>\n<polyline points=\"{}\"></polyline>\n",
        top + 14,
        line.join(" ")
    );
    for (place, x, y, number) in points {
        out.push_str(&format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"3\"></circle>"));
        if numbers.len() <= MOST_NUMBERS || place == 0 || place == last {
            out.push_str(&format!("<text class=\"middle\" x=\"{x}\" y=\"{}\">{number}</text>", y - 6));
        }
        out.push('\n');
    }
    out.push_str("</g>\n");
    out
}
