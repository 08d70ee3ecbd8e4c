//! Examples of A2A 1.0: valid, at the edge, and broken.

use serde_json::{Map, Value, json};

use super::{Broken, missing, wrong, wrong_at};

/// A valid instance of every definition.
pub(crate) fn examples() -> Map<String, Value> {
    let mut all = Map::new();
    all.extend(objects(core()));
    all.extend(objects(requests()));
    all.extend(objects(discovery()));
    all.extend(objects(errors()));
    all
}

/// The same in the draft of 1.1, which has numbers of 64 bits as texts.
pub(crate) fn examples_of_1_1() -> Map<String, Value> {
    let mut all = examples();
    for (name, member) in [
        ("Task", "generation"),
        ("TaskStatusUpdateEvent", "generation"),
        ("TaskArtifactUpdateEvent", "generation"),
        ("GetTaskRequest", "currentGeneration"),
        ("SendMessageConfiguration", "ifGenerationMatch"),
    ] {
        all[name][member] = json!("9007199254740993");
    }
    all
}

/// Generations that are none.
pub(crate) fn broken_of_1_1() -> Vec<Broken> {
    let mut all = broken();
    all.extend([
        wrong("Task", "/generation", json!("three"), "pattern"),
        wrong("Task", "/generation", json!(-1), "minimum"),
        wrong("Task", "/generation", json!(1.5), "type"),
        wrong("TaskStatusUpdateEvent", "/generation", json!("-1"), "pattern"),
        wrong("TaskArtifactUpdateEvent", "/generation", json!(""), "pattern"),
        wrong("GetTaskRequest", "/currentGeneration", json!("latest"), "pattern"),
        wrong("SendMessageConfiguration", "/ifGenerationMatch", json!([1]), "type"),
    ]);
    all
}

fn objects(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is not an object of examples"),
    }
}

fn part() -> Value {
    json!({ "text": "hello", "metadata": { "lang": "en" }, "mediaType": "text/plain" })
}

fn message() -> Value {
    json!({
        "messageId": "m-1", "contextId": "c-1", "taskId": "t-1", "role": "ROLE_AGENT",
        "parts": [part(), { "data": { "n": null } }],
        "metadata": {}, "extensions": ["https://example.com/ext"], "referenceTaskIds": ["t-0"]
    })
}

fn artifact() -> Value {
    json!({
        "artifactId": "a-1", "name": "report",
        "parts": [{ "raw": "aGVsbG8=", "filename": "a.txt" }, { "url": "https://example.com/a.txt" }]
    })
}

fn status() -> Value {
    json!({ "state": "TASK_STATE_WORKING", "message": message(), "timestamp": "2025-10-28T10:30:00.000Z" })
}

fn task() -> Value {
    json!({
        "id": "t-1", "contextId": "c-1", "status": status(),
        "artifacts": [artifact()], "history": [message()], "metadata": { "k": [1] }
    })
}

fn push_config() -> Value {
    json!({
        "id": "p-1", "taskId": "t-1", "url": "https://client.example.com/hook", "token": "s",
        "authentication": { "scheme": "Bearer", "credentials": "xyz" }
    })
}

fn core() -> Value {
    json!({
        "Task": task(),
        "TaskStatus": status(),
        "TaskState": "TASK_STATE_INPUT_REQUIRED",
        "Message": message(),
        "Role": "ROLE_USER",
        "Part": part(),
        "Artifact": artifact(),
        "TaskStatusUpdateEvent": { "taskId": "t-1", "contextId": "c-1", "status": status() },
        "TaskArtifactUpdateEvent": {
            "taskId": "t-1", "contextId": "c-1", "artifact": artifact(), "append": true, "lastChunk": false
        },
        "SendMessageResponse": { "task": task() },
        "StreamResponse": { "statusUpdate": { "taskId": "t-1", "contextId": "c-1", "status": status() } },
        "ListTasksResponse": { "tasks": [task()], "nextPageToken": "", "pageSize": 50, "totalSize": 1 },
        "TaskPushNotificationConfig": push_config(),
        "AuthenticationInfo": { "scheme": "Bearer", "credentials": "xyz" },
        "ListTaskPushNotificationConfigsResponse": { "configs": [push_config()], "nextPageToken": "" }
    })
}

fn requests() -> Value {
    let by_id = json!({ "tenant": "acme", "id": "t-1" });
    let of_config = json!({ "taskId": "t-1", "id": "p-1" });
    json!({
        "SendMessageRequest": {
            "message": message(), "metadata": {},
            "configuration": { "acceptedOutputModes": ["text/plain"], "historyLength": 0, "returnImmediately": true }
        },
        "SendMessageConfiguration": { "taskPushNotificationConfig": push_config(), "historyLength": 10 },
        "GetTaskRequest": { "id": "t-1", "historyLength": 2147483647 },
        "ListTasksRequest": { "contextId": "c-1", "status": "TASK_STATE_WORKING", "pageSize": 100, "pageToken": "" },
        "CancelTaskRequest": by_id,
        "SubscribeToTaskRequest": by_id,
        "GetTaskPushNotificationConfigRequest": of_config,
        "ListTaskPushNotificationConfigsRequest": { "taskId": "t-1", "pageSize": 10 },
        "DeleteTaskPushNotificationConfigRequest": of_config,
        "GetExtendedAgentCardRequest": {}
    })
}

fn interface() -> Value {
    json!({ "url": "https://agent.example.com/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" })
}

fn skill() -> Value {
    json!({
        "id": "echo", "name": "Echo", "description": "Says it again", "tags": ["demo"],
        "securityRequirements": [{ "schemes": { "oauth": { "list": ["read"] } } }]
    })
}

fn flow() -> Value {
    json!({
        "authorizationUrl": "https://id.example.com/authorize", "deviceAuthorizationUrl": "https://id.example.com/device",
        "tokenUrl": "https://id.example.com/token", "scopes": { "read": "to read" }
    })
}

fn discovery() -> Value {
    let capabilities =
        json!({ "streaming": true, "extensions": [{ "uri": "https://example.com/ext", "params": { "a": 1 } }] });
    let signature = json!({ "protected": "eyJhbGciOiJFUzI1NiJ9", "signature": "c2ln", "header": { "kid": "k" } });
    let api_key = json!({ "location": "header", "name": "X-Key" });
    let oauth2 = json!({ "flows": { "authorizationCode": flow() } });
    json!({
        "AgentCard": {
            "name": "Echo", "description": "", "supportedInterfaces": [interface()],
            "provider": { "url": "https://example.com", "organization": "Example" }, "version": "1.0.0",
            "capabilities": capabilities,
            "securitySchemes": {
                "key": { "apiKeySecurityScheme": api_key }, "oauth": { "oauth2SecurityScheme": oauth2 }
            },
            "securityRequirements": [{ "schemes": { "oauth": { "list": [] } } }],
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "skills": [skill()], "signatures": [signature]
        },
        "AgentInterface": interface(),
        "AgentProvider": { "url": "https://example.com", "organization": "Example" },
        "AgentCapabilities": capabilities,
        "AgentExtension": { "uri": "https://example.com/ext", "required": true },
        "AgentSkill": skill(),
        "AgentCardSignature": signature,
        "SecurityRequirement": { "schemes": { "oauth": { "list": ["read"] } } },
        "StringList": { "list": ["read"] },
        "SecurityScheme": { "apiKeySecurityScheme": api_key },
        "APIKeySecurityScheme": api_key,
        "HTTPAuthSecurityScheme": { "scheme": "Bearer" },
        "OAuth2SecurityScheme": oauth2,
        "OpenIdConnectSecurityScheme": { "openIdConnectUrl": "https://id.example.com/.well-known/openid-configuration" },
        "MutualTlsSecurityScheme": {},
        "OAuthFlows": { "clientCredentials": flow() },
        "AuthorizationCodeOAuthFlow": flow(),
        "ClientCredentialsOAuthFlow": flow(),
        "DeviceCodeOAuthFlow": flow(),
        "ImplicitOAuthFlow": {},
        "PasswordOAuthFlow": {}
    })
}

fn errors() -> Value {
    let info = json!({
        "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND", "domain": "a2a-protocol.org",
        "metadata": { "taskId": "t-1" }
    });
    let status = json!({ "code": 404, "status": "NOT_FOUND", "message": "no such task", "details": [info] });
    json!({
        "JSONRPCError": { "code": -32001, "message": "Task not found", "data": [info] },
        "HTTPErrorResponse": { "error": status },
        "Status": status,
        "ErrorDetail": { "@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [] },
        "ErrorInfo": info
    })
}

/// Valid, and easily refused by mistake.
pub(crate) fn allowed() -> Vec<(&'static str, Value)> {
    vec![
        ("Part", json!({ "data": null })),
        ("Part", json!({ "data": 1.5, "text": null })),
        ("Part", json!({ "text": "" })),
        ("Part", json!({ "raw": "" })),
        ("Part", json!({ "text": "x", "raw": null, "url": null, "filename": null })),
        ("Task", json!({ "id": "", "status": { "state": "TASK_STATE_SUBMITTED" } })),
        ("Task", json!({ "id": "t", "status": { "state": "TASK_STATE_FAILED" }, "artifacts": [], "history": [] })),
        (
            "Task",
            json!({ "id": "t", "status": { "state": "TASK_STATE_CANCELED", "message": null }, "artifacts": null }),
        ),
        ("SendMessageResponse", json!({ "message": message(), "task": null })),
        ("StreamResponse", json!({ "task": task() })),
        ("StreamResponse", json!({ "message": message() })),
        ("StreamResponse", json!({ "artifactUpdate": { "taskId": "t", "contextId": "c", "artifact": artifact() } })),
        ("ListTasksResponse", json!({ "tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0 })),
        ("ListTaskPushNotificationConfigsResponse", json!({})),
        ("TaskPushNotificationConfig", json!({ "url": "https://client.example.com/hook" })),
        ("AgentExtension", json!({})),
        ("SecurityScheme", json!({ "mtlsSecurityScheme": {} })),
        ("OAuthFlows", json!({ "implicit": {} })),
        ("JSONRPCError", json!({ "code": -32603, "message": "" })),
        ("Status", json!({ "code": 400, "message": "bad" })),
        // 8.4.1 signs a card without skills.
        (
            "AgentCard",
            json!({
                "name": "", "description": "", "supportedInterfaces": [interface()], "version": "", "capabilities": {},
                "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": []
            }),
        ),
    ]
}

/// Examples broken in one way each.
pub(crate) fn broken() -> Vec<Broken> {
    vec![
        missing("Task", "/id"),
        missing("Task", "/status/state"),
        wrong("Task", "", json!([]), "type"),
        wrong("Task", "/status", json!(null), "type"),
        wrong("Task", "/status/state", json!("completed"), "enum"),
        wrong("Task", "/status/state", json!("TASK_STATE_UNSPECIFIED"), "enum"),
        wrong("Task", "/status/state", json!(3), "enum"),
        wrong("Task", "/status/message/role", json!("agent"), "enum"),
        wrong("Task", "/status/timestamp", json!(1_761_647_400), "type"),
        wrong("Task", "/artifacts/0/parts", json!([]), "minItems"),
        wrong("Task", "/history/0", json!(null), "type"),
        wrong("Task", "/history/0/parts/0/text", json!(7), "type"),
        wrong("Task", "/metadata", json!([]), "type"),
        wrong("TaskState", "", json!("task_state_working"), "enum"),
        missing("Message", "/messageId"),
        missing("Message", "/role"),
        missing("Message", "/parts"),
        wrong("Message", "/parts", json!([]), "minItems"),
        wrong("Message", "/role", json!("ROLE_UNSPECIFIED"), "enum"),
        wrong("Message", "/extensions/0", json!(1), "type"),
        wrong("Part", "", json!("hello"), "type"),
        wrong("Part", "", json!({}), "oneOf"),
        wrong("Part", "", json!({ "text": null }), "oneOf"),
        wrong("Part", "", json!({ "kind": "text", "metadata": {} }), "oneOf"),
        wrong_at("Part", "/data", json!(null), "", "oneOf"),
        wrong_at("Part", "/raw", json!("aGVsbG8="), "", "oneOf"),
        wrong_at("Part", "/url", json!("https://example.com"), "", "oneOf"),
        wrong_at("Message", "/parts/1/text", json!("x"), "/parts/1", "oneOf"),
        wrong("Part", "/mediaType", json!(1), "type"),
        missing("Artifact", "/artifactId"),
        wrong("Artifact", "/parts", json!(null), "type"),
        missing("TaskStatusUpdateEvent", "/contextId"),
        missing("TaskArtifactUpdateEvent", "/artifact"),
        wrong("TaskArtifactUpdateEvent", "/lastChunk", json!("false"), "type"),
        wrong("SendMessageResponse", "", json!({}), "oneOf"),
        wrong("SendMessageResponse", "", json!({ "task": null, "message": null }), "oneOf"),
        // A bare task, as the draft had it.
        wrong("SendMessageResponse", "", task(), "oneOf"),
        wrong_at("SendMessageResponse", "/message", message(), "", "oneOf"),
        wrong("SendMessageResponse", "/task/status/state", json!("working"), "enum"),
        missing("SendMessageResponse", "/task/status"),
        wrong_at("StreamResponse", "/task", task(), "", "oneOf"),
        wrong("StreamResponse", "", json!({ "taskStatusUpdate": {} }), "oneOf"),
        missing("StreamResponse", "/statusUpdate/contextId"),
        wrong("StreamResponse", "/statusUpdate/status/state", json!("TASK_STATE_DONE"), "enum"),
        missing("SendMessageRequest", "/message"),
        wrong("SendMessageRequest", "/configuration/historyLength", json!(-1), "minimum"),
        wrong("GetTaskRequest", "/historyLength", json!(2_147_483_648_u64), "maximum"),
        wrong("GetTaskRequest", "/historyLength", json!(1.5), "type"),
        wrong("ListTasksRequest", "/pageSize", json!(0), "minimum"),
        wrong("ListTasksRequest", "/pageSize", json!(101), "maximum"),
        wrong("ListTasksRequest", "/status", json!("working"), "enum"),
        missing("ListTasksResponse", "/nextPageToken"),
        missing("ListTasksResponse", "/totalSize"),
        wrong("ListTasksResponse", "/nextPageToken", json!(null), "type"),
        wrong("ListTasksResponse", "/totalSize", json!(-1), "minimum"),
        wrong("ListTasksResponse", "/pageSize", json!("50"), "type"),
        missing("ListTasksResponse", "/tasks/0/id"),
        missing("TaskPushNotificationConfig", "/url"),
        missing("TaskPushNotificationConfig", "/authentication/scheme"),
        missing("ListTaskPushNotificationConfigsResponse", "/configs/0/url"),
        missing("AgentCard", "/supportedInterfaces"),
        missing("AgentCard", "/supportedInterfaces/0/protocolVersion"),
        missing("AgentCard", "/capabilities"),
        missing("AgentCard", "/skills"),
        missing("AgentCard", "/skills/0/tags"),
        missing("AgentCard", "/signatures/0/protected"),
        wrong("AgentCard", "/supportedInterfaces", json!([]), "minItems"),
        wrong("AgentCard", "/defaultInputModes", json!([]), "minItems"),
        wrong("AgentCard", "/defaultOutputModes", json!([]), "minItems"),
        wrong("AgentCard", "/skills/0/tags", json!([]), "minItems"),
        wrong("AgentCard", "/capabilities/streaming", json!("yes"), "type"),
        wrong("AgentCard", "/securityRequirements/0/schemes/oauth", json!(["read"]), "type"),
        wrong("AgentCard", "/securitySchemes/key", json!({ "type": "apiKey" }), "oneOf"),
        wrong("AgentCard", "/securitySchemes/key/apiKeySecurityScheme/location", json!("body"), "enum"),
        missing("AgentCard", "/securitySchemes/oauth/oauth2SecurityScheme/flows/authorizationCode/scopes"),
        wrong_at("SecurityScheme", "/mtlsSecurityScheme", json!({}), "", "oneOf"),
        wrong("OAuthFlows", "", json!({}), "oneOf"),
        wrong_at("OAuthFlows", "/implicit", json!({}), "", "oneOf"),
        wrong("ClientCredentialsOAuthFlow", "/scopes/read", json!(1), "type"),
        missing("DeviceCodeOAuthFlow", "/deviceAuthorizationUrl"),
        wrong("JSONRPCError", "/code", json!("-32001"), "type"),
        wrong("JSONRPCError", "/data", json!("no such task"), "type"),
        missing("JSONRPCError", "/data/0/@type"),
        missing("HTTPErrorResponse", "/error/message"),
        missing("Status", "/details/0/@type"),
        missing("ErrorDetail", "/@type"),
        wrong("ErrorDetail", "/@type", json!(1), "type"),
        wrong("Status", "/message", json!(null), "type"),
        wrong("Status", "/code", json!("404"), "type"),
        missing("Status", "/code"),
        wrong("Status", "/status", json!(1), "type"),
        missing("ErrorInfo", "/reason"),
        missing("ErrorInfo", "/domain"),
        wrong("ErrorInfo", "/reason", json!(1), "type"),
        wrong("ErrorInfo", "/domain", json!(1), "type"),
        wrong("ErrorInfo", "/@type", json!("google.rpc.ErrorInfo"), "const"),
        wrong("ErrorInfo", "/metadata/taskId", json!(1), "type"),
    ]
}
