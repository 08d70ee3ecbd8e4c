//! Which of several right ways an agent takes, where the texts of a version have more than one. For notes only: no way is
//! wrong.

use serde_json::Value;

use super::args::{Schemas, TypeName};
use super::sites::payloads;
use super::{judged, judgement_of};
use crate::finding::{Finding, Kind, show};
use crate::reason::Reason;
use crate::{Judgement, RunView};

/// Values of an enumeration have the spelling that the profile writes, and none of the others that it reads.
pub(super) fn spelled(view: RunView<'_>, args: &TypeName) -> Judgement {
    judgement_of((|| {
        let kind: &str = args;
        let shape = view.dialect.types.get(kind).filter(|shape| !shape.also.is_empty());
        let Some(shape) = shape else {
            return Err(Judgement::Unseen(Reason::OneSpelling { of: kind.to_owned() }));
        };
        let mut findings: Vec<Finding> = Vec::new();
        let mut seen = 0;
        for cited in payloads(view.answers) {
            for site in cited.payload.reading.sites.iter().filter(|site| site.kind == kind) {
                let Some(wire) = cited.payload.reading.at(site).and_then(Value::as_str) else { continue };
                let is_own = |(name, _): &(&String, &Vec<String>)| {
                    shape.values.as_ref().and_then(|values| values.get(*name)).is_some_and(|own| own == wire)
                };
                let is_other = |(_, others): &(&String, &Vec<String>)| others.iter().any(|other| other == wire);
                let other = shape.also.iter().find(is_other);
                seen += usize::from(other.is_some() || shape.also.iter().any(|one| is_own(&one)));
                if let Some((name, _)) = other {
                    let own = view.dialect.to_wire(kind, &Value::from(name.clone()));
                    let finding = cited.finding(&site.pointer, Kind::OtherSpelling { of: kind.to_owned() });
                    findings.push(finding.compare(show(&own), format!("{wire:?}")));
                }
            }
        }
        Ok(judged(seen, &format!("{kind} with two spellings"), findings))
    })())
}

/// Results of the types that have one of these forms, by the names of their schemas, have it.
pub(super) fn formed(view: RunView<'_>, args: &Schemas) -> Judgement {
    let wanted = args.names();
    let mut findings = Vec::new();
    let mut seen = 0;
    for cited in payloads(view.answers) {
        for site in &cited.payload.reading.sites {
            let forms = view.dialect.types.get(&site.kind).map_or(&[][..], |shape| shape.forms.as_slice());
            let mut schemas = forms.iter().filter_map(|form| form.schema.as_deref());
            let Some(form) = schemas.find(|schema| wanted.contains(schema)) else { continue };
            seen += 1;
            let actual = view.dialect.wire_type_at(site);
            if actual != form {
                let kind = Kind::OtherForm { of: site.kind.clone() };
                findings.push(cited.finding(&site.pointer, kind).compare(form, actual));
            }
        }
    }
    judged(seen, &wanted.join(" or "), findings)
}
