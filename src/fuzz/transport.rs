//! Transport: HTTP/1.1 or HTTP/2 as no library writes it, or a call of gRPC whose prefix or metadata are odd, and a plain question
//! behind it.

use std::time::Duration;

use serde_json::{Value, json};

use super::aim::Aim;
use super::frames;
use super::http2;
use super::probe::{Probe, Send, bare};
use crate::case::{Last, Piece, Written};
use crate::generate::Choices;
use crate::profile::{Binding, Operation};

/// How long an answer to what may have none is waited for, before the connection is given up.
const PATIENCE: Duration = Duration::from_millis(300);
/// How long a line is that is longer than servers take.
const LONG: usize = 70_000;

/// The pieces of a right request, which can be cut between them.
const PIECES: [&str; 6] = [
    "${bytes.line}",
    "Host: ${bytes.host}\r\n",
    "${bytes.fields}",
    "Content-Length: ${bytes.length}\r\n",
    "\r\n",
    "${bytes.body}",
];

/// The steps that these decisions come to; nothing where no task can be asked for.
pub(super) fn make(aim: &Aim, choices: &mut Choices<'_>) -> Option<Vec<Probe>> {
    if !aim.operations.contains(&GET) {
        return None;
    }
    let binding = aim.session.connection.interface.binding;
    let mut steps = match binding {
        Binding::Grpc => vec![match choices.below(2) {
            0 => http2::make(choices)?,
            _ => frames::make(aim, choices)?,
        }],
        _ => match choices.below(4) {
            0 => right(binding, choices),
            1 => vec![refused(choices)?],
            2 => vec![cut(choices)],
            _ => vec![open(choices)],
        },
    };
    steps.push(Probe { send: Send::Call { params: question() }, class: "plain-read".to_owned(), ..bare(GET) });
    Some(steps)
}

/// What is asked for: it changes nothing, whatever is read of it.
const GET: Operation = Operation::GetTask;

fn question() -> Value {
    json!({ "id": "${done.id}" })
}

fn written(class: &str, place: &str, send: Vec<Piece>) -> Probe {
    let send = Send::Bytes { params: question(), send };
    Probe { send, class: class.to_owned(), place: place.to_owned(), ..bare(GET) }
}

fn text(text: impl Into<String>, at_once: Option<usize>) -> Piece {
    Piece::Write { what: Written::Text(text.into()), at_once }
}

/// A request with these fields in place of some of its own; nothing stands for what it is about.
fn with(host: &str, further: &str, length: &str) -> String {
    format!("${{bytes.line}}{host}{further}${{bytes.fields}}{length}\r\n${{bytes.body}}")
}

const HOST: &str = "Host: ${bytes.host}\r\n";
const LENGTH: &str = "Content-Length: ${bytes.length}\r\n";

/// A right request that few clients write so.
fn right(binding: Binding, choices: &mut Choices<'_>) -> Vec<Probe> {
    let (place, piece) = match choices.below(8) {
        0 => ("/in-pieces", text("${bytes.request}", Some(1 + choices.below(64)))),
        1 => ("/empty-line", text("\r\n${bytes.request}", None)),
        2 => {
            let line = "${bytes.method} ${bytes.url} HTTP/1.1\r\n";
            ("/absolute-form", text(with(HOST, "", LENGTH).replace("${bytes.line}", line), None))
        }
        3 => ("/names", text(with("hOST: ${bytes.host}\r\n", "", "CONTENT-length: ${bytes.length}\r\n"), None)),
        4 => ("/spaces", text(with("Host:${bytes.host}\r\n", "", "Content-Length: \t ${bytes.length} \t\r\n"), None)),
        // What comes behind it is answered behind it.
        5 => {
            let further = "GET /a2aspec-no-such-path HTTP/1.1\r\nHost: ${bytes.host}\r\n\r\n";
            ("/pipelined", text(format!("${{bytes.request}}{further}"), None))
        }
        // A question that has a body.
        6 if binding == Binding::Jsonrpc => return chunked(choices),
        _ => {
            let further: String = (0..20).map(|number| format!("X-A2aspec-{number}: {number}\r\n")).collect();
            ("/fields", text(with(HOST, &further, LENGTH), None))
        }
    };
    vec![written("right-bytes", place, vec![piece])]
}

/// A request in one chunk, and one in other chunks, which is read by whoever has read the first.
fn chunked(choices: &mut Choices<'_>) -> Vec<Probe> {
    const CODING: &str = "Transfer-Encoding: chunked\r\n";
    let request = |chunks: &str| text(with(HOST, "", CODING).replace("${bytes.body}", chunks), None);
    let others = match choices.below(3) {
        0 => "${bytes.chunks}0\r\n\r\n",
        1 => "000${bytes.hex};a2aspec=\"b\"\r\n${bytes.body}\r\n0\r\n\r\n",
        _ => "${bytes.hex}\r\n${bytes.body}\r\n0\r\nX-A2aspec: trailer\r\n\r\n",
    };
    let plain = written("chunks", "", vec![request("${bytes.hex}\r\n${bytes.body}\r\n0\r\n\r\n")]);
    let others = written("right-bytes", "/chunks", vec![request(others)]);
    vec![Probe { is_needed: true, ..plain }, others]
}

/// A request that has to be refused.
fn refused(choices: &mut Choices<'_>) -> Option<Probe> {
    let lengths = ["+${bytes.length}", "${bytes.length}.0", "0x${bytes.hex}", "${bytes.length}a", "-1", ""];
    let (place, request) = match choices.below(5) {
        0 => ("/length", with(HOST, "", &format!("Content-Length: {}\r\n", choices.pick(&lengths)?))),
        1 => ("/length", with(HOST, "", &format!("Content-Length: 7\r\n{LENGTH}"))),
        2 => {
            let coding = *choices.pick(&["chunked, identity", "a2aspec", "identity"])?;
            let body = "${bytes.hex}\r\n${bytes.body}\r\n0\r\n\r\n";
            let head = with(HOST, "", &format!("Transfer-Encoding: {coding}\r\n"));
            ("/coding", head.replace("${bytes.body}", body))
        }
        3 => {
            let hosts = ["X-A2aspec: no-host\r\n", "Host: ${bytes.host}\r\nHost: a2aspec.example\r\n", "Host: a b\r\n"];
            ("/host", with(choices.pick(&hosts)?, "", LENGTH))
        }
        _ => ("/space", with(HOST, "X-A2aspec : space\r\n", LENGTH)),
    };
    Some(written("refused-bytes", place, vec![text(request, None)]))
}

/// A request that breaks off, and how it does.
fn cut(choices: &mut Choices<'_>) -> Probe {
    let request: String = PIECES.iter().take(1 + choices.below(PIECES.len() - 1)).copied().collect();
    let request = match choices.below(5) {
        0 => "${bytes.method} ".to_owned(),
        1 => format!("{request}X-A2aspec"),
        // More is said to come than comes.
        2 => with(HOST, "", "Content-Length: ${bytes.length}9\r\n"),
        // Nothing is missing, and the answer is waited for by nobody, or by who sends no more.
        3 => "${bytes.request}".to_owned(),
        _ => request,
    };
    let mut send = vec![text(request, None)];
    send.extend(match choices.below(3) {
        0 => vec![Piece::Then(Last::Close)],
        1 => vec![Piece::Then(Last::Reset)],
        _ => vec![Piece::Then(Last::HalfClose), Piece::Pause(PATIENCE), Piece::Then(Last::Close)],
    });
    written("odd-bytes", "", send)
}

/// Another first piece.
fn begin(pieces: &mut [String], with: String) {
    if let Some(first) = pieces.first_mut() {
        *first = with;
    }
}

/// Lines that servers have opinions about.
const LINES: [&str; 20] = [
    "X-A2aspec: \0\r\n",
    " folded\r\n",
    "X-A2aspec: line feed\n",
    "\r",
    "no colon\r\n",
    ": no name\r\n",
    "Expect: a2aspec\r\n",
    "Expect: 100-continue\r\n",
    "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n",
    "Upgrade: websocket\r\nConnection: Upgrade\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Content-Length: 99999999999999999999\r\n",
    "Content-Encoding: gzip\r\n",
    "Content-Type: application/json; charset=utf-16\r\n",
    "Content-Type: multipart/form-data; boundary=\r\n",
    "Accept: image/png\r\n",
    "Accept-Encoding: br;q=\r\n",
    "Connection: close, keep-alive\r\n",
    "Range: bytes=0-1\r\n",
    "A2A-Version: \u{fffd}\u{7f}\r\n",
];

/// First lines that are none, or of another time.
const FIRST: [&str; 9] = [
    "${bytes.method} ${bytes.target} HTTP/1.0\r\n",
    "${bytes.method} ${bytes.target} HTTP/9.9\r\n",
    "${bytes.method} ${bytes.target}\r\n",
    "${bytes.method}  ${bytes.target} HTTP/1.1\r\n",
    "a2aspec ${bytes.target} HTTP/1.1\r\n",
    "OPTIONS * HTTP/1.1\r\n",
    "CONNECT a2aspec.invalid:1 HTTP/1.1\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "${bytes.method} /%00%ff/..%2f\\ HTTP/1.1\r\n",
];

/// A request with pieces that are left out, doubled, in another order, or new.
fn open(choices: &mut Choices<'_>) -> Probe {
    let mut pieces: Vec<String> = PIECES.map(str::to_owned).to_vec();
    for _ in 0..=choices.below(3) {
        let at = choices.below(pieces.len());
        match choices.below(7) {
            0 => {
                pieces.remove(at);
            }
            1 => {
                let doubled = pieces.get(at).cloned().unwrap_or_default();
                pieces.insert(at, doubled);
            }
            2 => {
                let other = choices.below(pieces.len());
                pieces.swap(at, other);
            }
            3 => pieces.insert(at, format!("X-A2aspec: {}\r\n", "x".repeat(LONG))),
            4 => begin(&mut pieces, choices.pick(&FIRST).copied().unwrap_or_default().to_owned()),
            5 => begin(&mut pieces, format!("${{bytes.method}} ${{bytes.target}}?{} HTTP/1.1\r\n", "x".repeat(LONG))),
            _ => pieces.insert(at, choices.pick(&LINES).copied().unwrap_or_default().to_owned()),
        }
    }
    let send = vec![text(pieces.concat(), None), Piece::Pause(PATIENCE), Piece::Then(Last::Close)];
    written("odd-bytes", "", send)
}
