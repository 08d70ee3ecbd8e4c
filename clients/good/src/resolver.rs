//! Reads cards, and keeps them as HTTP allows (section 8.6.2, RFC 9111).

use std::collections::HashMap;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::header::{AGE, CACHE_CONTROL, DATE, ETAG, EXPIRES, HeaderMap, LAST_MODIFIED};
use serde_json::Value;

use crate::deviation::deviates;
use crate::failure::Failure;
use crate::http::{self, Http, Request};
use crate::interface::VERSION;
use crate::read;

/// Reads cards for one case, and keeps them.
#[derive(Debug, Default)]
pub(crate) struct Resolver {
    kept: HashMap<String, Kept>,
}

#[derive(Debug)]
struct Kept {
    card: Value,
    etag: Option<String>,
    modified: Option<String>,
    /// Until when it is used without asking.
    fresh: Instant,
}

impl Resolver {
    /// The card of an agent, by its base URL or by that of the card.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub(crate) async fn resolve(&mut self, url: &str, http: &Http) -> Result<Value, Failure> {
        let url = match url {
            card if card.ends_with(".json") => card.to_owned(),
            base if deviates("card/old-well-known-path") => {
                format!("{}/.well-known/agent.json", base.trim_end_matches('/'))
            }
            base => format!("{}/.well-known/agent-card.json", base.trim_end_matches('/')),
        };
        if let Some(kept) = self.kept.get(&url)
            && !deviates("cache/never")
            && (kept.fresh > Instant::now() || deviates("cache/for-ever"))
        {
            return Ok(kept.card.clone());
        }
        let mut request = Request::get(http::url(&url)?);
        request.set("accept", "application/json")?;
        request.set("accept-encoding", "identity")?;
        request.set("a2a-version", VERSION)?;
        if let Some(kept) = self.kept.get(&url)
            && !deviates("cache/never-conditional")
        {
            if let Some(etag) = &kept.etag {
                let etag = if deviates("cache/tag-unquoted") { etag.trim_matches('"') } else { etag };
                request.set("if-none-match", etag)?;
            }
            if let Some(modified) = &kept.modified {
                request.set("if-modified-since", modified)?;
            }
        }
        let response = http.fetch(&request).await?;
        let headers = response.headers().clone();
        let status = response.status().as_u16();
        if status == 304
            && !deviates("cache/not-modified-is-an-error")
            && let Some(kept) = self.kept.get_mut(&url)
        {
            kept.fresh = Instant::now() + freshness(&headers);
            return Ok(kept.card.clone());
        }
        let body = http::body(response).await?;
        if status != 200 {
            return Err(Failure::status(status));
        }
        let card = read_card(&body)?;
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        if directive(&headers, "no-store").is_none() || deviates("cache/no-store-kept") {
            let fresh = Instant::now() + freshness(&headers);
            self.kept.insert(url, Kept { card: card.clone(), etag: text(ETAG), modified: text(LAST_MODIFIED), fresh });
        }
        Ok(card)
    }
}

fn read_card(body: &[u8]) -> Result<Value, Failure> {
    let body = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body);
    let card = serde_json::from_slice(body).map_err(|error| Failure::unreadable(format!("the card: {error}")))?;
    let schemes =
        ["apiKeySecurityScheme", "httpAuthSecurityScheme", "oauth2SecurityScheme", "openIdConnectSecurityScheme"];
    let card = read::message(card, "AgentCard").map_err(Failure::unreadable)?;
    if deviates("card/unknown-scheme-refused") {
        let known = |scheme: &Value| schemes.iter().any(|name| scheme.get(name).is_some());
        if card["securitySchemes"].as_object().is_some_and(|all| !all.values().all(known)) {
            return Err(Failure::unreadable("an unknown security scheme"));
        }
    }
    Ok(card)
}

/// How long an answer is fresh (RFC 9111 section 4.2). Without a word about it: not at all, so that it is asked again.
fn freshness(headers: &HeaderMap) -> Duration {
    if directive(headers, "no-cache").is_some() && !deviates("cache/no-cache-ignored") {
        return Duration::ZERO;
    }
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let age = text(AGE).and_then(|age| age.parse().ok()).map_or(Duration::ZERO, Duration::from_secs);
    if let Some(seconds) = directive(headers, "max-age").and_then(|value| value.trim_matches('"').parse().ok()) {
        return Duration::from_secs(seconds).saturating_sub(if deviates("cache/age-ignored") {
            Duration::ZERO
        } else {
            age
        });
    }
    let date = |text: Option<&str>| text.and_then(|text| rfc2822::parse(text).ok()).map(|date| date.timestamp());
    let (Some(expires), now) = (date(text(EXPIRES)), date(text(DATE)).unwrap_or_else(Timestamp::now)) else {
        return Duration::ZERO;
    };
    Duration::try_from(expires.duration_since(now)).unwrap_or_default()
}

/// The value of a directive of Cache-Control, empty where it has none.
fn directive(headers: &HeaderMap, name: &str) -> Option<String> {
    let values = headers.get_all(CACHE_CONTROL).iter().filter_map(|value| value.to_str().ok());
    let directives = values.flat_map(|value| value.split(',')).map(str::trim);
    let mut pairs = directives.map(|directive| directive.split_once('=').unwrap_or((directive, "")));
    pairs.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    #[test]
    fn freshness_is_what_the_headers_say() {
        let headers = |pairs: &[(&'static str, &'static str)]| {
            pairs
                .iter()
                .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)))
                .collect::<HeaderMap>()
        };
        let seconds = |pairs: &[(&'static str, &'static str)]| freshness(&headers(pairs)).as_secs();
        assert_eq!(seconds(&[]), 0);
        assert_eq!(seconds(&[("cache-control", "public, Max-Age=60"), ("age", "20")]), 40);
        assert_eq!(seconds(&[("cache-control", "no-cache, max-age=60")]), 0);
        let dates = [("date", "Fri, 27 Nov 2026 10:00:00 GMT"), ("expires", "Fri, 27 Nov 2026 10:01:00 GMT")];
        assert_eq!(seconds(&dates), 60);
    }
}
