//! Credentials as the user gives them: by their values, or by where these come from.

use std::io::Read as _;

use super::config::Config;
use super::fail::Failure;
use super::{Exit, line};
use crate::auth::Header;
use crate::auth::given::{check_name, why_unusable};

/// The longest value of a header that is read from a file, in bytes: far more than servers take.
const LONGEST_VALUE: u64 = 64 << 10;

/// What the user gives, read from wherever it is.
pub(super) struct Credentials {
    /// Headers, each name once.
    pub headers: Vec<Header>,
    /// The bearer token.
    pub bearer: Option<String>,
    /// The flags that give the same again. Values that only the user has are `***`.
    pub flags: Vec<String>,
}

impl Credentials {
    /// Reads them from flags and from the file; the former win.
    pub fn read(flags: &[String], bearer: Option<&str>, config: &Config) -> Result<Self, Failure> {
        let mut said: Vec<Header> = config.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let mut shown = Vec::new();
        for flag in flags {
            let Some((name, value)) = flag.split_once(':') else {
                let help = "write it as 'Name: value', 'Name: env:VARIABLE', 'Name: file:PATH' or 'Name: command:LINE'";
                return Err(Failure::new(Exit::Usage, "what --header gives has no colon", Some(help)));
            };
            let (name, value) = (name.trim(), value.trim());
            said.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
            said.push((name.to_owned(), value.to_owned()));
            shown.extend(["--header".to_owned(), format!("{name}: {}", shown_as(value))]);
        }
        for (name, value) in &mut said {
            check_name(name).map_err(|error| Failure::usage(error.to_string()))?;
            *value = read_value(&format!("the value of the header {name:?}"), value)?;
        }
        if let Some(bearer) = bearer {
            shown.extend(["--bearer".to_owned(), bearer.to_owned()]);
        }
        let bearer = bearer.or(config.bearer.as_deref()).map(read_bearer).transpose()?;
        Ok(Self { headers: said, bearer, flags: shown })
    }
}

fn read_bearer(source: &str) -> Result<String, Failure> {
    if Source::of(source).is_none() {
        let help = "write --bearer env:NAME, file:PATH or command:LINE, so that the token stands in no shell history";
        return Err(Failure::new(
            Exit::Usage,
            "a bearer token comes from the environment, a file or a command",
            Some(help),
        ));
    }
    read_value("the bearer token, which the header \"Authorization\" carries,", source)
}

/// Whether a text says where a value comes from, instead of being it.
pub(super) fn is_a_place(text: &str) -> bool {
    Source::of(text).is_some()
}

/// The line of the shell whose output is the value, if a text names one.
pub(super) fn command_of(text: &str) -> Option<&str> {
    match Source::of(text) {
        Some(Source::Command(line)) => Some(line),
        _ => None,
    }
}

/// How a value may be shown: where it comes from, and never itself.
pub(super) fn shown_as(text: &str) -> &str {
    if is_a_place(text) { text } else { "***" }
}

/// Where a value comes from that does not stand there itself.
enum Source<'a> {
    Variable(&'a str),
    File(&'a str),
    /// What a line of the shell prints.
    Command(&'a str),
}

impl<'a> Source<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let variable = text.strip_prefix("env:").map(|name| Self::Variable(name.trim()));
        let file = || text.strip_prefix("file:").map(|path| Self::File(path.trim()));
        let command = || text.strip_prefix("command:").map(|line| Self::Command(line.trim()));
        variable.or_else(file).or_else(command)
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
                Ok(without_end(&text).to_owned())
            }
            Self::Command(line) => printed_by(line),
        }
    }

    fn help(&self) -> &'static str {
        match self {
            Self::Variable(_) => "set the variable to the value alone, on one line, or name another with env:NAME",
            Self::File(_) => "write the value alone into the file, on one line, or name another with file:PATH",
            Self::Command(_) => "let the command print the value alone, on one line, and succeed",
        }
    }
}

impl std::fmt::Display for Source<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "the environment variable {name}"),
            Self::File(path) => write!(f, "the file {path}"),
            Self::Command(line) => write!(f, "the command `{line}`"),
        }
    }
}

/// What a line of the shell prints. It may ask a person on the terminal, such as for the password of a key store.
fn printed_by(line: &str) -> Result<String, String> {
    let mut command = line::command(line);
    command.stdin(std::process::Stdio::inherit()).stderr(std::process::Stdio::inherit());
    let output = command.output().map_err(|error| format!("cannot be run: {error}"))?;
    if !output.status.success() {
        return Err(format!("fails ({})", output.status));
    }
    let text = String::from_utf8(output.stdout).map_err(|_| "prints no text in UTF-8".to_owned())?;
    match without_end(&text) {
        "" => Err("prints nothing".to_owned()),
        text => Ok(text.to_owned()),
    }
}

/// A line without what ends it.
fn without_end(text: &str) -> &str {
    let line = text.strip_suffix('\n').unwrap_or(text);
    line.strip_suffix('\r').unwrap_or(line)
}

/// The value of a header, from where the user says. No message shows it.
pub(super) fn read_value(what: &str, said: &str) -> Result<String, Failure> {
    let Some(source) = Source::of(said) else {
        return match why_unusable(said) {
            None => Ok(said.to_owned()),
            Some(why) => {
                let help = "write it as 'Name: value', 'Name: env:VARIABLE', 'Name: file:PATH' or 'Name: command:LINE'";
                Err(Failure::new(Exit::Usage, &format!("{what} {why}"), Some(help)))
            }
        };
    };
    if let Source::Variable("") | Source::File("") | Source::Command("") = source {
        let message = format!("{what} is {said:?}, which names nothing");
        return Err(Failure::new(Exit::Usage, &message, Some("write env:NAME, file:PATH or command:LINE")));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(flags: &[&str]) -> Result<Credentials, Failure> {
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        Credentials::read(&flags, None, &Config::default())
    }

    #[test]
    fn a_later_header_replaces_one_of_its_name() {
        assert_eq!(read(&["X-Key: one", "x-key: two"]).unwrap().headers, [("x-key".to_owned(), "two".to_owned())]);
    }

    #[test]
    fn a_command_prints_the_value() {
        assert_eq!(read(&["X-Key: command:echo s3cr3t"]).unwrap().headers, [("X-Key".to_owned(), "s3cr3t".to_owned())]);
        assert_eq!(read(&["X-Key: command:echo a"]).unwrap().flags, ["--header", "X-Key: command:echo a"]);
        for (line, wanted) in
            [("exit 3", "which fails (exit"), ("cd .", "which prints nothing"), ("", "which names nothing")]
        {
            let failure = read(&[&format!("X-Key: command:{line}")]).map(|_| ()).unwrap_err();
            assert!(failure.text.contains(wanted), "{}", failure.text);
        }
    }

    #[test]
    fn no_text_shows_the_value() {
        assert_eq!(read(&["X-Key: s3cr3t"]).unwrap().flags, ["--header", "X-Key: ***"]);
        for value in ["s3cr3t\u{1}", "s3cr3t\nX-Other: x"] {
            let failure = read(&[&format!("X-Key: {value}")]).map(|_| ()).unwrap_err();
            assert!(failure.text.contains("\"X-Key\"") && !failure.text.contains("s3cr3t"), "{}", failure.text);
        }
    }
}
