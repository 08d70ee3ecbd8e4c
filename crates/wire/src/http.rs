//! Values of HTTP header fields, and what statuses say (RFC 9110).

use std::fmt;
use std::time::Duration;

/// A media type with its parameters (RFC 9110 section 8.3.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaType {
    /// The type, in lower case: names are compared without case.
    pub main: String,
    /// The subtype, in lower case.
    pub sub: String,
    /// The parameters in order: names in lower case, values as meant, without quotes and backslashes.
    pub parameters: Vec<(String, String)>,
}

impl MediaType {
    /// Reads the value of a `Content-Type` field; `None` if it does not follow the grammar. White space around the
    /// value is no part of it (section 5.5), and a parameter may be left empty: `text/plain;` is a media type.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim_matches(is_space);
        let (main, rest) = token(text)?;
        let (sub, mut rest) = token(rest.strip_prefix('/')?)?;
        let mut parameters = Vec::new();
        loop {
            rest = rest.trim_start_matches(is_space);
            if rest.is_empty() {
                return Some(Self { main: main.to_ascii_lowercase(), sub: sub.to_ascii_lowercase(), parameters });
            }
            rest = rest.strip_prefix(';')?.trim_start_matches(is_space);
            if rest.is_empty() || rest.starts_with(';') {
                continue;
            }
            let (name, after) = token(rest)?;
            let after = after.strip_prefix('=')?;
            let (value, after) = match after.strip_prefix('"') {
                Some(quoted) => quoted_string(quoted)?,
                None => token(after).map(|(value, after)| (value.to_owned(), after))?,
            };
            parameters.push((name.to_ascii_lowercase(), value));
            rest = after;
        }
    }

    /// Type and subtype: `application/json`.
    #[must_use]
    pub fn essence(&self) -> String {
        format!("{}/{}", self.main, self.sub)
    }

    /// The first parameter of that name, which must be given in lower case.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let (_, value) = self.parameters.iter().find(|(own, _)| own == name)?;
        Some(value)
    }
}

impl fmt::Display for MediaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.main, self.sub)?;
        for (name, value) in &self.parameters {
            if !value.is_empty() && value.chars().all(is_token) {
                write!(f, "; {name}={value}")?;
            } else {
                let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
                write!(f, "; {name}=\"{escaped}\"")?;
            }
        }
        Ok(())
    }
}

/// The delay that a `Retry-After` field asks for in seconds (RFC 9110 section 10.2.3). `None` for a date, for which
/// one would need a clock, and for anything else.
#[must_use]
pub fn retry_after(text: &str) -> Option<Duration> {
    let digits = text.trim_matches(is_space);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(Duration::from_secs(digits.parse().unwrap_or(u64::MAX)))
}

/// OWS of section 5.6.3.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// tchar of section 5.6.2.
fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

pub(super) fn token(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c| !is_token(c)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// Section 5.6.4, after the opening quote.
fn quoted_string(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.chars();
    loop {
        match chars.next()? {
            '"' => return Some((value, chars.as_str())),
            '\\' => value.push(chars.next().filter(|c| is_text(*c))?),
            c if is_text(c) => value.push(c),
            _ => return None,
        }
    }
}

/// HTAB, SP, VCHAR and obs-text.
fn is_text(c: char) -> bool {
    c == '\t' || (c >= ' ' && c != '\x7F')
}

/// What can stand before a server: a gateway, or a check of credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Barrier {
    /// The client is not let in (RFC 9110 sections 15.5.2, 15.5.4 and 15.5.8; A2A 1.0 section 3.3.2, 0.3 section 4.4).
    Credentials,
    /// There is too much to do, or nobody behind the gateway (RFC 6585 section 4, RFC 9110 sections 15.6.3 to 15.6.5).
    Unavailable,
}

/// What an HTTP status says of that.
pub fn barrier(status: u16) -> Option<Barrier> {
    match status {
        401 | 403 | 407 => Some(Barrier::Credentials),
        429 | 502..=504 => Some(Barrier::Unavailable),
        _ => None,
    }
}

/// Whether a server may answer so without asking the agent behind it: a [`barrier`], or a request whose body, address or head is too
/// large (RFC 9110 sections 15.5.14 and 15.5.15, RFC 6585 section 5).
pub fn is_before_the_agent(status: u16) -> bool {
    barrier(status).is_some() || matches!(status, 413 | 414 | 431)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_media_types() {
        let spaced = MediaType::parse("\ta/b\t;\tc=\"d\\\\e\"").unwrap();
        assert_eq!(spaced.parameter("c"), Some("d\\e"));
        assert_eq!(spaced.to_string(), "a/b; c=\"d\\\\e\"");
        let media = MediaType::parse(" Text/HTML ;Charset=\"utf-8\" ; q=\"a\\\"b\";; ").unwrap();
        assert_eq!(media.essence(), "text/html");
        assert_eq!(media.parameter("charset"), Some("utf-8"));
        assert_eq!(media.parameter("q"), Some("a\"b"));
        assert_eq!(media.to_string(), "text/html; charset=utf-8; q=\"a\\\"b\"");
        assert_eq!(MediaType::parse("application/a2a+json").unwrap().sub, "a2a+json");
        assert_eq!(MediaType::parse("text/event-stream;").unwrap().parameters, []);
        assert_eq!(MediaType::parse("a/b;c=\"\"").unwrap().to_string(), "a/b; c=\"\"");
    }

    #[test]
    fn refuses_what_is_no_media_type() {
        for text in [
            "",
            "x bogus",
            "text",
            "text/",
            "/html",
            "text /html",
            "text/ html",
            "a/b c",
            "a/b;c",
            "a/b;c =d",
            "a/b;c= d",
            "a/b;c=",
            "a/b;c=\"",
            "a/b;c=\"\\",
            "a/b;c=\"\n\"",
            "a/b;c=\"\\\n\"",
            "a/b,c/d",
            "a/b;c=\"d\"e",
        ] {
            assert_eq!(MediaType::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn reads_delays() {
        assert_eq!(retry_after(" 120 "), Some(Duration::from_secs(120)));
        assert_eq!(retry_after("99999999999999999999999"), Some(Duration::from_secs(u64::MAX)));
        for text in ["", "-1", "+1", "1.5", "1 2", "Fri, 31 Dec 1999 23:59:59 GMT"] {
            assert_eq!(retry_after(text), None, "{text:?}");
        }
    }
}
