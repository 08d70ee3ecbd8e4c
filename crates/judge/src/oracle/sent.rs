//! What was sent is shown as it was sent: messages in histories, and webhooks.
//!
//! No text lets an agent change what it has taken and shows again (1.0 sections 4.1.4 and 4.1.6). It may leave messages out (3.7), add to
//! metadata, and keep secrets to itself. Numbers are compared as doubles (RFC 8259, section 6).

use std::collections::BTreeMap;

use serde_json::Value;
use url::Url;

use super::args::Nothing;
use super::judged;
use crate::finding::{Finding, Kind, show_found};
use crate::profile::{Dialect, Operation};
use crate::transcript::{Answer, Content, OWN_IDS, Payload, task_in};
use crate::wire::base64;
use crate::{Judgement, RunView, items};

/// How messages and webhooks are called in findings.
const MESSAGE: &str = "a message";
const WEBHOOK: &str = "a webhook";
/// Where a webhook has the scheme of its credentials.
const SCHEME: &str = "/authentication/scheme";
/// What a part can hold: one of these.
const CONTENTS: [&str; 4] = ["text", "raw", "url", "data"];
/// How long ids of the suite's own are that are made for one thing alone, at least.
const UNIQUE: usize = OWN_IDS.len() + 8;
/// How long a text is that is not shown whole.
const LONG: usize = 120;

/// Messages in the histories of tasks are as they were sent.
pub(super) fn messages_as_sent(view: RunView<'_>, _: &Nothing) -> Judgement {
    let sent = sent(&view);
    let (mut seen, mut findings) = (0, Vec::new());
    if sent.is_empty() {
        return judged(seen, "message", findings);
    }
    for answer in view.answers {
        for (payload, event) in payloads(answer) {
            for (place, message) in histories(&payload.reading.value) {
                let id = message.get("messageId").and_then(Value::as_str).unwrap_or_default();
                let is_of_the_client = message.get("role").and_then(Value::as_str) == Some("ROLE_USER");
                let Some(Some(own)) = sent.get(id).filter(|_| is_of_the_client) else { continue };
                seen += 1;
                let Some(differing) = differing(&view, own, (answer, message)) else { continue };
                let kind = Kind::SentOtherwise {
                    how: differing.how.to_owned(),
                    of: MESSAGE.to_owned(),
                    place: differing.place.clone(),
                };
                let place = if differing.is_lost { place } else { format!("{place}{}", differing.at) };
                let finding = Finding::new(kind).at(answer.exchange.number, payload.locate(&place));
                let finding = finding.against(own.exchange.number).compare(differing.sent, differing.shown);
                findings.push(Finding { event, ..finding });
            }
        }
    }
    judged(seen, "message", findings)
}

/// What of a message is not as it was sent.
struct Differing {
    /// The member, without what clients choose the names of.
    place: String,
    /// Where it is, below the message.
    at: String,
    is_lost: bool,
    /// What became of it, in a word.
    how: &'static str,
    sent: String,
    shown: String,
}

impl Differing {
    fn new(at: String, (sent, shown): (Option<&Value>, Option<&Value>)) -> Self {
        let (is_lost, place, how) = (shown.is_none(), at.clone(), how(sent, shown));
        let (sent, shown) = match (sent.and_then(Value::as_str), shown.and_then(Value::as_str)) {
            (Some(sent), Some(shown)) if sent.len() > LONG || shown.len() > LONG => apart(sent, shown),
            _ => (show_found(sent), show_found(shown)),
        };
        Self { place, at, is_lost, how, sent, shown }
    }
}

/// What became of what was sent, in a word.
pub(super) fn how(sent: Option<&Value>, shown: Option<&Value>) -> &'static str {
    match (sent, shown) {
        (_, None | Some(Value::Null)) => "lost",
        (Some(Value::String(sent)), Some(Value::String(shown))) if sent.starts_with(shown.as_str()) => "cut",
        (Some(Value::Array(sent)), Some(Value::Array(shown))) => {
            let has = |item: &Value| shown.iter().any(|other| same(item, other));
            match sent.iter().all(has) {
                _ if shown.len() < sent.len() => "cut",
                true if shown.len() > sent.len() => "repeated or added to",
                true => "in another order",
                false => "changed",
            }
        }
        _ => "changed",
    }
}

/// Long texts, from where they differ on.
fn apart(sent: &str, shown: &str) -> (String, String) {
    let same = sent.chars().zip(shown.chars()).take_while(|(a, b)| a == b).count();
    let rest = |text: &str| {
        let rest: String = text.chars().skip(same).take(40).collect();
        format!("{} characters, from the {}th on {}", text.chars().count(), same + 1, Value::from(rest))
    };
    (rest(sent), rest(shown))
}

/// The answers to messages by the ids of these; nothing where others of the same id say something else.
fn sent<'a>(view: &RunView<'a>) -> BTreeMap<&'a str, Option<&'a Answer>> {
    let mut sent: BTreeMap<&str, Option<&Answer>> = BTreeMap::new();
    let own = view.answers.iter().filter(|answer| answer.binding == view.binding);
    for answer in own.filter(|answer| answer.exchange.request.operation.is_some_and(Operation::sends_a_message)) {
        let Some(message) = answer.exchange.request.params.get("message") else { continue };
        let Some(id) = message.get("messageId").and_then(Value::as_str).filter(|id| !id.is_empty()) else { continue };
        let is_other = |known: &Answer| known.exchange.request.params.get("message") != Some(message);
        let known = sent.entry(id).or_insert(Some(answer));
        if known.is_some_and(is_other) {
            *known = None;
        }
    }
    sent
}

/// The results of an answer, and the events of a stream with their index.
pub(super) fn payloads(answer: &Answer) -> Vec<(&Payload, Option<usize>)> {
    match &answer.content {
        Content::Stream(events) => {
            let all = events.iter().enumerate();
            all.filter_map(|(index, event)| Some((event.payload()?, Some(index)))).collect()
        }
        Content::Result(payload) => vec![(payload, None)],
        _ => Vec::new(),
    }
}

/// The tasks in a result, with their places.
pub(super) fn tasks(value: &Value) -> Vec<(String, &Value)> {
    if let Some(task) = task_in(value) {
        return vec![(if std::ptr::eq(task, value) { "" } else { "/task" }.to_owned(), task)];
    }
    let listed = items(value, "tasks").iter().enumerate();
    listed.map(|(index, task)| (format!("/tasks/{index}"), task)).collect()
}

/// The messages in the histories of a result, with their places.
fn histories(value: &Value) -> impl Iterator<Item = (String, &Value)> {
    tasks(value).into_iter().flat_map(|(place, task)| {
        let all = items(task, "history").iter().enumerate();
        all.map(move |(index, message)| (format!("{place}/history/{index}"), message))
    })
}

/// What of a shown message is not as it was sent, if the request was right: what is wrong may be read as something else.
fn differing(view: &RunView<'_>, sent: &Answer, (answer, shown): (&Answer, &Value)) -> Option<Differing> {
    let params = &*sent.exchange.request.params;
    let operation = sent.exchange.request.operation?;
    let kind = view.profile.operation(operation)?.params.as_deref()?;
    // What another binding has a place for is not known here, but for what is said.
    let known = if answer.binding == view.binding { Known::of(view.dialect, kind) } else { Known::default() };
    compare(params.get("message")?, shown, &known)?;
    // What a dialect has no place for was not sent.
    let wire = view.dialect.to_wire(kind, params);
    if !view.dialect.violations(kind, &wire).is_empty() {
        return None;
    }
    let written = view.dialect.from_wire(kind, wire);
    compare(written.value.get("message")?, shown, &known)
}

/// The members of messages and parts that a dialect knows, beside what parts say: others an agent need not keep.
#[derive(Default)]
struct Known {
    metadata: bool,
    references: bool,
    extensions: bool,
    /// Of parts: metadata; and of all of them or of files alone, names and media types.
    part_metadata: bool,
    described: bool,
    described_files: bool,
    named_files: bool,
}

impl Known {
    fn of(dialect: &Dialect, kind: &str) -> Self {
        let has = |of: &str, member: &str| {
            let properties =
                dialect.schemas.definitions().get(dialect.wire_type(of)).and_then(|it| it.get("properties"));
            properties.is_some_and(|properties| properties.get(member).is_some())
        };
        Self {
            metadata: dialect.tells_of(kind, "/message/metadata"),
            references: dialect.tells_of(kind, "/message/referenceTaskIds"),
            extensions: dialect.tells_of(kind, "/message/extensions"),
            part_metadata: has("Part", "metadata") || has("TextPart", "metadata"),
            described: has("Part", "mediaType"),
            described_files: true,
            named_files: !has("FilePart", "fileWithUri") || has("FilePart", "name"),
        }
    }
}

fn compare(sent: &Value, shown: &Value, known: &Known) -> Option<Differing> {
    let [own, others] = [sent, shown].map(|message| items(message, "parts"));
    if own.len() != others.len() {
        let count = |parts: &[Value]| format!("{} parts", parts.len());
        let (place, at) = ("/parts".to_owned(), "/parts".to_owned());
        let (is_lost, how) = (shown.get("parts").is_none(), how(sent.get("parts"), shown.get("parts")));
        return Some(Differing { place, at, is_lost, how, sent: count(own), shown: count(others) });
    }
    let parts = own.iter().zip(others).enumerate();
    let mut parts = parts.filter_map(|(index, (a, b))| part(a, b, known).map(|member| (index, member, a, b)));
    if let Some((index, member, a, b)) = parts.next() {
        return Some(Differing::new(format!("/parts/{index}/{member}"), (a.get(member), b.get(member))));
    }
    let (a, b) = (sent.get("metadata"), shown.get("metadata"));
    if known.metadata && !keeps_metadata(a, b) {
        return Some(Differing::new("/metadata".to_owned(), (a, b)));
    }
    // Of extensions a message has a set: an agent may order them, and add to them.
    let is_kept = |name: &str| match name {
        "extensions" => items(sent, name).iter().all(|uri| items(shown, name).contains(uri)),
        _ => items(sent, name).is_empty() || items(sent, name) == items(shown, name),
    };
    let lists = [("referenceTaskIds", known.references), ("extensions", known.extensions)];
    let (name, _) = lists.into_iter().find(|(name, is_known)| *is_known && !is_kept(name))?;
    Some(Differing::new(format!("/{name}"), (sent.get(name), shown.get(name))))
}

/// The member of a part that is not as it was sent.
fn part(sent: &Value, shown: &Value, known: &Known) -> Option<&'static str> {
    // Of several contents an agent takes one, or none.
    if CONTENTS.iter().filter(|name| sent.get(**name).is_some()).count() != 1 {
        return None;
    }
    let text = |part: &Value, name: &str| part.get(name).and_then(Value::as_str).map(str::to_owned);
    let is_file = ["raw", "url"].iter().any(|name| sent.get(*name).is_some());
    let texts = [
        ("text", true),
        ("url", true),
        ("filename", known.described || (is_file && known.named_files)),
        ("mediaType", known.described || (is_file && known.described_files)),
    ];
    for (name, _) in texts.into_iter().filter(|(_, is_known)| *is_known) {
        // What is empty is as good as nothing.
        let (a, b) = (text(sent, name).unwrap_or_default(), text(shown, name));
        if !a.is_empty() && b.as_ref() != Some(&a) {
            return Some(name);
        }
    }
    // An agent may keep bytes elsewhere, and show where.
    if let Some(Ok(bytes)) = text(sent, "raw").map(|raw| base64::decode(&raw))
        && shown.get("url").is_none()
        && text(shown, "raw").and_then(|raw| base64::decode(&raw).ok()).unwrap_or_default() != bytes
    {
        return Some("raw");
    }
    let data = sent.get("data").filter(|data| !data.is_null());
    if data.is_some_and(|data| !shown.get("data").is_some_and(|shown| same(data, shown))) {
        return Some("data");
    }
    let is_kept = !known.part_metadata || keeps_metadata(sent.get("metadata"), shown.get("metadata"));
    (!is_kept).then_some("metadata")
}

/// Whether all that was sent is there: an agent may add what it wants to note.
fn keeps_metadata(sent: Option<&Value>, shown: Option<&Value>) -> bool {
    let Some(Value::Object(sent)) = sent else { return true };
    let mut sent = sent.iter().filter(|(_, value)| !value.is_null());
    sent.all(|(name, value)| shown.and_then(|shown| shown.get(name)).is_some_and(|shown| same(value, shown)))
}

/// Whether two values of JSON are one: numbers as doubles, and null as good as nothing in an object.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            let null = &Value::Null;
            let mut names = a.keys().chain(b.keys());
            names.all(|name| same(a.get(name).unwrap_or(null), b.get(name).unwrap_or(null)))
        }
        _ => a == b,
    }
}

/// Webhooks are answered, read and listed as they were set. Credentials need not be shown, nor tokens.
pub(super) fn webhooks_as_set(view: RunView<'_>, _: &Nothing) -> Judgement {
    let (mut seen, mut findings) = (0, Vec::new());
    let mut set: BTreeMap<(&str, &str), Vec<&Answer>> = BTreeMap::new();
    for answer in view.answers.iter().filter(|answer| answer.binding == view.binding) {
        let request = &answer.exchange.request;
        let Some(result) = answer.result() else { continue };
        // Under which task it was asked for is known also where the answer does not say it.
        let key = |config: &'_ Value| {
            let task = text(config, "taskId").or_else(|| text(&request.params, "taskId"))?;
            Some((task.to_owned(), text(config, "id")?.to_owned()))
        };
        match request.operation {
            Some(Operation::CreateTaskPushNotificationConfig) => {
                seen += usize::from(text(&request.params, "url").is_some());
                findings.extend(of_webhook(&view, answer, (answer, "", result)));
                let (Some(task), Some(id)) = (text(&request.params, "taskId"), text(result, "id")) else { continue };
                set.entry((task, id)).or_default().push(answer);
            }
            Some(Operation::GetTaskPushNotificationConfig | Operation::ListTaskPushNotificationConfigs) => {
                let listed = items(result, "configs").iter().enumerate();
                let listed = listed.map(|(index, config)| (format!("/configs/{index}"), config));
                let read = (request.operation == Some(Operation::GetTaskPushNotificationConfig))
                    .then(|| (String::new(), result));
                for (place, config) in listed.chain(read) {
                    let Some((task, id)) = key(config) else { continue };
                    // What was set several times may have been read between.
                    let Some([own]) = set.get(&(task.as_str(), id.as_str())).map(Vec::as_slice) else { continue };
                    if is_settled(own, answer) {
                        findings.extend(of_webhook(&view, own, (answer, &place, config)));
                    }
                }
            }
            _ => {}
        }
    }
    judged(seen, "webhook", findings)
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// Whether one had its answer before the other was asked for, under an id that nobody uses twice.
fn is_settled(set: &Answer, read: &Answer) -> bool {
    let asked = text(&set.exchange.request.params, "id").filter(|id| id.starts_with(OWN_IDS) && id.len() > UNIQUE);
    let is_own = asked.is_some() && asked == set.result().and_then(|result| text(result, "id"));
    is_own && set.exchange.started + set.exchange.elapsed <= read.exchange.started
}

/// What of a webhook is not as it was set.
fn of_webhook(view: &RunView<'_>, set: &Answer, (shown, place, config): (&Answer, &str, &Value)) -> Option<Finding> {
    let params = &*set.exchange.request.params;
    let operation = set.exchange.request.operation?;
    let kind = view.profile.operation(operation)?.params.as_deref();
    let differs = |name: &&str| {
        let (Some(a), b) = (text(params, name), text(config, name)) else { return false };
        let is_known = kind.is_some_and(|kind| view.dialect.tells_of(kind, &format!("/{name}")));
        // Some show a token as stars, or not at all.
        let is_hidden = *name == "token" && b.is_none_or(|b| b.contains('*'));
        // An address may be written otherwise.
        let is_same = |b: &str| *name == "url" && matches!((Url::parse(a), Url::parse(b)), (Ok(a), Ok(b)) if a == b);
        is_known && b != Some(a) && !is_hidden && !b.is_some_and(is_same)
    };
    // Who names the task of a webhook in one answer names it in each.
    let names = |shown: &Value| text(shown, "taskId").is_some();
    let is_named = || !std::ptr::eq(set, shown) && set.result().is_some_and(names) && !names(config);
    // Schemes are the same in either case (RFC 9110, section 11.1). An agent may keep them with the credentials to itself.
    let scheme = |config: &Value| config.pointer(SCHEME).and_then(Value::as_str).map(str::to_ascii_lowercase);
    let has_scheme = || kind.is_some_and(|kind| view.dialect.tells_of(kind, SCHEME));
    let is_other =
        || matches!((scheme(params), scheme(config)), (Some(a), Some(b)) if a != b && !b.contains('*')) && has_scheme();
    let name = ["url", "token"].into_iter().find(differs).or_else(|| is_named().then_some("taskId"));
    let name = name.or_else(|| is_other().then_some(SCHEME.trim_start_matches('/')))?;
    let kind = kind?;
    if !view.dialect.violations(kind, &view.dialect.to_wire(kind, params)).is_empty() {
        return None;
    }
    let Content::Result(payload) = &shown.content else { return None };
    let member = format!("/{name}");
    let (sent, kept) = (params.pointer(&member), config.pointer(&member));
    let how = how(sent, kept).to_owned();
    let kind = Kind::SentOtherwise { how, of: WEBHOOK.to_owned(), place: member };
    let finding = Finding::new(kind).at(shown.exchange.number, payload.locate(&format!("{place}/{name}")));
    let finding = finding.compare(show_found(sent), show_found(kept));
    let is_another = set.exchange.number != shown.exchange.number;
    Some(if is_another { finding.against(set.exchange.number) } else { finding })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_became_of_a_value_has_a_word() {
        for (sent, shown, word) in [
            (json!("abc"), None, "lost"),
            (json!("abc"), Some(json!("ab")), "cut"),
            (json!("abc"), Some(json!("abd")), "changed"),
            (json!([1, 2]), Some(json!([1, 1, 2])), "repeated or added to"),
            (json!([1, 2]), Some(json!([2, 1])), "in another order"),
            (json!([1, 2]), Some(json!([2])), "cut"),
            (json!([1, 2]), Some(json!([1, 3])), "changed"),
            (json!({ "a": 1 }), Some(json!({ "a": 1.5 })), "changed"),
        ] {
            assert_eq!(how(Some(&sent), shown.as_ref()), word, "{sent}");
        }
    }
}
