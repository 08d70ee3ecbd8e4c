//! What an agent tells of its own inside where it refuses.

use super::args::Nothing;
use super::judged;
use super::tasks::first_few;
use crate::finding::{Finding, Kind};
use crate::judge::{Judgement, RunView};
use crate::transcript::{Answer, Content};

/// The beginning of what the runtimes of common languages print when something was thrown and nobody caught it: Python,
/// Go, Rust and Ruby.
const HEADS: [&str; 4] =
    ["Traceback (most recent call last)", "goroutine 1 [", "' panicked at ", "(most recent call first)"];

/// No error shows where in the agent's code it came about.
pub(super) fn stack_traces(view: RunView<'_>, _: &Nothing) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    for answer in view.answers {
        let Some(text) = text_of_an_error(answer) else { continue };
        seen += 1;
        if let Some(trace) = stack_trace(&text) {
            let finding = Finding::new(Kind::StackTrace).compare("an error without its stack", trace);
            findings.push(finding.in_exchange(answer.exchange.number));
        }
    }
    judged(seen, "error", first_few(findings.into_iter()))
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
    // Within JSON line ends are escaped.
    let text = text.replace("\\n", "\n").replace("\\t", "\t").replace("<br>", "\n");
    let frames: Vec<&str> = text.lines().map(str::trim).collect();
    let both = frames.windows(2).find(|pair| pair.iter().all(|line| is_frame(line)))?;
    both.first().map(|line| (*line).to_owned())
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
        ];
        for stack in stacks {
            assert!(stack_trace(stack).is_some(), "{stack}");
        }
        let words = [
            "no such task",
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
