//! Every exchange of a run as text, for those who want to see it all.
//!
//! ```text
//! #12 get/unknown-id, at 1.204 s
//! > POST http://127.0.0.1:41241/
//! > content-type: application/json
//! >
//! > {"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"id":"no-such-task"}}
//! < 200
//! < content-type: application/json
//! <
//! < {"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"no such task"}}
//! = complete after 3.1 ms
//! ```
//!
//! Of a request whose every byte the case chose, head included, all bytes stand below the first line. A request of the agent to
//! the suite says so in its first line. Messages of gRPC are shown in JSON form, one a line, and trailers below an empty line of their own.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use super::body::Body;
use super::exchange;
use crate::diagnostic::words::{one_line, printable};
use crate::event::Event;
use crate::secrets::Secrets;
use crate::transcript::{Direction, Exchange};

/// The most bytes of a body that a trace shows.
const LONGEST: usize = 16 << 10;

/// Writes exchanges as they end.
#[derive(Debug)]
pub struct Trace<W: Write> {
    out: W,
    secrets: Secrets,
}

impl Trace<BufWriter<File>> {
    /// A trace into a file that [`prepare`](super::output::prepare) has opened.
    pub(crate) fn into_file(file: File, secrets: Secrets) -> Self {
        Self::new(BufWriter::new(file), secrets)
    }
}

impl<W: Write> Trace<W> {
    /// A trace into anything.
    pub(crate) fn new(out: W, secrets: Secrets) -> Self {
        Self { out, secrets }
    }

    /// Writes what happened, if it is an exchange, and flushes, so that the trace of a run that dies is whole.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn see(&mut self, event: &Event) -> io::Result<()> {
        let Event::Exchanged(exchange) = event else { return Ok(()) };
        self.out.write_all(shown(exchange, &self.secrets).as_bytes())?;
        self.out.flush()
    }
}

/// One exchange, as a trace shows it.
pub(crate) fn shown(exchange: &Exchange, secrets: &Secrets) -> String {
    secrets.mask(&render(exchange, secrets))
}

/// Texts are masked before control characters are spelled out, which could change them.
fn render(exchange: &Exchange, secrets: &Secrets) -> String {
    let request = &exchange.request;
    let mut out =
        format!("#{} {}, at {:.3} s\n", exchange.number, one_line(&exchange.purpose), exchange.started.as_secs_f64());
    let url = one_line(&secrets.mask(&request.url));
    out.push_str(&match (request.is_verbatim, exchange.direction) {
        (true, _) => format!("> these bytes, to {url}\n"),
        (false, Direction::Outbound) => format!("> {} {url}\n", request.method),
        (false, Direction::Inbound) => format!("> {} {url} (from the agent)\n", request.method),
    });
    part(&mut out, '>', &request.headers, &Body::new(&request.body, LONGEST, secrets), secrets);
    match &exchange.response {
        Some(response) => {
            out.push_str(&format!("< {}\n", response.status));
            let body = match exchange::decoded(response) {
                Some(text) => Body::decoded(text, &response.body, LONGEST, secrets),
                None => Body::new(&response.body, LONGEST, secrets),
            };
            part(&mut out, '<', &response.headers, &body, secrets);
            if !response.trailers.is_empty() {
                out.push_str("<\n");
                part(&mut out, '<', &response.trailers, &Body::default(), secrets);
            }
        }
        None => out.push_str("< no response\n"),
    }
    let took = exchange.elapsed.as_secs_f64() * 1e3;
    let ended = exchange::ending(&exchange.ended).unwrap_or_else(|| "complete".to_owned());
    out.push_str(&format!("= {} after {took:.1} ms\n\n", one_line(&ended)));
    out
}

/// Headers, and the body below an empty line.
fn part(out: &mut String, mark: char, headers: &[(String, String)], body: &Body, secrets: &Secrets) {
    for (name, value) in headers {
        out.push_str(&format!("{mark} {}: {}\n", one_line(name), one_line(&secrets.mask(value))));
    }
    if body.size() == 0 {
        return;
    }
    out.push_str(&format!("{mark}\n"));
    for line in printable(body.shown()).lines() {
        out.push_str(format!("{mark} {line}").trim_end());
        out.push('\n');
    }
    if body.is_base64() {
        out.push_str(&format!("{mark} (these bytes are no text, and shown in base64)\n"));
    }
    if let Some(cut) = body.cut() {
        out.push_str(&format!("{mark} (the beginning of {} bytes; their SHA-256 is {})\n", cut.bytes, cut.sha256));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::report::sample;
    use crate::transcript::{Ended, TransportError};

    #[test]
    fn exchanges_are_written_as_they_end() {
        let mut trace = Trace::new(Vec::new(), Secrets::new(vec!["hunter22".into()]));
        let body = r#"{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"id":"hunter22"}}"#;
        let mut first =
            sample::exchange(12, "get/unknown-id", body, Some("event: x\ndata: \u{1b}[2J hunter22\r\n\r\n"));
        first.request.headers.push(("authorization".into(), "Bearer hunter22".into()));
        let mut second = sample::exchange(13, "get/unknown-id", "", None);
        second.ended = Ended::Failed(TransportError::Refused);
        let mut third = sample::exchange(14, "jsonrpc/parse-error-invalid-utf8", "", Some("{}\n\n[]"));
        third.request.body = bytes::Bytes::from_static(b"{\"a\":\"\xff\"}");
        third.ended = Ended::TimedOut(Duration::from_secs(10));
        for exchange in [first, second, third] {
            trace.see(&Event::Exchanged(Arc::new(exchange))).unwrap();
        }
        insta::assert_snapshot!(String::from_utf8(trace.out).unwrap());
    }

    #[test]
    fn messages_of_grpc_are_written_as_json_with_their_trailers() {
        let mut trace = Trace::new(Vec::new(), Secrets::default());
        let messages = "{\"task\":{\"id\":\"1\"}}\n{\"statusUpdate\":{}}";
        for (number, text) in [(1, messages), (2, "")] {
            let exchange = sample::over_grpc(number, "SendStreamingMessage", "{}", text, 0);
            trace.see(&Event::Exchanged(Arc::new(exchange))).unwrap();
        }
        insta::assert_snapshot!(String::from_utf8(trace.out).unwrap());
    }

    #[test]
    fn bytes_and_requests_of_the_agent_are_marked() {
        let mut trace = Trace::new(Vec::new(), Secrets::default());
        let mut bytes = sample::exchange(1, "http1/host", "GET / HTTP/1.1\r\nauthorization: ***\r\n\r\n", None);
        bytes.request.headers.clear();
        bytes.request.is_verbatim = true;
        bytes.ended = Ended::Closed;
        let mut delivery = sample::exchange(2, "push/case", "{}", Some(""));
        delivery.direction = Direction::Inbound;
        for exchange in [bytes, delivery] {
            trace.see(&Event::Exchanged(Arc::new(exchange))).unwrap();
        }
        insta::assert_snapshot!(String::from_utf8(trace.out).unwrap());
    }
}
