//! `user:password@` in URLs (RFC 3986 section 3.2.1): credentials of the scheme Basic (RFC 7617), which have no place in a
//! URL that anyone gets to see.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use url::Url;

/// The user and the password of a URL, percent-encoded as they stand there.
#[derive(Clone, PartialEq, Eq)]
pub struct Userinfo {
    user: String,
    password: Option<String>,
}

/// Without the values, which are secrets.
impl fmt::Debug for Userinfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Userinfo")
    }
}

impl Userinfo {
    fn read(text: &str) -> Option<Self> {
        let (user, password) = match text.split_once(':') {
            Some((user, password)) => (user, Some(password.to_owned())),
            None => (text, None),
        };
        let is_something = !user.is_empty() || password.as_ref().is_some_and(|password| !password.is_empty());
        is_something.then(|| Self { user: user.to_owned(), password })
    }

    /// The value of `Authorization`.
    pub fn authorization(&self) -> String {
        let password = self.password.as_deref().unwrap_or_default();
        let pair: Vec<u8> =
            percent_decode_str(&self.user).chain([b':'].iter().copied()).chain(percent_decode_str(password)).collect();
        format!("Basic {}", STANDARD.encode(pair))
    }

    /// What must not be shown: the password and the pair, as they stand in the URL and decoded. A user without a password is
    /// a token, and as secret.
    pub fn secrets(&self) -> Vec<String> {
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let password = self.password.as_deref().filter(|password| !password.is_empty());
        let secret = password.unwrap_or(&self.user);
        let pair = format!("{}:{}", self.user, self.password.as_deref().unwrap_or_default());
        vec![secret.to_owned(), decoded(secret), decoded(&pair), pair]
    }
}

/// A URL, or `host:port`, without its userinfo, and that. All else keeps its spelling.
pub fn split(text: &str) -> (String, Option<Userinfo>) {
    let (before, after) = match text.find("://") {
        Some(at) => text.split_at(at + "://".len()),
        None => ("", text),
    };
    let (authority, rest) = after.split_at(after.find(['/', '?', '#', '\\']).unwrap_or(after.len()));
    if let Some((userinfo, host)) = authority.rsplit_once('@') {
        return (format!("{before}{host}{rest}"), Userinfo::read(userinfo));
    }
    // Readers of URLs forgive much, such as a missing slash, and find a user there that does not stand in its place.
    match Url::parse(text) {
        Ok(mut url) if !url.username().is_empty() || url.password().is_some() => {
            let found = Userinfo { user: url.username().to_owned(), password: url.password().map(str::to_owned) };
            let is_gone = url.set_username("").is_ok() && url.set_password(None).is_ok();
            (if is_gone { url.to_string() } else { String::new() }, Some(found))
        }
        _ => (text.to_owned(), None),
    }
}

/// A text without the userinfo of any URL in it.
pub fn hidden(text: &str) -> String {
    let mut parts = text.split("://");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| c.is_whitespace() || "/?#\\\"'<>".contains(c)).unwrap_or(part.len());
        let (authority, rest) = part.split_at(end);
        out.push_str("://");
        match authority.rsplit_once('@') {
            Some((_, host)) => out.push_str(&format!("***@{host}")),
            None => out.push_str(authority),
        }
        out.push_str(rest);
    }
    out
}

/// What must not be shown of the query of a URL that only the user has: tunnels and functions of clouds are opened by keys that
/// stand there, under names of all kinds.
pub fn secrets_of_query(url: &Url) -> Vec<String> {
    let members = url.query().unwrap_or_default().split('&');
    let values = members.map(|member| member.split_once('=').map_or(member, |(_, value)| value));
    let decoded = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    values.flat_map(|value| [value.to_owned(), decoded(value)]).collect()
}

/// What must not be shown of the URLs in a card.
pub fn secrets_in(value: &serde_json::Value) -> Vec<String> {
    use serde_json::Value;
    match value {
        Value::String(text) if text.contains("://") => {
            split(text).1.map(|userinfo| userinfo.secrets()).unwrap_or_default()
        }
        Value::Array(items) => items.iter().flat_map(secrets_in).collect(),
        Value::Object(members) => members.values().flat_map(secrets_in).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_told_from_its_userinfo() {
        for (text, bare, authorization) in [
            ("http://u:p@a.example", "http://a.example", "u:p"),
            ("https://u%40x:p%3Aw@A.example:1/b?c=d@e", "https://A.example:1/b?c=d@e", "u@x:p:w"),
            ("http://token@a.example/", "http://a.example/", "token:"),
            ("http://:p@a.example", "http://a.example", ":p"),
            ("http://a@b:c@a.example", "http://a.example", "a@b:c"),
            ("u:p@a.example:50051", "a.example:50051", "u:p"),
            ("http:/u:p@a.example/b", "http://a.example/b", "u:p"),
        ] {
            let (found, userinfo) = split(text);
            assert_eq!(found, bare, "{text}");
            let wanted = format!("Basic {}", STANDARD.encode(authorization));
            assert_eq!(userinfo.unwrap().authorization(), wanted, "{text}");
        }
        for text in ["http://a.example", "http://a.example/u:p@b", "a.example:1", "/a@b", "", "http://@a.example/"] {
            assert_eq!(split(text).1, None, "{text}");
        }
    }

    #[test]
    fn what_is_secret_is_what_opens_the_door() {
        let secrets = |text: &str| split(text).1.unwrap().secrets();
        assert_eq!(secrets("http://user:p%40ss@a"), ["p%40ss", "p@ss", "user:p@ss", "user:p%40ss"]);
        assert_eq!(secrets("http://token@a")[..2], ["token", "token"]);
        let card = serde_json::json!({ "a": [{ "url": "http://u:hidden@b" }], "text": "u:p@q" });
        assert!(secrets_in(&card).contains(&"hidden".to_owned()));
        assert!(!secrets_in(&card).contains(&"p".to_owned()));
    }

    #[test]
    fn whatever_a_query_says_is_secret() {
        let secrets = |text: &str| secrets_of_query(&Url::parse(text).unwrap());
        assert_eq!(secrets("https://a/b?token=s%2F1&s+2"), ["s%2F1", "s/1", "s+2", "s 2"]);
        assert!(secrets("https://a/b").iter().all(String::is_empty));
    }

    #[test]
    fn a_text_can_be_shown_without() {
        assert_eq!(hidden("see http://u:p@a/b, \"ftp://x@y\" and a@b"), "see http://***@a/b, \"ftp://***@y\" and a@b");
    }
}
