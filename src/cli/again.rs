//! The command line that does the same again.

use clap::ValueEnum as _;

use super::settings::Settings;
use super::target::is_declared;
use crate::auth::Credentials;
use crate::discovery::find::{Discovered, Lookup};
use crate::discovery::reach;
use crate::interface::{CardPlace, Endpoint, InterfaceInfo};

/// The command line of a check without any selection of cases, for the hints in the report. It shows no secret: who gave one
/// by its value gives it again.
pub(super) fn command(settings: &Settings) -> String {
    let url = settings.url.as_ref().map(ToString::to_string);
    words(settings, url, None, true)
}

/// The command lines of the interfaces to which that of the whole run does not lead when it is confined to their version and
/// binding, since these then name what is at the URL: with the interface's own URL they do. Each with profile and binding.
pub(super) fn exceptions(
    settings: &Settings,
    found: &Discovered,
    credentials: &Credentials,
) -> Vec<(String, String, String)> {
    let (Some(url), false) = (&settings.url, settings.names_an_interface()) else { return Vec::new() };
    let checked = found.info.interfaces.iter().filter(|interface| interface.skipped.is_none());
    let leads_there = |(interface, endpoint): &(&InterfaceInfo, &Endpoint)| {
        let is_heard =
            |other: &Endpoint| other.speaks.as_deref() == Some(endpoint.profile.name()) && other.url == endpoint.url;
        let is_near = credentials.trusts(&reach::address(endpoint)) || reach::is_on_host_of(endpoint, url);
        is_near && is_declared(interface, endpoint) && !found.endpoints.iter().any(is_heard)
    };
    let others = checked.zip(&found.endpoints).filter(|pair| !leads_there(pair));
    let commands = others.map(|(_, endpoint)| {
        let address = reach::address(endpoint);
        let is_trusted = !credentials.keeps_from(&address);
        let command = words(settings, Some(address), Some(&endpoint.card), is_trusted);
        (endpoint.profile.name().to_owned(), endpoint.binding.to_string(), command)
    });
    commands.collect()
}

/// The command line for a URL; with the card that led there, unless the user named one, and with the credentials where they
/// may go to that URL.
fn words(settings: &Settings, url: Option<String>, card: Option<&CardPlace>, with_credentials: bool) -> String {
    let mut words: Vec<String> = Vec::from_iter(url);
    let mut flag = |name: &str, value: String| words.extend([name.to_owned(), value]);
    match (&settings.lookup, card) {
        (Lookup::WellKnown, Some(CardPlace::Url(url))) => flag("--card", url.clone()),
        (Lookup::WellKnown, _) => {}
        (Lookup::Url(url), _) => flag("--card", url.to_string()),
        (Lookup::File(path), _) => flag("--card", path.display().to_string()),
    }
    settings.base_urls.iter().for_each(|base| flag("--base-url", base.clone()));
    settings.allowed.iter().for_each(|origin| flag("--allow-origin", origin.clone()));
    for pair in settings.given.flags().chunks(2).filter(|_| with_credentials) {
        if let [name, value] = pair {
            flag(name, value.clone());
        }
    }
    if let Some(path) = &settings.config {
        flag("--config", path.display().to_string());
    }
    if let Some(folder) = &settings.cases {
        flag("--cases", folder.display().to_string());
    }
    if let Some(preset) = settings.preset.and_then(|preset| preset.to_possible_value()) {
        flag("--triggers", preset.get_name().to_owned());
    }
    let without: Vec<String> = settings.without.iter().map(ToString::to_string).collect();
    if !without.is_empty() {
        flag("--without", without.join(","));
    }
    if let Some(form) = settings.rest_form {
        flag("--rest-form", form.to_string());
    }
    for fault in &settings.faults {
        flag("--fault", fault.id.to_string());
    }
    let words: Vec<String> = ["a2aspec".to_owned(), "check".to_owned()].into_iter().chain(words).collect();
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A word as a shell reads it as one.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+[]".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_split_them() {
        for (word, wanted) in [
            ("http://[::1]:8080/a%20b", "http://[::1]:8080/a%20b"),
            ("http://a.example/?b=c&d", "'http://a.example/?b=c&d'"),
            ("X-Key: env:KEY", "'X-Key: env:KEY'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), wanted);
        }
    }
}
