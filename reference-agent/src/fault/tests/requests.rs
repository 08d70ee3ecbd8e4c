use serde_json::{Value, json};

use super::{asked, call, call_below, draft_rpc, fault, rpc};
use crate::core::OperationName;
use crate::fault::asked::{Asked, Binding};
use crate::version::Version;

#[test]
fn requests_are_known_in_every_binding() {
    let json = [("content-type", "application/json")];
    for (asked, binding, version, operation, pointer, value) in [
        (
            call("1.0", "GetTask", json!({ "id": "t" })),
            Binding::JsonRpc,
            Version::V1_0,
            OperationName::GetTask,
            "/id",
            "t",
        ),
        (
            call("", "tasks/get", json!({ "id": "t" })),
            Binding::JsonRpc,
            Version::V0_3,
            OperationName::GetTask,
            "/id",
            "t",
        ),
        (
            asked("GET", "/rest/tasks/t?historyLength=1", &[], ""),
            Binding::HttpJson,
            Version::V1_0,
            OperationName::GetTask,
            "/historyLength",
            "1",
        ),
        (
            asked("POST", "/rest/v1/tasks/t:cancel", &[], ""),
            Binding::HttpJson,
            Version::V0_3,
            OperationName::CancelTask,
            "/id",
            "t",
        ),
        (
            asked("POST", "/rest/message:send", &json, r#"{"message":{"taskId":"t"}}"#),
            Binding::HttpJson,
            Version::V1_0,
            OperationName::SendMessage,
            "/message/taskId",
            "t",
        ),
        (
            call("0.2.5/a2a", "tasks/get", json!({ "id": "t" })),
            Binding::JsonRpc,
            Version::V0_2_5,
            OperationName::GetTask,
            "/id",
            "t",
        ),
        (
            call("1.0-draft/a2a", "SetTaskPushNotificationConfig", json!({ "parent": "tasks/t" })),
            Binding::JsonRpc,
            Version::V1_0Draft,
            OperationName::CreatePushConfig,
            "/parent",
            "tasks/t",
        ),
        (
            asked("POST", "/1.0-draft/v1/tasks/t:cancel", &[], ""),
            Binding::HttpJson,
            Version::V1_0Draft,
            OperationName::CancelTask,
            "/id",
            "t",
        ),
        (
            draft_rpc("GetTask", b"\x0a\x07tasks/t"),
            Binding::Grpc,
            Version::V1_0Draft,
            OperationName::GetTask,
            "/name",
            "tasks/t",
        ),
        // Field 2 of a GetTaskRequest is the id.
        (rpc("GetTask", b"\x12\x01t"), Binding::Grpc, Version::V1_0, OperationName::GetTask, "/id", "t"),
    ] {
        assert_eq!(
            (asked.binding, asked.version, asked.operation),
            (Some(binding), version, Some(operation)),
            "{asked:?}"
        );
        assert_eq!(asked.params.pointer(pointer).and_then(Value::as_str), Some(value), "{asked:?}");
    }
}

#[test]
fn versions_are_named_by_their_beginning_too() {
    let about = |versions: &str| &fault(&format!("when: {{ versions: [{versions}] }}")).when;
    for (versions, version, is_meant) in [
        ("'0.2.*'", "0.2.5", true),
        ("'0.2.*'", "0.3", false),
        ("'0.2.5'", "0.2.5", true),
        ("'0.2'", "0.2.5", false),
        ("'0.3', '0.2.*'", "0.3", true),
        ("", "0.2.1", true),
    ] {
        assert_eq!(about(versions).is_about(version), is_meant, "{version} of {versions}");
    }
}

#[test]
fn cards_of_old_versions_are_known() {
    let fits = |path: &str, when: &str| asked("GET", path, &[], "").fits(&fault(&format!("when: {{ {when} }}")).when);
    for version in Version::UNNAMED {
        let (name, base) = (version.name(), format!("/{}", version.name()));
        let card = format!("{base}/.well-known/agent.json");
        let extended = format!("{base}/agent/authenticatedExtendedCard");
        let of_version = format!("versions: ['{name}']");
        assert!(fits(&card, &format!("card: true, {of_version}")));
        assert!(!fits(&card, &of_version) && !fits(&card, "card: true, versions: ['1.0']"));
        assert!(fits(&extended, &format!("{of_version}, operations: [GetExtendedAgentCard]")));
        assert!(!fits(&extended, "bindings: [jsonrpc]"));
        assert!(!fits(&format!("{base}x/a2a"), &of_version), "another path");
    }
}

#[test]
fn requests_are_counted_by_what_they_name() {
    let message = |message: Value| call("1.0", "SendMessage", json!({ "message": message }));
    for (asked, subject) in [
        (call("1.0", "GetTask", json!({ "id": "t" })), "t"),
        (message(json!({ "messageId": "m", "taskId": "t" })), "t"),
        (message(json!({ "messageId": "m" })), "m"),
        (asked("GET", "/rest/tasks?pageToken=p", &[], ""), "p"),
        (asked("GET", "/rest/tasks", &[], ""), ""),
        (asked("GET", "/.well-known/agent-card.json", &[], ""), "/.well-known/agent-card.json"),
        (asked("GET", "/0.2.5/.well-known/agent.json", &[], ""), "/0.2.5/.well-known/agent.json"),
        (call_below("0.1", "tasks/send", json!({ "id": "t", "message": {} })), "t"),
        (asked("GET", "/0.2.1/.well-known/agent.json", &[], ""), "/0.2.1/.well-known/agent.json"),
    ] {
        assert_eq!(asked.subject(), subject, "{asked:?}");
    }
}

fn changed(mut asked: Asked, lines: &str) -> Asked {
    asked.change(fault(lines).request.as_ref().unwrap());
    asked
}

#[test]
fn parameters_get_lost_in_every_binding() {
    let lines = "request: { drop: [/historyLength, /configuration/historyLength], headers: { a2a-version: null } }";
    let by_call = changed(call("1.0", "GetTask", json!({ "id": "t", "historyLength": 1 })), lines);
    assert_eq!(serde_json::from_slice::<Value>(&by_call.body).unwrap()["params"], json!({ "id": "t" }));

    let by_query = changed(asked("GET", "/rest/tasks/t?historyLength=1&x=%26", &[("a2a-version", "1.0")], ""), lines);
    assert_eq!(by_query.parts.uri, "/rest/tasks/t?x=%26");
    assert!(by_query.parts.headers.is_empty());

    let body = r#"{"configuration":{"historyLength":1}}"#;
    let by_body = changed(asked("POST", "/rest/message:send", &[], body), lines);
    assert_eq!(by_body.body, r#"{"configuration":{}}"#);

    let by_rpc = changed(rpc("GetTask", b"\x12\x01t\x18\x01"), lines);
    assert_eq!(by_rpc.body.as_ref(), b"\0\0\0\0\x03\x12\x01t");
}

#[test]
fn what_is_not_changed_stays_byte_by_byte() {
    let odd = "{ \"jsonrpc\": \"2.0\", \"id\": 1e0, \"method\": \"GetTask\" }";
    let asked = asked("POST", "/1.0", &[], odd);
    assert_eq!(changed(asked, "request: { drop: [/historyLength] }").body, odd);
}

#[test]
fn conditions_must_all_hold() {
    let get = || call("1.0", "GetTask", json!({ "id": "t", "historyLength": 0 }));
    let fits = |asked: &Asked, when: &str| asked.fits(&fault(&format!("when: {{ {when} }}")).when);
    for when in [
        "operations: [GetTask]",
        "versions: ['1.0'], bindings: [jsonrpc]",
        "params: { /historyLength: 0, /tenant: null }",
        "params: { /id: '${any}' }",
        "headers: { content-type: json, accept: null }",
        "headers: { content-type: =application/json }",
        "body: '\"GetTask\"'",
        "bytes: '22 6a736f6e'",
        "methods: [POST], path: /1",
    ] {
        assert!(fits(&get(), when), "{when}");
    }
    for when in [
        "operations: [ListTasks]",
        "versions: ['0.3']",
        "bindings: [grpc]",
        "params: { /historyLength: 1 }",
        "params: { /tenant: '${any}' }",
        "headers: { accept: json }",
        "headers: { content-type: =application }",
        "body: ListTasks",
        "whole-body: GetTask",
        "bytes: fffe",
        "methods: [GET]",
        "path: /0.3",
        "card: true",
    ] {
        assert!(!fits(&get(), when), "{when}");
    }
    let listed = asked("GET", "/rest/tasks?historyLength=0", &[], "");
    assert!(fits(&listed, "params: { /historyLength: 0 }"), "a query has texts only");
    let card = asked("GET", "/.well-known/agent-card.json", &[], "");
    assert!(fits(&card, "card: true") && !fits(&card, ""));
}

#[test]
fn the_oldest_versions_name_a_task_in_its_first_message_too() {
    let params = json!({ "id": "t", "sessionId": "s", "message": {}, "historyLength": 1 });
    let mut send = call_below("proposal", "tasks/send", params);
    let fits = |asked: &Asked, when: &str| asked.fits(&fault(&format!("when: {{ params: {{ {when} }} }}")).when);
    assert!(fits(&send, "/message/contextId: s, /configuration/historyLength: 1"));
    // As long as nobody knows, it may be the one or the other.
    for (is_first, fits_none, fits_some) in [(None, true, true), (Some(true), true, false), (Some(false), false, true)]
    {
        send.is_first = is_first;
        assert_eq!(fits(&send, "/message/taskId: null"), fits_none, "{is_first:?}");
        assert_eq!(fits(&send, "/message/taskId: '${any}'"), fits_some, "{is_first:?}");
    }
    let lines =
        "request: { drop: [/configuration/historyLength], set: { /message/taskId: '${request:/message/contextId}' } }";
    let params = |asked: Asked| serde_json::from_slice::<Value>(&asked.body).unwrap()["params"].take();
    assert_eq!(params(changed(send, lines)), json!({ "id": "s", "sessionId": "s", "message": {} }));

    // Without its task a further message begins another one.
    for (is_first, is_kept) in [(true, true), (false, false)] {
        let mut send = call_below("0.1", "tasks/send", json!({ "id": "t", "message": {} }));
        send.is_first = Some(is_first);
        let id = params(changed(send, "request: { drop: [/message/taskId] }"))["id"].take();
        assert!(id.is_string() && (id == "t") == is_kept, "{id}");
    }
}

#[test]
fn bodies_can_be_named_and_changed_as_a_whole_or_by_bytes() {
    let empty = || asked("POST", "/1.0", &[], "");
    assert!(empty().fits(&fault("when: { whole-body: '' }").when));
    assert_eq!(changed(empty(), "request: { whole-body: '{}' }").body, "{}");

    let raw = asked("POST", "/1.0", &[], &b"a\xff\xfeb"[..]);
    assert!(raw.fits(&fault("when: { bytes: fffe }").when));
    assert_eq!(changed(raw, "request: { bytes: [fffe, 3f] }").body, "a?b");
}

#[test]
fn exchanges_can_be_mixed_up_by_what_they_have_in_common() {
    let key = |asked: &Asked, keys: &str| asked.key(&fault(&format!("cached-by: {keys}")).cached_by);
    let (one, other) = (call("1.0", "GetTask", json!({ "id": "a" })), call("1.0", "GetTask", json!({ "id": "b" })));
    assert_eq!(key(&one, "[rpc-id, path, query, operation]"), key(&other, "[rpc-id, path, query, operation]"));
    assert_ne!(key(&one, "[rpc-id, params]"), key(&other, "[rpc-id, params]"));
}
