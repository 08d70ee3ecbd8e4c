//! `a2aspec.toml`: the settings of a project that checks its agent again and again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::choices::{BindingName, DATE, FailOnName, LevelName, MIN_TESTED, TriggerName, Version, keyed};
use super::oauth::OAuthEntry;
use super::trust;
use crate::auth::Caller;
use crate::case::{Durable, Trigger};
use crate::diagnostic::near;
use crate::discovery::triggers::{Preset, SayEntry};
use crate::files;
use crate::verdict::Level;
use crate::yaml::Mistake;

/// The file that is read when no other is named.
pub const DEFAULT_FILE: &str = "a2aspec.toml";

/// The settings of the file; every one is optional, and flags win.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "Settings of a2aspec: a2aspec.toml")]
pub struct Config {
    /// Where the settings are from.
    #[serde(skip)]
    pub place: Place,
    /// The agent.
    pub url: Option<String>,
    /// The card of the agent: a URL or a file.
    pub card: Option<String>,
    /// Where the card's interfaces are instead: `[BINDING=]URL`, one or a list.
    #[serde(default, deserialize_with = "one_or_several")]
    #[schemars(with = "OneOrSeveral")]
    pub base_url: Vec<String>,
    /// Origins beside that of the agent to which credentials may go.
    #[serde(default)]
    pub allow_origin: Vec<String>,
    /// Files of certificates that are trusted, too.
    #[serde(default)]
    pub cacert: Vec<PathBuf>,
    /// The certificate that is shown to agents that ask for one.
    pub cert: Option<PathBuf>,
    /// The key of `cert`.
    pub key: Option<PathBuf>,
    /// The proxy through which hosts are reached.
    pub proxy: Option<String>,
    /// Whether certificates are taken as they come.
    pub insecure: Option<bool>,
    /// Addresses of hosts, by name.
    #[serde(default)]
    pub resolve: BTreeMap<String, String>,
    /// Files of keys by which the signatures of the card are verified.
    #[serde(default)]
    pub card_key: Vec<PathBuf>,
    /// Hosts from which such keys may be fetched.
    #[serde(default)]
    pub allow_jku: Vec<String>,
    /// Protocol versions to check.
    #[serde(default)]
    #[schemars(with = "Vec<Version>")]
    pub profile: Vec<String>,
    /// Bindings to check.
    #[serde(default)]
    #[schemars(with = "Vec<BindingName>")]
    pub binding: Vec<String>,
    /// The tenant whose interfaces are checked.
    pub tenant: Option<String>,
    /// Areas to run, also those that no run has unless they are asked for.
    #[serde(default)]
    pub area: Vec<String>,
    /// Levels of the cases to run.
    #[serde(default, deserialize_with = "levels")]
    #[schemars(with = "Vec<LevelName>")]
    pub level: Vec<Level>,
    /// Patterns of cases to run.
    #[serde(default)]
    pub only: Vec<String>,
    /// Patterns of cases to leave out.
    #[serde(default)]
    pub skip: Vec<String>,
    /// The address at which webhooks are received.
    pub webhook_listen: Option<String>,
    /// The URL by which the agent reaches that address.
    pub webhook_url: Option<String>,
    /// Whether they are received over TLS, with a certificate that is made for the run.
    pub webhook_tls: Option<bool>,
    /// The certificate with which they are received over TLS.
    pub webhook_cert: Option<PathBuf>,
    /// The key of `webhook-cert`.
    pub webhook_key: Option<PathBuf>,
    /// Headers of every request to the agent: their values, or where these come from as `env:NAME`, `file:PATH`
    /// or `command:LINE`.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Where a bearer token comes from: `env:NAME`, `file:PATH` or `command:LINE`.
    pub bearer: Option<String>,
    /// Identities by name.
    #[serde(default)]
    pub identities: BTreeMap<String, IdentityEntry>,
    /// The identity that checks.
    pub r#as: Option<String>,
    /// The identity that has no right to what the first one has.
    pub other: Option<String>,
    /// How many requests are in flight at once.
    #[schemars(extend("minimum" = 1))]
    pub jobs: Option<usize>,
    /// The most requests a second.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub rate: Option<f64>,
    /// Seconds to wait for an answer.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub timeout: Option<f64>,
    /// Seconds to wait for an agent that is starting.
    #[schemars(extend("minimum" = 0))]
    pub wait: Option<f64>,
    /// The most messages to send.
    pub max_messages: Option<u64>,
    /// Whether only what the specification demands is run, each case over one binding.
    pub quick: Option<bool>,
    /// The level from which a broken requirement fails the run.
    #[schemars(with = "Option<FailOnName>")]
    pub fail_on: Option<String>,
    /// The date of the set of requirements that counts: a month such as `2026-12`, or a day.
    #[schemars(extend("pattern" = DATE))]
    pub requirements: Option<String>,
    /// Whether no further case begins after the first that fails the gate.
    pub fail_fast: Option<bool>,
    /// Other replicas of the agent: `[BINDING=]URL`.
    #[serde(default)]
    pub replica: Vec<String>,
    /// How many requests a second the agent is sent beside the cases.
    #[schemars(extend("minimum" = 1, "maximum" = 1000))]
    pub load: Option<u32>,
    /// The command that restarts the agent, by the shell.
    pub restart_command: Option<String>,
    /// What the agent keeps when it restarts.
    #[serde(default)]
    pub durable: Vec<Durable>,
    /// How often a case that failed is run again.
    pub retries: Option<usize>,
    /// Seconds after which the whole run ends.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub deadline: Option<f64>,
    /// How much must be tested: a share of the cases that apply, such as `90%`, or a number of them.
    #[schemars(extend("pattern" = MIN_TESTED))]
    pub min_tested: Option<String>,
    /// Reports to write: `FORMAT[=FILE]`.
    #[serde(default)]
    pub report: Vec<String>,
    /// The file of the repository in which code scanning shows what is wrong.
    pub sarif_location: Option<String>,
    /// Where every exchange is written.
    pub trace: Option<PathBuf>,
    /// The file that lists known failures.
    pub baseline: Option<PathBuf>,
    /// The file of `a2aspec card lock` that says what clients rely on.
    pub lock: Option<PathBuf>,
    /// A folder of own cases.
    pub cases: Option<PathBuf>,
    /// A named set of triggers.
    pub preset: Option<Preset>,
    /// What to send to bring the agent into its states.
    #[serde(default)]
    #[schemars(schema_with = "keyed::<TriggerName, SayEntry>")]
    pub triggers: BTreeMap<Trigger, SayEntry>,
}

/// Where settings are from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Place {
    /// No file, or a list of agents that the user named.
    #[default]
    Nowhere,
    /// The file of the working directory. Whoever wrote the folder wrote it.
    Found {
        /// Its absolute path, without links.
        path: PathBuf,
        /// The SHA-256 of its content, in hexadecimal digits.
        digest: String,
    },
    /// The file that the user named.
    Named {
        /// As the user named it.
        path: PathBuf,
        /// The SHA-256 of its content, in hexadecimal digits.
        digest: String,
    },
}

impl Place {
    /// The file as messages name it.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Nowhere | Self::Found { .. } => DEFAULT_FILE.to_owned(),
            Self::Named { path, .. } => path.display().to_string(),
        }
    }
}

impl Config {
    /// The same without credentials.
    pub(super) fn without_credentials(&self) -> Self {
        Self {
            headers: BTreeMap::new(),
            bearer: None,
            identities: BTreeMap::new(),
            r#as: None,
            other: None,
            cert: None,
            key: None,
            ..self.clone()
        }
    }
}

/// The credentials of an identity: their values, or where these come from.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct IdentityEntry {
    /// Headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Cookies.
    #[serde(default)]
    pub cookies: BTreeMap<String, String>,
    /// Parameters in the query of requests over HTTP.
    #[serde(default)]
    pub query: BTreeMap<String, String>,
    /// Where a bearer token comes from: `env:NAME`, `file:PATH` or `command:LINE`.
    pub bearer: Option<String>,
    /// Where `user:password` comes from, in the same way (RFC 7617).
    pub basic: Option<String>,
    /// How a bearer token is got from an issuer.
    pub oauth: Option<OAuthEntry>,
    /// The certificate that it shows to agents that ask for one (PEM).
    pub cert: Option<PathBuf>,
    /// The key of `cert`.
    pub key: Option<PathBuf>,
    /// What is wrong with its credentials, where the agent is to refuse them.
    pub role: Option<Role>,
}

/// What is wrong with the credentials of an identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// They have expired.
    Expired,
    /// They are for another agent.
    WrongAudience,
    /// They do not allow to send messages.
    Narrow,
}

impl Role {
    /// In whose name the identity asks.
    pub const fn caller(self) -> Caller {
        match self {
            Self::Expired => Caller::Expired,
            Self::WrongAudience => Caller::WrongAudience,
            Self::Narrow => Caller::Narrow,
        }
    }
}

/// Reads the file that was named, or the default one if it is there.
///
/// # Errors
/// A file that was named and cannot be read, or one with a mistake; the text is for the diagnostic to quote.
pub fn read(named: Option<&Path>) -> Result<Config, (Mistake, Option<String>)> {
    let path = named.unwrap_or(Path::new(DEFAULT_FILE));
    let file = path.display().to_string();
    let text = match files::text(path, files::LONGEST) {
        Ok(text) => text,
        Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => return Ok(Config::default()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let help = Some("`a2aspec init URL` writes a settings file".to_owned());
            return Err((Mistake { help, ..Mistake::whole(&file, "there is no such settings file") }, None));
        }
        Err(error) => return Err((Mistake::whole(&file, format!("the file cannot be read: {error}")), None)),
    };
    let digest = trust::digest(&text);
    let place = match named {
        Some(named) => Place::Named { path: named.to_owned(), digest },
        None => {
            let found = std::fs::canonicalize(path);
            let wrong = |error| (Mistake::whole(&file, format!("the file cannot be read: {error}")), None);
            Place::Found { path: found.map_err(wrong)?, digest }
        }
    };
    let config = parse::<Config>(&file, &text).map_err(|mistake| (mistake, Some(text)))?;
    Ok(Config { place, ..config })
}

/// Reads a text of TOML.
pub(super) fn parse<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, Mistake> {
    toml::from_str(text).map_err(|error| {
        let message = error.message().lines().next().unwrap_or("cannot be read as TOML");
        let offset = error.span().map(|span| span.start);
        match unknown(message) {
            Some((message, help)) => Mistake { offset, help, ..Mistake::whole(file, message) },
            None => Mistake { offset, ..Mistake::whole(file, in_plain_words(message)) },
        }
    })
}

/// `[BINDING=]URL`, one or a list.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a URL, or a list of URLs")]
enum OneOrSeveral {
    One(String),
    Several(Vec<String>),
}

/// Reads the names of levels.
fn levels<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<Level>, D::Error> {
    let names = Vec::<String>::deserialize(from)?;
    names.iter().map(|name| name.parse().map_err(serde::de::Error::custom)).collect()
}

fn one_or_several<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(match OneOrSeveral::deserialize(from)? {
        OneOrSeveral::One(one) => vec![one],
        OneOrSeveral::Several(several) => several,
    })
}

/// What the reader says of a name that it does not know, with what was meant instead of everything that there is.
fn unknown(message: &str) -> Option<(String, Option<String>)> {
    let (what, rest) = message.strip_prefix("unknown ")?.split_once(" `")?;
    let (name, rest) = rest.split_once('`')?;
    let what = if what == "field" { "setting" } else { "name" };
    let known = rest.split('`').skip(1).step_by(2);
    Some((format!("unknown {what} `{name}`"), near::help(name, known)))
}

/// The reader names types as Rust does, which is not for everyone.
fn in_plain_words(message: &str) -> String {
    let mut message = message.to_owned();
    for (rust, plain) in [("usize", "a whole number"), ("u64", "a whole number"), ("f64", "a number")] {
        message = message.replace(&format!("expected {rust}"), &format!("expected {plain}"));
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_file_is_read() {
        let config: Config = toml::from_str(
            "url = 'http://127.0.0.1:1'\ntimeout = 2.5\n[headers]\nX-Team = 'a'\n[triggers]\nslow = 'take your time'\n\
             fail = { text = 'x', message-id-prefix = 'y' }\n",
        )
        .unwrap();
        assert_eq!(config.timeout, Some(2.5));
        assert_eq!(config.triggers.len(), 2);
    }

    #[test]
    fn a_base_url_is_one_or_several() {
        let read = |text: &str| toml::from_str::<Config>(text).map(|config| config.base_url);
        assert_eq!(read("base-url = 'http://a'").unwrap(), ["http://a"]);
        assert_eq!(read("base-url = ['http://a', 'grpc=http://b']").unwrap(), ["http://a", "grpc=http://b"]);
        assert!(read("base-url = 1").unwrap_err().message().contains("expected a URL, or a list of URLs"));
    }

    #[test]
    fn an_unknown_setting_is_an_error() {
        let error = toml::from_str::<Config>("ulr = 'http://127.0.0.1:1'\n").unwrap_err();
        assert!(error.message().contains("unknown field `ulr`"), "{error}");
    }
}
