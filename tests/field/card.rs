//! Cards that leave something out, or lead nowhere.

use a2a_reference_agent::Version;
use serde_json::json;

use super::check;
use super::gateway::Faulty;

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
