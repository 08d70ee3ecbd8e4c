//! Where output goes, and what becomes of a run whose output cannot be written.

use std::io::Read as _;
use std::sync::mpsc;

use a2aspec::report::Format;
use serde_json::Value;

use super::program::{self, Folder, start_by_shell};

/// A run of one case, which passes.
const RIGHT: [&str; 5] = ["selftest", "--only", "get/unknown-id", "--profile", "1.0"];
/// The same with an agent that fails it.
const WRONG: [&str; 7] =
    ["selftest", "--only", "get/unknown-id", "--profile", "1.0", "--fault", "get/unknown-is-internal"];

/// Every command that prints and ends.
const COMMANDS: [&[&str]; 11] = [
    &["list"],
    &["list", "--requirements"],
    &["explain", "get/unknown-id"],
    &["coverage"],
    &["profiles"],
    &["diff-spec", "0.3", "1.0"],
    &["lint"],
    &["agent", "--list-faults"],
    &["--help"],
    &["check", "--help"],
    &["--version"],
];

#[test]
fn a_full_disk_behind_standard_output_is_one_error() {
    for command in COMMANDS.into_iter().chain([&RIGHT[..], &["agent", "--port", "0"]]) {
        let ran = start_by_shell("exec \"$@\" >/dev/full", command).wait();
        let is_told = ran.stderr.lines().any(|line| line.starts_with("error: standard output cannot be written: "));
        assert!(is_told, "{command:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{command:?}: {}", ran.stderr);
        assert_eq!(ran.code, 2, "{command:?}");
    }
}

/// A pipe that nobody reads any more: its reader has seen enough, which changes nothing about what was found.
#[test]
fn a_reader_that_leaves_changes_nothing() {
    let gone = "mkfifo \"$PIPE\" && exec 3<>\"$PIPE\" && exec 4>\"$PIPE\" 3<&- && exec \"$@\" >&4";
    // All commands print in one way, which the test above shows of each.
    let commands: [(&[&str], i32); 4] = [(&["list"], 0), (&["--help"], 0), (&RIGHT, 0), (&WRONG, 1)];
    for (command, code) in commands {
        let folder = Folder::new();
        let line = format!("PIPE={}; {gone}", folder.file("pipe"));
        let ran = start_by_shell(&line, command).wait();
        assert_eq!(ran.code, code, "{command:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains("error") && !ran.stderr.contains("panicked"), "{command:?}: {}", ran.stderr);
    }
}

/// What cannot be said is not said, and the exit code stays.
#[test]
fn standard_error_may_be_closed_or_full() {
    for line in ["exec \"$@\" 2>/dev/full", "exec \"$@\" 2>&-", "exec \"$@\" >&-", "exec \"$@\" >&- 2>&-"] {
        assert_eq!(start_by_shell(line, &WRONG).wait().code, 1, "{line}");
        assert_eq!(start_by_shell(line, &["explain", "nonsense"]).wait().code, 2, "{line}");
    }
}

/// An output that fails takes no other with it, and each failure is told.
#[test]
fn the_other_reports_are_written() {
    let folder = Folder::new();
    let junit = format!("junit={}", folder.file("report.xml"));
    let flags = ["--report", "json=/dev/full", "--report", "terminal", "--report", &junit];
    let ran = start_by_shell("exec \"$@\" >/dev/full", &[&RIGHT[..], &flags].concat()).wait();
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("error: the json report cannot be written: /dev/full: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("error: standard output cannot be written: "), "{}", ran.stderr);
    assert!(std::fs::read_to_string(folder.file("report.xml")).unwrap().contains("<testcase "));
}

#[test]
fn a_trace_that_cannot_be_written_is_told_once() {
    let ran = start_by_shell("exec \"$@\"", &[&RIGHT[..], &["--trace", "/dev/full"]].concat()).wait();
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("the trace cannot be written to its end: ").count(), 1, "{}", ran.stderr);
    assert!(ran.stdout.contains("1 case") || ran.stdout.contains("cases tested"), "{}", ran.stdout);
}

#[test]
fn a_hunt_writes_each_of_its_exchanges() {
    let folder = Folder::new();
    let (trace, findings) = (folder.file("trace.txt"), folder.file("findings"));
    let report = format!("json={}", folder.file("report.json"));
    let what =
        ["fuzz", "--self", "--profile", "1.0", "--binding", "http-json", "--phase", "mutation", "--phase", "transport"];
    let bounds = ["--requests", "200", "--seed", "5", "--findings", &findings, "--report", &report, "--trace", &trace];
    let ran = program::run(&[&what[..], &bounds].concat(), &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let report: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.file("report.json")).unwrap()).unwrap();
    let trace = std::fs::read_to_string(&trace).unwrap();
    let requests = trace.lines().filter(|line| line.starts_with('#') && line.contains(" fuzz, at ")).count() as u64;
    assert!(requests >= report["fuzz"]["requests"].as_u64().unwrap() && requests >= 200, "{requests}");
    assert!(trace.contains("\n> these bytes, to http://") && trace.contains("\n< 200\n"), "{trace}");
    let ran = start_by_shell("exec \"$@\"", &[&what[..], &bounds[..8], &["--trace", "/dev/full"]].concat()).wait();
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("the trace cannot be written to its end: ").count(), 1, "{}", ran.stderr);
}

/// A disk that is full, here as a limit on the size of files, in blocks of 512 bytes: no part of a report is left.
#[test]
fn half_a_report_is_none() {
    let folder = Folder::new();
    let flags = [format!("json={}", folder.file("report.json")), format!("junit={}", folder.file("report.xml"))];
    let arguments = [&RIGHT[..], &["--report", &flags[0], "--report", &flags[1]]].concat();
    let limited_to =
        |blocks: &str| start_by_shell(&format!("ulimit -f {blocks}; trap '' XFSZ; exec \"$@\""), &arguments).wait();
    // There is no room even for what files say before the run.
    let ran = limited_to("1");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("report.json: File too large"), "{}", ran.stderr);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    // There is no room for what the run found.
    let ran = limited_to("3");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("the json report cannot be written: ").count(), 1, "{}", ran.stderr);
    let report = std::fs::read_to_string(folder.file("report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert!(report["error"]["message"].as_str().unwrap().contains("the run has not ended"), "{report}");
}

#[test]
fn a_pipe_without_a_reader_is_an_error_before_the_run() {
    let folder = Folder::new();
    let pipe = folder.file("pipe");
    program::make_pipe(&pipe);
    let report = format!("json={pipe}");
    for flags in [["--report", &report], ["--trace", &pipe]] {
        let ran = start_by_shell("exec \"$@\"", &[&RIGHT[..], &flags].concat()).wait();
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert_eq!(ran.stderr, format!("error: {pipe}: nobody reads this pipe; start its reader first\n"));
    }
}

/// Descriptors that the shell has opened, by the names that `>(command)` has.
#[test]
fn open_descriptors_are_written_to() {
    let folder = Folder::new();
    let line = format!("exec \"$@\" 3>{}", folder.file("three"));
    let flags = ["--report", "json=/dev/fd/3", "--report", "junit=/dev/stderr", "--report", "terminal=/dev/stdout"];
    let ran = start_by_shell(&line, &[&RIGHT[..], &flags].concat()).wait();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(std::fs::read_to_string(folder.file("three")).unwrap().starts_with("{\n"));
    assert!(ran.stderr.contains("<testcase "), "{}", ran.stderr);
    assert!(ran.stdout.contains("no violations found"), "{}", ran.stdout);
    // Standard output as a file: it is written to, and not replaced by another of its name.
    let line = format!("exec \"$@\" >{}", folder.file("out"));
    let ran = start_by_shell(&line, &[&RIGHT[..], &["--report", "json=/dev/stdout"]].concat()).wait();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(std::fs::read_to_string(folder.file("out")).unwrap().starts_with("{\n"));
    assert!(std::fs::metadata("/dev/stdout").is_ok());
}

/// A pipe of the shell is open as long as the program, so that its reader gets everything.
#[test]
fn a_command_of_the_shell_takes_report_and_trace() {
    let folder = Folder::new();
    let (report, trace) = (folder.file("report"), folder.file("trace"));
    // `>(command)` in the words of any shell.
    let line = "mkfifo \"$REPORT.pipe\" \"$TRACE.pipe\"; cat \"$REPORT.pipe\" >\"$REPORT\" & cat \"$TRACE.pipe\" >\"$TRACE\" & \
                \"$@\" 7>\"$REPORT.pipe\" 8>\"$TRACE.pipe\"; code=$?; wait; exit $code";
    let line = format!("REPORT={report}; TRACE={trace}; {line}");
    let flags = ["--report", "json=/dev/fd/7", "--trace", "/dev/fd/8"];
    let ran = start_by_shell(&line, &[&RIGHT[..], &flags].concat()).wait();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(std::fs::read_to_string(report).unwrap().ends_with("}\n"));
    assert!(std::fs::read_to_string(trace).unwrap().contains("GetTask"));
}

#[test]
fn a_pipe_with_a_reader_takes_the_whole_report() {
    let folder = Folder::new();
    let pipe = folder.file("pipe");
    program::make_pipe(&pipe);
    let (tell, heard) = mpsc::channel();
    let path = pipe.clone();
    std::thread::spawn(move || {
        let mut text = String::new();
        let read = std::fs::File::open(path).and_then(|mut pipe| pipe.read_to_string(&mut text));
        let _ = tell.send(read.map(|_| text));
    });
    let report = format!("json={pipe}");
    // Whether the reader waits already cannot be seen; until then the program refuses the pipe.
    let ran = (0..100).map(|_| start_by_shell("exec \"$@\"", &[&RIGHT[..], &["--report", &report]].concat()).wait());
    let ran = ran.into_iter().find(|ran| !ran.stderr.contains("nobody reads this pipe")).unwrap();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = heard.recv_timeout(program::LIMIT).unwrap().unwrap();
    assert!(text.ends_with("}\n"), "{text}");
}

/// Every form of the report, in every odd place. What is told is the report of a run that was: that is fast.
#[test]
fn every_format_takes_every_place() {
    let folder = Folder::new();
    let part = folder.file("part.json");
    let report = format!("json={part}");
    let arguments = [&WRONG[..], &["--shard", "1/1", "--report", &report]].concat();
    assert_eq!(start_by_shell("exec \"$@\"", &arguments).wait().code, 1);
    let merge = |line: &str, reports: &[&str]| {
        let flags: Vec<&str> = reports.iter().flat_map(|report| ["--report", report]).collect();
        start_by_shell(line, &[&["merge", &part][..], &flags].concat()).wait()
    };
    let (other, pipe, copy) = (folder.file("other.xml"), folder.file("pipe"), folder.file("copy"));
    let junit = format!("junit={other}");
    program::make_pipe(&pipe);
    for format in Format::ALL {
        let at = |place: &str| format!("{format}={place}");
        let full = merge("exec \"$@\"", &[&at("/dev/full"), &junit]);
        assert_eq!(full.code, 2, "{format}: {}", full.stderr);
        let told = format!("error: the {format} report cannot be written: /dev/full: ");
        assert_eq!(full.stderr.matches(&told).count(), 1, "{format}: {}", full.stderr);
        assert!(std::fs::read_to_string(&other).unwrap().contains("<testcase "), "{format}: the other is whole");
        let twice = merge("exec \"$@\"", &[&at(&copy), &format!("json={copy}")]);
        assert_eq!(twice.code, 2, "{format}: {}", twice.stderr);
        assert!(twice.stderr.contains("cannot both go to ") && twice.stderr.lines().count() < 3, "{}", twice.stderr);
        let unread = merge("exec \"$@\"", &[&at(&pipe), &junit]);
        assert_eq!((unread.code, unread.stderr.contains("nobody reads this pipe")), (2, true), "{format}");
        let line = format!("cat '{pipe}' >'{copy}' & \"$@\" 7>'{pipe}'; code=$?; wait; exit $code");
        let read = merge(&line, &[&at("/dev/fd/7")]);
        assert_eq!(read.code, 1, "{format}: {}", read.stderr);
        assert!(std::fs::metadata(&copy).unwrap().len() > 40, "{format}: its reader has it");
        let gone = "mkfifo \"$GONE\" && exec 3<>\"$GONE\" && exec 4>\"$GONE\" 3<&- && rm \"$GONE\" && exec \"$@\" >&4";
        let left = merge(&format!("GONE='{}'; {gone}", folder.file("gone")), &[format.name()]);
        assert_eq!(left.code, 1, "{format}: {}", left.stderr);
        for ran in [full, twice, unread, read, left] {
            assert!(!ran.stderr.contains("panicked"), "{format}: {}", ran.stderr);
        }
    }
}
