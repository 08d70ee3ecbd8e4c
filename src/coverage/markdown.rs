//! The matrix as Markdown, with the tables of GitHub's.

use super::matrix::{CaseRow, ClientRow, Coverage, Equipment, Part, Row, over};
use super::state::{State, Summary};
use crate::diagnostic::words::{count, list};
use crate::verdict::Level;

/// The matrix; every text of a catalogue is escaped.
pub(super) fn render(coverage: &Coverage) -> String {
    let mut out = Text::default();
    out.paragraph("# What is checked");
    out.paragraph(
        "Every requirement of the specifications and of the standards below them, with the cases that check it, and \
         every case with the requirements that it checks. Written by `a2aspec coverage --report markdown`, not by hand. A requirement is",
    );
    for state in State::ALL {
        out.line(&format!("- *{}*: {};", state.title(), state.meaning()));
    }
    out.paragraph(
        "\nor it binds clients, which `a2aspec client` checks. A requirement is counted under the first \
         section that makes it; MUST, SHOULD and MAY count what binds servers.",
    );
    summary(&mut out, coverage);
    for part in &coverage.parts {
        one_part(&mut out, part);
    }
    cases(&mut out, &coverage.cases);
    out.0.truncate(out.0.trim_end().len());
    out.line("");
    out.0
}

fn summary(out: &mut Text, coverage: &Coverage) {
    out.paragraph("## Summary");
    out.head(&counted(&["part", "level", "requirements"]), 2);
    for part in &coverage.parts {
        levels(out, &part.title, &part.summary);
    }
    levels(out, "all", &coverage.summary);
    out.line("");
    if !coverage.equipment.is_empty() {
        out.paragraph("What needs equipment, or would be seen better with it:");
        out.equipment(&coverage.equipment);
    }
}

/// One line for each level that there is.
fn levels(out: &mut Text, title: &str, summary: &Summary) {
    for level in Level::ALL {
        let counts = summary.level(level);
        if counts.total > 0 {
            let states = State::ALL.map(|state| number(counts.of(state)));
            out.row([escape(title), level.to_string(), counts.total.to_string()].into_iter().chain(states));
        }
    }
}

fn one_part(out: &mut Text, part: &Part) {
    let title = escape(&part.title);
    out.paragraph(&format!("## {title}"));
    let included = match part.included_by.as_slice() {
        [] => String::new(),
        names => format!(" It counts as part of {}.", escape(&list(names))),
    };
    let clients = match part.client_requirements.len() {
        0 => String::new(),
        some => format!(" and {some} for clients"),
    };
    let servers = count(part.requirements.len(), "requirement");
    out.paragraph(&format!("{servers} for servers{clients}, from {}.{included}", escape(&part.source)));
    if !part.sections.is_empty() {
        out.paragraph(&format!("### Sections of {title}"));
        out.head(&counted(&["section", "MUST", "SHOULD", "MAY"]), 1);
        for section in &part.sections {
            let levels = Level::ALL.map(|level| number(section.summary.level(level).total));
            let states = State::ALL.map(|state| number(section.summary.total_of(state)));
            out.row(std::iter::once(escape(&section.section)).chain(levels).chain(states));
        }
        out.line("");
        out.paragraph(&format!("### Requirements of {title}"));
        out.head(&["id", "section", "level", "over", "what it says", "how it is checked"].map(str::to_owned), 6);
        for row in &part.requirements {
            requirement(out, row);
        }
        out.line("");
    }
    if !part.client_requirements.is_empty() {
        out.paragraph(&format!("### What {title} asks of clients"));
        let heads = ["id", "section", "level", "over", "what it says", "how it is checked"];
        out.head(&heads.map(str::to_owned), 6);
        for row in &part.client_requirements {
            client_requirement(out, row);
        }
        out.line("");
    }
    if !part.renamed.is_empty() {
        renamed(out, part);
    }
}

fn renamed(out: &mut Text, part: &Part) {
    out.paragraph(&format!("### Ids of {} that became others", escape(&part.title)));
    out.head(&["id", "is now"].map(str::to_owned), 2);
    for renamed in &part.renamed {
        out.row([&renamed.id, &renamed.renamed_to].map(|id| escape(id)));
    }
    out.line("");
}

fn requirement(out: &mut Text, row: &Row) {
    let cases: Vec<String> = row.cases.iter().map(|case| format!("`{case}`")).collect();
    let how: Vec<String> =
        [cases.join(", "), escape(&row.remark())].into_iter().filter(|text| !text.is_empty()).collect();
    let cells = [&row.id, &row.section, &row.level.to_string(), &over(&row.bindings), &row.text];
    out.row(cells.map(|cell| escape(cell)).into_iter().chain([how.join("; ")]));
}

fn client_requirement(out: &mut Text, row: &ClientRow) {
    let cases: Vec<String> = row.cases.iter().map(|case| format!("`{case}`")).collect();
    let how = if cases.is_empty() { escape(row.because.as_deref().unwrap_or_default()) } else { cases.join(", ") };
    let cells = [&row.id, &row.section, &row.level.to_string(), &over(&row.bindings), &row.text];
    out.row(cells.map(|cell| escape(cell)).into_iter().chain([how]));
}

fn cases(out: &mut Text, cases: &[CaseRow]) {
    out.paragraph("## Cases");
    out.paragraph(&format!("{} and what each checks.", count(cases.len(), "case")));
    out.head(&["case", "what it checks", "over", "for"].map(str::to_owned), 4);
    for case in cases {
        let requirements = case.requirements.iter().map(|check| format!("{} ({})", check.id, check.level));
        let rules: Vec<String> = requirements.chain(case.own_rule()).collect();
        let cells = [escape(&case.title), case.runs_over(), escape(&rules.join(", "))];
        out.row(std::iter::once(format!("`{}`", case.id)).chain(cells));
    }
    out.line("");
}

/// The heads of columns, and those of the states after them.
fn counted(heads: &[&str]) -> Vec<String> {
    heads.iter().copied().chain(State::ALL.map(State::title)).map(str::to_owned).collect()
}

/// A number of a table: nothing for none, so that what is there stands out.
pub(super) fn number(number: usize) -> String {
    if number == 0 { String::new() } else { number.to_string() }
}

/// Markdown under way.
#[derive(Default)]
pub(super) struct Text(pub(super) String);

impl Text {
    pub(super) fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    pub(super) fn paragraph(&mut self, text: &str) {
        self.line(text);
        self.line("");
    }

    /// The head of a table, whose first columns are texts and the others numbers.
    pub(super) fn head(&mut self, heads: &[String], texts: usize) {
        self.row(heads.iter().cloned());
        let rule = (0..heads.len()).map(|column| if column < texts { "---" } else { "--:" });
        self.line(&format!("|{}|", rule.collect::<Vec<_>>().join("|")));
    }

    /// A line of a table, of cells that are Markdown.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().collect();
        self.line(&format!("| {} |", cells.join(" | ")));
    }

    /// How many requirements need which equipment, by level.
    pub(super) fn equipment(&mut self, all: &[Equipment]) {
        self.head(&["equipment", "MUST", "SHOULD", "MAY"].map(str::to_owned), 1);
        for equipment in all {
            let counts = Level::ALL.map(|level| number(equipment.summary.level(level).total));
            self.row(std::iter::once(equipment.need.to_string()).chain(counts));
        }
        self.line("");
    }
}

/// A text without a character that Markdown would take for its own.
pub(super) fn escape(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let is_inside_a_word = |at: usize| {
        let is_letter = |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(|c| c.is_alphanumeric());
        is_letter(at.checked_sub(1)) && is_letter(at.checked_add(1))
    };
    let mut out = String::new();
    for (at, letter) in letters.iter().copied().enumerate() {
        match letter {
            '&' => out.push_str("&amp;"),
            // Within a word it means nothing, and names are full of it.
            '_' if is_inside_a_word(at) => out.push('_'),
            '\\' | '|' | '<' | '>' | '*' | '_' | '`' | '[' | ']' | '~' | '$' => out.extend(['\\', letter]),
            _ if letter.is_control() => out.push(' '),
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_taken_for_markup() {
        assert_eq!(escape("TASK_STATE_X, a|b and *c*"), "TASK_STATE_X, a\\|b and \\*c\\*");
        assert_eq!(escape("_x_ `y` [z](w) <b> & \\ ~"), "\\_x\\_ \\`y\\` \\[z\\](w) \\<b\\> &amp; \\\\ \\~");
    }
}
