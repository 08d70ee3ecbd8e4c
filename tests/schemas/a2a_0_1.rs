//! Examples of A2A 0.1 and of the proposal before it, which have the same objects and mostly the same schemas.

use serde_json::{Map, Value, json};

use super::{Broken, missing, wrong};

fn message() -> Value {
    json!({
        "role": "agent", "metadata": {},
        "parts": [{ "type": "text", "text": "hello" }, { "type": "data", "data": { "n": null } }]
    })
}

fn with_bytes() -> Value {
    json!({ "bytes": "aGVsbG8=", "name": "a.txt", "mimeType": "text/plain" })
}

fn artifact() -> Value {
    json!({ "name": "a", "parts": [{ "type": "file", "file": with_bytes() }], "index": 0, "append": false })
}

fn status() -> Value {
    json!({ "state": "working", "message": message(), "timestamp": "2025-05-05T10:00:00" })
}

fn task() -> Value {
    json!({
        "id": "t-1", "sessionId": "s-1", "status": status(), "artifacts": [artifact()], "history": [message()],
        "metadata": { "k": [1] }
    })
}

fn status_update() -> Value {
    json!({ "id": "t-1", "status": status(), "final": false })
}

fn push_config() -> Value {
    json!({
        "url": "https://client.example.com/hook", "token": "s",
        "authentication": { "schemes": ["Bearer"], "credentials": "xyz" }
    })
}

fn task_push_config() -> Value {
    json!({ "id": "t-1", "pushNotificationConfig": push_config() })
}

fn card() -> Value {
    json!({
        "name": "Echo", "description": "Says it again", "url": "https://agent.example.com/a2a", "version": "1.0.0",
        "provider": { "organization": "Example", "url": "https://example.com" },
        "capabilities": { "streaming": true, "pushNotifications": false },
        "authentication": { "schemes": ["Bearer"] },
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "echo", "name": "Echo", "description": "Says it again", "tags": ["demo"] }]
    })
}

/// A valid instance of every definition.
pub(crate) fn examples(schema: &Value) -> Map<String, Value> {
    let all = json!({
        "Task": task(),
        "TaskStatus": status(),
        "TaskState": "input-required",
        "Message": message(),
        "Part": { "type": "text", "text": "hello" },
        "TextPart": { "type": "text", "text": "hello" },
        "FilePart": { "type": "file", "file": with_bytes() },
        "DataPart": { "type": "data", "data": { "a": 1 } },
        "FileContent": with_bytes(),
        "Artifact": artifact(),
        "PushNotificationConfig": push_config(),
        "AuthenticationInfo": { "schemes": ["Bearer"], "credentials": "xyz" },
        "TaskPushNotificationConfig": task_push_config(),
        "TaskPushNotificationConfigIfAny": task_push_config(),
        "TaskSendParams": {
            "id": "t-1", "sessionId": "s-1", "message": message(), "pushNotification": push_config(), "historyLength": 3
        },
        "TaskQueryParams": { "id": "t-1", "historyLength": 3 },
        "TaskIdParams": { "id": "t-1", "metadata": {} },
        "TaskStatusUpdateEvent": status_update(),
        "TaskArtifactUpdateEvent": { "id": "t-1", "artifact": artifact() },
        "TaskUpdateEvent": status_update(),
        "AgentCard": card(),
        "AgentProvider": { "organization": "Example" },
        "AgentCapabilities": { "streaming": true },
        "AgentAuthentication": { "schemes": ["Bearer"] },
        "AgentSkill": { "id": "echo", "name": "Echo" },
    });
    match all {
        Value::Object(all) => all.into_iter().filter(|(name, _)| is_defined(schema, name)).collect(),
        other => panic!("{other} is not an object of examples"),
    }
}

fn is_defined(schema: &Value, name: &str) -> bool {
    schema["$defs"].get(name).is_some()
}

/// Whether it is that of the proposal, whose sketch asks for no parts and has fewer forms of data.
fn is_the_proposal(schema: &Value) -> bool {
    !is_defined(schema, "TaskPushNotificationConfigIfAny")
}

/// Valid, and easily refused by mistake.
pub(crate) fn allowed(schema: &Value) -> Vec<(&'static str, Value)> {
    let mut all = vec![
        ("Task", json!({ "id": "t", "status": { "state": "unknown" } })),
        (
            "Task",
            json!({ "id": "t", "sessionId": null, "status": { "state": "failed" }, "artifacts": [], "history": null }),
        ),
        ("FileContent", json!({})),
        ("FileContent", json!({ "bytes": null, "uri": "https://example.com/a" })),
        ("FileContent", json!({ "bytes": "", "uri": null })),
        ("TaskStatusUpdateEvent", json!({ "id": "t", "status": { "state": "completed" } })),
        (
            "TaskUpdateEvent",
            json!({ "id": "t", "artifact": { "parts": [{ "type": "text", "text": "" }], "index": null } }),
        ),
        ("AgentCard", json!({ "name": "", "url": "", "version": "", "capabilities": {}, "skills": [] })),
    ];
    if is_the_proposal(schema) {
        all.extend([
            ("AgentAuthentication", json!({ "schemes": "Bearer" })),
            ("Message", json!({ "role": "user", "parts": [] })),
        ]);
    } else {
        all.extend([
            ("TaskPushNotificationConfigIfAny", json!(null)),
            ("TaskPushNotificationConfigIfAny", json!({})),
            ("DataPart", json!({ "type": "data", "data": [1] })),
        ]);
    }
    all
}

/// Examples broken in one way each.
pub(crate) fn broken(schema: &Value) -> Vec<Broken> {
    let mut all = vec![
        missing("Task", "/id"),
        missing("Task", "/status"),
        missing("Task", "/status/state"),
        wrong("Task", "/id", json!(1), "type"),
        wrong("Task", "/sessionId", json!({}), "type"),
        wrong("Task", "/artifacts", json!({}), "type"),
        wrong("Task", "/history/0", json!("hello"), "type"),
        wrong("Task", "/history/0/role", json!("ROLE_USER"), "enum"),
        wrong("Task", "/metadata", json!([]), "type"),
        wrong("TaskStatus", "/state", json!("rejected"), "enum"),
        wrong("TaskStatus", "/timestamp", json!(0), "type"),
        wrong("TaskStatus", "/message", json!("hello"), "type"),
        missing("Message", "/role"),
        missing("Message", "/parts"),
        missing("Message", "/parts/0/type"),
        missing("Message", "/parts/0/text"),
        missing("Message", "/parts/1/data"),
        wrong("Message", "/parts/0/type", json!("image"), "enum"),
        wrong("Message", "/parts/1/data", json!("{}"), "type"),
        wrong("Message", "/parts/1/metadata", json!("x"), "type"),
        missing("Artifact", "/parts"),
        missing("Artifact", "/parts/0/file"),
        wrong("Artifact", "/index", json!("0"), "type"),
        wrong("Artifact", "/append", json!("yes"), "type"),
        wrong("Artifact", "/lastChunk", json!(1), "type"),
        wrong("Artifact", "/parts/0/file", json!("aGVsbG8="), "type"),
        wrong("Artifact", "/parts/0/file/bytes", json!([1]), "type"),
        missing("PushNotificationConfig", "/url"),
        missing("PushNotificationConfig", "/authentication/schemes"),
        wrong("PushNotificationConfig", "/authentication/schemes", json!("Bearer"), "type"),
        missing("TaskPushNotificationConfig", "/id"),
        missing("TaskPushNotificationConfig", "/pushNotificationConfig"),
        missing("TaskSendParams", "/id"),
        missing("TaskSendParams", "/message"),
        wrong("TaskSendParams", "/historyLength", json!("3"), "type"),
        missing("TaskQueryParams", "/id"),
        missing("TaskIdParams", "/id"),
        missing("TaskStatusUpdateEvent", "/id"),
        missing("TaskStatusUpdateEvent", "/status"),
        wrong("TaskStatusUpdateEvent", "/final", json!("no"), "type"),
        missing("TaskArtifactUpdateEvent", "/artifact"),
        wrong("TaskUpdateEvent", "/id", json!(7), "type"),
        missing("AgentCard", "/url"),
        missing("AgentCard", "/capabilities"),
        missing("AgentCard", "/skills/0/id"),
        wrong("AgentCard", "/capabilities/streaming", json!("true"), "type"),
        wrong("AgentCard", "/defaultInputModes", json!("text/plain"), "type"),
        missing("AgentProvider", "/organization"),
    ];
    if !is_the_proposal(schema) {
        all.extend([
            wrong("Message", "/parts", json!([]), "minItems"),
            wrong("Artifact", "/parts", json!([]), "minItems"),
            wrong("Artifact", "/index", json!(-1), "minimum"),
            missing("TaskPushNotificationConfigIfAny", "/id"),
            wrong("AgentCard", "/authentication/schemes", json!("Bearer"), "type"),
        ]);
    }
    all
}
