use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, Response};
use bytes::BytesMut;
use proptest::prelude::{any, proptest};
use proptest::prop_assert_eq;
use serde_json::{Value, json};

use super::{asked, call, draft_rpc, fault, rpc};
use crate::fault::asked::Asked;
use crate::fault::carrier::grpc;
use crate::fault::carrier::whole::Whole;
use crate::fault::errors;
use crate::fault::events::{Events, Step};

fn whole(response: Response<Body>) -> Whole {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(Whole::read(response))
}

fn askers() -> [Asked; 7] {
    [
        call("1.0", "GetTask", json!({ "id": "t" })),
        asked("GET", "/rest/tasks/t", &[], ""),
        asked("GET", "/rest/v1/tasks/t", &[], ""),
        rpc("GetTask", b"\x12\x01t"),
        call("1.0-draft/a2a", "GetTask", json!({ "id": "t" })),
        asked("GET", "/1.0-draft/v1/tasks/t", &[], ""),
        draft_rpc("GetTask", b"\x0a\x07tasks/t"),
    ]
}

#[test]
fn errors_are_read_as_what_they_were_written() {
    for asked in askers() {
        for name in ["TaskNotFoundError", "TaskNotCancelableError", "VersionNotSupportedError", "InvalidParamsError"] {
            let answer = whole(errors::write(name, &asked));
            assert_eq!(errors::name(&answer, &asked).as_deref(), Some(name), "{asked:?}");
        }
    }
}

#[test]
fn refused_streams_have_the_status_that_their_version_gives_them() {
    for (version, method, status) in [
        ("0.2.1/a2a", "tasks/resubscribe", 404),
        ("0.2.5/a2a", "tasks/resubscribe", 404),
        ("0.2.5/a2a", "tasks/get", 200),
        ("0.3", "tasks/resubscribe", 200),
        ("1.0", "SubscribeToTask", 200),
    ] {
        let asked = call(version, method, json!({ "id": "t" }));
        let answer = whole(errors::write("TaskNotFoundError", &asked));
        assert_eq!(answer.head.status, status, "{version} {method}");
        assert_eq!(errors::name(&answer, &asked).as_deref(), Some("TaskNotFoundError"), "{version} {method}");
    }
}

#[test]
fn what_is_got_by_http_alone_has_no_errors_but_statuses() {
    let extended = asked("GET", "/0.2.5/agent/authenticatedExtendedCard", &[], "");
    let answer = whole(errors::write("TaskNotFoundError", &extended));
    assert_eq!((answer.head.status.as_u16(), errors::name(&answer, &extended).as_deref()), (404, Some("404")));
    let card = whole(errors::plain(axum::http::StatusCode::OK, "application/json", "{}".to_owned()));
    assert_eq!(errors::name(&card, &extended), None);
}

#[test]
fn error_objects_can_be_changed_in_every_binding() {
    for asked in askers() {
        let mut answer = whole(errors::write("TaskNotFoundError", &asked));
        let mut json = answer.json(&asked).unwrap();
        let change = fault("edit:\n- { of: Error, set: { /message: 'ü' } }\n- { of: ErrorInfo, set: { /reason: R } }");
        for edit in &change.edit {
            crate::fault::edit::apply(edit, &mut json, &asked);
        }
        answer.set_json(&asked, &json);
        let read = answer.json(&asked).unwrap();
        let error = read.get("error").unwrap_or(&read);
        // A problem has its own name for this.
        assert_eq!(error.get("message").or(error.get("detail")), Some(&json!("ü")));
        // 0.3 and the draft have no such details but over gRPC.
        let reason = ["/details/0/reason", "/data/0/reason"].iter().find_map(|pointer| error.pointer(pointer));
        let has_none = ["/rest/v1/tasks/t", "/1.0-draft/a2a", "/1.0-draft/v1/tasks/t"];
        let is_expected = !has_none.contains(&asked.parts.uri.path());
        assert_eq!(reason.is_some_and(|reason| reason == "R"), is_expected, "{error}");
    }
}

fn update(state: &str) -> Value {
    json!({ "result": { "statusUpdate": { "taskId": "t", "status": { "state": format!("TASK_STATE_{state}") } } } })
}

#[test]
fn events_go_the_way_that_is_said() {
    let (a, b, end) = (update("SUBMITTED"), update("WORKING"), update("COMPLETED"));
    let send = |events: &[&Value]| events.iter().map(|event| Step::Send((*event).clone())).collect::<Vec<_>>();
    let with = |mut steps: Vec<Step>, last: Step| {
        steps.push(last);
        steps
    };
    let second = Duration::from_secs(1);
    for (change, expected) in [
        ("state: working, do: drop", send(&[&a, &end])),
        ("state: working, do: double", send(&[&a, &b, &b, &end])),
        ("state: working, do: late", send(&[&a, &end, &b])),
        ("state: terminal, do: hang", with(send(&[&a, &b, &end]), Step::Hang)),
        ("nth: 1, do: late", send(&[&b, &a, &end])),
        ("kind: status, after: 2, do: cut", with(send(&[&a, &b, &end]), Step::Cut)),
        ("kind: artifact, do: drop", send(&[&a, &b, &end])),
    ] {
        let asked = call("1.0", "SendStreamingMessage", json!({}));
        let mut events = Events::new(vec![fault(&format!("events:\n- {{ {change} }}"))]);
        let steps: Vec<Step> =
            [&a, &b, &end].into_iter().flat_map(|event| events.next(&asked, event.clone())).collect();
        let rest = events.rest().into_iter().map(Step::Send);
        assert_eq!(steps.into_iter().chain(rest).collect::<Vec<_>>(), expected, "{change}");
    }
    let asked = call("1.0", "SendStreamingMessage", json!({}));
    let mut events =
        Events::new(vec![fault("events:\n- { state: working, do: delay }\n- { state: working, do: end }")]);
    assert_eq!(events.next(&asked, b.clone()), [Step::Wait(second), Step::Send(b), Step::End]);
    let mut events = Events::new(vec![fault("events:\n- { do: end-before }")]);
    assert_eq!(events.next(&asked, a), [Step::End]);
}

proptest! {
    #[test]
    fn frames_are_read_back(messages in proptest::collection::vec(any::<Vec<u8>>(), 0..4)) {
        let mut buffer = BytesMut::new();
        for message in &messages {
            buffer.extend_from_slice(&grpc::frame(0, message));
        }
        let read: Vec<Vec<u8>> =
            std::iter::from_fn(|| grpc::split(&mut buffer)).map(|(_, message)| message.to_vec()).collect();
        prop_assert_eq!(read, messages);
    }

    #[test]
    fn statuses_are_read_back(code in 1..17, message in ".*", reason in "[A-Z_]{1,9}") {
        let details = json!([{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "d", "metadata": { "a": "b" },
        }]);
        let error = json!({ "error": { "code": code, "message": message, "details": details } });
        let mut trailers = HeaderMap::new();
        grpc::write_status(&error, &mut trailers);
        prop_assert_eq!(grpc::read_status(&trailers), Some(error));
    }
}
