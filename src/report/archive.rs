//! Every exchange of a run as HTTP Archive 1.2: a trace that `a2aspec judge`, browsers and other viewers of HTTP read.
//!
//! Bodies are whole. The format has no place for how an exchange ended and for what it was; the member `_a2aspec` of an entry has that.

use std::io::{self, Seek, SeekFrom, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::exchange;
use crate::event::Event;
use crate::har;
use crate::secrets::Secrets;
use crate::transcript::{Direction, Exchange};

/// What follows the last entry.
const END: &str = "\n]}}\n";

/// Writes exchanges as they end. The archive is whole after each, so that the trace of a run that dies is one.
#[derive(Debug)]
pub(crate) struct Archive<W: Write + Seek> {
    out: W,
    secrets: Secrets,
    began: jiff::Timestamp,
    is_empty: bool,
}

impl<W: Write + Seek> Archive<W> {
    /// An archive into an empty file, of a run that began then.
    pub(crate) fn new(out: W, secrets: Secrets, began: jiff::Timestamp) -> Self {
        Self { out, secrets, began, is_empty: true }
    }

    /// Writes what happened, if it is an exchange.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn see(&mut self, event: &Event) -> io::Result<()> {
        let Event::Exchanged(exchange) = event else { return Ok(()) };
        let entry = entry(&std::sync::Arc::clone(exchange).masked(&self.secrets), self.began);
        let text = if self.is_empty {
            let creator = json!({ "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") });
            format!("{{\"log\":{{\"version\":\"1.2\",\"creator\":{creator},\"entries\":[\n{entry}{END}")
        } else {
            let length = i64::try_from(END.len()).unwrap_or_default();
            self.out.seek(SeekFrom::End(-length))?;
            format!(",\n{entry}{END}")
        };
        self.is_empty = false;
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }
}

fn entry(exchange: &Exchange, began: jiff::Timestamp) -> Value {
    let started = began.checked_add(exchange.started).unwrap_or(began);
    let took = exchange.elapsed.as_secs_f64() * 1e3;
    let mut own = json!({ "number": exchange.number, "purpose": exchange.purpose });
    let mut say = |name: &str, is_so: bool| {
        if is_so {
            own[name] = json!(true);
        }
    };
    say("inbound", exchange.direction == Direction::Inbound);
    say("verbatim", exchange.request.is_verbatim);
    say("exact", !exchange.request.params.is_object());
    if let Some(ended) = exchange::ending(&exchange.ended) {
        own["ended"] = json!(ended);
    }
    json!({
        "startedDateTime": format!("{started:.6}"),
        "time": took,
        "request": request(exchange),
        "response": response(exchange),
        "cache": {},
        "timings": { "send": 0, "wait": took, "receive": 0 },
        har::OWN: own,
    })
}

fn request(exchange: &Exchange) -> Value {
    let request = &exchange.request;
    let mut told = json!({
        "method": request.method,
        "url": request.url,
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": headers(&request.headers),
        "queryString": [],
        "headersSize": -1,
        "bodySize": request.body.len(),
    });
    if !request.body.is_empty() {
        told["postData"] = body(&request.body, request.header("content-type"), "_encoding");
    }
    told
}

fn response(exchange: &Exchange) -> Value {
    let response = exchange.response.as_ref();
    let none = Vec::new();
    let size = response.map_or(-1, |response| i64::try_from(response.body.len()).unwrap_or(-1));
    let mut content = response.map_or_else(
        || json!({ "mimeType": "" }),
        |response| body(&response.body, response.header("content-type"), "encoding"),
    );
    content["size"] = json!(size.max(0));
    json!({
        "status": response.map_or(0, |response| response.status),
        "statusText": "",
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": headers(response.map_or(&none, |response| &response.headers)),
        "content": content,
        "redirectURL": response.and_then(|response| response.header("location")).unwrap_or_default(),
        "headersSize": -1,
        "bodySize": size,
    })
}

/// A body as text, or as base64 where it is none.
fn body(bytes: &[u8], kind: Option<&str>, encoding: &str) -> Value {
    let mut told = json!({ "mimeType": kind.unwrap_or_default() });
    match std::str::from_utf8(bytes) {
        Ok(text) => told["text"] = json!(text),
        Err(_) => {
            told["text"] = json!(STANDARD.encode(bytes));
            told[encoding] = json!("base64");
        }
    }
    told
}

fn headers(list: &[(String, String)]) -> Vec<Value> {
    list.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::sync::Arc;

    use super::*;
    use crate::report::sample;
    use crate::transcript::Ended;

    #[test]
    fn an_archive_is_whole_after_each_exchange() {
        let secrets = Secrets::new(vec!["hunter22".into()]);
        let mut archive = Archive::new(Cursor::new(Vec::new()), secrets, "2026-11-02T10:00:00Z".parse().unwrap());
        let mut first = sample::exchange(12, "get/unknown-id", r#"{"id":"hunter22"}"#, Some("{}"));
        first.ended = Ended::HungUp;
        let mut second = sample::exchange(13, "jsonrpc/bytes", "", None);
        second.request.body = bytes::Bytes::from_static(b"\xff");
        second.request.is_verbatim = true;
        for (number, exchange) in (1..).zip([first, second]) {
            archive.see(&Event::Exchanged(Arc::new(exchange))).unwrap();
            let value: Value = serde_json::from_slice(archive.out.get_ref()).unwrap();
            assert_eq!(value["log"]["entries"].as_array().unwrap().len(), number);
        }
        insta::assert_snapshot!(String::from_utf8(archive.out.into_inner()).unwrap());
    }
}
