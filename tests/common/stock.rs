//! An agent that holds tasks already.

use futures_util::StreamExt as _;
use serde_json::json;

/// Messages on their way at once: enough to keep an agent on this machine busy.
const AT_ONCE: usize = 16;

/// Gives an agent so many completed tasks, each in a context of its own, by messages of A2A 1.0 over JSON-RPC.
pub async fn stock(jsonrpc_url: &str, tasks: usize) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let sends = (0..tasks).map(|number| {
        let message =
            json!({ "messageId": format!("stock-{number}"), "role": "ROLE_USER", "parts": [{ "text": "complete" }] });
        let call = json!({ "jsonrpc": "2.0", "id": number, "method": "SendMessage", "params": { "message": message } });
        let request = client.post(jsonrpc_url).header("a2a-version", "1.0").header("content-type", "application/json");
        async move {
            let answer = request.body(call.to_string()).send().await.unwrap().text().await.unwrap();
            assert!(answer.contains("TASK_STATE_COMPLETED"), "no task was made: {answer}");
        }
    });
    futures_util::stream::iter(sends).buffer_unordered(AT_ONCE).collect::<()>().await;
}
