//! The connection to the suite: lines of JSON, in and out (contract v1).

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use crate::case::Case;
use crate::operation;

/// What is said to the suite, one line each.
pub(crate) type Answers = mpsc::UnboundedSender<Value>;

/// The `do` words that are no operations.
const WORDS: [&str; 9] = ["resolve", "client", "cancel-stream", "card", "walk", "follow", "verify", "receive", "close"];

/// Connects, greets, and does what it is told until the suite closes the connection.
///
/// # Errors
/// The suite is not there, or refuses.
pub(crate) async fn serve() -> Result<(), String> {
    let place = std::env::var("A2ASPEC_WRAPPER").map_err(|_| "this program is started by `a2aspec client`")?;
    let token = std::env::var("A2ASPEC_WRAPPER_TOKEN").unwrap_or_default();
    let address = place.strip_prefix("tcp:").ok_or_else(|| format!("A2ASPEC_WRAPPER is {place:?}"))?;
    let connection = TcpStream::connect(address).await.map_err(|error| format!("{address}: {error}"))?;
    let _ = connection.set_nodelay(true);
    let (reader, mut writer) = connection.into_split();
    let (answers, mut waiting) = mpsc::unbounded_channel::<Value>();
    tokio::spawn(async move {
        while let Some(answer) = waiting.recv().await {
            let line = format!("{answer}\n");
            if writer.write_all(line.as_bytes()).await.is_err() {
                return;
            }
        }
    });
    let _ = answers.send(hello(&token));
    let mut lines = BufReader::new(reader).lines();
    let mut next = async || lines.next_line().await.map_err(|error| error.to_string());
    let Some(greeting) = next().await? else { return Err("the suite closed the connection".to_owned()) };
    let greeting: Value = serde_json::from_str(&greeting).map_err(|error| error.to_string())?;
    if greeting["do"] != "welcome" {
        return Err(greeting["message"].as_str().unwrap_or("the suite does not welcome this wrapper").to_owned());
    }
    let mut cases: HashMap<String, Arc<Case>> = HashMap::new();
    while let Some(line) = next().await? {
        let Ok(command) = serde_json::from_str::<Value>(&line) else { continue };
        let name = command["case"].as_str().unwrap_or_default().to_owned();
        let case = Arc::clone(cases.entry(name.clone()).or_default());
        if command["do"] == "close" {
            cases.remove(&name);
        }
        let answers = answers.clone();
        tokio::spawn(async move { case.perform(command, &answers).await });
    }
    Ok(())
}

fn hello(token: &str) -> Value {
    let words = WORDS.into_iter().chain(operation::ALL.iter().map(|operation| operation.name));
    json!({
        "say": "hello", "contract": 1, "token": token,
        "sdk": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") },
        "does": words.collect::<Vec<_>>(), "bindings": ["JSONRPC", "HTTP+JSON"], "versions": ["1.0"],
    })
}
