//! HTTP: one request, its redirects, and its answer.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Certificate, Method, Response, StatusCode};
use url::Url;

use crate::deviation::deviates;
use crate::failure::Failure;

/// The most bytes of an answer: those of a line of the contract.
const MOST: usize = 16 << 20;
const MOST_REDIRECTS: usize = 5;

/// A request, so that it can be sent again where it is redirected to.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Vec<u8>>,
}

impl Request {
    pub(crate) fn get(url: Url) -> Self {
        Self { method: Method::GET, url, headers: HeaderMap::new(), body: None }
    }

    /// Sets a header, whose value is what a person or an agent chose.
    ///
    /// # Errors
    /// HTTP cannot carry it.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        let wrong = || Failure::refused(format!("{name} cannot be a header with the value {value:?}"));
        let name = reqwest::header::HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
        let value = reqwest::header::HeaderValue::from_str(value).map_err(|_| wrong())?;
        self.headers.insert(name, value);
        Ok(())
    }
}

/// Sends requests, and trusts some certificates beside those of the machine.
#[derive(Debug, Clone)]
pub(crate) struct Http {
    client: reqwest::Client,
}

/// Those that were made, by what they trust: reading the certificates of the machine takes longer than most requests.
static MADE: LazyLock<Mutex<HashMap<String, Http>>> = LazyLock::new(Mutex::default);

impl Http {
    /// One that trusts these certificates (PEM), too.
    ///
    /// # Errors
    /// These are no certificates.
    pub(crate) fn trusting(pem: &str) -> Result<Self, Failure> {
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(http) = made.get(pem) {
            return Ok(http.clone());
        }
        let certificates = Certificate::from_pem_bundle(pem.as_bytes());
        let certificates = certificates.map_err(|error| Failure::usage(format!("trust: {error}")))?;
        let builder = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            // A connection for each request: none is found closed when it is used again.
            .pool_max_idle_per_host(0)
            .connect_timeout(Duration::from_secs(10))
            .user_agent(concat!("a2aspec-good-client/", env!("CARGO_PKG_VERSION")))
            .tls_danger_accept_invalid_certs(deviates("tls/any-certificate"));
        let builder = if deviates("tls/any-name") {
            // Only with these alone can it be told to pass over names.
            builder.tls_certs_only(certificates).tls_danger_accept_invalid_hostnames(true)
        } else {
            builder.tls_certs_merge(certificates)
        };
        let client = builder.build().map_err(|error| Failure::usage(format!("TLS: {error}")))?;
        let http = Self { client };
        made.insert(pem.to_owned(), http.clone());
        Ok(http)
    }

    /// Sends a request with credentials: it goes to no other origin.
    pub(crate) async fn send(&self, request: &Request) -> Result<Response, Failure> {
        self.follow(request, deviates("http/credentials-to-another-origin")).await
    }

    /// Sends a request that is nobody's secret: it goes wherever it is redirected.
    pub(crate) async fn fetch(&self, request: &Request) -> Result<Response, Failure> {
        self.follow(request, true).await
    }

    async fn follow(&self, request: &Request, anywhere: bool) -> Result<Response, Failure> {
        let mut request = request.clone();
        for _ in 0..=MOST_REDIRECTS {
            let response = self.once(&request).await?;
            let Some(target) = redirected(&request, &response) else { return Ok(response) };
            if !anywhere && target.origin() != request.url.origin() {
                return Err(Failure::transport(format!("redirected to another origin, {target}")));
            }
            if deviates("http/redirect-becomes-get") {
                request.method = Method::GET;
                request.body = None;
            }
            request.url = target;
        }
        Err(Failure::transport("too many redirects"))
    }

    /// Sends a request, and follows no redirect.
    pub(crate) async fn once(&self, request: &Request) -> Result<Response, Failure> {
        let mut builder =
            self.client.request(request.method.clone(), request.url.clone()).headers(request.headers.clone());
        if let Some(body) = &request.body {
            builder = builder.body(body.clone());
        }
        builder.send().await.map_err(|error| Failure { not_sent: error.is_connect(), ..failed(&error) })
    }
}

/// Where an answer says that the same request should go.
fn redirected(request: &Request, response: &Response) -> Option<Url> {
    let same = match response.status() {
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => true,
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND | StatusCode::SEE_OTHER => request.method == Method::GET,
        _ => false,
    };
    let target = response.headers().get(LOCATION).filter(|_| same)?.to_str().ok()?;
    request.url.join(target).ok()
}

fn failed(error: &reqwest::Error) -> Failure {
    let mut message = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        message = format!("{message}: {inner}");
        cause = inner.source();
    }
    Failure::transport(message)
}

/// The whole body of an answer.
///
/// # Errors
/// It was cut, or is too large.
pub(crate) async fn body(response: Response) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    let mut pieces = response.bytes_stream();
    while let Some(piece) = pieces.next().await {
        body.extend_from_slice(&piece.map_err(|error| failed(&error))?);
        if body.len() > MOST {
            return Err(Failure::unreadable("an answer of more than 16 MiB"));
        }
    }
    Ok(body)
}

/// The next bytes of a stream.
pub(crate) async fn piece(response: &mut Response) -> Result<Option<bytes::Bytes>, Failure> {
    response.chunk().await.map_err(|error| failed(&error))
}

/// The media type of an answer, without parameters, in lower case.
pub(crate) fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(reqwest::header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if deviates("http/media-type-with-parameters-refused") {
        return value.to_owned();
    }
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// A URL that somebody wrote.
pub(crate) fn url(text: &str) -> Result<Url, Failure> {
    Url::parse(text).map_err(|error| Failure::refused(format!("the URL {text:?}: {error}")))
}
