//! `a2aspec webhook listen`, with somebody who posts.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use super::{program, snapshot};

/// The program at work, and the path of its webhook at this address.
fn listening(arguments: &[&str]) -> (Child, BufReader<std::process::ChildStdout>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_a2aspec"))
        .args(["webhook", "listen"])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    out.read_line(&mut first).unwrap();
    let (address, path) = first.trim().strip_prefix("webhook at http://").unwrap().split_once('/').unwrap();
    (child, out, address.to_owned(), format!("/{path}"))
}

/// Sends one request, and gives the first line of its answer.
fn send(address: &str, method: &str, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nx-a2a-notification-token: t0k3n\r\n"
    );
    write!(stream, "{head}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.lines().next().unwrap().to_owned()
}

#[test]
fn what_is_posted_is_shown_as_it_comes() {
    let (mut child, mut out, address, path) = listening(&["--count", "2", "--status", "202"]);
    assert!(send(&address, "GET", &format!("{path}?validationToken=abc"), "").starts_with("HTTP/1.1 200"));
    for body in [r#"{"task":{"id":"t-1"}}"#, "no JSON\u{1b}[2J"] {
        assert!(send(&address, "POST", &path, body).starts_with("HTTP/1.1 202"));
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut shown = String::new();
    out.read_to_string(&mut shown).unwrap();
    let is_timed = |line: &str| line.starts_with('#') || line.starts_with('=');
    let untimed = |line: &str| {
        line.rsplit_once([',', 'a'])
            .filter(|_| is_timed(line))
            .map(|(said, _)| said.trim_end_matches([',', ' ']).to_owned())
    };
    let lines = shown.lines().map(|line| untimed(line).unwrap_or_else(|| line.to_owned()).replace(&path, "/PATH"));
    snapshot::check("webhook-listen", &lines.collect::<Vec<_>>().join("\n"));
}

/// What comes for other paths is sent away, and not shown.
#[cfg(unix)]
#[test]
fn it_listens_until_a_signal() {
    let (mut child, mut out, address, _) = listening(&[]);
    assert!(send(&address, "POST", "/elsewhere", "{}").starts_with("HTTP/1.1 404"));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut shown = String::new();
    out.read_to_string(&mut shown).unwrap();
    assert!(!shown.contains("elsewhere"), "{shown}");
}

#[test]
fn an_address_that_is_none_is_told() {
    let ran = program::run(&["webhook", "listen", "--webhook-listen", "localhost"], &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("\"localhost\" is no address to listen on"), "{}", ran.stderr);
}
