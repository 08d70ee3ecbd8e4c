//! What an exchange shows: which operation was called, of which task, and which task came.

use serde_json::Value;

use super::super::model::ExchangeInfo;

/// What tells the calls of one operation from those of others: the method, and the path without what differs from task to task.
pub(super) fn operation(exchange: &ExchangeInfo) -> Option<String> {
    if exchange.is_inbound() {
        return None;
    }
    let request: Option<Value> = serde_json::from_str(&exchange.request.body.text()).ok();
    if let Some(method) = request.as_ref().and_then(|request| request.get("method")?.as_str()) {
        return Some(method.to_owned());
    }
    let path = exchange.request.url.split(['?', '#']).next().unwrap_or_default();
    let names: Vec<&str> = path
        .split('/')
        .map(|name| match name.split_once(':') {
            // What is done with a task stands behind its id.
            Some((id, action)) if is_id(id) => action,
            _ if is_id(name) => "*",
            _ => name,
        })
        .collect();
    Some(format!("{} {}", exchange.request.method, names.join("/")))
}

/// Whether a piece of a path is an id, as agents and the suite make them.
fn is_id(name: &str) -> bool {
    name.bytes().filter(u8::is_ascii_digit).count() > 3
}

/// Whether what was asked names a task.
pub(super) fn asks_for(exchange: &ExchangeInfo, task: &str) -> bool {
    !task.is_empty() && (exchange.request.url.contains(task) || exchange.request.body.text().contains(task))
}

/// Whether a message that names a task is answered with another one.
pub(super) fn makes_another_task(exchange: &ExchangeInfo) -> bool {
    let Some(asked) = task_of_message(exchange) else { return false };
    let Some(response) = &exchange.response else { return false };
    let text = response.body.text();
    let lines = text.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
    let came: Option<String> = match serde_json::from_str::<Value>(&text) {
        Ok(value) => id_of_task(&value),
        Err(_) => lines.filter_map(|line| id_of_task(&serde_json::from_str(line).ok()?)).next(),
    };
    came.is_some_and(|came| came != asked)
}

fn task_of_message(exchange: &ExchangeInfo) -> Option<String> {
    let request: Value = serde_json::from_str(&exchange.request.body.text()).ok()?;
    let message = request.pointer("/params/message").or_else(|| request.get("message"))?;
    message.get("taskId")?.as_str().map(str::to_owned)
}

/// The id of the first task in an answer.
fn id_of_task(value: &Value) -> Option<String> {
    match value {
        Value::Object(members) => {
            let is_task = members.contains_key("status") && !members.contains_key("taskId");
            let own = members.get("id").filter(|_| is_task).and_then(Value::as_str).map(str::to_owned);
            own.or_else(|| members.values().find_map(id_of_task))
        }
        Value::Array(items) => items.iter().find_map(id_of_task),
        _ => None,
    }
}
