//! The signatures of the agent card (1.0 section 8.4, 0.3 section 5.5.6).

use std::collections::BTreeSet;

use serde_json::Value;

use super::args::Step;
use super::{judged_apart, judged_of, judgement_of, violates};
use crate::finding::{Finding, Kind, show_found};
use crate::profile::Descriptors;
use crate::reason::Reason;
use crate::signature::{Canonical, Keys, OtherForm, Refusal, Rule, Signature, Unknown, signatures};
use crate::transcript::{Answer, Content, Payload};
use crate::{CaseView, Judged, Judgement};

/// Each signature is written as RFC 7515 has it: the header as a JSON object in base64url, the signature in base64url (1.0
/// section 4.4.7, 0.3 section 5.5.6).
pub(super) fn written(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let (answer, payload) = fetched(&view, args)?;
        let card = payload.reading.wire.as_ref();
        let mut seen = 0;
        let mut findings = Vec::new();
        for (place, signature) in all(card)? {
            let refusal = match signature.and_then(|signature| signature.bytes()) {
                // That a member is not there is told by the case about the form of the card.
                Err(Refusal::Member(_)) => continue,
                read => read.err(),
            };
            seen += 1;
            let Some(refusal) = refusal else { continue };
            let is_signature = refusal == Refusal::NotBase64url;
            let place = format!("{place}/{}", if is_signature { "signature" } else { "protected" });
            let received = show_found(card.pointer(&place));
            let finding =
                Finding::new(Kind::SignatureMalformed).at(answer.exchange.number, format!("{}{place}", payload.base));
            findings.push(finding.compare(expected(&refusal), received));
        }
        match seen {
            0 => Err(lacks("has no signature that can be read")),
            _ => Ok(Judgement::of(findings)),
        }
    })())
}

/// What `card-signature-headers` asserts of each signature.
pub(super) const HEADERS: &[&str] = &["algorithm", "key", "type", "critical"];

/// The protected header of each signature names algorithm and key, and has the type JOSE (1.0 section 8.4.2); `crit` and `b64` are
/// used as RFC 7515 section 4.1.11 and RFC 7797 require.
pub(super) fn headers(view: CaseView<'_>, args: &Step) -> Judged {
    judged_of((|| {
        let (answer, payload) = fetched(&view, args)?;
        let card = payload.reading.wire.as_ref();
        let mut held = BTreeSet::new();
        let mut findings = Vec::new();
        for signature in all(card)?.into_iter().filter_map(|(_, signature)| signature.ok()) {
            let header = &signature.header.members;
            let place = format!("{}{}/protected", payload.base, signature.pointer);
            let mut demand = |name, is_met: bool, kind, expected: &str| {
                held.insert(name);
                if !is_met {
                    let finding = Finding::new(kind).at(answer.exchange.number, place.clone());
                    findings.push(violates(name, finding.compare(expected, header.to_string())));
                }
            };
            let has = |member: &str| header.get(member).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
            demand("algorithm", has("alg"), Kind::SignatureWithoutAlgorithm, "alg, such as ES256");
            demand("key", has("kid"), Kind::SignatureWithoutKey, "kid, such as key-1");
            let is_typed = header.get("typ").is_some_and(|of| of == "JOSE");
            demand("type", is_typed, Kind::SignatureUntyped, r#""typ":"JOSE""#);
            held.insert("critical");
            if let Some(fault) = signature.critical_fault() {
                let finding = Finding::new(Kind::SignatureCriticalWrong);
                let finding = finding.at(answer.exchange.number, format!("{}{}", payload.base, signature.pointer));
                let expected = "crit and b64 as RFC 7515 section 4.1.11 and RFC 7797 require";
                findings.push(violates("critical", finding.compare(expected, fault.to_string())));
            }
        }
        match held.is_empty() {
            true => Err(lacks("has no signature whose header can be read")),
            false => Ok(judged_apart(held, findings)),
        }
    })())
}

/// The card that a step fetched, or that an operation was answered with: a signature is over what stands there on the wire.
fn fetched<'a>(view: &CaseView<'a>, args: &Step) -> Result<(&'a Answer, &'a Payload), Judgement> {
    let answer = view.step(args)?.seen.answer().ok_or(Judgement::Unseen(Reason::CardNotFetched))?;
    match &answer.content {
        Content::Result(payload) => Ok((answer, payload)),
        _ => Err(Judgement::Unseen(Reason::CardUnreadable)),
    }
}

fn expected(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::NotBase64url | Refusal::HeaderNotBase64url => "base64url without padding",
        _ => "a JSON object in base64url",
    }
}

/// The most signatures of a card that are verified.
const MOST: usize = 100;

type Read = Vec<(String, Result<Signature, Refusal>)>;

/// The signatures of a card that has any.
fn all(card: &Value) -> Result<Read, Judgement> {
    // Each takes a computation with a key of the card's choice; even to read them takes long.
    if card.get("signatures").and_then(Value::as_array).is_some_and(|all| all.len() > MOST) {
        return Err(lacks("has more than 100 signatures, and the suite verifies no more"));
    }
    let all = signatures(card);
    if all.is_empty() { Err(lacks("is not signed")) } else { Ok(all) }
}

fn lacks(what: &str) -> Judgement {
    Judgement::Unseen(Reason::CardLacks { what: what.to_owned() })
}

/// What `card-signed` asserts of what is signed.
pub(super) const SIGNED: &[&str] = &["holds", "canonical", "defaults", "excluded", "required", "explicit"];

/// A signature whose key is known is one over the canonical form of the card (1.0 sections 8.4.1 and 8.4.2). One that holds is
/// enough: who has several may sign for readers of several kinds, or be about to change keys (8.4.3).
pub(super) fn signed(view: CaseView<'_>, args: &Step) -> Judged {
    judged_of((|| {
        let (answer, payload) = fetched(&view, args)?;
        let card = payload.reading.wire.as_ref();
        let descriptors = view.profile.descriptors.as_ref().ok_or_else(|| lacks("is of a version without a schema"))?;
        let signatures: Vec<Signature> = all(card)?.into_iter().filter_map(|(_, signature)| signature.ok()).collect();
        let mut known = None;
        let mut unknown = None;
        for signature in &signatures {
            match holds(signature, descriptors, card, view.keys) {
                Ok(form) => return Ok(judged_apart(shown(&form), Vec::new())),
                Err(Refusal::NoKey(id)) => unknown = unknown.or(Some(Reason::NoKeyFor { id })),
                // Extensions that we do not know, and keys that are trusted for something else, prove nothing.
                Err(
                    refusal @ (Refusal::Critical(_)
                    | Refusal::NotEncoded
                    | Refusal::OtherKey { .. }
                    | Refusal::UnknownAlgorithm(_)),
                ) => {
                    unknown = unknown.or(Some(Reason::SignatureUnusable { why: refusal.to_string() }));
                }
                // What cannot be read, and what the header lacks, is told by the cases about that.
                Err(Refusal::NoAlgorithm | Refusal::NoKeyId | Refusal::NotBase64url) => {}
                Err(refusal) if refusal.breaks_critical() => {}
                Err(refusal) => known = known.or(Some((signature, refusal))),
            }
        }
        let Some((signature, refusal)) = known else {
            return Err(unknown.map_or_else(|| lacks("has no signature that can be verified"), Judgement::Unseen));
        };
        let form = OtherForm::signed(signature, descriptors, card, view.keys);
        let (name, kind) = form.map_or(("holds", Kind::SignatureWrong), violated);
        let finding = Finding::new(kind).at(answer.exchange.number, format!("{}{}", payload.base, signature.pointer));
        let finding = finding.compare(
            "a signature over the canonical form of the card",
            form.map_or_else(|| refusal.to_string(), |form| form.to_string()),
        );
        Ok(judged_apart(BTreeSet::new(), vec![violates(name, finding)]))
    })())
}

/// The form of the card over which a signature holds: with the members that the version does not know, or without them.
fn holds(signature: &Signature, descriptors: &Descriptors, card: &Value, keys: &Keys) -> Result<Canonical, Refusal> {
    let mut refused = None;
    for unknown in [Unknown::LeftOut, Unknown::Kept] {
        let Some(form) = Canonical::by(descriptors, card, unknown) else { continue };
        match signature.verify(&form.bytes, keys) {
            Ok(()) => return Ok(form),
            Err(refusal) => refused = Some(refusal),
        }
    }
    Err(refused.unwrap_or(Refusal::NotBase64url))
}

/// What a signature shows that holds: a rule that decided nothing was not seen.
fn shown(form: &Canonical) -> BTreeSet<&'static str> {
    let of_rules = [("defaults", Rule::Default), ("required", Rule::Required), ("explicit", Rule::Explicit)];
    let used = of_rules.into_iter().filter(|(_, rule)| form.used(*rule)).map(|(name, _)| name);
    ["holds", "canonical", "excluded"].into_iter().chain(used).collect()
}

/// Which assertion a form violates that was signed in place of the canonical one.
fn violated(form: OtherForm) -> (&'static str, Kind) {
    match form {
        OtherForm::WithDefaults => ("defaults", Kind::SignedWithDefaults),
        OtherForm::WithoutRequired => ("required", Kind::SignedWithoutRequired),
        OtherForm::WithoutExplicit => ("explicit", Kind::SignedWithoutExplicit),
        OtherForm::WithSignatures => ("excluded", Kind::SignedWithSignatures),
        OtherForm::WithoutEmpty | OtherForm::NotSorted => ("canonical", Kind::SignedUncanonical),
    }
}
