//! Artifacts in streams: their chunks, and what becomes of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::across::{is_default, same_value};
use super::args::{ArtifactsMatch, Stream};
use super::streams::{at_its_end, finding_at};
use super::{judged_apart, judged_of, violates};
use crate::finding::{Finding, Kind, show};
use crate::reason::Reason;
use crate::transcript::{Answer, StreamEvent};
use crate::{CaseView, Judged, Judgement, items};

/// What `chunk-flags` asserts of the two flags.
pub(super) const CHUNK_FLAGS: &[&str] = &["append", "lastChunk"];

/// `append` continues an artifact that was sent before, and nothing continues one after its `lastChunk`.
pub(super) fn chunk_flags(view: CaseView<'_>, args: &Stream) -> Judged {
    judged_of((|| {
        let answer = view.stream(args)?;
        let mut complete: BTreeMap<String, bool> = BTreeMap::new();
        let mut findings = Vec::new();
        let mut held = BTreeSet::new();
        let mut updates = 0;
        for (index, event) in answer.events().iter().enumerate() {
            let Some(event) = event.value() else { continue };
            for artifact in event.get("task").map_or(&[][..], |task| items(task, "artifacts")) {
                complete.insert(artifact_id(artifact), false);
            }
            let Some(update) = event.get("artifactUpdate") else { continue };
            updates += 1;
            let id = update.get("artifact").map(artifact_id).unwrap_or_default();
            let appends = update.get("append") == Some(&Value::Bool(true));
            let before = complete.get(&id).copied();
            let is_last = update.get("lastChunk") == Some(&Value::Bool(true));
            held.extend(appends.then_some("append"));
            held.extend(is_last.then_some("lastChunk"));
            let artifact = format!("{id:?}");
            let wrong = match before {
                None => Some(("append", Kind::ChunkWithoutArtifact { artifact })),
                Some(true) => Some(("lastChunk", Kind::ChunkAfterLast { artifact })),
                Some(false) => None,
            };
            findings.extend(
                wrong
                    .filter(|_| appends)
                    .map(|(flag, kind)| violates(flag, finding_at(answer, index, "/artifactUpdate/append", kind))),
            );
            complete.insert(id, is_last);
        }
        if updates == 0 {
            return Err(Judgement::Unseen(Reason::NoArtifactUpdate));
        }
        Ok(judged_apart(held, findings))
    })())
}

fn artifact_id(artifact: &Value) -> String {
    artifact.get("artifactId").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// What `artifacts-match` asserts: nothing that the task holds was lost on the way, and nothing came beside it or twice.
pub(super) const ARTIFACTS_MATCH: &[&str] = &["lost", "more"];

/// What the stream sent, put together, is what the task holds. With `shared: left-out` nothing is said of ids that more
/// than one artifact may have (0.1 section 6.7): those under which one was sent again whole, and those that the task holds
/// twice.
pub(super) fn artifacts_match(view: CaseView<'_>, args: &ArtifactsMatch) -> Judged {
    judged_of((|| {
        let answer = view.stream(&args.stream)?;
        let task = view.task(&args.task)?;
        at_its_end(&view, answer)?;
        let mut built: Vec<(String, Vec<Value>)> = Vec::new();
        let mut updates = 0;
        let mut shared: BTreeSet<String> = BTreeSet::new();
        let mut continued: BTreeSet<String> = BTreeSet::new();
        let mut put = |artifact: &Value, appends: bool| {
            let id = artifact_id(artifact);
            let parts = items(artifact, "parts").to_vec();
            match built.iter_mut().find(|(known, _)| *known == id) {
                Some((_, known)) if appends => known.extend(parts),
                Some((_, known)) => {
                    shared.insert(id);
                    *known = parts;
                }
                None => {
                    continued.extend(appends.then(|| id.clone()));
                    built.push((id, parts));
                }
            }
        };
        for event in answer.events().iter().filter_map(StreamEvent::value) {
            for artifact in event.get("task").map_or(&[][..], |task| items(task, "artifacts")) {
                put(artifact, false);
            }
            if let Some(update) = event.get("artifactUpdate") {
                updates += 1;
                let appends = update.get("append") == Some(&Value::Bool(true));
                update.get("artifact").into_iter().for_each(|artifact| put(artifact, appends));
            }
        }
        // A task that the stream shows with a part of what it holds in the end lacks the rest.
        if updates == 0 && built.is_empty() {
            return Err(Judgement::Unseen(Reason::NoArtifactUpdate));
        }
        let mut held: Vec<&Value> = items(task, "artifacts").iter().collect();
        // `chunk-flags` reports a chunk of an artifact that does not exist, and such chunks cannot be joined. An artifact that the task
        // has was begun before, and its beginning is lost.
        if continued.iter().any(|id| !held.iter().any(|artifact| artifact_id(artifact) == *id)) {
            return Err(Judgement::Unseen(Reason::ChunkOfNothing));
        }
        if args.shared.is_some() {
            let count = |id: &String| held.iter().filter(|artifact| artifact_id(artifact) == *id).count();
            shared.extend(built.iter().map(|(id, _)| id.clone()).filter(|id| count(id) > 1));
            built.retain(|(id, _)| !shared.contains(id));
            held.retain(|artifact| !shared.contains(&artifact_id(artifact)));
            if built.is_empty() {
                return Err(Judgement::Unseen(Reason::SharedArtifacts));
            }
        }
        let mut findings = Vec::new();
        for (id, parts) in &built {
            let sent = join_text(parts);
            match held.iter().find(|artifact| artifact_id(artifact) == *id) {
                None => findings.push(violates("more", differs(answer, id, &sent, None))),
                Some(artifact) => {
                    let kept = join_text(items(artifact, "parts"));
                    if sent.len() != kept.len() || !sent.iter().zip(&kept).all(|(a, b)| same_value(view.profile, a, b))
                    {
                        let name = if holds_all(&sent, &kept) { "more" } else { "lost" };
                        findings.push(violates(name, differs(answer, id, &sent, Some(&kept))));
                    }
                }
            }
        }
        for artifact in held.into_iter().filter(|artifact| !built.iter().any(|(id, _)| *id == artifact_id(artifact))) {
            let kind = Kind::ArtifactNeverSent { artifact: format!("{:?}", artifact_id(artifact)) };
            findings.push(violates("lost", Finding::new(kind).in_exchange(answer.exchange.number)));
        }
        Ok(judged_apart(ARTIFACTS_MATCH.iter().copied().collect(), findings))
    })())
}

/// Whether what was sent holds all that is kept, in its order, and more: characters of texts, and other parts as they are.
fn holds_all(sent: &[Value], kept: &[Value]) -> bool {
    let (sent, kept) = (pieces(sent), pieces(kept));
    let mut rest = sent.iter();
    sent.len() > kept.len() && kept.iter().all(|wanted| rest.any(|piece| piece == wanted))
}

/// A piece of an artifact.
#[derive(PartialEq)]
enum Piece<'a> {
    Character(char),
    Part(&'a Value),
}

fn pieces(parts: &[Value]) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for part in parts {
        match part.get("text").and_then(Value::as_str) {
            Some(text) => pieces.extend(text.chars().map(Piece::Character)),
            None => pieces.push(Piece::Part(part)),
        }
    }
    pieces
}

fn differs(answer: &Answer, id: &str, sent: &[Value], kept: Option<&Vec<Value>>) -> Finding {
    let actual = kept.map_or_else(|| "no such artifact".to_owned(), |kept| show(&Value::Array(kept.clone())));
    Finding::new(Kind::ArtifactDiffers { artifact: format!("{id:?}") })
        .compare(show(&Value::Array(sent.to_vec())), actual)
        .in_exchange(answer.exchange.number)
}

/// The content of a part: an empty value of it is content.
const CONTENT: [&str; 4] = ["text", "raw", "url", "data"];

/// Parts without members that are empty: whether an agent writes these or leaves them out is its own affair.
fn plain(parts: &[Value]) -> Vec<Value> {
    let plain = |part: &Value| match part {
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, value)| CONTENT.contains(&name.as_str()) || !is_default(value));
            Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
        }
        other => other.clone(),
    };
    parts.iter().map(plain).collect()
}

/// Parts with neighbouring texts joined: whether an agent keeps chunks apart or runs them together is its own affair.
fn join_text(parts: &[Value]) -> Vec<Value> {
    let mut joined: Vec<Value> = Vec::new();
    for part in &plain(parts) {
        let rest = |part: &Value| -> Option<Map<String, Value>> {
            let mut members = part.as_object()?.clone();
            members.remove("text")?.is_string().then_some(members)
        };
        let merged = joined.last().and_then(|last| {
            let (before, after) = (rest(last)?, rest(part)?);
            let text = format!("{}{}", last.get("text")?.as_str()?, part.get("text")?.as_str()?);
            (before == after).then(|| {
                let mut whole = before;
                whole.insert("text".to_owned(), Value::String(text));
                Value::Object(whole)
            })
        });
        match (merged, joined.last_mut()) {
            (Some(whole), Some(last)) => *last = whole,
            _ => joined.push(part.clone()),
        }
    }
    joined
}
