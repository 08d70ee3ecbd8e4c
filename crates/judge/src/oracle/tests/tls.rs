//! What is below HTTP.

use serde_json::json;

use super::script::Script;
use super::{Row, hold, right, unseen, wrong};
use crate::profile::Operation::GetTask;
use crate::transcript::Ended;
use crate::wire::tls::{Offer, ServerReply};

/// An answer from this URL.
fn from(url: &str) -> Script {
    let error = json!({ "code": -32001, "message": "no" });
    Script::v1_0().error("s", GetTask, error).but(|draft| draft.url = Some(url.to_owned()))
}

/// An answer from this URL with a field of HSTS.
fn with_hsts(url: &str, value: &str) -> Script {
    from(url).but(|draft| draft.headers.push(("strict-transport-security".to_owned(), value.to_owned())))
}

/// What an agent that speaks TLS makes of an offer.
fn offered(ended: Ended) -> Script {
    from("https://agent.example.com/").hello("o", ended)
}

fn agreed(version: u16, suite: u16) -> ServerReply {
    ServerReply::Hello { version, suite }
}

pub(super) fn rows() -> Vec<Row> {
    let s = || json!("s");
    let of = || json!({ "offer": "o", "served": "s" });
    let (old, weak) = (Offer::OldVersions, Offer::WeakCiphers);
    let plain = from("http://agent.example.com/").hello("o", Ended::Closed);
    let lost = from("https://agent.example.com/").but(|draft| draft.is_lost = true);
    let card =
        Script::v1_0().card("s", &json!({})).but(|draft| draft.url = Some("http://agent.example.com/".to_owned()));
    vec![
        right("encrypted", s(), from("https://agent.example.com/a2a")),
        wrong("encrypted", s(), from("http://agent.example.com/a2a"), "without TLS"),
        wrong("encrypted", s(), from("http://8.8.8.8/"), "without TLS"),
        wrong("encrypted", s(), card, "without TLS"),
        unseen(
            "encrypted",
            s(),
            from("http://localhost:8080/"),
            "not applicable: the agent is on this machine or in a private network",
        ),
        unseen(
            "encrypted",
            s(),
            from("http://agent/"),
            "not applicable: the agent is on this machine or in a private network",
        ),
        unseen("encrypted", s(), lost, "no response"),
        right("tls-refused", of(), offered(Ended::Hello(old, ServerReply::Alert(70)))),
        right("tls-refused", of(), offered(Ended::Closed)),
        wrong(
            "tls-refused",
            of(),
            offered(Ended::Hello(old, agreed(0x0302, 0x0035))),
            "the agent accepts a TLS version that RFC 8996 forbids",
        ),
        wrong(
            "tls-refused",
            of(),
            offered(Ended::Hello(old, agreed(0x0301, 0x000a))),
            "the agent accepts a TLS version that RFC 8996 forbids",
        ),
        wrong("tls-refused", of(), offered(Ended::Hello(weak, agreed(0x0303, 0x0005))), "cipher suite"),
        unseen("tls-refused", of(), offered(Ended::Hello(old, agreed(0x0303, 0x1301))), "TLS 1.2"),
        unseen("tls-refused", of(), offered(Ended::Hello(weak, ServerReply::Other)), "something else than TLS"),
        unseen("tls-refused", of(), plain, "not applicable: the interface does not use TLS"),
        right("hsts", s(), with_hsts("https://agent.example.com/", "max-age=31536000; includeSubDomains")),
        right("hsts", s(), with_hsts("https://agent.example.com/", "includeSubDomains; Max-Age = \"1\"")),
        wrong("hsts", s(), from("https://agent.example.com/"), "a response lacks Strict-Transport-Security"),
        wrong(
            "hsts",
            s(),
            with_hsts("https://agent.example.com/", "max-age=0"),
            "a response lacks Strict-Transport-Security",
        ),
        wrong(
            "hsts",
            s(),
            with_hsts("https://agent.example.com/", "yes"),
            "a response lacks Strict-Transport-Security",
        ),
        unseen("hsts", s(), from("https://8.8.8.8/"), "without a name"),
        unseen("hsts", s(), from("http://agent.example.com/"), "does not use TLS"),
    ]
}

#[test]
fn what_is_below_http() {
    hold(&rows());
}
