//! Conditions on places: of the result, of the error, and of the frame that carries either.

use std::borrow::Cow;

use serde_json::json;

use super::*;
use crate::{Location, Observation};

/// An error with a condition on one place of it.
fn error_at(place: &str, condition: Value) -> Expect {
    Expect { error_at: on(place, condition), ..named("TaskNotFoundError") }
}

/// A result or an error with a condition on its id.
fn rpc_id(condition: Value) -> Expect {
    let outcome = vec![Outcome::Result, Outcome::Refusal, Outcome::Nothing];
    Expect { outcome, rpc_id: Some(Matcher::read(&condition).unwrap()), ..Expect::default() }
}

fn stream() -> Script {
    Script::v1_0().stream("s", &[json!({ "task": task("t", WORKING) }), json!({ "task": task("t", COMPLETED) })])
}

#[test]
fn places_are_judged() {
    let either = || any_of(&[Outcome::Result, Outcome::Refusal]);
    hold(vec![
        (at("/id", json!("t")), got(json!({ "id": "t" })), "right"),
        (at("/id", json!("t")), got(json!({ "id": "u" })), "`/id`: wanted \"t\", got \"u\""),
        (at("", json!({ "type": "array" })), got(json!({})), "the answer: wanted an array, got {}"),
        (at("/1/task/status/state", json!(COMPLETED)), stream(), "right"),
        (
            at("/0/task/status/state", json!(COMPLETED)),
            stream(),
            "`/0/task/status/state`: wanted \"TASK_STATE_COMPLETED\", got \"TASK_STATE_WORKING\"",
        ),
        // The state of a result is not asked of a refusal.
        (Expect { at: on("/id", json!("t")), ..either() }, refused(-32001), "right"),
        // Where the outcome is wrong, its places are another matter.
        (
            at("/id", json!("t")),
            refused(-32001),
            "the agent answers with the wrong error: wanted a result, got TaskNotFoundError (-32001) \"no\"",
        ),
        (error_at("/message", json!("no")), refused(-32001), "right"),
        (error_at("/message", json!("none")), refused(-32001), "`/message` of the error: wanted \"none\", got \"no\""),
        (Expect { error_at: on("/message", json!("none")), ..any_of(&[]) }, got(json!({})), "right"),
    ]);
}

#[test]
fn places_are_cited() {
    let cited = |expect: Expect, script: Script| {
        let findings = findings(&expect, &script);
        let [finding] = findings.as_slice() else { panic!("{findings:?}") };
        (finding.exchange, finding.event, finding.pointer.clone().unwrap_or_default())
    };
    let state = "/task/status/state";
    assert_eq!(cited(at("/id", json!("t")), got(json!({ "id": "u" }))), (Some(1), None, "/result/id".to_owned()));
    assert_eq!(
        cited(at(&format!("/1{state}"), json!(WORKING)), stream()),
        (Some(1), Some(1), format!("/result{state}"))
    );
    assert_eq!(
        cited(error_at("/message", json!("none")), refused(-32001)),
        (Some(1), None, "/error/message".to_owned())
    );
    assert_eq!(cited(rpc_id(json!(2)), got(json!({}))), (Some(1), None, "/id".to_owned()));
    assert_eq!(cited(over_http("status", json!(201)), got(json!({}))), (Some(1), None, String::new()));
}

/// Status and headers are asked for whatever else is wrong.
#[test]
fn frames_are_judged() {
    let typed = |value: &str| {
        let value = value.to_owned();
        got(json!({})).but(|draft| draft.headers = vec![("content-type".to_owned(), value)])
    };
    let with_trailer = |script: Script| script.but(|draft| draft.trailers.push(("x-sum".to_owned(), "Ab".to_owned())));
    let is_json = || over_http("content-type", json!("application/json"));
    hold(vec![
        (over_http("status", json!(200)), got(json!({})), "right"),
        (over_http("status", json!(201)), got(json!({})), "the HTTP status: wanted 201, got 200"),
        (
            over_http("status", json!(201)),
            lost(Ended::Complete),
            "no response: wanted an HTTP answer, got closed by the agent",
        ),
        (is_json(), typed("Application/JSON"), "right"),
        (is_json(), typed("text/html"), "the header content-type: wanted \"application/json\", got \"text/html\""),
        (over_http("x-sum", json!("Ab")), with_trailer(got(json!({}))), "right"),
        (over_http("x-sum", json!("ab")), with_trailer(got(json!({}))), "the header x-sum: wanted \"ab\", got \"Ab\""),
        (over_http("x-other", json!({ "present": false })), with_trailer(got(json!({}))), "right"),
        (
            Expect { http: on("status", json!(404)), ..named("TaskNotFoundError") },
            got(json!({})),
            "the agent accepts a request that it must refuse: wanted TaskNotFoundError (-32001), got the result {}",
        ),
        (over_grpc("status", json!("NOT_FOUND")), called(5), "right"),
        (
            over_grpc("status", json!("NOT_FOUND")),
            called(3),
            "the gRPC status: wanted \"NOT_FOUND\", got \"INVALID_ARGUMENT\"",
        ),
        (over_grpc("message", json!("no")), called(5), "right"),
        (over_grpc("message", json!("none")), called(5), "the gRPC message: wanted \"none\", got \"no\""),
        (over_grpc("retry-after", json!("3")), called(5), "right"),
        (over_grpc("retry-after", json!("4")), called(5), "the metadata retry-after: wanted \"4\", got \"3\""),
        (rpc_id(json!(1)), got(json!({})), "right"),
        (rpc_id(json!(1)), refused(-32602), "right"),
        (rpc_id(json!(2)), got(json!({})), "the id of the response: wanted 2, got 1"),
        (rpc_id(json!(2)), refused(-32602), "the id of the response: wanted 2, got 1"),
        (rpc_id(json!(2)), body(""), "right"),
    ]);
}

/// The code of gRPC that a call comes to where it brings a result.
#[test]
fn a_result_over_grpc_has_the_code_ok() {
    let expect = Expect { grpc: on("status", json!("OK")), ..Expect::default() };
    let Observation::Answer(mut call) = called(0).play().last().seen.clone() else { panic!("one answer") };
    call.content = got(json!({})).play().last().seen.answer().unwrap().content.clone();
    let played = StepRecord { seen: Observation::Answer(call), ..played(&expect, &called(0)) };
    assert_eq!(step(called(0).play().profile(), &played).judgement, Judgement::Right);
}

/// The header has the name of the version; over gRPC it may come with the status.
#[test]
fn extensions_are_active_that_the_answer_lists() {
    let expect =
        |condition: Value, expect: Expect| Expect { extensions: Some(Matcher::read(&condition).unwrap()), ..expect };
    let with = |script: Script, name: &str, value: &str| {
        let field = (name.to_owned(), value.to_owned());
        script.but(|draft| draft.headers.push(field))
    };
    let of_1_0 = |script: Script| with(script, "a2a-extensions", "urn:a, urn:b");
    let (lists_b, lacks_b) = (json!({ "contains": "urn:b" }), json!({ "lacks": "urn:b" }));
    let missing = "the list of active extensions: wanted to contain \"urn:b\", got []";
    let v0_3 = || Script::v0_3().result("s", GetTask, json!({ "id": "t", "kind": "task" }));
    hold(vec![
        (expect(lists_b.clone(), any_of(&[])), of_1_0(got(json!({}))), "right"),
        (
            expect(lacks_b.clone(), any_of(&[])),
            of_1_0(got(json!({}))),
            "the list of active extensions: wanted not to contain \"urn:b\", got [\"urn:a\",\"urn:b\"]",
        ),
        (expect(lists_b.clone(), any_of(&[])), got(json!({})), missing),
        (expect(lacks_b, any_of(&[])), got(json!({})), "right"),
        (expect(lists_b.clone(), any_of(&[])), with(got(json!({})), "x-a2a-extensions", "urn:b"), missing),
        (expect(lists_b.clone(), any_of(&[])), with(v0_3(), "x-a2a-extensions", "urn:b"), "right"),
        (expect(lists_b.clone(), named("TaskNotFoundError")), of_1_0(refused(-32001)), "right"),
    ]);
    let reach = |script: Script| {
        reached(&StepRecord { reach: on("extensions", lists_b.clone()), ..played(&any_of(&[]), &script) })
    };
    assert_eq!(reach(of_1_0(got(json!({})))), Ok(()));
    assert_eq!(
        reach(got(json!({}))).map_err(|reason| reason.to_string()),
        Err("the list of active extensions is [], expected to contain \"urn:b\"".to_owned()),
    );
}

/// An agent without what it may be without is none that the case is about, and that is no state to be brought into.
#[test]
fn what_an_agent_may_lack_is_skipped() {
    let timed = on("/status/timestamp", json!({ "type": "string" }));
    let of = |script: Script| {
        let record = StepRecord { applies: timed.clone(), ..played(&any_of(&[]), &script) };
        reached(&StepRecord { reach: on("/status/state", json!(COMPLETED)), ..record })
    };
    let with_time =
        |state: &str| got(json!({ "id": "t", "status": { "state": state, "timestamp": "2026-01-01T00:00:00Z" } }));
    assert_eq!(of(with_time(COMPLETED)), Ok(()));
    let verdict = |reason: Reason| Judgement::Unseen(reason).verdict(Level::Must);
    // What the case is not about comes first.
    let without = of(got(json!({ "id": "t", "status": { "state": WORKING } }))).unwrap_err();
    assert_eq!(without.to_string(), "not applicable: `/status/timestamp` is missing, and this case needs a string");
    assert_eq!(verdict(without), Verdict::Skipped);
    for other in [of(with_time(WORKING)), of(refused(-32001))] {
        assert_eq!(verdict(other.unwrap_err()), Verdict::Unreached);
    }
}

/// A case is about an agent in some state: what is not there is told.
#[test]
fn states_are_reached_or_not() {
    let not_found = named("TaskNotFoundError");
    let reach = |expect: &Expect, script: Script, place: &str, state: &str| {
        reached(&StepRecord { reach: on(place, json!(state)), ..played(expect, &script) })
            .map_err(|reason| reason.to_string())
    };
    let state = "/status/state";
    let any = any_of(&[]);
    assert_eq!(reach(&any, got(task("t", WORKING)), state, WORKING), Ok(()));
    assert_eq!(
        reach(&any, got(task("t", WORKING)), state, COMPLETED),
        Err("`/status/state` is \"TASK_STATE_WORKING\", expected \"TASK_STATE_COMPLETED\"".to_owned())
    );
    assert_eq!(reach(&any, got(json!({})), "", "x"), Err("the answer is {}, expected \"x\"".to_owned()));
    assert_eq!(
        reach(&any, refused(-32001), state, WORKING),
        Err("the agent answered with TaskNotFoundError (-32001) \"no\"".to_owned())
    );
    assert_eq!(reach(&any, Script::v1_0().walk("s", &[]), state, WORKING), Err("nothing was sent".to_owned()));
    // A refusal that the case allows is a right answer.
    assert_eq!(reach(&not_found, refused(-32001), state, WORKING), Ok(()));
    assert!(reach(&not_found, refused(-32002), state, WORKING).is_err());
    // But a result that the case allows must be in the state.
    assert!(reach(&any_of(&[Outcome::Result]), got(task("t", WORKING)), state, COMPLETED).is_err());
    assert_eq!(reached(&played(&any, &refused(-32001))), Ok(()), "nothing was to be reached");
    // A step that expects nothing may be about anything but a result, an answer that nobody can read among it.
    let refused_only = |expect: Option<&Expect>, script: Script| {
        let record = StepRecord { expect: expect.cloned(), ..played(&any, &script) };
        reached(&StepRecord { reach: on("", json!({ "present": false })), ..record })
    };
    assert_eq!(refused_only(None, refused(-32603)), Ok(()));
    assert_eq!(refused_only(None, Script::v1_0().answer("s", GetTask, "no")), Ok(()));
    assert_eq!(refused_only(None, got(task("t", WORKING))), Err(Reason::NotRefused));
    assert!(refused_only(Some(&not_found), refused(-32603)).is_err());
}

/// The pages of a walk are seen as one, and cited by the last.
#[test]
fn what_was_seen_is_found_again() {
    let walk =
        Script::v1_0().walk("w", &[json!({ "tasks": [task("a", WORKING)] }), json!({ "tasks": [task("b", WORKING)] })]);
    let talk = walk.play();
    let seen = &talk.last().seen;
    let ids: Vec<Value> = ["/tasks/0/id", "/tasks/1/id", "/pages/1/tasks/0/id"]
        .iter()
        .filter_map(|place| seen.root()?.pointer(place).cloned())
        .collect();
    assert_eq!(ids, ["a", "b", "b"]);
    assert_eq!(seen.answer().map(|answer| answer.exchange.number), Some(2));

    let place = |exchange, event, pointer: &str| Some(Location { exchange, event, pointer: pointer.to_owned() });
    let locate = |script: Script, pointer: &str| script.play().last().seen.locate(pointer);
    assert_eq!(locate(got(json!({ "id": "t" })), "/id"), place(1, None, "/result/id"));
    assert_eq!(locate(stream(), "/1/task/id"), place(1, Some(1), "/result/task/id"));
    assert_eq!(locate(stream(), "/2/task/id"), None);
    assert_eq!(locate(body("[]"), "/0"), place(1, None, "/0"));

    let root = |script: Script| script.play().last().seen.root().map(Cow::into_owned);
    assert_eq!(root(body("[1]")), Some(json!([1])));
    assert_eq!(root(Script::v1_0().raw_stream("s", "data: x\n\n")), None);
    assert_eq!(root(body("")), None);
    let half_read = Script::v1_0().raw_stream("s", "data: x\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}\n\n");
    assert_eq!(root(half_read), Some(json!([null, 7])));

    let found = |script: Script| script.play().last().seen.task().map(|task| task["status"]["state"].clone());
    assert_eq!(found(got(task("t", WORKING))), Some(json!(WORKING)));
    assert_eq!(found(stream()), Some(json!(WORKING)));
    assert_eq!(found(refused(-32001)), None);
}
