//! Credentials as the user gives them, by their values or by where these come from, and where they may go.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use url::Url;

use super::Exit;
use super::fail::Failure;
use crate::auth::{Credentials, Header, Identity, Origin, Userinfo, origin, userinfo};
use crate::discovery::config::Config;

/// The longest value of a header that is read from a file, in bytes: far more than servers take.
const LONGEST_VALUE: u64 = 64 << 10;

/// What opens the extended card of the agent that the suite brings along.
const OWN_TOKEN: &str = "Bearer reference";

/// What the user gave, whichever agent turns out to be checked.
#[derive(Default)]
pub(super) struct Given {
    headers: Vec<Header>,
    /// From the agent's URL.
    of_agent: Option<Userinfo>,
    /// From the other URLs that the user gave, with these.
    of_others: Vec<(String, Userinfo)>,
    /// The origins that the user named or allowed beside the agent's.
    origins: Vec<Origin>,
    /// What must not be shown.
    secrets: Vec<String>,
    /// The flags that give the same again, without any secret.
    flags: Vec<String>,
}

/// Without the values, which are secrets.
impl std::fmt::Debug for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Given").field("flags", &self.flags).field("origins", &self.origins).finish_non_exhaustive()
    }
}

impl Given {
    /// Reads headers from flags and from the file; the former win.
    pub fn read(flags: &[String], bearer: Option<&str>, config: &Config) -> Result<Self, Failure> {
        let mut given = Self::default();
        let mut said: Vec<Header> = config.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        for flag in flags {
            let Some((name, value)) = flag.split_once(':') else {
                let help = "write it as 'Name: value', 'Name: env:VARIABLE' or 'Name: file:PATH'";
                return Err(Failure::new(Exit::Usage, "what --header gives has no colon", Some(help)));
            };
            let (name, value) = (name.trim(), value.trim());
            said.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
            said.push((name.to_owned(), value.to_owned()));
            let shown = if Source::of(value).is_some() { value } else { "***" };
            given.flags.extend(["--header".to_owned(), format!("{name}: {shown}")]);
        }
        for (name, value) in said {
            if reqwest::header::HeaderName::from_bytes(name.as_bytes()).is_err() {
                return Err(Failure::usage(format!("{name:?} cannot be the name of an HTTP header")));
            }
            let value = read_value(&format!("the value of the header {name:?}"), &value)?;
            given.secrets.extend(secrets_of(&value));
            given.headers.push((name, value));
        }
        if let Some(bearer) = bearer {
            given.flags.extend(["--bearer".to_owned(), bearer.to_owned()]);
        }
        if let Some(source) = bearer.or(config.bearer.as_deref()) {
            if Source::of(source).is_none() {
                let help =
                    "write --bearer env:NAME or --bearer file:PATH, so that the token stands in no shell history";
                return Err(Failure::new(
                    Exit::Usage,
                    "a bearer token comes from the environment or a file",
                    Some(help),
                ));
            }
            let token = read_value("the bearer token, which the header \"Authorization\" carries,", source)?;
            given.headers.retain(|(known, _)| !known.eq_ignore_ascii_case("authorization"));
            given.headers.push(("authorization".to_owned(), format!("Bearer {token}")));
            given.secrets.push(token);
        }
        Ok(given)
    }

    /// Takes the credentials in the agent's URL.
    pub fn add_agent(&mut self, userinfo: Option<Userinfo>) {
        self.secrets.extend(userinfo.iter().flat_map(Userinfo::secrets));
        self.of_agent = userinfo;
    }

    /// Takes those in another URL that the user gave.
    pub fn add_other(&mut self, url: &str, userinfo: Option<Userinfo>) {
        self.secrets.extend(userinfo.iter().flat_map(Userinfo::secrets));
        self.of_others.extend(userinfo.map(|userinfo| (url.to_owned(), userinfo)));
    }

    /// Credentials may go to the origin of this URL, too.
    pub fn trust(&mut self, url: &str) {
        self.origins.extend(origin::of(url));
    }

    /// Credentials may go to this origin, too.
    pub fn allow(&mut self, text: &str) -> Result<(), Failure> {
        let origin = origin::parse(text).map_err(|why| {
            let (text, _) = userinfo::split(text);
            let help = "write scheme, host and port, as in https://agent.example:8443";
            Failure::new(Exit::Usage, &format!("the origin {text:?} {why}"), Some(help))
        })?;
        self.origins.push(origin);
        Ok(())
    }

    /// What must not be shown.
    pub fn secrets(&self) -> Vec<String> {
        self.secrets.clone()
    }

    /// The flags that give the same headers again. Values that only the user has are `***`.
    pub fn flags(&self) -> &[String] {
        &self.flags
    }

    /// What goes where when the agent at this URL is checked; `is_own` if it is the one that the suite brings along.
    pub fn for_agent(&self, url: &Url, is_own: bool) -> Credentials {
        let mut trusted: Vec<Origin> = Vec::new();
        for origin in origin::of(url.as_str()).into_iter().chain(self.origins.iter().cloned()) {
            if !trusted.contains(&origin) {
                trusted.push(origin);
            }
        }
        let own = Identity::at(url.as_str(), OWN_TOKEN.to_owned()).filter(|_| is_own);
        let headers = Identity::new(self.headers.clone(), trusted.clone());
        let others = self.of_others.iter().filter_map(|(url, userinfo)| Identity::at(url, userinfo.authorization()));
        let of_agent = self.of_agent.as_ref().map(|userinfo| {
            Identity::new(vec![("authorization".to_owned(), userinfo.authorization())], trusted.clone())
        });
        let given = own.into_iter().chain([headers]).chain(others).chain(of_agent).collect();
        Credentials::new(trusted, given)
    }
}

/// Where a value comes from that does not stand there itself.
enum Source<'a> {
    Variable(&'a str),
    File(&'a str),
}

impl<'a> Source<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let variable = text.strip_prefix("env:").map(|name| Self::Variable(name.trim()));
        variable.or_else(|| text.strip_prefix("file:").map(|path| Self::File(path.trim())))
    }

    fn read(&self) -> Result<String, String> {
        match self {
            Self::Variable(name) => std::env::var(name).map_err(|error| match error {
                std::env::VarError::NotPresent => "is not set".to_owned(),
                std::env::VarError::NotUnicode(_) => "is not text in UTF-8".to_owned(),
            }),
            Self::File(path) => {
                let mut text = String::new();
                let file = std::fs::File::open(path);
                let read = file.and_then(|file| file.take(LONGEST_VALUE + 1).read_to_string(&mut text));
                read.map_err(|error| format!("cannot be read: {error}"))?;
                if text.len() as u64 > LONGEST_VALUE {
                    return Err(format!("is larger than {} KiB", LONGEST_VALUE >> 10));
                }
                let line = text.strip_suffix('\n').unwrap_or(&text);
                Ok(line.strip_suffix('\r').unwrap_or(line).to_owned())
            }
        }
    }

    fn help(&self) -> &'static str {
        match self {
            Self::Variable(_) => "set the variable to the value alone, on one line, or name another with env:NAME",
            Self::File(_) => "write the value alone into the file, on one line, or name another with file:PATH",
        }
    }
}

impl std::fmt::Display for Source<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "the environment variable {name}"),
            Self::File(path) => write!(f, "the file {path}"),
        }
    }
}

/// The value of a header, from where the user says. No message shows it.
fn read_value(what: &str, said: &str) -> Result<String, Failure> {
    let Some(source) = Source::of(said) else {
        return match why_unusable(said) {
            None => Ok(said.to_owned()),
            Some(why) => {
                let help = "write it as 'Name: value', 'Name: env:VARIABLE' or 'Name: file:PATH'";
                Err(Failure::new(Exit::Usage, &format!("{what} {why}"), Some(help)))
            }
        };
    };
    if let Source::Variable("") | Source::File("") = source {
        let message = format!("{what} is {said:?}, which names nothing");
        return Err(Failure::new(Exit::Usage, &message, Some("write env:NAME or file:PATH")));
    }
    let value = source.read().and_then(|value| match why_unusable(&value) {
        None => Ok(value),
        Some(why) => Err(why.to_owned()),
    });
    value.map_err(|why| {
        let message = format!("{what} comes from {source}, which {why}");
        Failure::new(Exit::Usage, &message, Some(source.help()))
    })
}

fn why_unusable(value: &str) -> Option<&'static str> {
    if value.trim().is_empty() {
        Some("is empty")
    } else if value.contains(['\n', '\r']) {
        Some("has a line feed in it")
    } else if reqwest::header::HeaderValue::from_str(value).is_err() {
        Some("has characters that cannot be sent in a header of HTTP")
    } else {
        None
    }
}

/// What must not be shown of a value: all of it, the bare token of `Bearer x`, and what `Basic x` encodes.
fn secrets_of(value: &str) -> Vec<String> {
    let mut secrets = vec![value.to_owned()];
    if let Some((scheme, token)) = value.split_once(' ') {
        let token = token.trim();
        secrets.push(token.to_owned());
        let pair = STANDARD.decode(token).ok().filter(|_| scheme.eq_ignore_ascii_case("basic"));
        if let Some(pair) = pair.and_then(|pair| String::from_utf8(pair).ok()) {
            secrets.extend(pair.split_once(':').map(|(_, password)| password.to_owned()));
            secrets.push(pair);
        }
    }
    secrets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(flags: &[&str]) -> Result<Given, Failure> {
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        Given::read(&flags, None, &Config::default())
    }

    #[test]
    fn a_basic_pair_is_secret_in_all_its_forms() {
        let secrets = given(&["Authorization: Basic dXNlcjpwNHNzdzByZA=="]).unwrap().secrets();
        assert_eq!(secrets, ["Basic dXNlcjpwNHNzdzByZA==", "dXNlcjpwNHNzdzByZA==", "p4ssw0rd", "user:p4ssw0rd"]);
    }

    #[test]
    fn a_later_header_replaces_one_of_its_name() {
        let given = given(&["X-Key: one", "x-key: two"]).unwrap();
        assert_eq!(given.headers, [("x-key".to_owned(), "two".to_owned())]);
    }

    #[test]
    fn the_own_agent_gets_its_token_and_no_other_does() {
        let url = Url::parse("http://127.0.0.1:1/").unwrap();
        let sent = |is_own: bool, at: &str| given(&["X-Key: k"]).unwrap().for_agent(&url, is_own).headers_for(at).len();
        assert_eq!(sent(true, "http://127.0.0.1:1/1.0"), 2);
        assert_eq!(sent(false, "http://127.0.0.1:1/1.0"), 1);
        assert_eq!(sent(true, "http://127.0.0.1:2/1.0"), 0);
    }

    #[test]
    fn no_message_shows_the_value() {
        assert!(!format!("{:?}", given(&["X-Key: s3cr3t"]).unwrap()).contains("s3cr3t"));
        for value in ["s3cr3t\u{1}", "s3cr3t\nX-Other: x"] {
            let failure = given(&[&format!("X-Key: {value}")]).unwrap_err();
            assert!(failure.text.contains("\"X-Key\"") && !failure.text.contains("s3cr3t"), "{}", failure.text);
        }
    }
}
