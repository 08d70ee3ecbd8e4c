//! How a command that cannot do its work says so: what, where, what to do, and the exit code.

use std::path::Path;

use anstream::adapter::strip_str;

use super::{Exit, machine, print};
use crate::auth::Caller;
use crate::auth::userinfo::hidden;
use crate::case::{Library, Source};
use crate::diagnostic::words::{list, one_line};
use crate::diagnostic::{self, Diagnostic};
use crate::discovery::{DiscoveryError, Remedy};
use crate::plan::NothingMatches;
use crate::profile::{self, Profile};
use crate::report::Secrets;
use crate::report::failure::ErrorInfo;
use crate::report::gate::Gate;
use crate::suite::{self, SuiteError, UrlError};
use crate::yaml::Mistake;

/// Columns for diagnostics, which must read well in a log, too.
pub(super) const WIDTH: usize = 100;

/// Why a command could not do its work.
#[derive(Debug)]
pub(super) struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// The text for standard error, whole.
    pub text: String,
    /// The same for reports: a sentence, more about it line by line, and what to do about it.
    pub message: String,
    pub details: Vec<String>,
    pub help: Option<String>,
}

impl Failure {
    /// A single sentence, with what to do about it.
    pub fn new(exit: Exit, message: &str, help: Option<&str>) -> Self {
        Self::listing(exit, message, &[], help)
    }

    /// A sentence with a line for each of several things, and with what to do about them.
    pub fn listing(exit: Exit, message: &str, lines: &[String], help: Option<&str>) -> Self {
        let mut text = format!("error: {}\n", one_line(message));
        let (told, details) = (one_line(message), lines.to_vec());
        for line in lines {
            text.push_str(&format!("  {}\n", one_line(line)));
        }
        if let Some(help) = help {
            text.push_str(&format!("help: {}\n", one_line(help)));
        }
        Self { exit, text, message: told, details, help: help.map(str::to_owned) }
    }

    /// A text that is whole, and says all of it in a sentence.
    pub fn whole(exit: Exit, text: String) -> Self {
        let message = text.trim().to_owned();
        Self { exit, text, message, details: Vec::new(), help: None }
    }

    /// Mistakes that are shown in their places.
    fn shown(exit: Exit, message: String, text: String) -> Self {
        let details = strip_str(&text).to_string().lines().skip(1).map(str::to_owned).collect();
        Self { exit, text, message, details, help: None }
    }

    /// Why a run could not be done, for its report.
    pub fn info(&self) -> ErrorInfo {
        let outcome = match self.exit {
            Exit::Target => Gate::Unreachable,
            Exit::Interrupted => Gate::Interrupted,
            Exit::Usage => Gate::Unusable,
            Exit::Broken | Exit::Holds | Exit::Fails => Gate::Broken,
        };
        ErrorInfo { outcome, message: self.message.clone(), details: self.details.clone(), help: self.help.clone() }
    }

    /// Wrong usage.
    pub fn usage(message: impl AsRef<str>) -> Self {
        Self::new(Exit::Usage, message.as_ref(), None)
    }

    /// A fault of the suite, or of the machine.
    pub fn broken(message: impl AsRef<str>) -> Self {
        let help = machine::help(message.as_ref()).unwrap_or("this is a bug in a2aspec; please report it");
        Self::new(Exit::Broken, message.as_ref(), Some(help))
    }

    /// What it says first, without what to do about it.
    pub fn sentence(&self) -> &str {
        &self.message
    }

    /// The same without secrets.
    pub fn masked(self, secrets: &Secrets) -> Self {
        let mask = |text: &String| hidden(&secrets.mask(text));
        Self {
            exit: self.exit,
            text: mask(&self.text),
            message: mask(&self.message),
            details: self.details.iter().map(mask).collect(),
            help: self.help.as_ref().map(mask),
        }
    }

    /// A mistake in a text, shown in its place.
    pub fn diagnostic(exit: Exit, diagnostic: &Diagnostic<'_>) -> Self {
        Self::shown(exit, diagnostic.message.clone(), diagnostic.render(WIDTH))
    }

    /// Mistakes in files that the user wrote.
    pub fn mistakes(mistakes: &[Mistake], sources: &[Source]) -> Self {
        let source = |file: &str| sources.iter().find(|source| source.file == file).map(|source| source.text.as_str());
        let message = mistakes.first().map(|mistake| format!("{}: {}", mistake.file, mistake.message));
        Self::shown(Exit::Usage, message.unwrap_or_default(), diagnostic::mistakes(mistakes, source, WIDTH))
    }
}

/// Shows a failure and gives its exit code.
pub(super) fn show(failure: &Failure) -> Exit {
    print::err(&failure.text);
    failure.exit
}

/// The profiles of the program.
pub(super) fn profiles() -> Result<Vec<std::sync::Arc<Profile>>, Failure> {
    profile::bundled().map_err(|mistake| Failure::mistakes(&[mistake], &[]))
}

/// The names of the profiles, or of the one that is wanted.
pub(super) fn profile_names(wanted: Option<&str>) -> Result<Vec<String>, Failure> {
    let wanted = wanted.map_or_else(profiles, |name| Ok(vec![profile(name)?]))?;
    Ok(wanted.iter().map(|profile| profile.name().to_owned()).collect())
}

/// The profile of this name.
pub(super) fn profile(name: &str) -> Result<std::sync::Arc<Profile>, Failure> {
    let all = profiles()?;
    let found = all.iter().find(|profile| profile.name() == name).cloned();
    found.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|profile| profile.name()).collect();
        Failure::usage(format!("there is no profile `{name}`; there is {}", names.join(", ")))
    })
}

/// A file or a folder that cannot be written.
pub(super) fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::usage(format!("{} cannot be written: {error}", path.display()))
}

/// The cases of the program and of a user's folder.
pub(super) fn library(own: Option<&std::path::Path>) -> Result<Library, Failure> {
    Ok(suite::library(own)?)
}

impl From<SuiteError> for Failure {
    fn from(error: SuiteError) -> Self {
        let usage = |help: &str| Self::new(Exit::Usage, &error.to_string(), Some(help));
        match &error {
            SuiteError::Url { text, error: UrlError::NoScheme } => {
                usage(&format!("did you mean http://{text} or https://{text}?"))
            }
            SuiteError::Url { error: UrlError::Scheme(_), .. } => usage("use an http or https URL"),
            SuiteError::Url { error: UrlError::Unreadable(_), .. } => usage("write it as in http://localhost:8080"),
            SuiteError::NoCardFile(_) => {
                usage("name a file that exists, or a URL that begins with http:// or https://")
            }
            SuiteError::BaseUrl { .. } | SuiteError::ReplicaUrl { .. } => {
                usage("write it as http://localhost:8080, or for one binding as grpc=http://localhost:50051")
            }
            SuiteError::Origin { .. } => usage("write scheme, host and port, as in https://agent.example:8443"),
            SuiteError::Listen { .. } => usage("name an address of this machine and a free port with --webhook-listen"),
            SuiteError::SameCredentials { second: Caller::Other, .. } => {
                usage("name a different identity with --other; it must not see the first one's tasks")
            }
            SuiteError::SameCredentials { .. } => {
                usage("give the identity with a role other credentials, which the agent must refuse")
            }
            SuiteError::Webhook(_)
            | SuiteError::Header(_)
            | SuiteError::UnknownProfile { .. }
            | SuiteError::NoSuchBinding { .. }
            | SuiteError::FailFastWithRetries
            | SuiteError::LoadWithReplicas
            | SuiteError::RestartBeside
            | SuiteError::LoadWithLimit { .. }
            | SuiteError::NoReplicas { .. }
            | SuiteError::NoInterfaceNamed => Self::usage(error.to_string()),
            SuiteError::Cases { mistakes, sources } => Self::mistakes(mistakes, sources),
            SuiteError::NothingMatches(inner) => usage(&help_to_match(inner)),
            SuiteError::Interrupted => Self::whole(Exit::Interrupted, "interrupted before the first case\n".to_owned()),
            SuiteError::TimeOver { .. } | SuiteError::TokenOver { .. } => {
                Self::whole(Exit::Interrupted, format!("{error}\n"))
            }
            SuiteError::Discovery(inner) => discovery_failure(inner, help_to_discover(inner).as_deref()),
            SuiteError::NoInterface { reasons } => {
                let message = match reasons.is_empty() {
                    true => "the card declares no interface",
                    false => "the card declares no interface that can be checked",
                };
                let help =
                    "name the interface with --profile, --binding and its URL; `a2aspec card lint` checks the card";
                Self::listing(Exit::Target, message, reasons, Some(help))
            }
            SuiteError::NotDeclared { offered } => {
                let message = "the card does not declare what --profile and --binding ask for; it declares";
                Self::new(Exit::Target, &format!("{message} {}", offered.join(", ")), None)
            }
            SuiteError::NoReplica { .. } => {
                let help = "start it, or leave it out: a replica that is down fails every case";
                Self::new(Exit::Target, &error.to_string(), Some(help))
            }
            SuiteError::NoAgent | SuiteError::Client(_) | SuiteError::NoCardFor { .. } => {
                Self::broken(error.to_string())
            }
        }
    }
}

/// Why there is no card that can be used.
pub(super) fn discovery_failure(error: &DiscoveryError, help: Option<&str>) -> Failure {
    match error {
        DiscoveryError::NotJson { place, error: inner, text } => {
            let how = if inner.kind.is_limit() { "too much to read" } else { "not JSON" };
            let message = format!("the card is {how}: {}", inner.kind);
            let mut diagnostic = Diagnostic::at_offset(place, text, inner.offset, message);
            diagnostic.help = help.map(str::to_owned);
            Failure::diagnostic(Exit::Target, &diagnostic)
        }
        DiscoveryError::NoCard { tried, .. } => {
            Failure::listing(Exit::Target, "there is no agent card at any of its places", tried, help)
        }
        // The agent is not to blame for what this machine lacks.
        other => match machine::help(&other.to_string()) {
            Some(help) => Failure::new(Exit::Broken, &other.to_string(), Some(help)),
            None => Failure::new(Exit::Target, &other.to_string(), help),
        },
    }
}

fn help_to_discover(error: &DiscoveryError) -> Option<String> {
    match error {
        DiscoveryError::Unreachable { remedy, .. } | DiscoveryError::NoCard { remedy, .. } => Some(remedy.to_string()),
        DiscoveryError::File { .. } | DiscoveryError::Client(_) => None,
        DiscoveryError::NotJson { .. } | DiscoveryError::NotAnObject { .. } | DiscoveryError::TooLarge { .. } => {
            Some(Remedy::NameCard.to_string())
        }
    }
}

fn help_to_match(error: &NothingMatches) -> String {
    match error {
        NothingMatches::Pattern { near: Some(near), .. } => format!("did you mean {near}?"),
        NothingMatches::Pattern { near: None, .. } => {
            "`a2aspec list` prints all cases, `a2aspec list --requirements` all requirements; `*` matches any characters".to_owned()
        }
        NothingMatches::NoArea { near, all, .. } if near.is_empty() => format!("there are {}", list(all)),
        NothingMatches::NoArea { near, .. } => format!("did you mean {}?", near.join(", ")),
        NothingMatches::Together => {
            "`a2aspec list` takes --only, --area and --level, too, and prints what they select".to_owned()
        }
        NothingMatches::Level { .. } => "`a2aspec list --level LEVEL` lists the cases of a level".to_owned(),
        NothingMatches::IdleArea { .. } => "`a2aspec list` shows for which versions its cases are".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Suite;

    fn failure(url: &str) -> Failure {
        Failure::from(Suite::builder(url).validate().err().unwrap())
    }

    #[test]
    fn a_url_without_scheme_is_mended_in_the_help() {
        for text in ["localhost:8080", "agent.example", "127.0.0.1:9"] {
            let failure = failure(text);
            assert!(failure.text.contains("has no scheme"), "{}", failure.text);
            assert!(failure.text.contains(&format!("http://{text}")), "{}", failure.text);
        }
    }

    #[test]
    fn a_foreign_scheme_is_named() {
        assert!(failure("ftp://agent.example").text.contains("has the scheme \"ftp\""));
        assert!(Suite::builder("https://agent.example/a").validate().is_ok());
    }
}
