//! What an agent tells of its own inside where it refuses.

use std::collections::BTreeSet;

use serde_json::Value;

use super::args::Nothing;
use super::tasks::first_few;
use super::{judged, judged_apart, violates};
use crate::finding::{Finding, Kind};
use crate::reason::Reason;
use crate::transcript::{Answer, Content, ErrorObject};
use crate::wire::json::pointer;
use crate::{Judged, Judgement, RunView, items};

/// The beginning of what the runtimes of common languages print when something was thrown and nobody caught it: Python,
/// Go, Rust and Ruby.
const HEADS: [&str; 3] = ["Traceback (most recent call last)", "' panicked at ", "(most recent call first)"];

/// No error shows where in the agent's code it came about; nor does what the server answers to requests that are no calls.
pub(super) fn stack_traces(view: RunView<'_>, _: &Nothing) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    for answer in view.answers.iter().chain(view.beside) {
        let Some(text) = text_of_an_error(answer) else { continue };
        seen += 1;
        findings.extend(stack(&text).map(|finding| finding.in_exchange(answer.exchange.number)));
    }
    judged(seen, "error", first_few(findings.into_iter()))
}

/// How pages for browsers begin, in lower case.
const PAGES: [&str; 3] = ["<!doctype html", "<html", "<body"];

/// What `plain-errors` asserts: no message of an error holds a page for browsers, or a stack; nor do its data; nor does what failed
/// tasks say.
pub(super) const PLAIN: &[&str] = &["markup", "stack", "data", "failures"];

/// Errors, and what failed tasks say, are in words (1.0 section 3.3.2, JSON-RPC 2.0 section 5.1). The data of an error are the server's
/// own. A page as the whole answer is for the cases about that answer.
pub(super) fn plain_errors(view: RunView<'_>, _: &Nothing) -> Judged {
    let mut findings = Vec::new();
    let mut held = BTreeSet::new();
    for answer in view.answers {
        let number = answer.exchange.number;
        for error in answer.errors() {
            // Over HTTP+JSON of some versions, `detail` is the sentence for people (RFC 9457, 3.1.4).
            if let Some(text) = texts_in(error, ["message", "detail"]) {
                held.extend(["markup", "stack"]);
                findings.extend(page(&text).map(|finding| violates("markup", finding.in_exchange(number))));
                findings.extend(stack(&text).map(|finding| violates("stack", finding.in_exchange(number))));
            }
            if let Some(text) = texts_in(error, ["data", "details"]) {
                held.insert("data");
                findings.extend(page_or_stack(&text).map(|finding| violates("data", finding.in_exchange(number))));
            }
        }
        for text in failures(answer) {
            held.insert("failures");
            findings.extend(page_or_stack(&text).map(|finding| violates("failures", finding.in_exchange(number))));
        }
    }
    match held.is_empty() {
        true => Judgement::Unseen(Reason::run_saw_no("error")).into(),
        false => judged_apart(held, findings),
    }
}

/// What these members of an error say.
fn texts_in(error: &ErrorObject, members: [&str; 2]) -> Option<String> {
    let texts = members.into_iter().filter_map(|member| error.value.get(member));
    let texts: Vec<String> =
        texts.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn page_or_stack(text: &str) -> Option<Finding> {
    page(text).or_else(|| stack(text))
}

fn page(text: &str) -> Option<Finding> {
    let lower = text.to_ascii_lowercase();
    let page = PAGES.into_iter().find(|page| lower.contains(page))?;
    Some(Finding::new(Kind::MarkupPage).compare("words", format!("{page}...")))
}

fn stack(text: &str) -> Option<Finding> {
    let trace = stack_trace(text)?;
    Some(Finding::new(Kind::StackTrace).compare("an error without its stack", trace))
}

/// What failed tasks say in an answer.
fn failures(answer: &Answer) -> Vec<String> {
    let statuses = answer.payloads().into_iter().flat_map(|payload| {
        let value = &payload.reading.value;
        ["/status", "/task/status", "/statusUpdate/status"].into_iter().filter_map(|place| pointer::find(value, place))
    });
    let failed = statuses.filter(|status| status.get("state").and_then(Value::as_str) == Some("TASK_STATE_FAILED"));
    let parts = failed.flat_map(|status| status.get("message").map_or(&[][..], |message| items(message, "parts")));
    parts.filter_map(|part| Some(part.get("text")?.as_str()?.to_owned())).collect()
}

/// How much of a body is looked at: a stack begins where the error does, and what is judged here has been read once already.
const MOST_TEXT: usize = 64 << 10;

/// The beginning of the body, or over gRPC of the message, of an answer that is an error in whatever form.
fn text_of_an_error(answer: &Answer) -> Option<String> {
    let response = answer.exchange.response.as_ref()?;
    let is_error = matches!(answer.content, Content::Error(_)) || response.status >= 400;
    let message = answer.refusal().and_then(|error| error.value.get("message")?.as_str());
    let beginning = |bytes: &[u8]| String::from_utf8_lossy(bytes.get(..MOST_TEXT).unwrap_or(bytes)).into_owned();
    let message = || beginning(message.unwrap_or_default().as_bytes());
    is_error.then(|| format!("{}\n{}", message(), beginning(&response.body)))
}

/// A line of a stack that people would know as one: the head that stands above it, or two places in code in a row.
fn stack_trace(text: &str) -> Option<String> {
    if let Some(head) = HEADS.into_iter().find(|head| text.contains(head)) {
        return Some(head.to_owned());
    }
    if let Some(head) = text.split("goroutine ").skip(1).find(|rest| is_goroutine(rest)) {
        let line = head.lines().next().unwrap_or_default();
        return Some(format!("goroutine {}", line.split_inclusive(']').next().unwrap_or_default()));
    }
    // Within JSON line ends are escaped.
    let text = text.replace("\\n", "\n").replace("\\t", "\t").replace("<br>", "\n");
    let frames: Vec<&str> = text.lines().map(str::trim).collect();
    let both = frames.windows(2).find(|pair| pair.iter().all(|line| is_frame(line)))?;
    both.first().map(|line| (*line).to_owned())
}

/// Whether what stands behind that word is the number of a goroutine and its state, as in `goroutine 41 [running]:`.
fn is_goroutine(rest: &str) -> bool {
    rest.split_once(" [").is_some_and(|(number, state)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) && state.contains("]:")
    })
}

/// Whether a line is a place in code as Java, JavaScript and C# print them: `at a.b.C.d(E.java:12)`, `at f (/a/b.js:1:2)`,
/// `at A.B() in C:\\d.cs:line 3`.
fn is_frame(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("at ") else { return false };
    let is_a_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // What follows may be the end of a JSON text, or of an element of a page.
    let place = rest.split(['<', '"']).next().unwrap_or_default().trim_end_matches(')');
    let line_number = place.rsplit_once(':').map(|(_, number)| number.trim_start_matches("line "));
    line_number.is_some_and(is_a_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_are_told_from_words() {
        let stacks = [
            "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n",
            "{\"detail\":\"java.lang.NullPointerException\\n\\tat a.b.C.d(C.java:12)\\n\\tat a.b.C.main(C.java:3)\"}",
            "<pre>TypeError: x<br>    at f (/app/a.js:10:3)<br>    at /app/b.js:7:1</pre>",
            "boom\n   at A.B.C() in /src/C.cs:line 12\n   at A.B.D() in /src/C.cs:line 20\n",
            "thread 'tokio-runtime-worker' panicked at src/main.rs:4:5:\nboom",
            "goroutine 1 [running]:\nmain.main()",
            "no task\ngoroutine 41 [chan receive, 2 minutes]:\nmain.(*Handler).handle(0xc00011e000)",
        ];
        for stack in stacks {
            assert!(stack_trace(stack).is_some(), "{stack}");
        }
        let words = [
            "no such task",
            "a goroutine [that is]: busy, and goroutine 7 waits",
            "the task was last seen\nat 12:30\nat noon",
            "Invalid JSON payload at line 1 column 2",
            "meet at the office:3",
            "at one place only (a.js:1:2)",
        ];
        for word in words {
            assert!(stack_trace(word).is_none(), "{word}");
        }
    }
}
