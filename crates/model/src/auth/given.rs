//! Credentials as a user gives them, before it is known which agent is checked.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{HeaderName, HeaderValue};
use thiserror::Error;

use super::{Caller, Credentials, Header, Identity, Origin, Parameter, Token, Userinfo, origin};

/// What a user gave, whichever agent turns out to be checked.
#[derive(Default)]
pub struct Given {
    /// What each caller brings.
    bundles: BTreeMap<Caller, Bundle>,
    /// From the agent's URL.
    of_agent: Option<Userinfo>,
    /// From the other URLs that the user gave, with these.
    of_others: Vec<(String, Userinfo)>,
    /// The origins that the user named or allowed beside the agent's.
    origins: Vec<Origin>,
    /// What must not be shown, beside the values in the bundles.
    secrets: Vec<String>,
}

/// What one caller brings.
#[derive(Default)]
pub struct Bundle {
    headers: Vec<Header>,
    /// Parameters in the query.
    parameters: Vec<Parameter>,
    /// What `Authorization` shows as long as it holds.
    token: Option<Token>,
    /// Headers for origins of their own, which come before all others.
    identities: Vec<Identity>,
    /// Whether it has a certificate.
    has_certificate: bool,
    /// What must not be shown.
    secrets: Vec<String>,
}

/// A header that cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HeaderError {
    /// Its name is none.
    #[error("{0:?} cannot be the name of an HTTP header")]
    Name(String),
    /// Its value, which this does not show.
    #[error("the value of the header {name:?} {why}")]
    Value {
        /// The name.
        name: String,
        /// What is wrong with the value, readable after it.
        why: &'static str,
    },
}

/// Without the values, which are secrets.
impl std::fmt::Debug for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Given").field("headers", &self.header_names()).field("origins", &self.origins).finish()
    }
}

impl Bundle {
    /// Takes a header for the agent; it replaces one of the same name.
    ///
    /// # Errors
    /// HTTP cannot carry it.
    pub fn add_header(&mut self, name: &str, value: &str) -> Result<(), HeaderError> {
        check_name(name)?;
        if let Some(why) = why_unusable(value) {
            return Err(HeaderError::Value { name: name.to_owned(), why });
        }
        self.secrets.extend(secrets_of(value));
        self.replace(name, value.to_owned());
        Ok(())
    }

    /// Takes a bearer token for the agent; it replaces a header `Authorization`.
    ///
    /// # Errors
    /// HTTP cannot carry it.
    pub fn add_bearer(&mut self, token: &str) -> Result<(), HeaderError> {
        const NAME: &str = "authorization";
        if let Some(why) = why_unusable(token) {
            return Err(HeaderError::Value { name: NAME.to_owned(), why });
        }
        self.secrets.push(token.to_owned());
        self.replace(NAME, format!("Bearer {token}"));
        Ok(())
    }

    /// Takes a token that is renewed while the run goes on; it replaces a header `Authorization`.
    pub fn add_token(&mut self, token: Token) {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case("authorization"));
        self.token = Some(token);
    }

    /// Takes a cookie for the agent, beside those that there are (RFC 6265, section 4.2).
    ///
    /// # Errors
    /// HTTP cannot carry it.
    pub fn add_cookie(&mut self, name: &str, value: &str) -> Result<(), HeaderError> {
        let pair = cookie(name, value)?;
        self.secrets.push(value.to_owned());
        match self.headers.iter_mut().find(|(name, _)| name.eq_ignore_ascii_case("cookie")) {
            Some((_, pairs)) => pairs.push_str(&format!("; {pair}")),
            None => self.headers.push(("cookie".to_owned(), pair)),
        }
        Ok(())
    }

    /// Takes a parameter of the query of each request to the agent.
    pub fn add_parameter(&mut self, name: &str, value: &str) {
        self.secrets.push(value.to_owned());
        self.parameters.push((name.to_owned(), value.to_owned()));
    }

    /// Takes headers that go to origins of their own, before all others. They are no secrets.
    pub fn add_identity(&mut self, identity: Identity) {
        self.identities.push(identity);
    }

    /// Takes a certificate, which whoever makes connections knows.
    pub fn add_certificate(&mut self) {
        self.has_certificate = true;
    }

    fn replace(&mut self, name: &str, value: String) {
        self.token = self.token.take().filter(|_| !name.eq_ignore_ascii_case("authorization"));
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value));
    }

    /// What goes to these origins, and to those of its own.
    fn identities(&self, trusted: &[Origin]) -> impl Iterator<Item = Identity> {
        let all = Identity::new(self.headers.clone(), trusted.to_vec()).with_parameters(self.parameters.clone());
        let all = all.with_token(self.token.clone()).with_certificate(self.has_certificate);
        self.identities.iter().cloned().chain([all])
    }
}

impl Given {
    /// What a caller brings.
    pub fn of(&mut self, caller: Caller) -> &mut Bundle {
        self.bundles.entry(caller).or_default()
    }

    /// Takes what nobody may see, and sends it nowhere.
    pub fn add_secret(&mut self, value: &str) {
        self.secrets.push(value.to_owned());
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

    /// Credentials may go to this origin, too.
    pub fn trust(&mut self, origin: Origin) {
        self.origins.push(origin);
    }

    /// The names of the headers for the agent.
    pub fn header_names(&self) -> Vec<&str> {
        let own = self.bundles.get(&Caller::Own);
        let named = own.iter().flat_map(|bundle| &bundle.headers).map(|(name, _)| name.as_str());
        named.chain(own.and_then(|bundle| bundle.token.as_ref()).map(|_| "authorization")).collect()
    }

    /// What must not be shown.
    pub fn secrets(&self) -> Vec<String> {
        self.bundles.values().flat_map(|bundle| &bundle.secrets).chain(&self.secrets).cloned().collect()
    }

    /// The tokens that are renewed while the run goes on: what must not be shown of them becomes more.
    pub fn tokens(&self) -> Vec<Token> {
        self.bundles.values().filter_map(|bundle| bundle.token.clone()).collect()
    }

    /// What goes where when the agent at this URL is checked.
    pub fn for_agent(&self, url: &str) -> Credentials {
        let mut trusted: Vec<Origin> = Vec::new();
        for origin in origin::of(url).into_iter().chain(self.origins.iter().cloned()) {
            if !trusted.contains(&origin) {
                trusted.push(origin);
            }
        }
        let own = self.bundles.get(&Caller::Own).into_iter().flat_map(|bundle| bundle.identities(&trusted));
        let others = self.of_others.iter().filter_map(|(url, userinfo)| Identity::at(url, userinfo.authorization()));
        let of_agent = self.of_agent.as_ref().map(|userinfo| {
            Identity::new(vec![("authorization".to_owned(), userinfo.authorization())], trusted.clone())
        });
        let mut credentials = Credentials::new(trusted.clone(), own.chain(others).chain(of_agent).collect());
        for (caller, bundle) in self.bundles.iter().filter(|(caller, _)| **caller != Caller::Own) {
            credentials = bundle.identities(&trusted).fold(credentials, |all, one| all.beside(*caller, one));
        }
        credentials
    }
}

/// A pair as the header `Cookie` has it.
fn cookie(name: &str, value: &str) -> Result<String, HeaderError> {
    let wrong = |why| Err(HeaderError::Value { name: format!("Cookie, {name}"), why });
    check_name(name)?;
    match why_unusable(value) {
        Some(why) => wrong(why),
        None if value.contains([';', ',', ' ', '"', '\\']) => wrong("has characters that no cookie has"),
        None => Ok(format!("{name}={value}")),
    }
}

/// Whether this can be the name of a header.
///
/// # Errors
/// [`HeaderError::Name`].
pub fn check_name(name: &str) -> Result<(), HeaderError> {
    HeaderName::from_bytes(name.as_bytes()).map(|_| ()).map_err(|_| HeaderError::Name(name.to_owned()))
}

/// Why a header cannot have this value, readable after it; nothing where it can.
pub fn why_unusable(value: &str) -> Option<&'static str> {
    if value.trim().is_empty() {
        Some("is empty")
    } else if value.contains(['\n', '\r']) {
        Some("has a line feed in it")
    } else if HeaderValue::from_str(value).is_err() {
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

    fn given(headers: &[(&str, &str)]) -> Given {
        let mut given = Given::default();
        headers.iter().try_for_each(|(name, value)| given.of(Caller::Own).add_header(name, value)).unwrap();
        given
    }

    #[test]
    fn a_basic_pair_is_secret_in_all_its_forms() {
        let secrets = given(&[("Authorization", "Basic dXNlcjpwNHNzdzByZA==")]).secrets();
        assert_eq!(secrets, ["Basic dXNlcjpwNHNzdzByZA==", "dXNlcjpwNHNzdzByZA==", "p4ssw0rd", "user:p4ssw0rd"]);
    }

    #[test]
    fn a_later_header_replaces_one_of_its_name() {
        let mut given = given(&[("X-Key", "one"), ("x-key", "two"), ("Authorization", "Basic x")]);
        given.of(Caller::Own).add_bearer("t0ken").unwrap();
        let sent: Vec<String> = given
            .for_agent("http://127.0.0.1:1")
            .headers_for("http://127.0.0.1:1/a")
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        assert_eq!(sent, ["x-key: two", "authorization: Bearer t0ken"]);
    }

    #[test]
    fn an_identity_goes_to_its_origin_only() {
        let mut given = given(&[("X-Key", "k")]);
        given.of(Caller::Own).add_identity(Identity::at("http://127.0.0.1:1", "Bearer own".to_owned()).unwrap());
        let sent = |at: &str| given.for_agent("http://127.0.0.1:1/").headers_for(at).len();
        assert_eq!(sent("http://127.0.0.1:1/1.0"), 2);
        assert_eq!(sent("http://127.0.0.1:2/1.0"), 0);
        assert!(!given.secrets().contains(&"own".to_owned()));
    }

    #[test]
    fn the_second_identity_is_secret_too() {
        let mut given = given(&[("X-Key", "k")]);
        given.of(Caller::Other).add_header("Authorization", "Bearer s3cr3t").unwrap();
        given.of(Caller::Other).add_header("authorization", "Bearer s3cond").unwrap();
        assert!(["s3cr3t", "s3cond"].iter().all(|secret| given.secrets().contains(&(*secret).to_owned())));
        let credentials = given.for_agent("http://127.0.0.1:1/");
        let sent = |caller: Caller| format!("{:?}", credentials.of(caller).headers_for("http://127.0.0.1:1/a"));
        assert_eq!(sent(Caller::Own), "[(\"X-Key\", \"k\")]");
        assert_eq!(sent(Caller::Other), "[(\"authorization\", \"Bearer s3cond\")]");
    }

    #[test]
    fn keys_go_into_cookies_and_queries() {
        let mut given = Given::default();
        given.of(Caller::Own).add_cookie("a", "s3cr3t").unwrap();
        given.of(Caller::Own).add_cookie("b", "s3cond").unwrap();
        given.of(Caller::Own).add_parameter("key", "th1rd");
        given.of(Caller::Other).add_cookie("a", "f0urth").unwrap();
        given.of(Caller::Other).add_parameter("key", "f1fth");
        let credentials = given.for_agent("http://127.0.0.1:1/");
        let url = "http://127.0.0.1:1/a";
        let sent = |caller: Caller| {
            let credentials = credentials.of(caller);
            let headers: Vec<String> = credentials.headers_for(url).iter().map(|(_, value)| value.clone()).collect();
            format!("{} {}", headers.join(","), credentials.address(url))
        };
        assert_eq!(sent(Caller::Own), "a=s3cr3t; b=s3cond http://127.0.0.1:1/a?key=th1rd");
        assert_eq!(sent(Caller::Other), "a=f0urth http://127.0.0.1:1/a?key=f1fth");
        assert_eq!(given.secrets(), ["s3cr3t", "s3cond", "th1rd", "f0urth", "f1fth"]);
        let error = given.of(Caller::Own).add_cookie("a", "s3cr3t;").unwrap_err().to_string();
        assert_eq!(error, "the value of the header \"Cookie, a\" has characters that no cookie has");
    }

    #[test]
    fn no_message_shows_the_value() {
        assert!(!format!("{:?}", given(&[("X-Key", "s3cr3t")])).contains("s3cr3t"));
        for value in ["s3cr3t\u{1}", "s3cr3t\nX-Other: x", " "] {
            let error = Bundle::default().add_header("X-Key", value).unwrap_err().to_string();
            assert!(error.contains("\"X-Key\"") && !error.contains("s3cr3t"), "{error}");
        }
        assert!(Bundle::default().add_header("X Key", "s").unwrap_err().to_string().contains("\"X Key\""));
    }
}
