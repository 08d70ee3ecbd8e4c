//! Flags, configuration and addresses that cannot be used.

use std::net::TcpListener;

use super::{program, says, snapshot};

#[test]
fn a_url_without_a_scheme() {
    assert_eq!(says("url-without-scheme", &["check", "localhost:8080"]).code, 2);
    assert_eq!(says("url-of-another-scheme", &["check", "ftp://agent.example"]).code, 2);
    assert_eq!(says("url-unreadable", &["check", "http://"]).code, 2);
}

/// A variable that is not set leads to no other agent.
#[test]
fn no_agent() {
    assert_eq!(says("no-agent", &["check", "--only", "get"]).code, 2);
    assert_eq!(says("no-agent-but-an-empty-url", &["check", ""]).code, 2);
    assert_eq!(says("no-agent-to-fuzz", &["fuzz", "--time", "1"]).code, 2);
    assert_eq!(says("no-agent-to-replay", &["replay", "tests/findings"]).code, 2);
    assert_eq!(says("no-agent-for-the-doctor", &["doctor"]).code, 2);
    assert_eq!(says("selftest-of-a-url", &["selftest", "http://127.0.0.1:1"]).code, 2);
    assert_eq!(says("self-and-a-url", &["check", "--self", "http://127.0.0.1:1"]).code, 2);
}

#[test]
fn a_port_where_nothing_listens() {
    // No agent has port 1, which only the administrator could give it.
    assert_eq!(says("nothing-listens", &["check", "http://127.0.0.1:1"]).code, 3);
}

#[test]
fn a_host_that_accepts_and_never_answers() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    assert_eq!(says("never-answers", &["check", &url, "--timeout", "0.5"]).code, 3);
}

#[test]
fn a_report_that_cannot_be_written() {
    let there = |report: &str, name: &str| assert_eq!(says(name, &["selftest", "--report", report]).code, 2);
    there("json=/no/such/folder/report.json", "report-without-folder");
    there("json=src", "report-is-a-folder");
    there("json=", "report-without-file");
    there("yaml", "report-of-no-format");
    assert_eq!(says("coverage-of-no-format", &["coverage", "--report", "pdf"]).code, 2);
    assert_eq!(says("reports-in-one-place", &["selftest", "--report", "json", "--report", "junit"]).code, 2);
    assert_eq!(says("trace-without-folder", &["selftest", "--trace", "/no/such/folder/trace.txt"]).code, 2);
}

#[test]
fn selections_that_match_nothing() {
    assert_eq!(says("unknown-only", &["selftest", "--only", "gte/*"]).code, 2);
    assert_eq!(says("unknown-area", &["selftest", "--area", "robustnes"]).code, 2);
    assert_eq!(says("area-of-another-binding", &["selftest", "--area", "grpc", "--binding", "jsonrpc"]).code, 2);
    assert_eq!(says("unknown-skip", &["selftest", "--skip", "9.9.9"]).code, 2);
    assert_eq!(says("nothing-is-left", &["selftest", "--skip", "*"]).code, 2);
    assert_eq!(says("no-quick-case-is-left", &["selftest", "--quick", "--level", "may"]).code, 2);
    assert_eq!(says("unknown-level", &["selftest", "--level", "major"]).code, 2);
    assert_eq!(says("unknown-profile", &["selftest", "--profile", "2.0"]).code, 2);
    assert_eq!(says("unknown-binding", &["selftest", "--binding", "rest"]).code, 2);
    assert_eq!(says("unknown-profile-of-list", &["list", "--profile", "2.0"]).code, 2);
    assert_eq!(says("unknown-version-of-agent", &["agent", "--only", "2.0"]).code, 2);
    assert_eq!(says("unknown-profile-of-coverage", &["coverage", "--profile", "2.0"]).code, 2);
    assert_eq!(says("binding-misspelled", &["selftest", "--binding", "gprc"]).code, 2);
    assert_eq!(says("unknown-rest-form", &["selftest", "--rest-dialect", "xml"]).code, 2);
    assert_eq!(says("rest-form-of-another-agent", &["check", "http://127.0.0.1:1", "--rest-dialect", "json"]).code, 2);
    assert_eq!(says("unknown-capability", &["selftest", "--without", "pushing"]).code, 2);
}

#[test]
fn headers_and_tokens_that_cannot_be_sent() {
    assert_eq!(says("header-without-colon", &["selftest", "--header", "X-Key s3cr3t"]).code, 2);
    assert_eq!(says("header-with-a-bad-name", &["selftest", "--header", "X Key: s3cr3t"]).code, 2);
    assert_eq!(says("bearer-not-from-the-environment", &["selftest", "--bearer", "s3cr3t"]).code, 2);
    assert_eq!(says("bearer-not-set", &["selftest", "--bearer", "env:A2ASPEC_NO_SUCH_VARIABLE"]).code, 2);
}

#[test]
fn headers_whose_source_is_of_no_use() {
    let folder = program::Folder::new();
    let there = |name: &str, value: &str, environment: &[(&str, &str)]| {
        let header = format!("X-Api-Key: {value}");
        let ran = program::run(&["selftest", "--header", &header], environment);
        snapshot::check(name, &snapshot::told(&ran));
        assert_eq!(ran.code, 2);
        assert!(!ran.stderr.contains("s3cr3t"), "{}", ran.stderr);
    };
    there("header-variable-not-set", "env:A2ASPEC_NO_SUCH_VARIABLE", &[]);
    there("header-variable-empty", "env:A2ASPEC_TEST_KEY", &[("A2ASPEC_TEST_KEY", "")]);
    there("header-variable-of-two-lines", "env:A2ASPEC_TEST_KEY", &[("A2ASPEC_TEST_KEY", "s3cr3t\nX: s3cr3t")]);
    there("header-variable-without-name", "env:", &[]);
    there("header-file-missing", &format!("file:{}", folder.file("none")), &[]);
    there("header-file-empty", &format!("file:{}", folder.write("empty", "\n")), &[]);
    there("header-file-of-two-lines", &format!("file:{}", folder.write("two", "s3cr3t\ns3cr3t\n")), &[]);
    there("header-without-value", "", &[]);
    let config = folder.write("a2aspec.toml", "[headers]\nX-Team = \"env:A2ASPEC_NO_SUCH_VARIABLE\"\n");
    let arguments = ["check", "http://127.0.0.1:1", "--config", &config];
    assert_eq!(says("header-variable-of-a-file-not-set", &arguments).code, 2);
}

#[test]
fn origins_and_bases_that_cannot_be_used() {
    let url = "http://127.0.0.1:1";
    assert_eq!(says("origin-with-a-path", &["check", url, "--allow-origin", "https://agent.example/a2a"]).code, 2);
    assert_eq!(says("origin-without-scheme", &["check", url, "--allow-origin", "u:p4ss@agent.example"]).code, 2);
    assert_eq!(says("base-url-of-no-binding", &["check", url, "--base-url", "rest=http://127.0.0.1:2"]).code, 2);
    assert_eq!(says("base-url-without-scheme", &["check", url, "--base-url", "localhost:2"]).code, 2);
    let twice = ["check", url, "--base-url", "http://127.0.0.1:2", "--base-url", "http://127.0.0.1:3"];
    assert_eq!(says("base-url-twice", &twice).code, 2);
    assert_eq!(says("base-url-without-url", &["selftest", "--base-url", "http://127.0.0.1:2"]).code, 2);
    assert_eq!(says("binding-that-a-version-lacks", &["check", url, "--profile", "0.1", "--binding", "grpc"]).code, 2);
}

#[test]
fn numbers_that_make_no_sense() {
    assert_eq!(says("no-jobs", &["selftest", "--jobs", "0"]).code, 2);
    assert_eq!(says("no-time", &["selftest", "--timeout", "0"]).code, 2);
    assert_eq!(says("negative-time", &["selftest", "--timeout=-1"]).code, 2);
    assert_eq!(says("jobs-in-words", &["selftest", "--jobs", "many"]).code, 2);
}

/// Only a check writes a trace.
#[test]
fn a_trace_of_what_writes_none() {
    for command in [
        &["watch", "http://127.0.0.1:1"][..],
        &["replay", "nowhere", "http://127.0.0.1:1"],
        &["compare", "http://127.0.0.1:1", "http://127.0.0.1:2"],
    ] {
        let ran = program::run(&[command, &["--trace", "x.txt"]].concat(), &[]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{command:?}");
        assert!(ran.stderr.contains(&format!("{} writes no trace", command[0])), "{command:?}: {}", ran.stderr);
    }
}

/// A flag without an effect is refused: who writes it waits for a file that never comes.
#[test]
fn a_report_of_the_doctor() {
    for flag in
        [&["--report", "json=x.json"][..], &["--trace", "x.txt"], &["--fail-on", "should"], &["--sarif-location", "x"]]
    {
        let ran = program::run(&[&["doctor", "--self"], flag].concat(), &[]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{flag:?}");
        assert!(ran.stderr.contains(&format!("{} has no effect here", flag[0])), "{flag:?}: {}", ran.stderr);
    }
}

#[test]
fn a_configuration_with_a_mistake() {
    let folder = program::Folder::new();
    let config = |name: &str, text: &str| {
        let path = folder.write(&format!("{name}.toml"), text);
        assert_eq!(says(&format!("config-{name}"), &["selftest", "--config", &path]).code, 2);
    };
    config("unknown-key", "url = \"http://127.0.0.1:1\"\ntimout = 5\n");
    config("wrong-type", "url = \"http://127.0.0.1:1\"\njobs = \"four\"\n");
    config("unknown-trigger", "[triggers]\ncomplete = \"do it\"\nexplode = \"boom\"\n");
    config("not-toml", "url = http://127.0.0.1:1\n");
    config("bad-fail-on", "fail-on = \"may\"\n");
    let missing = folder.file("missing.toml");
    assert_eq!(says("config-missing", &["selftest", "--config", &missing]).code, 2);
}

#[test]
fn an_id_that_nothing_has() {
    assert_eq!(says("unknown-id", &["explain", "get/unknown-ids"]).code, 2);
    assert_eq!(says("unknown-id-far-off", &["explain", "nonsense"]).code, 2);
}

#[test]
fn a_port_that_is_taken() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    assert_eq!(says("port-taken", &["agent", "--port", &port]).code, 2);
}

#[test]
fn no_command_at_all() {
    let ran = program::run(&[], &[]);
    assert_eq!(ran.code, 2);
    snapshot::check("no-command", &snapshot::told(&ran));
}
