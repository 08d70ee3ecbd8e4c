//! Identities as the user gives them: who checks, and who has no right to what that one has.

use std::collections::BTreeMap;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize as _;
use serde::de::value::StrDeserializer;

use super::Exit;
use super::args::TargetArgs;
use super::config::{Config, IdentityEntry, Role};
use super::credentials::{is_a_place, read_value, shown_as};
use super::fail::Failure;
use super::oauth::OAuth;
use crate::auth::given::check_name;
use crate::auth::{Caller, Header, Parameter};
use crate::diagnostic::near;

/// How an identity is written on the command line.
const FORMS: &str = "write NAME=bearer:env:VARIABLE, NAME=basic:env:VARIABLE, 'NAME=Header: env:VARIABLE', 'NAME=cookie KEY: env:VARIABLE' \
     or 'NAME=query KEY: env:VARIABLE'; file:PATH and command:LINE do, too";

/// What an identity brings along.
#[derive(Default)]
pub(super) struct Brings {
    /// Its headers.
    pub headers: Vec<Header>,
    /// Its cookies.
    pub cookies: Vec<(String, String)>,
    /// Its parameters in the query of requests over HTTP.
    pub query: Vec<Parameter>,
    /// The files of its certificate and of the key.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// How it gets a bearer token.
    pub oauth: Option<OAuth>,
}

/// The identities that are used, read from wherever they are.
#[derive(Default)]
pub(super) struct Identities {
    /// What each caller brings.
    pub callers: BTreeMap<Caller, Brings>,
    /// The flags that give the same again. Values that only the user has are `***`.
    pub flags: Vec<String>,
}

impl Identities {
    /// Reads them from flags and from the file; the former win.
    pub fn read(args: &TargetArgs, config: &Config) -> Result<Self, Failure> {
        let mut known = config.identities.clone();
        let mut flags = Vec::new();
        let mut said = BTreeMap::<String, IdentityEntry>::new();
        for flag in &args.identity {
            let (name, shown) = add(&mut said, flag)?;
            flags.extend(["--identity".to_owned(), format!("{name}={shown}")]);
        }
        known.extend(said);
        for (flag, name) in [("--as", &args.as_identity), ("--other", &args.other)] {
            flags.extend(name.iter().flat_map(|name| [flag.to_owned(), name.clone()]));
        }
        let own = args.as_identity.as_ref().or(config.r#as.as_ref());
        let other = args.other.as_ref().or(config.other.as_ref());
        if own.is_some() && own == other {
            let message = format!(
                "the identity `{}` checks the agent, and cannot be the other one, too",
                own.map_or("", String::as_str)
            );
            return Err(Failure::new(Exit::Usage, &message, Some("name two identities of the agent")));
        }
        let mut names = BTreeMap::new();
        for (caller, name) in [(Caller::Own, own), (Caller::Other, other)] {
            let role = name.and_then(|name| known.get(name)?.role.map(|role| (name, role)));
            if let Some((name, role)) = role {
                let role = role.caller().name();
                let message =
                    format!("the identity `{name}` has the role {role}, which is not for the one that is let in");
                let help = "--as and --other name identities whose credentials the agent accepts";
                return Err(Failure::new(Exit::Usage, &message, Some(help)));
            }
            names.extend(name.map(|name| (caller, name)));
        }
        for (name, entry) in &known {
            let Some(role) = entry.role else { continue };
            if let Some(before) = names.insert(role.caller(), name) {
                let message =
                    format!("the identities `{before}` and `{name}` both have the role {}", role.caller().name());
                return Err(Failure::new(Exit::Usage, &message, Some("give each role to one identity")));
            }
        }
        let callers = names.into_iter().map(|(caller, name)| Ok((caller, brings(name, &known)?)));
        Ok(Self { callers: callers.collect::<Result<_, Failure>>()?, flags })
    }
}

/// Adds what a flag says: the name of the identity, and how the flag may be shown.
fn add(said: &mut BTreeMap<String, IdentityEntry>, flag: &str) -> Result<(String, String), Failure> {
    let wrong = |message: &str| Failure::new(Exit::Usage, message, Some(FORMS));
    let (name, what) = flag.split_once('=').ok_or_else(|| wrong("what --identity gives has no name"))?;
    let (kind, value) = what
        .split_once(':')
        .ok_or_else(|| wrong(&format!("the identity `{name}` has no credentials of a form that is known")))?;
    let (kind, value) = (kind.trim(), value.trim().to_owned());
    let entry = said.entry(name.to_owned()).or_default();
    let shown = shown_as(&value).to_owned();
    let shown = match kind {
        "role" => {
            entry.role = Some(role(name, &value)?);
            format!("role:{value}")
        }
        "bearer" => {
            entry.bearer = Some(value);
            format!("bearer:{shown}")
        }
        "basic" => {
            entry.basic = Some(value);
            format!("basic:{shown}")
        }
        other => {
            // No header has a space in its name.
            let (of_kind, key) = match other.split_once(' ') {
                Some(("cookie", key)) => (&mut entry.cookies, key.trim()),
                Some(("query", key)) => (&mut entry.query, key.trim()),
                _ => (&mut entry.headers, other),
            };
            of_kind.insert(key.to_owned(), value);
            format!("{other}: {shown}")
        }
    };
    Ok((name.to_owned(), shown))
}

/// The role of this name.
fn role(identity: &str, text: &str) -> Result<Role, Failure> {
    let role = Role::deserialize(StrDeserializer::<serde::de::value::Error>::new(text));
    role.map_err(|_| {
        let message = format!("the identity `{identity}` has the role {text:?}, which there is not");
        Failure::new(Exit::Usage, &message, Some("the roles are expired, wrong-audience and narrow"))
    })
}

/// What an identity brings along.
fn brings(name: &str, known: &BTreeMap<String, IdentityEntry>) -> Result<Brings, Failure> {
    let Some(entry) = known.get(name) else {
        let help = near::help(name, known.keys().map(String::as_str))
            .unwrap_or_else(|| format!("{FORMS}, or give [identities.{name}] in a2aspec.toml"));
        return Err(Failure::new(Exit::Usage, &format!("there is no identity `{name}`"), Some(&help)));
    };
    let of = |what: &str| format!("the {what} of the identity `{name}`");
    let place = |what: &str, text: &str| match is_a_place(text) {
        true => read_value(&of(what), text),
        false => {
            let message = format!("{} comes from the environment, a file or a command", of(what));
            Err(Failure::new(Exit::Usage, &message, Some("write env:NAME, file:PATH or command:LINE")))
        }
    };
    let mut headers = Vec::new();
    for (header, value) in &entry.headers {
        check_name(header).map_err(|error| Failure::usage(error.to_string()))?;
        headers.push((header.clone(), read_value(&of(&format!("header {header:?}")), value)?));
    }
    let keys = |kind: &str, keys: &BTreeMap<String, String>| {
        let read = |(key, value): (&String, &String)| {
            Ok::<_, Failure>((key.clone(), read_value(&of(&format!("{kind} {key:?}")), value)?))
        };
        keys.iter().map(read).collect::<Result<Vec<_>, _>>()
    };
    let certificate = match (&entry.cert, &entry.key) {
        (Some(cert), Some(key)) => Some((cert.clone(), key.clone())),
        (None, None) => None,
        _ => {
            let message = format!("`cert` and `key` of the identity `{name}` go together");
            return Err(Failure::new(Exit::Usage, &message, Some("a certificate is shown with its key")));
        }
    };
    let cookies = keys("cookie", &entry.cookies)?;
    let query = keys("parameter", &entry.query)?;
    let oauth = entry.oauth.as_ref().map(|entry| OAuth::read(name, entry)).transpose()?;
    if oauth.is_some() && entry.role == Some(Role::Expired) {
        let message = format!("the identity `{name}` has the role expired, and its issuer gives it good tokens");
        return Err(Failure::new(Exit::Usage, &message, Some("give the token that has expired as `bearer`")));
    }
    match (&entry.bearer, &entry.basic, &oauth) {
        (Some(_), Some(_), _) | (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => {
            let message = match oauth {
                None => {
                    format!("the identity `{name}` has a bearer token and a password, and HTTP carries one of them")
                }
                Some(_) => format!("the identity `{name}` has an issuer of tokens beside a token or a password"),
            };
            return Err(Failure::new(Exit::Usage, &message, Some("leave out one")));
        }
        (Some(bearer), None, None) => headers.push(authorization("Bearer", &place("bearer token", bearer)?)),
        (None, Some(basic), None) => {
            headers.push(authorization("Basic", &STANDARD.encode(place("user and password", basic)?)));
        }
        (None, None, None) if headers.is_empty() && cookies.is_empty() && query.is_empty() && certificate.is_none() => {
            return Err(Failure::new(Exit::Usage, &format!("the identity `{name}` has no credentials"), Some(FORMS)));
        }
        (None, None, _) => {}
    }
    Ok(Brings { headers, cookies, query, certificate, oauth })
}

/// What shows who asks, by one of the schemes of HTTP.
fn authorization(scheme: &str, value: &str) -> Header {
    ("authorization".to_owned(), format!("{scheme} {value}"))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::args::{Args, Command};

    fn read(flags: &[&str], config: &str) -> Result<Identities, String> {
        let args = Args::parse_from(["a2aspec", "check"].iter().chain(flags));
        let Command::Check(check) = args.command else { panic!("it is a check") };
        Identities::read(&check.target, &toml::from_str(config).unwrap()).map_err(|failure| failure.text)
    }

    #[test]
    fn identities_come_from_flags_and_from_the_file() {
        // What cargo sets for tests is as good as a secret.
        let place = "env:CARGO_PKG_NAME";
        let config = format!("as = 'ann'\n[identities.ann]\nbearer = '{place}'\n[identities.bob]\nbasic = '{place}'");
        let read_back = read(&["--other", "bob"], &config).unwrap();
        assert_eq!(read_back.callers[&Caller::Own].headers, [authorization("Bearer", "a2aspec")]);
        assert_eq!(read_back.callers[&Caller::Other].headers, [authorization("Basic", "YTJhc3BlYw==")]);
        assert_eq!(read_back.flags, ["--other", "bob"]);
        let flags = ["--identity", "bob=X-Key: s3cr3t", "--identity", "bob=X-Team: a", "--other", "bob"];
        let read_back = read(&flags, &config).unwrap();
        assert_eq!(
            read_back.callers[&Caller::Other].headers,
            [("X-Key".to_owned(), "s3cr3t".to_owned()), ("X-Team".to_owned(), "a".to_owned())]
        );
        assert!(!read_back.flags.concat().contains("s3cr3t"), "{:?}", read_back.flags);
        let flags = ["--identity", "eve=query key: s3cr3t", "--identity", "eve=cookie sid: s3cond", "--as", "eve"];
        let read_back = read(&flags, "").unwrap();
        assert_eq!(read_back.callers[&Caller::Own].query, [("key".to_owned(), "s3cr3t".to_owned())]);
        assert_eq!(read_back.callers[&Caller::Own].cookies, [("sid".to_owned(), "s3cond".to_owned())]);
        assert_eq!(read_back.flags.get(..2).unwrap(), ["--identity", "eve=query key: ***"]);
        let flags = ["--identity", "old=bearer:env:CARGO_PKG_NAME", "--identity", "old=role:expired"];
        let read_back = read(&flags, "").unwrap();
        assert_eq!(read_back.callers[&Caller::Expired].headers, [authorization("Bearer", "a2aspec")]);
        assert_eq!(read_back.flags, flags);
        // An identity that nobody uses is shown no more than one that is.
        let unused = read(&["--identity", "eve=bearer:s3cr3t", "--identity", "eve=basic:env:PAIR"], "").unwrap();
        assert_eq!(unused.flags, ["--identity", "eve=bearer:***", "--identity", "eve=basic:env:PAIR"]);
    }

    #[test]
    fn what_cannot_be_used_is_told_without_the_value() {
        let config = "[identities.ann]\nbearer = 's3cr3t'\n[identities.bob]\n[identities.eve]\nbearer = 'env:A'\nbasic = 'env:B'";
        for (flags, wanted) in [
            (&["--as", "anne"][..], "there is no identity `anne`"),
            (
                &["--as", "ann"],
                "the bearer token of the identity `ann` comes from the environment, a file or a command",
            ),
            (&["--other", "bob"], "the identity `bob` has no credentials"),
            (&["--other", "eve"], "has a bearer token and a password"),
            (&["--as", "bob", "--other", "bob"], "cannot be the other one, too"),
            (&["--identity", "bob"], "has no name"),
            (&["--identity", "bob=s3cr3t"], "no credentials of a form that is known"),
            (&["--identity", "bob=X Y: s3cr3t", "--as", "bob"], "\"X Y\" cannot be the name"),
            (&["--identity", "bob=role:old"], "the identity `bob` has the role \"old\", which there is not"),
            (&["--identity", "bob=role:narrow"], "the identity `bob` has no credentials"),
            (
                &["--identity", "bob=role:narrow", "--as", "bob"],
                "has the role narrow, which is not for the one that is let in",
            ),
            (
                &["--identity", "bob=role:narrow", "--identity", "cat=role:narrow"],
                "`bob` and `cat` both have the role narrow",
            ),
        ] {
            let error = read(flags, config).map(|_| ()).unwrap_err();
            assert!(error.contains(wanted) && !error.contains("s3cr3t"), "{flags:?}: {error}");
        }
    }
}
