//! Credentials are shown nowhere, even by an agent that sends them back.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::http::Response;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::agent::Agent;
use super::issuer::{self, Issuer, Manner};
use super::program;
use super::proxy::{Asked, is_stream, reference_agent, unchanged};

const KEY: &str = "s3cr3t/value\"9";
const ENVIRONMENT: &str = "k3y-of-the-environment";
const FILE: &str = "k3y/of+the=file";
const TOKEN: &str = "t0k3n-of-the-bearer";
/// As it stands in the URL, and what it means.
const PASSWORD: [&str; 2] = ["p4ssw0rd%2Fin%20the-url", "p4ssw0rd/in the-url"];
const OF_THE_CARD: [&str; 2] = ["p4ssw0rd%40in-the-card", "p4ssw0rd@in-the-card"];

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

/// Every header that the agent got, as an agent with a careless error handler would show them: plainly, escaped, and the
/// pairs of basic authentication decoded, too.
fn echo(asked: &Asked) -> String {
    let headers = asked.headers.iter().map(|(name, value)| (name, String::from_utf8_lossy(value.as_bytes())));
    let headers: Vec<_> = headers.collect();
    let plain: Vec<String> = headers.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let decoded = headers.iter().filter_map(|(_, value)| STANDARD.decode(value.strip_prefix("Basic ")?).ok());
    let decoded: Vec<String> = decoded.map(|pair| String::from_utf8_lossy(&pair).into_owned()).collect();
    let encoded = STANDARD.encode(format!("user:{TOKEN}"));
    let plain = plain.join("; ");
    let escaped = if plain.contains(TOKEN) { spelled().join("; ") } else { String::new() };
    format!("cannot serve you: {plain}; encoded: {encoded}; decoded: {}; escaped: {escaped}", decoded.join("; "))
}

/// An answer with the echo in the places where reports quote it.
pub fn spoil(body: &mut Value, echo: &str) {
    if let Some(error) = body.get_mut("error") {
        *error =
            json!({ "code": -32603, "message": echo, "data": { "reason": [echo] }, "details": [{ "reason": echo }] });
    }
    for state in ["/result/task/status/state", "/task/status/state", "/result/statusUpdate/status/state"] {
        if let Some(state) = body.pointer_mut(state) {
            *state = json!(echo);
        }
    }
}

/// A stream whose events are spoiled.
pub fn spoil_events(stream: &[u8], echo: &str) -> String {
    let spoiled = |line: &str| {
        let mut data = serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok()?;
        spoil(&mut data, echo);
        Some(format!("data: {data}\n"))
    };
    String::from_utf8_lossy(stream).lines().map(|line| spoiled(line).unwrap_or_else(|| format!("{line}\n"))).collect()
}

/// The reference agent, but that errors, streams and the states of tasks show what it was sent, and that its card names an
/// interface with a password in its URL, at another origin: this machine has two names.
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
        let spoiled = match serde_json::from_slice::<Value>(answer.body()) {
            Ok(mut body) if asked.is_call() => {
                spoil(&mut body, &echo(&asked));
                body.to_string()
            }
            Ok(mut card) => {
                card["description"] = json!(echo(&asked));
                card["skills"][0]["id"] = json!([echo(&asked)]);
                let rest = card["supportedInterfaces"][1]["url"].as_str().unwrap();
                let rest = rest.replace("127.0.0.1", &format!("card-user:{}@localhost", OF_THE_CARD[0]));
                card["supportedInterfaces"][1]["url"] = json!(rest);
                card.to_string()
            }
            Err(_) if is_stream(&answer) => spoil_events(answer.body(), &echo(&asked)),
            Err(_) => return unchanged(answer),
        };
        let kind = answer.headers().get("content-type").cloned().unwrap();
        Response::builder()
            .header("content-type", kind)
            .header("x-echo", echo(&asked))
            .body(Body::from(spoiled))
            .unwrap()
    })
}

/// Every secret, in every form in which it may come back.
fn secrets() -> Vec<String> {
    let escaped = json!(KEY).to_string();
    let pair = |user: &str, password: &str| format!("{user}:{password}");
    let (url, card) = (pair("url-user", PASSWORD[1]), pair("card-user", OF_THE_CARD[1]));
    let plain = [KEY, escaped.trim_matches('"'), ENVIRONMENT, FILE, TOKEN, PASSWORD[0], PASSWORD[1]];
    let plain = plain.into_iter().chain(OF_THE_CARD).chain([url.as_str(), &card]).map(str::to_owned);
    let encoded = [url.as_str(), &card, TOKEN].map(|text| STANDARD.encode(text));
    let escaped = spelled().into_iter().flat_map(|spelling| [spelling.replace('\\', "\\\\"), spelling]);
    plain.chain(encoded).chain([KEY.replace('"', "%22"), "user@".to_owned()]).chain(escaped).collect()
}

/// A place in which nothing of the agent is shown proves nothing.
fn assert_shown(place: &str, text: &str) {
    let is_shown = if OF_NO_AGENT.contains(&place) { !text.is_empty() } else { text.contains("cannot serve you") };
    assert!(is_shown, "the agent's echo is not in {place}, which so proves nothing");
}

fn assert_silent(place: &str, text: &str) {
    for secret in secrets() {
        let line = text.lines().find(|line| line.contains(&secret));
        assert!(line.is_none(), "{place} shows {secret}: {}", line.unwrap_or_default());
    }
}

/// Every format of reports, with a file for it.
const FORMATS: [(&str, &str); 11] = [
    ("json", "report.json"),
    ("ndjson", "report.ndjson"),
    ("junit", "report.xml"),
    ("terminal=full", "report.txt"),
    ("markdown", "report.md"),
    ("github", "annotations.txt"),
    ("sarif", "report.sarif"),
    ("tap", "report.tap"),
    ("html", "report.html"),
    ("har", "report.har"),
    ("badge", "badge.json"),
];

/// What shows nothing of what an agent says, whatever that is.
const OF_NO_AGENT: [&str; 2] = ["badge.json", "baseline.yaml"];

/// What shows exchanges, whatever is found.
const WITH_EXCHANGES: [&str; 3] = ["report.json", "report.har", "trace.txt"];

/// The flags of a run that writes everything that it can, into files of a folder.
pub fn writing(folder: &program::Folder) -> Vec<String> {
    let reports =
        FORMATS.iter().flat_map(|(format, name)| ["--report".to_owned(), format!("{format}={}", folder.file(name))]);
    let files = [("--trace", "trace.txt"), ("--write-baseline", "baseline.yaml")];
    let files = files.iter().flat_map(|(flag, name)| [(*flag).to_owned(), folder.file(name)]);
    reports.chain(files).collect()
}

/// What such a run has written, by the names of the files.
pub fn read(folder: &program::Folder) -> Vec<(&'static str, String)> {
    let names = FORMATS.iter().map(|(_, name)| *name).chain(["trace.txt", "baseline.yaml"]);
    names.map(|name| (name, std::fs::read_to_string(folder.file(name)).unwrap())).collect()
}

/// Everything that a run writes.
struct Written {
    ran: program::Ran,
    files: Vec<(&'static str, String)>,
}

/// Runs with every kind of output, and with headers from everywhere. The token of the bearer is used only if that is wanted,
/// since it takes the place of the password in the URL.
fn written(agent: &Agent, with_bearer: bool) -> Written {
    let folder = program::Folder::new();
    let key = format!("X-Key: {KEY}");
    let file = format!("X-File: file:{}", folder.write("key", &format!("{FILE}\n")));
    let url = agent.url.replace("http://", &format!("http://url-user:{}@", PASSWORD[0]));
    let elsewhere = agent.url.replace("127.0.0.1", "localhost");
    let writing = writing(&folder);
    let mut arguments = vec!["check", &url, "--header", &key, "--header", "X-Env: env:A2ASPEC_TEST_KEY"];
    arguments.extend(["--header", &file, "--allow-origin", &elsewhere, "--timeout", "20"]);
    arguments.extend(["--report", "terminal", "--profile", "1.0"]);
    ["card/*", "get/*", "stream/pattern"].iter().for_each(|pattern| arguments.extend(["--only", pattern]));
    arguments.extend(writing.iter().map(String::as_str));
    if with_bearer {
        arguments.extend(["--bearer", "env:A2ASPEC_TEST_TOKEN"]);
    }
    let environment = [("A2ASPEC_TEST_TOKEN", TOKEN), ("A2ASPEC_TEST_KEY", ENVIRONMENT)];
    let ran = program::run(&arguments, &environment);
    Written { ran, files: read(&folder) }
}

#[test]
fn secrets_are_shown_nowhere() {
    let agent = careless_agent();
    for with_bearer in [true, false] {
        let Written { ran, files } = written(&agent, with_bearer);
        assert_eq!(ran.code, 0, "what is in the baseline passes: {}", ran.stderr);
        assert_silent("standard output", &ran.stdout);
        assert_silent("standard error", &ran.stderr);
        for (name, text) in &files {
            assert_shown(name, text);
            assert_silent(name, text);
        }
        let trace = &files.iter().find(|(name, _)| *name == "trace.txt").unwrap().1;
        let streamed = trace.lines().any(|line| line.starts_with("< data: ") && line.contains("cannot serve you"));
        assert!(streamed, "no stream shows the echo");
        assert!(trace.contains("> authorization: ***"), "nothing was sent that could be shown");
        // What it takes to run a case again is there, but for what only the user has.
        let report: Value = serde_json::from_str(&files[0].1).unwrap();
        let again = report["cases"][0]["rerun"][0]["command"].as_str().unwrap();
        for part in
            ["--header 'X-Key: ***'", "--header 'X-Env: env:A2ASPEC_TEST_KEY'", "--allow-origin http://localhost:"]
        {
            assert!(again.contains(part), "{part}: {again}");
        }
        assert_eq!(again.contains("--bearer env:A2ASPEC_TEST_TOKEN"), with_bearer, "{again}");
    }
}

/// Of an interface that gets nothing from the user, the password in its own URL is sent; and shown as little.
#[test]
fn the_password_of_an_interface_is_shown_nowhere() {
    let agent = careless_agent();
    let folder = program::Folder::new();
    let (json, trace) = (folder.file("report.json"), folder.file("trace.txt"));
    let report = format!("json={json}");
    let arguments = ["check", &agent.url, "--only", "get/*", "--timeout", "20", "--report", "terminal"];
    let ran = program::run(&[&arguments[..], &["--report", &report, "--trace", &trace]].concat(), &[]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let trace = std::fs::read_to_string(&trace).unwrap();
    assert!(trace.contains("> authorization: ***"), "{trace}");
    for (place, text) in [
        ("standard output", &ran.stdout),
        ("standard error", &ran.stderr),
        ("the trace", &trace),
        ("the report", &std::fs::read_to_string(&json).unwrap()),
    ] {
        assert_silent(place, text);
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

/// What the identities bring, each of its own, by the form of `--identity` and its value.
const PLANTED: [(&str, &str); 8] = [
    ("me=bearer", "m4rked/own+bearer~1"),
    ("me=X-Own-Key", "m4rked own \"key\" 2"),
    ("me=cookie sid", "m4rked-own-cookie-3"),
    ("me=query api_key", "m4rked/own key&4"),
    ("you=bearer", "m4rked/other+bearer~5"),
    ("you=cookie sid", "m4rked-other-cookie-6"),
    ("you=query api_key", "m4rked/other key&7"),
    ("old=bearer", "m4rked/expired+bearer~8"),
];

/// A text as it is, in both alphabets of base64, percent-encoded, escaped as in JSON, and in hexadecimal.
fn encodings(text: &str) -> [String; 6] {
    let bytes = |escape: &dyn Fn(u8) -> String| text.bytes().map(escape).collect::<String>();
    [
        text.to_owned(),
        STANDARD.encode(text),
        URL_SAFE_NO_PAD.encode(text),
        bytes(&|byte| format!("%{byte:02X}")),
        bytes(&|byte| format!("\\u{byte:04x}")),
        bytes(&|byte| format!("{byte:02x}")),
    ]
}

/// An agent that shows these in every encoding, wherever it can.
pub fn showing(secrets: impl Fn(&Asked) -> Vec<&'static str> + Send + Sync + 'static) -> Agent {
    reference_agent(move |asked, answer| {
        let secrets = secrets(&asked);
        let shown: Vec<String> = secrets.iter().flat_map(|secret| encodings(secret)).collect();
        let shown = format!("cannot serve you: {}", shown.join("; "));
        if asked.is_grpc() {
            return Response::builder()
                .header("content-type", "application/grpc")
                .header("grpc-status", "13")
                .header("grpc-message", shown.replace('%', "%25"))
                .header("x-echo", shown)
                .body(Body::empty())
                .unwrap();
        }
        match serde_json::from_slice::<Value>(answer.body()) {
            // Its tasks are right: only then does anyone else ask for them.
            Ok(mut body) if asked.is_call() && body.get("error").is_some() => {
                spoil(&mut body, &shown);
                answer.map(|_| Body::from(body.to_string()))
            }
            // Only then are credentials tried that are no good.
            Ok(mut card) if !asked.is_call() => {
                card["securityRequirements"] = json!([{ "schemes": { "bearer": { "list": [] } } }]);
                answer.map(|_| Body::from(card.to_string()))
            }
            _ => unchanged(answer),
        }
    })
}

/// Asserts that none of these is shown in a place, in whatever encoding.
pub fn assert_hides(place: &str, text: &str, secrets: &[&str]) {
    for secret in secrets.iter().flat_map(|secret| encodings(secret)) {
        let line = text.lines().find(|line| line.contains(&secret));
        assert!(line.is_none(), "{place} shows {secret}: {}", line.unwrap_or_default());
    }
}

/// Checks such an agent in the name of `me`, beside whom `you` is: nothing that the run writes has a secret.
pub fn assert_nothing_shows(
    binding: &str,
    url: &str,
    flags: &[&str],
    environment: &[(&str, &str)],
    secrets: &[&str],
) -> program::Ran {
    let folder = program::Folder::new();
    let what = ["--profile", "1.0", "--binding", binding, "--as", "me", "--other", "you", "--report", "terminal=full"];
    let cases = ["--only", "get/*", "--only", "security/others-*", "--only", "security/expired", "--timeout", "20"];
    let writing = writing(&folder);
    let writing: Vec<&str> = writing.iter().map(String::as_str).collect();
    let ran = program::run(&[&["check", url], &what[..], &cases, flags, &writing].concat(), environment);
    // What is in the baseline passes, but where nothing could be tested.
    assert_eq!(ran.code, i32::from(binding == "grpc"), "{}", ran.stderr);
    for (place, text) in read(&folder).iter().chain([&("standard output", ran.stdout.clone())]) {
        // Findings cite less of errors that are no JSON-RPC. What has whole exchanges has the echo.
        if binding == "jsonrpc" || WITH_EXCHANGES.contains(place) {
            assert_shown(place, text);
        }
        assert_hides(place, text, secrets);
    }
    assert_hides("standard error", &ran.stderr, secrets);
    ran
}

/// Keys of all identities, in a header, a cookie and the query: sent to an agent that shows them in every encoding.
#[test]
fn keys_of_identities_are_shown_nowhere() {
    let secrets = PLANTED.map(|(_, secret)| secret);
    let (agent, seen) = showing_what_it_is_sent(secrets.to_vec());
    let identities: Vec<String> =
        PLANTED.iter().enumerate().map(|(number, (form, _))| format!("{form}: env:PLANTED_{number}")).collect();
    let variables: Vec<String> = (0..PLANTED.len()).map(|number| format!("PLANTED_{number}")).collect();
    let environment: Vec<(&str, &str)> =
        variables.iter().zip(PLANTED).map(|(name, (_, secret))| (name.as_str(), secret)).collect();
    let all = identities.iter().map(String::as_str).chain(["old=role:expired"]);
    let flags: Vec<&str> = all.flat_map(|identity| ["--identity", identity]).collect();
    for binding in ["jsonrpc", "http-json", "grpc"] {
        seen.lock().unwrap().clear();
        assert_nothing_shows(binding, &agent.url, &flags, &environment, &secrets);
        // Where it gets no task, nobody else asks for one.
        let expected = if binding == "grpc" { &secrets[..4] } else { &secrets };
        assert_eq!(*seen.lock().unwrap(), expected.iter().copied().collect(), "each was sent over {binding}");
    }
}

/// An agent that shows those of these secrets that it is sent, and which those were.
pub fn showing_what_it_is_sent(secrets: Vec<&'static str>) -> (Agent, Arc<Mutex<BTreeSet<&'static str>>>) {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let all = Arc::clone(&seen);
    let agent = showing(move |asked| {
        let headers = asked.headers.values().map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let query = url::form_urlencoded::parse(asked.query.as_bytes()).map(|(_, value)| value.into_owned());
        let mut sent: Vec<String> = headers.chain(query).collect();
        let pairs = sent.iter().filter_map(|text| STANDARD.decode(text.strip_prefix("Basic ")?).ok());
        let pairs: Vec<String> = pairs.map(|pair| String::from_utf8_lossy(&pair).into_owned()).collect();
        sent.extend(pairs);
        let planted = secrets.iter().filter(|secret| sent.iter().any(|text| text.contains(**secret)));
        let planted: Vec<&str> = planted.copied().collect();
        all.lock().unwrap().extend(planted.iter().copied());
        planted
    });
    (agent, seen)
}

/// The key of a tunnel that leads to the webhooks, which is in their URLs, and in what the agent says.
#[test]
fn the_key_of_a_tunnel_is_shown_nowhere() {
    const SECRET: &str = "m4rked/tunnel+key~1";
    let agent = showing(|_| vec![SECRET]);
    // A port that is free now.
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let listen = format!("127.0.0.1:{port}");
    let query: String = url::form_urlencoded::Serializer::new(String::new()).append_pair("code", SECRET).finish();
    let url = format!("http://{listen}/in?{query}");
    let mut flags = vec!["--webhook-listen", &listen, "--webhook-url", &url, "--only", "push/posted"];
    flags.extend(["--identity", "me=bearer:env:A2ASPEC_TEST_TOKEN", "--identity", "you=bearer:env:A2ASPEC_TEST_KEY"]);
    let environment = [("A2ASPEC_TEST_TOKEN", TOKEN), ("A2ASPEC_TEST_KEY", ENVIRONMENT)];
    let ran = assert_nothing_shows("jsonrpc", &agent.url, &flags, &environment, &[SECRET]);
    assert!(
        ran.stdout.contains("--webhook-url 'http://127.0.0.1:"),
        "the line to run it again is there: {}",
        ran.stdout
    );
    assert!(ran.stdout.contains("webhooks             1 right"), "it was posted: {}", ran.stdout);
}

/// What an issuer knows and gives: tokens of both identities, what refreshes them, and the secret by which they were got.
#[test]
fn tokens_and_the_secrets_behind_them_are_shown_nowhere() {
    const SECRETS: [&str; 5] =
        [issuer::SECRET, "m4rked-token/1", "m4rked-token/2", "m4rked-refresh-1", "m4rked-refresh-2"];
    let agent = showing(|_| SECRETS.to_vec());
    let issuer = Issuer::start(Manner { gives_refresh: true, ..Manner::default() });
    let folder = program::Folder::new();
    let identity = |name: &str| {
        format!(
            "[identities.{name}.oauth]\ngrant = 'client-credentials'\nissuer = '{}'\nclient-id = 'suite'\n\
             client-secret = 'env:A2ASPEC_TEST_SECRET'\nscopes = ['{name}']\n",
            issuer.agent.url
        )
    };
    let config = folder.write("settings.toml", &["me", "you"].map(identity).concat());
    let home = folder.path().display().to_string();
    let environment = [("A2ASPEC_TEST_SECRET", issuer::SECRET), ("XDG_CONFIG_HOME", &home), ("APPDATA", &home)];
    // Those that are new, and those that were kept.
    for _ in 0..2 {
        assert_nothing_shows("jsonrpc", &agent.url, &["--config", &config], &environment, &SECRETS);
    }
    assert_eq!(issuer.grants(), ["client_credentials", "client_credentials"]);
}
