//! The media types of HTTP+JSON.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

use super::super::http::JSON;
use crate::version::Version;

/// JSON of A2A (1.0, section 14.1.1).
const A2A_JSON: &str = "application/a2a+json";

/// Problem details (1.0-draft, section 11.6; RFC 9457, section 3).
const PROBLEM_JSON: &str = "application/problem+json";

/// The types that a request body may have. 1.0.0 had the second one where 1.0.1 has the first (section 11.1);
/// the draft has both (1.0-draft, sections 6.1 and 11.1).
pub const fn readable(version: Version) -> &'static [&'static str] {
    match version {
        Version::V1_0 | Version::V1_1Draft | Version::V1_0Draft => &[A2A_JSON, JSON],
        _ => &[JSON],
    }
}

/// The type of an answer: in 1.0 that of A2A, unless the client would rather have the other one, as one of 1.0.0 may.
pub fn of_answer(version: Version, headers: &HeaderMap) -> &'static str {
    match version {
        Version::V1_0 | Version::V1_1Draft if weight(headers, JSON) <= weight(headers, A2A_JSON) => A2A_JSON,
        _ => JSON,
    }
}

/// The type of an error.
pub fn of_error(version: Version, headers: &HeaderMap) -> &'static str {
    match version {
        Version::V1_0Draft => PROBLEM_JSON,
        _ => of_answer(version, headers),
    }
}

/// How much a client wants `media_type`, in thousandths; 0 is not at all (RFC 9110, section 12.5.1).
fn weight(headers: &HeaderMap, media_type: &str) -> u16 {
    let values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let ranges = values.flat_map(|value| value.split(',')).filter_map(|range| {
        let mut pieces = range.split(';').map(str::trim);
        // The closer a range fits, the more it counts.
        let closeness = match pieces.next()? {
            "*/*" => 1,
            "application/*" => 2,
            range if range.eq_ignore_ascii_case(media_type) => 3,
            _ => return None,
        };
        let quality = pieces.find_map(|piece| piece.strip_prefix("q=").or_else(|| piece.strip_prefix("Q=")));
        Some((closeness, quality.map_or(Some(1000), thousandths)?))
    });
    ranges.max().map_or(0, |(_, weight)| weight)
}

/// `0.5` as 500.
fn thousandths(quality: &str) -> Option<u16> {
    let (whole, fraction) = quality.split_once('.').unwrap_or((quality, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !matches!(whole, "0" | "1") || fraction.len() > 3 || !is_number(fraction) {
        return None;
    }
    format!("{whole}{fraction:0<3}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_may_choose() {
        let chosen = |accept: &str| {
            let headers = HeaderMap::from_iter([(ACCEPT, accept.parse().unwrap())]);
            of_answer(Version::V1_0, &headers)
        };
        for accept in [
            "*/*",
            "application/*",
            "application/a2a+json",
            "application/json, application/a2a+json",
            "application/json, */*",
            "application/json;q=0.5, application/a2a+json;q=0.501",
            "text/html",
            "application/json;q=0",
            "application/json;q=x",
            "",
        ] {
            assert_eq!(chosen(accept), A2A_JSON, "{accept}");
        }
        for accept in [
            "application/json",
            "Application/JSON; charset=utf-8",
            "application/json, text/event-stream",
            "application/json, */*;q=0.1",
            "application/a2a+json;q=0.2, application/json;q=0.3",
            "*/*, application/a2a+json;q=0",
        ] {
            assert_eq!(chosen(accept), JSON, "{accept}");
        }
        assert_eq!(of_answer(Version::V1_0, &HeaderMap::new()), A2A_JSON);
        assert_eq!(of_answer(Version::V0_3, &HeaderMap::new()), JSON);
        assert_eq!(of_answer(Version::V1_0Draft, &HeaderMap::new()), JSON);
        assert_eq!(of_error(Version::V1_0Draft, &HeaderMap::new()), PROBLEM_JSON);
    }
}
