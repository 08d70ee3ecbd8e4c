//! The command line that does the same again.

use super::builder::SuiteBuilder;
use crate::auth::Credentials;
use crate::diagnostic::shell;
use crate::discovery::find::Lookup;
use crate::discovery::reach;
use crate::interface::{Agent, CardPlace, Interface, InterfaceInfo};
use crate::transport::inbound::ServerTls;

/// What a command line says that a suite cannot know by itself.
#[derive(Debug, Clone)]
pub struct CommandLine {
    /// Whether it names the agent's URL; the program can also find the agent by itself.
    pub names_url: bool,
    /// The flags that give the credentials, without any secret.
    pub credentials: Vec<String>,
    /// Further flags.
    pub more: Vec<String>,
}

impl CommandLine {
    /// For a program that is not the command line itself: values that only it has are `***`.
    fn of(suite: &SuiteBuilder) -> Self {
        let names = suite.header_names().into_iter();
        let credentials = names.flat_map(|name| ["--header".to_owned(), format!("{name}: ***")]).collect();
        Self { names_url: true, credentials, more: Vec::new() }
    }
}

/// The command line of a check without any selection of cases, for the hints in the report. It shows no secret: who gave one
/// by its value gives it again.
pub(super) fn command(suite: &SuiteBuilder) -> String {
    let url = suite.url.as_ref().map(ToString::to_string);
    words(suite, url, None, true)
}

/// The command lines of the interfaces to which that of the whole run does not lead when it is confined to their version and
/// binding, since these then name what is at the URL: with the interface's own URL they do. Each with profile and binding.
pub(super) fn exceptions(
    suite: &SuiteBuilder,
    agent: &Agent,
    credentials: &Credentials,
) -> Vec<(String, String, String)> {
    let names_an_interface = suite.profiles.len() == 1 && suite.bindings.len() == 1;
    let names_url = suite.command.as_ref().is_none_or(|command| command.names_url);
    let Some(url) = suite.url.as_ref().filter(|_| names_url && !names_an_interface) else { return Vec::new() };
    let leads_there = |(info, interface): &(&InterfaceInfo, &Interface)| {
        let is_heard =
            |other: &Interface| other.speaks.as_deref() == Some(interface.profile.name()) && other.url == interface.url;
        let is_near = credentials.trusts(&reach::address(interface)) || reach::is_on_host_of(interface, url);
        is_near && info.declares(interface) && !agent.checked().any(|(_, other)| is_heard(other))
    };
    let others = agent.checked().filter(|pair| !leads_there(pair));
    let commands = others.map(|(_, interface)| {
        let address = reach::address(interface);
        let is_trusted = !credentials.keeps_from(&address);
        let command = words(suite, Some(address), Some(&interface.card), is_trusted);
        (interface.profile.name().to_owned(), interface.binding.to_string(), command)
    });
    commands.collect()
}

/// The command line for a URL; with the card that led there, unless the user named one, and with the credentials where they
/// may go to that URL.
fn words(suite: &SuiteBuilder, url: Option<String>, card: Option<&CardPlace>, with_credentials: bool) -> String {
    let own = suite.command.clone().unwrap_or_else(|| CommandLine::of(suite));
    let mut words: Vec<String> = ["a2aspec", "check"].map(str::to_owned).to_vec();
    words.extend(url.filter(|_| own.names_url));
    let mut flag = |name: &str, value: &str| words.extend([name.to_owned(), value.to_owned()]);
    match (&suite.lookup, card) {
        (Lookup::WellKnown, Some(CardPlace::Url(url))) => flag("--card", url),
        (Lookup::WellKnown, _) => {}
        (Lookup::Url(url), _) => flag("--card", url.as_str()),
        (Lookup::File(path), _) => flag("--card", &path.display().to_string()),
    }
    suite.tenant.iter().for_each(|tenant| flag("--tenant", tenant));
    suite.base_urls.iter().for_each(|base| flag("--base-url", base));
    suite.replica_urls.iter().for_each(|replica| flag("--replica", replica));
    if let Some(load) = suite.load {
        flag("--load", &load.to_string());
    }
    if let (Some(line), Some(restart)) = (&suite.restart_command, &suite.restart) {
        flag("--restart-command", line);
        flag("--durable", &restart.durable().iter().map(|it| it.name()).collect::<Vec<_>>().join(","));
    }
    suite.allowed.iter().for_each(|origin| flag("--allow-origin", origin));
    if let Some(address) = suite.webhook_listen {
        flag("--webhook-listen", &address.to_string());
    }
    if let Some(url) = &suite.webhook_url {
        flag("--webhook-url", url.as_str());
    }
    if let Some(preset) = suite.preset {
        flag("--triggers", preset.name());
    }
    if suite.webhook_tls.as_ref().is_some_and(ServerTls::is_made) {
        words.push("--webhook-tls".to_owned());
    }
    if with_credentials {
        words.extend(own.credentials);
    }
    words.extend(own.more);
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A word as a shell reads it as one. The brackets of an address (IPv6) are shown as they are.
fn quoted(word: &str) -> String {
    shell::word(word, "[]")
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
