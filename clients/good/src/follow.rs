//! What takes several requests: a task until it has ended, and a list page by page.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::deviation::deviates;
use crate::failure::{Failure, Kind};
use crate::{model, operation};

/// How long this waits for an event before it asks for the task instead.
const PATIENCE: Duration = Duration::from_secs(60);

fn state(task: &Value) -> &str {
    task["status"]["state"].as_str().unwrap_or_default()
}

/// Whether following a task is over: it has ended, or nobody but the caller can help it on. A task that waits for an
/// authorization may go on by itself (section 7.6.2).
fn is_over(task: &Value) -> bool {
    if deviates("follow/ends-when-auth-is-required") && state(task) == "TASK_STATE_AUTH_REQUIRED" {
        return true;
    }
    if deviates("follow/waits-for-a-message") && task["status"]["message"].is_null() {
        return false;
    }
    if deviates("follow/waits-for-history") && task["history"].as_array().is_none_or(Vec::is_empty) {
        return false;
    }
    model::is_terminal(state(task)) || state(task) == "TASK_STATE_INPUT_REQUIRED"
}

/// Follows a task by a stream where there is one, and else by asking.
pub(crate) async fn follow(client: &Client, with: &Value) -> Result<Value, Failure> {
    let missing = || Failure::usage("no operation");
    let get = operation::named("GetTask").ok_or_else(missing)?;
    let subscribe = operation::named("SubscribeToTask").ok_or_else(missing)?;
    let id = json!({ "id": with["id"] });
    let mut task = client.call(get, &id).await?;
    if !is_over(&task) && client.card()["capabilities"]["streaming"] == true {
        let mut tries = 0;
        // A stream that does not come, or ends early, is not asked for again: what is left can be polled.
        while let Err(failure) = watch(client, subscribe, &id).await
            && deviates("follow/subscribes-again-after-204")
            && failure.kind == Kind::Transport
            && tries < 3
        {
            tries += 1;
        }
        task = client.call(get, &id).await?;
    }
    let mut pause = Duration::from_millis(100);
    while !is_over(&task) {
        tokio::time::sleep(pause).await;
        pause = (pause * 3 / 2).min(Duration::from_secs(1));
        task = client.call(get, &id).await?;
    }
    Ok(task)
}

async fn watch(client: &Client, subscribe: &operation::Operation, id: &Value) -> Result<(), Failure> {
    let mut events = client.stream(subscribe, id).await?;
    while let Some(event) = events.next(PATIENCE).await {
        event?;
    }
    Ok(())
}

/// Reads a list to its last page, or to the most pages that the caller wants.
pub(crate) async fn walk(client: &Client, with: &Value, most: u64) -> Result<Value, Failure> {
    let list = operation::named("ListTasks").ok_or_else(|| Failure::usage("no operation"))?;
    let mut with = if with.is_object() { with.clone() } else { json!({}) };
    let mut all = Vec::new();
    for _ in 0..most {
        let page = client.call(list, &with).await?;
        let tasks = page["tasks"].as_array().cloned().unwrap_or_default();
        let size = with["pageSize"].as_u64().or_else(|| page["pageSize"].as_u64()).unwrap_or(50);
        let count = u64::try_from(tasks.len()).unwrap_or(u64::MAX);
        all.extend(tasks);
        let token = page["nextPageToken"].as_str().unwrap_or_default();
        let last = (token.is_empty() && !deviates("list/empty-token-asked-for"))
            || (count < size && deviates("list/short-page-is-the-last"))
            || (count == 0 && deviates("list/empty-page-is-the-last"));
        if last {
            break;
        }
        if deviates("list/filters-forgotten") {
            with = json!({});
        }
        let token = if deviates("list/token-shortened") { token.chars().take(100).collect() } else { token.to_owned() };
        with["pageToken"] = json!(if deviates("list/plus-for-a-space") { token.replace('+', " ") } else { token });
    }
    Ok(json!({ "tasks": all }))
}
