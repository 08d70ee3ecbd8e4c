//! Streams.

use std::time::Duration;

use serde_json::{Value, json};

use super::script::{COMPLETED, Draft, INPUT_REQUIRED, Script, WORKING, task, task_with};
use super::{Judged, Row, ask, broken, findings, hold, right, unseen, wrong};
use crate::profile::Operation::{GetTask, SendStreamingMessage};
use crate::transcript::{Ended, Limit, TransportError};

fn whole(state: &str) -> Value {
    json!({ "task": task("t", state) })
}

fn status(state: &str) -> Value {
    json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": { "state": state } } })
}

fn message() -> Value {
    json!({ "message": { "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": "x" }] } })
}

fn chunk(id: &str, text: &str, flags: Value) -> Value {
    let mut update = json!({
        "taskId": "t", "contextId": "c", "artifact": { "artifactId": id, "parts": [{ "text": text }] },
    });
    crate::case::merge(&mut update, &flags);
    json!({ "artifactUpdate": update })
}

fn stream(events: &[Value]) -> Script {
    Script::v1_0().stream("s", events)
}

/// A stream of A2A 0.3 whose last event is empty.
fn marked_at_its_end() -> Script {
    let update = json!({
        "kind": "status-update", "taskId": "t", "contextId": "c", "status": { "state": "completed" }, "final": true
    });
    let event = json!({ "jsonrpc": "2.0", "id": "ID", "result": update });
    Script::v0_3().raw_stream("s", &format!("data: {event}\n\nevent: done\ndata: {{}}\n\n"))
}

/// A stream of A2A 0.3 with status updates, each with its `final`.
fn flags(flags: &[bool]) -> Script {
    let update = |is_final: &bool| {
        json!({
            "kind": "status-update", "taskId": "t", "contextId": "c", "status": { "state": "working" },
            "final": is_final,
        })
    };
    Script::v0_3().stream("s", &flags.iter().map(update).collect::<Vec<_>>())
}

/// A status update of the draft of A2A 1.0, which has no member around it.
fn bare_status(is_final: bool) -> Value {
    json!({ "taskId": "t", "contextId": "c", "status": { "state": "working" }, "final": is_final })
}

fn draft(events: &[Value]) -> Script {
    Script::v1_0_draft().stream("s", events)
}

fn open() -> Ended {
    Ended::Endless(Limit::Time(Duration::from_secs(10)))
}

fn too_slow() -> Ended {
    Ended::TimedOut(Duration::from_secs(10))
}

/// A stream that shows the end of its task after so many milliseconds, and is given up after half a second.
fn ends_after(pace: u64) -> Script {
    stream(&[whole(COMPLETED)]).but(|draft| draft.pace = Duration::from_millis(pace)).ended(open())
}

fn holds(artifacts: Value) -> Value {
    task_with("t", COMPLETED, json!({ "artifacts": artifacts }))
}

/// An answer that shows a task in a state and takes so many milliseconds, and a stream of the task t that began a second
/// after it and was given up half a second later.
fn known_before(id: &str, state: &str, elapsed: u64) -> Script {
    let known = Script::v1_0().result("t", GetTask, task(id, state));
    let known = known.but(|draft| draft.elapsed = Duration::from_millis(elapsed));
    known.stream("s", &[whole(WORKING)]).ended(open())
}

/// The same with a stream that the suite read for so many milliseconds, of a task that is done.
fn cut_short(limit: u64) -> Script {
    known_before("t", COMPLETED, 500).ended(Ended::Endless(Limit::Time(Duration::from_millis(limit))))
}

fn two(first: &[Value], second: &[Value]) -> Script {
    Script::v1_0().stream("a", first).stream("b", second)
}

const REFUSAL: &str = "data: {\"jsonrpc\":\"2.0\",\"id\":\"ID\",\"error\":{\"code\":-32004,\"message\":\"m\"}}\n\n";

pub(super) fn rows() -> Vec<Row> {
    let mut rows = life();
    rows.extend(content());
    rows.extend(bytes());
    rows
}

/// How streams begin, go on and end.
fn life() -> Vec<Row> {
    let s = || json!("s");
    let both = || json!(["a", "b"]);
    let updates = [status(WORKING), status(COMPLETED)];
    let full = [whole(WORKING), status(WORKING), status(COMPLETED)];
    let final_task = [whole(WORKING), status(COMPLETED), whole(COMPLETED)];
    let middle = [whole(WORKING), whole(WORKING), status(COMPLETED)];
    let without_its_task = Script::v1_0().result("t", GetTask, task("t", COMPLETED)).stream("s", &[status(WORKING)]);
    let without_its_task = without_its_task.ended(open());
    let other_task = json!({ "statusUpdate": { "taskId": "u", "contextId": "c", "status": { "state": WORKING } } });
    let other_context = json!({ "statusUpdate": { "taskId": "t", "contextId": "d", "status": { "state": WORKING } } });
    let (other_task_again, other_context_again) = (other_task.clone(), other_context.clone());
    let other = || json!({ "taskId": "u" });
    let elsewhere = || json!({ "contextId": "d" });
    vec![
        right("stream-pattern", s(), stream(&full)),
        right("stream-pattern", s(), stream(&[message()])),
        right("stream-pattern", s(), stream(&final_task)),
        wrong("stream-pattern", s(), stream(&updates), "does not begin with the task"),
        wrong("stream-pattern", s(), stream(&[message(), message()]), "follows the message"),
        wrong("stream-pattern", s(), stream(&[whole(WORKING), message()]), "a message follows the task"),
        wrong("stream-pattern", s(), stream(&middle), "a task is in the middle of a stream"),
        wrong(
            "stream-pattern",
            s(),
            stream(&[whole(WORKING), json!({ "x": 1 })]),
            "an event is not a task, message, statusUpdate or artifactUpdate",
        ),
        wrong("stream-pattern", s(), Script::v1_0().raw_stream("s", "data: x\n\ndata: y\n\n"), "cannot be read"),
        unseen("stream-pattern", s(), Script::v1_0().raw_stream("s", REFUSAL), "refused: UnsupportedOperationError"),
        unseen("stream-pattern", s(), Script::v1_0().raw_stream("s", ""), "without events"),
        broken("stream-pattern", s(), stream(&full).ended(Ended::Failed(TransportError::Reset)), "broke off"),
        right("stream-closes", s(), stream(&full)),
        right("stream-closes", s(), stream(&[message()])),
        right("stream-closes", s(), stream(&final_task)),
        right("stream-closes", s(), stream(&[whole(INPUT_REQUIRED)]).ended(Ended::LeftOpen)),
        wrong("stream-closes", s(), stream(&[whole(WORKING)]), "does not end as it must"),
        wrong("stream-closes", s(), stream(&full).ended(open()), "does not end as it must"),
        unseen("stream-closes", s(), stream(&[whole(WORKING)]).ended(open()), "still at work"),
        unseen("stream-closes", s(), stream(&[whole(WORKING)]).ended(too_slow()), "still at work"),
        wrong("stream-closes", s(), stream(&full).ended(too_slow()), "does not end as it must"),
        wrong("stream-closes", s(), stream(&[message()]).ended(open()), "does not end as it must"),
        // There must be time to close a stream after its last event.
        wrong("stream-closes", s(), ends_after(300), "does not end as it must"),
        unseen("stream-closes", s(), ends_after(301), "still at work"),
        // Where the task waits for the client, an agent may close the stream or not.
        right("stream-closes", s(), stream(&[whole(WORKING), status(INPUT_REQUIRED)])),
        wrong("stream-closes", s(), stream(&[whole(INPUT_REQUIRED), status(WORKING)]), "does not end as it must"),
        wrong("stream-closes", s(), stream(&[whole(COMPLETED), status(WORKING)]), "follows the terminal state"),
        // Another answer showed that the task had come to rest, long before the stream was given up.
        wrong("stream-closes", s(), known_before("t", COMPLETED, 500), "does not end as it must"),
        wrong("stream-closes", s(), known_before("t", INPUT_REQUIRED, 500), "does not end as it must"),
        wrong("stream-closes", s(), known_before("t", COMPLETED, 1300), "does not end as it must"),
        unseen("stream-closes", s(), known_before("t", COMPLETED, 1301), "still at work"),
        unseen("stream-closes", s(), known_before("t", COMPLETED, 3000), "still at work"),
        unseen("stream-closes", s(), known_before("t", WORKING, 500), "still at work"),
        wrong("stream-closes", s(), without_its_task, "does not end as it must"),
        unseen("stream-closes", s(), known_before("u", COMPLETED, 500), "still at work"),
        broken("stream-closes", s(), stream(&full).ended(Ended::Failed(TransportError::Reset)), "broke off"),
        right("stream-ids", s(), stream(&full)),
        wrong("stream-ids", s(), stream(&[whole(WORKING), other_task]), "taskId of an event"),
        wrong("stream-ids", s(), stream(&[whole(WORKING), other_context]), "contextId of an event"),
        wrong("stream-ids", s(), stream(&[whole(WORKING), json!({ "task": task("u", WORKING) })]), "another task"),
        wrong("stream-ids", s(), stream(&[status(WORKING), other_task_again]), "taskId of an event"),
        wrong("stream-ids", s(), stream(&[status(WORKING), other_context_again]), "contextId of an event"),
        wrong("stream-ids", s(), stream(&[whole(WORKING), chunk("x", "a", other())]), "taskId of an event"),
        wrong("stream-ids", s(), stream(&[chunk("x", "a", json!({})), chunk("x", "a", other())]), "taskId of an event"),
        right("stream-ids", s(), stream(&[whole(WORKING), chunk("x", "a", json!({})), whole(COMPLETED)])),
        wrong("stream-ids", s(), stream(&[whole(WORKING), chunk("x", "a", elsewhere())]), "contextId of an event"),
        unseen("stream-ids", s(), stream(&[whole(COMPLETED)]), "no update"),
        right("stream-ids", both(), two(&full, &full)),
        wrong("stream-ids", both(), two(&full, &[whole(WORKING), chunk("x", "a", other())]), "taskId of an event"),
        unseen("stream-ids", both(), two(&full, &[whole(COMPLETED)]), "no update"),
        right("final-flag", s(), flags(&[false, true])),
        wrong("final-flag", s(), flags(&[true, false]), "although more events follow"),
        wrong("final-flag", s(), flags(&[false, false]), "no event is marked"),
        wrong("final-flag", s(), flags(&[false, true]).ended(open()), "stays open"),
        wrong("final-flag", s(), flags(&[false, true]).ended(too_slow()), "stays open"),
        // A task that is still at work has no last event yet.
        unseen("final-flag", s(), stream(&[whole(WORKING), status(WORKING)]).ended(open()), "still at work"),
        wrong("final-flag", s(), stream(&[whole(WORKING), status(COMPLETED)]).ended(open()), "no event is marked"),
        right("final-is-last", s(), flags(&[false, true])),
        // What follows is no event of the protocol, as where servers end their streams by a mark.
        right("final-is-last", s(), marked_at_its_end()),
        right("final-flag", s(), marked_at_its_end()),
        wrong("final-is-last", s(), flags(&[true, false]), "although more events follow"),
        unseen("final-is-last", s(), flags(&[false]), "no event of the stream is marked"),
        right("final-status-is-last", s(), flags(&[false, true])),
        right(
            "final-status-is-last",
            s(),
            draft(&[bare_status(true), task_with("t", COMPLETED, json!({ "contextId": "c" }))]),
        ),
        wrong(
            "final-status-is-last",
            s(),
            draft(&[bare_status(true), bare_status(true)]),
            "more status updates follow",
        ),
        unseen("final-status-is-last", s(), draft(&[bare_status(false)]), "no event of the stream is marked"),
    ]
}

/// What streams say.
fn content() -> Vec<Row> {
    let s = || json!("s");
    let shows = || json!({ "stream": "s", "task": "t" });
    let shared = || json!({ "stream": "s", "task": "t", "shared": "left-out" });
    let append = || json!({ "append": true });
    let last = || json!({ "append": true, "lastChunk": true });
    let carries = |text: &str| json!({ "stream": "s", "text": text });
    let chunks = [whole(WORKING), chunk("x", "a", json!({})), chunk("x", "b", last()), status(COMPLETED)];
    let pair = || json!(["a", "b"]);
    let full = [whole(WORKING), status(WORKING), chunk("x", "a", json!({})), status(COMPLETED)];
    let with_metadata = json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": { "state": COMPLETED }, "metadata": {} } });
    let late = [whole(WORKING), chunk("x", "a", json!({})), status(COMPLETED)];
    let gap = [whole(WORKING), status(WORKING), status(COMPLETED)];
    vec![
        right("shows-state", shows(), stream(&chunks).result("t", GetTask, task("t", COMPLETED))),
        // The task was read later than the stream was given up: it may have ended in between.
        unseen(
            "shows-state",
            shows(),
            stream(&[whole(WORKING)]).ended(open()).result("t", GetTask, task("t", COMPLETED)),
            "still at work",
        ),
        wrong(
            "shows-state",
            shows(),
            stream(&chunks).result("t", GetTask, task("t", "TASK_STATE_FAILED")),
            "the stream does not report a state that the task reached",
        ),
        unseen("shows-state", shows(), cut_short(1000), "the stream was still open when the suite stopped reading"),
        wrong("shows-state", shows(), cut_short(1001), "the stream does not report a state that the task reached"),
        // An agent may close a stream where the task waits for the client, or leave it open.
        unseen(
            "shows-state",
            shows(),
            stream(&[whole(INPUT_REQUIRED)]).result("t", GetTask, task("t", COMPLETED)),
            "the stream was over",
        ),
        unseen(
            "shows-state",
            shows(),
            stream(&[whole(INPUT_REQUIRED)]).ended(Ended::LeftOpen).result("t", GetTask, task("t", COMPLETED)),
            "the stream was over",
        ),
        // One that tells of the work owes the end, too.
        wrong(
            "shows-state",
            shows(),
            stream(&[chunk("x", "a", json!({}))]).result("t", GetTask, task("t", COMPLETED)),
            "ended without a state",
        ),
        unseen(
            "shows-state",
            shows(),
            stream(&[chunk("x", "a", json!({}))]).ended(Ended::HungUp).result("t", GetTask, task("t", COMPLETED)),
            "shows no state",
        ),
        unseen(
            "shows-state",
            shows(),
            stream(&[chunk("x", "a", json!({}))]).result("t", GetTask, task("t", WORKING)),
            "shows no state",
        ),
        unseen(
            "shows-state",
            shows(),
            stream(&[message()]).result("t", GetTask, task("t", COMPLETED)),
            "shows no state",
        ),
        right("stream-carries", carries("event: x"), stream(&[whole(WORKING), chunk("x", "a\nevent: x", json!({}))])),
        unseen("stream-carries", carries("event: x"), stream(&chunks), "does not send the text back"),
        right("chunk-flags", s(), stream(&chunks)),
        // An artifact that the task has already may be continued.
        right(
            "chunk-flags",
            s(),
            stream(&[json!({ "task": holds(json!([{ "artifactId": "x" }])) }), chunk("x", "b", append())]),
        ),
        wrong("chunk-flags", s(), stream(&[whole(WORKING), chunk("x", "b", append())]), "not sent before"),
        wrong(
            "chunk-flags",
            s(),
            stream(&[chunks[1].clone(), chunks[2].clone(), chunk("x", "c", append())]),
            "after its last chunk",
        ),
        unseen("chunk-flags", s(), stream(&gap), "no artifact update"),
        right(
            "artifacts-match",
            shows(),
            stream(&chunks).given("t", holds(json!([{ "artifactId": "x", "parts": [{ "text": "ab" }] }]))),
        ),
        right(
            "artifacts-match",
            shows(),
            stream(&chunks)
                .given("t", holds(json!([{ "artifactId": "x", "parts": [{ "text": "a" }, { "text": "b" }] }]))),
        ),
        // What is not set may be written or left out, at one place so and at another otherwise.
        right(
            "artifacts-match",
            shows(),
            stream(&chunks).given(
                "t",
                holds(json!([{ "artifactId": "x", "parts": [{ "text": "ab", "filename": "", "mediaType": null, "metadata": {} }] }])),
            ),
        ),
        wrong(
            "artifacts-match",
            shows(),
            stream(&chunks).given("t", holds(json!([{ "artifactId": "x", "parts": [{ "text": "b" }] }]))),
            "of the task differs from the stream",
        ),
        wrong(
            "artifacts-match",
            shows(),
            stream(&chunks).given("t", holds(json!([]))),
            "of the task differs from the stream",
        ),
        // A chunk of an artifact that neither side has belongs to nothing; of one that the task has, the beginning is lost.
        unseen(
            "artifacts-match",
            shows(),
            stream(&[whole(WORKING), chunk("y", "b", append()), status(COMPLETED)])
                .given("t", holds(json!([{ "artifactId": "x", "parts": [{ "text": "ab" }] }]))),
            "appends to an artifact",
        ),
        wrong(
            "artifacts-match",
            shows(),
            stream(&[whole(WORKING), chunk("x", "b", append()), status(COMPLETED)])
                .given("t", holds(json!([{ "artifactId": "x", "parts": [{ "text": "ab" }] }]))),
            "of the task differs from the stream",
        ),
        // What the task held when the stream began was sent, too.
        right(
            "artifacts-match",
            shows(),
            stream(&[
                json!({ "task": holds(json!([{ "artifactId": "x", "parts": [{ "text": "a" }] }])) }),
                chunks[2].clone(),
            ])
            .given("t", holds(json!([{ "artifactId": "x", "parts": [{ "text": "ab" }] }]))),
        ),
        // What is not appended is put in place of what was there.
        right(
            "artifacts-match",
            shows(),
            stream(&[chunks[0].clone(), chunks[1].clone(), chunk("x", "b", json!({})), chunks[3].clone()])
                .given("t", holds(json!([{ "artifactId": "x", "parts": [{ "text": "b" }] }]))),
        ),
        wrong(
            "artifacts-match",
            shows(),
            stream(&chunks)
                .given("t", holds(json!([{ "artifactId": "x", "parts": [{ "text": "ab" }] }, { "artifactId": "y" }]))),
            "the stream never sent",
        ),
        // Where ids may be shared, those that are say nothing; the others do.
        unseen(
            "artifacts-match",
            shared(),
            stream(&[chunks[0].clone(), chunks[1].clone(), chunk("x", "b", json!({})), chunks[3].clone()])
                .given("t", holds(json!([{ "artifactId": "x", "parts": [{ "text": "c" }] }]))),
            "the chunks of the stream may belong to several artifacts",
        ),
        unseen(
            "artifacts-match",
            shared(),
            stream(&chunks).given("t", holds(json!([{ "artifactId": "x" }, { "artifactId": "x" }]))),
            "the chunks of the stream may belong to several artifacts",
        ),
        wrong(
            "artifacts-match",
            shared(),
            stream(&chunks).given("t", holds(json!([{ "artifactId": "x", "parts": [{ "text": "b" }] }]))),
            "of the task differs from the stream",
        ),
        right("same-events", pair(), two(&full, &late)),
        right("same-events", pair(), two(&late, &full)),
        right("same-events", pair(), two(&full, &[whole(WORKING), status(COMPLETED)])),
        // Over one binding, what is another text is another event.
        wrong("same-events", pair(), two(&gap, &[whole(WORKING), status(WORKING), with_metadata]), "differ"),
        wrong("same-events", pair(), two(&full, &gap), "two streams of one task differ"),
        wrong("same-events", pair(), two(&full, &[whole(WORKING), status(COMPLETED), full[2].clone()]), "differ"),
        unseen("same-events", pair(), two(&full, &[whole(COMPLETED)]), "no update"),
    ]
}

/// How streams are framed.
fn bytes() -> Vec<Row> {
    let nothing = || json!(null);
    let raw = |text: &str| Script::v1_0().raw_stream("s", text);
    let event = "data: {\"jsonrpc\":\"2.0\",\"id\":\"ID\",\"result\":{}}\n";
    let typed = |status: u16, kind: &str| {
        let kind = kind.to_owned();
        stream(&[whole(COMPLETED)]).but(|draft| {
            draft.status = status;
            draft.headers = vec![("content-type".to_owned(), kind)];
        })
    };
    // Two streams in chunks that come to such an end.
    let chunked = |events: &[Value], ends: [Ended; 2]| {
        let [first, second] = ends;
        let chunked = |draft: &mut Draft| draft.headers.push(("transfer-encoding".to_owned(), "chunked".to_owned()));
        let script = Script::v1_0().stream("a", events).ended(first).but(chunked);
        script.stream("b", events).ended(second).but(chunked)
    };
    let lost = || Ended::Failed(TransportError::Reset);
    let over = [whole(WORKING), status(COMPLETED)];
    vec![
        right("stream-last-chunk", nothing(), chunked(&over, [Ended::Complete, Ended::Complete])),
        right("stream-last-chunk", nothing(), chunked(&over, [lost(), Ended::Complete])),
        wrong("stream-last-chunk", nothing(), chunked(&over, [lost(), lost()]), "without the last chunk"),
        unseen("stream-last-chunk", nothing(), chunked(&over[..1], [lost(), lost()]), "no stream in chunks"),
        unseen("stream-last-chunk", nothing(), two(&over, &over).ended(lost()), "no stream in chunks"),
        right("stream-media-type", json!("s"), typed(200, "text/event-stream; charset=utf-8")),
        wrong("stream-media-type", json!("s"), typed(200, "application/json"), "not opened by"),
        wrong("stream-media-type", json!("s"), typed(201, "text/event-stream"), "not opened by"),
        unseen("stream-media-type", json!("s"), raw(REFUSAL), "not a stream"),
        right("stream-framing", nothing(), stream(&[whole(COMPLETED)])),
        right("stream-framing", nothing(), raw(&format!(": keep-alive\n\n{event}\n"))),
        wrong("stream-framing", nothing(), raw(event), "in the middle of an event"),
        wrong("stream-framing", nothing(), raw("data: hello\n\n"), "cannot be read"),
        wrong("stream-framing", nothing(), raw("data: {\n  \"id\": 1}\n\n"), "the data of an event cannot be read"),
        wrong("stream-framing", nothing(), raw("{\"id\": 1}\n\n"), "the stream cannot be read"),
        wrong("stream-framing", nothing(), raw(event).but(|draft| draft.body.extend(b": \xFF\n\n")), "not UTF-8"),
        unseen("stream-framing", nothing(), Script::v1_0().result("s", SendStreamingMessage, json!({})), "no stream"),
        right("ordinary-client", nothing(), stream(&[whole(COMPLETED)])),
        // That library loses a last event whose lines end in a lone CR.
        wrong("ordinary-client", nothing(), raw("data: {}\r\r"), "a common SSE client reads this stream differently"),
        unseen("ordinary-client", nothing(), stream(&[whole(COMPLETED)]).ended(open()), "to its end"),
    ]
}

/// The event that differs is cited, and told with the one that stands in its place.
#[test]
fn the_event_that_differs_is_cited() {
    let first = [whole(WORKING), status(WORKING), status(COMPLETED)];
    let second = [whole(WORKING), status(WORKING), status("TASK_STATE_FAILED")];
    let found = findings("same-events", json!(["a", "b"]), two(&first, &second));
    let [finding] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((finding.exchange, finding.event), (Some(2), Some(2)));
    assert!(finding.received.as_ref().is_some_and(|actual| actual.contains("TASK_STATE_FAILED")), "{finding:?}");
}

/// What follows no rule is cited by its own event.
#[test]
fn the_event_that_is_wrong_is_cited() {
    let cited = |oracle, script: Script| {
        findings(oracle, json!("s"), script).iter().map(|finding| finding.event).collect::<Vec<_>>()
    };
    assert_eq!(cited("stream-pattern", stream(&[status(WORKING), status(COMPLETED)])), [Some(0)]);
    assert_eq!(cited("stream-pattern", stream(&[message(), status(WORKING)])), [Some(1)]);
    assert_eq!(cited("stream-pattern", stream(&[whole(WORKING), message(), status(COMPLETED)])), [Some(1)]);
    assert_eq!(cited("stream-closes", stream(&[whole(COMPLETED), status(COMPLETED)])), [Some(1)]);
    assert_eq!(cited("final-flag", flags(&[false, false])), [Some(1)]);
    assert_eq!(cited("final-flag", flags(&[true, false])), [Some(0)]);
    assert_eq!(cited("final-is-last", flags(&[false, true, false])), [Some(1)]);
}

/// A stream that was opened under one name and read under it again is judged as it was read last.
#[test]
fn the_last_step_of_a_name_counts() {
    let script = Script::v1_0().stream("s", &[whole(WORKING)]).stream("s", &[whole(WORKING), status(COMPLETED)]);
    hold(&[right("stream-closes", json!("s"), script)]);
}

#[test]
fn streams_are_judged() {
    hold(&rows());
}

/// What was lost and what came twice are two things: no text says that an update is sent once.
#[test]
fn a_chunk_that_comes_twice_is_not_a_chunk_that_is_lost() {
    let sent = |chunks: &[&str]| {
        let begins = std::iter::once(whole(WORKING));
        let updates = chunks
            .iter()
            .enumerate()
            .map(|(index, text)| chunk("x", text, if index == 0 { json!({}) } else { json!({ "append": true }) }));
        let events: Vec<Value> = begins.chain(updates).chain([status(COMPLETED)]).collect();
        let held = json!([{ "artifactId": "x", "parts": [{ "text": "one two three" }] }]);
        let task = task_with("t", COMPLETED, json!({ "artifacts": held }));
        let found =
            findings("artifacts-match", json!({ "stream": "s", "task": "t" }), stream(&events).given("t", task));
        found.into_iter().map(|finding| finding.assertion).collect::<Vec<_>>()
    };
    assert_eq!(sent(&["one ", "one ", "two ", "three"]), [":more"]);
    assert_eq!(sent(&["one ", "three"]), [":lost"]);
    assert_eq!(sent(&["one ", "one ", "three"]), [":lost"]);
    assert_eq!(sent(&["two ", "one ", "three"]), [":lost"]);
}

/// Each rule of event streams is decided by what shows it, and by nothing else.
#[test]
fn a_stream_violates_only_the_rule_that_it_breaks() {
    let asked = |text: &str| {
        let row = right("stream-framing", json!(null), Script::v1_0().raw_stream("s", text));
        let Judged { held, violated, .. } = ask(&row);
        (held, violated)
    };
    let all = [":data", ":end", ":lines", ":payload-lines", ":utf-8"];
    let event = r#"{"jsonrpc":"2.0","id":"ID","result":{}}"#;
    for (text, wrong) in [
        (format!("data: \u{1e}{event}\n\n"), ":data"),
        (format!("data: {event}\n\ndata:\n\n"), ":data"),
        (format!("data: {event}\n\nid: 7\nretry: 1\ndata: [DONE]\n\n"), ":data"),
        ("data: {\n  \"jsonrpc\": \"2.0\"}\n\n".to_owned(), ":payload-lines"),
        (format!("data: {event}\n\ndata: {{\"id\n\n\": 1}}\n\n"), ":payload-lines"),
        (format!("data: {event}\n"), ":end"),
    ] {
        let events = text.contains("\n\n");
        let (held, violated) = asked(&text);
        assert_eq!(violated, [wrong], "{text:?}");
        let shown: Vec<&str> =
            if events { all.into_iter().filter(|name| *name != wrong).collect() } else { vec![":lines", ":utf-8"] };
        assert_eq!(held, shown, "{text:?}");
    }
    assert_eq!(asked(&format!("{event}\n\n")).1, [":lines"], "no field at all");
}
