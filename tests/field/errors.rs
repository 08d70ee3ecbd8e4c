//! Errors that are not the ones that the specification names.

use a2a_reference_agent::{Capability, Version};
use axum::http::HeaderValue;
use serde_json::{Value, json};

use super::check;
use super::gateway::{Answer, Call, Faulty, error};

/// Whether a call sends a message to a task.
fn continues(call: &Call) -> bool {
    call.params["message"]["taskId"].is_string()
}

/// The code of a response that is an error.
fn code(response: &Value) -> Option<i64> {
    response["error"]["code"].as_i64()
}

/// <https://github.com/a2aproject/a2a-java/issues/733>
/// 3.3.4: without the capability "attempts to call the Get Extended Agent Card operation MUST return UnsupportedOperationError".
#[tokio::test]
async fn an_extended_card_that_is_not_declared_is_not_configured() {
    let agent = Faulty::agent(Version::V1_0).without(Capability::ExtendedCard).asked(|call| {
        (call.method == "GetExtendedAgentCard").then(|| Answer::error(-32007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED"))
    });
    check(agent, &["1.0-3.3.4-5", "1.0-3.1.11-1", "1.0-3.1-1"]).await;
}

/// <https://github.com/a2aproject/a2a-go/issues/438>
/// 3.1.1: "UnsupportedOperationError: Messages sent to Tasks that are in a terminal state [...] cannot accept further messages."
#[tokio::test]
async fn a_message_to_a_finished_task_has_invalid_params() {
    let agent = Faulty::agent(Version::V1_0).answered(|call, response| {
        if continues(call) && code(response) == Some(-32004) {
            *response = error(-32602, "INVALID_PARAMS");
        }
    });
    // Of both ways to send a message the same is wrong.
    check(agent, &["1.0-3.1.1-4", "1.0-3.1.2-7"]).await;
}

/// <https://github.com/a2aproject/a2a-go/issues/438>, also <https://github.com/a2aproject/a2a-rs/issues/269>
/// 3.1.6: "UnsupportedOperationError: The operation is attempted on a task that is in a terminal state".
#[tokio::test]
async fn a_finished_task_is_not_found_by_who_subscribes() {
    let agent = Faulty::agent(Version::V1_0).answered(|call, response| {
        if call.method == "SubscribeToTask" && code(response) == Some(-32004) {
            *response = error(-32001, "TASK_NOT_FOUND");
        }
    });
    check(agent, &["1.0-3.1.6-5"]).await;
}

/// <https://github.com/a2aproject/a2a-java/issues/791>
/// 3.1.6 names the error, and no sentence says that it may not be in the stream: this is right.
#[tokio::test]
async fn who_subscribes_to_a_finished_task_gets_the_error_in_the_stream() {
    let agent = Faulty::agent(Version::V1_0).replaced(|call, response| match call.method.as_str() {
        "SubscribeToTask" => Answer::Stream(vec![response]),
        _ => Answer::Json(response),
    });
    check(agent, &[]).await;
}

/// <https://github.com/prebid/salesagent/pull/1648>
/// 0.3, 8.2: -32001 is "The specified task id does not correspond to an existing or active task".
#[tokio::test]
async fn to_cancel_an_unknown_task_is_an_internal_error() {
    let agent = Faulty::agent(Version::V0_3).answered(|call, response| {
        if call.method == "tasks/cancel" && code(response) == Some(-32001) {
            response["error"] = json!({ "code": -32603, "message": "Internal error" });
        }
    });
    check(agent, &["0.3-8.2-1", "0.3-8.1-3"]).await;
}

/// <https://github.com/prebid/salesagent/issues/1670>
/// 0.3, 8.2 has the codes of the protocol's own errors.
#[tokio::test]
async fn each_error_of_the_protocol_is_an_internal_error() {
    let agent = Faulty::agent(Version::V0_3).answered(|_, response| {
        if code(response).is_some_and(|code| (-32099..=-32000).contains(&code)) {
            response["error"]["code"] = json!(-32603);
        }
    });
    check(agent, &["0.3-8.2-1", "0.3-8.2-2", "0.3-8.1-3"]).await;
}

/// <https://github.com/a2aproject/a2a-js/pull/630>
/// 3.1.8: TaskNotFoundError where "the push notification configuration does not exist".
#[tokio::test]
async fn to_read_an_unknown_push_configuration_is_an_internal_error() {
    let agent = Faulty::agent(Version::V1_0).answered(|call, response| {
        if call.method == "GetTaskPushNotificationConfig" && code(response).is_some() {
            *response = error(-32603, "INTERNAL_ERROR");
        }
    });
    check(agent, &["1.0-3.1.8-4"]).await;
}

/// <https://github.com/topcheer/ggcode/issues/1076>
/// 0.3 has no error for a configuration that is not there: TaskNotFoundError is right, though the report takes it for wrong.
#[tokio::test]
async fn an_unknown_push_configuration_is_a_task_that_is_not_found() {
    let agent = Faulty::agent(Version::V0_3).answered(|call, response| {
        if call.method == "tasks/pushNotificationConfig/get" && code(response).is_some() {
            response["error"] = json!({ "code": -32001, "message": "Task not found" });
        }
    });
    check(agent, &[]).await;
}

/// <https://github.com/a2aproject/a2a-python/issues/856>
/// 3.6.2: "If the version is not supported by the interface, agents MUST return a VersionNotSupportedError."
#[tokio::test]
async fn the_version_of_a_request_is_ignored() {
    let agent = Faulty::agent(Version::V1_0).asked(|call| {
        call.headers.insert("a2a-version", HeaderValue::from_static("1.0"));
        None
    });
    check(agent, &["1.0-3.6.2-2", "1.0-3.6.2-4"]).await;
}

/// As @reactive-agents/a2a 0.9.0 answers: the code of each error is -32000, and its name is in `data`. 0.3, 8.1 and 8.2 have the codes.
#[tokio::test]
async fn each_error_has_one_code_of_its_own() {
    let agent = Faulty::agent(Version::V0_3).answered(|_, response| {
        if code(response).is_some() {
            response["error"]["code"] = json!(-32000);
        }
    });
    check(agent, &["0.3-8.1-1", "jsonrpc-5.1-5", "0.3-8.2-1"]).await;
}
