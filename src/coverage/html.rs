//! The matrix as one page of HTML, which needs no other file and no network. A short script hides what is not looked for;
//! without it the whole page is there.

use super::facts::Facts;
use super::matrix::{ClientRow, Coverage, Part, Row, over};
use super::state::{State, Summary};
use crate::diagnostic::words::{count, list};
use crate::verdict::Level;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("filter.js");

/// What rows can be hidden by, for the script to fill.
const FILTERS: &str = "<form id=\"filters\" hidden>\n\
    <label>version <select name=\"version\"><option value=\"\">all</option></select></label>\n\
    <label>section <input name=\"section\" type=\"search\" size=\"8\" placeholder=\"3.1\"></label>\n\
    <label>level <select name=\"level\"><option value=\"\">all</option></select></label>\n\
    <label>state <select name=\"state\"><option value=\"\">all</option></select></label>\n\
    <button type=\"reset\">show all</button>\n<output aria-live=\"polite\"></output>\n</form>\n";

/// The page; every text of a catalogue is escaped.
pub(super) fn render(coverage: &Coverage) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>What a2aspec checks</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>What is checked</h1>\n\
         <p>Every requirement of the specifications and of the standards below them, with the cases that check it, and \
         every case with the requirements that it checks. A requirement is</p>\n<dl>\n"
    );
    for state in State::ALL {
        out.push_str(&format!("<dt>{}</dt><dd>{}</dd>\n", badge(state), state.meaning()));
    }
    out.push_str(
        "</dl>\n<p>or it binds clients, which a suite for servers does not check. A requirement is counted under the \
         first section that makes it; MUST, SHOULD and MAY count what binds servers.</p>\n",
    );
    out.push_str(&contents(&coverage.parts));
    out.push_str(FILTERS);
    summary(&mut out, coverage);
    for part in &coverage.parts {
        one_part(&mut out, part);
    }
    cases(&mut out, coverage);
    out.push_str(&format!("</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"));
    out
}

fn contents(parts: &[Part]) -> String {
    let mut out = "<nav>\n<a href=\"#summary\">Summary</a>\n".to_owned();
    for part in parts {
        out.push_str(&format!("<a href=\"#{}\">{}</a>\n", anchor("part", &part.catalogue), escape(&part.title)));
    }
    out.push_str("<a href=\"#cases\">Cases</a>\n</nav>\n");
    out
}

fn summary(out: &mut String, coverage: &Coverage) {
    out.push_str("<h2 id=\"summary\">Summary</h2>\n");
    table(out, &counted(&["part", "level", "requirements"]), |out| {
        for part in &coverage.parts {
            levels(out, &part.title, &part.summary);
        }
        levels(out, "all", &coverage.summary);
    });
    if !coverage.equipment.is_empty() {
        out.push_str("<p>What needs equipment, or would be seen better with it:</p>\n");
        table(out, &["needs", "MUST", "SHOULD", "MAY"], |out| {
            for equipment in &coverage.equipment {
                let counts = Level::ALL.map(|level| number(equipment.summary.level(level).total));
                row(out, "", std::iter::once(text(&equipment.need.to_string())).chain(counts));
            }
        });
    }
}

/// One line for each level that there is.
fn levels(out: &mut String, title: &str, summary: &Summary) {
    for level in Level::ALL {
        let counts = summary.level(level);
        if counts.total > 0 {
            let states = State::ALL.map(|state| number(counts.of(state)));
            row(out, "", [text(title), text(&level.to_string()), number(counts.total)].into_iter().chain(states));
        }
    }
}

fn one_part(out: &mut String, part: &Part) {
    let title = escape(&part.title);
    out.push_str(&format!("<section>\n<h2 id=\"{}\">{title}</h2>\n", anchor("part", &part.catalogue)));
    let included = match part.included_by.as_slice() {
        [] => String::new(),
        names => format!(" It counts as part of {}.", escape(&list(names))),
    };
    let clients = match part.client_requirements.len() {
        0 => String::new(),
        some => format!(" and {some} for clients"),
    };
    let servers = count(part.requirements.len(), "requirement");
    out.push_str(&format!("<p>{servers} for servers{clients}, from {}.{included}</p>\n", source(&part.source)));
    if !part.sections.is_empty() {
        out.push_str(&format!("<details>\n<summary>Sections of {title}</summary>\n"));
        table(out, &counted(&["section", "MUST", "SHOULD", "MAY"]), |out| {
            for section in &part.sections {
                let levels = Level::ALL.map(|level| number(section.summary.level(level).total));
                let states = State::ALL.map(|state| number(section.summary.total_of(state)));
                row(out, "", std::iter::once(text(&section.section)).chain(levels).chain(states));
            }
        });
        out.push_str("</details>\n");
        out.push_str(&format!("<h3>Requirements of {title}</h3>\n"));
        table(out, &["id", "section", "level", "over", "what it says", "how it is checked"], |out| {
            part.requirements.iter().for_each(|row| requirement(out, part, row));
        });
    }
    if !part.client_requirements.is_empty() {
        out.push_str(&format!("<h3>What {title} asks of clients</h3>\n"));
        table(out, &["id", "section", "level", "over", "what it says"], |out| {
            part.client_requirements.iter().for_each(|row| client_requirement(out, part, row));
        });
    }
    if !part.renamed.is_empty() {
        out.push_str(&format!("<h3>Ids of {title} that became others</h3>\n"));
        table(out, &["id", "is now"], |out| {
            for renamed in &part.renamed {
                let new = format!("<td>{}</td>", link("requirement", &renamed.renamed_to));
                row(out, &anchor("requirement", &renamed.id), [text(&renamed.id), new]);
            }
        });
    }
    out.push_str("</section>\n");
}

fn requirement(out: &mut String, part: &Part, requirement: &Row) {
    let mut how = badge(requirement.state);
    let remark = requirement.remark();
    // The badge has said that already.
    let remark =
        remark.strip_prefix(requirement.state.title()).unwrap_or(&remark).trim_start_matches([':', ';']).trim();
    if !remark.is_empty() {
        how.push_str(&format!(" {}", escape(remark)));
    }
    if !requirement.cases.is_empty() {
        let cases: Vec<String> = requirement.cases.iter().map(|case| link("case", case)).collect();
        how.push_str(&format!("<br>{}", cases.join(", ")));
    }
    let cells = [&requirement.id, &requirement.section, &requirement.level.to_string(), &over(&requirement.bindings)];
    let cells = cells.map(|cell| text(cell)).into_iter().chain([text(&requirement.text), format!("<td>{how}</td>")]);
    let facts = Facts::of(part, &requirement.section, requirement.level, requirement.state.title());
    row_with(out, &anchor("requirement", &requirement.id), &facts, cells);
}

fn client_requirement(out: &mut String, part: &Part, requirement: &ClientRow) {
    let cells = [&requirement.id, &requirement.section, &requirement.level.to_string(), &over(&requirement.bindings)];
    let cells = cells.map(|cell| text(cell)).into_iter().chain([text(&requirement.text)]);
    let facts = Facts::of(part, &requirement.section, requirement.level, "about clients");
    row_with(out, &anchor("requirement", &requirement.id), &facts, cells);
}

fn cases(out: &mut String, coverage: &Coverage) {
    let mut facts = Facts::of_cases(coverage);
    out.push_str("<section>\n<h2 id=\"cases\">Cases</h2>\n");
    out.push_str(&format!("<p>{} and what each checks.</p>\n", count(coverage.cases.len(), "case")));
    table(out, &["case", "what it checks", "over", "for"], |out| {
        for case in &coverage.cases {
            let checks = case.requirements.iter();
            let rules = checks.map(|check| format!("{} ({})", link("requirement", &check.id), check.level));
            let rules: Vec<String> = rules.chain(case.own_rule().map(|rule| escape(&rule))).collect();
            let rules = format!("<td>{}</td>", rules.join(", "));
            let cells = [text(&case.id), text(&case.title), text(&case.runs_over()), rules];
            row_with(out, &anchor("case", &case.id), &facts.remove(case.id.as_str()).unwrap_or_default(), cells);
        }
    });
    out.push_str("</section>\n");
}

/// The heads of columns, and those of the states after them.
fn counted<'a>(heads: &[&'a str]) -> Vec<&'a str> {
    heads.iter().copied().chain(State::ALL.map(State::title)).collect()
}

/// A table, which scrolls by itself where the page is narrow.
fn table(out: &mut String, heads: &[&str], rows: impl FnOnce(&mut String)) {
    out.push_str("<div class=\"table\"><table>\n<thead><tr>");
    for head in heads {
        out.push_str(&format!("<th scope=\"col\">{head}</th>"));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    rows(out);
    out.push_str("</tbody>\n</table></div>\n");
}

/// A line of a table that can be hidden.
fn row_with(out: &mut String, anchor: &str, facts: &Facts, cells: impl IntoIterator<Item = String>) {
    out.push_str(&format!("<tr id=\"{anchor}\"{facts}>"));
    out.extend(cells);
    out.push_str("</tr>\n");
}

/// A line of a table; an empty anchor is none.
fn row(out: &mut String, anchor: &str, cells: impl IntoIterator<Item = String>) {
    let id = if anchor.is_empty() { String::new() } else { format!(" id=\"{anchor}\"") };
    out.push_str(&format!("<tr{id}>"));
    out.extend(cells);
    out.push_str("</tr>\n");
}

/// A cell with a text.
fn text(text: &str) -> String {
    format!("<td>{}</td>", escape(text))
}

/// A cell with a number: nothing for none, so that what is there stands out.
fn number(number: usize) -> String {
    let number = if number == 0 { String::new() } else { number.to_string() };
    format!("<td class=\"number\">{number}</td>")
}

fn badge(state: State) -> String {
    let class = state.title().replace(' ', "-");
    format!("<span class=\"state {class}\">{}</span>", state.title())
}

fn link(kind: &str, id: &str) -> String {
    format!("<a href=\"#{}\">{}</a>", anchor(kind, id), escape(id))
}

/// Where the text is: a link, if it is on the web.
fn source(source: &str) -> String {
    let shown = escape(source);
    match source.starts_with("https://") || source.starts_with("http://") {
        true => format!("<a href=\"{shown}\">{shown}</a>"),
        false => shown,
    }
}

/// The name of a place in the page, the same for a place and for what leads there.
fn anchor(kind: &str, id: &str) -> String {
    let mut anchor = format!("{kind}-");
    for letter in id.chars() {
        match letter {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' | '_' | '/' => anchor.push(letter),
            other => anchor.push_str(&format!("~{:x}", u32::from(other))),
        }
    }
    anchor
}

pub(super) fn escape(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ if letter.is_control() => out.push(' '),
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::coverage::sample;

    #[test]
    fn nothing_is_taken_for_markup() {
        assert_eq!(escape("<b> & \"c\" 'd'\u{7}"), "&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; ");
        assert_eq!(anchor("case", "get/it\"<> x"), "case-get/it~22~3c~3e~20x");
        assert_eq!(source("javascript:alert(1)"), "javascript:alert(1)");
    }

    /// What follows `before` up to the next quotation mark, wherever it stands.
    fn quoted<'a>(page: &'a str, before: &str) -> Vec<&'a str> {
        page.split(before).skip(1).filter_map(|rest| rest.split('"').next()).collect()
    }

    #[test]
    fn every_link_leads_to_one_place() {
        let page = render(&sample::coverage());
        let places = quoted(&page, " id=\"");
        let unique: BTreeSet<&str> = places.iter().copied().collect();
        assert_eq!(places.len(), unique.len(), "{places:?}");
        let links = quoted(&page, "href=\"#");
        assert!(links.len() > 5, "{links:?}");
        for link in links {
            assert!(unique.contains(link), "nothing is at {link}");
        }
    }

    #[test]
    fn every_filter_is_about_something() {
        let page = render(&sample::coverage());
        let names: Vec<&str> = quoted(FILTERS, " name=\"");
        assert_eq!(names, ["version", "section", "level", "state"]);
        for name in names {
            let values: BTreeSet<&str> = quoted(&page, &format!(" data-{name}=\"")).into_iter().collect();
            assert!(values.len() > 1 && !values.contains(""), "{name}: {values:?}");
        }
    }

    #[test]
    fn every_element_is_closed() {
        let page = render(&sample::coverage());
        let mut open = Vec::new();
        for tag in page.split('<').skip(1).filter_map(|rest| rest.split('>').next()) {
            let name = tag.split(' ').next().unwrap_or(tag);
            match name.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name), "in {page}"),
                None if matches!(name, "!DOCTYPE" | "meta" | "br" | "input") => {}
                None => open.push(name),
            }
        }
        assert_eq!(open, Vec::<&str>::new());
    }
}
