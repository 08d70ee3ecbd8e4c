//! The requirements that were checked, a row for each in each version.

use std::collections::BTreeSet;

use super::super::model::{Report, RequirementResult};
use crate::page::{anchor, brief_badge, brief_row, escape, table_of_facts};

pub(super) fn render(out: &mut String, report: &Report) {
    out.push_str("<section>\n<h2 id=\"requirements\">Requirements</h2>\n");
    // Standards that several versions share have one id in all of them: what leads there leads to the first.
    let mut known = BTreeSet::new();
    table_of_facts(out, &["verdict", "id", "version", "level", "section", "what it says", "checked by"], |out| {
        for requirement in &report.requirements {
            one(out, requirement, known.insert(&requirement.id));
        }
    });
    out.push_str("</section>\n");
}

fn one(out: &mut String, requirement: &RequirementResult, is_first: bool) {
    let RequirementResult { id, profile, level, text: says, verdict, reason, cases, .. } = requirement;
    let why = reason.as_ref().map(|reason| format!("<br>{}", escape(&reason.to_string()))).unwrap_or_default();
    let cells = [
        brief_badge(verdict.name()),
        escape(id),
        escape(profile),
        level.to_string(),
        sections(requirement),
        format!("{}{why}", escape(says)),
        escape(&cases.join(", ")),
    ];
    let place = if is_first { anchor("requirement", id) } else { String::new() };
    out.push_str(&brief_row(&place, &cells));
}

/// Its sections, each a link to where it is published.
fn sections(requirement: &RequirementResult) -> String {
    let parts = requirement.section.split_inclusive([',', ';']).map(|part| {
        let name = part.trim_end_matches([',', ';']).trim();
        let shown = match requirement.links.iter().find(|link| link.section == name) {
            Some(link) => format!("<a href=\"{}\">{}</a>", escape(&link.url), escape(name)),
            None => escape(name),
        };
        format!("{shown}{}", part.trim_start().trim_start_matches(name))
    });
    parts.collect::<Vec<_>>().join(" ")
}
