//! Tokens of any length, by an agent that says "the token X is not known" in every place and every spelling: no piece of them
//! is shown.

use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::http::Response;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::agent::Agent;
use super::program;
use super::proxy::{Asked, is_stream, reference_agent, unchanged};
use super::secrets::{read, spoil, spoil_events, writing};

/// What is around every echo.
const ECHO: &str = "is not known here";

/// How long the tokens are: around every length at which a report shortens what it quotes, and to what a header may hold.
const LENGTHS: [usize; 7] = [16, 24, 60, 154, 500, 1_100, 4_000];

/// The shortest piece that may not be shown, in bytes.
const PIECE: usize = 12;

/// A way to write a token.
type Spelling = (&'static str, fn(&str) -> String);

const SPELLINGS: [Spelling; 13] = [
    ("plain", str::to_owned),
    ("capitals", str::to_ascii_uppercase),
    ("small letters", str::to_ascii_lowercase),
    ("escaped as in JSON", |token| each(token, |byte| format!("\\u{byte:04x}"))),
    ("escaped as in a program", |token| each(token, |byte| format!("\\x{byte:02X}"))),
    ("escaped as in HTML", |token| each(token, |byte| format!("&#{byte};"))),
    ("escaped as in a URL", |token| each(token, |byte| format!("%{byte:02X}"))),
    ("escaped as in a URL within a URL", |token| each(token, |byte| format!("%25{byte:02x}"))),
    ("in base64", |token| STANDARD.encode(token)),
    ("in base64 for URLs", |token| URL_SAFE_NO_PAD.encode(token)),
    ("in hexadecimal", |token| each(token, |byte| format!("{byte:02x}"))),
    ("cut behind its head", |token| token[..PIECE].to_owned()),
    ("cut in the middle", |token| format!("{}...{}", &token[..token.len() / 2], &token[token.len() - 3..])),
];

fn each(token: &str, spell: impl Fn(u8) -> String) -> String {
    token.bytes().map(spell).collect()
}

/// A token of the characters of a JWT, in which no piece occurs twice.
fn token(length: usize) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut state = length as u64 + 0x9e37_79b9;
    let digits = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(DIGITS[usize::try_from(state >> 58).unwrap()])
    });
    digits.take(length).collect()
}

/// An agent that shows each caller its tokens, in another spelling each time, and the spellings that it has used.
fn careless_agent() -> (Agent, Arc<Mutex<BTreeSet<&'static str>>>) {
    let tokens = LENGTHS.map(token);
    let (count, used) = (AtomicUsize::new(0), Arc::new(Mutex::new(BTreeSet::new())));
    let all = Arc::clone(&used);
    let agent = reference_agent(move |asked, answer| {
        let sent: Vec<&str> = asked.headers.values().filter_map(|value| value.to_str().ok()).collect();
        let sent = tokens.iter().filter(|token| sent.iter().any(|value| value.ends_with(token.as_str())));
        // A header of gRPC holds no more.
        let sent: Vec<&String> = sent.filter(|token| !asked.is_grpc() || token.len() < 1_000).collect();
        if sent.is_empty() {
            return unchanged(answer);
        }
        let (name, spell) = SPELLINGS[count.fetch_add(1, Ordering::Relaxed) % SPELLINGS.len()];
        all.lock().unwrap().insert(name);
        let echo: Vec<String> = sent.iter().map(|token| format!("token {} {ECHO}", spell(token))).collect();
        spoiled(&asked, answer, &echo.join("; "))
    });
    (agent, used)
}

/// An answer with the echo in the places that reports quote.
fn spoiled(asked: &Asked, answer: Response<axum::body::Bytes>, echo: &str) -> Response<Body> {
    if asked.is_grpc() {
        let failed = Response::builder().header("content-type", "application/grpc").header("grpc-status", "13");
        return failed.header("grpc-message", echo.replace('%', "%25")).body(Body::empty()).unwrap();
    }
    let text = match serde_json::from_slice::<Value>(answer.body()) {
        Ok(mut body) if asked.is_call() => {
            spoil(&mut body, echo);
            body.to_string()
        }
        Ok(mut card) => {
            card["description"] = json!(echo);
            card["skills"][0]["id"] = json!([echo]);
            card.to_string()
        }
        Err(_) if is_stream(&answer) => spoil_events(answer.body(), echo),
        // A page in place of an answer.
        Err(_) => format!("<p>{echo}</p>"),
    };
    let mut spoiled = Response::builder().status(answer.status()).header("x-echo", &echo[..echo.len().min(8_000)]);
    for (name, value) in answer.headers() {
        spoiled = spoiled.header(name, value);
    }
    spoiled.body(Body::from(text)).unwrap()
}

/// Every piece of some tokens, without the case of letters.
struct Pieces(HashSet<[u8; PIECE]>);

impl Pieces {
    fn of(tokens: &[String]) -> Self {
        let spelled = tokens.iter().flat_map(|token| {
            let in_bytes = ["plain", "in base64", "in base64 for URLs", "in hexadecimal"];
            SPELLINGS.iter().filter(move |(name, _)| in_bytes.contains(name)).map(|(_, spell)| spell(token))
        });
        let pieces = spelled.flat_map(|text| {
            let text = text.to_ascii_lowercase().into_bytes();
            text.windows(PIECE).map(|piece| piece.try_into().unwrap()).collect::<Vec<_>>()
        });
        Self(pieces.collect())
    }

    /// The first piece in a text, as it is and with its escapes read.
    fn find(&self, text: &str) -> Option<String> {
        let read = unescaped(text);
        [text.as_bytes(), &read].into_iter().find_map(|text| {
            let text = text.to_ascii_lowercase();
            let found = text.windows(PIECE).find(|window| self.0.contains(*window));
            found.map(|piece| String::from_utf8_lossy(piece).into_owned())
        })
    }
}

/// A text with its escapes read, until there are none: those of JSON, programs, HTML and URLs.
fn unescaped(text: &str) -> Vec<u8> {
    let text = text.replace("\\\\", "\\").replace("&amp;", "&").replace("%25", "%").replace("%25", "%");
    let mut read = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let (byte, left) = escape(rest).unwrap_or((*first, behind));
        read.push(byte);
        rest = left;
    }
    read
}

/// The byte of an escape at the beginning of a text, and what is behind it.
fn escape(text: &[u8]) -> Option<(u8, &[u8])> {
    let (digits, radix, end): (&[u8], u32, &[u8]) = ["\\u00", "\\x", "%"]
        .into_iter()
        .find_map(|lead| Some((text.strip_prefix(lead.as_bytes())?.get(..2)?, 16, b"".as_slice())))
        .or_else(|| {
            let number = text.strip_prefix(b"&#")?;
            let length = number.iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
            Some((&number[..length], 10, b";".as_slice()))
        })?;
    let byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()?;
    let behind = digits.as_ptr_range().end as usize - text.as_ptr() as usize;
    Some((byte, text[behind..].strip_prefix(end)?))
}

#[test]
fn no_piece_of_a_token_is_shown() {
    let tokens = LENGTHS.map(token);
    let pieces = Pieces::of(&tokens);
    for (name, spell) in SPELLINGS {
        let echo = format!("token {} {ECHO}", spell(&tokens[3]));
        assert!(pieces.find(&echo).is_some(), "the test does not see a token that is {name}");
    }
    let (agent, used) = careless_agent();
    let names: Vec<String> = (0..LENGTHS.len()).map(|number| format!("PLANTED_{number}")).collect();
    let environment: Vec<(&str, &str)> =
        names.iter().zip(&tokens).map(|(name, token)| (name.as_str(), token.as_str())).collect();
    let headers: Vec<String> = names.iter().map(|name| format!("X-{name}: env:{name}")).collect();
    let flags: Vec<&str> = headers[1..].iter().flat_map(|header| ["--header", header]).collect();
    let flags = [&[&agent.url, "--bearer", "env:PLANTED_0", "--profile", "1.0"][..], &flags].concat();

    let folder = program::Folder::new();
    let writing = writing(&folder);
    let writing: Vec<&str> = writing.iter().map(String::as_str).collect();
    let only = ["--only", "get/*", "--only", "stream/pattern", "--only", "card/sk*", "--report", "terminal=full"];
    let ran = program::run(&[&["check"], &flags[..], &only, &writing].concat(), &environment);
    assert!(ran.code <= 1, "{}", ran.stderr);
    let doctor = program::run(&[&["doctor"], &flags[..]].concat(), &environment);
    let card = program::run(&[&["card", "lint"], &flags[..1], &flags[1..3]].concat(), &environment);

    let names = SPELLINGS.map(|(name, _)| name);
    assert_eq!(*used.lock().unwrap(), BTreeSet::from(names), "the agent did not use every spelling");
    let said = [("check", ran), ("doctor", doctor), ("card lint", card)];
    let said = said.map(|(name, ran)| (name, format!("{}\n{}", ran.stdout, ran.stderr)));
    let mut quoted = 0;
    for (place, text) in read(&folder).into_iter().chain(said) {
        quoted += usize::from(text.contains(ECHO));
        let piece = pieces.find(&text);
        assert!(piece.is_none(), "{place} shows {piece:?}");
    }
    assert!(quoted >= 10, "only {quoted} outputs quote the agent");
}
