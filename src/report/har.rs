//! The exchanges of a report as HTTP Archive 1.2, which browsers and other viewers of HTTP read.
//!
//! What the form has no place for is in a `comment`: what an exchange was for, that only the beginning of a body is shown, that
//! the agent made the request. An exchange without an answer has the status 0, as archives of browsers have it.

use serde_json::{Value, json};
use url::Url;

use super::body::Body;
use super::json;
use super::model::{ExchangeInfo, Report, RequestInfo, ResponseInfo};
use crate::diagnostic::words::one_line;

/// The report's exchanges as an archive.
pub(crate) fn render(report: &Report) -> String {
    let began = report.started.parse::<jiff::Timestamp>().unwrap_or_default();
    let entries: Vec<Value> = report.exchanges.iter().map(|exchange| entry(exchange, began)).collect();
    let left_out = match (&report.error, report.exchanges_left_out) {
        (Some(error), _) => format!("nothing was tested: {}", one_line(&error.message)),
        (None, 0) => String::new(),
        (None, number) => format!("{number} more exchanges have no room in a report; --trace writes them all"),
    };
    json::indented(&json!({
        "log": {
            "version": "1.2",
            "creator": { "name": report.tool.name, "version": report.tool.version },
            "comment": left_out,
            "entries": entries,
        }
    }))
}

fn entry(exchange: &ExchangeInfo, began: jiff::Timestamp) -> Value {
    let after = jiff::SignedDuration::try_from_secs_f64(exchange.started_ms / 1e3).unwrap_or_default();
    let started = began.checked_add(after).unwrap_or(began);
    let direction = if exchange.is_inbound() { "from the agent to the suite; " } else { "" };
    let ended = exchange.ended.as_ref().map(|ended| format!("; {ended}")).unwrap_or_default();
    json!({
        "startedDateTime": format!("{started:.3}"),
        "time": exchange.elapsed_ms,
        "request": request(&exchange.request),
        "response": exchange.response.as_ref().map_or_else(no_response, response),
        "cache": {},
        "timings": { "send": 0, "wait": exchange.elapsed_ms, "receive": 0 },
        "comment": one_line(&format!("exchange {}: {direction}{}{ended}", exchange.id, exchange.purpose)),
    })
}

fn request(request: &RequestInfo) -> Value {
    let query: Vec<Value> = Url::parse(&request.url)
        .map(|url| url.query_pairs().map(|(name, value)| json!({ "name": name, "value": value })).collect())
        .unwrap_or_default();
    let mut told = json!({
        "method": request.method,
        "url": request.url,
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": headers(request.headers.iter()),
        "queryString": query,
        "headersSize": -1,
        "bodySize": request.body.length(),
    });
    if request.body.length() > 0 {
        let mime = request.headers.get("content-type").map_or("", String::as_str);
        let mut data = json!({ "mimeType": mime, "text": request.body.shown() });
        let of_bytes = if request.body.is_base64() { "the text is base64; " } else { "" };
        let verbatim = if request.verbatim { "the text is all that was written, heads included; " } else { "" };
        comment(&mut data, &format!("{of_bytes}{verbatim}{}", cut(&request.body)));
        told["postData"] = data;
    }
    told
}

fn response(response: &ResponseInfo) -> Value {
    let mime = response.headers.get("content-type").map_or("", String::as_str);
    let mut content = json!({ "size": response.body.length(), "mimeType": mime, "text": response.body.shown() });
    if response.body.is_base64() {
        content["encoding"] = json!("base64");
    }
    let decoded = if response.decoded { "messages of gRPC in JSON form; " } else { "" };
    comment(&mut content, &format!("{decoded}{}", cut(&response.body)));
    json!({
        "status": response.status,
        "statusText": "",
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": headers(response.headers.iter().chain(&response.trailers)),
        "content": content,
        "redirectURL": response.headers.get("location").map_or("", String::as_str),
        "headersSize": -1,
        "bodySize": response.body.length(),
    })
}

fn no_response() -> Value {
    json!({
        "status": 0,
        "statusText": "",
        "httpVersion": "",
        "cookies": [],
        "headers": [],
        "content": { "size": 0, "mimeType": "" },
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": -1,
        "comment": "no answer",
    })
}

fn headers<'a>(headers: impl Iterator<Item = (&'a String, &'a String)>) -> Vec<Value> {
    headers.map(|(name, value)| json!({ "name": name, "value": value })).collect()
}

fn cut(body: &Body) -> String {
    body.cut().map(|cut| format!("only the beginning; all of it has the SHA-256 {}", cut.sha256)).unwrap_or_default()
}

fn comment(place: &mut Value, text: &str) {
    let text = text.trim_end_matches("; ");
    if !text.is_empty() {
        place["comment"] = json!(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn an_archive() {
        insta::assert_snapshot!(render(&sample::stream()));
    }

    /// What the form demands of each entry, whatever the exchange was.
    #[test]
    fn every_entry_is_whole() {
        for report in [sample::full(), sample::clean(), sample::stream(), sample::grpc(), sample::long()] {
            let archive: Value = serde_json::from_str(&render(&report)).unwrap();
            let entries = archive["log"]["entries"].as_array().unwrap();
            assert_eq!(entries.len(), report.exchanges.len());
            for entry in entries {
                let started = entry["startedDateTime"].as_str().unwrap();
                assert!(started.parse::<jiff::Timestamp>().is_ok(), "{started}");
                let numbers = ["/time", "/timings/send", "/timings/wait", "/timings/receive", "/request/headersSize"];
                let more = ["/request/bodySize", "/response/status", "/response/content/size", "/response/bodySize"];
                for number in numbers.into_iter().chain(more) {
                    assert!(entry.pointer(number).is_some_and(Value::is_number), "{number} of {entry}");
                }
                let texts = ["/request/method", "/request/url", "/request/httpVersion", "/response/statusText"];
                let more = ["/response/httpVersion", "/response/redirectURL", "/response/content/mimeType"];
                for text in texts.into_iter().chain(more) {
                    assert!(entry.pointer(text).is_some_and(Value::is_string), "{text} of {entry}");
                }
                for list in ["/request/cookies", "/request/headers", "/request/queryString", "/response/headers"] {
                    assert!(entry.pointer(list).is_some_and(Value::is_array), "{list} of {entry}");
                }
                assert!(entry["cache"].is_object());
            }
        }
    }
}
