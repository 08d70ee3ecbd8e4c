//! One value over another: parameters of a case over the message of a trigger, a version over the one that it is like.

use serde_json::{Map, Value};

/// `patch` merged over `base` as RFC 7396 says: objects member by member, null removes, all else replaces.
pub fn merge(base: &mut Value, patch: &Value) {
    let Value::Object(changes) = patch else {
        *base = patch.clone();
        return;
    };
    if !base.is_object() {
        *base = Value::Object(Map::new());
    }
    let Value::Object(members) = base else { return };
    for (name, change) in changes {
        if change.is_null() {
            members.remove(name);
        } else {
            merge(members.entry(name.clone()).or_insert(Value::Null), change);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_patch_is_merged_member_by_member() {
        let mut base = json!({"message": {"messageId": "1", "parts": [1]}});
        merge(&mut base, &json!({"message": {"parts": [2], "messageId": null, "taskId": "t"}, "x": {"y": 1}}));
        assert_eq!(base, json!({"message": {"parts": [2], "taskId": "t"}, "x": {"y": 1}}));
    }
}
