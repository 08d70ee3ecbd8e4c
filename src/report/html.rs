//! The report as one page of HTML, for people who look for what is wrong with an agent and for those who fix it.

mod exchanges;
mod security;

use std::collections::BTreeSet;
use std::time::Duration;

use super::conclusion::conclude;
use super::evidence;
use super::failure::ErrorInfo;
use super::markdown;
use super::model::{CaseInfo, Counts, Report, RequirementResult};
use super::problems::{BELOW, OF_WHAT_IS_BELOW, Problem};
use super::reasons::by_reason;
use super::shards;
use crate::clock;
use crate::diagnostic::words::{count, duration, one_line};
use crate::page::{
    Filter, anchor, attributes, badge, document, escape, filters, link, number, row, row_with, table, text,
};
use crate::verdict::{Layer, Level, TrialResult, Verdict};

/// The width of evidence, in columns.
const WIDTH: usize = 110;

/// The page.
pub(crate) fn render(report: &Report) -> String {
    let mut out = String::new();
    head(&mut out, report);
    if let Some(error) = &report.error {
        of_error(&mut out, error);
        return document(&format!("a2aspec: {}", one_line(&report.target.url)), &out);
    }
    navigation(&mut out, report);
    root_causes(&mut out, report);
    summary(&mut out, report);
    out.push_str(&filters(&[
        Filter::Typed("text", "ListTasks"),
        Filter::One("verdict"),
        Filter::One("level"),
        Filter::One("version"),
        Filter::One("binding"),
        Filter::One("area"),
    ]));
    problems(&mut out, report);
    untested(&mut out, report);
    conformance(&mut out, report);
    security::render(&mut out, report);
    requirements(&mut out, report);
    results(&mut out, report);
    exchanges::render(&mut out, report);
    document(&format!("a2aspec: {}", one_line(&report.target.url)), &out)
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
        let remark = [&interface.lost, &interface.skipped, &interface.note].into_iter().flatten().next();
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

fn navigation(out: &mut String, report: &Report) {
    out.push_str(
        "<nav>\n<a href=\"#problems\">Problems</a>\n<a href=\"#untested\">Not tested</a>\n\
         <a href=\"#requirements\">Requirements</a>\n<a href=\"#results\">Results</a>\n\
         <a href=\"#exchanges\">Exchanges</a>\n",
    );
    if !report.security.is_empty() {
        out.push_str("<a href=\"#security\">Security</a>\n");
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
            let ids = [shown.violated.as_slice(), &shown.untested].concat();
            let ids = if ids.is_empty() { String::new() } else { format!(": {}", escape(&ids.join(", "))) };
            let outcome = format!("<td>{}{ids}</td>", escape(&shown.told()));
            row(out, "", [text(&shown.profile), text(shown.part.name()), outcome, number(shown.kept)]);
        }
    });
    out.push_str("</section>\n");
}

/// What decides most results, with what follows from each folded.
fn root_causes(out: &mut String, report: &Report) {
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
        let shown = cause.problem.filter(|index| *index < report.problems.len());
        if let Some(index) = shown {
            out.push_str(&format!(" <a href=\"#problem-{index}\">Evidence</a>"));
        }
        out.push_str("</p>\n");
        if let Some(follows) = cause.consequences() {
            let names = cause.results(report).map(link_to);
            let names: Vec<String> = names.collect();
            out.push_str(&format!(
                "<details>\n<summary>{follows}</summary>\n<p>{}</p>\n</details>\n",
                names.join(", ")
            ));
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

fn problems(out: &mut String, report: &Report) {
    out.push_str("<section>\n<h2 id=\"problems\">Problems</h2>\n");
    if report.problems.is_empty() {
        out.push_str("<p>None in what was tested.</p>\n");
    }
    let mut layer = Layer::Agent;
    for (index, problem) in report.problems.iter().enumerate() {
        if std::mem::replace(&mut layer, problem.layer) != problem.layer {
            out.push_str(&format!("<h3>{BELOW}</h3>\n<p>{OF_WHAT_IS_BELOW}</p>\n"));
        }
        one_problem(out, report, index, problem);
    }
    out.push_str("</section>\n");
}

fn one_problem(out: &mut String, report: &Report, index: usize, problem: &Problem) {
    let Some(((result, finding), heading)) = problem.shown(report).zip(problem.heading(report)) else { return };
    let remark = match report.knows(problem) {
        true => Some("known".to_owned()),
        false => report.remark_on(problem),
    };
    let remark = remark.map(|remark| format!(" ({})", escape(&remark))).unwrap_or_default();
    let mut seen: Vec<&TrialResult> =
        problem.evidence.iter().filter_map(|evidence| report.results.get(evidence.result)).collect();
    seen.dedup_by_key(|result| (&result.case, &result.profile, &result.binding));
    // The worst is read first.
    let open = if index == 0 { " open" } else { "" };
    out.push_str(&format!(
        "<details id=\"problem-{index}\"{}{open}>\n<summary>{} <b>{}</b>{remark}: <code>{}</code></summary>\n",
        data(&seen),
        badge(problem.verdict.name()),
        escape(&result.case),
        escape(&one_line(&problem.message)),
    ));
    let read = heading.url().map(|url| format!(" <a href=\"{}\">Specification</a>", escape(url))).unwrap_or_default();
    out.push_str(&format!("<p>{}{read}</p>\n", escape(&format!("{heading}: {}", one_line(heading.text)))));
    let info = report.cases.iter().find(|case| case.id == result.case);
    if let Some(CaseInfo { why, .. }) = info {
        out.push_str(&format!("<p>{}</p>\n", escape(why)));
    }
    out.push_str(&format!("<pre tabindex=\"0\">{}</pre>\n", escape(&evidence::of_problem(report, problem, WIDTH))));
    conversation(out, report, result);
    to_copy(out, report, problem);
    let shown = [finding.exchange, finding.against].into_iter().flatten();
    let links: Vec<String> = shown.filter_map(|number| exchanges::link_to(report, number)).collect();
    if !links.is_empty() {
        out.push_str(&format!("<p>Exchanges: {}</p>\n", links.join(", ")));
    }
    let seen: Vec<String> = seen.into_iter().map(link_to).collect();
    out.push_str(&format!("<p>Seen in {}.</p>\n", seen.join(", ")));
    let others = problem.other_requirements.iter().filter_map(|index| report.requirements.get(*index));
    let others: Vec<String> = others.map(|other| link("requirement", &other.id)).collect();
    if !others.is_empty() {
        out.push_str(&format!("<p>Violates {}, too.</p>\n", others.join(", ")));
    }
    out.push_str("</details>\n");
}

/// The steps of a case, folded, each with a link to its exchange.
fn conversation(out: &mut String, report: &Report, result: &TrialResult) {
    if result.steps.is_empty() {
        return;
    }
    let left_out = match result.steps_left_out {
        0 => String::new(),
        more => format!(", and {more} left out in the middle"),
    };
    out.push_str(&format!(
        "<details>\n<summary>Conversation: {}{left_out}</summary>\n<ol>\n",
        count(result.steps.len(), "step")
    ));
    for step in &result.steps {
        let exchange = exchanges::link_to(report, step.exchange).map(|link| format!(" ({link})")).unwrap_or_default();
        let (sent, received) = (escape(&one_line(&step.sent)), escape(&one_line(&step.received)));
        out.push_str(&format!("<li><code>{sent}</code> &rarr; <code>{received}</code>{exchange}</li>\n"));
    }
    out.push_str("</ol>\n</details>\n");
}

/// What is copied to other places: the command that runs the case again, and a text for an issue of the agent's developers.
fn to_copy(out: &mut String, report: &Report, problem: &Problem) {
    let Some((result, _)) = problem.shown(report) else { return };
    let info = report.cases.iter().find(|case| case.id == result.case);
    if let Some(rerun) = info.and_then(|case| case.rerun_of(result)) {
        let command = escape(&one_line(&rerun.command));
        out.push_str(&format!("<pre class=\"bytes whole\" data-copy=\"the command\">{command}</pre>\n"));
    }
    out.push_str(&format!(
        "<details>\n<summary>As an issue</summary>\n<pre class=\"bytes\" data-copy=\"the issue\">{}</pre>\n</details>\n",
        escape(&markdown::issue(report, problem))
    ));
}

fn untested(out: &mut String, report: &Report) {
    out.push_str("<section>\n<h2 id=\"untested\">Not tested</h2>\n");
    let mut is_all = true;
    for (verdict, what) in [
        (Verdict::Broken, "the connection or the suite itself failed"),
        (Verdict::Unreached, report.unreached()),
        (
            Verdict::Skipped,
            if report.target.client.is_some() { "does not apply" } else { "does not apply to this agent" },
        ),
    ] {
        for group in by_reason(report, verdict) {
            is_all = false;
            let cases = count(group.results.len(), "case");
            let names: Vec<String> = group.results.iter().copied().map(link_to).collect();
            out.push_str(&format!(
                "<details>\n<summary>{} {cases}: {} ({what})</summary>\n<p>{}</p>\n</details>\n",
                badge(verdict.name()),
                escape(&group.text()),
                names.join(", ")
            ));
        }
    }
    if is_all {
        out.push_str("<p>Everything that applies was.</p>\n");
    }
    out.push_str("</section>\n");
}

fn requirements(out: &mut String, report: &Report) {
    out.push_str("<section>\n<h2 id=\"requirements\">Requirements</h2>\n");
    table(out, &["verdict", "id", "level", "section", "what it says", "checked by"], |out| {
        for requirement in &report.requirements {
            one_requirement(out, requirement);
        }
    });
    out.push_str("</section>\n");
}

fn one_requirement(out: &mut String, requirement: &RequirementResult) {
    let RequirementResult { id, profile, level, text: says, verdict, reason, cases, .. } = requirement;
    let facts = [("version", profile.as_str()), ("level", &level.to_string()), ("verdict", verdict.name())];
    let why = reason.as_ref().map(|reason| format!("<br>{}", escape(&reason.to_string()))).unwrap_or_default();
    let cells = [
        format!("<td>{}</td>", badge(verdict.name())),
        text(id),
        text(&level.to_string()),
        format!("<td>{}</td>", sections(requirement)),
        format!("<td>{}{why}</td>", escape(says)),
        text(&cases.join(", ")),
    ];
    row_with(out, &anchor("requirement", id), &attributes(&facts), cells);
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

fn results(out: &mut String, report: &Report) {
    out.push_str("<section>\n<h2 id=\"results\">Results</h2>\n");
    table(out, &["verdict", "case", "version", "binding", "level", "time", "what it checks"], |out| {
        for (index, result) in report.results.iter().enumerate() {
            let TrialResult { case, title, profile, binding, level, verdict, reason, findings, times, .. } = result;
            let said = findings.iter().map(|finding| finding.headline());
            let said = said
                .chain(report.remark(index))
                .chain(result.told_again())
                .chain(reason.as_ref().map(ToString::to_string));
            let said: String = said.map(|said| format!("<br>{}", escape(&one_line(&said)))).collect();
            let took = times.map(|times| duration(clock::milliseconds(times.duration_ms)));
            let cells = [
                format!("<td>{}</td>", badge(verdict.name())),
                text(case),
                text(profile),
                text(binding),
                text(&level.to_string()),
                text(&took.unwrap_or_default()),
                format!("<td>{}{said}</td>", escape(title)),
            ];
            row_with(out, &place_of(result), &data(&[result]), cells);
        }
    });
    out.push_str("</section>\n");
}

/// A link to the row of a result.
fn link_to(result: &TrialResult) -> String {
    let name = format!("{} over {} in {}", result.case, result.binding, result.profile);
    format!("<a href=\"#{}\">{}</a>", place_of(result), escape(&name))
}

fn place_of(result: &TrialResult) -> String {
    anchor("result", &format!("{}-{}-{}", result.case, result.profile, result.binding))
}

/// By what results can be found.
fn data(results: &[&TrialResult]) -> String {
    let all = |of: fn(&TrialResult) -> String| {
        results.iter().map(|result| of(result)).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join("|")
    };
    attributes(&[
        ("version", &all(|result| result.profile.clone())),
        ("binding", &all(|result| result.binding.clone())),
        ("level", &all(|result| result.level.to_string())),
        ("verdict", &all(|result| result.verdict.name().to_owned())),
        ("area", &all(|result| result.area().to_owned())),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    /// What stands between the head, which all pages share, and the script.
    fn body(page: &str) -> &str {
        page.split("<main>\n").nth(1).and_then(|rest| rest.split("</main>").next()).unwrap()
    }

    #[test]
    fn every_verdict() {
        insta::assert_snapshot!(body(&render(&sample::full())));
    }

    #[test]
    fn a_run_without_findings() {
        insta::assert_snapshot!(body(&render(&sample::clean())));
    }

    #[test]
    fn who_may_do_what() {
        let page = render(&sample::secured());
        let section = page.split("<h2 id=\"security\">").nth(1).and_then(|rest| rest.split("</section>").next());
        insta::assert_snapshot!(section.unwrap());
    }

    #[test]
    fn every_link_leads_to_one_place() {
        let page = render(&sample::full());
        let quoted = |before| page.split(before).skip(1).filter_map(|rest| rest.split('"').next()).collect::<Vec<_>>();
        let places = quoted(" id=\"");
        let unique: BTreeSet<&str> = places.iter().copied().collect();
        assert_eq!(unique.len(), places.len(), "{places:?}");
        let links = quoted("href=\"#");
        assert!(links.len() > 5);
        for link in links {
            assert!(unique.contains(link), "{link}");
        }
    }

    #[test]
    fn every_tag_is_closed() {
        for report in [sample::full(), sample::clean(), sample::interrupted(), sample::secured()] {
            assert_eq!(crate::page::unbalanced(&render(&report)), None);
        }
    }

    #[test]
    fn nothing_of_an_agent_is_markup() {
        let mut report = sample::full();
        report.target.url = "http://a/<script>alert(1)</script>".to_owned();
        report.target.name = Some("\u{202e}<b>".to_owned());
        for exchange in &mut report.exchanges {
            exchange.request.url = "http://a/'\"<img src=x>".to_owned();
        }
        let page = render(&report);
        assert!(!body(&page).contains("<script") && !page.contains("<img") && !page.contains('\u{202e}'));
    }

    #[test]
    fn a_page_of_5000_results_has_less_than_3_mb() {
        let mut report = sample::full();
        let results = report.results.clone();
        report.results = results.iter().cycle().take(5_000).cloned().collect();
        let size = render(&report).len();
        assert!(size < 3 << 20, "{size} bytes");
    }
}
