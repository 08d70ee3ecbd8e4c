//! What proves a finding: what was sent, what was expected, what came back and where, and what to do about it.

use annotate_snippets::Level as Colour;
use anstream::adapter::strip_str;

use super::body::Body;
use super::model::{ExchangeInfo, Report, RequestInfo};
use super::problems::Problem;
use super::style::{FAINT, STRONG, paint};
use crate::clock;
use crate::diagnostic::excerpt::Excerpt;
use crate::diagnostic::place;
use crate::diagnostic::words::{chop, count, duration, one_line, shorten, wrap};
use crate::finding::{Finding, Kind};
use crate::verdict::{StepInfo, TrialResult, Verdict};
use crate::wire::grpc::Code;
use crate::wire::{json, sse};

/// Columns before the label of a row.
const INDENT: usize = 4;

/// Columns that the label takes.
const LABEL: usize = 10;

/// Most lines that a body takes where it is not pointed into.
const BODY_LINES: usize = 3;

/// Longest text beside a caret.
const BESIDE: usize = 40;

/// Most findings of one trial that are told in full.
pub(super) const MOST: usize = 8;

/// Headers that every request has and no finding is about.
const USUAL: [&str; 6] = ["accept", "content-length", "content-type", "host", "te", "user-agent"];

/// A finding, and what else there is to say of it.
pub(super) struct Told<'a> {
    /// The finding.
    pub finding: &'a Finding,
    /// Its headline, where that of its problem says more than its own.
    pub headline: Option<&'a str>,
    /// Further rows: label and text.
    pub rows: Vec<(&'static str, String)>,
}

/// Every finding of a result, or the reason why there is none.
pub(super) fn of_result(report: &Report, result: &TrialResult, width: usize) -> String {
    let told: Vec<Told<'_>> =
        result.findings.iter().map(|finding| Told { finding, headline: None, rows: Vec::new() }).collect();
    let mut out = String::new();
    if let Some(reason) = &result.reason {
        out.push_str(&format!("  {}\n", paint(STRONG, one_line(&reason.to_string()))));
    }
    out.push_str(&of_trial(report, result, &told, width));
    out
}

/// The finding that is shown for a problem, with its evidence, as plain text; nothing where there is none.
pub(super) fn of_problem(report: &Report, problem: &Problem, width: usize) -> String {
    let Some((result, finding)) = problem.shown(report) else { return String::new() };
    let told = [Told { finding, headline: Some(&problem.message), rows: Vec::new() }];
    strip_str(&of_trial(report, result, &told, width)).to_string().trim_end().to_owned()
}

/// Findings of one result: each with its evidence, what they share said once.
pub(super) fn of_trial(report: &Report, result: &TrialResult, told: &[Told<'_>], width: usize) -> String {
    let mut out = String::new();
    let mut shown: Option<u64> = None;
    for (index, Told { finding, headline, rows }) in told.iter().take(MOST).enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let headline = headline.map_or_else(|| finding.headline(), str::to_owned);
        for line in wrap(&one_line(&format!("{}: {headline}", result.case)), width - 2) {
            out.push_str(&format!("  {}\n", paint(STRONG, line)));
        }
        if index == 0 {
            let place = match &finding.source {
                Some(source) => format!(" ({})", one_line(source)),
                None => String::new(),
            };
            row(
                &mut out,
                "case",
                &format!("{} over {} in {}{place}", result.case, result.binding, result.profile),
                width,
            );
        }
        if index == 0 {
            conversation(&mut out, result, width);
        }
        let exchange = finding.exchange.and_then(|id| report.exchanges.iter().find(|exchange| exchange.id == id));
        let is_new = exchange.is_some_and(|exchange| shown != Some(exchange.id));
        if let Some(exchange) = exchange.filter(|_| is_new) {
            let is_delivery = exchange.is_inbound() && report.target.client.is_none();
            let label = if is_delivery { "delivery" } else { "request" };
            sent(&mut out, label, &exchange.request, width);
            shown = Some(exchange.id);
        }
        came(&mut out, result.verdict, finding, exchange, width);
        if let Some(exchange) = exchange.filter(|_| finding.pointer.is_none()) {
            unplaced(&mut out, finding, exchange, is_new, width);
        }
        let other = finding.against.and_then(|id| report.exchanges.iter().find(|exchange| exchange.id == id));
        if let Some(other) = other.filter(|_| is_new) {
            compared(&mut out, other, width);
        }
        for (label, text) in rows {
            row(&mut out, label, text, width);
        }
    }
    if let Some(more) = told.len().checked_sub(MOST).filter(|more| *more > 0) {
        let where_else = if result.findings_left_out == 0 { "; the JSON report has them all" } else { "" };
        out.push_str(&format!("  and {more} more of this case{where_else}\n"));
    }
    if let Some(again) = result.told_again().filter(|_| !told.is_empty()) {
        row(&mut out, "again", &again, width);
    }
    if let Some(case) = report.cases.iter().find(|case| case.id == result.case) {
        if !case.fix.is_empty() && !told.is_empty() {
            row(&mut out, "fix", &case.fix, width);
        }
        if let Some(rerun) = case.rerun_of(result) {
            raw_row(&mut out, "rerun", std::slice::from_ref(&rerun.command));
        }
    }
    out
}

/// The exchanges that led to the verdict, each on one line; nothing where the finding itself shows the only one.
fn conversation(out: &mut String, result: &TrialResult, width: usize) {
    if result.steps.len() < 2 {
        return;
    }
    let mut lines: Vec<String> = step_lines(result, width.saturating_sub(INDENT + LABEL));
    if result.steps_left_out > 0 {
        lines.push(format!("({} in the middle left out)", count(result.steps_left_out, "exchange")));
    }
    raw_row(out, "steps", &lines);
}

/// The steps of a result, each in one line of so many columns: what was sent, and what came.
pub(super) fn step_lines(result: &TrialResult, columns: usize) -> Vec<String> {
    const ARROW: &str = " -> ";
    let line = |step: &StepInfo| {
        let received = shorten(&one_line(&step.received), columns / 2);
        let left = columns.saturating_sub(received.chars().count() + ARROW.len());
        format!("{}{ARROW}{received}", shorten(&one_line(&step.sent), left))
    };
    result.steps.iter().map(line).collect()
}

/// The request line, unusual headers, and the body.
fn sent(out: &mut String, label: &str, request: &RequestInfo, width: usize) {
    let headers: Vec<String> = request
        .headers
        .iter()
        .filter(|(name, _)| !USUAL.contains(&name.to_ascii_lowercase().as_str()))
        .map(|(name, value)| one_line(&format!("{name}: {value}")))
        .collect();
    let line = match request.verbatim {
        true => one_line(&format!("these bytes, to {}", request.url)),
        false => one_line(&format!("{} {}", request.method, request.url)),
    };
    let together = format!("{line} ({})", headers.join(", "));
    let mut lines = if headers.is_empty() {
        vec![line]
    } else if together.chars().count() <= width.saturating_sub(INDENT + LABEL) {
        vec![together]
    } else {
        std::iter::once(line).chain(headers).collect()
    };
    lines.extend(body(&request.body, width));
    raw_row(out, label, &lines);
}

/// The exchange with which another was compared.
fn compared(out: &mut String, exchange: &ExchangeInfo, width: usize) {
    sent(out, "against", &exchange.request, width);
    row(out, "received", &status(exchange), width);
    if let Some(response) = &exchange.response {
        raw_row(out, "body", &body(&response.body, width));
    }
}

/// A body on few lines, with its length where that is not all of it.
fn body(body: &Body, width: usize) -> Vec<String> {
    let mut lines = text(&body.text(), width);
    lines.extend(body.cut().map(|cut| format!("({} bytes in all)", cut.bytes)));
    lines
}

/// A text on few lines: as it is where it fits, else with its long strings cut if it is JSON, and cut at the end.
fn text(text: &str, width: usize) -> Vec<String> {
    let columns = width.saturating_sub(INDENT + LABEL);
    let room = columns * BODY_LINES;
    let text = text.trim_end();
    let compact = match json::parse(text.as_bytes(), &json::Limits::default()) {
        // What is wrong with the spelling is the point of such a body.
        Ok(document) if text.chars().count() > room && document.duplicates().is_empty() => {
            let mut value = document.value();
            cut_strings(&mut value);
            value.to_string()
        }
        _ => text.to_owned(),
    };
    chop(&shorten(&one_line(&compact), room), columns)
}

/// Cuts the strings in a value to what tells them apart.
fn cut_strings(value: &mut serde_json::Value) {
    use serde_json::Value;
    match value {
        Value::String(text) => *text = shorten(text, 40),
        Value::Array(items) => items.iter_mut().for_each(cut_strings),
        Value::Object(members) => members.values_mut().for_each(cut_strings),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What was expected and what came: with a caret where there is a place for one.
fn came(out: &mut String, verdict: Verdict, finding: &Finding, exchange: Option<&ExchangeInfo>, width: usize) {
    let pointed = Pointed::of(finding, exchange);
    let expected = finding.expected.as_deref().map(one_line);
    // The caret says it where it is short.
    let beside = expected.as_ref().filter(|text| text.chars().count() <= BESIDE);
    let beside = beside.filter(|_| pointed.as_ref().is_some_and(|pointed| pointed.label.is_none()));
    if let Some(expected) = expected.as_ref().filter(|_| beside.is_none()) {
        row(out, "expected", expected, width);
    }
    let seen = pointed.as_ref().map(Pointed::underlined);
    let actual = finding.received.as_deref().map(one_line);
    let actual = actual.filter(|actual| seen.is_none_or(|seen| one_line(seen) != *actual));
    let text = match exchange {
        None => actual.unwrap_or_default(),
        Some(exchange) if exchange.is_inbound() => {
            let pointer = finding.pointer.as_deref().filter(|pointer| !pointer.is_empty());
            let place = pointer.map(|pointer| format!(", at {}", one_line(pointer))).unwrap_or_default();
            let actual = actual.map(|actual| format!(": {actual}")).unwrap_or_default();
            format!("exchange {}{place}{actual}", exchange.id)
        }
        Some(exchange) => {
            let mut text = status(exchange);
            if let Some(index) = finding.event.filter(|_| pointed.is_none()) {
                text.push_str(&format!(", event {}", index + 1));
            }
            let pointer = finding.pointer.as_deref().filter(|pointer| !pointer.is_empty());
            if let Some(pointer) = pointer.filter(|_| exchange.response.is_some()) {
                text.push_str(&format!(", at {}", one_line(pointer)));
            }
            let status = exchange.response.as_ref().map(|response| response.status.to_string());
            if let Some(actual) = actual.filter(|actual| status.as_ref() != Some(actual)) {
                text.push_str(&format!(": {actual}"));
            }
            text
        }
    };
    if !text.is_empty() {
        row(out, "received", &text, width);
    }
    if let Some(pointed) = &pointed {
        let mut excerpt = Excerpt::new(&pointed.origin, &pointed.text, pointed.span.clone());
        if let Some(label) = pointed.label.clone().or_else(|| beside.map(|expected| format!("expected {expected}"))) {
            excerpt = excerpt.label(label);
        }
        let colour = match verdict {
            Verdict::Fail => Colour::ERROR,
            Verdict::Warn | Verdict::Flaky => Colour::WARNING,
            _ => Colour::NOTE,
        };
        for line in excerpt.render(colour, width.saturating_sub(INDENT)).lines() {
            out.push_str(&format!("{:INDENT$}{line}\n", ""));
        }
    }
}

/// What came back, where nothing in it is pointed at: the event, or the body if it was not shown before.
fn unplaced(out: &mut String, finding: &Finding, exchange: &ExchangeInfo, is_new: bool, width: usize) {
    // What the suite answers to a delivery is of no interest.
    let Some(response) = exchange.response.as_ref().filter(|_| !exchange.is_inbound()) else { return };
    match finding.event {
        Some(index) => {
            let shown = finding.excerpt.as_ref().map(|excerpt| excerpt.text.clone());
            if let Some(data) = shown.or_else(|| events(response.decoded, &response.body.text()).into_iter().nth(index))
            {
                raw_row(out, "data", &text(&data, width));
            }
        }
        None if is_new => raw_row(out, "body", &body(&response.body, width)),
        None => {}
    }
}

/// How the agent answered, on one line.
fn status(exchange: &ExchangeInfo) -> String {
    let ended = exchange.ended.as_deref().map(one_line);
    let mut text = match &exchange.response {
        None => format!("no response: {}", ended.unwrap_or_else(|| "none came".to_owned())),
        Some(response) => {
            let took = duration(clock::milliseconds(exchange.elapsed_ms));
            let ended = ended.map(|ended| format!("; {ended}")).unwrap_or_default();
            let grpc = response.last_word("grpc-status").map(|code| format!(", grpc-status {}", named(code)));
            format!("HTTP {}{} after {took}{ended}", response.status, grpc.unwrap_or_default())
        }
    };
    text.push_str(&format!(" (exchange {})", exchange.id));
    text
}

/// A status code of gRPC with its name, where it has one.
fn named(code: &str) -> String {
    match code.parse().ok().and_then(Code::from_number) {
        Some(known) => format!("{code} {known}"),
        None => one_line(code),
    }
}

/// Where the caret stands.
pub(super) struct Pointed {
    /// What the text is, such as `response body`.
    pub origin: String,
    /// The text.
    pub text: String,
    /// What is underlined; nothing, where the finding has no pointer.
    pub span: std::ops::Range<usize>,
    /// What is said there other than what was expected.
    pub label: Option<String>,
}

impl Pointed {
    /// The place to which a finding points in what came back; `None` where it has none.
    fn of(finding: &Finding, exchange: Option<&ExchangeInfo>) -> Option<Self> {
        finding.pointer.as_ref()?;
        if let Some(excerpt) = &finding.excerpt {
            return Some(Self {
                origin: excerpt.of.clone(),
                text: excerpt.text.clone(),
                span: excerpt.from..excerpt.to,
                label: excerpt.label.clone(),
            });
        }
        let exchange = exchange?;
        if exchange.is_inbound() {
            let body = Some(&exchange.request.body).filter(|body| body.cut().is_none())?;
            let found = Self::find(finding, false, &body.text())?;
            return Some(Self { origin: "request body".to_owned(), ..found });
        }
        let response = exchange.response.as_ref()?;
        Self::find(finding, response.decoded, &response.body.text())
    }

    /// The place of a finding in a whole body, which may be shown decoded.
    pub(crate) fn find(finding: &Finding, is_decoded: bool, body: &str) -> Option<Self> {
        let (origin, text) = match finding.event {
            None if is_decoded => ("response in JSON form".to_owned(), body.to_owned()),
            None => ("response body".to_owned(), body.to_owned()),
            Some(index) => {
                let events = events(is_decoded, body);
                let origin = format!("event {} of {} in the stream", index + 1, events.len());
                (origin, events.into_iter().nth(index)?)
            }
        };
        if text.trim().is_empty() {
            return None;
        }
        let Some(pointer) = finding.pointer.as_deref() else {
            return finding.event.map(|_| Self { origin, text, span: 0..0, label: None });
        };
        let parse = |text: &str| json::parse(text.as_bytes(), &json::Limits::default());
        // The suite reads on where a stream has separators of records, and only who reports these points at them. A space is as long.
        let is_about_data = matches!(finding.kind, Kind::EventDataUnreadable { .. } | Kind::EventNotJson { .. });
        let spaced = || text.starts_with(SEPARATOR).then(|| text.replace(SEPARATOR, " ")).filter(|_| !is_about_data);
        let read = parse(&text).or_else(|error| spaced().and_then(|text| parse(&text).ok()).ok_or(error));
        let (span, label) = match read {
            Ok(document) => {
                let place = place::in_document(&document, pointer);
                let label = place.missing();
                (place.span, label)
            }
            Err(error) => (place::token_at(&text, error.offset), Some(error.kind.to_string())),
        };
        Some(Self { origin, text, span, label })
    }

    fn underlined(&self) -> &str {
        self.text.get(self.span.clone()).unwrap_or_default()
    }
}

/// The separator of records of RFC 7464.
const SEPARATOR: char = '\u{1e}';

/// The data of the events of a stream.
fn events(is_decoded: bool, body: &str) -> Vec<String> {
    if is_decoded {
        return body.split('\n').map(str::to_owned).collect();
    }
    let items = match sse::Decoder::new(sse::Limits::default()).push(body.as_bytes()) {
        Ok(items) => items,
        Err(error) => error.items,
    };
    items
        .into_iter()
        .filter_map(|item| match item {
            sse::Item::Event(event) => Some(event.data),
            _ => None,
        })
        .collect()
}

/// A labelled text, broken between words.
pub(super) fn row(out: &mut String, label: &str, text: &str, width: usize) {
    let width = width.saturating_sub(INDENT + LABEL);
    // A value of the agent's may be one long word.
    let lines: Vec<String> = wrap(&one_line(text), width).iter().flat_map(|line| chop(line, width)).collect();
    raw_row(out, label, &lines);
}

/// A labelled text whose lines are made already.
fn raw_row(out: &mut String, label: &str, lines: &[String]) {
    for (index, line) in lines.iter().enumerate() {
        let label = if index == 0 { label } else { "" };
        out.push_str(&format!("{:INDENT$}{} {line}\n", "", paint(FAINT, format_args!("{label:<9}"))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::body::LONGEST_SHOWN;
    use crate::report::exchange::describe;
    use crate::report::sample;
    use crate::secrets::Secrets;

    #[test]
    fn the_place_in_an_event_that_begins_with_a_separator_is_where_it_is_without() {
        let body = "data: \u{1e}{\"a\":1,\"id\":7}\n\n";
        let found = |kind: Kind, pointer: &str| {
            let finding = Finding::new(kind).at(1, pointer).in_event(0);
            Pointed::find(&finding, false, body).map(|found| found.underlined().to_owned())
        };
        assert_eq!(found(Kind::StreamsDiffer, "/id").as_deref(), Some("7"));
        let unread = Kind::EventDataUnreadable { reason: "its data begins with U+001E".to_owned() };
        assert_ne!(found(unread, "/id").as_deref(), Some("7"));
    }
    use crate::transcript::{Ended, TransportError};

    /// The evidence of findings about one exchange that the agent answered with `came`.
    fn told(came: Option<&str>, findings: Vec<Finding>) -> String {
        let mut report = sample::stream();
        let mut exchange = sample::exchange(21, "states/legal-transitions", "{\"id\":1}", came);
        if came.is_none() {
            exchange.ended = Ended::Failed(TransportError::Refused);
        }
        report.exchanges = vec![describe(&exchange, LONGEST_SHOWN, &Secrets::default())];
        let result = TrialResult { findings, ..report.results[0].clone() };
        strip_str(&of_result(&report, &result, 90)).to_string()
    }

    #[test]
    fn the_body_is_shown_where_there_is_no_place_in_it() {
        let finding = Finding::new(Kind::JsonUndeclared).in_exchange(21);
        insta::assert_snapshot!(told(Some("<p>\nwelcome\n</p>"), vec![finding]));
    }

    #[test]
    fn an_answer_that_never_came() {
        let finding = Finding::new(Kind::NoAnswer).at(21, "/result").compare("an answer", "none");
        insta::assert_snapshot!(told(None, vec![finding]));
    }

    #[test]
    fn most_findings_of_a_flood_are_only_counted() {
        let finding =
            |index: usize| Finding::new(Kind::ErrorInStream { error: index.to_string() }).at(21, format!("/{index}"));
        let text = told(Some("[1, 2]"), (0..MOST + 3).map(finding).collect());
        assert!(text.contains("the error 7\n") && !text.contains("the error 8\n"), "{text}");
        assert!(text.contains("and 3 more of this case; the JSON report has them all"), "{text}");
        assert_eq!(text.matches("POST").count(), 1, "{text}");
    }

    #[test]
    fn findings_may_lack_everything() {
        let lost = Finding::new(Kind::StreamsDiffer).at(99, "/result");
        let event = Finding::new(Kind::StreamsDiffer).at(21, "").in_event(7);
        let whole = Finding::new(Kind::StreamsDiffer).in_exchange(21).in_event(0);
        let text = told(Some("data: {}\n\n"), vec![Finding::new(Kind::StreamsDiffer), lost, event, whole]);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn each_step_of_a_conversation_takes_one_line() {
        let step = |exchange: u64, sent: &str| StepInfo {
            exchange,
            name: None,
            sent: sent.to_owned(),
            received: format!("the result {}", "x".repeat(200)),
        };
        let mut result = sample::stream().results[0].clone();
        result.steps = vec![step(20, "SendMessage {\n}"), step(21, &"GetTask ".repeat(40))];
        let lines = step_lines(&result, 80);
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| line.chars().count() <= 80 && line.contains(" -> the result x")), "{lines:#?}");
        assert!(strip_str(&of_result(&sample::stream(), &result, 90)).to_string().contains("steps     SendMessage"));
    }

    #[test]
    fn long_strings_in_bodies_are_cut() {
        let text = format!("{{\"a\":\"{}\",\"b\":[\"{}\"],\"c\":1}}", "x".repeat(400), "y".repeat(400));
        let lines = super::text(&text, 90);
        assert!(lines.len() <= BODY_LINES, "{lines:?}");
        assert!(lines.concat().ends_with("\"c\":1}"), "{lines:?}");
        let doubled = format!("{{\"a\":1,\"a\":\"{}\"}}", "x".repeat(400));
        assert!(super::text(&doubled, 90).concat().starts_with("{\"a\":1,\"a\":\"xxx"));
    }
}
