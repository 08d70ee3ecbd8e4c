use std::future::Future;
use std::time::Duration;

use axum::http::HeaderMap;
use tokio::time::{Instant, timeout_at};

/// When a client stops waiting, if it has said so with `grpc-timeout` (gRPC over HTTP/2, "Requests").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// The deadline of a request that has just come. One that cannot be read, or that lies beyond all calendars, is
    /// none.
    pub fn of(headers: &HeaderMap) -> Self {
        let timeout = headers.get("grpc-timeout").and_then(|value| read(value.to_str().ok()?));
        Self(timeout.and_then(|timeout| Instant::now().checked_add(timeout)))
    }

    /// What `work` gives; `None` where the deadline passes first, and `work` is dropped.
    pub async fn limit<T>(self, work: impl Future<Output = T>) -> Option<T> {
        match self.0 {
            None => Some(work.await),
            Some(instant) => timeout_at(instant, work).await.ok(),
        }
    }
}

/// Reads a timeout: up to eight digits and a unit.
fn read(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let amount = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(amount * 3600)),
        "M" => Some(Duration::from_secs(amount * 60)),
        "S" => Some(Duration::from_secs(amount)),
        "m" => Some(Duration::from_millis(amount)),
        "u" => Some(Duration::from_micros(amount)),
        "n" => Some(Duration::from_nanos(amount)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_have_a_unit() {
        for (text, expected) in [
            ("2H", Some(Duration::from_secs(7200))),
            ("3M", Some(Duration::from_secs(180))),
            ("5S", Some(Duration::from_secs(5))),
            ("250m", Some(Duration::from_millis(250))),
            ("0u", Some(Duration::ZERO)),
            ("99999999n", Some(Duration::from_nanos(99_999_999))),
            ("99999999H", Some(Duration::from_secs(359_999_996_400))),
            ("100000000n", None),
            ("", None),
            ("S", None),
            ("5", None),
            ("+5S", None),
            ("-5S", None),
            ("5s", None),
            ("5é", None),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
