//! Objects of A2A: cards, their signatures, and the wire forms of every version.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use a2aspec::generate::{Choices, Values, json as any_json};
use a2aspec::profile::Dialect;
use a2aspec::signature::{self, Canonical, Keys, Unknown};
use a2aspec::wire::json::{self, Limits};

use super::profiles;

/// Every version says what is wrong with any card, and reads it.
pub fn card(bytes: &[u8]) {
    let Ok(document) = json::parse(bytes, &Limits::default()) else { return };
    let card = document.value();
    for profile in profiles() {
        let violations = profile.card_violations(&card);
        let strangeness = profile.strangeness_of_card(&card);
        assert!(strangeness >= violations.len());
        for violation in violations {
            let read = profile.card_as_read(&card);
            assert!(read.pointer(&violation.pointer).is_some(), "{} is no place of the card", violation.pointer);
        }
    }
}

/// A card has one canonical form, however it is written, and that of the form is the form; keys and signatures are read from any
/// bytes.
pub fn signature(bytes: &[u8]) {
    let keys = Keys::read(bytes);
    let Ok(card) = signature::read(bytes) else { return };
    let written = signature::jcs(&card).expect("what was read can be written");
    let again = signature::read(&written).expect("RFC 8785 is JSON");
    assert_eq!(signature::jcs(&again).as_ref(), Some(&written));
    // Numbers are doubles there (RFC 8785 section 3.2.2.3), and -0 is 0.
    let compact: serde_json::Value = serde_json::from_slice(&written).expect("it is JSON to others, too");
    assert_eq!(compact, again);
    for (_, found) in signature::signatures(&card) {
        let Ok(found) = found else { continue };
        let _ = (found.algorithm(), found.bytes(), found.usable());
        if let Ok(keys) = &keys {
            assert!(found.verify(&written, keys).is_err(), "nobody has signed it");
        }
    }
    for descriptors in profiles().iter().filter_map(|profile| profile.descriptors.as_ref()) {
        for unknown in [Unknown::Kept, Unknown::LeftOut] {
            let Some(canonical) = Canonical::by(descriptors, &card, unknown) else { continue };
            let again = Canonical::by(descriptors, &canonical.content, unknown).expect("it is an object");
            assert_eq!(again.bytes, canonical.bytes);
        }
    }
}

type Makers = Vec<(Arc<Dialect>, Values)>;

/// In every wire form of every version: what is right is read and written, and stays as it is then; and what is any JSON
/// is read and written somehow.
pub fn dialects(bytes: &[u8]) {
    static MAKERS: OnceLock<Makers> = OnceLock::new();
    let makers = MAKERS.get_or_init(|| {
        let all = profiles().iter().flat_map(|profile| profile.dialects.values());
        all.map(|dialect| (Arc::clone(dialect), Values::new(Arc::clone(&dialect.schemas)))).collect()
    });
    let mut choices = Choices::new(bytes);
    let Some((dialect, values)) = choices.pick(makers) else { return };
    let kinds: BTreeMap<&str, &str> =
        dialect.types.keys().map(|kind| (kind.as_str(), dialect.wire_type(kind))).collect();
    let kinds: Vec<(&str, &str)> = kinds.into_iter().filter(|(_, wire)| dialect.schemas.has(wire)).collect();
    let Some((kind, wire_type)) = choices.pick(&kinds) else { return };
    let any = choices.one_in(4);
    let wire = match any {
        true => any_json::any(4, &mut choices),
        false => values.valid(wire_type, &mut choices),
    };
    let read = dialect.from_wire(kind, wire.clone());
    let again = dialect.to_wire(kind, &read.value);
    let reread = dialect.from_wire(kind, again.clone());
    for site in &read.sites {
        assert!(wire.pointer(&site.pointer).is_some() || dialect.nulls_absent, "{kind}: {} in {wire}", site.pointer);
    }
    if !any {
        // What must be sent is added where it was not there, so only what is written once stays as it is.
        let thrice = dialect.to_wire(kind, &reread.value);
        assert_eq!(thrice, again, "{} {kind}: {wire} was read {}", dialect.name, read.value);
    }
}
