//! Credentials are shown nowhere, even by an agent that sends them back.

use axum::body::Body;
use axum::http::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::agent::Agent;
use super::program;
use super::proxy::{Asked, reference_agent, unchanged};

const KEY: &str = "s3cr3t/value\"9";
const TOKEN: &str = "t0k3n-of-the-bearer";
const PASSWORD: &str = "p4ssw0rd-in-the-url";

/// The token in other spellings: escaped as in JSON and HTML, some characters or all of them.
fn spelled() -> [String; 4] {
    let escaped =
        |escape: &dyn Fn(usize, char) -> String| TOKEN.chars().enumerate().map(|(at, c)| escape(at, c)).collect();
    [
        escaped(&|_, c| format!("\\u{:04x}", u32::from(c))),
        escaped(&|at, c| if at % 2 == 0 { format!("\\u{:04X}", u32::from(c)) } else { c.to_string() }),
        escaped(&|_, c| format!("&#{};", u32::from(c))),
        escaped(&|at, c| if at % 3 == 0 { format!("&#x{:x};", u32::from(c)) } else { c.to_string() }),
    ]
}

/// Every header that the agent got, as an agent with a careless error handler would show them: plainly, escaped, and as
/// pairs of basic authentication.
fn echo(asked: &Asked) -> String {
    let headers =
        asked.headers.iter().map(|(name, value)| format!("{name}={}", String::from_utf8_lossy(value.as_bytes())));
    let plain = headers.collect::<Vec<_>>().join("; ");
    let encoded = STANDARD.encode(format!("user:{TOKEN}"));
    let escaped = if plain.contains(TOKEN) { spelled().join("; ") } else { String::new() };
    format!("cannot serve you: {plain}; encoded: {encoded}; escaped: {escaped}")
}

/// The reference agent, but that errors and the states of tasks show what it was sent.
fn careless_agent() -> Agent {
    reference_agent(|asked, answer| {
        if asked.is_grpc() {
            return Response::builder()
                .header("content-type", "application/grpc")
                .header("grpc-status", "13")
                .header("grpc-message", echo(&asked).replace('"', "%22"))
                .header("x-echo", echo(&asked))
                .body(Body::empty())
                .unwrap();
        }
        let Ok(mut body) = serde_json::from_slice::<Value>(answer.body()) else { return unchanged(answer) };
        if !asked.is_call() {
            body["description"] = json!(echo(&asked));
            body["skills"][0]["id"] = json!([echo(&asked)]);
        }
        if let Some(error) = body.get_mut("error") {
            *error = json!({ "code": -32603, "message": echo(&asked) });
        }
        if let Some(state) = body.pointer_mut("/result/task/status/state") {
            *state = json!(echo(&asked));
        }
        let body = Body::from(body.to_string());
        Response::builder()
            .header("content-type", "application/json")
            .header("x-echo", echo(&asked))
            .body(body)
            .unwrap()
    })
}

fn assert_silent(place: &str, text: &str) {
    let escaped = json!(KEY).to_string();
    let shown = [KEY.to_owned(), escaped.trim_matches('"').to_owned(), TOKEN.to_owned(), PASSWORD.to_owned()];
    let in_grpc = KEY.replace('"', "%22");
    let encoded = [STANDARD.encode(format!("user:{PASSWORD}")), STANDARD.encode(TOKEN)];
    let escaped = spelled().into_iter().flat_map(|spelling| [spelling.replace('\\', "\\\\"), spelling]);
    for secret in shown.into_iter().chain([in_grpc]).chain(encoded).chain(escaped) {
        let line = text.lines().find(|line| line.contains(&secret));
        assert!(line.is_none(), "{place} shows {secret}: {}", line.unwrap_or_default());
    }
}

#[test]
fn secrets_are_shown_nowhere() {
    let agent = careless_agent();
    let folder = program::Folder::new();
    let header = format!("X-Key: {KEY}");
    let trace = folder.file("trace.txt");
    let files = [("json", "report.json"), ("junit", "report.xml"), ("terminal", "report.txt")];
    let flags = files.map(|(format, name)| format!("{format}={}", folder.file(name)));
    let arguments = [
        "check",
        &agent.url,
        "--header",
        &header,
        "--bearer",
        "env:A2ASPEC_TEST_TOKEN",
        "--timeout",
        "4",
        "--trace",
        &trace,
        "--report",
        "terminal",
        "--report",
        &flags[0],
        "--report",
        &flags[1],
        "--report",
        &flags[2],
    ];
    let ran = program::run(&arguments, &[("A2ASPEC_TEST_TOKEN", TOKEN)]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_silent("standard output", &ran.stdout);
    assert_silent("standard error", &ran.stderr);
    for name in ["report.json", "report.xml", "report.txt", "trace.txt"] {
        let text = std::fs::read_to_string(folder.file(name)).unwrap();
        assert!(text.contains("cannot serve you"), "the agent's echo is not in {name}, which so proves nothing");
        assert_silent(name, &text);
    }
}

/// The password of a URL is one, too.
#[test]
fn a_password_in_the_url_is_shown_nowhere() {
    let agent = careless_agent();
    let folder = program::Folder::new();
    let (json, trace) = (folder.file("report.json"), folder.file("trace.txt"));
    let report = format!("json={json}");
    let url = agent.url.replace("http://", &format!("http://user:{PASSWORD}@"));
    let ran = program::run(
        &[
            "check",
            &url,
            "--only",
            "get/*",
            "--timeout",
            "20",
            "--report",
            "terminal",
            "--report",
            &report,
            "--trace",
            &trace,
        ],
        &[],
    );
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_silent("standard output", &ran.stdout);
    assert_silent("standard error", &ran.stderr);
    for file in [json, trace] {
        assert_silent(&file, &std::fs::read_to_string(&file).unwrap());
    }
}

/// What comes in the place of a card is shown to the user, too.
#[test]
fn an_echo_in_the_place_of_the_card() {
    for body in [|asked: &Asked| echo(asked), |asked: &Asked| json!([echo(asked)]).to_string()] {
        let agent = reference_agent(move |asked, _| Response::new(Body::from(body(&asked))));
        let header = format!("X-Key: {KEY}");
        let ran = program::run(
            &["check", &agent.url, "--header", &header, "--bearer", "env:A2ASPEC_TEST_TOKEN"],
            &[("A2ASPEC_TEST_TOKEN", TOKEN)],
        );
        assert_eq!(ran.code, 3, "{}", ran.stdout);
        assert_silent("standard error", &ran.stderr);
    }
}
