//! A user who has seen enough presses Ctrl-C, and gets the report of what was seen; so does whoever cancels a job.

use std::fs::File;
use std::io::Read as _;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use super::agent::silent;
use super::program::{self, Folder};
use super::reports::assert_keeps_the_schema;

/// Runs against a silent agent until it is asked something; with its profile named the suite does not begin by asking which
/// version it speaks.
const UNTIL_ASKED: [&str; 4] = ["--profile", "1.0", "--timeout", "600"];

#[test]
fn every_signal_ends_a_run_with_a_report() {
    for signal in ["INT", "TERM", "HUP"] {
        let (agent, asked) = silent(Some("1.0"));
        let folder = Folder::new();
        let report_flag = format!("json={}", folder.write("report.json", "an old one"));
        let flags = [&["check", &agent.url, "--report", &report_flag], &UNTIL_ASKED[..]].concat();
        let running = program::start(&flags, &[]);
        asked.recv_timeout(program::LIMIT).expect("the suite asks something");
        running.signal(signal);
        let ran = running.wait();
        assert_eq!(ran.code, 130, "{signal}: {}", ran.stderr);
        let last = ran.stderr.lines().last().unwrap_or_default();
        assert!(last.starts_with("interrupted after 0 of "), "{signal}: {}", ran.stderr);
        assert!(last.ends_with(" cases; the report has their results"), "{signal}: {}", ran.stderr);
        let report: Value =
            serde_json::from_str(&std::fs::read_to_string(folder.file("report.json")).unwrap()).unwrap();
        assert_keeps_the_schema(&report);
        assert_eq!(report["stopped"], "the run was interrupted");
        let results = report["results"].as_array().unwrap();
        assert!(results.len() > 100, "every case has its result, interrupted or not");
        assert!(results.iter().any(|result| result["reason"] == "the run was interrupted"));
        assert!(results.iter().all(|result| result["verdict"] != "pass"), "nothing was seen that could pass");
    }
}

/// Before there is anything to report, the report says just that, and none of an earlier run is left.
#[test]
fn a_signal_is_heard_while_the_card_is_looked_for() {
    let (agent, asked) = silent(None);
    let folder = Folder::new();
    let file = folder.write("report.json", "an old one");
    let report_flag = format!("json={file}");
    let running = program::start(&["check", &agent.url, "--timeout", "600", "--report", &report_flag], &[]);
    asked.recv_timeout(program::LIMIT).expect("the suite looks for the card");
    running.signal("TERM");
    let ran = running.wait();
    assert_eq!((ran.code, ran.stdout.as_str()), (130, ""));
    assert_eq!(ran.stderr, "interrupted before the first case\n");
    let report: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_keeps_the_schema(&report);
    assert_eq!(report["error"]["message"], "interrupted before the first case");
    assert_eq!(report["gate"]["outcome"], "interrupted");
}

/// A report that nobody takes holds the program up, but not for ever.
#[test]
fn a_second_signal_ends_the_program_at_once() {
    let (agent, asked) = silent(Some("1.0"));
    let folder = Folder::new();
    let pipe = folder.file("pipe");
    program::make_pipe(&pipe);
    let path = pipe.clone();
    let (tell, opened) = mpsc::channel();
    std::thread::spawn(move || tell.send(File::open(path).unwrap()));
    // Whether the reader waits in its `open` cannot be seen; until then the program refuses the pipe.
    let report_flag = format!("json={pipe}");
    let flags = [&["check", &agent.url, "--report", &report_flag], &UNTIL_ASKED[..]].concat();
    let running = loop {
        let running = program::start(&flags, &[]);
        let began = program::until("a question of the suite, or its end", || {
            let is_asked = asked.try_recv().is_ok();
            (is_asked || running.has_ended()).then_some(is_asked)
        });
        if began {
            break running;
        }
        assert!(running.wait().stderr.contains("nobody reads this pipe"));
    };
    let mut reader = opened.recv_timeout(program::LIMIT).unwrap();
    running.signal("INT");
    let (tell, read) = mpsc::channel();
    std::thread::spawn(move || {
        let read = reader.read_exact(&mut [0]);
        // Kept open: a pipe that its reader has left holds nobody up.
        let _ = tell.send((read, reader));
    });
    let (read, _reader) = read.recv_timeout(program::LIMIT).expect("the report begins");
    read.unwrap();
    // The report is longer than a pipe holds, and this reads no more of it. A signal too soon after the first counts as one.
    std::thread::sleep(Duration::from_millis(200));
    running.signal("TERM");
    assert_eq!(running.wait().code, 130);
}

/// What is started to outlive its terminal does.
#[cfg(target_os = "linux")]
#[test]
fn a_hangup_that_is_ignored_is_ignored() {
    let (agent, asked) = silent(Some("1.0"));
    let flags = ["check", &agent.url, "--profile", "1.0", "--timeout", "10", "--only", "get/unknown-id"];
    let running = program::start_by_shell("trap '' HUP; exec \"$@\"", &flags);
    asked.recv_timeout(program::LIMIT).expect("the suite asks something");
    running.signal("HUP");
    // It comes to its end, which is that the agent does not answer.
    let ran = running.wait();
    assert_eq!(ran.code, 3, "{}", ran.stderr);
}

/// A client's run, too: its wrapper has not connected yet.
#[test]
fn a_signal_before_the_wrapper_connects_is_an_interruption() {
    let folder = Folder::new();
    let begun = folder.file("begun");
    let wrapper = format!("touch '{begun}' && exec sleep 600");
    let running = program::start(&["client", "--", "sh", "-c", &wrapper], &[]);
    program::until("the wrapper begins", || std::fs::exists(&begun).unwrap().then_some(()));
    running.signal("TERM");
    let ran = running.wait();
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    assert!(ran.stdout.contains("nothing was tested"), "{}", ran.stdout);
    assert_eq!(ran.stderr, "interrupted before the first case\n");
}
