//! The messages and rpcs of a version that has a proto.

use prost_reflect::{
    DescriptorPool, DynamicMessage, ExtensionDescriptor, MessageDescriptor, MethodDescriptor, ServiceDescriptor, Value,
};

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
pub(crate) struct Annotation {
    /// HTTP method.
    pub verb: String,
    /// Path with fields in braces, by their names in the proto.
    pub path: String,
}

/// `REQUIRED` of `google.api.FieldBehavior`.
const REQUIRED: i32 = 2;

impl Descriptors {
    /// Reads an encoded `google.protobuf.FileDescriptorSet`.
    ///
    /// # Errors
    /// A set that cannot be read, or that lacks the service: mistakes of ours.
    pub(crate) fn read(bytes: &[u8], service: &str) -> Result<Self, String> {
        let pool = DescriptorPool::decode(bytes).map_err(|error| error.to_string())?;
        let service = pool.get_service_by_name(service).ok_or_else(|| format!("the proto has no service {service}"))?;
        let http = pool.get_extension_by_name("google.api.http");
        let behavior = pool.get_extension_by_name("google.api.field_behavior");
        Ok(Self { service, http, behavior })
    }

    /// The rpc of an operation.
    pub(crate) fn rpc(&self, operation: Operation, facts: &OperationFacts) -> Option<MethodDescriptor> {
        let name = facts.rpc.clone().unwrap_or_else(|| operation.to_string());
        self.service.methods().find(|method| method.name() == name)
    }

    /// A message of the service's package.
    pub(crate) fn message(&self, name: &str) -> Option<MessageDescriptor> {
        let file = self.service.parent_file();
        self.service.parent_pool().get_message_by_name(&format!("{}.{name}", file.package_name()))
    }

    /// The path of an rpc of this name: `/package.Service/Name`.
    pub(crate) fn path(&self, name: &str) -> String {
        format!("/{}/{name}", self.service.full_name())
    }

    /// The HTTP bindings of an rpc, the main one first; field names are those of JSON.
    pub(crate) fn annotations(&self, rpc: &MethodDescriptor) -> Vec<Annotation> {
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
    pub(crate) fn is_required(&self, field: &prost_reflect::FieldDescriptor) -> bool {
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
