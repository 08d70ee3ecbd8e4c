//! Examples of A2A 0.3 in ProtoJSON: valid, at the edge, and broken.

use serde_json::{Map, Value, json};

use super::{Broken, missing, wrong, wrong_at};

/// A valid instance of every definition.
pub(crate) fn examples() -> Map<String, Value> {
    let mut all = Map::new();
    for group in [core(), requests(), discovery(), security()] {
        match group {
            Value::Object(object) => all.extend(object),
            other => panic!("{other} is not an object of examples"),
        }
    }
    all
}

fn message() -> Value {
    json!({
        "messageId": "m-1", "contextId": "c-1", "taskId": "t-1", "role": "ROLE_AGENT",
        "content": [{ "text": "hello" }, { "data": { "data": { "n": null } } }],
        "metadata": {}, "extensions": ["https://example.com/ext"]
    })
}

fn artifact() -> Value {
    json!({
        "artifactId": "a-1", "name": "report",
        "parts": [{ "file": { "fileWithBytes": "aGVsbG8=", "mimeType": "text/plain" } }]
    })
}

fn status() -> Value {
    json!({ "state": "TASK_STATE_WORKING", "message": message(), "timestamp": "2025-07-31T10:00:00Z" })
}

fn task() -> Value {
    json!({
        "id": "t-1", "contextId": "c-1", "status": status(),
        "artifacts": [artifact()], "history": [message()], "metadata": { "k": [1] }
    })
}

fn status_update() -> Value {
    json!({ "taskId": "t-1", "contextId": "c-1", "status": status(), "final": true })
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
        "TaskState": "TASK_STATE_INPUT_REQUIRED",
        "Message": message(),
        "Role": "ROLE_USER",
        "Part": { "text": "hello" },
        "FilePart": { "fileWithUri": "https://example.com/a.txt", "mimeType": "text/plain" },
        "DataPart": { "data": { "n": null } },
        "Artifact": artifact(),
        "TaskStatusUpdateEvent": status_update(),
        "TaskArtifactUpdateEvent": {
            "taskId": "t-1", "contextId": "c-1", "artifact": artifact(), "append": true, "lastChunk": false
        },
        "SendMessageResponse": { "task": task() },
        "StreamResponse": { "statusUpdate": status_update() },
        "PushNotificationConfig": push_config(),
        "AuthenticationInfo": { "schemes": ["Bearer"], "credentials": "xyz" },
        "TaskPushNotificationConfig": task_push_config(),
        "ListTaskPushNotificationConfigResponse": { "configs": [task_push_config()], "nextPageToken": "" }
    })
}

fn requests() -> Value {
    let task = json!({ "name": "tasks/t-1" });
    let config = json!({ "name": "tasks/t-1/pushNotificationConfigs/p-1" });
    let configuration =
        json!({ "acceptedOutputModes": ["text/plain"], "pushNotification": push_config(), "historyLength": 0 });
    json!({
        "SendMessageRequest": { "message": message(), "configuration": configuration, "metadata": {} },
        "SendMessageConfiguration": { "historyLength": 10, "blocking": true },
        "GetTaskRequest": { "name": "tasks/t-1", "historyLength": 10 },
        "CancelTaskRequest": task,
        "TaskSubscriptionRequest": task,
        "CreateTaskPushNotificationConfigRequest": {
            "parent": "tasks/t-1", "configId": "p-1", "config": task_push_config()
        },
        "GetTaskPushNotificationConfigRequest": config,
        "ListTaskPushNotificationConfigRequest": { "parent": "tasks/t-1", "pageSize": 10, "pageToken": "" },
        "DeleteTaskPushNotificationConfigRequest": config,
        "GetAgentCardRequest": {}
    })
}

fn skill() -> Value {
    json!({
        "id": "echo", "name": "Echo", "description": "Says it again", "tags": ["demo"],
        "security": [{ "schemes": { "oauth": { "list": ["read"] } } }]
    })
}

fn discovery() -> Value {
    let interface = json!({ "url": "https://agent.example.com/a2a", "transport": "GRPC" });
    let capabilities =
        json!({ "streaming": true, "extensions": [{ "uri": "https://example.com/ext", "params": { "a": 1 } }] });
    let signature = json!({ "protected": "eyJhbGciOiJFUzI1NiJ9", "signature": "c2ln", "header": { "kid": "k" } });
    json!({
        "AgentCard": {
            "protocolVersion": "0.3.0", "name": "Echo", "description": "Says it again",
            "url": "https://agent.example.com/a2a", "preferredTransport": "GRPC", "additionalInterfaces": [interface],
            "provider": { "url": "https://example.com", "organization": "Example" }, "version": "1.0.0",
            "capabilities": capabilities,
            "securitySchemes": {
                "key": { "apiKeySecurityScheme": { "location": "header", "name": "X-Key" } },
                "oauth": { "oauth2SecurityScheme": { "flows": { "authorizationCode": flow() } } }
            },
            "security": [{ "schemes": { "oauth": { "list": [] } } }],
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "skills": [skill()], "supportsAuthenticatedExtendedCard": true, "signatures": [signature]
        },
        "AgentInterface": interface,
        "AgentProvider": { "url": "https://example.com", "organization": "Example" },
        "AgentCapabilities": capabilities,
        "AgentExtension": { "uri": "https://example.com/ext", "required": true },
        "AgentSkill": skill(),
        "AgentCardSignature": signature
    })
}

fn flow() -> Value {
    json!({
        "authorizationUrl": "https://id.example.com/authorize", "tokenUrl": "https://id.example.com/token",
        "scopes": { "read": "to read" }
    })
}

fn security() -> Value {
    json!({
        "Security": { "schemes": { "oauth": { "list": ["read"] } } },
        "StringList": { "list": ["read"] },
        "SecurityScheme": { "mtlsSecurityScheme": {} },
        "APIKeySecurityScheme": { "location": "header", "name": "X-Key" },
        "HTTPAuthSecurityScheme": { "scheme": "Bearer" },
        "OAuth2SecurityScheme": { "flows": { "authorizationCode": flow() } },
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
pub(crate) fn allowed() -> Vec<(&'static str, Value)> {
    vec![
        // What serialisers leave out: an unknown state, a stream that goes on, lists and maps without an entry.
        ("Task", json!({ "id": "t", "contextId": "c", "status": {} })),
        ("TaskStatusUpdateEvent", json!({ "taskId": "t", "contextId": "c", "status": { "state": 2 } })),
        ("Message", json!({ "messageId": "m", "role": "ROLE_AGENT" })),
        ("Artifact", json!({ "artifactId": "a" })),
        ("AgentCard", json!({ "protocolVersion": "0.3.0", "url": "https://agent.example.com", "capabilities": {} })),
        ("AuthenticationInfo", json!({})),
        ("AuthorizationCodeOAuthFlow", json!({ "authorizationUrl": "https://a", "tokenUrl": "https://t" })),
        ("ListTaskPushNotificationConfigResponse", json!({})),
        // What others write out all the same.
        ("TaskStatus", json!({ "state": "TASK_STATE_UNSPECIFIED", "message": null, "timestamp": null })),
        ("TaskState", json!(0)),
        ("Role", json!(2)),
        ("Task", json!({ "id": "", "contextId": "", "status": {}, "artifacts": null, "history": [] })),
        // The members of a oneof are written even when they have the default of their type.
        ("Part", json!({ "text": "" })),
        ("Part", json!({ "file": { "fileWithBytes": "" }, "text": null })),
        ("Part", json!({ "data": { "data": {} } })),
        // Later patches of 0.3 have more members.
        ("Part", json!({ "file": { "fileWithUri": "https://f", "name": "f" }, "metadata": { "k": 1 } })),
        ("OAuth2SecurityScheme", json!({ "flows": {} })),
        ("OAuthFlows", json!({ "implicit": null })),
        ("StreamResponse", json!({ "task": task() })),
        ("StreamResponse", json!({ "message": message(), "task": null })),
        ("StreamResponse", json!({ "artifactUpdate": { "taskId": "t", "contextId": "c", "artifact": artifact() } })),
    ]
}

/// Examples broken in one way each.
pub(crate) fn broken() -> Vec<Broken> {
    vec![
        missing("Task", "/id"),
        missing("Task", "/contextId"),
        missing("Task", "/status"),
        wrong("Task", "", json!([]), "type"),
        wrong("Task", "/status/state", json!("working"), "enum"),
        wrong("Task", "/status/state", json!("TASK_STATE_CANCELED"), "enum"),
        wrong("Task", "/status/state", json!(9), "enum"),
        wrong("Task", "/status/message/role", json!("agent"), "enum"),
        wrong("Task", "/status/timestamp", json!(1_753_956_000), "type"),
        wrong("Task", "/artifacts/0", json!(null), "type"),
        wrong("Task", "/history/0/content/0/text", json!(7), "type"),
        wrong("Task", "/metadata", json!([]), "type"),
        missing("Message", "/messageId"),
        missing("Message", "/role"),
        wrong("Message", "/role", json!("ROLE_UNSPECIFIED"), "enum"),
        wrong("Message", "/role", json!(0), "enum"),
        wrong("Message", "/content", json!("hello"), "type"),
        wrong("Message", "/extensions/0", json!(1), "type"),
        // The form of JSON-RPC.
        wrong("Part", "", json!({ "kind": "file", "metadata": {} }), "oneOf"),
        wrong("Part", "", json!({}), "oneOf"),
        wrong("Part", "", json!({ "text": null }), "oneOf"),
        wrong_at("Part", "/data", json!({ "data": {} }), "", "oneOf"),
        wrong_at("FilePart", "/fileWithBytes", json!("aGVsbG8="), "", "oneOf"),
        wrong("FilePart", "", json!({ "mimeType": "text/plain" }), "oneOf"),
        wrong("DataPart", "/data", json!([1]), "type"),
        missing("DataPart", "/data"),
        missing("Artifact", "/artifactId"),
        wrong("Artifact", "/parts/0", json!("hello"), "type"),
        missing("TaskStatusUpdateEvent", "/contextId"),
        wrong("TaskStatusUpdateEvent", "/final", json!("true"), "type"),
        missing("TaskArtifactUpdateEvent", "/artifact"),
        wrong("SendMessageResponse", "", json!({}), "oneOf"),
        // A bare task, as JSON-RPC has it.
        wrong("SendMessageResponse", "", task(), "oneOf"),
        wrong_at("SendMessageResponse", "/message", message(), "", "oneOf"),
        missing("SendMessageResponse", "/task/status"),
        wrong_at("StreamResponse", "/task", task(), "", "oneOf"),
        missing("StreamResponse", "/statusUpdate/taskId"),
        missing("SendMessageRequest", "/message"),
        wrong("SendMessageRequest", "/configuration/historyLength", json!(1.5), "type"),
        missing("GetTaskRequest", "/name"),
        missing("CreateTaskPushNotificationConfigRequest", "/configId"),
        missing("TaskPushNotificationConfig", "/name"),
        missing("TaskPushNotificationConfig", "/pushNotificationConfig/url"),
        wrong("TaskPushNotificationConfig", "/pushNotificationConfig/authentication/schemes", json!("Bearer"), "type"),
        missing("AgentCard", "/protocolVersion"),
        missing("AgentCard", "/url"),
        missing("AgentCard", "/capabilities"),
        missing("AgentCard", "/additionalInterfaces/0/transport"),
        missing("AgentCard", "/skills/0/id"),
        missing("AgentCard", "/signatures/0/protected"),
        wrong("AgentCard", "/capabilities/streaming", json!("yes"), "type"),
        wrong("AgentCard", "/security/0/schemes/oauth", json!(["read"]), "type"),
        // The form of JSON-RPC.
        wrong("AgentCard", "/securitySchemes/key", json!({ "type": "apiKey" }), "oneOf"),
        wrong("AgentCard", "/securitySchemes/key/apiKeySecurityScheme/location", json!("body"), "enum"),
        wrong_at("SecurityScheme", "/oauth2SecurityScheme", json!({ "flows": {} }), "", "oneOf"),
        wrong_at("OAuthFlows", "/authorizationCode", flow(), "", "oneOf"),
        wrong("ClientCredentialsOAuthFlow", "/scopes/read", json!(1), "type"),
        missing("PasswordOAuthFlow", "/tokenUrl"),
    ]
}
