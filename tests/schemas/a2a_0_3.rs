//! Examples of A2A 0.3: valid, at the edge, and broken.

use serde_json::{Map, Value, json};

use super::{Broken, missing, wrong, wrong_at};

/// A valid instance of every definition.
pub(crate) fn examples() -> Map<String, Value> {
    let mut all = Map::new();
    all.extend(objects(core()));
    all.extend(objects(parameters()));
    all.extend(objects(discovery()));
    all.extend(objects(security()));
    all.extend(objects(json_rpc()));
    all.extend(methods());
    all
}

fn objects(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is not an object of examples"),
    }
}

fn message() -> Value {
    json!({
        "kind": "message", "messageId": "m-1", "contextId": "c-1", "taskId": "t-1", "role": "agent",
        "parts": [{ "kind": "text", "text": "hello" }, { "kind": "data", "data": { "n": null } }],
        "metadata": {}, "extensions": ["https://example.com/ext"], "referenceTaskIds": ["t-0"]
    })
}

fn with_bytes() -> Value {
    json!({ "bytes": "aGVsbG8=", "name": "a.txt", "mimeType": "text/plain" })
}

fn artifact() -> Value {
    json!({ "artifactId": "a-1", "parts": [{ "kind": "file", "file": with_bytes() }] })
}

fn status() -> Value {
    json!({ "state": "working", "message": message(), "timestamp": "2025-07-31T10:00:00Z" })
}

fn task() -> Value {
    json!({
        "kind": "task", "id": "t-1", "contextId": "c-1", "status": status(),
        "artifacts": [artifact()], "history": [message()], "metadata": { "k": [1] }
    })
}

fn status_update() -> Value {
    json!({ "kind": "status-update", "taskId": "t-1", "contextId": "c-1", "status": status(), "final": false })
}

fn push_config() -> Value {
    json!({
        "id": "p-1", "url": "https://client.example.com/hook", "token": "s",
        "authentication": { "schemes": ["Bearer"], "credentials": "xyz" }
    })
}

fn task_push_config() -> Value {
    json!({ "taskId": "t-1", "pushNotificationConfig": push_config() })
}

fn core() -> Value {
    json!({
        "Task": task(),
        "TaskStatus": status(),
        "TaskState": "input-required",
        "Message": message(),
        "Part": { "kind": "text", "text": "hello" },
        "PartBase": { "metadata": {} },
        "TextPart": { "kind": "text", "text": "hello" },
        "FilePart": { "kind": "file", "file": with_bytes() },
        "DataPart": { "kind": "data", "data": { "a": 1 } },
        "FileBase": { "name": "a.txt" },
        "FileWithBytes": with_bytes(),
        "FileWithUri": { "uri": "https://example.com/a.txt" },
        "Artifact": artifact(),
        "PushNotificationConfig": push_config(),
        "PushNotificationAuthenticationInfo": { "schemes": ["Bearer"] },
        "TaskPushNotificationConfig": task_push_config(),
        "TaskStatusUpdateEvent": status_update(),
        "TaskArtifactUpdateEvent": {
            "kind": "artifact-update", "taskId": "t-1", "contextId": "c-1", "artifact": artifact(), "append": true
        },
        "StreamEvent": status_update(),
        "WrappedSendMessageResult": { "task": task() },
        "WrappedStreamEvent": { "statusUpdate": status_update() },
        "PushNotificationConfigBody": { "config": task_push_config() },
        "ListTasksResult": [task()]
    })
}

fn parameters() -> Value {
    json!({
        "MessageSendParams": { "message": message(), "configuration": { "blocking": true, "historyLength": 3 } },
        "MessageSendConfiguration": { "acceptedOutputModes": ["text/plain"], "pushNotificationConfig": push_config() },
        "TaskQueryParams": { "id": "t-1", "historyLength": 3 },
        "TaskIdParams": { "id": "t-1", "metadata": {} },
        "GetTaskPushNotificationConfigParams": { "id": "t-1" },
        "ListTaskPushNotificationConfigParams": { "id": "t-1" },
        "DeleteTaskPushNotificationConfigParams": { "id": "t-1", "pushNotificationConfigId": "p-1" }
    })
}

fn card() -> Value {
    json!({
        "protocolVersion": "0.3.0", "name": "Echo", "description": "Says it again", "version": "1.0.0",
        "url": "https://agent.example.com/a2a", "preferredTransport": "JSONRPC",
        "additionalInterfaces": [{ "url": "https://agent.example.com/rest", "transport": "HTTP+JSON" }],
        "provider": { "organization": "Example", "url": "https://example.com" },
        "capabilities": { "streaming": true, "extensions": [{ "uri": "https://example.com/ext" }] },
        "securitySchemes": { "key": { "type": "apiKey", "in": "header", "name": "X-Key" } },
        "security": [{ "key": [] }],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "echo", "name": "Echo", "description": "Says it again", "tags": ["demo"] }],
        "signatures": [{ "protected": "eyJhbGciOiJFUzI1NiJ9", "signature": "c2ln" }]
    })
}

fn discovery() -> Value {
    let card = card();
    json!({
        "AgentCard": card,
        "AgentProvider": card["provider"],
        "AgentCapabilities": card["capabilities"],
        "AgentExtension": { "uri": "https://example.com/ext", "params": { "a": 1 } },
        "AgentSkill": card["skills"][0],
        "AgentInterface": { "url": "https://agent.example.com/x", "transport": "urn:example:carrier-pigeon" },
        "TransportProtocol": "GRPC",
        "AgentCardSignature": card["signatures"][0]
    })
}

fn security() -> Value {
    let flow = json!({
        "authorizationUrl": "https://id.example.com/authorize", "tokenUrl": "https://id.example.com/token",
        "scopes": { "read": "to read" }
    });
    let flows = json!({ "authorizationCode": flow, "clientCredentials": flow });
    json!({
        "SecurityScheme": { "type": "oauth2", "flows": flows },
        "SecuritySchemeBase": { "description": "" },
        "APIKeySecurityScheme": { "type": "apiKey", "in": "query", "name": "key" },
        "HTTPAuthSecurityScheme": { "type": "http", "scheme": "bearer" },
        "OAuth2SecurityScheme": { "type": "oauth2", "flows": flows },
        "OpenIdConnectSecurityScheme": { "type": "openIdConnect", "openIdConnectUrl": "https://id.example.com" },
        "MutualTLSSecurityScheme": { "type": "mutualTLS" },
        "OAuthFlows": flows,
        "AuthorizationCodeOAuthFlow": flow,
        "ClientCredentialsOAuthFlow": flow,
        "ImplicitOAuthFlow": flow,
        "PasswordOAuthFlow": flow
    })
}

fn error(code: i64) -> Value {
    json!({ "code": code, "message": "it did not work", "data": "why" })
}

fn json_rpc() -> Value {
    json!({
        "JSONRPCMessage": { "jsonrpc": "2.0", "id": 1 },
        "JSONRPCRequest": { "jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {} },
        "JSONRPCResponse": { "jsonrpc": "2.0", "id": "1", "result": {} },
        "JSONRPCSuccessResponse": { "jsonrpc": "2.0", "id": "1", "result": {} },
        "JSONRPCErrorResponse": { "jsonrpc": "2.0", "id": null, "error": error(-32700) },
        "JSONRPCError": error(-32001),
        "A2AError": error(-32001),
        "A2ARequest": { "jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": { "id": "t-1" } },
        "JSONParseError": error(-32700),
        "InvalidRequestError": error(-32600),
        "MethodNotFoundError": error(-32601),
        "InvalidParamsError": error(-32602),
        "InternalError": error(-32603),
        "TaskNotFoundError": error(-32001),
        "TaskNotCancelableError": error(-32002),
        "PushNotificationNotSupportedError": error(-32003),
        "UnsupportedOperationError": error(-32004),
        "ContentTypeNotSupportedError": error(-32005),
        "InvalidAgentResponseError": error(-32006),
        "AuthenticatedExtendedCardNotConfiguredError": error(-32007)
    })
}

/// Request, result and responses of each method.
fn methods() -> Map<String, Value> {
    let by_id = json!({ "id": "t-1" });
    let send = json!({ "message": message() });
    let of_config = json!({ "id": "t-1", "pushNotificationConfigId": "p-1" });
    let push = "tasks/pushNotificationConfig";
    let table = [
        ("SendMessage", "message/send".to_owned(), send.clone(), task()),
        ("SendStreamingMessage", "message/stream".to_owned(), send, status_update()),
        ("GetTask", "tasks/get".to_owned(), by_id.clone(), task()),
        ("CancelTask", "tasks/cancel".to_owned(), by_id.clone(), task()),
        ("SetTaskPushNotificationConfig", format!("{push}/set"), task_push_config(), task_push_config()),
        ("GetTaskPushNotificationConfig", format!("{push}/get"), of_config.clone(), task_push_config()),
        ("ListTaskPushNotificationConfig", format!("{push}/list"), by_id.clone(), json!([task_push_config()])),
        ("DeleteTaskPushNotificationConfig", format!("{push}/delete"), of_config, Value::Null),
        ("TaskResubscription", "tasks/resubscribe".to_owned(), by_id, status_update()),
        ("GetAuthenticatedExtendedCard", "agent/getAuthenticatedExtendedCard".to_owned(), Value::Null, card()),
    ];
    let mut all = Map::new();
    for (name, method, params, result) in table {
        let mut request = json!({ "jsonrpc": "2.0", "id": 1, "method": method });
        if !params.is_null() {
            request["params"] = params;
        }
        all.insert(format!("{name}Request"), request);
        all.insert(format!("{name}Result"), result.clone());
        // What resubscribing gives is told by the definitions of streaming.
        if name != "TaskResubscription" {
            let response = json!({ "jsonrpc": "2.0", "id": 1, "result": result });
            all.insert(format!("{name}SuccessResponse"), response.clone());
            all.insert(format!("{name}Response"), response);
        }
    }
    all
}

/// Valid, and easily refused by mistake.
pub(crate) fn allowed() -> Vec<(&'static str, Value)> {
    let bare = json!({ "kind": "task", "id": "t", "contextId": "c", "status": { "state": "unknown" } });
    let mut card_without_transport = card();
    if let Some(card) = card_without_transport.as_object_mut() {
        card.shift_remove("preferredTransport");
        card.insert("skills".to_owned(), json!([]));
        card.insert("defaultInputModes".to_owned(), json!([]));
    }
    vec![
        ("Task", bare.clone()),
        ("SendMessageResult", message()),
        ("WrappedSendMessageResult", json!({ "message": message() })),
        ("StreamEvent", bare),
        ("StreamEvent", message()),
        ("Message", json!({ "kind": "message", "messageId": "", "role": "user", "parts": [] })),
        ("Part", json!({ "kind": "file", "file": { "uri": "https://example.com/a" } })),
        ("Part", json!({ "kind": "data", "data": {} })),
        ("AgentCard", card_without_transport),
        ("OAuthFlows", json!({})),
        ("GetTaskResponse", json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32000, "message": "" } })),
        ("JSONRPCErrorResponse", json!({ "jsonrpc": "2.0", "id": 1.5, "error": error(1) })),
        ("JSONRPCRequest", json!({ "jsonrpc": "2.0", "method": "x" })),
        ("ListTaskPushNotificationConfigResult", json!([])),
        (
            "GetTaskPushNotificationConfigRequest",
            json!({
                "jsonrpc": "2.0", "id": "a", "method": "tasks/pushNotificationConfig/get", "params": { "id": "t" }
            }),
        ),
    ]
}

/// Examples broken in one way each.
pub(crate) fn broken() -> Vec<Broken> {
    vec![
        missing("Task", "/kind"),
        missing("Task", "/contextId"),
        missing("Task", "/status/state"),
        wrong("Task", "/kind", json!("Task"), "const"),
        wrong("Task", "/status/state", json!("TASK_STATE_WORKING"), "enum"),
        wrong("Task", "/status/state", json!("cancelled"), "enum"),
        wrong("Task", "/metadata", json!(null), "type"),
        wrong("Task", "/status/timestamp", json!(1_753_956_000), "type"),
        missing("Task", "/history/0/parts/0/text"),
        missing("Task", "/history/0/parts/0/kind"),
        wrong("Task", "/history/0/parts/0/kind", json!("image"), "enum"),
        missing("Message", "/messageId"),
        missing("Message", "/parts"),
        wrong("Message", "/role", json!("ROLE_USER"), "enum"),
        wrong("Message", "/parts/0", json!("hello"), "type"),
        wrong("Message", "/parts/1/data", json!([1]), "type"),
        wrong("Message", "/taskId", json!(null), "type"),
        wrong("Part", "", json!([]), "type"),
        wrong("Part", "/text", json!(null), "type"),
        wrong("FilePart", "/file/uri", json!("https://example.com/a"), "falseSchema"),
        wrong("FilePart", "/file/bytes", json!(1), "type"),
        wrong("FilePart", "/file", json!({ "name": "a" }), "anyOf"),
        wrong("FilePart", "/file", json!("a"), "type"),
        wrong("FileWithBytes", "/uri", json!(null), "falseSchema"),
        wrong("FileWithUri", "/bytes", json!(""), "falseSchema"),
        missing("Artifact", "/artifactId"),
        missing("TaskStatusUpdateEvent", "/final"),
        missing("TaskArtifactUpdateEvent", "/artifact"),
        wrong("TaskArtifactUpdateEvent", "/append", json!(1), "type"),
        wrong("SendMessageResult", "", json!("done"), "type"),
        wrong("WrappedSendMessageResult", "", json!({}), "oneOf"),
        missing("WrappedSendMessageResult", "/task/status"),
        wrong("WrappedStreamEvent", "", status_update(), "oneOf"),
        missing("WrappedStreamEvent", "/statusUpdate/final"),
        missing("PushNotificationConfigBody", "/config/taskId"),
        missing("SendMessageResult", "/kind"),
        wrong("SendMessageResult", "/kind", json!("status-update"), "enum"),
        wrong("SendMessageResult", "/status/state", json!("done"), "enum"),
        missing("SendMessageResult", "/id"),
        missing("StreamEvent", "/final"),
        wrong("StreamEvent", "/kind", json!("statusUpdate"), "enum"),
        wrong("SendStreamingMessageResponse", "/result/status/state", json!(1), "enum"),
        missing("SendStreamingMessageResponse", "/result/status"),
        wrong("TaskResubscriptionResult", "/final", json!("no"), "type"),
        missing("TaskPushNotificationConfig", "/pushNotificationConfig/url"),
        wrong("TaskPushNotificationConfig", "/pushNotificationConfig/authentication/schemes", json!("Bearer"), "type"),
        wrong("DeleteTaskPushNotificationConfigResult", "", json!({}), "type"),
        wrong("ListTaskPushNotificationConfigResult", "", json!({ "configs": [] }), "type"),
        missing("ListTaskPushNotificationConfigResponse", "/result/0/taskId"),
        missing("ListTaskPushNotificationConfigResult", "/0/taskId"),
        missing("ListTasksResult", "/0/id"),
        missing("MessageSendParams", "/message"),
        wrong("MessageSendParams", "/configuration/blocking", json!("yes"), "type"),
        wrong("TaskQueryParams", "/historyLength", json!(1.5), "type"),
        missing("DeleteTaskPushNotificationConfigParams", "/pushNotificationConfigId"),
        missing("AgentCard", "/protocolVersion"),
        missing("AgentCard", "/url"),
        missing("AgentCard", "/capabilities"),
        missing("AgentCard", "/skills/0/tags"),
        missing("AgentCard", "/additionalInterfaces/0/transport"),
        wrong("AgentCard", "/security", json!({ "key": [] }), "type"),
        wrong("AgentCard", "/security/0/key", json!("read"), "type"),
        wrong("AgentCard", "/securitySchemes/key/in", json!("body"), "enum"),
        wrong("AgentCard", "/securitySchemes/key/type", json!("apikey"), "enum"),
        missing("AgentCard", "/securitySchemes/key/type"),
        missing("AgentCard", "/capabilities/extensions/0/uri"),
        missing("SecurityScheme", "/flows"),
        missing("SecurityScheme", "/flows/authorizationCode/tokenUrl"),
        wrong("SecurityScheme", "/flows/authorizationCode/scopes", json!(["read"]), "type"),
        wrong("JSONRPCSuccessResponse", "/jsonrpc", json!("1.0"), "const"),
        missing("JSONRPCSuccessResponse", "/result"),
        missing("JSONRPCSuccessResponse", "/id"),
        wrong("JSONRPCSuccessResponse", "/error", json!(null), "falseSchema"),
        wrong("JSONRPCErrorResponse", "/result", json!(null), "falseSchema"),
        wrong("JSONRPCErrorResponse", "/error", json!("boom"), "type"),
        wrong("JSONRPCErrorResponse", "/error/code", json!("-32700"), "type"),
        missing("JSONRPCErrorResponse", "/error/message"),
        wrong("GetTaskResponse", "", json!(null), "type"),
        wrong("GetTaskResponse", "/id", json!(true), "type"),
        missing("GetTaskResponse", "/result"),
        wrong("JSONRPCRequest", "/params", json!([]), "type"),
        wrong("A2ARequest", "/method", json!("tasks/list"), "enum"),
        missing("A2ARequest", "/params/id"),
        wrong_at("A2ARequest", "/id", json!(null), "/id", "type"),
        wrong("A2AError", "/code", json!(-32000), "enum"),
        wrong("TaskNotFoundError", "/code", json!(-32002), "const"),
    ]
}
