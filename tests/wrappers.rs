//! Clients behind wrappers: a good one passes every case, each mistake turns the cases about it red and no others, and whatever a
//! wrapper does, the reports are written.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "wrappers/independent.rs"]
mod independent;
#[path = "wrappers/served.rs"]
mod served;
#[path = "wrappers/variations.rs"]
mod variations;
use crate::common::program;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

/// The wrapper around a small client, whose arguments are its mistakes.
const PLAIN: &str = "tests/wrappers/plain.py";

/// Each mistake that the client can make, and the cases that it turns red. Every case about clients stands in some row.
const MISTAKES: &[(&str, &[&str])] = &[
    ("version-once", &["version-on-every-operation", "version-on-lists", "version-on-streams", "version-on-webhooks"]),
    ("no-version", &["version-on-every-operation", "version-on-lists", "version-on-streams", "version-on-webhooks"]),
    (
        "future-version",
        &["version-on-every-operation", "version-on-lists", "version-on-streams", "version-on-webhooks"],
    ),
    ("patch-version", &["version-of-a-card-with-patch", "version-without-patch"]),
    ("v-version", &["version-has-two-numbers"]),
    ("last-interface", LAST_INTERFACE),
    ("prefers-jsonrpc", &["prefers-http-json-listed-first"]),
    ("prefers-rest", &["prefers-jsonrpc-listed-first"]),
    ("any-version", &["newer-version-first", "older-version-first"]),
    ("reads-one-interface", &["newer-version-first", "unknown-binding-first"]),
    ("any-binding", &["unknown-binding-first"]),
    ("own-url", &["url-of-the-interface"]),
    ("no-fallback", &["falls-back-to-http-json", "falls-back-to-jsonrpc"]),
    ("no-tenant", TENANT),
    ("other-tenant", TENANT),
    ("tenant-not-for-webhooks", &["tenant-for-webhooks"]),
    ("first-tenant", &["tenant-of-the-chosen-interface"]),
    ("makes-tenant", &["no-tenant"]),
    ("no-jsonrpc", &["jsonrpc-form"]),
    ("null-id", &["jsonrpc-ids"]),
    ("fraction-id", &["jsonrpc-ids"]),
    ("old-methods", &["new-names"]),
    ("raw-paths", &["ids-are-encoded"]),
    ("raw-query", &["queries-are-encoded"]),
    ("own-context", &["no-context-made-up"]),
    ("made-up-task", &["no-task-made-up"]),
    ("uuid-contexts", &["context-is-opaque"]),
    ("no-references", &["references-are-sent"]),
    ("task-in-configuration", &["push-configuration-without-task"]),
    ("fetches-anew", &["card-is-cached", "card-is-revalidated", "card-without-a-tag"]),
    ("never-conditional", &["card-is-revalidated"]),
    (
        "keeps-for-ever",
        &[
            "card-expired",
            "card-no-cache",
            "card-no-cache-but-fresh",
            "card-no-store",
            "card-no-store-but-fresh",
            "card-with-an-age",
        ],
    ),
    ("ignores-age", &["card-with-an-age"]),
    ("known-schemes", &["unknown-security-scheme"]),
    ("extended-anyway", &["extended-card-not-declared"]),
    ("webhook-anyway", &["push-in-message-not-declared"]),
    ("streams-anyway", &["streaming-not-declared"]),
    ("pushes-anyway", &["push-not-declared"]),
    ("ignores-required", &["required-extension-unknown"]),
    ("no-extensions", &["asks-for-extensions", "extensions-on-every-operation"]),
    ("extensions-once", &["extensions-on-every-operation"]),
    ("one-extension", &["asks-for-extensions"]),
    ("two-fields", &["asks-for-extensions"]),
    (
        "credentials-once",
        &["credentials-for-the-extended-card", "credentials-on-every-operation", "credentials-on-streams"],
    ),
    ("one-key-header", &["credentials-by-key", "credentials-of-two-schemes"]),
    ("keys-in-headers", &["credentials-by-key-in-a-cookie", "credentials-by-key-in-a-query"]),
    ("first-requirement", &["credentials-by-the-second-way"]),
    ("one-scheme", &["credentials-of-two-schemes"]),
    ("plain-basic", &["credentials-by-basic"]),
    ("keeps-public-card", &["extended-card-is-used"]),
    ("strict-members", &["unknown-members"]),
    ("no-nulls", &["null-members"]),
    ("wants-history", &["no-history"]),
    ("wants-status-message", &["no-status-message"]),
    ("walks-on", &["walk-ends"]),
    ("short-is-last", &["walk-over-a-short-page", "walk-over-an-empty-page"]),
    ("cuts-tokens", &["walk-with-a-long-token"]),
    ("plus-is-space", &["walk-with-an-opaque-token"]),
    ("forgets-filters", &["walk-keeps-its-filters"]),
    ("errors-alike", &["errors-by-name"]),
    ("missing-is-nothing", &["missing-task-is-an-error"]),
    ("wants-error-data", &["error-without-data"]),
    ("known-codes", &["error-with-an-unknown-code"]),
    ("one-detail", &["error-with-more-details", "error-with-more-details-over-jsonrpc"]),
    ("wants-status-objects", &["error-as-problem-details"]),
    ("page-is-result", &["page-instead-of-an-answer"]),
    ("any-id", &["response-with-another-id"]),
    ("result-first", &["result-beside-an-error"]),
    ("id-on-errors", &["error-with-an-http-status", "error-with-the-id-null"]),
    ("status-first", &["error-with-an-http-status"]),
    ("three-members", &["further-members-of-a-response"]),
    ("true-id", &["jsonrpc-id-has-a-known-type"]),
    ("wants-defaults", &["defaults-left-out"]),
    ("no-empty-lists", &["defaults-written"]),
    ("wants-data-objects", &["data-of-any-kind"]),
    ("small-integers", &["big-integers"]),
    ("wants-milliseconds", &["time-without-a-fraction"]),
    ("states-are-errors", &["auth-required-is-a-result", "rejected-is-a-result"]),
    ("wants-task", &["message-in-answer"]),
    ("waits-for-the-end", &["working-task-is-reported"]),
    ("no-message-id", &["message-has-an-id", "streamed-message-has-an-id"]),
    ("one-message-id", &["messages-have-ids-of-their-own"]),
    ("agent-role", &["message-is-the-users", "streamed-message-is-the-users"]),
    ("old-role", &["message-in-new-words", "streamed-message-in-new-words"]),
    ("message-kind", &["message-in-new-words", "streamed-message-in-new-words"]),
    ("no-metadata", &["metadata-is-sent"]),
    ("no-output-modes", &["output-modes-are-sent"]),
    ("drops-zeros", &["no-history-is-asked-for"]),
    ("forgets-task", &["task-is-continued"]),
    ("short-contexts", &["context-is-long"]),
    ("sends-anew", &["lost-message-keeps-its-id"]),
    ("no-push-token", &["push-token-is-sent"]),
    ("no-push-authentication", &["push-authentication-is-sent"]),
    ("one-push-token", &["push-tokens-differ"]),
    ("wants-task-first", &["stream-of-one-message"]),
    ("drops-finished", &["stream-of-a-finished-task"]),
    ("drops-appended", &["stream-with-chunks"]),
    ("leaves-at-auth", &["stream-goes-on-after-auth-required"]),
    ("wants-the-end", &["stream-ends-at-input-required"]),
    ("known-events", &["stream-with-an-unknown-event"]),
    ("error-is-end", &["stream-with-an-error"]),
    ("wants-a-stream", &["error-in-place-of-a-stream"]),
    ("takes-unfinished", &["stream-with-an-unfinished-event"]),
    ("plain-media-types", &["stream-with-a-charset"]),
    ("impatient", &["stream-is-slow"]),
    ("crlf-is-two", &["stream-multi-line-in-crlf"]),
    ("decodes-pieces", &["stream-characters-are-cut"]),
    ("ends-at-auth", &["follow-over-auth-required"]),
    ("wants-last-word", &["follow-without-a-message"]),
    ("wants-past", &["follow-without-a-history"]),
    ("subscribes-twice", &["follow-after-no-content"]),
    ("asks-again", &["retry-after", "unavailable-for-a-while"]),
    ("follows-by-get", &["redirect-keeps-the-method"]),
    ("wants-a2a-json", &["media-type-of-json"]),
    (
        "lf-only",
        &[
            "stream-lines-end-in-cr",
            "stream-lines-end-in-crlf",
            "stream-lines-end-in-each",
            "stream-multi-line-in-crlf",
        ],
    ),
    ("no-bom", &["stream-byte-order-mark"]),
    ("deaf-to-comments", &["stream-comments"]),
    ("wants-data", &["stream-unknown-fields"]),
    ("wants-space", &["stream-no-space"]),
    ("one-data-line", &["stream-multi-line", "stream-multi-line-in-crlf"]),
    ("piece-is-event", &["stream-byte-by-byte", "stream-characters-are-cut"]),
    ("cut-is-end", &["stream-cut"]),
    ("reconnects", &["stream-no-content"]),
];

/// What turns red where the last interface of a card is used.
const LAST_INTERFACE: &[&str] =
    &["first-of-two-interfaces", "prefers-http-json-listed-first", "prefers-jsonrpc-listed-first"];

/// What turns red where the tenant is not sent as the interface has it.
const TENANT: &[&str] = &[
    "tenant-for-webhooks",
    "tenant-in-every-request",
    "tenant-in-streams-and-lists",
    "tenant-of-the-chosen-interface",
];

/// How many mistakes are tried at once.
const AT_ONCE: usize = 6;

/// A Python; nothing where there is none, which is told. One that starts fast goes first: what manages versions is slow.
fn python() -> Option<&'static str> {
    static PYTHON: LazyLock<Option<&str>> = LazyLock::new(|| {
        let runs = |python: &&str| Command::new(python).arg("--version").output().is_ok_and(|run| run.status.success());
        let found = ["/usr/bin/python3", "python3"].into_iter().find(runs);
        if found.is_none() {
            std::io::stderr().write_all(b"clients behind wrappers not run: python3 was not found\n").unwrap();
        }
        found
    });
    *PYTHON
}

/// What came of a check.
struct Checked {
    code: i32,
    report: Value,
    stderr: String,
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("wrappers-{name}.json"))
}

/// Checks the client with its mistakes; `name` is that of the report.
fn check(name: &str, flags: &[&str], mistakes: &[&str]) -> Option<Checked> {
    let python = python()?;
    let path = file(name);
    let report = format!("json={}", path.display());
    let arguments = [&["client", "--report", &report], flags, &["--", python, PLAIN], mistakes].concat();
    let ran = program::run(&arguments, &[]);
    let report = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    Some(Checked { code: ran.code, report, stderr: ran.stderr })
}

impl Checked {
    fn results(&self) -> &[Value] {
        self.report["results"].as_array().unwrap()
    }

    /// The cases with one of these verdicts, without their area.
    fn with(&self, verdicts: &[&str]) -> BTreeSet<&str> {
        let of_it = |result: &&Value| verdicts.contains(&result["verdict"].as_str().unwrap());
        self.results().iter().filter(of_it).map(|result| result["case"].as_str().unwrap()).map(short).collect()
    }
}

fn short(case: &str) -> &str {
    case.strip_prefix("client/").unwrap_or(case)
}

const RED: [&str; 3] = ["fail", "warn", "note"];

#[test]
fn a_good_client_passes_every_case() {
    let Some(checked) = check("good", &[], &[]) else { return };
    let others: Vec<&Value> = checked.results().iter().filter(|result| result["verdict"] != "pass").collect();
    assert!(others.is_empty(), "{others:#?}");
    assert_eq!(checked.code, 0, "{}", checked.stderr);
    assert_eq!(checked.report["target"]["client"]["name"], "plain");
    // Every case is there, over each binding.
    let bindings: BTreeSet<&str> = checked.results().iter().map(|result| result["binding"].as_str().unwrap()).collect();
    assert_eq!(bindings, BTreeSet::from(["http-json", "jsonrpc"]));
}

#[test]
fn each_case_is_red_for_some_mistake() {
    let named: BTreeSet<&str> = MISTAKES.iter().flat_map(|(_, cases)| cases.iter().copied()).collect();
    let library = a2aspec::suite::library(None).unwrap();
    let about_clients = library.cases.values().filter(|case| case.visit().is_some());
    let missing: Vec<&str> = about_clients.map(|case| short(&case.id)).filter(|case| !named.contains(case)).collect();
    assert!(missing.is_empty(), "no mistake turns these red: {missing:?}");
}

/// A mistake is tried in its own cases and in every twelfth of the others, each time in other ones: all of them take minutes.
#[test]
fn each_mistake_turns_its_own_cases_red_and_no_others() {
    const OF_OTHERS: usize = 12;
    let library = a2aspec::suite::library(None).unwrap();
    let all: Vec<&str> = library.cases.values().filter(|case| case.visit().is_some()).map(|case| &*case.id).collect();
    let judge = |(number, (mistake, cases)): (usize, &(&str, &[&str]))| {
        let is_tried = |at: usize, case: &str| cases.contains(&short(case)) || (at + number).is_multiple_of(OF_OTHERS);
        let tried = all.iter().enumerate().filter(|(at, case)| is_tried(*at, case));
        let only: Vec<&str> = tried.flat_map(|(_, case)| ["--only", case]).collect();
        let checked = check(&format!("mistake-{mistake}"), &[&["--quiet"], &only[..]].concat(), &[mistake])?;
        let (red, wanted) = (checked.with(&RED), cases.iter().copied().collect::<BTreeSet<_>>());
        let broken = checked.with(&["broken"]);
        let is_right = red == wanted && broken.is_empty() && [0, 1].contains(&checked.code);
        (!is_right)
            .then(|| format!("{mistake}: red {red:?}, broken {broken:?}, exit {}\n{}", checked.code, checked.stderr))
    };
    // Most of the time goes to waiting for the client.
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let numbered: Vec<_> = MISTAKES.iter().enumerate().collect();
        let parts: Vec<_> = numbered
            .chunks(numbered.len().div_ceil(AT_ONCE))
            .map(<[_]>::to_vec)
            .map(|part| scope.spawn(|| part.into_iter().filter_map(judge).collect::<Vec<_>>()))
            .collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The order of cases and how many there are at once change no verdict.
#[test]
fn verdicts_are_those_of_one_case_at_a_time() {
    for mistakes in [&[][..], &["version-once", "lf-only", "no-tenant"]] {
        let of = |checked: &Checked| {
            let one = |result: &Value| {
                ["case", "binding", "verdict", "violated"].map(|member| result[member].to_string()).join(" ")
            };
            checked.results().iter().map(one).collect::<Vec<_>>()
        };
        let name = mistakes.len().to_string();
        let Some(together) = check(&format!("jobs-8-{name}"), &["--jobs", "8"], mistakes) else { return };
        let alone = check(&format!("jobs-1-{name}"), &["--jobs", "1"], mistakes).unwrap();
        assert_eq!(of(&together), of(&alone));
    }
}

/// Each row: what the wrapper does, and what the run says of that.
#[test]
fn wrappers_that_do_not_drive_a_client_are_refused() {
    for (mistake, said) in [
        ("wrong-token", "token"),
        ("contract-2", "the contract 2"),
        ("empty", "exchange 1 of 12"),
        ("errors-are-results", "exchange 6 of 12"),
        ("keeps-streams", "exchange 9 of 12"),
    ] {
        let Some(checked) = check(&format!("refused-{mistake}"), &[], &[mistake]) else { return };
        assert_eq!(checked.code, 3, "{mistake}: {}", checked.stderr);
        let message = checked.report["error"]["message"].as_str().unwrap();
        assert!(message.contains(said), "{mistake}: {message}");
        assert!(checked.results().is_empty());
    }
}

#[test]
fn a_wrapper_that_breaks_its_contract_breaks_the_case_that_it_is_in() {
    for mistake in ["twice", "garbage"] {
        let Some(checked) = check(&format!("broken-{mistake}"), &["--jobs", "1"], &[mistake]) else { return };
        let broken = checked.with(&["broken"]);
        assert_eq!(broken, BTreeSet::from(["version-on-lists"]), "{mistake}: {}", checked.stderr);
        assert!(checked.with(&RED).is_empty(), "{mistake}");
    }
}

#[test]
fn a_wrapper_that_dies_leaves_the_rest_unreached_and_the_reports_written() {
    let Some(checked) = check("dies", &["--jobs", "1"], &["dies", "writes"]) else { return };
    assert_eq!(checked.code, 3, "{}", checked.stderr);
    assert_eq!(checked.with(&["broken"]), BTreeSet::from(["version-on-lists"]));
    assert!(!checked.with(&["unreached"]).is_empty() && checked.with(&RED).is_empty());
    assert!(checked.stderr.contains("  err\n"), "{}", checked.stderr);
}

#[test]
fn what_a_client_cannot_do_is_skipped() {
    let Some(checked) = check("lacks", &[], &["lacks-walk", "lacks-GetTask"]) else { return };
    assert_eq!(checked.code, 0, "{}", checked.stderr);
    let skipped = checked.with(&["skipped"]);
    assert!(skipped.contains("walk-ends") && skipped.contains("null-members"), "{skipped:?}");
    let Some(checked) = check("unsupported", &[], &["unsupported"]) else { return };
    assert!(checked.with(&["pass", "skipped"]).len() > 30 && checked.with(&RED).is_empty(), "{}", checked.stderr);
}

#[test]
fn findings_show_the_request_and_how_to_run_the_case_again() {
    let Some(python) = python() else { return };
    let run = |report: &str| {
        let arguments =
            ["client", "--only", "client/version-on-lists", "--report", report, "--", python, PLAIN, "version-once"];
        program::run(&arguments, &[]).stdout
    };
    let text = run("terminal");
    for part in [
        "the header a2a-version of a request is missing",
        "GET http://127.0.0.1:",
        "rerun     a2aspec client --only client/version-on-lists --profile 1.0 --binding http-json -- ",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("delivery"), "{text}");
    for format in ["html", "junit", "sarif", "markdown"] {
        assert!(run(format).contains("client/version-on-lists"), "{format}");
    }
}

/// Known failures are let pass, and a new one is not.
#[test]
fn a_baseline_holds_for_clients() {
    let list = file("baseline");
    let list = list.to_str().unwrap();
    let Some(first) = check("baseline-first", &["--write-baseline", list], &["version-once"]) else { return };
    let known = check("baseline-known", &["--baseline", list], &["version-once"]).unwrap();
    let new = check("baseline-new", &["--baseline", list], &["version-once", "no-tenant"]).unwrap();
    assert_eq!((first.code, known.code, new.code), (0, 0, 1), "{}", known.stderr);
}

#[test]
fn case_files_about_clients_are_read_strictly() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("client-cases");
    std::fs::create_dir_all(&folder).unwrap();
    let case = |rest: &str| {
        format!(
            "cases:\n  - id: own/one\n    role: client\n    level: MUST\n    title: t\n    why: w\n    right: r\n    wrong: w\n    \
             fix: f\n{rest}"
        )
    };
    let steps = "    steps:\n      - do: client\n      - { do: GetTask, with: { id: t1 } }\n";
    for (rest, said) in [
        (format!("{steps}    requests: [{{ of: GetTask, each: {{ at: {{ /id: t1 }} }} }}]\n"), None),
        (steps.to_owned(), Some("asserts nothing")),
        (format!("{steps}    requests: [{{ of: GetTsk, count: 1 }}]\n"), Some("did you mean `GetTask`?")),
        (
            format!("{steps}    requests: [{{ of: ListTasks, count: 1 }}]\n"),
            Some("no step leads to a request of ListTasks"),
        ),
        (format!("{steps}    requests: [{{ of: any, where: b, count: 1 }}]\n"), Some("no interface is at `b`")),
        (format!("{steps}    requests: [{{ of: GetTask, each: {{ at: {{ /idd: t1 }} }} }}]\n"), Some("idd")),
        (
            "    steps: [{ do: GetTask, with: { id: t1 }, reported: { outcome: [result] } }]\n".to_owned(),
            Some("no client was made yet"),
        ),
        (
            "    steps: [{ do: client }, { do: GetTsk, reported: { outcome: [result] } }]\n".to_owned(),
            Some("no such word: `GetTsk`"),
        ),
        (
            "    steps: [{ do: client }, { do: GetTask, with: { ids: t1 }, reported: { outcome: [result] } }]\n"
                .to_owned(),
            Some("ids"),
        ),
    ] {
        std::fs::write(folder.join("own.yaml"), case(&rest)).unwrap();
        let ran = program::run(&["lint", folder.to_str().unwrap()], &[]);
        match said {
            None => assert_eq!(ran.code, 0, "{rest}\n{}{}", ran.stdout, ran.stderr),
            Some(said) => {
                let told = ran.stdout + &ran.stderr;
                assert!(ran.code != 0 && told.contains(said), "{rest}\n{told}");
                assert!(told.contains("own.yaml:"), "{told}");
            }
        }
    }
}
