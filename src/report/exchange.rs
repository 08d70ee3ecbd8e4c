//! Exchanges as text.

use std::collections::BTreeMap;
use std::time::Duration;

use super::body::Body;
use super::model::{DirectionInfo, ExchangeInfo, RequestInfo, ResponseInfo};
use crate::diagnostic::words::{duration, shorten};
use crate::secrets::Secrets;
use crate::transcript::{Direction, Ended, Exchange, Limit, Response};

/// The most bytes of a URL or of the value of a header that a report shows.
const LONGEST_VALUE: usize = 2 << 10;
/// The most headers that a report shows.
const MOST_HEADERS: usize = 64;

/// An exchange as text, masked; at most `longest` bytes of each body are shown.
pub(crate) fn describe(exchange: &Exchange, longest: usize, secrets: &Secrets) -> ExchangeInfo {
    let request = &exchange.request;
    ExchangeInfo {
        id: exchange.number,
        purpose: secrets.mask(&exchange.purpose),
        started_ms: milliseconds(exchange.started),
        elapsed_ms: milliseconds(exchange.elapsed),
        direction: (exchange.direction == Direction::Inbound).then_some(DirectionInfo::Inbound),
        request: RequestInfo {
            method: request.method.clone(),
            url: shorten(&secrets.mask(&request.url), LONGEST_VALUE),
            headers: headers(&request.headers, secrets),
            body: Body::new(&request.body, longest, secrets),
            verbatim: request.is_verbatim,
        },
        response: exchange.response.as_ref().map(|response| ResponseInfo {
            status: response.status,
            headers: headers(&response.headers, secrets),
            body: match decoded(response) {
                Some(text) => Body::decoded(text, &response.body, longest, secrets),
                None => Body::new(&response.body, longest, secrets),
            },
            decoded: decoded(response).is_some(),
            trailers: headers(&response.trailers, secrets),
        }),
        ended: ending(&exchange.ended).map(|ended| secrets.mask(&ended)),
    }
}

/// The messages in a body in JSON form, one a line, where the body is no text and has messages that can be read. What
/// came in their place, such as a page, is shown as it is.
pub(super) fn decoded(response: &Response) -> Option<&str> {
    response.text.as_deref().filter(|text| !text.trim().is_empty())
}

/// To the microsecond, so that the report does not show the last bits of a double.
fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

/// Several headers of one name are joined with commas (RFC 9110 section 5.3).
fn headers(list: &[(String, String)], secrets: &Secrets) -> BTreeMap<String, String> {
    let mut joined: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in list.iter().take(MOST_HEADERS) {
        let value = shorten(&secrets.mask(value), LONGEST_VALUE);
        joined
            .entry(secrets.mask(name))
            .and_modify(|known| {
                known.push_str(", ");
                known.push_str(&value);
            })
            .or_insert(value);
    }
    joined
}

/// How an exchange ended, where the agent did not simply complete its answer.
pub(crate) fn ending(ended: &Ended) -> Option<String> {
    Some(match ended {
        Ended::Complete => return None,
        Ended::LeftOpen => "the agent fell silent and left the stream open; the suite hung up".to_owned(),
        Ended::HungUp => "the suite hung up, as the case says".to_owned(),
        Ended::Unrecorded => "the recording does not show how the response ended".to_owned(),
        Ended::Closed => "the agent closed the connection without an answer".to_owned(),
        Ended::Hello(_, reply) => format!("the agent answered with {reply}; the suite hung up"),
        Ended::TimedOut(waited) => format!("nothing came for {}", duration(*waited)),
        Ended::Endless(Limit::Bytes(bytes)) => format!("the answer went on beyond {bytes} bytes; the suite hung up"),
        Ended::Endless(Limit::Events(events)) => {
            format!("the stream went on beyond {events} events; the suite hung up")
        }
        Ended::Endless(Limit::Memory) => "there was no room for the rest of the answer; the suite hung up".to_owned(),
        Ended::Endless(Limit::Time(time)) => format!("the stream went on for {}; the suite hung up", duration(*time)),
        Ended::Reset(code) => format!("the agent reset the stream (HTTP/2 error {code})"),
        Ended::Failed(transport_error) => transport_error.to_string(),
    })
}
