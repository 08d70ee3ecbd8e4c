//! Who may do what, as a section of the page: the matrix has a column for each interface.

use super::super::model::Report;
use super::super::security::{columns, counted, described};
use crate::diagnostic::words::count;
use crate::page::{badge, escape, row, table, text};

pub(super) fn render(out: &mut String, report: &Report) {
    let info = &report.security;
    if info.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2 id=\"security\">Security</h2>\n<ul>\n");
    let schemes = report.target.schemes.iter();
    let schemes = schemes.map(|scheme| format!("Scheme {}: {}", scheme.name, described(scheme)));
    let identities = info.identities.iter();
    let identities = identities.map(|it| format!("The {} identity brings {}", it.caller, it.brings.join(", ")));
    let topics = info.topics.iter().map(|topic| format!("{}: {}", topic.topic, counted(&topic.counts)));
    for line in schemes.chain(identities).chain(topics) {
        out.push_str(&format!("<li>{}</li>\n", escape(&line)));
    }
    out.push_str("</ul>\n");
    matrix(out, report);
    if !info.not_tried.is_empty() {
        out.push_str("<h3>Not tried</h3>\n<ul>\n");
        for info in &info.not_tried {
            let said = format!("{} about {}: {}", count(info.cases, "case"), info.topic, info.reason);
            out.push_str(&format!("<li>{}</li>\n", escape(&said)));
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</section>\n");
}

fn matrix(out: &mut String, report: &Report) {
    let matrix = &report.security.matrix;
    if matrix.is_empty() {
        return;
    }
    out.push_str(
        "<h3>What the second identity gets of the first one's</h3>\n<p>A pass means that it gets nothing.</p>\n",
    );
    let columns = columns(matrix);
    let names: Vec<String> = columns.iter().map(|(profile, binding)| escape(&format!("{profile} {binding}"))).collect();
    let heads: Vec<&str> = ["operation", "object"].into_iter().chain(names.iter().map(String::as_str)).collect();
    table(out, &heads, |out| {
        for access in matrix {
            let cell = |(profile, binding): &(&str, &str)| match access.at(profile, binding) {
                Some(verdict) => format!("<td>{}</td>", badge(verdict.name())),
                None => "<td></td>".to_owned(),
            };
            let names = [text(&access.foreign.operation), text(&access.foreign.object)];
            row(out, "", names.into_iter().chain(columns.iter().map(cell)));
        }
    });
}
