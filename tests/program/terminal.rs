//! The agent cannot steer the terminal of whoever checks it, nor hide anything in a report.

use axum::body::Body;
use axum::http::{HeaderValue, Response};
use serde_json::{Value, json};

use super::agent::Agent;
use super::program::{self, Folder};
use super::proxy::{Asked, is_stream, reference_agent};

/// A title, a link and the clipboard (OSC 0, 8, 52), a cleared screen and a moved cursor (CSI), other escapes, the same in C1
/// controls, a bell, a return, turned and invisible writing.
const ODD: &str = "\u{1b}]0;title\u{7}\u{1b}]8;;http://evil.example\u{1b}\\link\u{1b}]8;;\u{1b}\\\u{1b}]52;c;ZXZpbA==\u{7}\
                   \u{1b}[31;8mhidden\u{1b}[2J\u{1b}[1;1H\u{1b}c\u{1b}P\u{9b}2J\u{9d}0;title\u{9c}\u{90}\u{7}\u{8}\rover\
                   \u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}\u{61c}\u{200e}\u{200f}\
                   \u{200b}\u{200c}\u{200d}\u{2060}\u{feff}\u{ad}\u{2028}\u{7f}";

/// Whether a character of the output is one that no output may have.
fn is_odd(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t') || (ODD.contains(c) && !c.is_ascii())
}

fn assert_harmless(place: &str, text: &str) {
    assert!(!text.contains("\u{1b}[31;8m"), "{place}: the agent chooses colours");
    // All others are ours.
    let styles = text.split("\u{1b}[").enumerate().map(|(index, part)| match index {
        0 => part,
        _ => part
            .split_once('m')
            .filter(|(style, _)| style.bytes().all(|c| c.is_ascii_digit() || c == b';'))
            .map_or("\u{1b}", |(_, rest)| rest),
    });
    let plain: String = styles.collect();
    let line = plain.lines().find(|line| line.contains(is_odd));
    assert!(line.is_none(), "{place}: {:?}", line.unwrap_or_default());
}

/// Appends to every string, also to names of members.
fn spoil(value: &mut Value) {
    match value {
        Value::String(text) => text.push_str(ODD),
        Value::Array(items) => items.iter_mut().for_each(spoil),
        Value::Object(members) => {
            members.values_mut().for_each(spoil);
            members.insert(format!("odd{ODD}"), json!(ODD));
        }
        _ => {}
    }
}

/// The interfaces that lead to the agent, and some whose every text is odd.
fn spoil_card(card: &mut Value) {
    let good = card["supportedInterfaces"].clone();
    spoil(card);
    let mut all = good.as_array().cloned().unwrap_or_default();
    let one = json!({ "url": "http://127.0.0.1:1/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" });
    for member in ["url", "protocolBinding", "protocolVersion"] {
        let mut odd = one.clone();
        odd[member] = json!(format!("{}{ODD}", one[member].as_str().unwrap()));
        all.push(odd);
    }
    card["supportedInterfaces"] = Value::from(all);
}

/// The reference agent, whose every text is odd, in its card only where that is wanted.
fn odd_agent(has_good_interfaces: bool) -> Agent {
    reference_agent(move |asked: Asked, answer| {
        let is_streamed = is_stream(&answer);
        let text = String::from_utf8_lossy(answer.body()).into_owned();
        let odd = match serde_json::from_str::<Value>(&text) {
            Ok(mut card) if !asked.is_call() && has_good_interfaces => {
                spoil_card(&mut card);
                card.to_string()
            }
            // Which request an answer is for must stay, or nothing of it would be read.
            Ok(mut body) => {
                let id = body.get("id").cloned();
                spoil(&mut body);
                if let Some(id) = id {
                    body["id"] = id;
                }
                // Some as they are, which is no JSON, and some escaped.
                let escaped = body.to_string();
                if asked.body.len().is_multiple_of(4) { format!("{escaped}{ODD}") } else { escaped }
            }
            Err(_) if is_streamed => {
                text.replace("\"working\"", &format!("\"{ODD}\"")).replace("data:", &format!("event: {ODD}\ndata:"))
            }
            Err(_) => format!("{text}{ODD}"),
        };
        let kind = answer.headers().get("content-type").cloned().unwrap_or(HeaderValue::from_static("text/plain"));
        // Headers take no control characters of ASCII, but all others.
        let header: Vec<u8> = ODD.chars().filter(|c| !c.is_ascii()).collect::<String>().into_bytes();
        Response::builder()
            .status(answer.status())
            .header("content-type", kind)
            .header("x-odd", HeaderValue::from_bytes(&header).unwrap())
            .header("grpc-message", "%1B]0;title%07%C2%9B2J%E2%80%AE")
            .body(Body::from(odd))
            .unwrap()
    })
}

#[test]
fn nothing_steers_the_terminal() {
    let agent = odd_agent(true);
    for environment in [&[][..], &[("NO_COLOR", ""), ("CLICOLOR_FORCE", "1")]] {
        let folder = Folder::new();
        let names =
            ["report.txt", "report.json", "report.xml", "trace.txt", "report.md", "report.sarif", "report.html"];
        let files = names.map(|name| folder.file(name));
        let formats = [("terminal", 0), ("json", 1), ("junit", 2), ("markdown", 4), ("sarif", 5), ("html", 6)];
        let reports = formats.map(|(format, file)| format!("{format}={}", files[file]));
        let mut arguments = vec!["check", &agent.url, "--timeout", "20", "--report", "terminal", "--trace", &files[3]];
        arguments.extend(reports.iter().flat_map(|report| ["--report", report.as_str()]));
        arguments.extend(["get/*", "card/*", "stream/closes", "errors/*"].iter().flat_map(|only| ["--only", only]));
        let ran = program::run(&arguments, environment);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(ran.stderr.contains("found Reference agent\\u{1b}]0;title"), "{}", ran.stderr);
        assert!(ran.stdout.contains("FAIL"), "{}", ran.stdout);
        assert_harmless("standard error", &ran.stderr);
        assert_harmless("standard output", &ran.stdout);
        for (name, file) in names.iter().zip(&files) {
            let text = std::fs::read_to_string(file).unwrap();
            assert!(text.contains("title"), "nothing odd came into {name}, which so proves nothing");
            assert_harmless(name, &text);
        }
    }
}

/// What is said where nothing can be checked.
#[test]
fn errors_do_not_steer_the_terminal() {
    let forced = [("NO_COLOR", ""), ("CLICOLOR_FORCE", "1")];
    let unusable = odd_agent(false);
    let page = reference_agent(|_, _| Response::new(Body::from(format!("<p>{ODD}</p>{ODD}"))));
    let cut = reference_agent(|_, _| Response::new(Body::from(format!("{{\"name\": \"{}\", {ODD}", "\u{202e}\u{9b}"))));
    let other = odd_agent(true);
    let runs: [&[&str]; 5] = [
        &[&unusable.url],
        &[&page.url],
        &[&cut.url],
        &[&other.url, "--profile", "0.1", "--binding", "grpc"],
        &[&page.url, "--profile", "1.0", "--binding", "jsonrpc", "--only", "get/unknown-id"],
    ];
    for run in runs {
        let ran = program::run(&[&["check"], run].concat(), &forced);
        assert_ne!(ran.code, 0, "{}", ran.stderr);
        assert_harmless("standard error", &ran.stderr);
        assert_harmless("standard output", &ran.stdout);
    }
}
