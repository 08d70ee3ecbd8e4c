//! Findings over gRPC and across two bindings: what they point at is in the report.

use serde_json::Value;

use super::program;
use super::reports::assert_keeps_the_schema;

/// Cases that nobody can pass.
const IMPOSSIBLE: &str = r#"
cases:
  - id: own/unary
    bindings: [grpc]
    title: a completed task has failed
    why: for a test
    right: nothing
    wrong: everything
    fix: nothing
    level: MUST
    given:
      done: { task: completed }
    steps:
      - call: GetTask
        with: { id: "${done.id}" }
        expect: { at: { /status/state: TASK_STATE_FAILED } }
  - id: own/error
    bindings: [grpc]
    title: a task that is not there cannot be canceled
    why: for a test
    right: nothing
    wrong: everything
    fix: nothing
    level: MUST
    steps:
      - call: GetTask
        with: { id: no-such-task }
        expect: { outcome: [TaskNotCancelableError] }
  - id: own/stream
    bindings: [grpc]
    title: a stream begins with a task that has failed
    why: for a test
    right: nothing
    wrong: everything
    fix: nothing
    level: MUST
    steps:
      - stream: SendStreamingMessage
        trigger: slow
        expect: { at: { /1/statusUpdate/status/state: TASK_STATE_FAILED } }
  - id: own/across
    bindings: [jsonrpc, grpc]
    across: true
    title: a completed and a failed task are the same
    why: for a test
    right: nothing
    wrong: everything
    fix: nothing
    level: MUST
    given:
      done: { task: completed }
      failed: { task: failed }
    steps:
      - call: GetTask
        with: { id: "${failed.id}" }
        as: here
      - call: GetTask
        with: { id: "${done.id}" }
        over: second
        as: elsewhere
    holds:
      - same-answers: [here, elsewhere]
"#;

#[test]
fn findings_point_into_what_is_shown() {
    let folder = program::Folder::new();
    folder.write("own.yaml", IMPOSSIBLE);
    let path = folder.path().display().to_string();
    let trace = folder.file("trace.txt");
    let what = ["--cases", &path, "--only", "own/*", "--profile", "1.0", "--timeout", "60"];
    let ran = program::run(&[&["selftest", "--report", "json", "--trace", &trace], &what[..]].concat(), &[]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_keeps_the_schema(&report);
    let found = |binding: &str, case: &str| {
        let mut results = report["results"].as_array().unwrap().iter();
        let result = results.find(|result| result["binding"] == binding && result["case"] == case).unwrap();
        assert_eq!(result["verdict"], "fail", "{result:#}");
        result["findings"][0].clone()
    };
    let exchange = |id: &Value| {
        report["exchanges"].as_array().unwrap().iter().find(|exchange| exchange["id"] == *id).unwrap().clone()
    };
    // What a finding points at, and the response in which that is.
    let pointed = |finding: &Value| {
        let response = exchange(&finding["exchange"])["response"].clone();
        let body = response["body"].as_str().unwrap();
        let event = finding["event"].as_u64().map_or(0, |event| usize::try_from(event).unwrap());
        let message: Value = serde_json::from_str(body.split('\n').nth(event).unwrap()).unwrap();
        (message.pointer(finding["pointer"].as_str().unwrap()).cloned().unwrap(), response)
    };

    let (state, response) = pointed(&found("grpc", "own/unary"));
    assert_eq!(state, "TASK_STATE_COMPLETED");
    assert_eq!((&response["decoded"], &response["trailers"]["grpc-status"]), (&Value::Bool(true), &Value::from("0")));

    let (code, response) = pointed(&found("grpc", "own/error"));
    assert_eq!(code, 5, "{response:#}");

    let finding = found("grpc", "own/stream");
    assert_eq!(finding["event"], 1);
    assert_eq!(pointed(&finding).0, "TASK_STATE_WORKING");

    let finding = found("jsonrpc+grpc", "own/across");
    let (different, response) = pointed(&finding);
    assert!(!different.is_null() && response["decoded"] == true, "{response:#}");
    let other = exchange(&finding["against"]);
    assert!(other["response"]["body"].as_str().unwrap().contains(r#""jsonrpc":"2.0""#), "{other:#}");

    let trace = std::fs::read_to_string(trace).unwrap();
    assert!(trace.contains("\n< grpc-status: 0\n") && trace.contains("\n< {\"statusUpdate\":{"), "{trace}");
}
