//! What must hold of the dialects for every value that a conversation may carry.

use std::collections::BTreeSet;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::read::child;
use super::*;
use crate::profile::bundled;
use crate::profile::shape::{Epoch, Field};

/// A value of one canonical type, valid in every version that has the type.
type Values = BoxedStrategy<Value>;

/// Members, each there or not; `None` of the strategy leaves it out.
macro_rules! object {
    ($($name:literal: $value:expr),* $(,)?) => {{
        let members: Vec<BoxedStrategy<Option<(String, Value)>>> =
            vec![$(IntoMember::member($value, $name)),*];
        members.prop_map(|members| Value::Object(members.into_iter().flatten().collect())).boxed()
    }};
}

/// A member that is always there, or one that may be missing.
trait IntoMember {
    fn member(self, name: &'static str) -> BoxedStrategy<Option<(String, Value)>>;
}

impl IntoMember for Values {
    fn member(self, name: &'static str) -> BoxedStrategy<Option<(String, Value)>> {
        self.prop_map(move |value| Some((name.to_owned(), value))).boxed()
    }
}

/// See [`maybe`].
struct Maybe(Values);

impl IntoMember for Maybe {
    fn member(self, name: &'static str) -> BoxedStrategy<Option<(String, Value)>> {
        option::of(self.0).prop_map(move |value| value.map(|value| (name.to_owned(), value))).boxed()
    }
}

fn maybe(value: Values) -> Maybe {
    Maybe(value)
}

/// Text, now and then such as to trip whoever takes it for syntax.
fn text() -> Values {
    prop_oneof![4 => "[a-z]{1,6}", 1 => "\\PC{0,6}", 1 => Just("~/${a}\n".to_owned())].prop_map(Value::from).boxed()
}

fn flag() -> Values {
    any::<bool>().prop_map(Value::from).boxed()
}

fn count() -> Values {
    (1..=100_i32).prop_map(Value::from).boxed()
}

fn texts() -> Values {
    list(text())
}

fn list(item: Values) -> Values {
    vec(item, 1..3).prop_map(Value::from).boxed()
}

/// Free-form data: its members may be called like those that a dialect renames, and must be left alone.
fn free() -> Values {
    let leaf = prop_oneof![text(), flag(), count(), Just(Value::Null)];
    let name = prop_oneof![
        "[a-z]{1,3}",
        "[~/]{1,3}",
        Just("kind".to_owned()),
        Just("raw".to_owned()),
        Just("returnImmediately".to_owned()),
        Just("state".to_owned()),
    ];
    let inner = prop_oneof![leaf.clone(), vec(leaf, 0..2).prop_map(Value::from)];
    btree_map(name, inner, 0..3).prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())).boxed()
}

fn timestamp() -> Values {
    (0..60_u8).prop_map(|second| json!(format!("2026-01-31T12:00:{second:02}.000Z"))).boxed()
}

fn url() -> Values {
    "[a-z]{1,6}".prop_map(|path| json!(format!("http://agent.example/{path}"))).boxed()
}

fn role() -> Values {
    prop_oneof![Just(json!("ROLE_USER")), Just(json!("ROLE_AGENT"))].boxed()
}

fn state() -> Values {
    let states =
        ["SUBMITTED", "WORKING", "INPUT_REQUIRED", "COMPLETED", "CANCELED", "FAILED", "REJECTED", "AUTH_REQUIRED"];
    proptest::sample::select(states.to_vec()).prop_map(|state| json!(format!("TASK_STATE_{state}"))).boxed()
}

fn part() -> Values {
    let base64 = || prop_oneof![Just(json!("")), Just(json!("aGk=")), Just(json!("AAECAw=="))].boxed();
    prop_oneof![
        object! { "text": text(), "metadata": maybe(free()) },
        object! { "raw": base64(), "filename": maybe(text()), "mediaType": maybe(text()), "metadata": maybe(free()) },
        object! { "url": url(), "filename": maybe(text()), "mediaType": maybe(text()), "metadata": maybe(free()) },
        object! { "data": free(), "metadata": maybe(free()) },
    ]
    .boxed()
}

fn message() -> Values {
    object! {
        "messageId": text(), "role": role(), "parts": list(part()), "taskId": maybe(text()),
        "contextId": maybe(text()), "metadata": maybe(free()), "extensions": maybe(texts()),
        "referenceTaskIds": maybe(texts()),
    }
}

fn message_for_a_task() -> Values {
    let named = |(mut message, id): (Value, Value)| {
        message.as_object_mut().unwrap().entry("taskId").or_insert(id);
        message
    };
    (message(), text()).prop_map(named).boxed()
}

fn artifact() -> Values {
    object! {
        "artifactId": text(), "parts": list(part()), "name": maybe(text()), "description": maybe(text()),
        "metadata": maybe(free()), "extensions": maybe(texts()),
    }
}

fn status() -> Values {
    object! { "state": state(), "message": maybe(message()), "timestamp": maybe(timestamp()) }
}

fn task() -> Values {
    object! {
        "id": text(), "contextId": text(), "status": status(), "artifacts": maybe(list(artifact())),
        "history": maybe(list(message())), "metadata": maybe(free()),
    }
}

/// `final` is a member of 0.3 that 1.0 does not know, and as such passes unchanged.
fn status_update() -> Values {
    object! {
        "taskId": text(), "contextId": text(), "status": status(), "final": flag(), "metadata": maybe(free()),
    }
}

fn artifact_update() -> Values {
    object! {
        "taskId": text(), "contextId": text(), "artifact": artifact(), "append": maybe(flag()),
        "lastChunk": maybe(flag()), "metadata": maybe(free()),
    }
}

fn authentication() -> Values {
    object! { "scheme": text(), "credentials": maybe(text()) }
}

fn push_config() -> Values {
    object! {
        "url": url(), "id": maybe(text()), "token": maybe(text()), "authentication": maybe(authentication()),
    }
}

/// With an id: the proto of 0.3 names a configuration by its task and its id, or not at all.
fn task_push_config() -> Values {
    object! {
        "taskId": text(), "url": url(), "id": text(), "token": maybe(text()),
        "authentication": maybe(authentication()),
    }
}

fn configuration() -> Values {
    object! {
        "acceptedOutputModes": maybe(texts()), "historyLength": maybe(count()), "returnImmediately": maybe(flag()),
        "taskPushNotificationConfig": maybe(push_config()),
    }
}

fn stream_response() -> Values {
    prop_oneof![
        object! { "task": task() },
        object! { "message": message() },
        object! { "statusUpdate": status_update() },
        object! { "artifactUpdate": artifact_update() },
    ]
    .boxed()
}

/// A value of every canonical type, by its name.
fn every_type() -> Vec<(&'static str, Values)> {
    let send_answer = prop_oneof![object! { "task": task() }, object! { "message": message() }].boxed();
    let of_config = || object! { "taskId": text(), "id": text() };
    vec![
        ("Role", role()),
        ("TaskState", state()),
        ("Part", part()),
        ("Message", message()),
        ("Artifact", artifact()),
        ("TaskStatus", status()),
        ("Task", task()),
        ("TaskStatusUpdateEvent", status_update()),
        ("TaskArtifactUpdateEvent", artifact_update()),
        ("SendMessageResponse", send_answer),
        ("StreamResponse", stream_response()),
        ("AuthenticationInfo", authentication()),
        ("PushNotificationConfig", push_config()),
        ("TaskPushNotificationConfig", task_push_config()),
        ("TaskPushNotificationConfigIfAny", task_push_config()),
        ("CreateTaskPushNotificationConfigRequest", task_push_config()),
        ("SendMessageConfiguration", configuration()),
        (
            "SendMessageRequest",
            // Where clients make the ids of tasks, every message that is sent has one.
            object! { "message": message_for_a_task(), "configuration": maybe(configuration()), "metadata": maybe(free()) },
        ),
        ("GetTaskRequest", object! { "id": text(), "historyLength": maybe(count()) }),
        ("CancelTaskRequest", object! { "id": text(), "metadata": maybe(free()) }),
        ("SubscribeToTaskRequest", object! { "id": text() }),
        (
            "ListTasksRequest",
            object! {
                "contextId": maybe(text()), "status": maybe(state()), "pageSize": maybe(count()),
                "statusTimestampAfter": maybe(timestamp()), "includeArtifacts": maybe(flag()),
            },
        ),
        (
            "ListTasksResponse",
            object! { "tasks": list(task()), "nextPageToken": text(), "pageSize": count(), "totalSize": count() },
        ),
        ("GetTaskPushNotificationConfigRequest", of_config()),
        ("DeleteTaskPushNotificationConfigRequest", of_config()),
        ("ListTaskPushNotificationConfigsRequest", object! { "taskId": text() }),
        ("ListTaskPushNotificationConfigsResponse", object! { "configs": list(task_push_config()) }),
    ]
}

/// A value of any type, with the name of the type.
fn anything() -> impl Strategy<Value = (&'static str, Value)> {
    let all = every_type().into_iter().map(|(kind, values)| values.prop_map(move |value| (kind, value)).boxed());
    proptest::strategy::Union::new(all.collect::<Vec<_>>())
}

/// A value of a type in every dialect that has it, as the dialect can express it, with words to name the dialect by.
fn in_dialects(kind: &str, value: &Value) -> Vec<(String, Arc<Dialect>, Value)> {
    let all = dialects_with(kind).into_iter();
    let expressed = all.filter_map(|(name, dialect)| {
        let value = expressible(&dialect, kind, value.clone());
        // A union may have fewer members in one version than in another.
        let variants = dialect.types.get(kind).and_then(|shape| shape.written().variants.as_ref());
        let is_known = variants.is_none_or(|known| known.iter().any(|(member, _)| value.get(member).is_some()));
        is_known.then_some((name, dialect, value))
    });
    expressed.collect()
}

/// Every dialect that has a type, with words to name it by.
fn dialects_with(kind: &str) -> Vec<(String, Arc<Dialect>)> {
    let profiles = bundled().unwrap();
    let all = profiles.iter().flat_map(|profile| {
        profile
            .dialects
            .values()
            .map(move |dialect| (format!("{} {}", profile.name(), dialect.name), Arc::clone(dialect)))
    });
    all.filter(|(_, dialect)| dialect.types.contains_key(kind) || dialect.schemas.has(kind)).collect()
}

/// What comes back of a value: a bare list has no place for what stands beside it, what a
/// version lacks is gone, and what it demands is there.
fn expressible(dialect: &Dialect, kind: &str, mut value: Value) -> Value {
    let shape = dialect.types.get(kind).map(Shape::written);
    let list = shape.and_then(|shape| shape.bare_list.as_ref());
    if let (Some(list), Value::Object(members)) = (list, &mut value) {
        members.retain(|name, _| *name == list.member);
    }
    let Some(shape) = shape else { return value };
    if let (Some(values), Some(name)) = (&shape.values, value.as_str()) {
        // Any value will do for one that the version does not have.
        let known = values.get_key_value(name).or_else(|| values.first_key_value());
        return known.map_or_else(|| value.clone(), |(name, _)| Value::from(name.clone()));
    }
    if let Value::Object(members) = &mut value {
        // What stands elsewhere is not gone with what held it.
        let moved: Vec<(&str, Value)> = shape
            .moves
            .iter()
            .filter_map(|moved| {
                let value = paths::take(members, &moved.from)?;
                let kind = moved.kind.as_deref();
                Some((moved.from.as_str(), kind.map_or(value.clone(), |kind| expressible(dialect, kind, value))))
            })
            .collect();
        members.retain(|name, _| !shape.lacks.contains(name) && !shape.drops.contains(name));
        for (name, field) in &shape.fields {
            match (members.get_mut(name), &field.default) {
                (Some(inner), _) => *inner = expressible_field(dialect, field, inner.take()),
                (None, Some(default)) => {
                    members.insert(name.clone(), default.clone());
                }
                _ => {}
            }
        }
        for (path, value) in moved {
            paths::put(members, path, value);
        }
        for (name, kind) in told_apart(shape) {
            if let Some(inner) = members.get_mut(&name) {
                *inner = expressible(dialect, &kind, inner.take());
            }
        }
    }
    value
}

/// The members of a union, with their types.
fn told_apart(shape: &Shape) -> Vec<(String, String)> {
    let all = shape.variants.iter().flat_map(|variants| variants.iter());
    all.map(|(member, variant)| (member.to_owned(), variant.kind().to_owned())).collect()
}

fn expressible_field(dialect: &Dialect, field: &Field, value: Value) -> Value {
    match (&field.kind, &field.list, value) {
        // Any text stands for a number, so that every version may be tried with texts.
        (_, _, Value::String(text)) if field.number => Value::from(text.len().to_string()),
        (Some(kind), _, value) => expressible(dialect, kind, value),
        (_, Some(kind), Value::Array(items)) => {
            items.into_iter().map(|item| expressible(dialect, kind, item)).collect()
        }
        (_, _, value) => value,
    }
}

/// Pointers to every value in a value, with the values.
fn places(value: &Value) -> Vec<(String, &Value)> {
    let mut found = vec![(String::new(), value)];
    let children: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    for (name, child_value) in children {
        let prefix = child("", &name);
        found.extend(places(child_value).into_iter().map(|(place, value)| (format!("{prefix}{place}"), value)));
    }
    found
}

#[test]
fn every_type_of_every_dialect_is_tried() {
    // Spellings of single strings, which the dialects pass unchanged.
    let plain = BTreeSet::from(["Timestamp", "Bytes"]);
    let tried: BTreeSet<&str> = every_type().into_iter().map(|(kind, _)| kind).collect();
    for profile in bundled().unwrap() {
        let own = profile.dialects.values().flat_map(|dialect| dialect.types.keys().map(String::as_str));
        let spoken = profile.facts.operations.values().flat_map(|facts| [&facts.params, &facts.result]);
        let is_card = |kind: &&str| kind.contains("AgentCard");
        for kind in own.chain(spoken.flatten().map(String::as_str)).filter(|kind| !is_card(kind)) {
            assert!(tried.contains(kind) || plain.contains(kind), "{}: {kind}", profile.name());
        }
    }
}

#[test]
fn what_must_be_sent_is_sent_and_is_the_cards_own_where_it_has_one() {
    let dialect = dialect_of(
        "Settings: { fields: { modes: { as: outputModes, default: [text/plain], default-from: /modes }, wait: {} } }",
    );
    let sent = |dialect: &Dialect, value: Value| dialect.to_wire("Settings", &value);
    assert_eq!(sent(&dialect, json!({ "wait": true })), json!({ "wait": true, "outputModes": ["text/plain"] }));
    assert_eq!(sent(&dialect, json!({ "modes": [] })), json!({ "outputModes": [] }));
    assert_eq!(sent(&dialect, json!("none")), json!("none"));

    let own = dialect.for_card(&json!({ "modes": ["image/png"] })).unwrap();
    assert_eq!(sent(&own, json!({})), json!({ "outputModes": ["image/png"] }));
    for card in [json!({}), json!({ "modes": [] }), json!({ "modes": "text/plain" })] {
        assert!(dialect.for_card(&card).is_none(), "{card}");
    }
}

/// A dialect of these types, without schemas.
fn dialect_of(types: &str) -> Dialect {
    let schemas = Arc::new(Schemas::read("none", r#"{ "$defs": {} }"#).unwrap());
    Dialect { name: "json".to_owned(), types: crate::yaml::read("types", types).unwrap(), schemas, nulls_absent: false }
}

/// The same where null is as good as nothing.
fn without_nulls_of(types: &str) -> Dialect {
    Dialect { nulls_absent: true, ..dialect_of(types) }
}

/// A dialect whose streams have bare objects without tags.
fn untagged() -> Dialect {
    dialect_of(
        r#"
        Event:
          variants:
            task: { type: Task, has: [status], lacks: [taskId] }
            message: { type: Message, has: [parts] }
            statusUpdate: { type: TaskStatusUpdateEvent, has: [status, taskId] }
            artifactUpdate: { type: TaskArtifactUpdateEvent, has: [artifact] }
        Task: { fields: { id: { as: taskName } } }"#,
    )
}

#[test]
fn what_lacks_a_required_member_is_still_told_and_what_is_nothing_known_is_unread() {
    let dialect = untagged();
    let reading = dialect.from_wire("Event", json!({ "status": {}, "taskName": "t" }));
    assert_eq!(*reading.value, json!({ "task": { "status": {}, "id": "t" } }));
    assert_eq!(reading.origin("/task/id"), "/taskName");
    let kinds: Vec<&str> = reading.sites.iter().map(|site| site.kind.as_str()).collect();
    assert_eq!(kinds, ["Event", "Task"]);
    let wrapped = json!({ "task": { "status": {} } });
    assert_eq!(*dialect.from_wire("Event", wrapped.clone()).value, json!({ "unread": wrapped }));
}

#[test]
fn each_form_is_read_and_the_first_is_written() {
    let dialect = dialect_of(
        r#"
        Config:
          forms:
            - { inside: push, names: { name: "tasks/{taskId}" }, fields: { url: {} } }
            - { schema: Push, fields: { url: {} } }
        Configs:
          schema: List
          forms: [{ fields: { configs: { list: Config } } }, { schema: Bare, bare-list: { member: configs, of: Config } }]
        Answer:
          forms: [{ variants: { task: { type: Task, has: [status] } } }, { fields: { task: { type: Task } } }]
        Task: { fields: {} }"#,
    );
    let read = |kind: &str, wire: Value| {
        let reading = dialect.from_wire(kind, wire);
        let schema = dialect.wire_type_at(&reading.sites[0]).to_owned();
        (Value::clone(&reading.value), reading.sites[0].form, schema)
    };
    let config = json!({ "taskId": "t", "url": "u" });
    assert_eq!(dialect.to_wire("Config", &config), json!({ "name": "tasks/t", "push": { "url": "u" } }));
    assert_eq!(read("Config", dialect.to_wire("Config", &config)), (config.clone(), 0, "Config".to_owned()));
    assert_eq!(read("Config", json!({ "url": "u" })), (json!({ "url": "u" }), 1, "Push".to_owned()));
    assert_eq!(read("Config", json!("u")), (json!("u"), 0, "Config".to_owned()));

    let list = json!({ "configs": [config] });
    assert_eq!(read("Configs", dialect.to_wire("Configs", &list)), (list, 0, "List".to_owned()));
    let mixed = json!([{ "url": "u" }, { "push": { "url": "v" } }]);
    let both = json!({ "configs": [{ "url": "u" }, { "url": "v" }] });
    assert_eq!(read("Configs", mixed), (both, 1, "Bare".to_owned()));
    assert_eq!(read("Configs", json!({})), (json!({}), 0, "List".to_owned()));

    for (wire, form) in [(json!({ "status": {} }), 0), (json!({ "task": { "status": {} } }), 1)] {
        assert_eq!(read("Answer", wire), (json!({ "task": { "status": {} } }), form, "Answer".to_owned()));
    }
}

#[test]
fn an_enumeration_reads_other_spellings_and_writes_its_own() {
    let dialect = dialect_of("State: { enum: { CANCELED: cancelled }, also: { CANCELED: [canceled] } }");
    for spelling in ["cancelled", "canceled", "CANCELED"] {
        assert_eq!(*dialect.from_wire("State", json!(spelling)).value, json!("CANCELED"));
    }
    assert_eq!(dialect.to_wire("State", &json!("CANCELED")), json!("cancelled"));
}

#[test]
fn what_cannot_be_composed_is_sent_as_it_is_where_it_stands_alone() {
    let dialect = dialect_of("Get: { names: { name: 'tasks/{id}', parent: '{id}/of/{taskId}' } }");
    assert_eq!(dialect.to_wire("Get", &json!({ "id": { "value": 1 } })), json!({ "name": { "value": 1 } }));
    assert_eq!(dialect.to_wire("Get", &json!({})), json!({}));
}

#[test]
fn a_member_may_stand_at_another_depth() {
    let types = r#"
        State: { enum: { STATE_DONE: done } }
        Request:
          moves:
            - { from: message/taskId, to: id }
            - { from: configuration/state, to: wanted/state, type: State }
          drops: [configuration]"#;
    let dialect = without_nulls_of(types);
    let sent = json!({
        "message": { "taskId": "t", "parts": [] }, "configuration": { "state": "STATE_DONE", "wait": true }, "more": 1,
    });
    let wire = json!({ "message": { "parts": [] }, "more": 1, "id": "t", "wanted": { "state": "done" } });
    assert_eq!(dialect.to_wire("Request", &sent), wire);

    let read = dialect.from_wire("Request", wire);
    let canonical = json!({
        "message": { "taskId": "t", "parts": [] }, "configuration": { "state": "STATE_DONE" }, "more": 1, "wanted": {},
    });
    assert_eq!(*read.value, canonical);
    let places = [
        ("/message/taskId", "/id"),
        ("/message/parts", "/message/parts"),
        ("/configuration/state", "/wanted/state"),
        ("/configuration", ""),
    ];
    for (canonical, wire) in places {
        assert_eq!(read.origin(canonical), wire, "{canonical}");
    }
    assert!(read.sites.contains(&Site { kind: "State".to_owned(), pointer: "/wanted/state".to_owned(), form: 0 }));
}

/// Nothing is lost, and nothing invented, where an object is not what it should be.
#[test]
fn what_stands_in_the_way_of_a_move_stays_as_it_is() {
    let dialect = without_nulls_of("Request: { moves: [{ from: message/taskId, to: id }] }");
    for same in [json!({ "message": "text" }), json!({ "message": "text", "id": "t" }), json!([]), json!({})] {
        assert_eq!(*dialect.from_wire("Request", same.clone()).value, same);
    }
    assert_eq!(dialect.to_wire("Request", &json!({ "message": "text" })), json!({ "message": "text" }));
    assert_eq!(*dialect.from_wire("Request", json!({ "id": null })).value, json!({}));
}

#[test]
fn a_text_may_be_a_number_on_the_wire() {
    let dialect = dialect_of(r#"Artifact: { fields: { artifactId: { as: index, number: true, absent: "0" } } }"#);
    for (canonical, wire) in
        [("0", json!(0)), ("12", json!(12)), ("-1", json!(-1)), ("01", json!("01")), ("a", json!("a"))]
    {
        let canonical = json!({ "artifactId": canonical });
        assert_eq!(dialect.to_wire("Artifact", &canonical), json!({ "index": wire }));
        assert_eq!(*dialect.from_wire("Artifact", json!({ "index": wire })).value, canonical);
    }
    assert_eq!(*dialect.from_wire("Artifact", json!({ "index": 1.5 })).value, json!({ "artifactId": 1.5 }));

    let unset = dialect.from_wire("Artifact", json!({ "name": "n" }));
    assert_eq!(*unset.value, json!({ "name": "n", "artifactId": "0" }));
    assert_eq!(unset.origin("/artifactId"), "");
    assert_eq!(dialect.to_wire("Artifact", &json!({ "name": "n" })), json!({ "name": "n" }));
}

#[test]
fn null_may_be_as_good_as_nothing() {
    let types = r#"
        File:
          choices:
            - { member: raw, tag: { name: type, value: file }, inside: file, fields: { raw: { as: bytes } } }
            - { member: url, tag: { name: type, value: file }, inside: file, fields: { url: { as: uri } } }
        Task: { fields: { files: { list: File }, status: { type: Status } } }"#;
    let wire = json!({
        "id": null, "status": { "message": null }, "metadata": { "key": null },
        "files": [{ "type": "file", "file": { "bytes": null, "uri": "u" }, "metadata": null }, null],
    });
    let read = without_nulls_of(types).from_wire("Task", wire.clone());
    let wanted = json!({ "status": {}, "metadata": { "key": null }, "files": [{ "url": "u" }, null] });
    assert_eq!(*read.value, wanted);
    assert_eq!(*read.wire, wire);
    assert_eq!(dialect_of(types).from_wire("Task", wire).value.get("id"), Some(&Value::Null));
}

#[test]
fn what_has_no_place_is_told_and_not_sent() {
    let profiles = bundled().unwrap();
    let dialect =
        profiles.iter().find(|profile| profile.name() == "0.2.1").and_then(|it| it.dialects.get("json")).unwrap();
    let (kind, of_config) = ("GetTaskPushNotificationConfigRequest", json!({ "taskId": "t", "id": "c" }));
    assert_eq!(dialect.without_place(kind, &of_config), Some("id"));
    assert_eq!(dialect.to_wire(kind, &of_config), json!({ "id": "t" }));
    assert_eq!(dialect.without_place(kind, &json!({ "taskId": "t" })), None);
    assert_eq!(dialect.without_place("DeleteTaskPushNotificationConfigRequest", &of_config), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back((kind, value) in anything()) {
        for (name, dialect, value) in in_dialects(kind, &value) {
            let wire = dialect.to_wire(kind, &value);
            let read = dialect.from_wire(kind, wire.clone());
            prop_assert_eq!(&*read.value, &value, "{} {}: {}", name, kind, wire);
        }
    }

    #[test]
    fn bare_objects_are_told_by_their_members(value in stream_response()) {
        let dialect = untagged();
        let wire = dialect.to_wire("Event", &value);
        let read = dialect.from_wire("Event", wire.clone());
        prop_assert_eq!(&*read.value, &value, "{}", wire);
    }

    #[test]
    fn what_is_written_keeps_the_schema((kind, value) in anything()) {
        for (name, dialect, value) in in_dialects(kind, &value) {
            let wire = dialect.to_wire(kind, &value);
            let wrong = dialect.violations(kind, &wire);
            prop_assert!(wrong.is_empty(), "{name} {kind}: {wire}: {wrong:#?}");
            let inferred = dialect.from_wire(kind, wire).inferred;
            prop_assert!(inferred.is_empty(), "{name} {kind}: {inferred:?}");
        }
    }

    /// Findings point into the bytes: the place of a canonical value must hold what it was read from.
    #[test]
    fn an_origin_is_where_the_value_came_from((kind, value) in anything()) {
        for (name, dialect, value) in in_dialects(kind, &value) {
            let wire = dialect.to_wire(kind, &value);
            let reading = dialect.from_wire(kind, wire.clone());
            for (place, here) in places(&reading.value) {
                let origin = reading.origin(&place);
                let Some(there) = wire.pointer(&origin) else {
                    return Err(TestCaseError::fail(format!("{name} {kind}: {place} -> {origin}: {wire}")));
                };
                let came_from = match here {
                    // Unions, tags and nesting change objects and lists, not what is in them.
                    Value::Object(_) | Value::Array(_) => there.is_object() || there.is_array(),
                    Value::Bool(is) => there == here || (place.ends_with("/returnImmediately") && there == &json!(!is)),
                    Value::String(name) => {
                        let spelled = ["Role", "TaskState"].iter().any(|kind| &dialect.to_wire(kind, here) == there);
                        // A composed name holds it among other things.
                        let composed = there.as_str().is_some_and(|text| text.ends_with(name) || text.contains(&format!("{name}/")));
                        let digits = name.parse().is_ok_and(|number: i64| *there == number);
                        let counted = Epoch::Milliseconds.timestamp(there) == *here;
                        there == here || spelled || counted || there == &json!([name]) || composed || digits
                    }
                    _ => there == here,
                };
                prop_assert!(came_from, "{name} {kind}: {place} ({here}) -> {origin} ({there}): {wire}");
            }
        }
    }

    /// What an agent sends may be anything; reading it must neither panic nor lose a place.
    #[test]
    fn anything_at_all_can_be_read(
        (_, value) in anything(),
        kind in proptest::sample::select(every_type().into_iter().map(|(kind, _)| kind).collect::<Vec<_>>()),
    ) {
        for (name, dialect) in dialects_with(kind) {
            let reading = dialect.from_wire(kind, value.clone());
            for site in &reading.sites {
                prop_assert!(value.pointer(&site.pointer).is_some(), "{name} {kind}: {site:?}");
            }
            let _ = dialect.to_wire(kind, &value);
        }
    }
}
