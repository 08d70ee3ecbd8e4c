//! The report for a page that renders Markdown: the summary of a pipeline's step, a comment on a pull request.
//!
//! One verdict, one table, then each problem folded behind its headline. What an agent has said stands in code alone: nothing
//! of it can be a link, a picture, a mention or a heading. Words that a service makes a link or a mention of are code in other texts, too.

mod security;

use std::time::Duration;

use super::conclusion::conclude;
use super::conformance::{Conformance, Part, by_version};
use super::evidence;
use super::failure::ErrorInfo;
use super::model::Report;
use super::problems::{BELOW, OF_WHAT_IS_BELOW, Problem};
use super::reasons::by_reason;
use super::root_causes::RootCause;
use super::shards;
use crate::diagnostic::words::{count, duration, one_line, printable, shorten};
use crate::verdict::{Layer, Level, TrialResult, Verdict};

/// Columns of the evidence.
const WIDTH: usize = 100;

/// How many bytes the page may have, so that it fits into a comment (65,536 characters on GitHub) with words around it.
const MOST_BYTES: usize = 60_000;

/// How many of them problems may take: the rest is for what comes after.
const MOST_OF_PROBLEMS: usize = 52_000;

/// How many bytes of evidence a problem may show.
const MOST_OF_EVIDENCE: usize = 6_000;

/// How many bytes of evidence an issue has.
const MOST_OF_ISSUE: usize = 3_000;

/// Most reasons for which something was not tested.
const MOST_REASONS: usize = 12;

/// Longest text from outside in a line.
const LONGEST: usize = 300;

/// The report as GitHub Flavored Markdown, of at most 60,000 bytes.
pub(crate) fn render(report: &Report) -> String {
    let (_, conclusion) = conclude(report);
    let title = match &report.gate {
        Some(gate) => format!("a2aspec: the gate {}", gate.outcome.sentence()),
        None => "a2aspec".to_owned(),
    };
    let mut out = format!("## {title}\n\n**{}**\n\n", prose(&conclusion));
    if let Some(error) = &report.error {
        out.push_str(&of_error(error));
    }
    out.push_str(&format!("{}\n\n", about(report)));
    if report.error.is_some() {
        return printable(&out);
    }
    if let Some(shards) = shards::told(report) {
        out.push_str(&format!("{}.\n\n", prose(&shards)));
    }
    if let Some(reason) = &report.stopped {
        out.push_str(&format!("The run stopped before its end: {}.\n\n", code(&reason.to_string())));
    }
    for (interface, reason) in report.lost() {
        out.push_str(&format!("Not checked to the end: {}: {}.\n\n", code(&interface.title()), code(reason)));
    }
    out.push_str(&root_causes(report));
    out.push_str(&table(report));
    out.push_str(&conformance(report));
    out.extend(report.of_set().map(|set| format!("{}.\n\n", prose(&set))));
    out.push_str(&known(report));
    out.push_str(&lost(report));
    out.push_str(&problems(report));
    out.push_str(&untested(report));
    let security = security::render(report);
    if out.len() + security.len() <= MOST_BYTES {
        out.push_str(&security);
    }
    debug_assert!(out.len() <= MOST_BYTES, "{} bytes", out.len());
    printable(&out)
}

/// What was shown of each part: a row for each version.
fn conformance(report: &Report) -> String {
    let rows = by_version(&report.conformance);
    if rows.is_empty() {
        return String::new();
    }
    let names = Part::ALL.map(Part::name).join(" | ");
    let mut out = format!("| conformance | {names} |\n|---|---|---|---|---|\n");
    for (version, row) in rows {
        let row: Vec<String> = row.into_iter().map(Conformance::told).collect();
        out.push_str(&format!("| {} | {} |\n", code(version), row.join(" | ")));
    }
    out.push('\n');
    out
}

/// Why nothing was tested, and what to do about it.
fn of_error(error: &ErrorInfo) -> String {
    let cut = |text: &String| code(&shorten(&one_line(text), LONGEST));
    let mut out = format!("{}\n\n", cut(&error.message));
    out.extend(error.details.iter().take(MOST_REASONS).map(|line| format!("- {}\n", cut(line))));
    if !error.details.is_empty() {
        out.push('\n');
    }
    out.extend(error.help.iter().map(|help| format!("Help: {}\n\n", cut(help))));
    out
}

fn about(report: &Report) -> String {
    let mut interfaces: Vec<String> =
        report.results.iter().map(|result| format!("{} {}", result.profile, result.binding)).collect();
    interfaces.sort();
    interfaces.dedup();
    // Cases across two bindings name interfaces that stand there alone, too.
    interfaces.retain(|name| !name.contains('+'));
    let took = duration(Duration::from_millis(report.duration_ms));
    let messages = usize::try_from(report.messages_sent).unwrap_or(usize::MAX);
    let over = if interfaces.is_empty() { String::new() } else { format!(", {}", interfaces.join(", ")) };
    format!("{}{over}: {} sent in {took}.", code(&report.target.url), count(messages, "message"))
}

/// What decides most results, with how many follow from it.
fn root_causes(report: &Report) -> String {
    if report.root_causes.is_empty() {
        return String::new();
    }
    let of_cause = |cause: &RootCause| {
        let follows = cause.consequences().map(|text| format!(" {}.", prose(&text))).unwrap_or_default();
        let over = prose(&cause.over());
        format!(
            "- {} ({over}).{follows} Help: {}.\n",
            code(&shorten(&one_line(&cause.message), LONGEST)),
            prose(&cause.help)
        )
    };
    let lines: String = report.root_causes.iter().map(of_cause).collect();
    format!("### Root causes\n\n{lines}\n")
}

fn table(report: &Report) -> String {
    let has_flaky = report.summary.sum(|counts| counts.flaky) > 0;
    let mut out = match has_flaky {
        true => "| | pass | fail | flaky | unreached | skipped | broken |\n|---|--:|--:|--:|--:|--:|--:|\n".to_owned(),
        false => "| | pass | fail | unreached | skipped | broken |\n|---|--:|--:|--:|--:|--:|\n".to_owned(),
    };
    for level in Level::ALL {
        let counts = report.summary.level(level);
        if counts.total() > 0 {
            let flaky = has_flaky.then_some(counts.flaky);
            let cells = [counts.pass, counts.fail].into_iter().chain(flaky);
            let cells = cells.chain([counts.unreached, counts.skipped, counts.broken]);
            let cells: Vec<String> = cells.map(|number| number.to_string()).collect();
            out.push_str(&format!("| {level} | {} |\n", cells.join(" | ")));
        }
    }
    out.push('\n');
    out
}

/// What became of the list of known failures.
fn known(report: &Report) -> String {
    let Some(info) = &report.baseline else { return String::new() };
    let mut out = format!("{} as {} says.\n\n", count(info.known.len(), "known failure"), code(&info.file));
    for (what, entries) in info.groups() {
        let names: Vec<String> = entries.iter().take(MOST_REASONS).map(|known| code(&known.name())).collect();
        let more = entries.len().saturating_sub(names.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        out.push_str(&format!("{what}: {}{more}\n\n", names.join(", ")));
    }
    out
}

/// What clients lose with the card.
fn lost(report: &Report) -> String {
    let Some(lock) = &report.lock else { return String::new() };
    let more = lock.lost.len().saturating_sub(MOST_REASONS);
    let shown = lock.lost.iter().take(MOST_REASONS).map(|loss| prose(loss));
    let all = shown.chain((more > 0).then(|| format!("and {more} more")));
    let items: String = all.map(|item| format!("- {item}\n")).collect();
    let end = if items.is_empty() { "" } else { "\n" };
    format!("{}.\n\n{items}{end}", prose(&lock.sentence()))
}

fn problems(report: &Report) -> String {
    let mut out = String::new();
    let mut left_out = 0;
    let mut layer = Layer::Agent;
    for problem in report.new_problems() {
        let mut block = block(report, problem);
        if std::mem::replace(&mut layer, problem.layer) != problem.layer {
            block = format!("#### {BELOW}\n\n{OF_WHAT_IS_BELOW}\n\n{block}");
        }
        // Those after it are no worse: a shorter one among them is not worth a gap.
        if left_out > 0 || out.len() + block.len() > MOST_OF_PROBLEMS {
            left_out += 1;
        } else {
            out.push_str(&block);
        }
    }
    if left_out > 0 {
        out.push_str(&format!("{} more: the JSON report has them all.\n\n", count(left_out, "problem")));
    }
    match out.is_empty() {
        true => out,
        false => format!("### Problems\n\n{out}"),
    }
}

fn block(report: &Report, problem: &Problem) -> String {
    let Some(((result, _), heading)) = problem.shown(report).zip(problem.heading(report)) else {
        return String::new();
    };
    let name = problem.verdict.name().to_uppercase();
    let remark = report.remark_on(problem).map(|remark| format!(" ({})", prose(&remark))).unwrap_or_default();
    let evidence = evidence::of_problem(report, problem, WIDTH);
    let evidence = cut(&evidence, MOST_OF_EVIDENCE);
    let fence = fence(evidence, 3);
    let read = heading.url().map(|url| format!(" [Specification]({url})")).unwrap_or_default();
    format!(
        "<details><summary>{name} <b>{}</b>{remark}: {}</summary>\n\n{}{read}\n\n{}\n\n{fence}text\n{evidence}\n{fence}\n\n</details>\n\n",
        prose(&result.case),
        html_code(&shorten(&one_line(&problem.message), LONGEST)),
        prose(&format!("{heading}: {}", one_line(heading.text))),
        prose(&seen_in(problem, result))
    )
}

/// A problem as the text of an issue: what is wrong, what is required, and the evidence.
pub(crate) fn issue(report: &Report, problem: &Problem) -> String {
    let heading = problem.heading(report).map(|heading| {
        let read = heading.url().map(|url| format!("\n{url}")).unwrap_or_default();
        prose(&format!("{heading}: {}", one_line(heading.text))) + &read
    });
    let evidence = evidence::of_problem(report, problem, WIDTH);
    let evidence = cut(&evidence, MOST_OF_ISSUE);
    let fence = fence(evidence, 3);
    let message = code(&shorten(&one_line(&problem.message), LONGEST));
    printable(&format!("{message}\n\n{}\n\n{fence}text\n{evidence}\n{fence}\n", heading.unwrap_or_default()))
}

fn seen_in(problem: &Problem, result: &TrialResult) -> String {
    let more = match problem.results().saturating_sub(1) {
        0 => String::new(),
        more => format!(" and {}", count(more, "more result")),
    };
    format!("Seen in {} over {} in {}{more}.", result.case, result.binding, result.profile)
}

fn untested(report: &Report) -> String {
    let mut out = String::new();
    for (verdict, name, what) in [
        (Verdict::Unreached, "not reached", report.unreached()),
        (Verdict::Broken, "broken", "the connection or the suite itself failed"),
    ] {
        let groups = by_reason(report, verdict);
        for group in groups.iter().take(MOST_REASONS) {
            let reason = code(&shorten(&group.text(), LONGEST));
            out.push_str(&format!("- {} {name}: {what}: {reason}\n", count(group.results.len(), "case")));
        }
        if let Some(more) = groups.len().checked_sub(MOST_REASONS).filter(|more| *more > 0) {
            out.push_str(&format!("- {} more\n", count(more, "reason")));
        }
    }
    if out.is_empty() { out } else { format!("### Not tested\n\n{out}") }
}

/// The longest beginning of whole lines that has at most so many bytes.
fn cut(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let head = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    head.rsplit_once('\n').map_or(head, |(lines, _)| lines)
}

/// More backquotes than the text has in a row, and at least so many.
fn fence(text: &str, least: usize) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat((longest + 1).max(least))
}

/// A text from outside, on one line, as code.
pub(crate) fn code(text: &str) -> String {
    let text = shorten(&one_line(text), LONGEST).replace('|', "\\|");
    let fence = fence(&text, 1);
    // A space is taken off on both sides, where there is one on both. Without anything between them, two fences would be one.
    let needs_room = text.is_empty() || text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']);
    let room = if needs_room { " " } else { "" };
    format!("{fence}{room}{text}{room}{fence}")
}

/// The same within HTML.
fn html_code(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    // Whatever Markdown would make something of in a line of HTML.
    let text: String =
        text.chars().map(|c| if is_marked(c) { format!("&#{};", u32::from(c)) } else { c.into() }).collect();
    format!("<code>{text}</code>")
}

/// Words of the suite's own, or of its cases, on one line, with nothing in them that Markdown would make something of.
pub(crate) fn prose(text: &str) -> String {
    let text = one_line(text);
    let words = text.split(' ').map(|word| if is_linked(word) { code(word) } else { escaped(word) });
    words.collect::<Vec<_>>().join(" ")
}

fn escaped(text: &str) -> String {
    text.chars().map(|c| if is_marked(c) || "<>&#".contains(c) { format!("\\{c}") } else { c.into() }).collect()
}

/// Whether a service makes a link of a word, or notifies the person, the issue or the pull request that it names: a backslash before it
/// does not prevent that.
fn is_linked(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let is_numbered = |before: &str| {
        word.match_indices(before).any(|(at, _)| word[at + before.len()..].starts_with(|c: char| c.is_ascii_digit()))
    };
    ["@", "://", "www."].iter().any(|mark| word.contains(mark)) || ["#", "gh-"].into_iter().any(is_numbered)
}

fn is_marked(c: char) -> bool {
    "\\`*_[]|~".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_result_that_is_flaky() {
        insta::assert_snapshot!(render(&sample::flaky()));
    }

    #[test]
    fn every_verdict() {
        insta::assert_snapshot!(render(&sample::full()));
    }

    #[test]
    fn who_may_do_what() {
        insta::assert_snapshot!(render(&sample::secured()));
    }

    #[test]
    fn a_run_without_findings() {
        insta::assert_snapshot!(render(&sample::clean()));
    }

    #[test]
    fn what_the_agent_says_is_code_and_nothing_else() {
        assert_eq!(code("a `b` |c"), "``a `b` \\|c``");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code(""), "`  `");
        assert_eq!(html_code("<img src=x> *a* [b](c)"), "<code>&lt;img src=x&gt; &#42;a&#42; &#91;b&#93;(c)</code>");
        assert_eq!(prose("a *b* <c>\n#"), "a \\*b\\* \\<c\\>\\\\n\\#");
        assert_eq!(fence("a ```` b", 3), "`````");
    }

    /// What a service would make links, mentions or parts of the page of.
    const HOSTILE: [&str; 8] = [
        "@octocat",
        "(@octocat) fixes #12, gh-13 and o/octocat#14",
        "https://octocat.example www.octocat.example octocat@example.com",
        "` @octocat",
        "a\n\n# @octocat\n\n</details><!-- --> @octocat",
        "<img src=https://octocat.example> [octocat](https://octocat.example) </code>@octocat",
        "```\n@octocat\n````\n@octocat",
        "| @octocat | \\",
    ];

    /// The text of a page in which a service looks for names: all but code.
    fn outside_of_code(page: &str) -> String {
        use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
        let mut text = String::new();
        let mut is_code = false;
        for event in Parser::new_ext(page, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::CodeBlock(_)) => is_code = true,
                Event::End(TagEnd::CodeBlock) => is_code = false,
                Event::Start(Tag::Link { dest_url, .. }) => text.push_str(&dest_url),
                Event::Text(part) if !is_code => text.push_str(&part),
                Event::Html(part) | Event::InlineHtml(part) => {
                    let mut parts = part.split("<code>");
                    text.extend(parts.next().map(str::to_owned));
                    text.extend(parts.map(|part| part.split_once("</code>").unwrap().1.to_owned()));
                }
                _ => {}
            }
        }
        text
    }

    #[test]
    fn no_text_of_an_agent_makes_a_link_or_notifies_anybody() {
        assert!(outside_of_code("a @octocat").contains('@') && !outside_of_code("a `@octocat`").contains('@'));
        for text in HOSTILE {
            let both = format!("- {}: {}; {} {}\n", prose(text), code(text), code(""), prose(text));
            let table = format!("| a | b | c |\n|---|---|---|\n| {} | {} | |\n", code(text), prose(text));
            let folded =
                format!("<details><summary>{}</summary>\n\n{}\n\n</details>\n", html_code(&one_line(text)), code(text));
            let mut report = sample::full();
            report.target.url = text.to_owned();
            report.lock = Some(crate::report::lock::LockInfo { file: text.to_owned(), lost: vec![text.to_owned()] });
            for problem in &mut report.problems {
                problem.message = text.to_owned();
            }
            for page in [both, table, folded, render(&report)] {
                let rest = outside_of_code(&page);
                let is_safe = !["@", "#1", "-13", "://octocat", "www."].iter().any(|mark| rest.contains(mark));
                assert!(is_safe && page.contains("octocat"), "{text}:\n{rest}\n\n{page}");
            }
        }
        // What is in no danger stays as it is.
        assert_eq!(prose("section 3.1, case a-b/c: 2 # of 3"), "section 3.1, case a-b/c: 2 \\# of 3");
        assert_eq!(prose("names its type in @type, beside"), "names its type in `@type,` beside");
    }

    #[test]
    fn a_page_has_an_end() {
        let mut report = sample::full();
        let problem = report.problems.first().cloned().unwrap();
        report.problems = vec![problem; 500];
        let page = render(&report);
        assert!(page.len() <= MOST_BYTES, "{} bytes", page.len());
        assert!(page.contains("problems more: the JSON report has them all"), "{page}");
        assert_eq!(cut("ab\ncd\nef", 6), "ab\ncd");
    }
}
