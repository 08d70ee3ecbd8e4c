//! Which headers go to which origin.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::fmt;

use url::form_urlencoded;

use super::Caller;
use super::caller::made_up;
use super::origin::{self, Origin};
use super::token::{Over, Token};

/// Name and value of a header.
pub type Header = (String, String);

/// Name and value of a parameter in the query of a URL.
pub type Parameter = (String, String);

/// Headers and parameters for some origins.
#[derive(Clone)]
pub struct Identity {
    headers: Vec<Header>,
    parameters: Vec<Parameter>,
    /// What `Authorization` shows as long as it holds.
    token: Option<Token>,
    /// Whether its certificate is shown to who asks for one.
    has_certificate: bool,
    origins: Vec<Origin>,
}

/// Everything that may be sent along with requests, and where it may be sent.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    /// The origins that the user named or allowed.
    trusted: Vec<Origin>,
    /// What the user gave; of two that have the same header for an origin the first counts.
    given: Vec<Identity>,
    /// What cards gave, which counts only where the user gave nothing.
    found: Vec<Identity>,
    /// What the user gave for others than the identity of the run.
    beside: BTreeMap<Caller, Vec<Identity>>,
}

impl Identity {
    /// Headers that go to these origins, and to no other.
    pub fn new(headers: Vec<Header>, origins: Vec<Origin>) -> Self {
        Self { headers, parameters: Vec::new(), token: None, has_certificate: false, origins }
    }

    /// The same with a token that is renewed while the run goes on.
    #[must_use]
    pub fn with_token(self, token: Option<Token>) -> Self {
        Self { token, ..self }
    }

    /// The same with parameters that the query of each request has, too.
    #[must_use]
    pub fn with_parameters(self, parameters: Vec<Parameter>) -> Self {
        Self { parameters, ..self }
    }

    /// The same with a certificate, which whoever makes connections knows.
    #[must_use]
    pub fn with_certificate(self, has_certificate: bool) -> Self {
        Self { has_certificate, ..self }
    }

    fn is_empty(&self) -> bool {
        self.headers.is_empty() && self.parameters.is_empty() && self.token.is_none() && !self.has_certificate
    }

    /// A value of `Authorization` that goes to the origin of a URL; nothing where the URL has no origin.
    pub fn at(url: &str, authorization: String) -> Option<Self> {
        let origin = origin::of(url)?;
        Some(Self::new(vec![("authorization".to_owned(), authorization)], vec![origin]))
    }

    /// What goes along now.
    fn headers(&self) -> impl Iterator<Item = Header> {
        self.headers.iter().cloned().chain(self.token.iter().map(Token::header))
    }

    /// One that looks the same and that nobody has.
    fn made_up(&self) -> Self {
        let headers = self.headers().map(|(name, value)| (name.clone(), made_up(&name, &value))).collect();
        let parameters = self.parameters.iter().map(|(name, value)| (name.clone(), made_up("", value))).collect();
        Self { headers, parameters, token: None, has_certificate: false, origins: self.origins.clone() }
    }
}

/// Without the values, which are secrets.
impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        let parameters: Vec<&str> = self.parameters.iter().map(|(name, _)| name.as_str()).collect();
        let mut shown = f.debug_struct("Identity");
        shown
            .field("headers", &names)
            .field("parameters", &parameters)
            .field("token", &self.token)
            .field("origins", &self.origins)
            .finish()
    }
}

impl Credentials {
    /// What the user gave, each for its own origins; `trusted` are the origins that he named or allowed.
    pub fn new(trusted: Vec<Origin>, given: Vec<Identity>) -> Self {
        Self { trusted, given, ..Self::default() }
    }

    /// The same with what another caller brings, which is sent only where a request is made [in its name](Self::of).
    #[must_use]
    pub fn beside(mut self, caller: Caller, identity: Identity) -> Self {
        self.beside.entry(caller).or_default().push(identity);
        self
    }

    /// What goes along with the requests of a caller.
    #[must_use]
    pub fn of(&self, caller: Caller) -> Self {
        let trusted = self.trusted.clone();
        match caller {
            Caller::Own => self.clone(),
            Caller::Nobody => Self { trusted, ..Self::default() },
            Caller::Stranger => {
                let given = self.given.iter().chain(&self.found).map(Identity::made_up).collect();
                Self { trusted, given, ..Self::default() }
            }
            Caller::Other | Caller::Expired | Caller::WrongAudience | Caller::Narrow => {
                let given = self.beside.get(&caller).cloned().unwrap_or_default();
                Self { trusted, given, ..Self::default() }
            }
        }
    }

    /// The same with what cards gave, which takes nothing away from what the user gave.
    #[must_use]
    pub fn and(mut self, found: impl IntoIterator<Item = Identity>) -> Self {
        self.found.extend(found);
        self
    }

    /// The headers of a request to a URL, as they are now.
    pub fn headers_for(&self, url: &str) -> Vec<Header> {
        let mut headers: Vec<Header> = Vec::new();
        for identity in self.belonging_to(url) {
            let is_new = |header: &Header| headers.iter().all(|known| !known.0.eq_ignore_ascii_case(&header.0));
            let new: Vec<Header> = identity.headers().filter(is_new).collect();
            headers.extend(new);
        }
        headers
    }

    /// Waits until what goes to a URL holds.
    ///
    /// # Errors
    /// A token has ended that goes there, and there is no other.
    pub async fn hold_for(&self, url: &str) -> Result<(), Over> {
        for token in self.belonging_to(url).filter_map(|identity| identity.token.as_ref()) {
            token.holds().await?;
        }
        Ok(())
    }

    /// Waits until a token has ended and there is no other, which may be never.
    pub async fn over(&self) -> Over {
        let all = self.given.iter().chain(self.beside.values().flatten());
        let tokens = all.filter_map(|identity| identity.token.as_ref()).map(|token| Box::pin(token.over()));
        let tokens: Vec<_> = tokens.collect();
        if tokens.is_empty() {
            return std::future::pending().await;
        }
        futures_util::future::select_all(tokens).await.0
    }

    /// The parameters that the query of a request to a URL has beside its own.
    pub fn parameters_for(&self, url: &str) -> Vec<&Parameter> {
        let mut parameters: Vec<&Parameter> = Vec::new();
        for parameter in self.belonging_to(url).flat_map(|identity| &identity.parameters) {
            if parameters.iter().all(|known| known.0 != parameter.0) {
                parameters.push(parameter);
            }
        }
        parameters
    }

    /// The URL of a request with those parameters.
    pub fn address<'a>(&self, url: &'a str) -> Cow<'a, str> {
        let parameters = self.parameters_for(url);
        if parameters.is_empty() {
            return Cow::Borrowed(url);
        }
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
        let (before, fragment) = url.split_at(url.find('#').unwrap_or(url.len()));
        let joint = if before.contains('?') { '&' } else { '?' };
        Cow::Owned(format!("{before}{joint}{query}{fragment}"))
    }

    /// Whether anything goes along with requests to a URL.
    pub fn brings_to(&self, url: &str) -> bool {
        self.belonging_to(url).any(|identity| !identity.is_empty())
    }

    /// Whether a certificate is shown there to who asks for one.
    pub fn has_certificate_for(&self, url: &str) -> bool {
        self.belonging_to(url).any(|identity| identity.has_certificate)
    }

    /// What belongs to the origin of a URL, what counts first coming first.
    fn belonging_to(&self, url: &str) -> impl Iterator<Item = &Identity> {
        // Most runs have no credentials, and ask with each request.
        let origin = LazyCell::new(move || origin::of(url));
        let all = self.given.iter().chain(&self.found);
        all.filter(move |identity| origin.as_ref().is_some_and(|origin| identity.origins.contains(origin)))
    }

    /// The same without what is secret of them: names, and with `Authorization` the scheme.
    pub fn shown_for(&self, url: &str) -> Vec<String> {
        /// Any other word may be all that there is of a secret.
        const SCHEMES: [&str; 4] = ["Bearer", "Basic", "Digest", "DPoP"];
        let shown = |(name, value): Header| {
            let word = value.split_once(' ').filter(|_| name.eq_ignore_ascii_case("authorization"));
            let scheme = word.and_then(|(word, _)| SCHEMES.into_iter().find(|known| known.eq_ignore_ascii_case(word)));
            match scheme {
                Some(scheme) => format!("Authorization ({scheme})"),
                None => name,
            }
        };
        let parameters = self.parameters_for(url).into_iter().map(|(name, _)| format!("{name} in the query"));
        let certificate = self.has_certificate_for(url).then(|| "a client certificate".to_owned());
        self.headers_for(url).into_iter().map(shown).chain(parameters).chain(certificate).collect()
    }

    /// Whether the user named or allowed the origin of a URL.
    pub fn trusts(&self, url: &str) -> bool {
        origin::of(url).is_some_and(|origin| self.trusted.contains(&origin))
    }

    /// Whether there is something for the agent that does not go to a URL, since the user neither named nor allowed its
    /// origin.
    pub fn keeps_from(&self, url: &str) -> bool {
        let is_for_agent = |identity: &Identity| {
            !identity.is_empty() && identity.origins.iter().any(|origin| self.trusted.contains(origin))
        };
        !self.trusts(url) && self.given.iter().any(is_for_agent)
    }

    /// The origins that the user named or allowed, as people read them.
    pub fn trusted(&self) -> Vec<String> {
        self.trusted.iter().map(Origin::ascii_serialization).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origins(urls: &[&str]) -> Vec<Origin> {
        urls.iter().filter_map(|url| origin::of(url)).collect()
    }

    fn header(name: &str, value: &str) -> Header {
        (name.to_owned(), value.to_owned())
    }

    fn sent(credentials: &Credentials, url: &str) -> Vec<String> {
        credentials.headers_for(url).iter().map(|(name, value)| format!("{name}: {value}")).collect()
    }

    #[test]
    fn headers_go_to_their_origins_only() {
        let trusted = origins(&["https://agent.example", "http://127.0.0.1:1"]);
        let given = Identity::new(vec![header("x-key", "k")], trusted.clone());
        let credentials = Credentials::new(trusted, vec![given]);
        for url in ["https://agent.example/a", "https://AGENT.EXAMPLE:443", "http://127.0.0.1:1/b?c"] {
            assert_eq!(sent(&credentials, url), ["x-key: k"], "{url}");
            assert!(!credentials.keeps_from(url), "{url}");
        }
        for url in ["http://agent.example/a", "https://agent.example:8443", "https://agent.example.evil.example", ""] {
            assert_eq!(sent(&credentials, url), [""; 0], "{url}");
            assert!(credentials.keeps_from(url), "{url}");
        }
        assert!(!Credentials::default().keeps_from("http://agent.example"), "there is nothing to keep");
    }

    #[test]
    fn what_is_given_first_counts_and_what_is_found_last() {
        let url = "https://agent.example/a";
        let at = |url: &str, value: &str| Identity::at(url, value.to_owned()).unwrap();
        let found = || [at(url, "found"), at("https://other.example", "found")];
        let bearer = Identity::new(vec![header("Authorization", "Bearer b")], origins(&[url]));
        let both = Credentials::new(origins(&[url]), vec![bearer, at(url, "Basic x")]).and(found());
        assert_eq!(sent(&both, url), ["Authorization: Bearer b"]);
        let one = Credentials::new(origins(&[url]), vec![at(url, "Basic x")]).and(found());
        assert_eq!(sent(&one, url), ["authorization: Basic x"]);
        assert_eq!(sent(&one, "https://other.example/b"), ["authorization: found"]);
        let none = Credentials::new(origins(&[url]), Vec::new()).and(found());
        assert_eq!(sent(&none, url), ["authorization: found"]);
        assert!(!none.keeps_from("https://third.example"), "what a card says is no credential of the user's");
    }

    #[test]
    fn each_caller_brings_what_is_theirs() {
        let url = "https://agent.example/a";
        let at = |url: &str, value: &str| Identity::at(url, value.to_owned()).unwrap();
        let credentials = Credentials::new(origins(&[url]), vec![at(url, "Bearer own")])
            .and([at("https://second.example", "Bearer found")])
            .beside(Caller::Other, at(url, "Bearer other"))
            .beside(Caller::Expired, at(url, "Bearer old"));
        let by = |caller: Caller| sent(&credentials.of(caller), url);
        assert_eq!(by(Caller::Own), ["authorization: Bearer own"]);
        assert_eq!(by(Caller::Nobody), [""; 0]);
        assert_eq!(by(Caller::Stranger), ["authorization: Bearer a2aspec-0000000000000000"]);
        assert_eq!(by(Caller::Other), ["authorization: Bearer other"]);
        assert_eq!(by(Caller::Expired), ["authorization: Bearer old"]);
        assert_eq!(by(Caller::Narrow), [""; 0]);
        for caller in [Caller::Nobody, Caller::Stranger, Caller::Other, Caller::Expired] {
            assert!(!sent(&credentials.of(caller), "https://second.example").iter().any(|it| it.contains("found")));
            assert!(sent(&credentials.of(caller), "https://third.example").is_empty(), "{caller:?}");
        }
    }

    #[test]
    fn parameters_go_to_their_origins_only() {
        let url = "https://agent.example/a";
        let key = |value: &str| vec![("key".to_owned(), value.to_owned())];
        let identity = Identity::new(Vec::new(), origins(&[url])).with_parameters(key("a b&c"));
        let credentials = Credentials::new(origins(&[url]), vec![identity]);
        for (url, wanted) in [
            (url, "https://agent.example/a?key=a+b%26c"),
            ("https://agent.example/a?b=%41", "https://agent.example/a?b=%41&key=a+b%26c"),
            ("https://agent.example/a?#c", "https://agent.example/a?&key=a+b%26c#c"),
            ("http://agent.example/a", "http://agent.example/a"),
        ] {
            assert_eq!(credentials.address(url), wanted);
            assert_eq!(credentials.brings_to(url), url != wanted);
        }
        let sent = |caller: Caller| credentials.of(caller).address(url).into_owned();
        assert_eq!(sent(Caller::Nobody), url);
        assert_eq!(sent(Caller::Stranger), "https://agent.example/a?key=a2aspec-0000000000000000");
        assert!(credentials.keeps_from("https://third.example") && !format!("{credentials:?}").contains("a b"));
        assert_eq!(credentials.shown_for(url), ["key in the query"]);
    }

    #[test]
    fn values_stand_in_no_debug_output() {
        let identity = Identity::at("https://agent.example", "Basic s3cr3t".to_owned()).unwrap();
        assert!(!format!("{:?}", Credentials::new(Vec::new(), vec![identity])).contains("s3cr3t"));
    }
}
