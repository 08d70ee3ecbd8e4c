//! Reads what an agent wrote: members that are null are absent, unknown ones are passed over, types must be right.

use serde_json::{Map, Value};

use crate::deviation::deviates;
use crate::model::{self, Kind, Member};

/// The value as a message of this name, without its nulls.
///
/// # Errors
/// What is wrong with it, and where.
pub(crate) fn message(value: Value, name: &str) -> Result<Value, String> {
    let Value::Object(object) = value else { return Err(format!("{name} is no object")) };
    let members = model::members(name);
    let mut read = Map::new();
    for (key, value) in object {
        let known = members.iter().find(|member| member.name == key);
        match known {
            Some(member) if value.is_null() && member.kind != Kind::Any => {
                if deviates("read/null-refused") {
                    return Err(format!("{name}.{key} is null"));
                }
            }
            Some(member) => {
                let value = of_kind(value, &member.kind).map_err(|problem| format!("{name}.{key}: {problem}"))?;
                read.insert(key, value);
            }
            None if deviates("read/unknown-members-refused") => return Err(format!("{name}.{key} is unknown")),
            None => {
                read.insert(key, value);
            }
        }
    }
    if let Some(missing) = members.iter().find(|member| member.needed && is_absent(&read, member)) {
        return Err(format!("{name}.{} is missing", missing.name));
    }
    if deviates("read/defaults-needed")
        && let Some(missing) = members.iter().find(|member| member.required && !read.contains_key(&member.name))
    {
        return Err(format!("{name}.{} is missing", missing.name));
    }
    if name == "Task" && deviates("read/artifacts-needed") && !read.contains_key("artifacts") {
        return Err("Task.artifacts is missing".to_owned());
    }
    if name == "Task" && deviates("read/history-needed") && !read.contains_key("history") {
        return Err("Task.history is missing".to_owned());
    }
    if name == "TaskStatus" && deviates("read/status-message-needed") && !read.contains_key("message") {
        return Err("TaskStatus.message is missing".to_owned());
    }
    Ok(Value::Object(read))
}

fn is_absent(read: &Map<String, Value>, member: &Member) -> bool {
    read.get(&member.name).is_none_or(|value| value == "")
}

fn of_kind(value: Value, kind: &Kind) -> Result<Value, String> {
    let right = match (kind, &value) {
        (Kind::Message(name), _) => return message(value, name),
        (Kind::Many(inner), Value::Array(_)) => {
            let Value::Array(items) = value else { return Ok(value) };
            if items.is_empty() && deviates("read/empty-arrays-refused") {
                return Err("is empty".to_owned());
            }
            return items.into_iter().map(|item| of_kind(item, inner)).collect();
        }
        (Kind::Map(inner), Value::Object(_)) => {
            let Value::Object(items) = value else { return Ok(value) };
            let items = items.into_iter().map(|(key, item)| Ok::<_, String>((key, of_kind(item, inner)?)));
            return Ok(Value::Object(items.collect::<Result<_, _>>()?));
        }
        (Kind::State, Value::Number(number)) => return Ok(by_number(number, &model::STATES)),
        (Kind::Role, Value::Number(number)) => return Ok(by_number(number, &model::ROLES)),
        (Kind::Time, Value::String(time)) => !deviates("read/time-needs-milliseconds") || has_milliseconds(time),
        (Kind::Any, any) => {
            (!deviates("read/data-must-be-an-object") || any.is_object())
                && (!deviates("read/big-integers-refused") || !has_big_integers(any))
        }
        // A state or a role of a later version is reported as it is.
        (Kind::Text | Kind::Bytes | Kind::State | Kind::Role, Value::String(_)) => true,
        // ProtoJSON writes numbers as texts, too.
        (Kind::Whole, Value::Number(_) | Value::String(_)) => true,
        (Kind::Truth, Value::Bool(_)) | (Kind::Struct, Value::Object(_)) => true,
        _ => false,
    };
    if right { Ok(value) } else { Err("has another type".to_owned()) }
}

fn by_number(number: &serde_json::Number, names: &[&str]) -> Value {
    let name = number.as_u64().and_then(|number| usize::try_from(number).ok()).and_then(|number| names.get(number));
    name.map_or_else(|| Value::from(number.to_string()), |name| Value::from(*name))
}

fn has_milliseconds(time: &str) -> bool {
    time.split_once('.').is_some_and(|(_, fraction)| fraction.trim_end_matches('Z').len() == 3)
}

fn has_big_integers(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_some_and(|number| number.abs() > 9_007_199_254_740_991.0),
        Value::Array(items) => items.iter().any(has_big_integers),
        Value::Object(members) => members.values().any(has_big_integers),
        _ => false,
    }
}

/// The one member of an event or of the answer to a message that says what it is, where this client knows it.
///
/// # Errors
/// There is more than one.
pub(crate) fn payload(value: &Value) -> Result<Option<&str>, String> {
    let kinds = ["task", "message", "statusUpdate", "artifactUpdate"];
    let mut there = kinds.into_iter().filter(|kind| value.get(kind).is_some());
    match (there.next(), there.next()) {
        (Some(_), Some(_)) => Err("more than one of task, message, statusUpdate and artifactUpdate".to_owned()),
        (kind, _) => Ok(kind),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nulls_are_absent_and_unknown_members_no_trouble() {
        let task = json!({ "id": "t", "contextId": null, "new": 1, "status": { "state": 3, "message": null } });
        let read = message(task, "Task").unwrap();
        assert_eq!(read, json!({ "id": "t", "new": 1, "status": { "state": "TASK_STATE_COMPLETED" } }));
    }

    #[test]
    fn a_null_of_data_is_data() {
        assert_eq!(message(json!({ "data": null }), "Part").unwrap(), json!({ "data": null }));
    }

    #[test]
    fn what_nothing_can_be_made_of_is_an_error() {
        for wrong in [json!({ "status": {} }), json!({ "id": "t" }), json!({ "id": 1, "status": {} }), json!([])] {
            assert!(message(wrong.clone(), "Task").is_err(), "{wrong}");
        }
    }
}
