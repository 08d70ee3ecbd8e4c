//! The agent card, as it is on the wire.

use std::collections::BTreeSet;

use serde_json::Value;

use super::args::Step;
use super::{judged_apart, judged_of, judgement_of, violates};
use crate::finding::{Finding, Kind, show, show_found};
use crate::reason::Reason;
use crate::transcript::{Answer, Content};
use crate::wire::http::MediaType;
use crate::wire::json;
use crate::{CaseView, Judged, Judgement, items};

/// The most places of a card that count as seen: far more than a card has that people wrote.
const MOST_PLACES: usize = 4_000;

/// The card that a step fetched.
pub(super) fn fetched<'a>(view: &CaseView<'a>, args: &Step) -> Result<(&'a Answer, Value), Judgement> {
    let answer = view.step(args)?.seen.answer();
    match answer {
        Some(answer) => match &answer.content {
            Content::Result(payload) => Ok((answer, Value::clone(&payload.reading.value))),
            _ => Err(Judgement::Unseen(Reason::CardUnreadable)),
        },
        None => Err(Judgement::Unseen(Reason::CardNotFetched)),
    }
}

fn at(answer: &Answer, pointer: impl Into<String>, kind: Kind) -> Finding {
    Finding::new(kind).at(answer.exchange.number, pointer)
}

/// The card conforms to its schema. Each place of the card is an assertion of its own.
pub(super) fn valid(view: CaseView<'_>, args: &Step) -> Judged {
    let (answer, card) = match fetched(&view, args) {
        Ok(fetched) => fetched,
        Err(unseen) => return unseen.into(),
    };
    let findings = view.profile.card_violations(&card).into_iter().map(|violation| {
        let actual = show_found(card.pointer(&violation.pointer));
        let (place, condition) = (violation.pointer.clone(), violation.wanted.clone());
        let kind = if place.is_empty() { Kind::CardObject { condition } } else { Kind::CardValue { place, condition } };
        let assertion = format!(":{}", violation.place());
        let finding = at(answer, violation.pointer, kind).compare(violation.wanted, actual);
        Finding { assertion, ..finding }
    });
    Judged::new(
        json::pointer::first_in(&view.profile.card_as_read(&card), MOST_PLACES)
            .into_iter()
            .map(|place| format!(":{place}")),
        findings.collect(),
    )
}

/// What `card-interfaces` asserts of each interface: that it has a URL, that this is absolute, be the binding one of the
/// version's or a custom one, and has neither query nor fragment; and that it has a binding and a version.
pub(super) const INTERFACES: &[&str] = &["url", "absolute/core", "absolute/custom", "plain", "binding", "version"];

/// Every interface says where it is, how to speak there, and in which version.
pub(super) fn interfaces(view: CaseView<'_>, args: &Step) -> Judged {
    judged_of((|| {
        let (answer, card) = fetched(&view, args)?;
        let core = |binding: &str| view.profile.facts.bindings.values().any(|facts| facts.declared_as == binding);
        let mut findings = Vec::new();
        let mut held = BTreeSet::new();
        for facts in &view.profile.facts.card.interfaces {
            for (place, _) in facts.items(&card) {
                let pointer = |member: &str| {
                    if member.starts_with('/') { member.to_owned() } else { format!("{place}/{member}") }
                };
                let url = card.pointer(&pointer(&facts.url));
                let binding = card.pointer(&pointer(&facts.binding)).and_then(Value::as_str);
                let text = url.and_then(Value::as_str).filter(|text| !text.is_empty());
                let is_core = |binding: &str| binding.is_empty() || core(binding);
                let absolute = if binding.is_none_or(is_core) { "absolute/core" } else { "absolute/custom" };
                let asserted = if text.is_some() { absolute } else { "url" };
                held.extend(["url", asserted]);
                if !text.is_some_and(|url| is_absolute(url, binding == Some("GRPC"))) {
                    let finding = at(answer, pointer(&facts.url), Kind::InterfaceWithoutUrl);
                    findings.push(violates(asserted, finding.compare("an absolute URL", show_found(url))));
                }
                // What a custom binding adds to its URLs is its own matter.
                if absolute == "absolute/core"
                    && let Some(text) = text
                {
                    held.insert("plain");
                    if text.contains(['?', '#']) {
                        let finding = at(answer, pointer(&facts.url), Kind::InterfaceUrlNotPlain);
                        findings.push(violates("plain", finding.compare("a URL without query and fragment", text)));
                    }
                }
                if facts.default_binding.is_none() {
                    held.insert("binding");
                    let missing = binding.is_none_or(str::is_empty);
                    let finding = missing.then(|| at(answer, pointer(&facts.binding), Kind::InterfaceWithoutBinding));
                    findings.extend(finding.map(|finding| violates("binding", finding)));
                }
                let (Some(member), None) = (&facts.version, &facts.default_version) else { continue };
                let version = pointer(member);
                held.insert("version");
                if card.pointer(&version).and_then(Value::as_str).is_none_or(str::is_empty) {
                    findings.push(violates("version", at(answer, version, Kind::InterfaceWithoutVersion)));
                }
            }
        }
        match held.is_empty() {
            true => Err(Judgement::Unseen(Reason::CardLacks { what: "declares no interface".to_owned() })),
            false => Ok(judged_apart(held, findings)),
        }
    })())
}

/// An absolute URL; gRPC interfaces may be `host:port` (main branch of A2A 1.0, `AgentInterface.url`).
fn is_absolute(url: &str, is_grpc: bool) -> bool {
    // Of any scheme: custom bindings have their own, such as wss.
    let has_host = url::Url::parse(url).is_ok_and(|parsed| parsed.has_host());
    let host_and_port =
        url.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
    has_host || (is_grpc && host_and_port)
}

/// The list of interfaces includes the main one (0.3 sections 5.6.2 and 5.6.4).
pub(super) fn main_listed(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let (answer, card) = fetched(&view, args)?;
        let listed = items(&card, "additionalInterfaces");
        if listed.is_empty() {
            return Err(Judgement::Unseen(Reason::CardLacks { what: "lists no additional interface".to_owned() }));
        }
        let url = card.get("url");
        let transport = card.get("preferredTransport").cloned().unwrap_or_else(|| Value::from("JSONRPC"));
        let main = listed.iter().any(|one| one.get("url") == url && one.get("transport") == Some(&transport));
        let finding = at(answer, "/additionalInterfaces", Kind::MainInterfaceUnlisted).compare(
            format!("{} over {}", url.map(show).unwrap_or_default(), show(&transport)),
            show(&Value::Array(listed.to_vec())),
        );
        Ok(if main { Judgement::Right } else { Judgement::Wrong(vec![finding]) })
    })())
}

/// The list for clients of 0.3 holds every interface (1.0-draft section 8.3.1); they read its binding as `transport`.
pub(super) fn deprecated_list(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let (answer, card) = fetched(&view, args)?;
        let (listed, all) = (items(&card, "additionalInterfaces"), items(&card, "supportedInterfaces"));
        if listed.is_empty() || all.is_empty() {
            return Err(Judgement::Unseen(Reason::CardLacks { what: "does not list its interfaces twice".to_owned() }));
        }
        let is_listed = |one: &&Value| {
            let binding = one.get("protocolBinding");
            let is_it = |known: &Value| ["protocolBinding", "transport"].iter().any(|name| known.get(name) == binding);
            listed.iter().any(|known| known.get("url") == one.get("url") && is_it(known))
        };
        let findings = all.iter().filter(|one| !is_listed(one)).map(|one| {
            let finding = at(answer, "/additionalInterfaces", Kind::InterfaceUnlisted);
            finding.compare(show(one), show(&Value::Array(listed.to_vec())))
        });
        Ok(Judgement::of(findings.collect()))
    })())
}

/// Input and output modes are media types.
pub(super) fn modes(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let (answer, card) = fetched(&view, args)?;
        let mut lists = vec!["/defaultInputModes".to_owned(), "/defaultOutputModes".to_owned()];
        for index in 0..items(&card, "skills").len() {
            lists.push(format!("/skills/{index}/inputModes"));
            lists.push(format!("/skills/{index}/outputModes"));
        }
        let mut findings = Vec::new();
        let mut seen = 0;
        for list in lists {
            let modes = card.pointer(&list).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            for (index, mode) in modes.iter().enumerate() {
                seen += 1;
                if mode.as_str().and_then(MediaType::parse).is_none() {
                    let finding = at(answer, format!("{list}/{index}"), Kind::ModeNoMediaType);
                    findings.push(finding.compare("type/subtype", show(mode)));
                }
            }
        }
        match seen {
            0 => Err(Judgement::Unseen(Reason::CardLacks { what: "names no modes".to_owned() })),
            _ => Ok(Judgement::of(findings)),
        }
    })())
}

/// Protocol versions are Major.Minor, without a patch number (1.0 section 3.6).
pub(super) fn versions(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let (answer, card) = fetched(&view, args)?;
        let mut findings = Vec::new();
        let places =
            view.profile.facts.card.interfaces.iter().filter_map(|facts| Some((facts, facts.version.as_ref()?)));
        let places: BTreeSet<String> = places
            .flat_map(|(facts, version)| {
                let of_item = |(place, _): (String, &Value)| match version.starts_with('/') {
                    true => version.clone(),
                    false => format!("{place}/{version}"),
                };
                facts.items(&card).into_iter().map(of_item).collect::<Vec<_>>()
            })
            .collect();
        for pointer in &places {
            let version = card.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            let numbers: Vec<&str> = version.split('.').collect();
            let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            if numbers.len() != 2 || !numbers.iter().all(is_number) {
                let finding = at(answer, pointer, Kind::VersionNotMajorMinor);
                findings.push(finding.compare("such as \"1.0\"", format!("{version:?}")));
            }
        }
        match places.len() {
            0 => Err(Judgement::Unseen(Reason::CardLacks { what: "declares no interface".to_owned() })),
            _ => Ok(Judgement::of(findings)),
        }
    })())
}

/// No two skills have the same id.
pub(super) fn skill_ids(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let (answer, card) = fetched(&view, args)?;
        let skills = items(&card, "skills");
        let mut seen = BTreeSet::new();
        let twice = skills.iter().enumerate().filter_map(|(index, skill)| Some((index, skill.get("id")?.as_str()?)));
        let findings = twice
            .filter(|(_, id)| !seen.insert(*id))
            .map(|(index, id)| {
                at(answer, format!("/skills/{index}/id"), Kind::SkillIdRepeated { id: format!("{id:?}") })
            })
            .collect();
        match skills.len() {
            0 => Err(Judgement::Unseen(Reason::CardLacks { what: "names no skill".to_owned() })),
            _ => Ok(Judgement::of(findings)),
        }
    })())
}

/// The card says for how long it may be kept (1.0 section 8.6.1).
pub(super) fn max_age(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let Some(answer) = view.step(args)?.seen.answer() else {
            return Err(Judgement::Unseen(Reason::CardNotFetched));
        };
        let header = answer.exchange.response.as_ref().and_then(|response| response.header("cache-control"));
        let is_max_age = |directive: &str| {
            let (name, value) = directive.split_once('=').unwrap_or((directive, ""));
            name.trim().eq_ignore_ascii_case("max-age") && value.trim().trim_matches('"').parse::<u64>().is_ok()
        };
        if header.is_some_and(|header| header.split(',').any(is_max_age)) {
            return Ok(Judgement::Right);
        }
        let finding = Finding::new(Kind::CardWithoutMaxAge)
            .compare("Cache-Control with max-age", header.unwrap_or("no Cache-Control"))
            .in_exchange(answer.exchange.number);
        Ok(Judgement::Wrong(vec![finding]))
    })())
}

/// The card is JSON by RFC 8259, without a byte order mark.
pub(super) fn json_text(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let Some(answer) = view.step(args)?.seen.answer() else {
            return Err(Judgement::Unseen(Reason::CardNotFetched));
        };
        let Some(response) = &answer.exchange.response else {
            return Err(Judgement::Unseen(Reason::CardNotFetched));
        };
        Ok(match json::parse(&response.body, &json::Limits::default()) {
            Ok(_) => Judgement::Right,
            Err(error) => {
                let kind = Kind::CardNotJson { reason: format!("{} at {}", error.kind, error.position) };
                Judgement::Wrong(vec![Finding::new(kind).in_exchange(answer.exchange.number)])
            }
        })
    })())
}
