use serde_json::json;

use super::*;
use crate::har;

fn all(name: &str) -> Vec<Entry> {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/har/tests").join(name);
    let mut all = Vec::new();
    har::entries(&file, &mut |entry| all.push(entry)).unwrap();
    all
}

fn answer(content: &Value, status: u16, sizes: i64) -> Body {
    let response = json!({ "status": status, "headers": [], "content": content, "bodySize": sizes });
    Entry::read(1, json!({ "request": { "method": "GET", "url": "http://a/" }, "response": response }))
        .answer
        .unwrap()
        .body
}

fn whole(text: &'static str) -> Body {
    Body::Whole(Bytes::from_static(text.as_bytes()))
}

#[test]
fn what_mitmproxy_writes_is_read() {
    let [card, call, lost] = all("mitmproxy.har").try_into().unwrap();
    assert_eq!((card.number, card.method.as_str()), (1, "GET"));
    assert_eq!(card.headers.first(), Some(&("accept".to_owned(), "*/*".to_owned())), "pseudo headers are no headers");
    assert_eq!(card.began, "2026-11-02T10:00:00.123456Z".parse().ok());
    assert_eq!((card.grain, card.took), (Duration::from_micros(1), Duration::from_micros(12_500)));
    assert_eq!(card.answer.unwrap().body, whole("{\"name\":\"demo\"}"));
    assert_eq!(call.grain, Duration::from_secs(1));
    assert!(call.body.bytes().starts_with(b"{\"jsonrpc\""));
    assert_eq!(call.answer.unwrap().body, whole("{}"), "base64");
    assert_eq!((lost.grain, lost.answer.is_none()), (Duration::from_millis(100), true));
}

#[test]
fn what_chromium_writes_is_read() {
    let [stream, socket, aborted] = all("chromium.har").try_into().unwrap();
    assert_eq!(stream.header("a2a-version"), Some("1.0"));
    let answered = stream.answer.unwrap();
    assert_eq!(answered.headers, [("content-type".to_owned(), "text/event-stream".to_owned())]);
    assert_eq!(answered.body, Body::Missing("the archive has no response body"), "a stream without its text");
    assert_eq!(socket.answer.unwrap().status, 101);
    assert!(aborted.answer.is_none());
    assert_eq!(aborted.body, Body::Missing("the archive has no request body"));
}

#[test]
fn a_body_is_whole_cut_or_missing() {
    assert_eq!(answer(&json!({ "size": 2, "text": "{}" }), 200, 2), whole("{}"));
    assert_eq!(answer(&json!({ "size": 0, "text": "" }), 200, 0), whole(""));
    assert_eq!(answer(&json!({ "size": 0 }), 204, -1), whole(""));
    assert_eq!(answer(&json!({ "text": "{}", "encoding": "" }), 200, -1), whole("{}"));
    let cut = Body::Cut(Bytes::from_static(b"{\"a"));
    assert_eq!(answer(&json!({ "size": 9_000, "text": "{\"a" }), 200, -1), cut);
    assert_eq!(answer(&json!({ "text": "{\"a", "comment": "only the beginning; ..." }), 200, -1), cut);
    for (content, sizes) in [
        (json!({ "size": 5 }), -1),
        (json!({ "size": 5, "text": "" }), -1),
        (json!({ "text": "" }), 7),
        (json!({ "text": "%%", "encoding": "base64" }), -1),
        (json!({ "text": "x", "encoding": "rot13" }), -1),
        (json!({ "text": null }), -1),
        (json!(null), -1),
    ] {
        assert!(matches!(answer(&content, 200, sizes), Body::Missing(_)), "{content}");
    }
}

#[test]
fn what_is_no_entry_is_an_empty_one() {
    for value in
        [json!(null), json!([]), json!({ "request": [], "response": "x", "time": "1" }), json!({ "time": -1e300 })]
    {
        let entry = Entry::read(1, value);
        assert_eq!((entry.url.as_str(), entry.answer.is_none(), entry.began), ("", true, None));
    }
}

#[test]
fn what_a_trace_says_beside_the_format_is_read() {
    let entry = json!({ "_a2aspec": { "ended": "no", "verbatim": true, "purpose": "get/unknown-id" } });
    let own = Entry::read(1, entry).own.unwrap();
    assert_eq!(
        own,
        Own { ended: Some("no".to_owned()), is_verbatim: true, purpose: "get/unknown-id".to_owned(), ..Own::default() }
    );
}
