//! Changes of a right request: the places that it has, and what can be put there.

use serde_json::{Value, json};

use crate::generate::{Choices, free};
use crate::profile::Type;

/// A place in a request.
#[derive(Debug, Clone)]
pub(super) struct Place<'a> {
    /// Where: a JSON pointer into the canonical parameters.
    pub pointer: String,
    /// What may stand there.
    types: Vec<Type<'a>>,
    /// Whether something stands there now.
    is_filled: bool,
    /// Whether not even what would hold it is there.
    is_deep: bool,
}

/// Something to do at a place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Change {
    /// What to put there; nothing: it is taken away.
    pub value: Option<Value>,
    /// The class that it has if the schema of the version agrees that it is wrong.
    pub class: &'static str,
}

/// The member that is for agents with tenants.
const TENANT: &str = "/tenant";
/// How many items a full list has, and the decisions of which a full object is made: many members, and as deep as it can be.
const MANY: usize = 64;
const FULL: [u8; 4] = [7, 0, 19, 0];
/// How many members deep a place may be of which nothing is there.
const DEEPEST_ABSENT: usize = 3;

/// The places of a request, those of absent members included, with what is in these.
pub(super) fn places<'a>(kind: Type<'a>, request: &Value) -> Vec<Place<'a>> {
    let mut found = Vec::new();
    walk((vec![kind], 0), Some(request), String::new(), &mut found);
    found.retain(|place| !place.pointer.is_empty());
    found
}

fn walk<'a>(
    (types, absent): (Vec<Type<'a>>, usize),
    value: Option<&Value>,
    pointer: String,
    found: &mut Vec<Place<'a>>,
) {
    let inner = |name: &str| {
        let types: Vec<Type<'a>> = types.iter().flat_map(|kind| kind.member(name)).collect();
        (!types.is_empty()).then(|| (types, format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))))
    };
    let names = || types.iter().flat_map(Type::names).collect::<std::collections::BTreeSet<_>>();
    match value {
        Some(Value::Object(members)) => {
            for name in names() {
                if let Some((types, pointer)) = inner(&name) {
                    walk((types, 0), members.get(&name), pointer, found);
                }
            }
        }
        Some(Value::Array(items)) if !items.is_empty() => {
            if let Some((types, pointer)) = inner("0") {
                walk((types, 0), items.first(), pointer, found);
            }
        }
        // What would hold it is made with it.
        None if absent < DEEPEST_ABSENT => {
            for name in names() {
                if let Some((types, pointer)) = inner(&name) {
                    walk((types, absent + 1), None, pointer, found);
                }
            }
        }
        _ => {}
    }
    found.push(Place { pointer, types, is_filled: value.is_some(), is_deep: absent > 1 });
}

/// What may stand at a place, by its JSON type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Takes {
    pub text: bool,
    pub number: bool,
    pub object: bool,
    pub list: bool,
}

impl Place<'_> {
    /// Whether what stands there has members of its own.
    pub fn has_members(&self) -> bool {
        self.types.iter().any(|kind| kind.takes(&json!({})) && !kind.takes(&json!("a2aspec")))
    }

    /// What may stand there, by its JSON type.
    pub fn takes(&self) -> Takes {
        let any = |value: Value| self.types.iter().any(|kind| kind.takes(&value));
        Takes { text: any(json!("a2aspec")), number: any(json!(7)), object: any(json!({})), list: any(json!([])) }
    }

    /// Whether every text may stand there.
    pub fn is_any_text(&self) -> bool {
        let has_values = self.types.iter().any(|kind| !kind.values().is_empty());
        !has_values && self.types.iter().any(|kind| kind.takes(&json!("a2aspec")))
    }

    /// All that can be done there, the simplest first.
    pub fn changes(&self) -> Vec<Change> {
        // What has much in it shows in one request what others show in many.
        let mut all: Vec<Change> =
            self.full().into_iter().map(|value| Change { value: Some(value), class: "open" }).collect();
        let mut put = |value: Value, class: &'static str| all.push(Change { value: Some(value), class });
        let values: Vec<String> = self.types.iter().flat_map(Type::values).collect();
        let is_known = !values.is_empty() || self.types.iter().any(Type::is_known);
        let takes = |value: &Value| self.types.iter().any(|kind| kind.takes(value));
        if is_known {
            let full = [json!({ "a2aspec": 1 }), json!(["a2aspec"])];
            let bare = [json!("a2aspec"), json!(7), json!(true), json!({}), json!([])];
            for value in full.into_iter().chain(bare) {
                if !takes(&value) {
                    put(value.clone(), if self.surely_refuses(&value) { "wrong-type" } else { "open" });
                }
            }
        }
        put(Value::Null, "open");
        if let Some(first) = values.first() {
            put(json!("A2ASPEC_UNKNOWN"), "unknown-value");
            put(json!(first.to_lowercase()), "open");
            put(json!(1), "open");
            put(json!(""), "open");
        } else if takes(&json!("a2aspec")) {
            texts().into_iter().for_each(|text| put(Value::String(text), "open"));
        }
        if takes(&json!(7)) {
            put(json!(-1), "negative");
            numbers().into_iter().for_each(|number| put(number, "open"));
        }
        if takes(&json!([])) {
            put(json!([]), "empty-list");
            put(json!([null]), "open");
            put(json!([[]]), "open");
        }
        if takes(&json!({})) {
            put(json!({ "a2aspecUnknown": { "deep": [1, null, "x"] } }), "open");
            put(json!({ "__proto__": { "a2aspec": true }, "constructor": null, "": 0 }), "open");
        }
        if !is_known {
            put(nested(64), "open");
            put(json!("a2aspec"), "open");
            put(json!(1e308), "open");
        }
        if self.is_filled {
            all.push(Change { value: None, class: "missing-member" });
        }
        // An agent looks at what it has a use for: not at the tenant where it has none, nor into what it refuses as a whole.
        if self.is_deep || self.pointer == TENANT {
            all.iter_mut().for_each(|change| change.class = "open");
        }
        all
    }

    /// A right value with much in it: characters of every script, values of every type, or many items.
    fn full(&self) -> Option<Value> {
        let takes = |value: &Value| self.types.iter().any(|kind| kind.takes(value));
        let has_names = self.types.iter().any(|kind| !kind.names().is_empty());
        if self.is_any_text() {
            return Some(json!(free::of_all(0)));
        }
        if takes(&json!({})) {
            return (!has_names).then(|| free::object_of_all(&mut Choices::new(&FULL)));
        }
        let mut items = self.types.iter().flat_map(|kind| kind.member("0"));
        let is_of_texts = takes(&json!([])) && items.any(|kind| kind.takes(&json!("a2aspec")));
        // One of them comes twice.
        let item = |number: usize| json!(format!("a2aspec{}", number % (MANY - 1)));
        is_of_texts.then(|| (0..MANY).map(item).collect())
    }

    /// Whether no reader takes such a value there, however lenient: some take a number for a text, a text that looks like a
    /// number for one, 1 for true, or an empty list for an empty object.
    fn surely_refuses(&self, value: &Value) -> bool {
        let wants = |value: Value| self.types.iter().any(|kind| kind.takes(&value));
        let wants_composed = wants(json!({})) || wants(json!([]));
        match value {
            Value::Object(members) => !members.is_empty(),
            Value::Array(items) => !items.is_empty(),
            Value::String(_) => !wants(json!("a2aspec")),
            Value::Number(_) | Value::Bool(_) => {
                wants_composed && !wants(json!("a2aspec")) && !wants(json!(7)) && !wants(json!(true))
            }
            Value::Null => false,
        }
    }
}

/// Texts at the edges of what texts are.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "",
        " ",
        "\0",
        "a\u{0}b",
        "\u{feff}a2aspec",
        "\u{202e}txet",
        "e\u{301}",
        "\u{1f469}\u{200d}\u{1f680}",
        "\u{ffff}",
        "line\nbreak\r\n\tdata: x\n\n",
        "../../etc/passwd",
        "%00%2e%2e%2f",
        "' OR '1'='1",
        "{{7*7}}<script>alert(1)</script>",
        "%s%n%x",
        "null",
        "1e400",
        "9999-12-31T23:59:60Z",
        "0000-00-00T00:00:00Z",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.push("x".repeat(10_000));
    texts
}

/// Numbers at the edges of what readers hold.
fn numbers() -> Vec<Value> {
    vec![
        json!(0),
        json!(1),
        json!(100),
        json!(101),
        json!(1_000_000),
        json!(i32::MAX),
        json!(2_147_483_648_u64),
        json!(9_007_199_254_740_993_u64),
        json!(i64::MAX),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(-0.0),
        json!(1.5),
        json!(1e300),
    ]
}

/// Arrays in arrays.
fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(1), |inner, _| json!([inner]))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fuzz::request;
    use crate::profile::{self, Operation};

    /// The JSON type of what a change puts.
    fn kind(value: Option<&Value>) -> &'static str {
        match value {
            None => "nothing",
            Some(Value::Null) => "null",
            Some(Value::Bool(_)) => "boolean",
            Some(Value::Number(_)) => "number",
            Some(Value::String(_)) => "string",
            Some(Value::Array(_)) => "array",
            Some(Value::Object(_)) => "object",
        }
    }

    /// Every member that a type has, in whatever form, so many members deep.
    fn members(types: &[Type<'_>], pointer: &str, left: usize, found: &mut std::collections::BTreeSet<String>) {
        let names = types.iter().flat_map(Type::names).collect::<std::collections::BTreeSet<_>>();
        for name in names.into_iter().filter(|_| left > 0) {
            let inner: Vec<Type<'_>> = types.iter().flat_map(|kind| kind.member(&name)).collect();
            if !inner.is_empty() {
                let pointer = format!("{pointer}/{name}");
                members(&inner, &pointer, left - 1, found);
                found.insert(pointer);
            }
        }
    }

    /// There is no list of exceptions: each member of each request is taken away where it is there, and has a value of each JSON type,
    /// be it right or wrong there; and where a type is known that is right, values of no list are made of it.
    #[test]
    fn every_member_of_every_request_is_changed_in_every_way() {
        let mut pairs = std::collections::BTreeSet::new();
        for profile in profile::bundled().unwrap() {
            for (operation, facts) in &profile.facts.operations {
                let Some(params) = facts.params.as_deref() else { continue };
                for dialect in profile.dialects.values() {
                    let request = request::rich(&profile, dialect, *operation, "hi");
                    let found = places(Type::Named(dialect, params), &request);
                    let mut all = std::collections::BTreeSet::new();
                    members(&[Type::Named(dialect, params)], "", DEEPEST_ABSENT, &mut all);
                    for pointer in all {
                        let place = found.iter().find(|place| place.pointer == pointer);
                        assert!(place.is_some(), "{} {operation}: {pointer} is never changed", profile.name());
                    }
                    for place in &found {
                        let changes = place.changes();
                        let mut kinds: std::collections::BTreeSet<&str> =
                            changes.iter().map(|change| kind(change.value.as_ref())).collect();
                        let takes = place.takes();
                        let free = [
                            (takes.text, "string"),
                            (takes.number, "number"),
                            (takes.object, "object"),
                            (takes.list, "array"),
                        ];
                        kinds.extend(free.iter().filter(|(takes, _)| *takes).map(|(_, kind)| *kind));
                        for wanted in ["null", "number", "string", "array", "object"] {
                            assert!(
                                kinds.contains(wanted),
                                "{} {operation}: no {wanted} at {}",
                                profile.name(),
                                place.pointer
                            );
                        }
                        assert!(!place.is_filled || kinds.contains("nothing"));
                        pairs.extend(kinds.iter().map(|kind| (*operation, place.pointer.clone(), *kind)));
                    }
                }
            }
        }
        assert!(pairs.len() > 700, "{}", pairs.len());
    }

    #[test]
    fn the_places_of_a_message_are_found_with_what_fits_there() {
        let profiles = profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
        let dialect = &profile.dialects["json"];
        let request = request::rich(profile, dialect, Operation::SendMessage, "hi");
        let found = places(Type::Named(dialect, "SendMessageRequest"), &request);
        let at = |pointer: &str| found.iter().find(|place| place.pointer == pointer);
        for pointer in ["/message", "/message/role", "/message/parts/0/text", "/message/parts/0/url", "/configuration"]
        {
            assert!(
                at(pointer).is_some(),
                "{pointer} is not among {:?}",
                found.iter().map(|at| &at.pointer).collect::<Vec<_>>()
            );
        }
        for pointer in
            ["/message/taskId", "/message/contextId", "/tenant", "/configuration/taskPushNotificationConfig/url"]
        {
            assert!(at(pointer).is_some(), "{pointer}");
        }
        let classes = |pointer: &str, value: Option<Value>| {
            let mut changes = at(pointer).unwrap().changes().into_iter();
            changes.find(|change| change.value == value).map(|change| change.class)
        };
        assert_eq!(classes("/message/role", Some(json!(["a2aspec"]))), Some("wrong-type"));
        assert_eq!(classes("/message/role", Some(json!({}))), Some("open"));
        assert_eq!(classes("/message/role", Some(json!(7))), Some("open"));
        assert_eq!(classes("/message/role", Some(json!("A2ASPEC_UNKNOWN"))), Some("unknown-value"));
        assert_eq!(classes("/message/parts", Some(json!("a2aspec"))), Some("wrong-type"));
        assert_eq!(classes("/message/parts", Some(json!([]))), Some("empty-list"));
        assert_eq!(classes("/message/parts", None), Some("missing-member"));
        assert_eq!(classes("/configuration/returnImmediately", Some(json!(7))), Some("open"));
        assert_eq!(classes("/configuration/historyLength", Some(json!("a2aspec"))), Some("wrong-type"));
        assert_eq!(classes("/message/metadata", Some(json!(7))), Some("wrong-type"));
    }
}
