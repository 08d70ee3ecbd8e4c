//! URLs over HTTP that have the beginning of every path already: `https://agent.example/v1`, where the paths of the version begin with
//! `/v1` themselves (A2A 0.3, section 3.2.3). Texts do not settle which of them is meant, so the agent is asked.

use std::sync::Arc;

use serde_json::json;

use super::find::Discovered;
use crate::binding::{CallRequest, preview};
use crate::interface::Interface;
use crate::profile::{Binding, Operation};
use crate::transport::Connection;
use crate::transport::http::Http;

/// What is added to the URLs of requests that begins them twice.
const VERSION: &str = "/v1";

/// Takes from the URL of each interface what its requests would say twice, where they are found without it alone.
pub(super) async fn settle(http: &Arc<Http>, found: &mut Discovered) {
    for listed in &mut found.agent.interfaces {
        let Some(interface) = &mut listed.interface else { continue };
        let Some(without) = without(interface) else { continue };
        let other = Interface { url: without.clone(), ..interface.clone() };
        if is_missing(http, interface).await && !is_missing(http, &other).await {
            interface.url = without;
            let note = "its URL ends in /v1, nothing is at /v1/v1, and so the paths of requests have one /v1 only";
            listed.info.add_note(note);
        }
    }
}

/// The URL without what its requests would say twice, if they would.
fn without(interface: &Interface) -> Option<String> {
    let without = interface.url.trim_end_matches('/').strip_suffix(VERSION)?.to_owned();
    let path = preview(interface, &question(), 0)?.url;
    (interface.binding == Binding::HttpJson && path.contains("/v1/v1/")).then_some(without)
}

/// A message without content: every agent has a place for messages, and none in this one is work.
fn question() -> CallRequest {
    CallRequest {
        operation: Operation::SendMessage,
        params: json!({}).into(),
        rpc_id: None,
        headers: Vec::new(),
        purpose: "discovery".to_owned(),
    }
}

/// Whether there is no such route.
async fn is_missing(http: &Arc<Http>, interface: &Interface) -> bool {
    let answer = Connection::new(interface.clone(), Arc::clone(http)).call(&question()).await;
    answer.exchange.response.as_ref().is_none_or(|response| matches!(response.status, 404 | 405))
}
