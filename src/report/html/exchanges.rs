//! The exchanges that findings cite.

use std::collections::BTreeMap;

use super::super::body::Body;
use super::super::by_hand;
use super::super::model::ExchangeInfo;
use super::shown::Shown;
use crate::diagnostic::words::count;
use crate::page::escape;

pub(super) fn render(out: &mut String, shown: &Shown<'_>) {
    let report = shown.report;
    out.push_str("<section>\n<h2 id=\"exchanges\">Exchanges</h2>\n");
    if report.exchanges.is_empty() {
        out.push_str("<p>No finding cites one.</p>\n");
    }
    for exchange in report.exchanges.iter().filter(|exchange| shown.has_exchange(exchange.id)) {
        out.push_str(&one(exchange));
    }
    out.push_str(&shown.exchanges_left_out());
    if report.exchanges_left_out > 0 {
        let more = count(report.exchanges_left_out, "more exchange");
        out.push_str(&format!("<p>{more} that findings cite had no room.</p>\n"));
    }
    out.push_str("</section>\n");
}

/// An exchange, folded.
pub(super) fn one(exchange: &ExchangeInfo) -> String {
    let mut out = String::new();
    let ExchangeInfo { id, purpose, elapsed_ms, request, response, ended, .. } = exchange;
    let who = if exchange.is_inbound() { "the agent asked" } else { "the suite asked" };
    let status = response.as_ref().map(|response| format!(", HTTP {}", response.status)).unwrap_or_default();
    out.push_str(&format!(
        "<details id=\"exchange-{id}\">\n<summary>#{id} {}: {who} {} {}{status}, {elapsed_ms:.1} ms</summary>\n",
        escape(purpose),
        escape(&request.method),
        escape(&request.url),
    ));
    let line = format!("{} {}", request.method, request.url);
    block(&mut out, "request", &line, &request.headers, &request.body, &BTreeMap::new());
    if let Some(response) = response {
        let line = format!("HTTP {}", response.status);
        block(&mut out, "response", &line, &response.headers, &response.body, &response.trailers);
    }
    let is_grpc = request.headers.get("content-type").is_some_and(|kind| kind.starts_with("application/grpc"));
    if let Some(line) = by_hand::line(request, is_grpc).filter(|_| !exchange.is_inbound()) {
        out.push_str(&format!(
            "<h3>by hand</h3>\n<pre class=\"bytes whole\" data-copy=\"the command\">{}</pre>\n",
            escape(&line)
        ));
    }
    if let Some(ended) = ended {
        out.push_str(&format!("<p>{}.</p>\n", escape(ended)));
    }
    out.push_str("</details>\n");
    out
}

fn block(
    out: &mut String,
    what: &str,
    line: &str,
    headers: &BTreeMap<String, String>,
    body: &Body,
    trailers: &BTreeMap<String, String>,
) {
    let mut text = format!("{line}\n");
    let told = |headers: &BTreeMap<String, String>| -> String {
        headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
    };
    text.push_str(&told(headers));
    if !body.shown().is_empty() {
        text.push_str(&format!("\n{}\n", body.text()));
    }
    if let Some(cut) = body.cut() {
        text.push_str(&format!("... {} in all\n", count(cut.bytes, "byte")));
    }
    if !trailers.is_empty() {
        text.push_str(&format!("\n{}", told(trailers)));
    }
    out.push_str(&format!("<h3>{what}</h3>\n<pre class=\"bytes\">{}</pre>\n", escape(text.trim_end())));
}
