//! An agent of one version: its card is at the root, and nothing of the other versions is there.

use a2a_reference_agent::{Config, RunningAgent, Version};
use reqwest::StatusCode;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::client::{answer, call, start};

async fn only(version: Version) -> RunningAgent {
    let config = Config { only: Some(version), ..Config::default() };
    start(config).await
}

/// The addresses that a card has, wherever it names them.
fn urls(card: &Value) -> Vec<&str> {
    let listed = ["supportedInterfaces", "additionalInterfaces"].into_iter().flat_map(|name| card[name].as_array());
    let listed = listed.flatten().map(|interface| &interface["url"]);
    let mut urls: Vec<&str> = listed.chain([&card["url"]]).filter_map(Value::as_str).collect();
    urls.sort_unstable();
    urls.dedup();
    urls
}

#[tokio::test]
async fn the_card_at_the_root_leads_to_that_version_and_no_other() {
    for version in Version::ALL {
        let agent = only(version).await;
        assert_eq!(agent.bases().len(), 1);
        let http = crate::client::http();
        let is_old = Version::UNNAMED.contains(&version);
        let mut found = 0;
        for (path, is_there) in [("/.well-known/agent-card.json", !is_old), ("/.well-known/agent.json", is_old)] {
            let card = answer(http.get(format!("{}{path}", agent.url()))).await;
            assert_eq!(card.status == 200, is_there, "{version} {path}");
            if is_there {
                let card = card.json();
                let mut interfaces = agent.interfaces();
                interfaces.sort_unstable();
                let addresses: Vec<&str> = interfaces.iter().map(|(url, _)| url.as_str()).collect();
                assert_eq!(urls(&card), addresses, "{version}");
                assert!(interfaces.iter().all(|(_, what)| what.starts_with(&format!("A2A {version}, "))));
                found += 1;
            }
        }
        assert_eq!(found, 1);
    }
}

#[tokio::test]
async fn what_is_of_other_versions_is_not_there() {
    let places = [
        (Version::V1_0, "/1.0", "application/json"),
        (Version::V1_0, "/rest/message:send", "application/json"),
        (Version::V1_0, "/lf.a2a.v1.A2AService/GetTask", "application/grpc"),
        (Version::V1_1Draft, "/1.1-draft/a2a", "application/json"),
        (Version::V1_1Draft, "/1.1-draft/rest/message:send", "application/json"),
        (Version::V1_0Draft, "/1.0-draft/a2a", "application/json"),
        (Version::V1_0Draft, "/1.0-draft/v1/message:send", "application/json"),
        (Version::V0_3, "/0.3", "application/json"),
        (Version::V0_3, "/rest/v1/message:send", "application/json"),
        (Version::V0_2_5, "/0.2.5/a2a", "application/json"),
        (Version::V0_2_1, "/0.2.1/a2a", "application/json"),
        (Version::V0_1, "/0.1/a2a", "application/json"),
        (Version::Proposal, "/proposal/a2a", "application/json"),
    ];
    for version in Version::ALL {
        let agent = only(version).await;
        let http = crate::client::http();
        for (of, path, media_type) in places {
            let request = http.post(format!("{}{path}", agent.url())).header(CONTENT_TYPE, media_type);
            let answer = answer(request.body(call("GetTask", json!({})))).await;
            // gRPC has its own way of saying so: UNIMPLEMENTED.
            let is_absent = answer.status == StatusCode::NOT_FOUND
                || answer.headers.get("grpc-status").is_some_and(|status| status == "12");
            // 1.1 has the service of 1.0 over gRPC.
            let is_shared = media_type == "application/grpc" && version == Version::V1_1Draft;
            assert_eq!(is_absent, of != version && !is_shared, "{version}: {path}");
        }
        let at_root = http.post(format!("{}/", agent.url())).body(call("GetTask", json!({})));
        assert_eq!(answer(at_root).await.status, 404, "{version}: where the header decides");
    }
}
