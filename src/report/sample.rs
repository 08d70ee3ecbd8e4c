//! Reports for the tests of the renderers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::body::LONGEST_SHOWN;
use super::conformance::{self, Part};
use super::exchange::describe;
use super::failure::ErrorInfo;
use super::gate::{FailOn, Gate};
use super::model::{CaseInfo, GateInfo, Report, RequirementResult, Rerun, SCHEMA_VERSION, Summary, Tool, TriggerInfo};
use super::security::{IdentityInfo, SecurityInfo};
use super::{problems, root_causes};
use crate::case::{CheckRef, SectionLink, Trigger};
use crate::event::Stopped;
use crate::finding::{Finding, Kind, NOTHING};
use crate::interface::{InterfaceInfo, SchemeInfo, TargetInfo};
use crate::reason::Reason;
use crate::secrets::Secrets;
use crate::transcript::{Direction, Ended, Exchange, Request, Response};
use crate::verdict::{Foreign, Layer, Level, Times, TrialResult, Verdict};

const URL: &str = "http://127.0.0.1:41241";

/// An exchange with a JSON-RPC endpoint.
pub(crate) fn exchange(number: u64, purpose: &str, sent: &str, came: Option<&str>) -> Exchange {
    let is_stream = came.is_some_and(|body| body.contains("data:"));
    let media_type = if is_stream { "text/event-stream" } else { "application/json" };
    Exchange {
        number,
        purpose: purpose.into(),
        direction: Direction::Outbound,
        request: Request {
            method: "POST".into(),
            url: format!("{URL}/"),
            headers: vec![("content-type".into(), "application/json".into()), ("a2a-version".into(), "1.0".into())],
            body: Bytes::copy_from_slice(sent.as_bytes()),
            is_verbatim: false,
            operation: None,
            params: Arc::default(),
            rpc_id: None,
        },
        response: came.map(|body| Response {
            status: 200,
            headers: vec![
                ("content-type".into(), media_type.into()),
                ("vary".into(), "a".into()),
                ("vary".into(), "b".into()),
            ],
            body: Bytes::copy_from_slice(body.as_bytes()),
            trailers: Vec::new(),
            text: None,
        }),
        ended: Ended::Complete,
        started: Duration::from_micros(number * 101_234),
        elapsed: Duration::from_micros(3_142),
        share: None,
    }
}

fn result(case: &str, level: Level, verdict: Verdict, rules: &[&str]) -> TrialResult {
    TrialResult {
        case: case.into(),
        title: format!("what {case} checks"),
        requirements: rules.iter().map(|rule| (*rule).to_owned()).collect(),
        level,
        section: rules.iter().filter_map(|rule| rule.split('-').nth(1)).collect::<Vec<_>>().join(", "),
        profile: "1.0".into(),
        binding: "jsonrpc".into(),
        verdict,
        reason: None,
        held: Vec::new(),
        violated: Vec::new(),
        findings: Vec::new(),
        findings_left_out: 0,
        steps: Vec::new(),
        steps_left_out: 0,
        again: Vec::new(),
        without: None,
        foreign: None,
        shards: BTreeMap::new(),
        times: (verdict != Verdict::Skipped)
            .then(|| Times::new(Duration::from_millis(120), Duration::from_micros(45_678), Duration::from_millis(30))),
    }
}

fn with_reason(case: &str, level: Level, verdict: Verdict, rules: &[&str], reason: Reason) -> TrialResult {
    TrialResult { reason: Some(reason), ..result(case, level, verdict, rules) }
}

/// A finding about a place of a result.
fn value(place: &str, expected: &str, received: &str) -> Finding {
    let kind = Kind::Value { place: place.into(), condition: expected.into() };
    Finding { assertion: place.into(), ..Finding::new(kind).compare(expected, received) }
}

/// A task that left a terminal state.
fn left() -> Kind {
    Kind::TerminalStateLeft { task: "task-9".into(), state: "TASK_STATE_COMPLETED".into() }
}

fn broken(case: &str, level: Level, rules: &[&str], findings: Vec<Finding>) -> TrialResult {
    let violated = findings.iter().map(|finding| finding.assertion.clone()).collect();
    TrialResult { violated, findings, ..result(case, level, Verdict::broken_at(level), rules) }
}

fn link(section: &str) -> Vec<SectionLink> {
    let url = format!("https://specification.example/1.0#{}", section.replace('.', ""));
    vec![SectionLink { section: section.into(), url }]
}

fn rule(id: &str, level: Level, verdict: Verdict, text: &str, cases: &[&str]) -> RequirementResult {
    RequirementResult {
        id: id.into(),
        profile: "1.0".into(),
        section: id.split('-').nth(1).unwrap_or_default().into(),
        links: link(id.split('-').nth(1).unwrap_or_default()),
        level,
        layer: Layer::Agent,
        text: text.into(),
        verdict,
        reason: None,
        cases: cases.iter().map(|case| (*case).to_owned()).collect(),
        checks: cases.iter().map(|case| CheckRef::whole(case)).collect(),
    }
}

fn info(id: &str, fix: &str, triggers: &[Trigger]) -> CaseInfo {
    CaseInfo {
        id: id.into(),
        why: format!("why {id} matters"),
        fix: fix.into(),
        triggers: triggers.to_vec(),
        rerun: vec![Rerun {
            profile: "1.0".into(),
            binding: "jsonrpc".into(),
            command: format!("a2aspec check {URL} --only {id} --profile 1.0 --binding jsonrpc"),
        }],
    }
}

fn report(results: Vec<TrialResult>, requirements: Vec<RequirementResult>) -> Report {
    let problems = problems::find(&results, &requirements);
    let interface = |binding: &str, version: &str| InterfaceInfo {
        url: format!("{URL}/"),
        binding: binding.into(),
        version: version.into(),
        tenant: None,
        profile: Some(version.into()),
        skipped: None,
        note: None,
        dialect: None,
        lost: None,
    };
    Report {
        fuzz: None,
        schema_version: SCHEMA_VERSION,
        sarif_location: None,
        error: None,
        baseline: None,
        requirement_set: None,
        conformance: Vec::new(),
        lock: None,
        gate: Some(GateInfo { fail_on: FailOn::Must, outcome: Gate::Fails, exit_code: 1, too_few: None }),
        tool: Tool { name: "a2aspec".to_owned(), version: "0.1.0".to_owned() },
        target: TargetInfo {
            client: None,
            url: URL.into(),
            cards: vec![format!("{URL}/.well-known/agent-card.json")],
            name: Some("Echo Agent".into()),
            interfaces: vec![
                interface("JSONRPC", "1.0"),
                InterfaceInfo {
                    profile: None,
                    skipped: Some("this program does not speak GRPC".into()),
                    ..interface("GRPC", "1.0")
                },
            ],
            schemes: Vec::new(),
        },
        started: "2026-11-21T08:30:00.000Z".into(),
        duration_ms: 3_240,
        messages_sent: 85,
        stopped: None,
        shards: Vec::new(),
        summary: Summary::of(&results),
        root_causes: root_causes::find(&results, &problems, &[]),
        problems,
        triggers: Vec::new(),
        security: SecurityInfo::of(Vec::new(), &results),
        results,
        requirements,
        cases: Vec::new(),
        exchanges: Vec::new(),
        exchanges_left_out: 0,
    }
}

/// Nothing wrong, a few cases skipped.
pub(crate) fn clean() -> Report {
    let skip = |case: &str| {
        let reason = Reason::NotDeclared { capability: "streaming".into() };
        with_reason(case, Level::Must, Verdict::Skipped, &["1.0-3.1.2-1"], reason)
    };
    let results = vec![
        result("get/existing", Level::Must, Verdict::Pass, &["1.0-3.1.3-1"]),
        result("list/artifacts-included", Level::Should, Verdict::Pass, &["1.0-3.1.4-7"]),
        skip("stream/closes"),
        skip("stream/pattern"),
    ];
    let requirements = vec![
        rule(
            "1.0-3.1.2-1",
            Level::Must,
            Verdict::Skipped,
            "a stream ends with its task",
            &["stream/closes", "stream/pattern"],
        ),
        rule("1.0-3.1.3-1", Level::Must, Verdict::Pass, "an existing task can be read", &["get/existing"]),
        rule("1.0-3.1.4-7", Level::Should, Verdict::Pass, "artifacts come on demand", &["list/artifacts-included"]),
    ];
    report(results, requirements)
}

const UNKNOWN_TASK: &str = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"boom","data":[]}}"#;

/// Every kind of result.
pub(crate) fn full() -> Report {
    use Level::{May, Must, Should};
    let wrong_code = |exchange| {
        Finding::new(Kind::WrongError {
            operation: "GetTask".into(),
            expected: "TaskNotFoundError".into(),
            received: "InternalError".into(),
        })
        .compare("-32001", "-32603")
        .at(exchange, "/error/code")
    };
    let mut from_step = wrong_code(12);
    from_step.source = Some("cases/get/get.yaml:13".into());
    let timestamp = |exchange, pointer: &str| {
        Finding::new(Kind::Spelling { of: "timestamp".into(), condition: "UTC".into() })
            .compare("an RFC 3339 timestamp in UTC that ends in `Z`", "\"2026-11-21T09:30:00+01:00\"")
            .at(exchange, pointer)
    };
    let milliseconds = Finding::new(Kind::Spelling { of: "timestamp".into(), condition: "milliseconds".into() })
        .compare("milliseconds", "\"2026-11-21T09:30:00+01:00\"")
        .at(16, "/result/status/timestamp");
    let unreached = || Reason::TriggerMissed {
        text: "input-required".into(),
        received: "a task in TASK_STATE_COMPLETED".into(),
        goal: "waiting for input".into(),
        trigger: "input-required".into(),
    };
    let no_streaming = || Reason::NotDeclared { capability: "streaming".into() };
    let results = vec![
        broken("cancel/unknown-id", Must, &["1.0-3.1.5-2", "1.0-5.4-1"], vec![wrong_code(14)]),
        broken("data/milliseconds", Should, &["1.0-5.6.1-2"], vec![milliseconds]),
        broken(
            "data/timestamps",
            Must,
            &["1.0-5.6.1-1"],
            vec![
                timestamp(16, "/result/status/timestamp"),
                timestamp(17, "/result/tasks/0/status/timestamp"),
                timestamp(17, "/result/tasks/1/status/timestamp"),
            ],
        ),
        result("get/existing", Must, Verdict::Pass, &["1.0-3.1.3-1"]),
        with_reason(
            "get/repeatable",
            Must,
            Verdict::Broken,
            &["1.0-3.3.1-1"],
            Reason::ConnectionLost { how: "the connection was lost before the answer was complete".into() },
        ),
        broken("get/unknown-id", Must, &["1.0-3.1.3-2", "1.0-5.4-1"], vec![from_step]),
        broken(
            "jsonrpc/id-large-integer",
            May,
            &["jsonrpc-4-3"],
            vec![Finding::new(Kind::ResponseIdDiffers).compare("9007199254740993", "9007199254740992").at(18, "/id")],
        ),
        broken(
            "jsonrpc/parse-error-truncated",
            Must,
            &["jsonrpc-5.1-1"],
            vec![
                Finding::new(Kind::WrongAnswer {
                    expected: "JSONParseError".into(),
                    received: "something unreadable".into(),
                })
                .compare("JSONParseError", "an HTML page")
                .at(19, ""),
                Finding::new(Kind::HttpStatus { condition: "200".into() }).compare("200", "500").in_exchange(19),
            ],
        ),
        broken(
            "list/page-size",
            Must,
            &["1.0-3.1.4-4"],
            vec![value("/pageSize", "the number of tasks on the page", NOTHING).at(17, "/result/pageSize")],
        ),
        with_reason(
            "push/create",
            Must,
            Verdict::Skipped,
            &["1.0-3.1.7-1"],
            Reason::NotDeclared { capability: "pushNotifications".into() },
        ),
        with_reason("send/follow-up-same-task", Must, Verdict::Unreached, &["1.0-3.4.3-1"], unreached()),
        with_reason("states/input-required-resumes", Should, Verdict::Unreached, &["1.0-3.4.3-1"], unreached()),
        with_reason("stream/closes", Must, Verdict::Skipped, &["1.0-3.1.2-1"], no_streaming()),
        with_reason("stream/pattern", Must, Verdict::Skipped, &["1.0-3.1.2-1"], no_streaming()),
    ];
    let requirements = vec![
        rule("1.0-3.1.3-1", Must, Verdict::Pass, "an existing task can be read", &["get/existing"]),
        rule(
            "1.0-3.1.3-2",
            Must,
            Verdict::Fail,
            "A task that does not exist is answered with TaskNotFoundError.",
            &["get/unknown-id"],
        ),
        rule(
            "1.0-3.1.4-4",
            Must,
            Verdict::Fail,
            "A page of ListTasks tells how many tasks it may hold at most, be it as the client asked or as the agent prefers.",
            &["list/page-size"],
        ),
        rule(
            "1.0-3.1.5-2",
            Must,
            Verdict::Fail,
            "Cancelling a task that does not exist is answered with TaskNotFoundError.",
            &["cancel/unknown-id"],
        ),
        rule("1.0-3.3.1-1", Must, Verdict::Broken, "Reading changes nothing.", &["get/repeatable"]),
        rule(
            "1.0-3.4.3-1",
            Must,
            Verdict::Unreached,
            "A follow-up goes to the same task.",
            &["send/follow-up-same-task", "states/input-required-resumes"],
        ),
        rule(
            "1.0-5.4-1",
            Must,
            Verdict::Fail,
            "Errors have the code that the binding gives them.",
            &["cancel/unknown-id", "get/unknown-id"],
        ),
        rule("1.0-5.6.1-1", Must, Verdict::Fail, "Timestamps are in UTC.", &["data/timestamps"]),
        rule("1.0-5.6.1-2", Should, Verdict::Warn, "Timestamps have milliseconds.", &["data/milliseconds"]),
        rule("jsonrpc-4-3", May, Verdict::Note, "An id may be any number.", &["jsonrpc/id-large-integer"]),
        rule(
            "jsonrpc-5.1-1",
            Must,
            Verdict::Fail,
            "What is not JSON is answered with a parse error.",
            &["jsonrpc/parse-error-truncated"],
        ),
    ];
    let code = "look the task up before anything else, and answer a miss with code -32001 (table in section 5.4), not with the code for internal errors";
    let mut full = report(results, requirements);
    let trigger = |trigger: &str, text: Option<&str>, cases| TriggerInfo {
        trigger: trigger.into(),
        text: text.map(str::to_owned),
        message_id_prefix: None,
        is_example: text.is_some(),
        cases,
    };
    let part = |case: &str| match case.split('/').next() {
        Some("push") => Part::Push,
        Some("stream") => Part::Streaming,
        _ => Part::Core,
    };
    let parts = full.results.iter().map(|result| (result.case.as_str(), part(&result.case))).collect();
    full.conformance = conformance::of(&full.requirements, &full.results, &parts);
    full.triggers = vec![trigger("slow", Some("Plan a \"long\" trip"), 3), trigger("input-required", None, 2)];
    full.cases = vec![
        info("cancel/unknown-id", code, &[]),
        info("data/milliseconds", "print three digits of the second", &[]),
        info("data/timestamps", "convert to UTC before printing", &[]),
        info("get/repeatable", "", &[]),
        info("get/unknown-id", code, &[]),
        info("jsonrpc/id-large-integer", "keep the id as text", &[]),
        info("jsonrpc/parse-error-truncated", "answer -32700 from the handler that reads the body", &[]),
        info("list/page-size", "fill pageSize in every answer", &[]),
        info("send/follow-up-same-task", "", &[Trigger::InputRequired]),
        info("states/input-required-resumes", "", &[Trigger::InputRequired]),
    ];
    let call = |id: u64, method: &str, params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
    };
    let long_message = format!(
        r#"{{"message":{{"messageId":"5f1c2e0a-7d0b-4a52-9c1e-0f2f4a3b9d11","role":"ROLE_USER","parts":[{{"text":"{}"}}]}},"configuration":{{"returnImmediately":true}}}}"#,
        "complete this task, and take your time over it ".repeat(8)
    );
    let task = r#"{"jsonrpc":"2.0","id":9,"result":{"id":"task-1","contextId":"ctx-1","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-21T09:30:00+01:00"},"artifacts":[]}}"#;
    let list = "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 10,\n  \"result\": {\n    \"tasks\": [\n      { \"id\": \"task-1\", \"status\": { \"timestamp\": \"2026-11-21T09:30:00+01:00\" } },\n      { \"id\": \"task-2\", \"status\": { \"timestamp\": \"2026-11-21T09:30:00+01:00\" } }\n    ]\n  }\n}\n";
    let exchanges = [
        exchange(12, "get/unknown-id", &call(7, "GetTask", r#"{"id":"no-such-task"}"#), Some(UNKNOWN_TASK)),
        exchange(14, "cancel/unknown-id", &call(8, "CancelTask", r#"{"id":"no-such-task"}"#), Some(UNKNOWN_TASK)),
        exchange(16, "fixture completed", &call(9, "SendMessage", &long_message), Some(task)),
        exchange(17, "list/page-size", &call(10, "ListTasks", r#"{"pageSize":2}"#), Some(list)),
        exchange(
            18,
            "jsonrpc/id-large-integer",
            &call(9_007_199_254_740_993, "GetTask", r#"{"id":"task-1"}"#),
            Some(r#"{"jsonrpc":"2.0","id":9007199254740992,"result":{}}"#),
        ),
        exchange(
            19,
            "jsonrpc/parse-error-truncated",
            r#"{"jsonrpc":"2.0","id":1,"me"#,
            Some("<!DOCTYPE html>\n<html><head><title>Internal Server Error</title></head></html>\n"),
        ),
    ];
    let mut exchanges = exchanges;
    if let Some(response) = exchanges.last_mut().and_then(|exchange| exchange.response.as_mut()) {
        response.status = 500;
    }
    full.exchanges = exchanges.iter().map(|exchange| describe(exchange, LONGEST_SHOWN, &Secrets::default())).collect();
    full
}

/// One finding in one event of a stream that the agent left open.
pub(crate) fn stream() -> Report {
    let finding = Finding::new(left())
        .compare("TASK_STATE_COMPLETED to stay", "\"TASK_STATE_WORKING\"")
        .at(21, "/result/statusUpdate/status/state")
        .in_event(1);
    let results = vec![broken("states/legal-transitions", Level::Must, &["1.0-4.1.3-1"], vec![finding])];
    let text = "A task in a terminal state never leaves it.";
    let requirements = vec![rule("1.0-4.1.3-1", Level::Must, Verdict::Fail, text, &["states/legal-transitions"])];
    let event = |state: &str| {
        format!(
            "data: {{\"jsonrpc\":\"2.0\",\"id\":11,\"result\":{{\"statusUpdate\":{{\"taskId\":\"task-9\",\"contextId\":\"ctx-9\",\"status\":{{\"state\":\"{state}\"}}}}}}}}\n\n"
        )
    };
    let body = format!(": welcome\n\n{}{}", event("TASK_STATE_COMPLETED"), event("TASK_STATE_WORKING"));
    let mut streamed =
        exchange(21, "fixture completed", r#"{"jsonrpc":"2.0","id":11,"method":"SendStreamingMessage"}"#, Some(&body));
    streamed.ended = Ended::LeftOpen;
    Report {
        fuzz: None,
        cases: vec![info("states/legal-transitions", "refuse what would reopen a finished task", &[Trigger::Complete])],
        exchanges: vec![describe(&streamed, LONGEST_SHOWN, &Secrets::default())],
        ..report(results, requirements)
    }
}

/// One result that was wrong, and right when it was run again; another that stayed wrong.
pub(crate) fn flaky() -> Report {
    let Report { results, requirements, cases, exchanges, .. } = stream();
    let first = results.first().cloned().unwrap();
    let mut stays = TrialResult { case: "stream/closes".to_owned(), ..first.clone() };
    stays.findings = vec![Finding::new(Kind::StreamsDiffer)];
    let mut flaky = first.clone();
    stays.take_again(&first);
    flaky.take_again(&first);
    flaky.take_again(&TrialResult { verdict: Verdict::Pass, held: vec!["transitions".to_owned()], ..first });
    let requirements = requirements.into_iter().map(|it| RequirementResult { verdict: Verdict::Flaky, ..it }).collect();
    Report { cases, exchanges, ..report(vec![flaky, stays], requirements) }
}

/// An exchange over gRPC: what came is frames, of which `text` is the JSON form.
pub(crate) fn over_grpc(number: u64, rpc: &str, sent: &str, text: &str, code: u32) -> Exchange {
    let mut exchange = exchange(number, "a case", sent, Some(""));
    exchange.request.url = format!("{URL}/lf.a2a.v1.A2AService/{rpc}");
    exchange.request.headers = ["content-type", "te", "a2a-version"]
        .into_iter()
        .zip(["application/grpc", "trailers", "1.0"])
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    if let Some(response) = &mut exchange.response {
        response.headers = vec![("content-type".into(), "application/grpc".into())];
        response.body = Bytes::from_static(b"\0\0\0\0\x03\x0a\x01\xff");
        response.text = Some(text.into());
        response.trailers = vec![("grpc-status".into(), code.to_string())];
    }
    exchange
}

/// Findings over gRPC, in a message, in an error and in a stream, and one across two bindings; an interface is lost.
pub(crate) fn grpc() -> Report {
    let over = |binding: &str, result: TrialResult| TrialResult { binding: binding.into(), ..result };
    let in_message = value("/id", "\"task-1\"", "\"task-2\"").at(3, "/id");
    let in_error = Finding::new(Kind::WrongError {
        operation: "GetTask".into(),
        expected: "TaskNotFoundError".into(),
        received: "INTERNAL".into(),
    })
    .compare("TaskNotFoundError (NOT_FOUND)", "INTERNAL")
    .at(4, "/code");
    let in_stream = Finding::new(left())
        .compare("TASK_STATE_COMPLETED to stay", "\"TASK_STATE_WORKING\"")
        .at(5, "/statusUpdate/status/state")
        .in_event(1);
    let across = Finding::new(Kind::AnswersDisagree { first: "jsonrpc".into(), second: "grpc".into() })
        .compare("\"TASK_STATE_COMPLETED\" as over jsonrpc (exchange 2)", "\"TASK_STATE_WORKING\"")
        .at(6, "/status/state")
        .against(2);
    let results = vec![
        over("grpc", broken("get/existing", Level::Must, &["1.0-3.1.3-1"], vec![in_message])),
        over("grpc", broken("get/unknown-id", Level::Must, &["1.0-3.1.3-1"], vec![in_error])),
        over("grpc", broken("states/legal-transitions", Level::Must, &["1.0-4.1.3-1"], vec![in_stream])),
        over("jsonrpc+grpc", broken("equivalence/tasks", Level::Must, &["1.0-5.1-1"], vec![across])),
    ];
    let all = |id: &str, text: &str, cases: &[&str]| rule(id, Level::Must, Verdict::Fail, text, cases);
    let requirements = vec![
        all("1.0-3.1.3-1", "GetTask returns the task of the id.", &["get/existing", "get/unknown-id"]),
        all("1.0-4.1.3-1", "A task in a terminal state never leaves it.", &["states/legal-transitions"]),
        all("1.0-5.1-1", "All bindings of an agent do the same.", &["equivalence/tasks"]),
    ];
    let event = |state: &str| {
        format!(r#"{{"statusUpdate":{{"taskId":"task-9","contextId":"ctx-9","status":{{"state":"{state}"}}}}}}"#)
    };
    let task = |state: &str| format!(r#"{{"id":"task-1","contextId":"ctx-1","status":{{"state":"{state}"}}}}"#);
    let ask = r#"{"id":"task-1"}"#;
    let stream = format!("{}\n{}", event("TASK_STATE_COMPLETED"), event("TASK_STATE_WORKING"));
    let result = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}}}"#, task("TASK_STATE_COMPLETED"));
    let error = r#"{"code":13,"status":"INTERNAL","message":"oops","details":[]}"#;
    let exchanges = [
        exchange(2, "equivalence/tasks", r#"{"jsonrpc":"2.0","id":1,"method":"GetTask"}"#, Some(&result)),
        over_grpc(3, "GetTask", ask, r#"{"id":"task-2","contextId":"ctx-1"}"#, 0),
        over_grpc(4, "GetTask", r#"{"id":"no-such-task"}"#, error, 13),
        over_grpc(5, "SendStreamingMessage", r#"{"message":{"messageId":"m"}}"#, &stream, 0),
        over_grpc(6, "GetTask", ask, &task("TASK_STATE_WORKING"), 0),
    ];
    let mut grpc = report(results, requirements);
    for interface in grpc.target.interfaces.iter_mut().skip(1) {
        interface.skipped = None;
        interface.profile = Some("1.0".into());
        interface.note = Some("the path /a2a of its URL is ignored".into());
        interface.dialect = Some("proto".into());
        interface.lost = Some("the agent stopped answering: connection refused".into());
    }
    grpc.cases = vec![info("get/existing", "return the task that was asked for", &[])];
    grpc.exchanges = exchanges.iter().map(|exchange| describe(exchange, LONGEST_SHOWN, &Secrets::default())).collect();
    grpc
}

/// Stopped early, without any test, and without a card.
pub(crate) fn interrupted() -> Report {
    let results = vec![
        with_reason("get/existing", Level::Must, Verdict::Unreached, &["1.0-3.1.3-1"], Reason::NotRun),
        with_reason("get/unknown-id", Level::Must, Verdict::Unreached, &["1.0-3.1.3-2"], Reason::NotRun),
    ];
    let target = TargetInfo { url: URL.into(), ..TargetInfo::default() };
    let mut cases = vec![info("get/existing", "", &[Trigger::Complete])];
    cases.push(CaseInfo { rerun: Vec::new(), ..info("get/unknown-id", "", &[]) });
    Report {
        fuzz: None,
        target,
        cases,
        stopped: Some(Stopped::Interrupted),
        duration_ms: 125_900,
        messages_sent: 1,
        ..report(results, Vec::new())
    }
}

/// A run against an agent that cannot be reached.
pub(crate) fn not_run() -> Report {
    let error = ErrorInfo {
        outcome: Gate::Unreachable,
        message: format!("{URL} cannot be reached: connection refused"),
        details: vec![format!("{URL}/.well-known/agent-card.json: `<b>` @everyone")],
        help: Some("is the agent running, and is the URL right?".to_owned()),
    };
    let tool = report(Vec::new(), Vec::new()).tool;
    Report { tool, ..Report::of_error(URL, jiff::Timestamp::UNIX_EPOCH, error, FailOn::Must, 3) }
}

/// An agent that keeps two callers apart, except over one binding.
pub(crate) fn secured() -> Report {
    use Level::Must;
    let rules = &["1.0-13.1-1"];
    let foreign =
        |operation: &str, object: &str| Some(Foreign { operation: operation.to_owned(), object: object.to_owned() });
    let on = |operation, object, result| TrialResult { foreign: foreign(operation, object), ..result };
    let over_grpc = |result| TrialResult { binding: "grpc".into(), ..result };
    let shown = Finding::new(Kind::ServedToAnother).compare("a refusal", "a result");
    let others = "security/others-task";
    let results = vec![
        on("GetTask", "a task", over_grpc(broken(others, Must, rules, vec![shown]))),
        on("GetTask", "a task", result(others, Must, Verdict::Pass, rules)),
        on("CancelTask", "a task at work", over_grpc(result("security/others-cancel", Must, Verdict::Pass, rules))),
        on("CancelTask", "a task at work", result("security/others-cancel", Must, Verdict::Pass, rules)),
        result("security/no-credentials", Must, Verdict::Pass, rules),
        with_reason("push/posted", Must, Verdict::Skipped, rules, Reason::WebhookFarAway),
        with_reason("push/posted-payload", Must, Verdict::Skipped, rules, Reason::WebhookFarAway),
        with_reason("card/signed", Must, Verdict::Unreached, rules, Reason::NoKeyFor { id: "team-1".into() }),
    ];
    let requirements = vec![rule("1.0-13.1-1", Must, Verdict::Fail, "Each caller is shown what is theirs.", &[others])];
    let scheme = |name: &str, kind: &str, help: Option<&str>| SchemeInfo {
        name: name.into(),
        kind: kind.into(),
        profiles: vec!["1.0".into()],
        demanded: help.is_none(),
        brought: help.is_none(),
        help: help.map(str::to_owned),
    };
    let identity = |caller: &str| IdentityInfo { caller: caller.into(), brings: vec!["Authorization (Bearer)".into()] };
    let security = SecurityInfo::of(vec![identity("own"), identity("other")], &results);
    let mut secured = Report { security, ..report(results, requirements) };
    secured.target.schemes = vec![
        scheme("user", "HTTP Bearer", None),
        scheme("key", "API key in header X-Key", Some("--header 'X-Key: env:VARIABLE'")),
    ];
    secured
}

/// A report with a body of 8 MiB that is no text, and many findings in it.
pub(crate) fn long() -> Report {
    let mut exchange = exchange(21, "states/legal-transitions", "{}", Some(""));
    if let Some(response) = &mut exchange.response {
        response.body = Bytes::from(vec![0; 8 << 20]);
    }
    let mut report = stream();
    let mut cited = super::cited::CitedExchanges::default();
    let findings = vec![Finding::new(Kind::ErrorBodyNotJson).at(21, ""); 100];
    let result = TrialResult { findings, ..report.results[0].clone() };
    report.results = vec![cited.take(result, &[std::sync::Arc::new(exchange)], &Secrets::default())];
    report.problems = problems::find(&report.results, &report.requirements);
    (report.exchanges, report.exchanges_left_out) = cited.into_parts();
    report
}
