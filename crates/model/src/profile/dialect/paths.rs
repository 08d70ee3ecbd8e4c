//! Members of objects by path, such as `message/taskId`.

use serde_json::{Map, Value};

/// The members of one object.
type Members = Map<String, Value>;

/// Puts a value at a path of members, making the objects on the way; gives it back where something else stands in the way.
pub(super) fn put(members: &mut Members, path: &str, value: Value) -> Option<Value> {
    let Some((first, rest)) = path.split_once('/') else {
        members.insert(path.to_owned(), value);
        return None;
    };
    match members.entry(first.to_owned()).or_insert_with(|| Value::Object(Map::new())) {
        Value::Object(inner) => put(inner, rest, value),
        _ => Some(value),
    }
}

/// Takes what stands at a path out of the members; the objects on the way stay.
pub(super) fn take(members: &mut Members, path: &str) -> Option<Value> {
    match path.split_once('/') {
        Some((first, rest)) => take(members.get_mut(first)?.as_object_mut()?, rest),
        None => members.shift_remove(path),
    }
}

/// The members without those that are null, and without the null ones of the objects at `insides`.
pub(super) fn without_nulls<'a>(members: &Members, insides: impl Iterator<Item = &'a str>) -> Members {
    let mut kept = members.clone();
    kept.retain(|_, value| !value.is_null());
    for inside in insides {
        let mut holder = Some(&mut kept);
        for name in inside.split('/') {
            holder = holder.and_then(|holder| holder.get_mut(name)).and_then(Value::as_object_mut);
        }
        if let Some(holder) = holder {
            holder.retain(|_, value| !value.is_null());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn members(value: Value) -> Members {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn what_is_put_is_taken_again() {
        let mut own = members(json!({ "a": { "b": 1 }, "text": "t" }));
        assert_eq!(put(&mut own, "a/c/d", json!(2)), None);
        assert_eq!(Value::Object(own.clone()), json!({ "a": { "b": 1, "c": { "d": 2 } }, "text": "t" }));
        assert_eq!(put(&mut own, "text/d", json!(3)), Some(json!(3)));
        assert_eq!((take(&mut own, "a/c/d"), take(&mut own, "a/c/d")), (Some(json!(2)), None));
        assert_eq!((take(&mut own, "text/d"), take(&mut own, "none/d")), (None, None));
        assert_eq!(Value::Object(own), json!({ "a": { "b": 1, "c": {} }, "text": "t" }));
    }

    #[test]
    fn nulls_go_where_members_are_known() {
        let own = members(json!({ "a": null, "file": { "b": null, "in": { "c": null } }, "data": { "d": null } }));
        let kept = without_nulls(&own, ["file", "none/at/all"].into_iter());
        assert_eq!(Value::Object(kept), json!({ "file": { "in": { "c": null } }, "data": { "d": null } }));
        let kept = without_nulls(&own, ["file/in"].into_iter());
        assert_eq!(Value::Object(kept), json!({ "file": { "b": null, "in": {} }, "data": { "d": null } }));
    }
}
