//! Examples of the draft of A2A 1.0, in JSON and in the JSON form of its messages: valid, at the edge, and broken.

use serde_json::{Map, Value, json};

use super::{Broken, missing, wrong, wrong_at};

/// The words of enums in JSON, and their names in the proto.
const NAMES: [(&str, &str); 5] = [
    ("user", "ROLE_USER"),
    ("agent", "ROLE_AGENT"),
    ("working", "TASK_STATE_WORKING"),
    ("input-required", "TASK_STATE_INPUT_REQUIRED"),
    ("cancelled", "TASK_STATE_CANCELLED"),
];

/// A valid instance of every definition of one of the two forms.
pub(crate) fn examples(in_proto: bool) -> Map<String, Value> {
    let mut all = Map::new();
    for group in [core(), unions(), requests(), discovery(), security()] {
        match group {
            Value::Object(object) => all.extend(object),
            other => panic!("{other} is not an object of examples"),
        }
    }
    if in_proto {
        all.values_mut().for_each(name_enums);
    }
    all
}

/// Puts the proto's names in the place of words.
fn name_enums(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some((_, name)) = NAMES.iter().find(|(word, _)| word == text) {
                *text = (*name).to_owned();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(name_enums),
        Value::Object(members) => members.values_mut().for_each(name_enums),
        _ => {}
    }
}

fn message() -> Value {
    json!({
        "messageId": "m-1", "contextId": "c-1", "taskId": "t-1", "role": "agent",
        "parts": [{ "text": "hello", "metadata": { "lang": "en" } }, { "data": { "data": { "n": null } } }],
        "metadata": {}, "extensions": ["https://example.com/ext"], "referenceTaskIds": ["t-0"]
    })
}

fn file() -> Value {
    json!({ "fileWithBytes": "aGVsbG8=", "mediaType": "text/plain", "name": "a.txt" })
}

fn artifact() -> Value {
    json!({
        "artifactId": "a-1", "name": "report",
        "parts": [{ "file": file() }, { "file": { "fileWithUri": "https://example.com/a.txt" } }]
    })
}

fn status() -> Value {
    json!({ "state": "working", "message": message(), "timestamp": "2025-10-28T10:30:00.000Z" })
}

fn task() -> Value {
    json!({
        "id": "t-1", "contextId": "c-1", "status": status(),
        "artifacts": [artifact()], "history": [message()], "metadata": { "k": [1] }
    })
}

fn status_update() -> Value {
    json!({ "taskId": "t-1", "contextId": "c-1", "status": status(), "final": false })
}

fn artifact_update() -> Value {
    json!({ "taskId": "t-1", "contextId": "c-1", "artifact": artifact(), "append": true, "lastChunk": false })
}

fn push_config() -> Value {
    json!({
        "id": "p-1", "url": "https://client.example.com/hook", "token": "s",
        "authentication": { "schemes": ["Bearer"], "credentials": "xyz" }
    })
}

fn task_push_config() -> Value {
    json!({ "name": "tasks/t-1/pushNotificationConfigs/p-1", "pushNotificationConfig": push_config() })
}

fn core() -> Value {
    json!({
        "Task": task(),
        "TaskStatus": status(),
        "TaskState": "input-required",
        "Message": message(),
        "Role": "user",
        "Part": { "text": "hello", "metadata": {} },
        "FilePart": file(),
        "DataPart": { "data": { "n": [null] } },
        "Artifact": artifact(),
        "TaskStatusUpdateEvent": status_update(),
        "TaskArtifactUpdateEvent": artifact_update(),
        "PushNotificationConfig": push_config(),
        "AuthenticationInfo": { "schemes": ["Bearer"], "credentials": "xyz" },
        "TaskPushNotificationConfig": task_push_config(),
        "AnyPushNotificationConfig": push_config(),
        "PushNotificationConfigList": [push_config(), task_push_config()]
    })
}

fn unions() -> Value {
    json!({
        "SendMessageResponse": { "task": task() },
        "SendMessageResult": task(),
        "StreamResponse": { "statusUpdate": status_update() },
        "StreamEvent": status_update(),
        "ListTasksResponse": { "tasks": [task()], "nextPageToken": "", "pageSize": 50, "totalSize": 1 },
        "ListTaskPushNotificationConfigResponse": { "configs": [task_push_config()], "nextPageToken": "" }
    })
}

fn requests() -> Value {
    let configuration = json!({
        "acceptedOutputModes": ["text/plain"], "pushNotificationConfig": push_config(), "historyLength": 0,
        "blocking": true
    });
    let of_config = json!({ "name": "tasks/t-1/pushNotificationConfigs/p-1" });
    json!({
        "SendMessageRequest": { "message": message(), "configuration": configuration, "metadata": {} },
        "SendMessageConfiguration": configuration,
        "GetTaskRequest": { "name": "tasks/t-1", "historyLength": 2147483647 },
        "GetTaskByIdRequest": { "id": "t-1", "historyLength": 10 },
        "TaskByIdRequest": { "id": "t-1" },
        "ListTasksRequest": {
            "contextId": "c-1", "status": "working", "pageSize": 100, "pageToken": "",
            "lastUpdatedAfter": 1761647400000_i64, "includeArtifacts": true, "metadata": {}
        },
        "CancelTaskRequest": { "name": "tasks/t-1" },
        "SubscribeToTaskRequest": { "name": "tasks/t-1" },
        "SetTaskPushNotificationConfigRequest": {
            "parent": "tasks/t-1", "configId": "p-1", "config": task_push_config()
        },
        "GetTaskPushNotificationConfigRequest": of_config,
        "DeleteTaskPushNotificationConfigRequest": of_config,
        "ListTaskPushNotificationConfigRequest": { "parent": "tasks/t-1", "pageSize": 10 },
        "GetExtendedAgentCardRequest": {}
    })
}

fn interface() -> Value {
    json!({ "url": "https://agent.example.com/a2a", "protocolBinding": "JSONRPC" })
}

fn skill() -> Value {
    json!({
        "id": "echo", "name": "Echo", "description": "Says it again", "tags": ["demo"],
        "security": [{ "schemes": { "oauth": { "list": ["read"] } } }]
    })
}

fn api_key() -> Value {
    json!({ "location": "header", "name": "X-Key" })
}

fn flow() -> Value {
    json!({
        "authorizationUrl": "https://id.example.com/authorize", "tokenUrl": "https://id.example.com/token",
        "scopes": { "read": "to read" }
    })
}

fn discovery() -> Value {
    let capabilities = json!({
        "streaming": true, "stateTransitionHistory": false,
        "extensions": [{ "uri": "https://example.com/ext", "params": { "a": 1 } }]
    });
    let signature = json!({ "protected": "eyJhbGciOiJFUzI1NiJ9", "signature": "c2ln", "header": { "kid": "k" } });
    let oauth2 = json!({ "flows": { "authorizationCode": flow() } });
    json!({
        "AgentCard": {
            "protocolVersion": "1.0", "name": "Echo", "description": "", "supportedInterfaces": [interface()],
            "url": "https://agent.example.com/a2a", "preferredTransport": "JSONRPC",
            "additionalInterfaces": [interface()],
            "provider": { "url": "https://example.com", "organization": "Example" }, "version": "1.0.0",
            "capabilities": capabilities,
            "securitySchemes": {
                "key": { "apiKeySecurityScheme": api_key() }, "oauth": { "oauth2SecurityScheme": oauth2 }
            },
            "security": [{ "schemes": { "oauth": { "list": [] } } }],
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "skills": [skill()], "supportsAuthenticatedExtendedCard": true, "signatures": [signature]
        },
        "AgentInterface": interface(),
        "AgentProvider": { "url": "https://example.com", "organization": "Example" },
        "AgentCapabilities": capabilities,
        "AgentExtension": { "uri": "https://example.com/ext", "required": true },
        "AgentSkill": skill(),
        "AgentCardSignature": signature
    })
}

fn security() -> Value {
    let oauth2 = json!({ "flows": { "authorizationCode": flow() } });
    json!({
        "Security": { "schemes": { "oauth": { "list": ["read"] } } },
        "StringList": { "list": ["read"] },
        "SecurityScheme": { "apiKeySecurityScheme": api_key() },
        "APIKeySecurityScheme": api_key(),
        "HTTPAuthSecurityScheme": { "scheme": "Bearer" },
        "OAuth2SecurityScheme": oauth2,
        "OpenIdConnectSecurityScheme": { "openIdConnectUrl": "https://id.example.com/.well-known/openid-configuration" },
        "MutualTlsSecurityScheme": {},
        "OAuthFlows": { "clientCredentials": flow() },
        "AuthorizationCodeOAuthFlow": flow(),
        "ClientCredentialsOAuthFlow": flow(),
        "ImplicitOAuthFlow": flow(),
        "PasswordOAuthFlow": flow()
    })
}

/// Valid, and easily refused by mistake.
pub(crate) fn allowed(in_proto: bool) -> Vec<(&'static str, Value)> {
    let mut all = vec![
        ("Part", json!({ "text": "" })),
        ("Part", json!({ "text": "x", "file": null, "data": null, "metadata": null })),
        ("FilePart", json!({ "fileWithBytes": "" })),
        (
            "Task",
            json!({ "id": "", "contextId": "", "status": { "state": "cancelled" }, "artifacts": [], "history": [] }),
        ),
        ("SendMessageResponse", json!({ "message": message(), "task": null })),
        ("StreamResponse", json!({ "task": task() })),
        ("StreamResponse", json!({ "artifactUpdate": artifact_update() })),
        ("ListTasksRequest", json!({ "lastUpdatedAfter": "1761647400000" })),
        ("ListTasksResponse", json!({ "tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0 })),
        ("ListTaskPushNotificationConfigResponse", json!({})),
        ("TaskPushNotificationConfig", json!({ "name": "", "pushNotificationConfig": { "url": "" } })),
        ("CancelTaskRequest", json!({})),
        ("SecurityScheme", json!({ "mtlsSecurityScheme": {} })),
        (
            "AgentCard",
            json!({
                "protocolVersion": "1.0", "name": "", "description": "", "version": "", "capabilities": {},
                "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": []
            }),
        ),
    ];
    let in_json = [
        ("TaskState", json!("canceled")),
        ("SendMessageResult", message()),
        ("StreamEvent", task()),
        ("StreamEvent", message()),
        ("StreamEvent", artifact_update()),
        ("ListTaskPushNotificationConfigResponse", json!({ "configs": [push_config(), task_push_config()] })),
        ("PushNotificationConfigList", json!([])),
        // The sample of 8.5.
        ("SecurityScheme", json!({ "type": "openIdConnect", "openIdConnectUrl": "https://id.example.com" })),
        ("Security", json!({ "google": ["openid"] })),
    ];
    if in_proto {
        all.iter_mut().for_each(|(_, value)| name_enums(value));
    } else {
        all.extend(in_json);
    }
    all
}

/// Examples broken in one way each.
pub(crate) fn broken(in_proto: bool) -> Vec<Broken> {
    let mut all = vec![
        missing("Task", "/id"),
        missing("Task", "/contextId"),
        missing("Task", "/status/state"),
        wrong("Task", "/status", json!(null), "type"),
        wrong("Task", "/status/state", json!("pending"), "enum"),
        wrong("Task", "/status/state", json!(3), "enum"),
        wrong("Task", "/status/timestamp", json!(1_761_647_400), "type"),
        wrong("Task", "/artifacts/0/parts", json!([]), "minItems"),
        wrong("Task", "/history/0", json!(null), "type"),
        missing("Message", "/messageId"),
        missing("Message", "/role"),
        wrong("Message", "/parts", json!([]), "minItems"),
        wrong("Message", "/role", json!("ROLE_UNSPECIFIED"), "enum"),
        wrong("Part", "", json!({}), "oneOf"),
        wrong("Part", "", json!({ "kind": "text", "metadata": {} }), "oneOf"),
        wrong_at("Part", "/data", json!({ "data": {} }), "", "oneOf"),
        wrong("Message", "/parts/1/data/data", json!([1]), "type"),
        missing("DataPart", "/data"),
        wrong_at("FilePart", "/fileWithUri", json!("https://example.com"), "", "oneOf"),
        missing("Artifact", "/artifactId"),
        missing("TaskStatusUpdateEvent", "/contextId"),
        missing("TaskStatusUpdateEvent", "/final"),
        missing("TaskArtifactUpdateEvent", "/artifact"),
        missing("SendMessageResponse", "/task/contextId"),
        wrong("SendMessageResponse", "", task(), "oneOf"),
        missing("StreamResponse", "/statusUpdate/final"),
        wrong("StreamResponse", "", json!({ "taskStatusUpdateEvent": {} }), "oneOf"),
        missing("ListTasksResponse", "/nextPageToken"),
        missing("ListTasksResponse", "/tasks/0/contextId"),
        wrong("ListTasksRequest", "/pageSize", json!(101), "maximum"),
        wrong("ListTasksRequest", "/lastUpdatedAfter", json!(1.5), "type"),
        wrong("GetTaskRequest", "/historyLength", json!(-1), "minimum"),
        missing("GetTaskRequest", "/name"),
        missing("GetTaskByIdRequest", "/id"),
        missing("PushNotificationConfig", "/url"),
        wrong("AuthenticationInfo", "/schemes", json!([]), "minItems"),
        missing("TaskPushNotificationConfig", "/name"),
        missing("TaskPushNotificationConfig", "/pushNotificationConfig/url"),
        missing("SetTaskPushNotificationConfigRequest", "/configId"),
        missing("ListTaskPushNotificationConfigResponse", "/configs/0/name"),
        missing("AgentCard", "/protocolVersion"),
        missing("AgentCard", "/skills"),
        missing("AgentCard", "/supportedInterfaces/0/url"),
        missing("AgentCard", "/skills/0/tags"),
        wrong("AgentCard", "/defaultInputModes", json!([]), "minItems"),
        wrong("AgentCard", "/securitySchemes/key/apiKeySecurityScheme/location", json!("body"), "enum"),
        wrong("AgentCard", "/security/0/schemes/oauth", json!(["read"]), "type"),
        missing("ImplicitOAuthFlow", "/authorizationUrl"),
        missing("PasswordOAuthFlow", "/scopes"),
    ];
    let in_json = [
        wrong("Task", "/status/state", json!("TASK_STATE_WORKING"), "enum"),
        wrong("Message", "/role", json!("ROLE_AGENT"), "enum"),
        missing("SendMessageResult", "/contextId"),
        missing("StreamEvent", "/final"),
        missing("AnyPushNotificationConfig", "/url"),
        missing("PushNotificationConfigList", "/0/url"),
        missing("PushNotificationConfigList", "/1/name"),
    ];
    let of_proto = [
        wrong("Task", "/status/state", json!("working"), "enum"),
        wrong("Message", "/role", json!("agent"), "enum"),
        wrong("SecurityScheme", "", json!({ "type": "apiKey" }), "oneOf"),
    ];
    if in_proto {
        all.extend(of_proto)
    } else {
        all.extend(in_json)
    }
    all
}
