//! JSON pointers in which `*` stands for each item of a list.

use serde_json::Value;

/// Every value at `pointer`.
#[must_use]
pub fn at<'a>(value: &'a Value, pointer: &str) -> Vec<&'a Value> {
    let mut found = vec![value];
    for step in pointer.split('/').skip(1) {
        found = found
            .into_iter()
            .flat_map(|value| match (step, value) {
                ("*", Value::Array(items)) => items.iter().collect(),
                (_, Value::Object(members)) => members.get(step).into_iter().collect(),
                _ => Vec::new(),
            })
            .collect();
    }
    found
}

/// Calls `change` with every value at `pointer`, and says whether one of the calls changed something.
pub fn each(value: &mut Value, pointer: &str, change: &mut dyn FnMut(&mut Value) -> bool) -> bool {
    let Some(rest) = pointer.strip_prefix('/') else { return change(value) };
    let (step, rest) = rest.find('/').map_or((rest, ""), |end| (&rest[..end], &rest[end..]));
    match (step, value) {
        ("*", Value::Array(items)) => {
            // All of them, and not only up to the first that changes.
            items.iter_mut().filter_map(|item| each(item, rest, change).then_some(())).count() > 0
        }
        (_, Value::Object(members)) => members.get_mut(step).is_some_and(|member| each(member, rest, change)),
        _ => false,
    }
}

/// Removes every value at `pointer`, which ends in the name of a member.
pub fn remove(value: &mut Value, pointer: &str) -> bool {
    let (parent, name) = pointer.rsplit_once('/').unwrap_or(("", pointer));
    each(value, parent, &mut |parent| match parent {
        Value::Array(items) if name == "*" => items.pop().is_some(),
        Value::Object(members) => members.shift_remove(name).is_some(),
        _ => false,
    })
}

/// Puts `new` at `pointer`, with the objects on the way; a `*` is the first item of a list.
pub fn put(value: &mut Value, pointer: &str, new: Value) {
    let Some(rest) = pointer.strip_prefix('/') else {
        *value = new;
        return;
    };
    let (step, rest) = rest.find('/').map_or((rest, ""), |end| (&rest[..end], &rest[end..]));
    if step == "*" {
        if !value.is_array() {
            *value = Value::Array(Vec::new());
        }
        if let Value::Array(items) = value {
            if items.is_empty() {
                items.push(Value::Null);
            }
            put(&mut items[0], rest, new);
        }
        return;
    }
    if !value.is_object() {
        *value = Value::Object(serde_json::Map::new());
    }
    if let Value::Object(members) = value {
        put(members.entry(step.to_owned()).or_insert(Value::Null), rest, new);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_found_put_and_removed() {
        let mut value = json!({ "a": [{ "b": 1 }, { "b": 2 }, {}] });
        assert_eq!(at(&value, "/a/*/b"), [&json!(1), &json!(2)]);
        assert!(at(&value, "/a/b").is_empty());
        put(&mut value, "/a/*/c/*", json!("x"));
        assert_eq!(value["a"][0], json!({ "b": 1, "c": ["x"] }));
        assert!(remove(&mut value, "/a/*/b"));
        assert!(!remove(&mut value, "/a/*/b"));
        assert!(each(&mut value, "/a/*/c/*", &mut |text| {
            *text = json!("y");
            true
        }));
        assert_eq!(value["a"][0]["c"], json!(["y"]));
    }
}
