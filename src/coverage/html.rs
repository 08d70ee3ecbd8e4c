//! The matrix as one page of HTML.

use super::facts::Facts;
use super::matrix::{ClientRow, Coverage, Part, Row, over};
use super::state::{State, Summary};
use crate::diagnostic::words::{count, list};
use crate::page::{Filter, anchor, badge, document, escape, filters, link, number, row, row_with, table, text};
use crate::verdict::Level;

/// What rows can be hidden by.
const FILTERS: [Filter; 4] =
    [Filter::One("version"), Filter::Typed("section", "3.1"), Filter::One("level"), Filter::One("state")];

/// The page; every text of a catalogue is escaped.
pub(super) fn render(coverage: &Coverage) -> String {
    let mut out = "<h1>What is checked</h1>\n\
         <p>Every requirement of the specifications and of the standards below them, with the cases that check it, and \
         every case with the requirements that it checks. A requirement is</p>\n<dl>\n"
        .to_owned();
    for state in State::ALL {
        out.push_str(&format!("<dt>{}</dt><dd>{}</dd>\n", badge(state.title()), state.meaning()));
    }
    out.push_str(
        "</dl>\n<p>or it binds clients, which <code>a2aspec client</code> checks. A requirement is counted under the \
         first section that makes it; MUST, SHOULD and MAY count what binds servers.</p>\n",
    );
    out.push_str(&contents(&coverage.parts));
    out.push_str(&filters(&FILTERS));
    summary(&mut out, coverage);
    for part in &coverage.parts {
        one_part(&mut out, part);
    }
    cases(&mut out, coverage);
    document("What a2aspec checks", &out)
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
        table(out, &["id", "section", "level", "over", "what it says", "how it is checked"], |out| {
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
    let mut how = badge(requirement.state.title());
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
    row_with(out, &anchor("requirement", &requirement.id), &facts.to_string(), cells);
}

fn client_requirement(out: &mut String, part: &Part, requirement: &ClientRow) {
    let cells = [&requirement.id, &requirement.section, &requirement.level.to_string(), &over(&requirement.bindings)];
    let cases: Vec<String> = requirement.cases.iter().map(|case| link("case", case)).collect();
    let how = match cases.is_empty() {
        true => escape(requirement.because.as_deref().unwrap_or_default()),
        false => cases.join(", "),
    };
    let cells = cells.map(|cell| text(cell)).into_iter().chain([text(&requirement.text), format!("<td>{how}</td>")]);
    let facts = Facts::of(part, &requirement.section, requirement.level, "about clients");
    row_with(out, &anchor("requirement", &requirement.id), &facts.to_string(), cells);
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
            row_with(
                out,
                &anchor("case", &case.id),
                &facts.remove(case.id.as_str()).unwrap_or_default().to_string(),
                cells,
            );
        }
    });
    out.push_str("</section>\n");
}

/// The heads of columns, and those of the states after them.
fn counted<'a>(heads: &[&'a str]) -> Vec<&'a str> {
    heads.iter().copied().chain(State::ALL.map(State::title)).collect()
}

/// Where the text is: a link, if it is on the web.
fn source(source: &str) -> String {
    let shown = escape(source);
    match source.starts_with("https://") || source.starts_with("http://") {
        true => format!("<a href=\"{shown}\">{shown}</a>"),
        false => shown,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::coverage::sample;

    #[test]
    fn only_what_is_on_the_web_is_a_link() {
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
        let form = filters(&FILTERS);
        let names: Vec<&str> = quoted(&form, " name=\"");
        assert_eq!(names, ["version", "section", "level", "state"]);
        for name in names {
            let values: BTreeSet<&str> = quoted(&page, &format!(" data-{name}=\"")).into_iter().collect();
            assert!(values.len() > 1 && !values.contains(""), "{name}: {values:?}");
        }
    }

    #[test]
    fn every_element_is_closed() {
        assert_eq!(crate::page::unbalanced(&render(&sample::coverage())), None);
    }
}
