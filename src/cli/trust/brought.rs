//! The credentials that a run uses: those of the settings file, and whether flags bring others.

use std::collections::BTreeSet;

use crate::cli::args::TargetArgs;
use crate::cli::config::{Config, IdentityEntry};

/// A credential of the settings file that a run uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Brought<'a> {
    /// What it is, such as `the bearer token`.
    pub what: String,
    /// Its text in the file: a value, or the place that it comes from. A certificate, and an issuer without a secret, have none.
    pub text: Option<&'a str>,
}

impl<'a> Brought<'a> {
    fn new(what: String, text: &'a str) -> Self {
        Self { what, text: Some(text) }
    }
}

/// The credentials of the file that this run uses: those that no flag replaces, and those of identities that have a part in it.
pub(super) fn of_file<'a>(args: &TargetArgs, config: &'a Config) -> Vec<Brought<'a>> {
    let is_replaced = |name: &str| {
        let named = args.header.iter().filter_map(|flag| flag.split_once(':'));
        named.into_iter().any(|(flag, _)| flag.trim().eq_ignore_ascii_case(name))
    };
    let headers = config.headers.iter().filter(|(name, _)| !is_replaced(name));
    let mut all: Vec<Brought<'a>> =
        headers.map(|(name, value)| Brought::new(format!("the header {name:?}"), value)).collect();
    if args.bearer.is_none() {
        all.extend(config.bearer.iter().map(|text| Brought::new("the bearer token".to_owned(), text)));
    }
    if args.cert.is_none() && config.cert.is_some() {
        all.push(Brought { what: "the certificate".to_owned(), text: None });
    }
    for (name, entry) in used(args, config) {
        of_identity(name, entry, &mut all);
    }
    all
}

/// Whether flags bring credentials.
pub(super) fn has_flags(args: &TargetArgs) -> bool {
    !args.header.is_empty() || args.bearer.is_some() || !args.identity.is_empty()
}

/// The identities of the file that have a part in the run.
pub(super) fn used<'a>(args: &TargetArgs, config: &'a Config) -> impl Iterator<Item = (&'a String, &'a IdentityEntry)> {
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
