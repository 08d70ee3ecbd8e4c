//! The operations and members of A2A 1.0, read from its public protobuf definition.

use std::path::Path;
use std::sync::OnceLock;

use prost_reflect::{DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, Value};

/// How deep members are followed.
const DEEPEST: usize = 6;

/// An operation.
#[derive(Debug, Clone)]
pub struct Operation {
    /// Its name, which is its method over JSON-RPC.
    pub name: String,
    /// Its verb over HTTP+JSON.
    pub verb: String,
    /// Its path over HTTP+JSON, such as `/tasks/{id}:cancel`.
    pub path: String,
    /// Whether its answer is a stream.
    pub is_stream: bool,
    /// The members of its request.
    pub asked: Vec<Member>,
    /// The members of its answer, or of each event.
    pub answered: Vec<Member>,
}

/// A member of a request or of an answer.
#[derive(Debug, Clone)]
pub struct Member {
    /// A JSON pointer, with `*` for each item of a list.
    pub pointer: String,
    /// What is in it.
    pub kind: MemberKind,
    /// Whether the definition requires it.
    pub is_required: bool,
}

/// What is in a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberKind {
    /// A text.
    Text,
    /// Binary data, as base64.
    Bytes,
    /// A 32-bit integer.
    Int,
    /// A boolean.
    Flag,
    /// One of these names.
    Enum(Vec<String>),
    /// A timestamp.
    Time,
    /// Any JSON object (`true`), or any JSON value.
    Free(bool),
    /// A list.
    List,
    /// An object with members of its own.
    Object,
}

impl Operation {
    /// The operation of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        all().iter().find(|operation| operation.name == name)
    }
}

/// Every operation, in the order of the definition.
#[allow(clippy::expect_used, reason = "the definition is a part of the repository")]
pub fn all() -> &'static [Operation] {
    static ALL: OnceLock<Vec<Operation>> = OnceLock::new();
    ALL.get_or_init(|| read().expect("the definition of A2A 1.0 is read"))
}

fn read() -> Result<Vec<Operation>, Box<dyn std::error::Error>> {
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    let mut compiler = protox::Compiler::new([schemas.join("1.0"), schemas])?;
    compiler.include_imports(true).open_file("a2a.proto")?;
    let pool = DescriptorPool::decode(compiler.encode_file_descriptor_set().as_slice())?;
    let service = pool.services().next().ok_or("there is no service")?;
    service
        .methods()
        .map(|method| {
            let route = extension(&pool, &method.options(), "google.api.http").ok_or("an operation has no route")?;
            let route = route.as_message().ok_or("a route is a message")?.clone();
            let verb = ["get", "post", "delete"].into_iter().find(|verb| route.has_field_by_name(verb));
            let verb = verb.ok_or("a route has a verb")?;
            let path = route.get_field_by_name(verb).and_then(|path| path.as_str().map(str::to_owned));
            let members = |message: &MessageDescriptor| {
                let mut members = Vec::new();
                collect(&pool, message, "", 0, &mut members);
                members
            };
            Ok(Operation {
                name: method.name().to_owned(),
                verb: verb.to_uppercase(),
                path: path.ok_or("a route has a path")?,
                is_stream: method.is_server_streaming(),
                asked: members(&method.input()),
                answered: members(&method.output()),
            })
        })
        .collect()
}

/// The value of an option that an extension defines.
fn extension(pool: &DescriptorPool, options: &DynamicMessage, name: &str) -> Option<Value> {
    let extension = pool.get_extension_by_name(name)?;
    options.has_extension(&extension).then(|| options.get_extension(&extension).into_owned())
}

fn collect(pool: &DescriptorPool, message: &MessageDescriptor, at: &str, depth: usize, into: &mut Vec<Member>) {
    for field in message.fields().filter(|field| !field.is_map()) {
        let pointer = format!("{at}/{}", field.json_name());
        let is_required = is_required(pool, &field);
        let mut item = pointer.clone();
        if field.is_list() {
            into.push(Member { pointer, kind: MemberKind::List, is_required });
            item.push_str("/*");
        }
        let kind = kind(&field);
        let is_required = is_required && !field.is_list();
        let inner = (kind == MemberKind::Object).then(|| field.kind());
        into.push(Member { pointer: item.clone(), kind, is_required });
        if let Some(Kind::Message(inner)) = inner
            && depth < DEEPEST
        {
            collect(pool, &inner, &item, depth + 1, into);
        }
    }
}

fn is_required(pool: &DescriptorPool, field: &FieldDescriptor) -> bool {
    let behaviour = extension(pool, &field.options(), "google.api.field_behavior");
    // REQUIRED is 2.
    behaviour
        .is_some_and(|list| list.as_list().is_some_and(|list| list.iter().any(|one| one.as_enum_number() == Some(2))))
}

fn kind(field: &FieldDescriptor) -> MemberKind {
    match field.kind() {
        Kind::Bool => MemberKind::Flag,
        Kind::Bytes => MemberKind::Bytes,
        Kind::Int32 => MemberKind::Int,
        Kind::Enum(names) => MemberKind::Enum(names.values().map(|value| value.name().to_owned()).collect()),
        Kind::Message(message) => match message.full_name() {
            "google.protobuf.Timestamp" => MemberKind::Time,
            "google.protobuf.Struct" => MemberKind::Free(true),
            "google.protobuf.Value" => MemberKind::Free(false),
            _ => MemberKind::Object,
        },
        _ => MemberKind::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_read() {
        assert_eq!(all().len(), 11);
        let send = Operation::named("SendMessage").unwrap();
        assert_eq!((send.verb.as_str(), send.path.as_str()), ("POST", "/message:send"));
        let has = |members: &[Member], pointer: &str, kind: MemberKind| {
            members.iter().any(|member| member.pointer == pointer && member.kind == kind)
        };
        assert!(has(&send.asked, "/message/parts/*/text", MemberKind::Text));
        assert!(has(&send.asked, "/message/parts/*/data", MemberKind::Free(false)));
        assert!(has(&send.asked, "/configuration/historyLength", MemberKind::Int));
        assert!(has(&send.answered, "/task/status/timestamp", MemberKind::Time));
        assert!(send.asked.iter().any(|member| member.pointer == "/message/messageId" && member.is_required));
        assert!(Operation::named("SubscribeToTask").unwrap().is_stream);
    }
}
