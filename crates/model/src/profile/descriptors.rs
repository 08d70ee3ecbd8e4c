//! The messages and rpcs of a version that has a proto.

use prost_reflect::{
    DescriptorPool, DynamicMessage, ExtensionDescriptor, MessageDescriptor, MethodDescriptor, ServiceDescriptor, Value,
};

use prost_reflect::prost::Message as _;
use prost_reflect::{DeserializeOptions, SerializeOptions};
use serde_json::Value as Json;

use super::Profile;
use super::facts::{Operation, OperationFacts};

/// The gRPC service of one version, with every message that it speaks of.
#[derive(Debug)]
pub struct Descriptors {
    service: ServiceDescriptor,
    http: Option<ExtensionDescriptor>,
    behavior: Option<ExtensionDescriptor>,
}

/// One HTTP binding of an rpc, as `google.api.http` gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// HTTP method.
    pub verb: String,
    /// Path with fields in braces, by their names in the proto.
    pub path: String,
}

/// `REQUIRED` of `google.api.FieldBehavior`.
const REQUIRED: i32 = 2;

impl Profile {
    /// The bytes of an operation's message over gRPC, of parameters as ProtoJSON.
    ///
    /// # Errors
    /// The version has no such rpc, or the message no place for something.
    pub fn write_message(&self, operation: Operation, params: &Json) -> Result<Vec<u8>, String> {
        let kind = self.input(operation)?;
        let name = kind.name().to_owned();
        let strict = DeserializeOptions::new().deny_unknown_fields(true);
        let message = DynamicMessage::deserialize_with_options(kind, params, &strict);
        message.map(|message| message.encode_to_vec()).map_err(|error| format!("{name}: {error}"))
    }

    /// The parameters in the bytes of an operation's message over gRPC, as ProtoJSON; nothing where they have no such form, as a
    /// time in the year 30000.
    ///
    /// # Errors
    /// The version has no such rpc, or the bytes are no message of it.
    pub fn read_message(&self, operation: Operation, bytes: &[u8]) -> Result<Option<Json>, String> {
        let message = DynamicMessage::decode(self.input(operation)?, bytes).map_err(|error| error.to_string())?;
        let options = SerializeOptions::new().skip_default_fields(true);
        Ok(message.serialize_with_options(serde_json::value::Serializer, &options).ok())
    }

    fn input(&self, operation: Operation) -> Result<MessageDescriptor, String> {
        let rpc =
            self.descriptors.as_ref().zip(self.operation(operation)).and_then(|(all, facts)| all.rpc(operation, facts));
        rpc.map(|rpc| rpc.input()).ok_or_else(|| format!("there is no rpc for {operation}"))
    }
}

impl Descriptors {
    /// Reads an encoded `google.protobuf.FileDescriptorSet`.
    ///
    /// # Errors
    /// A set that cannot be read, or that lacks the service: mistakes of ours.
    pub fn read(bytes: &[u8], service: &str) -> Result<Self, String> {
        let pool = DescriptorPool::decode(bytes).map_err(|error| error.to_string())?;
        let service = pool.get_service_by_name(service).ok_or_else(|| format!("the proto has no service {service}"))?;
        let http = pool.get_extension_by_name("google.api.http");
        let behavior = pool.get_extension_by_name("google.api.field_behavior");
        Ok(Self { service, http, behavior })
    }

    /// The rpc of an operation.
    pub fn rpc(&self, operation: Operation, facts: &OperationFacts) -> Option<MethodDescriptor> {
        let name = facts.rpc.clone().unwrap_or_else(|| operation.to_string());
        self.service.methods().find(|method| method.name() == name)
    }

    /// A message of the service's package.
    pub fn message(&self, name: &str) -> Option<MessageDescriptor> {
        let file = self.service.parent_file();
        self.service.parent_pool().get_message_by_name(&format!("{}.{name}", file.package_name()))
    }

    /// The path of an rpc of this name: `/package.Service/Name`.
    pub fn path(&self, name: &str) -> String {
        format!("/{}/{name}", self.service.full_name())
    }

    /// The HTTP bindings of an rpc, the main one first; field names are those of JSON.
    pub fn annotations(&self, rpc: &MethodDescriptor) -> Vec<Annotation> {
        let options = rpc.options();
        let Some(rule) = self.http.as_ref().filter(|http| options.has_extension(http)) else { return Vec::new() };
        let rule = options.get_extension(rule);
        let Some(main) = rule.as_message() else { return Vec::new() };
        let others = main.get_field_by_name("additional_bindings");
        let others = others.as_deref().and_then(Value::as_list).unwrap_or_default();
        let rules = std::iter::once(main).chain(others.iter().filter_map(Value::as_message));
        rules.filter_map(|rule| annotation(rpc, rule)).collect()
    }

    /// Whether a field must be set (`google.api.field_behavior`).
    pub fn is_required(&self, field: &prost_reflect::FieldDescriptor) -> bool {
        let options = field.options();
        let Some(behavior) = self.behavior.as_ref().filter(|behavior| options.has_extension(behavior)) else {
            return false;
        };
        let values = options.get_extension(behavior);
        values.as_list().unwrap_or_default().iter().any(|value| value.as_enum_number() == Some(REQUIRED))
    }
}

fn annotation(rpc: &MethodDescriptor, rule: &DynamicMessage) -> Option<Annotation> {
    let (verb, path) = ["get", "put", "post", "delete", "patch"].into_iter().find_map(|verb| {
        let path = rule.get_field_by_name(verb)?.as_str().filter(|path| !path.is_empty())?.to_owned();
        Some((verb.to_ascii_uppercase(), path))
    })?;
    let input = rpc.input();
    let path = input.fields().fold(path, |path, field| {
        path.replace(&format!("{{{}}}", field.name()), &format!("{{{}}}", field.json_name()))
    });
    Some(Annotation { verb, path })
}
