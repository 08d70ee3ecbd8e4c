use std::sync::Arc;

use serde_json::{Value, json};

use super::read::{Incoming, read};
use super::write::{To, answer, stream};
use crate::case::visit::{Ends, LineEnds, Says, Scripted, Writing};
use crate::profile::{Binding, Operation, Profile, bundled};
use crate::wire::sse;

fn profile() -> Arc<Profile> {
    bundled().unwrap().into_iter().find(|profile| profile.name() == "1.0").unwrap()
}

fn over_http(method: &str, target: &str, body: &str) -> (Option<Operation>, Value) {
    let (suffix, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let call = read(&profile(), Binding::HttpJson, Incoming { method, suffix, query, body: body.as_bytes() });
    (call.operation, call.params)
}

#[test]
fn requests_over_http_are_read_back() {
    use Operation::{CancelTask, GetTask, ListTasks, SendMessage, SubscribeToTask};
    for (method, target, body, operation, params) in [
        ("POST", "/message:send", r#"{"message":{}}"#, Some(SendMessage), json!({ "message": {} })),
        ("POST", "/ac%2Fme/message:send", "{}", Some(SendMessage), json!({ "tenant": "ac/me" })),
        ("GET", "/tasks/a%2Fb%3Fc", "", Some(GetTask), json!({ "id": "a/b?c" })),
        ("GET", "/tasks/7?historyLength=2", "", Some(GetTask), json!({ "id": "7", "historyLength": 2 })),
        (
            "GET",
            "/tasks?pageSize=2&pageToken=12&includeArtifacts=true",
            "",
            Some(ListTasks),
            json!({ "pageSize": 2, "pageToken": "12", "includeArtifacts": true }),
        ),
        ("POST", "/tasks/7:cancel", "{}", Some(CancelTask), json!({ "id": "7" })),
        ("POST", "/tasks/7:subscribe", "", Some(SubscribeToTask), json!({ "id": "7" })),
    ] {
        assert_eq!(over_http(method, target, body), (operation, params), "{method} {target}");
    }
    for (method, target) in [("POST", "/v1/message:send/x"), ("GET", "/tasks/a/b"), ("PUT", "/tasks/7"), ("GET", "/")] {
        assert_eq!(over_http(method, target, "").0, None, "{method} {target}");
    }
}

#[test]
fn requests_over_jsonrpc_are_read_back() {
    let call = |suffix: &str, body: &str| {
        let incoming = Incoming { method: "POST", suffix, query: None, body: body.as_bytes() };
        read(&profile(), Binding::Jsonrpc, incoming)
    };
    let right = call("", r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"a"}}"#);
    assert_eq!((right.operation, right.params), (Some(Operation::GetTask), json!({ "id": "a" })));
    assert_eq!(right.base.as_deref(), Some("/params"));
    assert_eq!(call("/", r#"{"method":"GetTask"}"#).operation, Some(Operation::GetTask));
    for (suffix, body) in [("/tasks", r#"{"method":"GetTask"}"#), ("", r#"{"method":"tasks/get"}"#), ("", "?")] {
        assert_eq!(call(suffix, body).operation, None, "{suffix} {body}");
    }
}

/// However a stream is written, every reader that keeps to the grammar reads the same events.
#[test]
fn each_way_to_write_a_stream_is_right() {
    let data = [json!({ "task": { "id": "a" } }), json!({ "b": [1, 2] }), json!({ "c": "\u{e9}" })];
    let lines = |lines| Writing { lines, ..Writing::default() };
    let all = [
        Writing::default(),
        lines(LineEnds::Crlf),
        lines(LineEnds::Cr),
        lines(LineEnds::Mixed),
        Writing { bom: true, ..Writing::default() },
        Writing { comments: true, ..lines(LineEnds::Mixed) },
        Writing { fields: true, ..lines(LineEnds::Mixed) },
        Writing { no_space: true, ..Writing::default() },
        Writing { multi_line: true, ..lines(LineEnds::Mixed) },
        Writing { byte_by_byte: true, bom: true, ..lines(LineEnds::Crlf) },
    ];
    for writing in all {
        let mut decoder = sse::Decoder::new(sse::Limits::default());
        let mut read: Vec<Value> = Vec::new();
        for (_, piece) in stream(&data, &writing) {
            for item in decoder.push(&piece).unwrap_or_else(|error| panic!("{writing:?}: {error:?}")) {
                if let sse::Item::Event(event) = item {
                    read.push(serde_json::from_str(&event.data).unwrap());
                }
            }
        }
        // A reader that waits for what follows a CR has the last event only then.
        assert!(read == data || (writing.lines == LineEnds::Cr && read == data[..2]), "{writing:?}: {read:?}");
    }
}

#[test]
fn answers_have_the_form_of_their_binding() {
    let (profile, id) = (profile(), json!(7));
    let written = |binding, says, envelope: Option<Value>| {
        let scripted = Scripted { says, envelope, pause: 0, ends: Ends::Closed, writing: Writing::default() };
        let to = To { profile: &profile, binding, operation: Operation::GetTask, id: &id };
        let answer = answer(&scripted, to).unwrap();
        let body: Vec<u8> = answer.pieces.iter().flat_map(|(_, piece)| piece.to_vec()).collect();
        (answer.status, serde_json::from_slice::<Value>(&body).unwrap())
    };
    let result = || Says::Result(json!({ "id": "t" }));
    let error = || Says::Error("TaskNotFoundError".to_owned());
    assert_eq!(written(Binding::HttpJson, result(), None), (200, json!({ "id": "t" })));
    let patch = json!({ "id": null, "more": 1 });
    let (_, body) = written(Binding::Jsonrpc, result(), Some(patch));
    assert_eq!(body, json!({ "jsonrpc": "2.0", "result": { "id": "t" }, "more": 1 }));
    let (status, body) = written(Binding::Jsonrpc, error(), None);
    assert_eq!((status, &body["error"]["code"], &body["id"]), (200, &json!(-32001), &json!(7)));
    let (status, body) = written(Binding::HttpJson, error(), None);
    assert_eq!((status, &body["error"]["details"][0]["reason"]), (404, &json!("TASK_NOT_FOUND")));
}
