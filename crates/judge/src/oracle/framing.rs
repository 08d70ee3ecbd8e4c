//! Streams as bytes: the response that opens them, the grammar of server-sent events, and how clients read them.

use std::collections::BTreeSet;

use super::args::{Nothing, Step};
use super::streams::{intact, is_the_last};
use super::{judged_apart, judgement_of, violates};
use crate::expectation::describe;
use crate::finding::{Finding, Follows, Kind};
use crate::reason::Reason;
use crate::transcript::{Answer, Content, Ended, EventContent, StreamEvent};
use crate::wire::http::MediaType;
use crate::wire::sse::{Decoder, Effect, Ending, Item, Limits, second_opinion};
use crate::{CaseView, Judged, Judgement, RunView};

/// A stream is opened by HTTP 200 and text/event-stream (1.0 section 9.4.2, 0.3 section 3.3.1).
pub(super) fn media_type(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let Some(answer) = view.step(args)?.seen.answer() else {
            return Err(Judgement::Unseen(Reason::NothingSent));
        };
        intact(answer)?;
        let response = match (&answer.exchange.response, answer.refusal()) {
            (Some(response), None) => response,
            _ => return Err(Judgement::Unseen(Reason::OtherThanStream { received: describe(answer) })),
        };
        let header = response.header("content-type");
        let kind = header.and_then(MediaType::parse);
        if response.status == 200 && kind.is_some_and(|kind| kind.essence() == "text/event-stream") {
            return Ok(Judgement::Right);
        }
        let finding = Finding::new(Kind::StreamOpenedWrongly).compare(
            "HTTP 200 with text/event-stream",
            format!("HTTP {} with {}", response.status, header.unwrap_or("no Content-Type")),
        );
        Ok(Judgement::Wrong(vec![finding.in_exchange(answer.exchange.number)]))
    })())
}

/// What `stream-framing` asserts: that a stream is UTF-8, that it consists of lines of an event stream, that an empty line ends
/// its last event, that no part of a payload is a line of its own, and that the data of each event are a response.
pub(super) const FRAMING: &[&str] = &["utf-8", "lines", "end", "payload-lines", "data"];

/// Every stream is one by the grammar of the HTML Living Standard, section 9.2.5, and its data are responses.
pub(super) fn framing(view: RunView<'_>, _: &Nothing) -> Judged {
    let mut findings = Vec::new();
    let mut held = BTreeSet::new();
    let mut seen = 0;
    for answer in view.answers {
        let (Content::Stream(events), Some(response)) = (&answer.content, &answer.exchange.response) else { continue };
        seen += 1;
        let (asked, of_stream) = framing_of(answer, events, &response.body);
        held.extend(asked);
        findings.extend(of_stream);
    }
    let is_read =
        |answer: &Answer| answer.events().iter().any(|event| !matches!(event.content, EventContent::Unreadable(_)));
    // Where others were read, what cannot be was due to what was sent, and that is for the case that sent it.
    if let Some(first) = findings.first_mut().filter(|_| !view.answers.iter().any(is_read)) {
        first.entails.push(Follows::UnreadStream);
    }
    match seen {
        0 => Judgement::Unseen(Reason::run_saw_no("stream")).into(),
        _ => judged_apart(held, findings),
    }
}

/// What a stream shows of its framing, and what is wrong with it.
fn framing_of(answer: &Answer, events: &[StreamEvent], body: &[u8]) -> (BTreeSet<&'static str>, Vec<Finding>) {
    let number = answer.exchange.number;
    let (mut held, mut findings) = (BTreeSet::new(), Vec::new());
    let mut decoder = Decoder::new(Limits::default());
    let items = match decoder.push(body) {
        Ok(items) => items,
        Err(error) => {
            let kind = Kind::StreamUnreadable { reason: error.to_string() };
            return (held, vec![violates("lines", Finding::new(kind).in_exchange(number))]);
        }
    };
    held.extend((!body.is_empty()).then_some(["utf-8", "lines"]).into_iter().flatten());
    held.extend((!events.is_empty()).then_some(["data", "payload-lines"]).into_iter().flatten());
    if let Some(offset) = decoder.broken_utf8() {
        let kind = Kind::StreamNotUtf8 { offset: offset.to_string() };
        findings.push(violates("utf-8", Finding::new(kind).in_exchange(number)));
    }
    if events.is_empty() && items.iter().any(spills) {
        let kind = Kind::StreamUnreadable { reason: "its lines have no field `data`".to_owned() };
        findings.push(violates("lines", Finding::new(kind).in_exchange(number)));
    }
    let ending = decoder.finish();
    if answer.exchange.ended == Ended::Complete {
        held.extend((!events.is_empty()).then_some("end"));
        if ending != Ending::Clean {
            let finding = Finding::new(Kind::StreamCutOff);
            let finding = finding.compare("an empty line after the last event", "the end").in_exchange(number);
            findings.push(violates("end", finding));
        }
    }
    let asserted = if items.iter().any(spills) { "payload-lines" } else { "data" };
    for (index, event) in events.iter().enumerate() {
        let unread = match &event.content {
            EventContent::Unreadable(unreadable) => Some(unreadable.reason.as_str()),
            _ => event.mended,
        };
        if let Some(reason) = unread {
            let kind = Kind::EventDataUnreadable { reason: reason.to_owned() };
            findings.push(violates(asserted, Finding::new(kind).at(number, "").in_event(index)));
        }
    }
    (held, findings)
}

/// Whether lines of JSON were written where the lines of an event stand. By the grammar such a line is a field with that name,
/// which readers ignore.
fn spills(item: &Item) -> bool {
    let fields = match item {
        Item::Event(event) => &event.block.fields,
        Item::Undispatched(block) => &block.fields,
        Item::Comment(_) => return false,
    };
    let is_json = |name: &str| name.contains(['{', '}', '[', ']', '"']);
    fields.iter().any(|field| field.effect == Effect::UnknownName && is_json(&field.name))
}

/// A stream in chunks is over with its last chunk: without it clients take what they have for a part (RFC 9112, sections 7.1
/// and 8). A single one may have been lost on its way, and one in the middle of its events for any reason; two that were lost
/// behind their last event were ended so.
pub(super) fn last_chunk(view: RunView<'_>, _: &Nothing) -> Judgement {
    let is_chunked = |answer: &&Answer| {
        let coding = answer.exchange.response.as_ref().and_then(|response| response.header("transfer-encoding"));
        coding.is_some_and(|coding| coding.to_ascii_lowercase().contains("chunked"))
    };
    let shows_its_end = |answer: &&Answer| answer.events().last().is_some_and(|event| is_the_last(view.profile, event));
    let streams = view.answers.iter().filter(is_chunked).filter(shows_its_end);
    let is_lost = |answer: &&Answer| matches!(answer.exchange.ended, Ended::Failed(_));
    let lost: Vec<&Answer> = streams.clone().filter(is_lost).collect();
    let mut whole = streams.filter(|answer| answer.exchange.ended == Ended::Complete);
    match (lost.len(), whole.next()) {
        (0 | 1, None) => Judgement::Unseen(Reason::run_saw_no("stream in chunks that comes to its end")),
        (0 | 1, Some(_)) => Judgement::Right,
        _ => Judgement::of(
            lost.into_iter()
                .map(|answer| {
                    let finding =
                        Finding::new(Kind::StreamWithoutLastChunk).compare("the chunk of length 0", "the end");
                    finding.in_exchange(answer.exchange.number)
                })
                .collect(),
        ),
    }
}

/// An everyday client library reads the same events.
pub(super) fn ordinary_client(view: RunView<'_>, _: &Nothing) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    for answer in view.answers {
        let (Content::Stream(_), Some(response)) = (&answer.content, &answer.exchange.response) else { continue };
        if answer.exchange.ended != Ended::Complete {
            continue;
        }
        seen += 1;
        let mut decoder = Decoder::new(Limits::default());
        let Ok(read) = decoder.push(&response.body) else { continue };
        let ours: Vec<(String, String)> = read
            .into_iter()
            .filter_map(|item| match item {
                Item::Event(event) => Some((event.event_type, event.data)),
                _ => None,
            })
            .collect();
        let theirs = second_opinion(&response.body)
            .map(|events| events.into_iter().map(|(kind, data, _)| (kind, data)).collect::<Vec<_>>());
        let finding = Finding::new(Kind::StreamReadOtherwise);
        match theirs {
            Ok(theirs) if theirs == ours => {}
            Ok(theirs) => findings.push(
                finding
                    .compare(format!("{} events", ours.len()), format!("{} events", theirs.len()))
                    .in_exchange(answer.exchange.number),
            ),
            Err(error) => findings
                .push(finding.compare(format!("{} events", ours.len()), error).in_exchange(answer.exchange.number)),
        }
    }
    match seen {
        0 => Judgement::Unseen(Reason::run_saw_no("stream to its end")),
        _ => Judgement::of(findings),
    }
}
