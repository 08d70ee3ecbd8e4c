//! The agent that the program carries.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{program, snapshot};

/// Where each interface listens, and how to check them.
#[cfg(unix)]
#[test]
fn it_says_where_it_listens_until_a_signal() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        snapshot::check("agent", &said_until(signal));
    }
}

/// What the agent says, which is then ended by a signal.
#[cfg(unix)]
fn said_until(signal: &str) -> String {
    let mut agent = Command::new(env!("CARGO_BIN_EXE_a2aspec"))
        .args(["agent", "--port", "0"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    for line in BufReader::new(agent.stdout.take().unwrap()).lines().map(Result::unwrap) {
        said.push_str(&format!("{line}\n"));
        if line.starts_with("check it with") {
            break;
        }
    }
    assert!(Command::new("kill").args([signal, &agent.id().to_string()]).status().unwrap().success());
    assert_eq!(agent.wait().unwrap().code(), Some(0), "{signal}");
    said
}

/// The report names the dialect that the agent was found to speak.
#[test]
fn the_dialect_of_http_json_can_be_chosen() {
    let dialect = |flags: &[&str]| {
        let what =
            ["selftest", "--profile", "0.3", "--binding", "http-json", "--only", "get/existing", "--timeout", "60"];
        let ran = program::run(&[&what[..], flags, &["--report", "json"]].concat(), &[]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        let interfaces = report["target"]["interfaces"].as_array().unwrap();
        let checked = interfaces.iter().find(|interface| interface.get("skipped").is_none()).unwrap();
        checked["dialect"].as_str().unwrap().to_owned()
    };
    assert_eq!(dialect(&["--rest-dialect", "proto"]), dialect(&[]), "published clients speak it");
    assert_ne!(dialect(&["--rest-dialect", "json"]), dialect(&[]));
}
