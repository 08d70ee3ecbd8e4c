//! The credentials of a settings file, and the commands among them.

use std::collections::BTreeSet;
use std::fmt;

use crate::cli::args::TargetArgs;
use crate::cli::config::{Config, IdentityEntry};
use crate::cli::credentials::command_of;

/// A credential of a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Brought<'a> {
    /// What it is, such as `the bearer token`.
    pub what: String,
    /// Its text in the file: a value, or the place that it comes from. A certificate, and an issuer without a secret, have none.
    pub text: Option<&'a str>,
}

/// A line of the shell that a settings file has a run execute.
pub(super) struct Command<'a> {
    line: &'a str,
    /// What it is for: the credential that its output is, or what it does.
    what: String,
}

impl fmt::Display for Command<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "runs the command `{}` for {}", self.line, self.what)
    }
}

impl<'a> Brought<'a> {
    fn new(what: String, text: &'a str) -> Self {
        Self { what, text: Some(text) }
    }
}

/// The commands among credentials.
pub(super) fn commands(all: Vec<Brought<'_>>) -> Vec<Command<'_>> {
    all.into_iter().filter_map(|Brought { what, text }| Some(Command { line: command_of(text?)?, what })).collect()
}

/// The command that restarts the agent.
pub(super) fn restart(config: &Config) -> Option<Command<'_>> {
    config.restart_command.as_deref().map(|line| Command { line, what: "restarts of the agent".to_owned() })
}

/// All credentials of a file.
pub(super) fn of_file(config: &Config) -> Vec<Brought<'_>> {
    let mut all: Vec<Brought<'_>> = config.headers.iter().map(of_header).collect();
    all.extend(config.bearer.iter().map(|text| Brought::new("the bearer token".to_owned(), text)));
    if config.cert.is_some() {
        all.push(Brought { what: "the certificate".to_owned(), text: None });
    }
    config.identities.iter().for_each(|(name, entry)| of_identity(name, entry, &mut all));
    all
}

/// The credentials of the file that a run uses: those that no flag replaces, and those of identities that have a part in it.
pub(super) fn of_run<'a>(args: &TargetArgs, config: &'a Config) -> Vec<Brought<'a>> {
    let is_replaced = |name: &str| {
        let named = args.header.iter().filter_map(|flag| flag.split_once(':'));
        named.into_iter().any(|(flag, _)| flag.trim().eq_ignore_ascii_case(name))
    };
    let headers = config.headers.iter().filter(|(name, _)| !is_replaced(name));
    let mut all: Vec<Brought<'a>> = headers.map(of_header).collect();
    if args.bearer.is_none() {
        all.extend(config.bearer.iter().map(|text| Brought::new("the bearer token".to_owned(), text)));
    }
    if args.certificates.cert.is_none() && config.cert.is_some() {
        all.push(Brought { what: "the certificate".to_owned(), text: None });
    }
    identities(args, config).for_each(|(name, entry)| of_identity(name, entry, &mut all));
    all
}

fn of_header<'a>((name, value): (&String, &'a String)) -> Brought<'a> {
    Brought::new(format!("the header {name:?}"), value)
}

/// The identities of the file that have a part in the run.
pub(super) fn identities<'a>(
    args: &TargetArgs,
    config: &'a Config,
) -> impl Iterator<Item = (&'a String, &'a IdentityEntry)> {
    let of_flags: BTreeSet<String> =
        args.identity.iter().filter_map(|flag| Some(flag.split_once('=')?.0.to_owned())).collect();
    let named = [args.as_identity.as_ref().or(config.r#as.as_ref()), args.other.as_ref().or(config.other.as_ref())];
    let named = named.map(|name| name.cloned());
    let has_part = move |(name, entry): &(&String, &IdentityEntry)| {
        entry.role.is_some() || named.iter().flatten().any(|named| named == *name)
    };
    config.identities.iter().filter(move |(name, _)| !of_flags.contains(*name)).filter(has_part)
}

fn of_identity<'a>(name: &str, entry: &'a IdentityEntry, all: &mut Vec<Brought<'a>>) {
    let of = |what: &str| format!("{what} of the identity `{name}`");
    for (kind, values) in [("header", &entry.headers), ("cookie", &entry.cookies), ("parameter", &entry.query)] {
        all.extend(values.iter().map(|(key, value)| Brought::new(of(&format!("the {kind} {key:?}")), value)));
    }
    all.extend(entry.bearer.iter().map(|text| Brought::new(of("the bearer token"), text)));
    all.extend(entry.basic.iter().map(|text| Brought::new(of("the password"), text)));
    if entry.cert.is_some() {
        all.push(Brought { what: of("the certificate"), text: None });
    }
    if let Some(oauth) = &entry.oauth {
        all.push(Brought { what: of("the client secret"), text: oauth.client_secret.as_deref() });
    }
}
