//! The fuzz targets without cargo-fuzz: on what was found before, on the inputs for parsers, and on these damaged.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::collections::BTreeSet;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use a2aspec::corpus::{Kind, Makers};
use a2aspec::generate::{Choices, seeded};
use a2aspec::profile::{self, Operation};
use targets::{TARGETS, Target};

/// Inputs of each target.
const EACH: u64 = 300;

/// Messages of gRPC, each behind the byte that chooses its operation.
fn messages() -> Vec<Vec<u8>> {
    let profiles = profile::bundled().unwrap();
    let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
    let parts = serde_json::json!([{ "text": "a" }, { "data": { "a": [1, null, { "b": true }] } }, { "raw": "YQ==" }]);
    let message =
        serde_json::json!({ "messageId": "a", "role": "ROLE_USER", "parts": parts, "metadata": { "a": 1.5 } });
    let all = [
        (Operation::SendMessage, serde_json::json!({ "message": message })),
        (Operation::GetTask, serde_json::json!({ "id": "a", "historyLength": 1 })),
        (Operation::ListTasks, serde_json::json!({ "pageSize": 2, "statusTimestampAfter": "2025-01-02T03:04:05Z" })),
    ];
    let of = |(operation, params): (Operation, serde_json::Value)| {
        let number = profile.facts.operations.keys().position(|known| *known == operation).unwrap();
        [&[u8::try_from(number).unwrap()], &profile.write_message(operation, &params).unwrap()[..]].concat()
    };
    all.into_iter().map(of).collect()
}

/// Runs a target, and shows the input that it fails on.
fn run(name: &str, target: Target, bytes: &[u8]) {
    if catch_unwind(|| target(bytes)).is_err() {
        panic!("{name} fails on {} bytes: {}", bytes.len(), bytes.escape_ascii());
    }
}

/// Bytes with one place changed, left out, doubled or cut off.
fn damaged(bytes: &[u8], choices: &mut Choices<'_>) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let at = choices.below(bytes.len());
    let other = choices.bits().to_le_bytes()[0];
    match (choices.below(4), bytes.get_mut(at)) {
        (0, Some(byte)) => *byte = other,
        (1, Some(_)) => drop(bytes.remove(at)),
        (2, Some(_)) => bytes.insert(at, other),
        (3, Some(_)) => bytes.truncate(at),
        _ => bytes.push(other),
    }
    bytes
}

/// A `google.rpc.Status` with an ErrorInfo, whose metadata have one entry.
const ERROR_INFO: &str = "\u{8}\u{5}\u{12}\u{1}a\u{1a}\u{3a}\n(type.googleapis.com/google.rpc.ErrorInfo\u{12}\u{e}\n\u{1}R\u{12}\u{1}d\u{1a}\u{6}\n\u{1}k\u{12}\u{1}v";

/// Texts that begin well, for readers of which the corpus has no kind.
fn samples(name: &str) -> &'static [&'static str] {
    match name {
        "timestamp" => {
            &["2025-01-02T03:04:05Z", "2025-01-02T03:04:05.678+01:00", "0000-01-01T00:00:00z", "20250102T030405Z"]
        }
        "base64" => &["AAAA", "aGVsbG8=", "-_-_", "YQ==", "YR=="],
        "case" => &[
            "cases:\n  - id: get/x\n    title: A\n    steps:\n      - call: GetTask\n        with: { id: a }\n",
            "- id: a/b\n  title: é\n",
            "a: &a [*a]\n",
        ],
        "config" => &["url = \"http://a\"\nprofile = [\"1.0\"]\n", "[triggers]\nwork = \"a\"\n"],
        "agent" => &[
            r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"a","historyLength":1}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"a","role":"ROLE_USER","parts":[{"raw":"YQ=="}]}}}"#,
            r#"[{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageSize":1}}]"#,
            r#"{"jsonrpc":"2.0","method":"message/send","params":{"message":{"kind":"message","messageId":"a","role":"user","parts":[{"kind":"text","text":"a"}]}}}"#,
            r#"{"jsonrpc":"2.0","id":"a","method":"tasks/send","params":{"id":"a","message":{"role":"user","parts":[{"type":"text","text":"a"}]}}}"#,
        ],
        "agent-http" => &[
            "GET /tasks/a?historyLength=1",
            "POST /message:send\n{\"message\":{\"messageId\":\"a\",\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"a\"}]}}",
            "DELETE /tenant/tasks/a/pushNotificationConfigs/b",
            "POST /tasks/a%2Fb:cancel\n{}",
        ],
        "details" => &["\u{8}\u{5}\u{12}\u{1}a", "CAUSAWE=", ERROR_INFO],
        "http1" => &[
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nT: 1\r\n\r\n",
            "HTTP/1.0 404 \nA: b\n c\n\nuntil the end",
        ],
        "http2" => &[
            "\0\0\0\u{4}\0\0\0\0\0\0\0\u{e}\u{1}\u{4}\0\0\0\u{1}\0\u{7}:status\u{3}200\0\0\u{1}\0\u{1}\0\0\0\u{1}a",
            "\0\0\u{4}\u{3}\0\0\0\0\u{1}\0\0\0\u{8}\0\0\u{8}\u{7}\0\0\0\0\0\0\0\0\0\0\0\0\0",
        ],
        "fields" => &[
            "Text/HTML ;Charset=\"utf-8\" ; q=\"a\\\"b\";; ",
            "Newauth realm=\"apps\", type=1, title=\"a, b\", Basic realm=\"simple\"",
            "16",
            "a%20b%c3%a9%zz%",
        ],
        "tls" => &[
            "\u{15}\u{3}\u{1}\0\u{2}\u{1}\u{70}\u{15}\u{3}\u{3}\0\u{2}\u{2}\u{46}",
            "\u{16}\u{3}\u{1}\0\u{2a}\u{2}\0\0\u{26}\u{3}\u{2}01234567890123456789012345678901\0\0\u{35}\0",
            "HTTP/1.1 400 Bad Request\r\n\r\n",
        ],
        _ => &[],
    }
}

fn regressions() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/regressions")
}

/// The names in a folder.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn what_was_found_before_stays_mended() {
    for (name, target) in TARGETS {
        let folder = regressions().join(name);
        let files = names(&folder);
        assert!(!files.is_empty(), "{name} has no regressions");
        for file in files {
            run(name, target, &std::fs::read(folder.join(file)).unwrap());
        }
    }
}

/// Each folder is one of a target, and the list says of each file what it was.
#[test]
fn every_regression_is_explained() {
    let list = std::fs::read_to_string(regressions().join("README.md")).unwrap();
    let explained: BTreeSet<&str> =
        list.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | ")).map(|(file, _)| file).collect();
    let mut there = names(&regressions());
    assert!(there.remove("README.md"));
    assert_eq!(there, TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect());
    let files = there
        .iter()
        .flat_map(|name| names(&regressions().join(name)).into_iter().map(move |file| format!("{name}/{file}")));
    let files: BTreeSet<String> = files.collect();
    assert_eq!(files, explained.into_iter().map(str::to_owned).collect());
}

#[test]
fn seeded_inputs_hold() {
    let profiles = profile::bundled().unwrap();
    let messages = messages();
    for (name, target) in TARGETS {
        let kinds: &[Kind] = match name {
            "json" => &[Kind::Json],
            "sse" => &[Kind::Sse],
            "agent" => &[Kind::Request],
            "envelope" => &[Kind::Envelope, Kind::Request],
            "card" | "signature" => &[Kind::Card],
            "frames" => &[Kind::Grpc],
            _ => &[],
        };
        let makers = kinds.iter().map(|kind| Makers::new(*kind, profiles.last()).unwrap()).collect::<Vec<_>>();
        for number in 0..EACH {
            let bytes = seeded(21, number, 256);
            run(name, target, &bytes);
            let mut choices = Choices::new(&bytes);
            let sample = choices.pick(samples(name)).filter(|_| makers.is_empty() || number % 2 == 0);
            let made = sample.map(|text| text.as_bytes().to_vec());
            let made = made.or_else(|| choices.pick(&messages).filter(|_| name == "agent-grpc").cloned());
            let corpus = |choices: &mut Choices<'_>| choices.pick(&makers)?.any(choices).map(|(_, input)| input.bytes);
            let made = made.or_else(|| corpus(&mut choices));
            let Some(made) = made.filter(|made| made.len() < 1 << 14) else { continue };
            // These take the place of a cut from the first byte.
            let is_cut = matches!(name, "sse" | "frames" | "http1" | "http2" | "tls");
            let made = if is_cut { [&[bytes[0]], &made[..]].concat() } else { made };
            run(name, target, &made);
            run(name, target, &damaged(&made, &mut Choices::new(&bytes)));
        }
    }
}

/// Otherwise the target of the agent's readers would hold of readers that read nothing.
#[test]
fn calls_are_read_by_the_agent() {
    for call in samples("agent") {
        let reads = |version| a2a_reference_agent::reads(version, call.as_bytes());
        assert!(a2a_reference_agent::Version::ALL.into_iter().any(reads), "{call}");
    }
}

#[test]
fn requests_over_http_are_read_by_the_agent() {
    for request in samples("agent-http") {
        let (line, body) = request.split_once('\n').unwrap_or((request, ""));
        let (method, address) = line.split_once(' ').unwrap();
        let reads = |version| a2a_reference_agent::reads_over_http(version, method, address, body.as_bytes());
        assert!(a2a_reference_agent::Version::ALL.into_iter().any(reads), "{request}");
    }
}

/// What the suite writes over gRPC is read by both, in each version that has it.
#[test]
fn messages_are_read_by_the_agent() {
    let params = serde_json::json!({ "id": "a" });
    let of_a_task = |name: &str| serde_json::json!({ "name": name });
    for (version, params) in [("1.0", params), ("0.3", of_a_task("tasks/a")), ("1.0-draft", of_a_task("tasks/a"))] {
        let profiles = profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == version).unwrap();
        let message = profile.write_message(Operation::GetTask, &params).unwrap();
        assert!(a2a_reference_agent::reads_over_grpc(version.parse().unwrap(), "GetTask", &message), "{version}");
        assert_eq!(profile.read_message(Operation::GetTask, &message), Ok(Some(params)), "{version}");
        let number = profile.facts.operations.keys().position(|known| *known == Operation::GetTask).unwrap();
        run("agent-grpc", targets::agent::grpc, &[&[u8::try_from(number).unwrap()], &message[..]].concat());
    }
}

/// Each target is a program of cargo-fuzz, too.
#[test]
fn every_target_has_its_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    for (name, _) in TARGETS {
        assert!(folder.join(format!("fuzz_targets/{name}.rs")).is_file(), "{name}");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
    }
    assert_eq!(std::fs::read_dir(folder.join("fuzz_targets")).unwrap().count(), TARGETS.len());
}
