//! What was found, as a case that anybody can run again.

use std::sync::Arc;

use base64::Engine as _;
use serde_json::{Map, Value, json};

use super::bucket::Found;
use super::class::Classes;
use super::inbox::given;
use super::posted;
use super::probe::{Body, Head, Probe, Reading, Send};
use super::steps::groups;
use crate::auth::Caller;
use crate::case::Requirement;
use crate::case::{Enough, FramePayload, Last, Piece, Written, WrittenFrame};
use crate::diagnostic::words::{count, wrap};
use crate::finding::Kind;
use crate::profile::Binding;
use crate::secrets::Secrets;
use crate::transcript::Request;

/// How wide comments are.
const COMMENTS: usize = 110;
/// The outcome that says that there is to be an answer.
const ANY_ANSWER: &str = "answered";

/// The entry of a case file that shows it.
pub fn entry(found: &Found, classes: &Classes) -> Value {
    let mut case = Map::new();
    let mut add = |name: &str, value: Value| {
        case.insert(name.to_owned(), value);
    };
    let what = classes.get(&found.class).map_or(found.class.as_str(), |class| class.title.as_str());
    let place = match found.probes.last().map(|probe| probe.place.as_str()) {
        Some(place) if !place.is_empty() => format!(", at {place}"),
        _ => String::new(),
    };
    add("id", json!(found.case()));
    add("title", json!(format!("{}: {what}{place}", found.operation)));
    add("why", json!(why(found)));
    add("right", json!(right(found)));
    add("wrong", json!(found.finding.headline()));
    add("fix", json!(fix(found)));
    add("level", json!(found.level));
    add("profiles", json!([found.profile]));
    add("section", json!(section(found)));
    let second = found.second.map(|(_, binding)| binding);
    add("bindings", json!(std::iter::once(found.binding).chain(second).collect::<Vec<_>>()));
    if second.is_some() {
        add("across", json!(true));
    }
    let is_last = |probe: &Probe| found.probes.last().is_some_and(|last| std::ptr::eq(last, probe));
    let of_group = |group: &[Probe]| {
        let written = |probe| step(probe, classes, found, is_last(probe));
        let mut all: Vec<Value> = group.iter().map(written).collect();
        let left = group.iter().filter(|probe| matches!(probe.reading, Reading::Left(_)));
        all.extend(left.map(|probe| json!({ "close": probe.name })));
        if group.len() > 1 { vec![json!({ "together": all })] } else { all }
    };
    let mut steps: Vec<Value> = groups(&found.probes).flat_map(of_group).collect();
    let held = found.probes.iter().filter(|probe| matches!(probe.reading, Reading::Held(_)));
    steps.extend(held.map(|probe| json!({ "close": probe.name })));
    if steps.iter().any(|step| step.to_string().contains("${done.")) {
        add("given", json!({ "done": { "task": "completed" } }));
    }
    let webhooks: Map<String, Value> = found.probes.iter().flat_map(given).map(|name| (name, json!({}))).collect();
    if found.probes.iter().any(Probe::listens) {
        add("webhooks", Value::Object(webhooks));
    }
    add("steps", Value::Array(steps));
    if let Some(oracle) = &found.oracle {
        let call = match &oracle.args {
            Value::Null => json!(oracle.name),
            args => json!({ &oracle.name: args }),
        };
        add("holds", json!([call]));
    }
    Value::Object(case)
}

/// What is known of it beside the case that shows it, as comments that stand above that: the search by which it was found again, and
/// the requirements on which it rests.
pub fn comments(found: &Found, seed: u64) -> String {
    let mut lines = vec![format!(
        "{} of A2A {} over {}, found in the phase {} by --seed {seed}",
        found.operation,
        found.profile,
        found.binding,
        found.phase.name()
    )];
    let case = found.case();
    let (decides, beside): (Vec<&Arc<Requirement>>, Vec<_>) =
        found.requirements.iter().partition(|one| one.is_violated_by(&case, &found.finding.assertion));
    let rests_on = if decides.is_empty() { beside } else { decides };
    lines.extend(
        rests_on
            .iter()
            .filter(|one| one.weight() == found.level)
            .map(|one| format!("{} ({}, section {}): {}", one.id.value, one.level, one.section, one.text.trim())),
    );
    if rests_on.is_empty() {
        lines.push("no requirement of the version: it is good sense".to_owned());
    }
    let places = found.other_places();
    if !places.is_empty() {
        lines.push(format!("also seen at {}: {}", count(places.len(), "other place"), places.join(", ")));
    }
    if found.is_as_found {
        lines.push("as it was found: the time for making it smaller was over".to_owned());
    }
    let wrapped = lines.iter().flat_map(|line| wrap(line, COMMENTS));
    wrapped.map(|line| format!("# {line}\n")).collect()
}

/// Members of a case that hold bytes in base64.
const IN_BASE64: [&str; 2] = ["base64", "prefix"];

/// A case file with it, without secrets: what an agent has said of them may be a part of a request.
///
/// # Errors
/// What cannot be written as YAML.
pub fn file(found: &Found, classes: &Classes, secrets: &Secrets) -> Result<String, String> {
    let mut cases = json!([entry(found, classes)]);
    if secrets.hides_anything() {
        secrets.mask_value(&mut cases, &|name| IN_BASE64.contains(&name));
    }
    serde_saphyr::to_string(&json!({ "cases": cases })).map_err(|error| error.to_string())
}

/// The same finding with its request as the bytes in which it was sent to an interface at `base`; nothing where it takes several
/// requests, or no text was sent. It is for requests that cannot be written as calls, such as values that nest too deep.
pub fn as_bytes(found: &Found, base: &str) -> Option<Found> {
    let [probe] = found.probes.as_slice() else { return None };
    let is_it = |request: &&Request| !request.is_verbatim && request.operation == Some(probe.operation);
    let request = found.evidence.iter().map(|exchange| &exchange.request).find(is_it)?;
    let suffix = request.url.strip_prefix(base).filter(|_| found.binding != Binding::Grpc)?.to_owned();
    let content_type = request.header("content-type").map(str::to_owned);
    let head = Box::new(Head { verb: Some(request.method.clone()), content_type, ..Head::default() });
    let send = Send::Raw { suffix, body: Body::Bytes(request.body.clone()), head };
    Some(Found { probes: vec![Probe { send, ..probe.clone() }], ..found.clone() })
}

/// The same finding without its request: a case that stands for it in a report, where it cannot be written at all. It shows nothing.
pub fn without_request(found: &Found) -> Option<Found> {
    let last = found.probes.last()?;
    let send = Send::Raw { suffix: String::new(), body: Body::Text(String::new()), head: Box::default() };
    let (name, holds, reading, over) = (String::new(), Vec::new(), Reading::Brief, None);
    let probe = Probe { send, name, holds, reading, over, ..last.clone() };
    Some(Found { probes: vec![probe], oracle: None, ..found.clone() })
}

fn step(probe: &Probe, classes: &Classes, found: &Found, is_last: bool) -> Value {
    let mut step = Map::new();
    match &probe.send {
        Send::Call { params } => {
            let act = match probe.reading {
                Reading::Left(_) | Reading::Held(_) => "open",
                _ if probe.operation.streams() => "stream",
                _ => "call",
            };
            step.insert(act.to_owned(), json!(probe.operation));
            step.insert("with".to_owned(), params.clone());
            if !probe.headers.is_empty() {
                step.insert("headers".to_owned(), probe.headers.iter().cloned().collect());
            }
            if let Some(id) = &probe.rpc_id {
                step.insert("rpc-id".to_owned(), json!({ "value": id }));
            }
            // Members that no version knows are wrong to the lint, too.
            if !probe.place.is_empty() {
                step.insert("invalid".to_owned(), json!(true));
            }
        }
        Send::Deliveries(wanted) => {
            let waited = match wanted.enough {
                Enough::Count(count) => ("count", json!(count)),
                Enough::Ended => ("until", json!("terminal")),
                Enough::EndedOrNot => ("until", json!("terminal-or-not")),
                Enough::Quiet => ("until", json!("quiet")),
            };
            step.insert("deliveries".to_owned(), json!({ "to": wanted.to, (waited.0): waited.1 }));
        }
        Send::End { task } => {
            step.insert("wait".to_owned(), json!({ "task": task, "until": "terminal" }));
        }
        Send::Bytes { params, send } => {
            step.insert("bytes".to_owned(), json!(probe.operation));
            step.insert("with".to_owned(), params.clone());
            step.insert("send".to_owned(), send.iter().map(piece).collect());
        }
        Send::Raw { suffix, body, head } => {
            let mut raw = Map::new();
            if let Some(verb) = head.verb.as_ref().filter(|verb| *verb != "POST") {
                raw.insert("method".to_owned(), json!(verb));
            }
            if !head.has_body() {
                raw.insert("content-type".to_owned(), Value::Null);
            }
            if let Some(content_type) = &head.content_type {
                raw.insert("content-type".to_owned(), json!(content_type));
            }
            if let Some(prefix) = &head.prefix {
                raw.insert("prefix".to_owned(), json!(base64(prefix)));
            }
            if !head.headers.is_empty() {
                step.insert("headers".to_owned(), head.headers.iter().cloned().collect());
            }
            if !suffix.is_empty() {
                raw.insert("suffix".to_owned(), json!(suffix));
            }
            match body {
                Body::Text(text) => raw.insert("body".to_owned(), json!(text)),
                Body::Bytes(bytes) => raw.insert("base64".to_owned(), json!(base64(bytes))),
            };
            step.insert("raw".to_owned(), Value::Object(raw));
        }
    }
    if probe.over.is_some() {
        step.insert("over".to_owned(), json!("second"));
    }
    if probe.by != Caller::Own {
        step.insert("by".to_owned(), json!(probe.by.name()));
    }
    if !probe.name.is_empty() {
        step.insert("as".to_owned(), json!(probe.name));
    }
    // What shows it is judged, whatever came of it.
    if probe.is_needed && !is_last && !probe.listens() {
        let reach = match probe.reading {
            _ if let Some(state) = probe.state => json!({ "/task/status/state": state }),
            _ if matches!(probe.send, Send::End { .. }) => json!({ "/status/state": { "type": "string" } }),
            Reading::Left(events) | Reading::Held(events) => json!({ "": { "length": { "min": events } } }),
            _ => json!({ "": { "present": true } }),
        };
        step.insert("reach".to_owned(), reach);
    }
    // Of odd bytes nothing is expected but that what follows them is served.
    if probe.listens() || matches!(probe.send, Send::End { .. }) {
        if found.oracle.is_none() && is_last {
            let written = classes.get(&probe.class).map(|class| class.written(&probe.expect)).unwrap_or_default();
            step.insert("expect".to_owned(), json!({ "http": written.get("http").unwrap_or(&json!({})) }));
        }
    } else if found.oracle.is_none() && (is_last || !probe.is_odd()) {
        let is_left =
            matches!(found.finding.kind, Kind::RequestUnanswered | Kind::ConnectionClosed | Kind::AnswerNoHttp);
        let expect = match is_last && is_left {
            true => json!({ "outcome": [ANY_ANSWER] }),
            false => classes.get(&probe.class).map(|class| class.written(&probe.expect)).unwrap_or_default(),
        };
        step.insert("expect".to_owned(), expect);
    }
    Value::Object(step)
}

fn piece(piece: &Piece) -> Value {
    match piece {
        Piece::Write { what, at_once } => {
            let mut written = match what {
                Written::Text(text) => json!({ "text": text }),
                Written::Exact(bytes) => json!({ "base64": base64(bytes) }),
                Written::Frame(one) => json!({ "frame": frame(one) }),
            };
            if let (Some(size), Some(written)) = (at_once, written.as_object_mut()) {
                written.insert("at-once".to_owned(), json!(size));
            }
            written
        }
        Piece::Pause(pause) => json!({ "pause": u64::try_from(pause.as_millis()).unwrap_or(u64::MAX) }),
        Piece::WaitFor(answers) => json!({ "wait-for": answers }),
        Piece::Then(last) => json!({ "then": match last {
            Last::HalfClose => "half-close",
            Last::Close => "close",
            Last::Reset => "reset",
        } }),
    }
}

fn frame(frame: &WrittenFrame) -> Value {
    let WrittenFrame { kind, flags, stream, length, padding, resets, payload } = frame;
    let mut written = Map::from_iter([("type".to_owned(), json!(kind))]);
    let mut add = |name: &str, value: Value| {
        written.insert(name.to_owned(), value);
    };
    if *flags != 0 {
        add("flags", json!(flags));
    }
    if *stream != 0 {
        add("stream", json!(stream));
    }
    length.iter().for_each(|length| add("length", json!(length)));
    resets.iter().for_each(|resets| add("resets", json!(resets)));
    padding.iter().for_each(|padding| add("padding", json!(padding)));
    match payload {
        FramePayload::Exact(bytes) if bytes.is_empty() => {}
        FramePayload::Exact(bytes) => add("base64", json!(base64(bytes))),
        FramePayload::Text(text) => add("text", json!(text)),
        FramePayload::Fields(fields) => add("fields", json!(fields)),
    }
    Value::Object(written)
}

fn base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn right(found: &Found) -> String {
    let is_left = matches!(found.finding.kind, Kind::RequestUnanswered | Kind::ConnectionClosed | Kind::AnswerNoHttp);
    let answer = is_left.then(|| "an answer, whatever it says".to_owned());
    found.finding.expected.clone().or(answer).unwrap_or_else(|| "an answer as the requirement says".to_owned())
}

fn why(found: &Found) -> &'static str {
    if let Some((why, _)) = of_deliveries(found) {
        return why;
    }
    match found.is_fatal {
        true => {
            "The agent fell of it, as far as anybody can see: it was gone, or no more as it was, for all its clients."
        }
        false => "The fuzzer found an answer here that no client can rely on.",
    }
}

fn fix(found: &Found) -> String {
    if found.is_fatal {
        return "Let no request end more than its own answer.".to_owned();
    }
    if let Some((_, fix)) = of_deliveries(found) {
        return fix.to_owned();
    }
    match found.oracle.is_some() {
        true => "Make the answer as the requirement says, whatever the request was.".to_owned(),
        false => "Check the request before anything is done with it, and refuse what is wrong with the error for that."
            .to_owned(),
    }
}

/// Why what is posted matters, and how it is put right.
fn of_deliveries(found: &Found) -> Option<(&'static str, &'static str)> {
    found.probes.last().filter(|last| last.listens())?;
    posted::words(&found.finding.kind)
}

fn section(found: &Found) -> String {
    let sections: Vec<&str> = found.requirements.iter().map(|one| one.section.as_str()).collect();
    match sections.first() {
        Some(first) => (*first).to_owned(),
        None => "docs/robustness.md".to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::case::{Library, Source};
    use crate::fuzz::bucket::tests::found;
    use crate::fuzz::probe;
    use crate::judge::oracle;
    use crate::profile::{self, Operation, Profile};
    use crate::report::sample;
    use crate::verdict::Level;

    const BASE: &str = "http://agent.example/a2a";

    /// A finding of a call with these parameters, which was sent as this body.
    fn of_call(params: Value, body: &'static str, classes: &Classes) -> Found {
        let mut exchange = sample::exchange(1, "fuzz", body, None);
        BASE.clone_into(&mut exchange.request.url);
        "POST".clone_into(&mut exchange.request.method);
        exchange.request.body = body.as_bytes().into();
        exchange.request.operation = Some(Operation::GetTask);
        let expect = classes.get("open").unwrap().expect(Operation::GetTask);
        let probe = Probe { expect, place: "/metadata".to_owned(), ..probe::step(Operation::GetTask, params) };
        Found { probes: vec![probe], evidence: vec![Arc::new(exchange)], ..found("open", Level::May) }
    }

    /// Why a finding cannot be replayed, if it cannot. Like the program, in a thread with more room than that of a test.
    fn unreadable(found: &Found, classes: &Classes) -> Option<String> {
        let read = || read(found, classes);
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, read);
            thread.unwrap().join().unwrap()
        })
    }

    fn read(found: &Found, classes: &Classes) -> Option<String> {
        let text = match file(found, classes, &Secrets::default()) {
            Ok(text) => text,
            Err(why) => return Some(why),
        };
        let profiles = profile::bundled().unwrap();
        let profiles: Vec<&Profile> = profiles.iter().map(AsRef::as_ref).collect();
        let read = Library::read(vec![Source { file: "findings.yaml".to_owned(), text }], &profiles, &oracle::all());
        read.err().map(|(mistakes, _)| format!("{mistakes:?}"))
    }

    fn nested(depth: usize) -> Value {
        (0..depth).fold(json!(1), |inner, _| json!([inner]))
    }

    #[test]
    fn what_nests_too_deep_for_a_case_is_written_as_its_bytes() {
        let classes = Classes::bundled().unwrap();
        let with = |depth| of_call(json!({ "id": "a", "metadata": nested(depth) }), "{\"deep\":1}", &classes);
        assert_eq!(unreadable(&with(32), &classes), None);
        // The fuzzer nests so many, and the reader of cases takes 64 with what is around them.
        let deep = with(64);
        assert!(unreadable(&deep, &classes).is_some());
        let in_bytes = as_bytes(&deep, BASE).unwrap();
        assert_eq!(unreadable(&in_bytes, &classes), None);
        let text = file(&in_bytes, &classes, &Secrets::default()).unwrap();
        assert!(text.contains("base64: eyJkZWVwIjoxfQ=="), "{text}");
        assert!(as_bytes(&deep, "http://elsewhere.example").is_none());
    }

    #[test]
    fn the_dress_of_a_call_is_written_with_it() {
        let classes = Classes::bundled().unwrap();
        let mut dressed = of_call(json!({ "id": "a" }), "", &classes);
        dressed.probes[0].rpc_id = Some(json!("odd é"));
        dressed.probes[0].headers = vec![("accept".to_owned(), "*/*".to_owned())];
        assert_eq!(unreadable(&dressed, &classes), None);
        let entry = entry(&dressed, &classes);
        let written = |at: &str| entry.pointer(at).cloned();
        assert_eq!(written("/steps/0/rpc-id/value"), Some(json!("odd é")));
        assert_eq!(written("/steps/0/headers/accept"), Some(json!("*/*")));
    }

    #[test]
    fn what_cannot_be_written_at_all_has_a_case_in_the_report() {
        let classes = Classes::bundled().unwrap();
        let mut huge = of_call(json!({ "id": "x".repeat(10 << 20) }), "", &classes);
        assert!(unreadable(&huge, &classes).is_some());
        let bare = without_request(&huge).unwrap();
        assert_eq!(unreadable(&bare, &classes), None);
        assert_eq!(bare.case(), huge.case());
        huge.probes.clear();
        assert!(as_bytes(&huge, BASE).is_none() && without_request(&huge).is_none());
    }

    /// Characters that people, terminals or YAML stumble over do not cost a finding.
    #[test]
    fn odd_characters_are_read_back_as_they_were() {
        let classes = Classes::bundled().unwrap();
        let odd = [
            "\u{0}",
            "\u{7f}\u{85}\u{a0}",
            "\u{2028}\u{feff}\u{fffe}\u{ffff}",
            "\r\n\r",
            "\u{10ffff}: # - ? !x &a *b",
            " ",
            "~",
        ];
        for text in odd {
            assert_eq!(
                unreadable(&of_call(json!({ "id": text, text: text }), "", &classes), &classes),
                None,
                "{text:?}"
            );
        }
    }
}
