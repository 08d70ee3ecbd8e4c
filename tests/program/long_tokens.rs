//! No piece of a token is shown, however long it is, wherever it stands, however it is spelled, and wherever it was cut.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::Body;
use axum::http::Response;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::agent::Agent;
use super::program;
use super::proxy::{Asked, is_stream, reference_agent};
use super::secrets::{read, writing};

/// A token without a pattern in it.
fn token(length: usize) -> String {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut state = 0x9e37_79b9_u64 + u64::try_from(length).unwrap();
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(digits[usize::try_from(state >> 58).unwrap()])
    };
    (0..length).map(next).collect()
}

/// How agents, gateways and their logs spell a text.
fn spelled(text: &str, how: usize) -> String {
    let each = |spell: &dyn Fn(u8) -> String| text.bytes().map(spell).collect::<String>();
    match how % 13 {
        0 => text.to_owned(),
        1 => text.to_uppercase(),
        2 => each(&|byte| format!("%{byte:02x}")),
        3 => each(&|byte| format!("%25{byte:02X}")),
        4 => each(&|byte| format!("\\u{byte:04X}")),
        5 => each(&|byte| format!("\\x{byte:02x}")),
        6 => each(&|byte| format!("{byte:02X}")),
        7 => each(&|byte| format!("&#x{byte:x};")),
        8 => STANDARD.encode(format!("a{text}")),
        9 => STANDARD.encode(format!("ab{text}")),
        10 => URL_SAFE_NO_PAD.encode(text),
        // What a careful agent leaves of it, and what a careless one repeats.
        11 => text[..text.len().min(13)].to_owned(),
        _ => format!("{text}{text}"),
    }
}

/// The text in every place that an agent fills.
fn spoil(body: &mut Value, text: &str) {
    if let Some(error) = body.get_mut("error") {
        *error =
            json!({ "code": -32603, "message": text, "data": [{ "reason": text }], "details": [{ "reason": text }] });
    }
    for (place, value) in [
        ("/id", json!(text)),
        ("/result/task/status/message", json!({ "parts": [{ "text": text }], "role": text })),
        ("/result/task/status/state", json!(text)),
        ("/task/status/state", json!(text)),
        ("/result/statusUpdate/status/state", json!(text)),
        ("/result/statusUpdate/taskId", json!(text)),
    ] {
        body.pointer_mut(place).into_iter().for_each(|found| *found = value.clone());
    }
    if let Some(result) = body.get_mut("result").and_then(Value::as_object_mut) {
        result.insert(format!("x-{text}"), json!(text));
    }
}

/// An agent that shows the token that it was sent wherever it can, each time spelled otherwise.
fn careless() -> Agent {
    let count = AtomicUsize::new(0);
    reference_agent(move |asked: Asked, answer| {
        let sent = asked.headers.get("authorization").and_then(|value| value.to_str().ok());
        let token = sent.and_then(|sent| sent.strip_prefix("Bearer ")).unwrap_or_default().to_owned();
        let text = format!("token {} is not known", spelled(&token, count.fetch_add(1, Ordering::Relaxed)));
        let head = Response::builder().header("x-echo", &text).header("location", format!("/?t={token}"));
        if asked.is_grpc() {
            let head = head.header("content-type", "application/grpc").header("grpc-status", "13");
            let details = STANDARD
                .encode(format!("\x08\x0d\x12{}{token}", char::from(u8::try_from(token.len().min(100)).unwrap())));
            let message: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
            return head
                .header("grpc-message", message)
                .header("grpc-status-details-bin", details)
                .body(Body::empty())
                .unwrap();
        }
        let spoiled = match serde_json::from_slice::<Value>(answer.body()) {
            Ok(mut body) if asked.is_call() => {
                spoil(&mut body, &text);
                body.to_string()
            }
            Ok(mut card) => {
                card["description"] = json!(text);
                card["skills"][0]["id"] = json!([text]);
                card["skills"][0]["name"] = json!(text);
                card.to_string()
            }
            Err(_) if is_stream(&answer) => {
                let event = |line: &str| {
                    let data = line.strip_prefix("data: ").and_then(|data| serde_json::from_str::<Value>(data).ok());
                    let spoiled = data.map(|mut data| {
                        spoil(&mut data, &text);
                        format!("id: {text}\nevent: {text}\ndata: {data}\n")
                    });
                    spoiled.unwrap_or_else(|| format!("{line}\n"))
                };
                String::from_utf8_lossy(answer.body()).lines().map(event).collect()
            }
            Err(_) => text.clone(),
        };
        let kind = answer.headers().get("content-type").cloned();
        let head = kind.into_iter().fold(head, |head, kind| head.header("content-type", kind));
        head.status(answer.status()).body(Body::from(spoiled)).unwrap()
    })
}

/// The pieces of a token that nobody may see, spelled in each way: each is what spells twelve characters.
fn pieces(token: &str) -> Vec<(usize, HashSet<Vec<u8>>)> {
    let of = |text: &str, length: usize| {
        let text = text.to_lowercase().into_bytes();
        (length, text.windows(length).map(<[u8]>::to_vec).collect::<HashSet<_>>())
    };
    let lengths = [(0, 12), (2, 36), (3, 60), (4, 72), (5, 48), (6, 24), (7, 72), (8, 18), (9, 18), (10, 18)];
    lengths.into_iter().map(|(how, length)| of(&spelled(token, how), length)).collect()
}

fn assert_hides(place: &str, text: &str, pieces: &[(usize, HashSet<Vec<u8>>)]) {
    let text = text.to_lowercase().into_bytes();
    for (length, hidden) in pieces {
        let shown = text.windows(*length).position(|piece| hidden.contains(piece));
        let around = shown
            .map(|at| String::from_utf8_lossy(&text[at.saturating_sub(80)..(at + 120).min(text.len())]).into_owned());
        assert!(around.is_none(), "{place} shows a piece: {}", around.unwrap_or_default());
    }
}

#[test]
fn no_piece_of_a_token_is_shown() {
    for length in [16, 153, 1_000, 4_000] {
        let (agent, token, folder) = (careless(), token(length), program::Folder::new());
        let pieces = pieces(&token);
        let mut arguments: Vec<String> =
            ["check", &agent.url, "--bearer", "env:LONG_TOKEN", "--timeout", "5"].map(str::to_owned).into();
        ["card/*", "get/*", "stream/*", "send/*"]
            .iter()
            .for_each(|only| arguments.extend(["--only".to_owned(), (*only).to_owned()]));
        arguments.extend(writing(&folder));
        arguments.extend(["--report".to_owned(), "terminal".to_owned()]);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ran = program::run(&arguments, &[("LONG_TOKEN", &token)]);
        let files = read(&folder);
        let trace =
            files.iter().find(|(name, _)| *name == "trace.txt").map(|(_, text)| text.matches("is not known").count());
        assert!(trace > Some(20), "the agent shows nothing, which proves nothing: {}{}", ran.stdout, ran.stderr);
        files.iter().for_each(|(name, text)| assert_hides(name, text, &pieces));
        let doctor = program::run(
            &["doctor", &agent.url, "--bearer", "env:LONG_TOKEN", "--timeout", "5"],
            &[("LONG_TOKEN", &token)],
        );
        for (place, ran) in [("check", ran), ("doctor", doctor)] {
            assert_hides(&format!("{place} > {length}"), &ran.stdout, &pieces);
            assert_hides(&format!("{place} 2> {length}"), &ran.stderr, &pieces);
        }
    }
}
