//! Findings that follow from others, and such that only look like it.

use std::sync::Arc;

use super::*;
use crate::finding::{Kind, NOTHING};
use crate::report::problems;
use crate::report::sample;
use crate::secrets::Secrets;
use crate::transcript::Exchange;
use crate::verdict::Verdict;

fn exchange(number: u64, request: &str, response: &str) -> Arc<Exchange> {
    Arc::new(sample::exchange(number, "test", request, Some(response)))
}

fn served(input: &str, exchange: u64) -> Finding {
    let mut finding = Finding::new(Kind::RequestServed { expected: "an error".to_owned() }).in_exchange(exchange);
    finding.input = Some(input.to_owned());
    finding
}

fn value(place: &str, received: &str, exchange: u64) -> Finding {
    let kind = Kind::Value { place: place.to_owned(), condition: "x".to_owned() };
    Finding::new(kind).compare("x", received).in_exchange(exchange)
}

fn left(task: &str, exchange: u64) -> Finding {
    let kind = Kind::TerminalStateLeft { task: task.to_owned(), state: "TASK_STATE_FAILED".to_owned() };
    Finding::new(kind).in_exchange(exchange)
}

/// What problems these findings are, by their kinds with the number of results, worst first.
fn told(findings: Vec<Finding>, exchanges: &[Arc<Exchange>]) -> Vec<(String, usize)> {
    let mut cited = CitedExchanges::default();
    let mut results: Vec<TrialResult> = findings
        .into_iter()
        .enumerate()
        .map(|(number, finding)| {
            let result = TrialResult {
                case: format!("send/{number}"),
                requirements: Vec::new(),
                verdict: Verdict::Fail,
                findings: vec![finding],
                ..sample::stream().results[0].clone()
            };
            cited.take(result, exchanges, &Secrets::default())
        })
        .collect();
    trace(None, &mut results, &cited);
    let problems = problems::find(&results, &[]);
    problems.into_iter().map(|problem| (problem.kind.clone(), problem.results())).collect()
}

fn one(kind: &str, results: usize) -> (String, usize) {
    (kind.to_owned(), results)
}

const SEND: &str = r#"{"method":"SendMessage","params":{"message":{"taskId":"t-1"}}}"#;

#[test]
fn who_passes_over_the_id_of_a_task_has_one_problem() {
    let other = r#"{"result":{"task":{"id":"t-2","status":{}}}}"#;
    let exchanges = [exchange(1, SEND, other), exchange(2, SEND, other), exchange(3, SEND, other)];
    let refused = || vec![served("a message with `message/taskId` of no task", 1), served("a finished one", 2)];
    let all = refused().into_iter().chain([value("/task/id", "\"t-2\"", 3)]).collect();
    assert_eq!(told(all, &exchanges), [one("value", 3)]);
    // Where nobody has seen that a task is not gone on with, each is a check of its own.
    assert_eq!(told(refused(), &exchanges).len(), 2);
    let same = r#"{"result":{"task":{"id":"t-1","status":{}}}}"#;
    let exchanges = [exchange(1, SEND, other), exchange(2, SEND, same), exchange(3, SEND, other)];
    let all = refused().into_iter().chain([value("/task/id", "\"t-2\"", 3)]).collect();
    assert_eq!(told(all, &exchanges).len(), 2);
}

#[test]
fn a_task_that_is_started_again_is_one_problem() {
    let cancel = |task: &str| format!(r#"{{"method":"CancelTask","params":{{"id":"{task}"}}}}"#);
    let get = |task: &str| format!(r#"{{"method":"GetTask","params":{{"id":"{task}"}}}}"#);
    let exchanges = [
        exchange(1, &cancel("t-1"), "{}"),
        exchange(2, &cancel("t-2"), "{}"),
        exchange(3, &get("t-2"), "{}"),
        exchange(4, &get("t-3"), "{}"),
    ];
    let canceled = || served("CancelTask with `id` of a task", 1);
    let findings = vec![canceled(), left("t-1", 1), left("t-2", 2), value("/status/state", "\"canceled\"", 3)];
    assert_eq!(told(findings, &exchanges), [one("request-served", 4)]);
    // A task that nobody was seen to cancel has changed for another reason.
    let findings = vec![canceled(), left("t-3", 4)];
    assert_eq!(told(findings, &exchanges).len(), 2);
    let findings = vec![served("GetTask with `id` of a task", 3), left("t-2", 4)];
    assert_eq!(told(findings, &exchanges).len(), 2);
}

#[test]
fn responses_without_an_id_are_one_problem() {
    let id = |condition: &str, received: &str| {
        Finding::new(Kind::ResponseId { condition: condition.to_owned() }).compare("1", received)
    };
    let differs = |received: &str| Finding::new(Kind::ResponseIdDiffers).compare("1", received);
    let findings = vec![id("1", NOTHING), id("null", NOTHING), differs(NOTHING)];
    assert_eq!(told(findings, &[]), [one("response-id-differs", 3)]);
    let findings = vec![id("1", "2"), id("null", NOTHING), differs("7")];
    assert_eq!(told(findings, &[]).len(), 3);
}

/// The case about streams and the one about all answers read the same envelopes.
#[test]
fn an_event_with_the_id_of_another_request_is_one_problem() {
    let of = |kind: Kind, exchange| Finding::new(kind).compare("7", "1").in_exchange(exchange);
    let streams = r#"{"method":"SendStreamingMessage","params":{}}"#;
    let reads = r#"{"method":"GetTask","params":{}}"#;
    let exchanges = [exchange(1, streams, "{}"), exchange(2, streams, "{}"), exchange(3, reads, "{}")];
    let event = || of(Kind::EventIdDiffers, 1);
    assert_eq!(told(vec![event(), of(Kind::ResponseIdDiffers, 2)], &exchanges), [one("response-id-differs", 2)]);
    assert_eq!(told(vec![event(), of(Kind::ResponseIdDiffers, 3)], &exchanges).len(), 2);
}

#[test]
fn a_message_of_an_error_that_is_no_text_is_one_problem() {
    let kind = |place: &str| Kind::EnvelopeValue { place: place.to_owned(), condition: "a string".to_owned() };
    let envelope = |place: &str| Finding::new(kind(place)).in_exchange(1);
    let missing = || Finding::new(Kind::ErrorWithoutMessage).in_exchange(1);
    assert_eq!(told(vec![missing(), envelope("/error/message")], &[]), [one("envelope-value", 2)]);
    assert_eq!(told(vec![missing(), envelope("/jsonrpc")], &[]).len(), 2);
}

#[test]
fn members_that_are_null_where_they_must_be_absent_are_one_problem() {
    let both =
        || Finding::new(Kind::Envelope { condition: "either".to_owned() }).compare("either", "both").in_exchange(1);
    let null = || {
        let kind = Kind::EnvelopeValue { place: "/error".to_owned(), condition: "an object".to_owned() };
        Finding::new(kind).compare("an object", "null").in_exchange(2)
    };
    let exchanges = |first: &str| {
        let get = r#"{"method":"GetTask","params":{}}"#;
        [exchange(1, get, first), exchange(2, get, r#"{"result":{},"error":null}"#)]
    };
    let error = r#"{"code":-32001,"message":"no"}"#;
    let with_null = exchanges(&format!(r#"{{"result":null,"error":{error}}}"#));
    assert_eq!(told(vec![both(), null()], &with_null), [one("envelope-value", 2)]);
    let with_result = exchanges(&format!(r#"{{"result":{{}},"error":{error}}}"#));
    assert_eq!(told(vec![both(), null()], &with_result).len(), 2);
}

#[test]
fn an_end_that_is_not_stored_is_one_problem() {
    let (get, cancel) = (r#"{"method":"GetTask","params":{}}"#, r#"{"method":"CancelTask","params":{}}"#);
    let exchanges = [exchange(1, get, "{}"), exchange(2, get, "{}"), exchange(3, cancel, "{}")];
    let lost = || Finding::new(Kind::EndNotRead).compare("completed", "submitted").in_exchange(1);
    let left = |received: &str, exchange| left("t-1", exchange).compare("completed", received);
    assert_eq!(told(vec![left("submitted", 2), lost()], &exchanges), [one("end-not-read", 2)]);
    assert_eq!(told(vec![left("working", 2), lost()], &exchanges).len(), 2);
    assert_eq!(told(vec![left("submitted", 3), lost()], &exchanges).len(), 2);
}

#[test]
fn an_update_that_is_said_to_be_the_last_and_is_not_is_one_problem() {
    let after = || Finding::new(Kind::EventAfterEnd { what: "an artifactUpdate".to_owned() }).in_exchange(1);
    let early = Finding::new(Kind::FinalBeforeEvents).in_exchange(1);
    assert_eq!(told(vec![after(), early], &[]), [one("final-before-events", 2)]);
    assert_eq!(told(vec![after()], &[]), [one("event-after-end", 1)]);
}

/// Who has one code for all errors has no table of codes. Two errors may share one by mistake.
#[test]
fn one_code_for_every_error_is_one_problem() {
    let wrong = |expected: &str, received: &str| {
        Finding::new(Kind::WrongError {
            operation: "GetTask".to_owned(),
            expected: expected.to_owned(),
            received: received.to_owned(),
        })
    };
    let errors = ["TaskNotFoundError", "TaskNotCancelableError", "MethodNotFoundError"];
    let all = |code: &str| errors.iter().map(|expected| wrong(expected, code)).collect::<Vec<_>>();
    assert_eq!(told(all("-32000"), &[]), [one("wrong-error", 3)]);
    assert_eq!(told(all("-32000")[..2].to_vec(), &[]).len(), 2);
    // An error that the specification has was chosen for a reason, each time.
    assert_eq!(told(all("InvalidRequestError"), &[]).len(), 3);
}

#[test]
fn an_id_that_is_none_is_given_back_by_who_takes_it() {
    let given_back = |exchange| Finding::new(Kind::UnreadableIdNotNull).in_exchange(exchange);
    let mut taken = Finding::new(Kind::WrongError {
        operation: String::new(),
        expected: "InvalidRequestError".to_owned(),
        received: "TaskNotFoundError".to_owned(),
    })
    .in_exchange(1);
    taken.input = Some("a request whose `id` is none".to_owned());
    assert_eq!(told(vec![taken.clone(), given_back(1)], &[]), [one("wrong-error", 2)]);
    assert_eq!(told(vec![taken, given_back(2)], &[]).len(), 2);
}

#[test]
fn members_that_one_object_lacks_are_one_problem() {
    let list = r#"{"method":"ListTasks","params":{}}"#;
    let get = r#"{"method":"GetTask","params":{}}"#;
    let exchanges = [exchange(1, list, "{}"), exchange(2, list, "{}"), exchange(3, get, "{}")];
    let lacks = |member: &str, exchange| {
        let condition = format!("the member \"{member}\"");
        Finding::new(Kind::SchemaObject { of: "ListTasksResponse".to_owned(), condition }).at(exchange, "/result")
    };
    let findings = vec![lacks("totalSize", 1), lacks("pageSize", 1), value("/totalSize", NOTHING, 2)];
    assert_eq!(told(findings, &exchanges), [one("schema-object", 3)]);
    let findings = vec![lacks("totalSize", 1), value("/totalSize", NOTHING, 3), value("/tasks", NOTHING, 2)];
    assert_eq!(told(findings, &exchanges).len(), 3);
}

#[test]
fn what_fails_over_each_binding_alike_is_one_problem() {
    let failed = |received: &str| {
        let mut finding = Finding::new(Kind::FailedInstead { received: received.to_owned() });
        finding.input = Some("malformed parameters".to_owned());
        finding
    };
    let shows = |case: &str, binding: &str, received: &str| TrialResult {
        case: case.to_owned(),
        binding: binding.to_owned(),
        requirements: Vec::new(),
        verdict: Verdict::Fail,
        findings: vec![failed(received)],
        ..sample::stream().results[0].clone()
    };
    let problems = |mut results: Vec<TrialResult>| {
        trace(None, &mut results, &CitedExchanges::default());
        problems::find(&results, &[]).len()
    };
    let both = || vec![shows("send/a", "grpc", "INTERNAL"), shows("send/a", "jsonrpc", "InternalError")];
    assert_eq!(problems(both()), 1);
    // Over one of them it fails at more: that is another handler.
    assert_eq!(problems(both().into_iter().chain([shows("send/b", "jsonrpc", "InternalError")]).collect()), 2);
    assert_eq!(problems(vec![shows("send/a", "grpc", "INTERNAL"), shows("send/a", "grpc", "UNKNOWN")]), 2);
}

#[test]
fn a_history_that_is_too_long_is_one_problem() {
    let long = || Finding::new(Kind::HistoryTooLong).in_exchange(1);
    assert_eq!(told(vec![long(), value("/task/history/1", "{}", 1)], &[]), [one("history-too-long", 2)]);
    assert_eq!(told(vec![long(), value("/task/history/1", "{}", 2)], &[]).len(), 2);
    assert_eq!(told(vec![long(), value("/task/artifacts/1", "{}", 1)], &[]).len(), 2);
}

mod unchecked {
    use super::super::unchecked::inputs;
    use super::*;
    use crate::case::Rule;
    use crate::plan::Trial;
    use crate::plan::whole::plan_at;
    use crate::profile::Binding;

    /// The problems of an agent that serves what these cases send over JSON-RPC, and refuses what the others do.
    fn told(served: &[&str]) -> Vec<Vec<String>> {
        let (plan, _) = plan_at("http://127.0.0.1:8080/");
        let trials = plan.trials.iter().filter(|trial| trial.binding == Binding::Jsonrpc && trial.other.is_none());
        let trials = trials.filter(|trial| trial.profile == "1.0");
        let mut results: Vec<TrialResult> = trials
            .map(|trial| {
                if !served.contains(&trial.case.id.as_str()) {
                    return trial.result(Verdict::Pass, None, Vec::new());
                }
                let findings = inputs(trial).into_iter().map(|input| {
                    let mut finding = Finding::new(Kind::RequestServed { expected: "InvalidParamsError".to_owned() });
                    finding.input = Some(input.text);
                    finding
                });
                trial.result(Verdict::Fail, None, findings.collect())
            })
            .collect();
        trace(Some(&plan), &mut results, &CitedExchanges::default());
        let problems = problems::find(&results, &[]);
        let cases = |problem: &problems::Problem| {
            let mut cases: Vec<String> =
                problem.evidence.iter().map(|evidence| results[evidence.result].case.clone()).collect();
            cases.sort();
            cases.dedup();
            cases
        };
        let mut all: Vec<Vec<String>> = problems.iter().map(cases).collect();
        all.sort();
        all
    }

    #[test]
    fn one_check_that_is_missing_is_one_problem_and_two_are_two() {
        let one = |cases: &[&str]| cases.iter().map(|case| (*case).to_owned()).collect::<Vec<_>>();
        assert_eq!(told(&["send/missing-message", "stream/missing-message"]).len(), 1);
        assert_eq!(
            told(&["parts/no-content", "parts/two-contents", "parts/bad-base64", "send/configuration-wrong-type"]),
            [
                one(&["parts/bad-base64"]),
                one(&["parts/no-content"]),
                one(&["parts/two-contents"]),
                one(&["send/configuration-wrong-type"])
            ]
        );
        assert_eq!(told(&["version/unsupported-minor", "version/unsupported-major"]).len(), 2);
        assert_eq!(told(&["send/unknown-role", "send/missing-role"]).len(), 1);
        assert_eq!(told(&["cancel/completed", "cancel/failed", "subscribe/completed-task"]).len(), 2);
    }

    #[test]
    fn checks_that_are_all_missing_are_one_problem() {
        let (plan, _) = plan_at("http://127.0.0.1:8080/");
        let asks_for_version =
            |trial: &&std::sync::Arc<Trial>| inputs(trial).iter().any(|input| input.rule == Rule::Version);
        let versions: Vec<&str> =
            plan.trials.iter().filter(asks_for_version).map(|trial| trial.case.id.as_str()).collect();
        assert!(versions.len() > 5, "{versions:?}");
        assert_eq!(told(&versions).len(), 1);
    }
}

#[test]
fn what_a_stream_lacks_that_was_closed_too_early_is_one_problem() {
    let subscribe = r#"{"method":"SubscribeToTask","params":{"id":"t-1"}}"#;
    let working = r#"{"result":{"task":{"id":"t-1","status":{"state":"TASK_STATE_WORKING"}}}}"#;
    let ended = r#"{"result":{"task":{"id":"t-1","status":{"state":"TASK_STATE_COMPLETED"}}}}"#;
    let closed = |received: &str| Finding::new(Kind::StreamEndsWrongly).compare("updates", received).in_exchange(1);
    let missed = || Finding::new(Kind::StreamMissedState).in_exchange(2);
    let lost = || Finding::new(Kind::ArtifactDiffers { artifact: "a-1".to_owned() }).in_exchange(2);
    let early = "closed by the agent at TASK_STATE_WORKING";
    let exchanges = |second: &str| [exchange(1, subscribe, working), exchange(2, subscribe, second)];
    assert_eq!(told(vec![closed(early), missed(), lost()], &exchanges(working)), [one("stream-ends-wrongly", 3)]);
    // A stream that shows the end was not cut, and one that stays open lacks nothing by that.
    assert_eq!(told(vec![closed(early), missed(), lost()], &exchanges(ended)).len(), 3);
    assert_eq!(told(vec![closed("open"), missed(), lost()], &exchanges(working)).len(), 3);
}

#[test]
fn artifacts_under_one_id_are_not_those_of_the_stream() {
    let repeated = Finding::new(Kind::ArtifactIdRepeated { id: "a-1".to_owned() });
    let differs = Finding::new(Kind::ArtifactDiffers { artifact: "a-1".to_owned() });
    assert_eq!(told(vec![differs.clone(), repeated], &[]), [one("artifact-id-repeated", 2)]);
    assert_eq!(told(vec![differs], &[]), [one("artifact-differs", 1)]);
}

#[test]
fn an_operation_that_is_not_supported_is_one_problem() {
    let subscribe = r#"{"method":"SubscribeToTask","params":{"id":"t-1"}}"#;
    let get = r#"{"method":"GetTask","params":{"id":"t-1"}}"#;
    let unsupported = || {
        let kind = Kind::OperationUnsupported { operation: "SubscribeToTask".to_owned() };
        Finding::new(kind).in_exchange(1)
    };
    let refused = || Finding::new(Kind::RefusedWrongly).in_exchange(2);
    let exchanges = |second: &str| [exchange(1, subscribe, "{}"), exchange(2, second, "{}")];
    assert_eq!(told(vec![unsupported(), refused()], &exchanges(subscribe)), [one("operation-unsupported", 2)]);
    assert_eq!(told(vec![unsupported(), refused()], &exchanges(get)).len(), 2);
}

#[test]
fn errors_that_name_themselves_rightly_have_one_wrong_table_of_statuses() {
    let status = || Finding::new(Kind::ErrorInfoStatus { error: "UnsupportedOperationError".to_owned() });
    let fails = |received: &str| {
        let expected = "UnsupportedOperationError (HTTP 400, UNSUPPORTED_OPERATION)";
        Finding::new(Kind::FailedInstead { received: "HTTP 501".to_owned() }).compare(expected, received)
    };
    let named = "UNSUPPORTED_OPERATION (HTTP 501) \"no\"";
    assert_eq!(told(vec![fails(named), status()], &[]), [one("error-info-status", 2)]);
    assert_eq!(told(vec![fails("INTERNAL (HTTP 501) \"no\""), status()], &[]).len(), 2);
}
