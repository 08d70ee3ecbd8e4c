//! The interfaces of a card that this client can use, in the card's order (section 8.3.2).

use serde_json::Value;

use crate::deviation::deviates;

/// The bindings that this client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binding {
    JsonRpc,
    HttpJson,
}

impl Binding {
    /// As cards write it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::JsonRpc => "JSONRPC",
            Self::HttpJson => "HTTP+JSON",
        }
    }
}

/// An interface that this client can use.
#[derive(Debug, Clone)]
pub(crate) struct Interface {
    pub(crate) binding: Binding,
    pub(crate) url: String,
    /// As the card has it; what is sent is [`VERSION`].
    pub(crate) version: String,
    pub(crate) tenant: Option<String>,
}

/// The version that this client speaks.
pub(crate) const VERSION: &str = "1.0";

/// The interfaces that this client can use, the preferred one first. An empty list of wanted bindings means any.
pub(crate) fn usable(card: &Value, wanted: &[String]) -> Vec<Interface> {
    let declared = card["supportedInterfaces"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut usable = Vec::new();
    for entry in declared {
        match one(entry, wanted) {
            Some(interface) => usable.push(interface),
            None if deviates("interface/unknown-one-fails") => break,
            None => {}
        }
    }
    if deviates("interface/last-of-a-binding") {
        let last = |binding| usable.iter().rev().find(move |one: &&Interface| one.binding == binding).cloned();
        usable = [Binding::JsonRpc, Binding::HttpJson].into_iter().filter_map(last).collect();
    }
    if deviates("interface/last-entry") {
        usable.reverse();
    }
    if deviates("interface/prefers-json-rpc") {
        usable.sort_by_key(|one| one.binding != Binding::JsonRpc);
    }
    if deviates("interface/prefers-http-json") {
        usable.sort_by_key(|one| one.binding != Binding::HttpJson);
    }
    if deviates("interface/first-url-for-all")
        && let (Some(first), Some(chosen)) = (declared.first(), usable.first_mut())
    {
        chosen.url = first["url"].as_str().unwrap_or_default().to_owned();
    }
    if deviates("tenant/of-the-first-entry")
        && let (Some(first), Some(chosen)) = (declared.first(), usable.first_mut())
    {
        chosen.tenant = first["tenant"].as_str().map(str::to_owned);
    }
    if deviates("interface/no-fallback") {
        usable.truncate(1);
    }
    usable
}

fn one(entry: &Value, wanted: &[String]) -> Option<Interface> {
    let text = |name: &str| entry[name].as_str().filter(|text| !text.is_empty());
    let written = text("protocolBinding")?;
    let binding = [Binding::JsonRpc, Binding::HttpJson].into_iter().find(|known| known.name() == written);
    let binding = match binding {
        None if deviates("interface/unknown-binding-taken") => Binding::JsonRpc,
        known => known?,
    };
    let version = text("protocolVersion")?;
    let spoken = is_spoken(version)
        || (deviates("interface/newer-version-taken") && !version.starts_with('0'))
        || (deviates("interface/older-version-taken") && version.starts_with('0'));
    let allowed = wanted.is_empty() || wanted.iter().any(|name| name == binding.name());
    (spoken && allowed).then(|| Interface {
        binding,
        url: text("url").unwrap_or_default().to_owned(),
        version: version.to_owned(),
        tenant: text("tenant").map(str::to_owned),
    })
}

/// Whether this client speaks a version. A patch number decides nothing (section 3.6).
fn is_spoken(version: &str) -> bool {
    if deviates("version/patch-number-decides") {
        return version == VERSION;
    }
    version == VERSION || version.strip_prefix(VERSION).is_some_and(|patch| patch.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_spoken_is_passed_over_and_the_order_stays() {
        let entry = |binding: &str, version: &str, url: &str| json!({ "protocolBinding": binding, "protocolVersion": version, "url": url });
        let card = json!({ "supportedInterfaces": [
            entry("https://example.org/own", "1.0", "a"), entry("JSONRPC", "2.0", "b"), entry("HTTP+JSON", "1.0.1", "c"),
            entry("JSONRPC", "1.0", "d"), entry("JSONRPC", "1.0", "e"), entry("JSONRPC", "0.3", "f"),
        ] });
        let urls = |wanted: &[String]| usable(&card, wanted).into_iter().map(|one| one.url).collect::<String>();
        assert_eq!(urls(&[]), "cde");
        assert_eq!(urls(&["JSONRPC".to_owned()]), "de");
    }
}
