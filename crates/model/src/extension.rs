//! Extensions: those that a card declares, and those that a request asks for or an answer lists (A2A 1.0, section 4.6).

use std::collections::HashMap;

use serde_json::Value;

use crate::profile::{Capability, Profile};

/// An extension that a card declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extension {
    /// Its URI.
    pub uri: String,
    /// Whether each request must ask for it.
    pub is_required: bool,
}

/// The extensions that a card declares in a version, each once. What cannot stand in a header's list is left out: nobody can ask
/// for it.
pub fn declared(card: &Value, profile: &Profile) -> Vec<Extension> {
    match card.pointer(&profile.facts.card.extensions) {
        Some(list) if !profile.facts.extensions_headers.is_empty() => in_list(list),
        _ => Vec::new(),
    }
}

/// What an agent with these extensions is capable of.
pub fn capabilities(extensions: &[Extension]) -> impl Iterator<Item = Capability> {
    let any = |is_such: &dyn Fn(&Extension) -> bool| extensions.iter().any(is_such);
    let found = [
        (Capability::Extensions, any(&|extension| !extension.is_required)),
        (Capability::RequiredExtensions, any(&|extension| extension.is_required)),
    ];
    found.into_iter().filter(|(_, is_there)| *is_there).map(|(capability, _)| capability)
}

fn in_list(list: &Value) -> Vec<Extension> {
    let mut found: Vec<Extension> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for entry in list.as_array().into_iter().flatten() {
        let Some(uri) = entry.get("uri").and_then(Value::as_str).filter(|uri| can_be_listed(uri)) else { continue };
        let is_required = entry.get("required") == Some(&Value::Bool(true));
        let place = *places.entry(uri).or_insert(found.len());
        match found.get_mut(place) {
            Some(known) => known.is_required |= is_required,
            None => found.push(Extension { uri: uri.to_owned(), is_required }),
        }
    }
    found
}

fn can_be_listed(uri: &str) -> bool {
    !uri.is_empty() && uri.bytes().all(|byte| byte.is_ascii_graphic() && byte != b',')
}

/// As a header lists them (section 14.2.2).
pub fn list<'a>(uris: impl IntoIterator<Item = &'a str>) -> String {
    uris.into_iter().collect::<Vec<_>>().join(",")
}

/// Those that fields of these names list, in their order.
pub fn listed<'a>(names: &'a [String], fields: impl IntoIterator<Item = &'a (String, String)>) -> Vec<&'a str> {
    let fields = fields.into_iter().filter(|(name, _)| names.iter().any(|known| known.eq_ignore_ascii_case(name)));
    fields.flat_map(|(_, value)| value.split(',')).map(str::trim).filter(|uri| !uri.is_empty()).collect()
}

/// The URI of another version of an extension: its last number counted up. Nothing where no part of the URI looks like a version,
/// such as `v1` or `1.2`.
pub fn other_version(uri: &str) -> Option<String> {
    let (before, version) = uri.rsplit_once(['/', ':', '#']).map(|(before, last)| (before.len() + 1, last))?;
    let numbers = version.strip_prefix('v').unwrap_or(version);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !numbers.split('.').all(is_number) {
        return None;
    }
    let last = numbers.rsplit('.').next()?;
    let next = last.parse::<u32>().ok()?.checked_add(1)?;
    let kept = uri.get(..before + version.len() - last.len())?;
    Some(format!("{kept}{next}"))
}

/// The URI with the letters of its last part in the other case, which no standard says to be the same: what comes after the
/// scheme and host. Nothing where there are no letters.
pub fn other_case(uri: &str) -> Option<String> {
    let start = uri.rfind(['/', ':', '#'])? + 1;
    let is_host = uri.find("://").is_some_and(|end| start <= end + "://".len());
    let (kept, last) = uri.split_at_checked(start)?;
    let swapped: String = last
        .chars()
        .map(|letter| match letter {
            'a'..='z' => letter.to_ascii_uppercase(),
            'A'..='Z' => letter.to_ascii_lowercase(),
            other => other,
        })
        .collect();
    (!is_host && swapped != last).then(|| format!("{kept}{swapped}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_card_declares_what_can_be_asked_for() {
        let of = |uri: &str, is_required| Extension { uri: uri.to_owned(), is_required };
        let card = json!([
            { "uri": "urn:a", "required": true }, { "uri": "urn:b" }, { "uri": "urn:c", "required": "yes" },
            { "uri": "urn:b", "required": true }, { "uri": "" }, { "uri": "a,b" }, { "uri": "a b" }, { "uri": 7 }, {}, 7,
        ]);
        let found = in_list(&card);
        assert_eq!(found, [of("urn:a", true), of("urn:b", true), of("urn:c", false)]);
        assert!(capabilities(&found).eq([Capability::Extensions, Capability::RequiredExtensions]));
        assert_eq!(in_list(&json!({ "uri": "urn:a" })), []);
        assert_eq!(in_list(&Value::Null), []);
    }

    #[test]
    fn only_some_versions_have_extensions() {
        let card = json!({ "capabilities": { "extensions": [{ "uri": "urn:a" }] } });
        let profiles = crate::profile::bundled().unwrap();
        let with = profiles.iter().filter(|profile| !declared(&card, profile).is_empty());
        assert!(with.map(|profile| profile.name()).eq(["0.2.5", "0.3", "1.0-draft", "1.1-draft", "1.0"]));
    }

    #[test]
    fn lists_are_read_from_every_field_of_the_names() {
        let names = ["A2A-Extensions".to_owned(), "X-A2A-Extensions".to_owned()];
        let fields = [("a2a-extensions", "urn:a, urn:b ,"), ("date", "urn:c"), ("x-a2a-extensions", "urn:d")];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(listed(&names, &fields), ["urn:a", "urn:b", "urn:d"]);
        assert_eq!(listed(&[], &fields), [""; 0]);
        assert_eq!(list(["urn:a", "urn:b"]), "urn:a,urn:b");
    }

    #[test]
    fn another_version_is_told_by_a_number() {
        for (uri, other) in [
            ("https://example.com/ext/geo/v1", Some("https://example.com/ext/geo/v2")),
            ("urn:a2aspec:echo:v1", Some("urn:a2aspec:echo:v2")),
            ("https://example.com/ext/geo/1.9", Some("https://example.com/ext/geo/1.10")),
            ("https://example.com/ext#2", Some("https://example.com/ext#3")),
            ("https://example.com/ext/geo", None),
            ("https://example.com/v", None),
            ("https://example.com/ext/", None),
            ("https://example.com/v1x", None),
            ("https://example.com/v4294967295", None),
            ("v1", None),
        ] {
            assert_eq!(other_version(uri).as_deref(), other, "{uri}");
        }
    }

    #[test]
    fn another_case_leaves_scheme_and_host() {
        for (uri, other) in [
            ("https://example.com/ext/geo/v1", Some("https://example.com/ext/geo/V1")),
            ("urn:a2aspec:echo:v1", Some("urn:a2aspec:echo:V1")),
            ("https://example.com/ext/Geo", Some("https://example.com/ext/gEO")),
            ("https://example.com", None),
            ("https://example.com/ext/1", None),
            ("geo", None),
        ] {
            assert_eq!(other_case(uri).as_deref(), other, "{uri}");
        }
    }
}
