//! Cards that leave something out, or lead nowhere.

use a2a_reference_agent::Version;
use a2aspec::verdict::Verdict;
use axum::http::HeaderValue;
use serde_json::json;

use super::gateway::{Answer, Faulty};
use super::{check, report};

/// <https://github.com/bug-ops/zeph/issues/1442>
/// 0.2.1 has no member protocolVersion, which came with 0.2.5: this is right.
#[tokio::test]
async fn a_card_of_0_2_1_names_no_version() {
    let agent = Faulty::agent(Version::V0_2_1).card(|card| {
        card.as_object_mut().unwrap().remove("protocolVersion");
    });
    check(agent, &[]).await;
}

/// <https://github.com/rossoctl/examples/issues/139>
/// 0.3, 5.6.1: the agent "MUST be accessible" at the URL, and nobody gets to 0.0.0.0 from another machine.
#[tokio::test]
async fn a_card_names_the_address_of_all_interfaces() {
    let agent = Faulty::agent(Version::V0_3).card(|card| {
        let url = card["url"].as_str().unwrap().replace("127.0.0.1", "0.0.0.0");
        card["url"] = json!(url);
        card["additionalInterfaces"] = json!([{ "url": url, "transport": "JSONRPC" }]);
    });
    check(agent, &[]).await;
}

/// What methods of 1.0 are called in 0.3.
const RENAMED: [(&str, &str); 9] = [
    ("SendMessage", "message/send"),
    ("SendStreamingMessage", "message/stream"),
    ("GetTask", "tasks/get"),
    ("CancelTask", "tasks/cancel"),
    ("SubscribeToTask", "tasks/resubscribe"),
    ("CreateTaskPushNotificationConfig", "tasks/pushNotificationConfig/set"),
    ("GetTaskPushNotificationConfig", "tasks/pushNotificationConfig/get"),
    ("ListTaskPushNotificationConfigs", "tasks/pushNotificationConfig/list"),
    ("DeleteTaskPushNotificationConfig", "tasks/pushNotificationConfig/delete"),
];

/// As ra2a 0.10.1 serves 1.0: with its objects, with the methods of 0.3, and whatever version a request names. All else is seen.
/// 1.0, 9.1: "Method Naming: PascalCase method names matching gRPC conventions".
#[tokio::test]
async fn methods_have_the_names_of_an_earlier_version() {
    let agent = Faulty::agent(Version::V1_0).asked(|call| {
        call.headers.insert("a2a-version", HeaderValue::from_static("1.0"));
        if let Some((name, _)) = RENAMED.iter().find(|(_, earlier)| *earlier == call.method) {
            call.method = (*name).to_owned();
            return None;
        }
        let is_renamed = RENAMED.iter().any(|(name, _)| *name == call.method);
        is_renamed.then(|| Answer::error(-32601, "METHOD_NOT_FOUND"))
    });
    let report = report(agent).await;
    let verdict = |case: &str| report.results.iter().find(|result| result.case == case).map(|result| result.verdict);
    assert_eq!(verdict("version/as-claimed"), Some(Verdict::Fail));
    assert!(report.results.iter().all(|result| result.profile == "1.0"));
    let told: Vec<&str> = report.problems.iter().map(|problem| problem.kind.as_str()).collect();
    // Who ignores versions serves the methods of all.
    assert!(told.len() <= 2 && told.contains(&"methods-of-another"), "{told:?}");
    for case in ["get/existing", "stream/framing", "push/created", "send/task-or-message"] {
        assert_eq!(verdict(case), Some(Verdict::Pass), "{case}");
    }
}
