//! Examples of A2A 0.2.1 and 0.2.5: those of 0.3, as far as the version has the objects, and what it has otherwise.

use serde_json::{Map, Value, json};

use super::{Broken, a2a_0_3, missing, wrong};

/// What 0.3 holds against an agent and 0.2 does not: objects with the members that are missing or otherwise there.
const NOT_HERE: [(&str, &str); 8] = [
    ("Message", "/parts/1/data"),
    ("TaskStatusUpdateEvent", "/final"),
    ("StreamEvent", "/final"),
    ("AgentCard", "/protocolVersion"),
    // Of 0.2.5, not of 0.2.1.
    ("AgentCard", "/additionalInterfaces/0/transport"),
    ("AgentCard", "/capabilities/extensions/0/uri"),
    ("DeleteTaskPushNotificationConfigParams", "/pushNotificationConfigId"),
    ("TaskResubscriptionResult", "/final"),
];

/// A valid instance of every definition.
pub(crate) fn examples(schema: &Value) -> Map<String, Value> {
    a2a_0_3::examples().into_iter().filter(|(name, _)| is_defined(schema, name)).collect()
}

fn is_defined(schema: &Value, name: &str) -> bool {
    schema["$defs"].get(name).is_some()
}

/// Valid, and easily refused by mistake.
pub(crate) fn allowed(schema: &Value) -> Vec<(&'static str, Value)> {
    let own = [
        ("DataPart", json!({ "kind": "data", "data": [1] })),
        ("MessageSendConfiguration", json!({ "blocking": true })),
        (
            "TaskStatusUpdateEvent",
            json!({ "kind": "status-update", "taskId": "t", "contextId": "c", "status": { "state": "unknown" } }),
        ),
        (
            "AgentCard",
            json!({
                "name": "", "description": "", "version": "", "url": "", "capabilities": {}, "skills": [],
                "defaultInputModes": [], "defaultOutputModes": []
            }),
        ),
    ];
    // A message has a part at least (6.4).
    let has_parts = |value: &Value| value.get("parts") != Some(&json!([]));
    let shared = a2a_0_3::allowed().into_iter().filter(|(name, value)| is_defined(schema, name) && has_parts(value));
    shared.chain(own).collect()
}

/// Examples broken in one way each.
pub(crate) fn broken(schema: &Value) -> Vec<Broken> {
    let shared = a2a_0_3::broken().into_iter().filter(|broken| {
        is_defined(schema, broken.definition) && !NOT_HERE.contains(&(broken.definition, broken.pointer))
    });
    let own = [
        wrong("DataPart", "/data", json!("x"), "type"),
        wrong("Message", "/parts", json!([]), "minItems"),
        wrong("Artifact", "/parts", json!([]), "minItems"),
        wrong("TaskStatusUpdateEvent", "/final", json!("no"), "type"),
        wrong("MessageSendConfiguration", "/acceptedOutputModes", json!("text/plain"), "type"),
        wrong("A2ARequest", "/method", json!("agent/getAuthenticatedExtendedCard"), "enum"),
        wrong("SecurityScheme", "/type", json!("mutualTLS"), "enum"),
        missing("GetTaskPushNotificationConfigRequest", "/params/id"),
    ];
    let of_0_2_5 = [
        missing("AgentInterface", "/transport"),
        missing("AgentExtension", "/uri"),
        missing("DeleteTaskPushNotificationConfigParams", "/pushNotificationConfigId"),
    ];
    let of_0_2_5 = of_0_2_5.into_iter().filter(|broken| is_defined(schema, broken.definition));
    shared.chain(own).chain(of_0_2_5).collect()
}
