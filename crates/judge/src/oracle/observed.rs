//! The data model: schemas, spellings, encodings, over everything that was seen.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use serde_json::Value;

use super::args::{Nothing, TypeNames};
use super::sites::{Cited, payloads};
use super::tasks::first_few;
use super::{judged, judged_apart, violates};
use crate::finding::{Finding, Kind, show, show_found};
use crate::profile::facts::Timestamps;
use crate::profile::{Binding, Broken, Dialect, Operation, Reading, Site};
use crate::reason::Reason;
use crate::transcript::{Answer, OWN_IDS};
use crate::wire::base64::check as check_base64;
use crate::wire::json::pointer;
use crate::wire::timestamp::{Timestamp, iso8601_lenient, rfc3339};
use crate::{Judged, Judgement, RunView};

/// Objects of the named types conform to their schema. A violation belongs to the innermost object around it. Each member of
/// a type is an assertion of its own, such as `:Task/id`.
pub(super) fn schema(view: RunView<'_>, args: &TypeNames) -> Judged {
    let wanted = args.names();
    let mut findings = Vec::new();
    // The members that were seen, by type.
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    let ours = LazyCell::new(|| OwnMistakes::sent(&view));
    for cited in payloads(view.answers) {
        let payload = cited.payload;
        let mut is_here = false;
        for site in payload.reading.sites.iter().filter(|site| wanted.contains(&site.kind.as_str())) {
            is_here = true;
            let members = payload.reading.at(site).and_then(Value::as_object);
            seen.insert((&site.kind, ""));
            seen.extend(members.into_iter().flatten().map(|(member, _)| (site.kind.as_str(), member.as_str())));
        }
        if !is_here {
            continue;
        }
        for Broken { site, violation } in cited.payload.reading.violations(view.dialect) {
            let owner = payload.reading.sites.get(*site).filter(|owner| wanted.contains(&owner.kind.as_str()));
            let Some(owner) = owner else { continue };
            let is_echo =
                ours.repeated_at(&view, &cited, &violation.pointer) || ours.configured_so(&view, &cited, owner);
            if is_echo || is_the_clients_own(&view, &cited, &violation.pointer) {
                continue;
            }
            let of = view.dialect.wire_type_at(owner).to_owned();
            let place = violation.pointer.strip_prefix(owner.pointer.as_str()).unwrap_or_default().to_owned();
            let condition = violation.wanted.clone();
            let kind = match place.is_empty() {
                true => Kind::SchemaObject { of, condition },
                false => Kind::SchemaValue { of, place, condition },
            };
            let actual = show_found(cited.wire().pointer(&violation.pointer));
            let finding = cited.finding(&violation.pointer, kind).compare(violation.wanted.clone(), actual);
            let place = violation.place();
            let place = place.strip_prefix(owner.pointer.as_str()).unwrap_or_default();
            findings.push(Finding { assertion: format!(":{}{place}", owner.kind), ..finding });
        }
    }
    if seen.is_empty() {
        return Judgement::Unseen(Reason::run_saw_no(wanted.join(", "))).into();
    }
    let held = seen.into_iter().map(|(kind, member)| {
        let mut name = format!(":{kind}");
        if !member.is_empty() {
            pointer::push(&mut name, member);
        }
        name
    });
    let all = Judged::new(held, findings);
    match all.judgement {
        Judgement::Wrong(findings) => Judged { judgement: Judgement::of(first_few_by_expected(findings)), ..all },
        _ => all,
    }
}

/// Whether a place is in the parts of a message that the client wrote: an agent that shows the suite its own broken
/// message has failed when it took it, and the case that sent it says so.
fn is_the_clients_own(view: &RunView<'_>, cited: &Cited<'_>, pointer: &str) -> bool {
    let below = format!("/{}/", view.dialect.wire_name("Message", "parts"));
    // Most places are in no part at all, and every text of every answer is asked about.
    if !pointer.contains(&below) {
        return false;
    }
    let wire = cited.wire();
    let user = view.dialect.to_wire("Role", &Value::from("ROLE_USER"));
    cited.payload.reading.sites.iter().filter(|site| site.kind == "Message").any(|site| {
        pointer.strip_prefix(&site.pointer).is_some_and(|rest| rest.starts_with(&below))
            && wire.pointer(&format!("{}/role", site.pointer)) == Some(&user)
    })
}

/// Messages and push configurations of the suite's that it broke on purpose; messages in this run or, where the agent
/// remembers them, in an earlier one. To take one is for the case that sent it to judge, and but a SHOULD in 1.0 (section
/// 5.7); an agent that shows it, as in a history, shows what it was given.
struct OwnMistakes {
    /// Ids of the messages that were sent whole.
    whole: BTreeSet<String>,
    /// Whether the agent took a broken message that has no id on the wire.
    took_one_without_id: bool,
    /// Ids of the tasks for which a broken configuration was sent.
    configured: BTreeSet<String>,
}

impl OwnMistakes {
    fn sent(view: &RunView<'_>) -> Self {
        let mut sent = Self { whole: BTreeSet::new(), took_one_without_id: false, configured: BTreeSet::new() };
        for answer in view.answers {
            sent.configured.extend(wrongly_configured(view, answer));
            let Some(message @ Value::Object(_)) = answer.exchange.request.params.get("message") else { continue };
            let wire = view.dialect.to_wire("Message", message);
            let is_whole = view.dialect.violations("Message", &wire).is_empty();
            match (wire.get("messageId").and_then(Value::as_str), is_whole) {
                (Some(id), true) => {
                    sent.whole.insert(id.to_owned());
                }
                (Some(_), false) | (None, true) => {}
                (None, false) => sent.took_one_without_id |= answer.errors().is_empty(),
            }
        }
        sent
    }

    /// Whether an answer is about configurations, one of which was sent broken. `owner` is the object that is wrong.
    fn configured_so(&self, view: &RunView<'_>, cited: &Cited<'_>, owner: &Site) -> bool {
        let asked =
            view.answers.iter().find(|answer| answer.exchange.number == cited.exchange).and_then(task_configured);
        owner.kind.ends_with("PushNotificationConfig") && asked.is_some_and(|task| self.configured.contains(task))
    }

    /// Whether a place in an answer is in one of the messages. A text in the place of a message, and a message of the agent, are not the
    /// suite's: it sends objects, never in the agent's role.
    fn repeated_at(&self, view: &RunView<'_>, cited: &Cited<'_>, pointer: &str) -> bool {
        let agent = view.dialect.to_wire("Role", &Value::from("ROLE_AGENT"));
        let may_be_ours = |message: &&Value| message.is_object() && message.get("role") != Some(&agent);
        let around = cited.payload.reading.sites.iter().filter(|site| {
            let rest = pointer.strip_prefix(site.pointer.as_str());
            site.kind == "Message" && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        around.filter_map(|site| cited.payload.reading.at(site)).filter(may_be_ours).any(|message| {
            match message.get("messageId").and_then(Value::as_str) {
                Some(id) => id.starts_with(OWN_IDS) && !self.whole.contains(id),
                None => self.took_one_without_id,
            }
        })
    }
}

/// The task whose configurations a request is about.
fn task_configured(answer: &Answer) -> Option<&str> {
    answer.exchange.request.params.get("taskId").and_then(Value::as_str)
}

/// The task for which a request sets a configuration that breaks the schema.
fn wrongly_configured(view: &RunView<'_>, answer: &Answer) -> Option<String> {
    let operation =
        answer.exchange.request.operation.filter(|one| *one == Operation::CreateTaskPushNotificationConfig)?;
    let kind = view.profile.operation(operation)?.params.as_deref()?;
    let wire = view.dialect.to_wire(kind, &answer.exchange.request.params);
    let is_broken = !view.dialect.violations(kind, &wire).is_empty();
    task_configured(answer).filter(|_| is_broken).map(str::to_owned)
}

/// Findings that differ in what was expected, since the offending values may all differ.
fn first_few_by_expected(findings: Vec<Finding>) -> Vec<Finding> {
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings {
        if !kept.iter().any(|known| known.expected == finding.expected) {
            kept.push(finding);
        }
    }
    first_few(kept.into_iter())
}

/// Why spellings cannot be seen over gRPC: its messages have no text, and the JSON form of them is the suite's own.
fn no_text(view: &RunView<'_>) -> Option<Judgement> {
    let is_binary = view.binding == Binding::Grpc;
    is_binary.then_some(Judgement::Unseen(Reason::NoTextOverGrpc))
}

/// Members are spelled in camelCase (1.0 section 5.5). Where no text forbids it, one beside its like in camelCase is a further member,
/// which is ignored: clients find what they look for.
pub(super) fn camel_case(view: RunView<'_>, _: &Nothing) -> Judgement {
    if let Some(unseen) = no_text(&view) {
        return unseen;
    }
    let mut findings = Vec::new();
    let mut seen = 0;
    for cited in payloads(view.answers) {
        seen += cited.payload.reading.sites.len();
        let found = in_snake_case(&cited.payload.reading, view.dialect).into_iter();
        for snake in found.filter(|snake| view.profile.facts.one_spelling || !snake.is_beside) {
            findings.push(cited.finding(&snake.pointer, snake.kind).compare(snake.camel, snake.member));
        }
    }
    match seen {
        0 => Judgement::Unseen(Reason::run_saw_no("object of the data model")),
        _ => Judgement::of(first_few(findings.into_iter())),
    }
}

/// A member of the data model that is spelled with underscores.
pub(super) struct SnakeCase {
    pub pointer: String,
    pub kind: Kind,
    pub member: String,
    pub camel: String,
    /// Whether the member in camelCase is there, too.
    pub is_beside: bool,
}

/// Such members, wherever a type is known.
pub(super) fn in_snake_case(reading: &Reading, dialect: &Dialect) -> Vec<SnakeCase> {
    let mut found = Vec::new();
    for site in &reading.sites {
        let Some(Value::Object(members)) = reading.at(site) else { continue };
        let known = dialect.schemas.properties(dialect.wire_type_at(site));
        for member in members.keys().filter(|name| name.contains('_')) {
            let camel = camel(member);
            if known.iter().any(|known| *known == camel) {
                let pointer = format!("{}/{member}", site.pointer);
                let kind = Kind::NotCamelCase { of: site.kind.clone(), member: member.clone() };
                let is_beside = members.contains_key(&camel);
                found.push(SnakeCase { pointer, kind, member: member.clone(), camel, is_beside });
            }
        }
    }
    found
}

fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let mut camel = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

/// What `timestamps` asserts: that a timestamp is one of ISO 8601, and, where the version demands it, that it is in UTC and
/// says so with `Z`.
pub(super) const TIMESTAMPS: &[&str] = &["form", "utc", "suffix"];

/// Timestamps are spelled as the version demands.
pub(super) fn timestamps(view: RunView<'_>, _: &Nothing) -> Judged {
    if let Some(unseen) = no_text(&view) {
        return unseen.into();
    }
    let mut findings = Vec::new();
    let mut held = BTreeSet::new();
    each_string(&view, "Timestamp", |cited, pointer, text| {
        let (seen, wrong): (&[&str], _) = match view.profile.facts.timestamps {
            Timestamps::Utc => match rfc3339(text) {
                Ok(timestamp) => {
                    (TIMESTAMPS, zone_problem(&timestamp).map(|asserted| (asserted, UTC, show_text(text))))
                }
                Err(error) => (&["form"], Some(("form", "an ISO 8601 timestamp in UTC with `Z`", unread(text, error)))),
            },
            Timestamps::Iso8601 => {
                let wrong = iso8601_lenient(text).err();
                (&["form"], wrong.map(|error| ("form", "an ISO 8601 date and time", unread(text, error))))
            }
        };
        held.extend(seen.iter().copied());
        findings.extend(wrong.map(|(asserted, expected, received)| {
            let kind = Kind::Spelling { of: "timestamp".to_owned(), condition: expected.to_owned() };
            violates(asserted, cited.finding(pointer, kind).compare(expected, received))
        }));
    });
    match held.is_empty() {
        true => Judgement::Unseen(Reason::run_saw_no("timestamp")).into(),
        false => judged_apart(held, findings),
    }
}

/// What is expected of a timestamp that names another zone, or UTC in another way.
const UTC: &str = "ISO 8601 in UTC with `Z`, such as 2026-01-31T12:00:00.000Z";

/// What the zone of a timestamp violates.
fn zone_problem(timestamp: &Timestamp) -> Option<&'static str> {
    match timestamp.is_canonical_utc() {
        true => None,
        false if timestamp.offset().is_some_and(|offset| offset != 0) => Some("utc"),
        false => Some("suffix"),
    }
}

fn unread(text: &str, error: impl std::fmt::Display) -> String {
    format!("{text:?}: {error}")
}

/// A timestamp that names a zone names UTC (0.2.1 section 6.2, which recommends it). Whether one is a timestamp at all, and
/// needs a zone, is for `timestamps`.
pub(super) fn timestamps_in_utc(view: RunView<'_>, _: &Nothing) -> Judgement {
    over_strings(view, "Timestamp", "timestamp", |text| {
        let offset = iso8601_lenient(text).ok()?.offset()?;
        (offset != 0).then(|| ("UTC, such as 2026-01-31T12:00:00Z".to_owned(), show_text(text)))
    })
}

/// Timestamps have milliseconds (1.0 section 5.6.1 SHOULD). By ProtoJSON, which 5.6.1 names, a time that happens to be a
/// whole second has no fraction: an agent whose timestamps mostly have milliseconds has them.
pub(super) fn milliseconds(view: RunView<'_>, _: &Nothing) -> Judgement {
    let digits = |text: &str| rfc3339(text).ok().map(|timestamp| timestamp.fraction_digits);
    let (mut fine, mut coarse) = (0_usize, 0_usize);
    for cited in payloads(view.answers) {
        for site in cited.payload.reading.sites.iter().filter(|site| site.kind == "Timestamp") {
            let node = cited.payload.document.at(&format!("{}{}", cited.payload.base, site.pointer));
            match node.and_then(|node| node.as_str()).and_then(digits) {
                Some(3..) => fine += 1,
                Some(_) => coarse += 1,
                None => {}
            }
        }
    }
    let mostly_fine = fine > coarse;
    over_strings(view, "Timestamp", "timestamp", |text| {
        let is_coarse = digits(text)? < 3 && !mostly_fine;
        is_coarse.then(|| ("milliseconds, such as 2026-01-31T12:00:00.000Z".to_owned(), show_text(text)))
    })
}

/// Bytes are base64 (1.0 section 4.1.6, 0.3 section 6.6.1).
pub(super) fn base64(view: RunView<'_>, _: &Nothing) -> Judgement {
    over_strings(view, "Bytes", "file content", |text| {
        check_base64(text).err().map(|error| ("base64 (RFC 4648)".to_owned(), error.to_string()))
    })
}

fn show_text(text: &str) -> String {
    show(&Value::from(text))
}

/// Judges the text at every place of a type; `wrong` gives what was expected and what is there.
fn over_strings(
    view: RunView<'_>,
    kind: &str,
    what: &str,
    wrong: impl Fn(&str) -> Option<(String, String)>,
) -> Judgement {
    if let Some(unseen) = no_text(&view) {
        return unseen;
    }
    let mut findings = Vec::new();
    let mut seen = 0;
    each_string(&view, kind, |cited, pointer, text| {
        seen += 1;
        if let Some((expected, actual)) = wrong(text) {
            let kind = Kind::Spelling { of: what.to_owned(), condition: expected.clone() };
            findings.push(cited.finding(pointer, kind).compare(expected, actual));
        }
    });
    judged(seen, what, findings)
}

/// The texts at every place of a type, each with its place, but for those that the client wrote.
fn each_string(view: &RunView<'_>, kind: &str, mut look: impl FnMut(&Cited<'_>, &str, &str)) {
    for cited in payloads(view.answers) {
        for site in cited.payload.reading.sites.iter().filter(|site| site.kind == kind) {
            let pointer = format!("{}{}", cited.payload.base, site.pointer);
            let Some(text) = cited.payload.document.at(&pointer).and_then(|node| node.as_str()) else { continue };
            if is_the_clients_own(view, &cited, &site.pointer) {
                continue;
            }
            look(&cited, &site.pointer, text);
        }
    }
}
