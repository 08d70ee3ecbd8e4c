//! What a canonical value can be made of: the members, items and values of its type, as a dialect and its schemas tell.
//!
//! Enters: a [`Dialect`] and the name of a canonical type. Leaves: a [`Type`], which is asked for one member after the
//! other. Knows no values of agents: it is for texts that people write, such as the pointers of cases, so a member of
//! which nobody has told is none, although an agent may send it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::shape::{Field, Shape};
use super::{Dialect, Schemas};

/// What may stand at a place of a canonical value.
#[derive(Debug, Clone)]
pub enum Type<'a> {
    /// A value of the canonical type of this name.
    Named(&'a Dialect, &'a str),
    /// What a schema of the wire describes, where canonical values do not differ from it.
    Schema(&'a Schemas, &'a Value),
    /// An array of such values.
    List(Box<Type<'a>>),
    /// What the wire type of this name describes, where canonical values do not differ from it.
    Defined(&'a Schemas, &'a str),
    /// An object that is none of the protocol's: what it is called, and its members.
    Record(&'static str, Vec<(&'static str, Type<'a>)>),
    /// An object whose members have any name.
    Map(Box<Type<'a>>),
    /// A string.
    Text,
    /// A number.
    Number,
    /// Anything.
    Any,
}

impl<'a> Type<'a> {
    /// An array of the canonical type.
    pub fn list(dialect: &'a Dialect, kind: &'a str) -> Self {
        Self::List(Box::new(Self::Named(dialect, kind)))
    }

    /// Whether anything is known of it.
    pub fn is_known(&self) -> bool {
        match self {
            Self::Any => false,
            Self::List(item) => item.is_known(),
            Self::Defined(schemas, kind) => schemas.has(kind),
            Self::Named(dialect, kind) => {
                let is_shaped = dialect.types.get(*kind).is_some_and(|shape| !shape.is_plain());
                is_shaped || dialect.schemas.has(dialect.wire_type(kind))
            }
            _ => true,
        }
    }

    /// What may stand under a name, or at an index; nothing where there is no such place.
    pub fn member(&self, name: &str) -> Vec<Self> {
        let is_index = name.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty();
        match self {
            Self::Named(dialect, kind) => {
                let found: Vec<Self> = forms(dialect, kind).iter().flat_map(|form| form.member(name)).collect();
                let is_shaped = dialect.types.get(*kind).is_some_and(|shape| !shape.is_plain());
                if found.is_empty() && !is_shaped { Self::facets_of(dialect, kind).member(name) } else { found }
            }
            Self::Schema(schemas, schema) => Facets::of(schemas, schema).member(name),
            Self::List(item) => is_index.then(|| (**item).clone()).into_iter().collect(),
            Self::Defined(schemas, kind) => Facets::of_wire(schemas, kind).member(name),
            Self::Record(_, members) => {
                members.iter().filter(|(known, _)| *known == name).map(|(_, member)| member.clone()).collect()
            }
            Self::Map(member) => vec![(**member).clone()],
            Self::Any => vec![Self::Any],
            Self::Text | Self::Number => Vec::new(),
        }
    }

    /// The names that [`Self::member`] knows; none where it knows no names, or any will do.
    pub fn names(&self) -> BTreeSet<String> {
        match self {
            Self::Named(dialect, kind) => forms(dialect, kind).iter().flat_map(Form::names).collect(),
            Self::Schema(schemas, schema) => Facets::of(schemas, schema).names().map(str::to_owned).collect(),
            Self::Defined(schemas, kind) => Facets::of_wire(schemas, kind).names().map(str::to_owned).collect(),
            Self::Record(_, members) => members.iter().map(|(name, _)| (*name).to_owned()).collect(),
            Self::List(_) | Self::Map(_) | Self::Text | Self::Number | Self::Any => BTreeSet::new(),
        }
    }

    /// What each item is, where it is an array.
    pub fn items(&self) -> Vec<Self> {
        match self {
            Self::List(_) | Self::Any => self.member("0"),
            Self::Schema(schemas, schema) => Facets::of(schemas, schema).items(),
            _ => Vec::new(),
        }
    }

    /// The values of which it is one, where it is an enumeration.
    pub fn values(&self) -> Vec<String> {
        let strings = |facets: Facets<'a>| facets.values.into_iter().filter_map(Value::as_str).map(str::to_owned);
        match self {
            Self::Schema(schemas, schema) => strings(Facets::of(schemas, schema)).collect(),
            Self::Named(dialect, kind) => {
                let of_schema = strings(Self::facets_of(dialect, kind));
                let shape = dialect.types.get(*kind);
                let Some((shape, spelled)) = shape.and_then(|shape| Some((shape, shape.values.as_ref()?))) else {
                    return of_schema.collect();
                };
                let is_spelled =
                    |wire: &String| spelled.values().chain(shape.also.values().flatten()).any(|known| known == wire);
                spelled.keys().cloned().chain(of_schema.filter(|wire| !is_spelled(wire))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether a value is of its JSON type; of null, which stands for nothing, other rules say where it may be.
    pub fn takes(&self, value: &Value) -> bool {
        match self {
            _ if value.is_null() => true,
            Self::Any => true,
            Self::Text => value.is_string(),
            Self::Number => value.is_number(),
            Self::List(_) => value.is_array(),
            Self::Record(..) | Self::Map(_) => value.is_object(),
            Self::Defined(schemas, kind) => Facets::of_wire(schemas, kind).takes(value),
            Self::Schema(schemas, schema) => Facets::of(schemas, schema).takes(value),
            Self::Named(dialect, kind) => match dialect.types.get(*kind) {
                Some(shape) if shape.values.is_some() => value.is_string(),
                Some(shape) if !shape.is_plain() => value.is_object(),
                _ => Self::facets_of(dialect, kind).takes(value),
            },
        }
    }

    /// What it is called: the name of its type, or what kind of value it is.
    pub fn name(&self) -> String {
        match self {
            Self::Named(_, kind) | Self::Defined(_, kind) => (*kind).to_owned(),
            Self::Record(name, _) => (*name).to_owned(),
            Self::List(item) => format!("array of {}", item.name()),
            Self::Map(_) => "object".to_owned(),
            Self::Text => "string".to_owned(),
            Self::Number => "number".to_owned(),
            Self::Any => "value".to_owned(),
            Self::Schema(schemas, schema) => match reference(schema) {
                Some(name) => name.to_owned(),
                None => {
                    let facets = Facets::of(schemas, schema);
                    let kinds: Vec<&str> = facets.types.iter().copied().filter(|kind| *kind != "null").collect();
                    match (facets.values.is_empty(), kinds.is_empty()) {
                        (false, _) => "string".to_owned(),
                        (_, true) => "value".to_owned(),
                        _ => kinds.join(" or "),
                    }
                }
            },
        }
    }

    fn facets_of(dialect: &'a Dialect, kind: &'a str) -> Facets<'a> {
        Facets::of_wire(&dialect.schemas, dialect.wire_type(kind))
    }
}

impl Dialect {
    /// The canonical types of which it says anything, or names as those of members.
    pub fn kinds(&self) -> BTreeSet<&str> {
        let shapes = self.types.values().flat_map(|shape| shape.forms.iter().chain([shape]));
        let named = shapes.flat_map(|shape| {
            let choices = shape.choices.iter().flatten().flat_map(|choice| choice.fields.values());
            let fields = choices.chain(shape.fields.values()).flat_map(|field| [&field.kind, &field.list]).flatten();
            let variants =
                shape.variants.iter().flat_map(|variants| variants.iter().map(|(_, variant)| variant.kind()));
            fields.map(String::as_str).chain(variants).chain(shape.bare_list.as_ref().map(|list| list.of.as_str()))
        });
        self.types.keys().map(String::as_str).chain(named).collect()
    }
}

impl Shape {
    /// Whether it tells nothing of members.
    fn is_plain(&self) -> bool {
        self.forms.is_empty()
            && self.variants.is_none()
            && self.choices.is_none()
            && self.bare_list.is_none()
            && self.fields.is_empty()
            && self.names.is_empty()
    }
}

/// One form of a type: its shape, where it has one, and the wire schema of it.
struct Form<'a> {
    dialect: &'a Dialect,
    shape: &'a Shape,
    wire: Facets<'a>,
}

/// What no dialect says anything of.
static PLAIN: std::sync::LazyLock<Shape> = std::sync::LazyLock::new(Shape::default);

fn forms<'a>(dialect: &'a Dialect, kind: &'a str) -> Vec<Form<'a>> {
    let whole = dialect.types.get(kind).unwrap_or(&PLAIN);
    let wire = |shape: &'a Shape| {
        let name = shape.schema.as_deref().or(whole.schema.as_deref()).unwrap_or(kind);
        Form { dialect, shape, wire: Facets::of_wire(&dialect.schemas, name) }
    };
    if whole.forms.is_empty() { vec![wire(whole)] } else { whole.forms.iter().map(wire).collect() }
}

impl<'a> Form<'a> {
    fn member(&self, name: &str) -> Vec<Type<'a>> {
        let shape = self.shape;
        if let Some(variants) = &shape.variants {
            let known = variants.iter().find(|(member, _)| *member == name);
            return known.map(|(_, variant)| Type::Named(self.dialect, variant.kind())).into_iter().collect();
        }
        if let Some(list) = &shape.bare_list {
            return (list.member == name).then(|| Type::list(self.dialect, &list.of)).into_iter().collect();
        }
        let mut found = Vec::new();
        for (inside, fields) in self.levels() {
            if let Some((known, field)) = fields.get_key_value(name) {
                found.extend(self.field(inside, known, field));
            }
        }
        let mut composed = shape.names.values().flat_map(|template| template.members());
        if found.is_empty() && composed.any(|member| member == name) {
            found.push(Type::Text);
        }
        if found.is_empty() && self.others().any(|other| other == name) {
            found.push(Type::Any);
        }
        if found.is_empty() && !self.is_of_the_wire(name) {
            found = self.wire.member(name);
        }
        found
    }

    fn names(&self) -> Vec<String> {
        let shape = self.shape;
        if let Some(variants) = &shape.variants {
            return variants.iter().map(|(member, _)| member.to_owned()).collect();
        }
        if let Some(list) = &shape.bare_list {
            return vec![list.member.clone()];
        }
        let fields = self.levels().flat_map(|(_, fields)| fields.keys().map(String::as_str));
        let wire = self.wire.names().filter(|name| !self.is_of_the_wire(name));
        fields.chain(self.others()).chain(wire).map(str::to_owned).collect()
    }

    /// The fields that differ, with the path of the object that holds them on the wire.
    fn levels(&self) -> impl Iterator<Item = (Option<&'a str>, &'a std::collections::BTreeMap<String, Field>)> {
        let shape = self.shape;
        let choices = shape.choices.iter().flatten().map(|choice| (choice.inside.as_deref(), &choice.fields));
        choices.chain([(shape.inside.as_deref(), &shape.fields)])
    }

    /// Canonical members that the form knows, and of whose values it tells nothing.
    fn others(&self) -> impl Iterator<Item = &'a str> {
        let shape = self.shape;
        let moved = shape.moves.iter().filter_map(|moved| moved.from.split('/').next());
        let composed = shape.names.values().flat_map(|template| template.members());
        let placeless = shape.lacks.iter().chain(&shape.drops).map(String::as_str);
        let chosen = shape.choices.iter().flatten().map(|choice| choice.member.as_str());
        let chosen = chosen.filter(|member| !self.wire.names().any(|name| name == *member));
        moved.chain(composed).chain(placeless).chain(chosen)
    }

    /// Whether a name is one that only the wire has: a tag, a member that holds others, or one that is called otherwise here.
    fn is_of_the_wire(&self, name: &str) -> bool {
        let shape = self.shape;
        let tags = shape.choices.iter().flatten().filter_map(|choice| choice.tag.as_ref()).chain(&shape.tag);
        let holders = shape.insides().chain(shape.names.keys().map(String::as_str));
        let moved = shape.moves.iter().map(|moved| moved.to.as_str());
        let mut heads = holders.chain(moved).filter_map(|path| path.split('/').next());
        let renamed = |(canonical, field): (&String, &Field)| canonical != name && field.wire_name(canonical) == name;
        tags.into_iter().any(|tag| tag.name == name)
            || heads.any(|head| head == name)
            || self.levels().any(|(inside, fields)| inside.is_none() && fields.iter().any(renamed))
    }

    fn field(&self, inside: Option<&str>, name: &str, field: &'a Field) -> Vec<Type<'a>> {
        if field.number || field.epoch.is_some() {
            return vec![Type::Text];
        }
        let is_known = |kind: &str| {
            self.dialect.types.contains_key(kind) || self.dialect.schemas.has(self.dialect.wire_type(kind))
        };
        if let Some(kind) = field.kind.as_deref().filter(|kind| is_known(kind)) {
            return vec![Type::Named(self.dialect, kind)];
        }
        if let Some(kind) = &field.list {
            return vec![Type::list(self.dialect, kind)];
        }
        let path = inside.into_iter().flat_map(|inside| inside.split('/')).chain([field.wire_name(name)]);
        let mut here = vec![];
        for (depth, step) in path.enumerate() {
            here = match depth {
                0 => self.wire.member(step),
                _ => here.iter().flat_map(|held: &Type<'a>| held.member(step)).collect(),
            };
        }
        match field.single {
            true => here.iter().flat_map(Type::items).collect(),
            false if here.is_empty() => vec![Type::Any],
            false => here,
        }
    }
}

/// What a schema says of a value, all of its alternatives put together.
#[derive(Debug, Default)]
struct Facets<'a> {
    schemas: Option<&'a Schemas>,
    is_any: bool,
    types: BTreeSet<&'a str>,
    values: Vec<&'a Value>,
    properties: Vec<(&'a str, &'a Value)>,
    items: Vec<&'a Value>,
    additional: Vec<&'a Value>,
}

impl<'a> Facets<'a> {
    fn of(schemas: &'a Schemas, schema: &'a Value) -> Self {
        let mut facets = Self { schemas: Some(schemas), ..Self::default() };
        facets.add(schema);
        facets
    }

    /// Those of a wire type; of one without a schema nothing is known, so that anything will do.
    fn of_wire(schemas: &'a Schemas, kind: &str) -> Self {
        match schemas.definitions().get(kind) {
            Some(schema) => Self::of(schemas, schema),
            None => Self { is_any: true, ..Self::default() },
        }
    }

    fn add(&mut self, schema: &'a Value) {
        let Value::Object(keywords) = schema else {
            self.is_any |= schema == &Value::Bool(true);
            return;
        };
        self.is_any |= keywords.keys().all(|keyword| keyword == "description");
        for (keyword, said) in keywords {
            match keyword.as_str() {
                "$ref" => {
                    let name = reference(schema);
                    let target = self.schemas.zip(name).and_then(|(all, name)| all.definitions().get(name));
                    target.into_iter().for_each(|target| self.add(target));
                }
                "type" => self.types.extend(texts(said)),
                "enum" => self.values.extend(said.as_array().into_iter().flatten()),
                "const" => self.values.push(said),
                "properties" => {
                    let members = said.as_object().into_iter().flatten();
                    self.properties.extend(members.map(|(name, schema)| (name.as_str(), schema)));
                }
                "items" => self.items.push(said),
                "additionalProperties" if said != &Value::Bool(false) => self.additional.push(said),
                "allOf" | "anyOf" | "oneOf" => said.as_array().into_iter().flatten().for_each(|one| self.add(one)),
                "then" | "else" => self.add(said),
                "if" => self.types.extend(said.get("type").into_iter().flat_map(texts)),
                _ => {}
            }
        }
    }

    fn member(&self, name: &str) -> Vec<Type<'a>> {
        let Some(schemas) = self.schemas else { return vec![Type::Any] };
        let is_index = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        let named = self.properties.iter().filter(|(known, _)| *known == name).map(|(_, schema)| *schema);
        let mut found: Vec<&Value> = named.filter(|schema| says_something(schema)).collect();
        if found.is_empty() {
            found.extend(&self.additional);
        }
        if is_index {
            found.extend(&self.items);
        }
        let is_open = self.is_any || self.holds_anything("object") && self.properties.is_empty();
        let is_open = is_open || is_index && self.holds_anything("array") && self.items.is_empty();
        match found.is_empty() && is_open {
            true => vec![Type::Any],
            false => found.into_iter().map(|schema| Type::Schema(schemas, schema)).collect(),
        }
    }

    fn items(&self) -> Vec<Type<'a>> {
        let Some(schemas) = self.schemas else { return vec![Type::Any] };
        match self.is_any || self.items.is_empty() && self.types.contains("array") {
            true => vec![Type::Any],
            false => self.items.iter().map(|schema| Type::Schema(schemas, schema)).collect(),
        }
    }

    fn holds_anything(&self, kind: &str) -> bool {
        self.types.contains(kind) && self.additional.is_empty()
    }

    fn names(&self) -> impl Iterator<Item = &'a str> {
        self.properties.iter().map(|(name, _)| *name)
    }

    fn takes(&self, value: &Value) -> bool {
        if self.is_any || self.types.is_empty() && self.values.is_empty() {
            return true;
        }
        let is = |kind: &&str| match *kind {
            "string" => value.is_string(),
            "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => value.is_null(),
        };
        self.types.iter().any(is) || !self.values.is_empty() && value.is_string()
    }
}

/// Whether a schema tells what a value is, and not only what it is not.
fn says_something(schema: &Value) -> bool {
    match schema {
        Value::Object(keywords) => keywords.keys().any(|keyword| keyword != "not"),
        other => other != &Value::Bool(false),
    }
}

/// The name of the type to which a schema refers.
fn reference(schema: &Value) -> Option<&str> {
    let held = schema.get("$ref").or_else(|| schema.get("else")?.get("$ref"));
    held?.as_str()?.strip_prefix("#/$defs/")
}

/// A string, or those of an array.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    }
}

impl Dialect {
    /// Whether the version tells of a place, a JSON Pointer, in values of a canonical type. A type of which nothing is known
    /// tells of no place.
    pub fn tells_of(&self, kind: &str, place: &str) -> bool {
        let whole = Type::Named(self, kind);
        if !whole.is_known() {
            return false;
        }
        let mut found = vec![whole];
        for name in place.split('/').skip(1) {
            found = found.iter().flat_map(|kind| kind.member(name)).collect();
        }
        !found.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::profile::bundled;

    /// What stands at a path of a canonical type of a dialect, as `name` or `name: its members`; empty where nothing does.
    fn at(profile: &str, dialect: &str, kind: &str, path: &str) -> String {
        let profiles = bundled().unwrap();
        let profile = profiles.iter().find(|known| known.name() == profile).unwrap();
        let mut here = vec![Type::Named(&profile.dialects[dialect], kind)];
        for name in path.split('/').filter(|name| !name.is_empty()) {
            here = here.iter().flat_map(|held| held.member(name)).collect();
        }
        let mut names: Vec<String> = here.iter().map(Type::name).collect();
        names.dedup();
        names.join(" | ")
    }

    #[test]
    fn members_lead_to_their_types() {
        let rows = [
            ("1.0", "json", "SendMessageResponse", "task/artifacts/0/parts/1/raw", "string"),
            ("1.0", "json", "Task", "artefacts", ""),
            ("1.0", "json", "Task", "artifacts", "array of Artifact"),
            ("1.0", "json", "Task", "artifacts/first", ""),
            ("1.0", "json", "Task", "id/x", ""),
            ("1.0", "json", "Task", "metadata/any/thing", "value"),
            ("1.0", "json", "Part", "data/0/x", "value"),
            ("1.0", "json", "AgentCard", "securitySchemes/mine/apiKeySecurityScheme/location", "string"),
            ("1.0", "json", "AgentCard", "capabilities/extensions/0/params/x/y", "value"),
            ("1.0", "json", "Message", "extensions/0", "string"),
            ("1.0", "json", "TaskStatus", "state", "TaskState"),
            ("1.0", "json", "TaskStatus", "timestamp", "string"),
            // Members are called as in A2A 1.0, whatever the wire calls them; what the version has besides passes unchanged.
            ("0.3", "json", "SendMessageConfiguration", "returnImmediately", "boolean"),
            ("0.3", "json", "SendMessageConfiguration", "blocking", ""),
            ("0.3", "json", "StreamResponse", "statusUpdate/final", "boolean"),
            ("0.3", "json", "StreamResponse", "statusUpdate/kind", ""),
            ("0.3", "json", "Part", "raw", "string"),
            ("0.3", "json", "Part", "file", ""),
            ("0.3", "json", "Part", "mediaType", "string"),
            ("0.3", "json", "Part", "text", "string"),
            ("0.3", "json", "TaskPushNotificationConfig", "authentication/scheme", "string"),
            ("0.3", "json", "GetTaskPushNotificationConfigRequest", "pushNotificationConfigId", ""),
            ("0.3", "json", "GetTaskPushNotificationConfigRequest", "taskId", "string"),
            ("0.3", "proto", "Message", "parts/0/raw", "string"),
            ("0.3", "proto", "GetTaskRequest", "id", "string"),
            ("0.3", "proto", "GetTaskRequest", "name", ""),
            ("0.3", "json", "ListTaskPushNotificationConfigsResponse", "configs/0/url", "string"),
            ("0.1", "json", "SendMessageRequest", "message/contextId", "value"),
            ("0.1", "json", "SendMessageRequest", "sessionId", ""),
            ("1.0-draft", "json", "StreamResponse", "artifactUpdate/artifact/parts", "array of Part"),
        ];
        for (profile, dialect, kind, path, wanted) in rows {
            assert_eq!(at(profile, dialect, kind, path), wanted, "{profile} {dialect} {kind} {path}");
        }
    }

    #[test]
    fn values_are_canonical() {
        let profiles = bundled().unwrap();
        for profile in &profiles {
            for dialect in profile.dialects.values() {
                let states = Type::Named(dialect, "TaskState").values();
                assert!(states.contains(&"TASK_STATE_CANCELED".to_owned()), "{} {states:?}", profile.name());
                assert!(
                    !states.iter().any(|state| state == "canceled" || state == "TASK_STATE_CANCELLED"),
                    "{states:?}"
                );
            }
        }
    }

    #[test]
    fn a_version_tells_of_places() {
        let rows = [
            ("1.0", "ListTasksRequest", "/historyLength", true),
            ("1.0", "SendMessageRequest", "/configuration/historyLength", true),
            ("1.0", "ListTasksRequest", "/none", false),
            ("0.3", "GetTaskRequest", "/historyLength", true),
            // No schema describes it, so nothing is known of its members.
            ("0.3", "ListTasksRequest", "/historyLength", false),
        ];
        let profiles = bundled().unwrap();
        for (name, kind, place, wanted) in rows {
            let profile = profiles.iter().find(|profile| profile.name() == name).unwrap();
            assert_eq!(profile.dialects["json"].tells_of(kind, place), wanted, "{name} {kind} {place}");
        }
    }

    #[test]
    fn values_have_the_type_of_their_place() {
        let profiles = bundled().unwrap();
        let dialect = &profiles.last().unwrap().dialects["json"];
        let takes = |kind: &'static str, name: &str, value: Value| {
            Type::Named(dialect, kind).member(name).iter().any(|held| held.takes(&value))
        };
        assert!(takes("GetTaskRequest", "id", json!("a")));
        assert!(!takes("GetTaskRequest", "id", json!(5)));
        assert!(takes("GetTaskRequest", "historyLength", json!(5)));
        assert!(!takes("GetTaskRequest", "historyLength", json!("5")));
        assert!(!takes("SendMessageRequest", "message", json!("hello")));
        assert!(takes("Part", "data", json!([1])));
        assert!(takes("TaskStatus", "state", json!("TASK_STATE_WORKING")));
        assert!(!takes("TaskStatus", "state", json!(3)));
        assert!(
            dialect.kinds().is_superset(&["Task", "Artifact", "Timestamp", "Bytes"].into()),
            "{:?}",
            dialect.kinds()
        );
    }
}
