//! What is posted to webhooks.

use std::collections::BTreeMap;
use std::sync::Mutex;

use a2a_reference_agent::Version;
use serde_json::Value;

use super::check;
use super::gateway::Faulty;

/// <https://github.com/a2aproject/a2a-java/issues/810>
/// 4.3.3: "The agent MUST include authentication credentials in the request headers as specified in the [...] authentication field".
#[tokio::test]
async fn notifications_have_no_credentials() {
    let kept: &Mutex<BTreeMap<String, Value>> = Box::leak(Box::default());
    let agent = Faulty::agent(Version::V1_0)
        .asked(|call| {
            for place in ["/configuration/taskPushNotificationConfig", ""] {
                let Some(Value::Object(config)) = call.params.pointer_mut(place) else { continue };
                if let (Some(url), Some(given)) = (config.get("url").cloned(), config.remove("authentication")) {
                    kept.lock().unwrap().insert(url.to_string(), given);
                }
            }
            None
        })
        .answered(|_, response| {
            let configs = match response.pointer_mut("/result/configs") {
                Some(Value::Array(configs)) => configs.as_mut_slice(),
                _ => response.get_mut("result").map(std::slice::from_mut).unwrap_or_default(),
            };
            for config in configs {
                if let Some(given) = kept.lock().unwrap().get(&config["url"].to_string()) {
                    config["authentication"] = given.clone();
                }
            }
        });
    check(agent, &["1.0-4.3.3-3"]).await;
}

/// <https://github.com/a2aproject/a2a-js/issues/239>
/// 0.3, 9.5: the agent authenticates itself "using the scheme specified in PushNotificationConfig.authentication".
#[tokio::test]
async fn only_the_token_of_a_configuration_is_used() {
    let agent = Faulty::agent(Version::V0_3).asked(|call| {
        for place in ["/pushNotificationConfig", "/configuration/pushNotificationConfig"] {
            if let Some(config) = call.params.pointer_mut(place).and_then(|config| config.as_object_mut()) {
                config.remove("authentication");
            }
        }
        None
    });
    check(agent, &["0.3-topic-streaming-3"]).await;
}
