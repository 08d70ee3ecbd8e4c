//! The report as one page of HTML, for people who look for what is wrong with an agent and for those who fix it.

mod exchanges;
mod problems;
mod requirements;
mod results;
mod security;
mod shown;

use std::time::Duration;

use super::conclusion::conclude;
use super::failure::ErrorInfo;
use super::model::{Counts, Report};
use super::shards;
use crate::diagnostic::words::{count, duration, one_line};
use crate::page::{Filter, badge, document, escape, filters, link, number, row, table, text};
use crate::verdict::Level;
use shown::{MOST_BYTES, Shown};

/// The page, of at most 3 MB: it names what it leaves out.
pub(crate) fn render(report: &Report) -> String {
    within(report, MOST_BYTES)
}

/// The page, with what fits into so many bytes.
fn within(report: &Report, most: usize) -> String {
    let all = Shown::all(report);
    let page = page(&all);
    if page.len() <= most { page } else { self::page(&all.within(page.len(), most)) }
}

fn page(shown: &Shown<'_>) -> String {
    let report = shown.report;
    let title = format!("a2aspec: {}", one_line(&report.target.url));
    let mut out = String::new();
    head(&mut out, report);
    if let Some(error) = &report.error {
        of_error(&mut out, error);
        return document(&title, &out);
    }
    navigation(&mut out, report);
    root_causes(&mut out, shown);
    summary(&mut out, report);
    out.push_str(&filters(&[
        Filter::Typed("text", "ListTasks"),
        Filter::One("verdict"),
        Filter::One("level"),
        Filter::One("version"),
        Filter::One("binding"),
        Filter::One("area"),
    ]));
    problems::render(&mut out, shown);
    results::untested(&mut out, shown);
    conformance(&mut out, report);
    security::render(&mut out, report);
    requirements::render(&mut out, report);
    results::render(&mut out, shown);
    exchanges::render(&mut out, shown);
    document(&title, &out)
}

fn head(out: &mut String, report: &Report) {
    let title = match &report.gate {
        Some(gate) => format!("The gate {}", gate.outcome.sentence()),
        None => "Report".to_owned(),
    };
    let (verdict, conclusion) = conclude(report);
    let name = report.target.name.as_deref().map(|name| format!("{} at ", escape(name))).unwrap_or_default();
    let messages = usize::try_from(report.messages_sent).unwrap_or(usize::MAX);
    out.push_str(&format!(
        "<h1>{}</h1>\n<p class=\"lead\">{} {}</p>\n<p>{name}<code>{}</code>, {}: {} sent in {}, by {} {}.</p>\n",
        escape(&title),
        badge(verdict.name()),
        escape(&conclusion),
        escape(&report.target.url),
        escape(&report.started),
        count(messages, "message"),
        duration(Duration::from_millis(report.duration_ms)),
        report.tool.name,
        report.tool.version,
    ));
    if let Some(shards) = shards::told(report) {
        out.push_str(&format!("<p>{}.</p>\n", escape(&shards)));
    }
    if let Some(reason) = &report.stopped {
        out.push_str(&format!("<p>The run stopped before its end: {}.</p>\n", escape(&reason.to_string())));
    }
    out.push_str("<ul>\n");
    for interface in &report.target.interfaces {
        let skipped = interface.skipped.as_ref().map(|reason| format!("not checked: {reason}"));
        let remark = [&interface.lost, &skipped, &interface.note].into_iter().flatten().next();
        let remark = remark.map(|remark| format!(": {}", escape(remark))).unwrap_or_default();
        out.push_str(&format!("<li>{}{remark}</li>\n", escape(&interface.title())));
    }
    out.push_str("</ul>\n");
}

/// Why nothing was tested, and what to do about it.
fn of_error(out: &mut String, error: &ErrorInfo) {
    out.push_str(&format!("<p>{}</p>\n", escape(&one_line(&error.message))));
    if !error.details.is_empty() {
        let details: Vec<String> = error.details.iter().map(|line| escape(&one_line(line))).collect();
        out.push_str(&format!("<pre tabindex=\"0\">{}</pre>\n", details.join("\n")));
    }
    if let Some(help) = &error.help {
        out.push_str(&format!("<p>Help: {}</p>\n", escape(&one_line(help))));
    }
}

/// Links to the sections, in their order.
fn navigation(out: &mut String, report: &Report) {
    let sections = [
        ("problems", "Problems", true),
        ("untested", "Not tested", true),
        ("conformance", "Conformance", !report.conformance.is_empty()),
        ("security", "Security", !report.security.is_empty()),
        ("requirements", "Requirements", true),
        ("results", "Results", true),
        ("exchanges", "Exchanges", true),
    ];
    out.push_str("<nav>\n");
    for (id, title, _) in sections.iter().filter(|(_, _, is_there)| *is_there) {
        out.push_str(&format!("<a href=\"#{id}\">{title}</a>\n"));
    }
    out.push_str("</nav>\n");
}

/// What was shown of each part of each version.
fn conformance(out: &mut String, report: &Report) {
    if report.conformance.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2 id=\"conformance\">Conformance</h2>\n");
    out.push_str("<p>A part is conformant if every MUST of it that applies to the agent was tested, and none was violated.</p>\n");
    table(out, &["version", "part", "outcome", "MUST kept"], |out| {
        for shown in &report.conformance {
            let class = shown.outcome.verdict().name();
            let ids = |ids: &[String]| ids.iter().map(|id| link("requirement", id)).collect::<Vec<_>>().join(", ");
            let lists = [("violated", &shown.violated), ("not tested", &shown.untested)];
            let lists = lists.iter().filter(|(_, list)| !list.is_empty());
            let lists: String = lists.map(|(what, list)| format!("<br>{what}: {}", ids(list))).collect();
            let outcome = format!("<td><span class=\"state {class}\">{}</span>{lists}</td>", escape(&shown.told()));
            row(out, "", [text(&shown.profile), text(shown.part.name()), outcome, number(shown.kept)]);
        }
    });
    out.push_str("</section>\n");
}

/// What decides most results, with what follows from each folded.
fn root_causes(out: &mut String, shown: &Shown<'_>) {
    let report = shown.report;
    if report.root_causes.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2 id=\"root-causes\">Root causes</h2>\n");
    for cause in &report.root_causes {
        out.push_str(&format!(
            "<p><b>{}</b> ({})<br>Help: {}.",
            escape(&one_line(&cause.message)),
            escape(&cause.over()),
            escape(&cause.help)
        ));
        if let Some(index) = cause.problem.filter(|index| *index < report.problems.len()) {
            out.push_str(&format!(" <a href=\"#problem-{index}\">Evidence</a>"));
        }
        out.push_str("</p>\n");
        if let Some(follows) = cause.consequences() {
            let names = results::links(shown, cause.results(report));
            out.push_str(&format!("<details>\n<summary>{follows}</summary>\n<p>{names}</p>\n</details>\n"));
        }
    }
    out.push_str("</section>\n");
}

fn summary(out: &mut String, report: &Report) {
    table(out, &["cases", "pass", "fail", "flaky", "unreached", "skipped", "broken"], |out| {
        for level in Level::ALL {
            let counts = report.summary.level(level);
            if counts.total() > 0 {
                let Counts { pass, fail, flaky, unreached, skipped, broken } = *counts;
                let cells = [pass, fail, flaky, unreached, skipped, broken].map(number);
                row(out, "", std::iter::once(text(&level.to_string())).chain(cells));
            }
        }
    });
    if let Some(set) = report.of_set() {
        out.push_str(&format!("<p>{}.</p>\n", escape(&set)));
    }
    if let Some(known) = &report.baseline {
        let file = escape(&known.file);
        out.push_str(&format!("<p>{} as <code>{file}</code> says.</p>\n", count(known.known.len(), "known failure")));
        for (what, entries) in known.groups() {
            let names: Vec<String> = entries.iter().map(|known| escape(&known.name())).collect();
            out.push_str(&format!("<p>{what}: {}</p>\n", names.join(", ")));
        }
    }
    if let Some(lock) = &report.lock {
        out.push_str(&format!("<p>{}</p>\n", escape(&lock.sentence())));
        let items: String = lock.lost.iter().map(|loss| format!("<li>{}</li>\n", escape(loss))).collect();
        if !items.is_empty() {
            out.push_str(&format!("<ul>\n{items}</ul>\n"));
        }
    }
}

#[cfg(test)]
mod tests;
