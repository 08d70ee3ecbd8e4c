//! What the bindings over HTTP have in common.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use serde::Serialize;

use crate::card::TRIGGERS_EXTENSION;
use crate::core::{Caller, ECHO_EXTENSION, Echo, Samples, TIMESTAMP_EXTENSION, TRACEABILITY_EXTENSION};
use crate::version::{Json, Version};

/// The media type of JSON.
pub const JSON: &str = "application/json";

/// The largest request body, in bytes.
pub const LARGEST_BODY: usize = 16 * 1024 * 1024;

/// How long a client may take to send its body.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Why a request cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The body is of none of these types.
    #[error("the Content-Type must be {}, in UTF-8 and without a Content-Encoding", .0.join(" or "))]
    MediaType(&'static [&'static str]),
    /// The body is larger than [`LARGEST_BODY`].
    #[error("the request body is larger than {LARGEST_BODY} bytes")]
    TooLarge,
    /// The body took too long.
    #[error("the request body did not arrive in time")]
    TooSlow,
    /// The connection broke, or the framing was wrong.
    #[error("the request body could not be read")]
    Broken,
}

impl Unreadable {
    /// The status that says so.
    pub const fn status(self) -> StatusCode {
        match self {
            Self::MediaType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Broken => StatusCode::BAD_REQUEST,
        }
    }
}

/// Checks that the headers announce a plain body of one of `media_types`, all of which are kinds of JSON.
///
/// # Errors
/// [`Unreadable::MediaType`].
pub fn check_media_type(headers: &HeaderMap, media_types: &'static [&'static str]) -> Result<(), Unreadable> {
    let one = |name| {
        let mut values = headers.get_all(name).iter();
        match (values.next(), values.next()) {
            (Some(value), None) => value.to_str().ok(),
            _ => None,
        }
    };
    let is_plain = match headers.contains_key(CONTENT_ENCODING) {
        false => true,
        true => one(CONTENT_ENCODING).is_some_and(|coding| coding.trim().eq_ignore_ascii_case("identity")),
    };
    let is_known = one(CONTENT_TYPE).is_some_and(|given| media_types.iter().any(|known| is_a(given, known)));
    if is_plain && is_known { Ok(()) } else { Err(Unreadable::MediaType(media_types)) }
}

/// Whether `given` is the media type `known`. JSON is UTF-8; a charset that says so does no harm.
fn is_a(given: &str, known: &str) -> bool {
    let mut pieces = given.split(';').map(str::trim);
    let is_known = pieces.next().is_some_and(|essence| essence.eq_ignore_ascii_case(known));
    is_known
        && pieces.all(|parameter| match parameter.split_once('=') {
            Some((name, value)) if name.eq_ignore_ascii_case("charset") => {
                value.trim_matches('"').eq_ignore_ascii_case("utf-8")
            }
            Some(_) => true,
            None => parameter.is_empty(),
        })
}

/// Reads a body within bounds of size and time.
///
/// # Errors
/// Any [`Unreadable`] but the media type.
pub async fn read_body(headers: &HeaderMap, body: Body) -> Result<Bytes, Unreadable> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > LARGEST_BODY) {
        return Err(Unreadable::TooLarge);
    }
    let read = async {
        let mut chunks = body.into_data_stream();
        let mut whole = BytesMut::new();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|_| Unreadable::Broken)?;
            if whole.len() + chunk.len() > LARGEST_BODY {
                return Err(Unreadable::TooLarge);
            }
            whole.extend_from_slice(&chunk);
        }
        Ok(whole.freeze())
    };
    tokio::time::timeout(BODY_TIMEOUT, read).await.unwrap_or(Err(Unreadable::TooSlow))
}

/// How requests name the version that they are in.
const VERSION: &str = "a2a-version";

/// What a request says with `A2A-Version`, in its header or else in its query (section 3.6.1).
pub fn requested_version(parts: &Parts) -> Option<String> {
    let in_query = || query(&parts.uri).into_iter().find(|(name, _)| name.eq_ignore_ascii_case(VERSION));
    version_header(&parts.headers).or_else(|| in_query().map(|(_, value)| value))
}

/// What a request says with `A2A-Version` in its headers. Several that contradict each other are joined, which names
/// no version.
pub fn version_header(headers: &HeaderMap) -> Option<String> {
    let mut values: Vec<_> =
        headers.get_all(VERSION).iter().map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
    values.dedup();
    Some(values.join(", ")).filter(|_| !values.is_empty())
}

/// The parameters in the query of a URL, in their order.
pub fn query(uri: &Uri) -> Vec<(String, String)> {
    // The base does not matter, and can always be parsed.
    let Ok(mut url) = reqwest::Url::parse("http://localhost/") else { return Vec::new() };
    url.set_query(uri.query());
    url.query_pairs().into_owned().collect()
}

/// Who asks in this version.
pub fn caller(is_authenticated: bool, headers: &HeaderMap, version: Version) -> Caller {
    let asks_for = |uri| version.extensions_headers().iter().any(|name| asks_for_extension(headers, name, uri));
    let samples = Samples { timestamp: asks_for(TIMESTAMP_EXTENSION), trace: asks_for(TRACEABILITY_EXTENSION) };
    Caller { is_authenticated, echo: echo(version, headers), samples, rules: version.rules() }
}

/// Tells the client which of the extensions that it asked for are active (section 3.2.6 and topic "Extensions").
pub fn confirm_extensions(version: Version, request: &HeaderMap, response: &mut HeaderMap) {
    for name in version.extensions_headers() {
        let known = [TRIGGERS_EXTENSION, ECHO_EXTENSION, TIMESTAMP_EXTENSION, TRACEABILITY_EXTENSION].into_iter();
        let active: Vec<&str> = known.filter(|uri| asks_for_extension(request, name, uri)).collect();
        if let Some(active) = HeaderValue::from_str(&active.join(", ")).ok().filter(|_| !active.is_empty()) {
            response.insert(HeaderName::from_static(name), active);
        }
    }
}

/// Whether a request in this version has the extension of the agent active.
pub fn echo(version: Version, headers: &HeaderMap) -> Echo {
    match version.extensions_headers() {
        [] => Echo::Unknown,
        names if names.iter().any(|name| asks_for_extension(headers, name, ECHO_EXTENSION)) => Echo::Active,
        _ => Echo::Inactive,
    }
}

/// Whether a request lists the extension `uri` in the header `name`.
fn asks_for_extension(headers: &HeaderMap, name: &str, uri: &str) -> bool {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|asked| asked.trim() == uri)
}

/// A response with a body of JSON.
pub fn json(status: StatusCode, media_type: &'static str, body: &impl Serialize) -> Response {
    match Json::of(body) {
        Ok(body) => written(status, media_type, body.into_text()),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// A response with a body of JSON that has been written.
pub fn written(status: StatusCode, media_type: &'static str, body: String) -> Response {
    (status, [(CONTENT_TYPE, media_type)], body).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Request;

    #[test]
    fn json_is_told_from_the_rest() {
        for good in [
            "application/json",
            "Application/JSON",
            "application/json; charset=utf-8",
            "application/json;charset=\"UTF-8\"",
            "application/json; profile=x",
        ] {
            assert!(is_a(good, JSON), "{good}");
        }
        for bad in ["", "text/plain", "application/jsonp", "application/json; charset=utf-16", "application/json; x"] {
            assert!(!is_a(bad, JSON), "{bad}");
        }
    }

    #[test]
    fn versions_come_by_header_or_query() {
        let version = |uri: &str, headers: &[&str]| {
            let mut request = Request::builder().uri(uri);
            for value in headers {
                request = request.header("A2A-Version", *value);
            }
            requested_version(&request.body(()).unwrap().into_parts().0)
        };
        assert_eq!(version("/", &[]), None);
        assert_eq!(version("/", &["1.0"]).as_deref(), Some("1.0"));
        assert_eq!(version("/", &["1.0", "1.0"]).as_deref(), Some("1.0"));
        assert_eq!(version("/", &["1.0", "0.3"]).as_deref(), Some("1.0, 0.3"));
        assert_eq!(version("/?A2A-Version=1%2E0", &[]).as_deref(), Some("1.0"));
        assert_eq!(version("/?a2a-version=1.0", &["0.3"]).as_deref(), Some("0.3"));
    }

    #[test]
    fn extensions_are_confirmed_to_those_who_ask() {
        let ask = |version: Version, name: &'static str, value: &str| {
            let request = HeaderMap::from_iter([(HeaderName::from_static(name), value.parse().unwrap())]);
            let mut response = HeaderMap::new();
            confirm_extensions(version, &request, &mut response);
            let confirmed = response.get(name).map(|value| value.to_str().unwrap().to_owned());
            (echo(version, &request), confirmed)
        };
        let both = format!("urn:other,{ECHO_EXTENSION} , {TRIGGERS_EXTENSION}");
        let confirmed = Some(format!("{TRIGGERS_EXTENSION}, {ECHO_EXTENSION}"));
        for (version, name) in [
            (Version::V1_0, "a2a-extensions"),
            (Version::V1_0Draft, "a2a-extensions"),
            (Version::V1_0Draft, "x-a2a-extensions"),
            (Version::V0_3, "x-a2a-extensions"),
            (Version::V0_2_5, "x-a2a-extensions"),
        ] {
            assert_eq!(ask(version, name, &both), (Echo::Active, confirmed.clone()), "{version:?} {name}");
            assert_eq!(ask(version, name, "urn:a2aspec:echo:V1,urn:a2aspec:echo:v2"), (Echo::Inactive, None));
        }
        assert_eq!(ask(Version::V0_3, "a2a-extensions", &both), (Echo::Inactive, None));
        assert_eq!(ask(Version::V0_1, "x-a2a-extensions", &both), (Echo::Unknown, None));
    }
}
