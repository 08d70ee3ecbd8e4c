//! The protos: against the JSON Schemas, the operations of the profiles, and the tables of facts; and their JSON mapping.
//!
//! Every comparison gives its differences in words or as two sets of facts, so that a test can show that it has some to
//! give.

#[path = "protos/facts.rs"]
mod facts;
#[path = "protos/json.rs"]
mod json;
#[path = "protos/operations.rs"]
mod operations;
#[path = "protos/schemas.rs"]
mod schemas;

use std::path::Path;

use a2aspec::bundle;
use prost_reflect::{
    DescriptorPool, DynamicMessage, EnumDescriptor, FieldDescriptor, MessageDescriptor, MethodDescriptor,
    ServiceDescriptor, Value,
};
use protox::Compiler;
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver, IncludeFileResolver};

use super::{Document, ROOT};

/// The proto of one version.
struct Proto {
    version: String,
    pool: DescriptorPool,
}

impl Proto {
    /// Those that the program carries.
    fn all() -> Vec<Self> {
        let profiles = a2aspec::profile::bundled().expect("the profiles are right");
        let carried =
            profiles.iter().filter_map(|profile| Some((profile.name(), bundle::descriptors(profile.name())?)));
        carried
            .map(|(version, descriptors)| {
                let pool = DescriptorPool::decode(descriptors).unwrap_or_else(|error| panic!("{version}: {error}"));
                Self { version: version.to_owned(), pool }
            })
            .collect()
    }

    /// The proto of `version` with every `from` in its text made `to`.
    fn altered(version: &'static str, from: &str, to: &str) -> Self {
        let name = format!("{version}/a2a.proto");
        let folder = Path::new(ROOT).join("schemas");
        let text = std::fs::read_to_string(folder.join(&name)).expect("the proto can be read");
        assert!(text.contains(from), "{version}: there is no {from:?} to alter");

        let mut files = ChainFileResolver::new();
        files.add(Text { name: name.clone(), text: text.replace(from, to) });
        files.add(IncludeFileResolver::new(folder));
        files.add(GoogleFileResolver::new());
        let mut compiler = Compiler::with_file_resolver(files);
        compiler.include_imports(true).open_file(&name).unwrap_or_else(|error| panic!("{to:?}: {error:?}"));
        let pool = DescriptorPool::decode(compiler.encode_file_descriptor_set().as_slice()).expect("a descriptor set");
        Self { version: version.to_owned(), pool }
    }

    /// Its only service.
    fn service(&self) -> ServiceDescriptor {
        let services: Vec<_> = self.pool.services().collect();
        assert_eq!(services.len(), 1, "{}: services", self.version);
        services[0].clone()
    }

    /// Its messages, without those of Google and the entries of maps.
    fn messages(&self) -> Vec<MessageDescriptor> {
        let own = |message: &MessageDescriptor| !message.is_map_entry() && !is_googles(message.full_name());
        self.pool.all_messages().filter(own).collect()
    }

    /// Its enums, without those of Google.
    fn enums(&self) -> Vec<EnumDescriptor> {
        self.pool.all_enums().filter(|kind| !is_googles(kind.full_name())).collect()
    }

    /// Whether the proto marks a field as required.
    fn is_required(&self, field: &FieldDescriptor) -> bool {
        const REQUIRED: i32 = 2;
        let option = self.pool.get_extension_by_name("google.api.field_behavior").expect("the option is known");
        field.options().get_extension(&option).as_list().is_some_and(|all| all.contains(&Value::EnumNumber(REQUIRED)))
    }

    /// The HTTP requests that stand for an rpc.
    fn routes(&self, rpc: &MethodDescriptor) -> Vec<Route> {
        let option = self.pool.get_extension_by_name("google.api.http").expect("the option is known");
        let rule = rpc.options().get_extension(&option).into_owned();
        let main = rule.as_message().expect("an HttpRule");
        let more = main.get_field_by_name("additional_bindings").expect("a field of HttpRule").into_owned();
        let more = more.as_list().expect("a list").iter().map(|rule| Route::read(rule.as_message().expect("a rule")));
        std::iter::once(Route::read(main)).chain(more).collect()
    }
}

/// One file by its text.
struct Text {
    name: String,
    text: String,
}

impl FileResolver for Text {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        if name == self.name { File::from_source(name, &self.text) } else { Err(protox::Error::file_not_found(name)) }
    }
}

/// One HTTP request that stands for an rpc.
struct Route {
    method: String,
    path: String,
    body: String,
}

impl Route {
    fn read(rule: &DynamicMessage) -> Self {
        let text = |name: &str| rule.get_field_by_name(name).and_then(|value| value.as_str().map(str::to_owned));
        let set = ["get", "put", "post", "delete", "patch"].into_iter().find(|method| rule.has_field_by_name(method));
        let method = set.expect("a method");
        Self {
            method: method.to_uppercase(),
            path: text(method).unwrap_or_default(),
            body: text("body").unwrap_or_default(),
        }
    }

    /// The fields that the path binds.
    fn variables(&self) -> impl Iterator<Item = &str> {
        let variables = self.path.split('{').skip(1).filter_map(|rest| rest.split(['}', '=']).next());
        variables.filter(|name| !name.is_empty())
    }
}

fn is_googles(full_name: &str) -> bool {
    full_name.starts_with("google.")
}

/// How the JSON of a proto may differ from what the proto says.
struct Held {
    version: &'static str,
    /// The schema file of its messages.
    schema: &'static str,
    /// Whether an enum value may also be given by its number, as ProtoJSON reads it. 1.0 wants names (5.5).
    numbers: bool,
    /// Enums whose unspecified value may be sent.
    unspecified: &'static [&'static str],
    /// Members that the proto does not mark and the specification requires all the same.
    also_required: &'static [(&'static str, &'static [&'static str])],
}

const HELD: [Held; 4] = [
    Held {
        version: "0.3",
        schema: "0.3/a2a.proto.schema.json",
        numbers: true,
        // It stands for `unknown` (6.3).
        unspecified: &["TaskState"],
        // The proto of 0.3 marks members of four messages; its text and a2a.json mark many more. Here are those of them
        // whose lawful value is never the default of its type, which ProtoJSON leaves out: ids, resource names,
        // addresses, the version of the protocol, objects, the role.
        also_required: &[
            ("Task", &["id", "contextId", "status"]),
            ("Message", &["messageId", "role"]),
            ("DataPart", &["data"]),
            ("Artifact", &["artifactId"]),
            ("TaskStatusUpdateEvent", &["taskId", "contextId", "status"]),
            ("TaskArtifactUpdateEvent", &["taskId", "contextId", "artifact"]),
            ("PushNotificationConfig", &["url"]),
            ("TaskPushNotificationConfig", &["name", "pushNotificationConfig"]),
            ("AgentCard", &["protocolVersion", "url", "capabilities"]),
            ("AgentInterface", &["url", "transport"]),
            ("AgentProvider", &["url"]),
            ("AgentExtension", &["uri"]),
            ("AgentSkill", &["id"]),
            ("APIKeySecurityScheme", &["location", "name"]),
            ("HTTPAuthSecurityScheme", &["scheme"]),
            ("OAuth2SecurityScheme", &["flows"]),
            ("OpenIdConnectSecurityScheme", &["openIdConnectUrl"]),
            ("AuthorizationCodeOAuthFlow", &["authorizationUrl", "tokenUrl"]),
            ("ClientCredentialsOAuthFlow", &["tokenUrl"]),
            ("ImplicitOAuthFlow", &["authorizationUrl"]),
            ("PasswordOAuthFlow", &["tokenUrl"]),
            ("CancelTaskRequest", &["name"]),
            ("TaskSubscriptionRequest", &["name"]),
            ("GetTaskPushNotificationConfigRequest", &["name"]),
            ("ListTaskPushNotificationConfigRequest", &["parent"]),
            ("DeleteTaskPushNotificationConfigRequest", &["name"]),
        ],
    },
    Held { version: "1.0", schema: "1.0/a2a.schema.json", numbers: false, unspecified: &[], also_required: &[] },
    Held {
        version: "1.1-draft",
        schema: "1.1-draft/a2a.schema.json",
        numbers: false,
        unspecified: &[],
        also_required: &[],
    },
    Held {
        version: "1.0-draft",
        schema: "1.0-draft/a2a.proto.schema.json",
        numbers: false,
        unspecified: &[],
        also_required: &[],
    },
];

impl Held {
    fn of(version: &str) -> &'static Self {
        HELD.iter().find(|held| held.version == version).unwrap_or_else(|| panic!("{version}: no schema is named"))
    }

    fn also_requires(&self, field: &FieldDescriptor) -> bool {
        let message = field.parent_message();
        let members = self.also_required.iter().find(|(name, _)| *name == message.name());
        members.is_some_and(|(_, members)| members.contains(&field.json_name()))
    }
}

/// The schema file that describes the messages of a version's proto.
fn schema_of(version: &str) -> Document {
    Document::at(Held::of(version).schema)
}

/// Whether the specification wants a field set, be it the proto that says so or the text.
fn must_be_set(proto: &Proto, field: &FieldDescriptor) -> bool {
    proto.is_required(field) || Held::of(&proto.version).also_requires(field)
}

/// An rpc in short: `SendStreamingMessage: SendMessageRequest -> stream StreamResponse`.
fn signature(rpc: &MethodDescriptor) -> String {
    let stream = |yes| if yes { "stream " } else { "" };
    let name = |message: MessageDescriptor| {
        if is_googles(message.full_name()) { message.full_name().to_owned() } else { message.name().to_owned() }
    };
    format!(
        "{}: {}{} -> {}{}",
        rpc.name(),
        stream(rpc.is_client_streaming()),
        name(rpc.input()),
        stream(rpc.is_server_streaming()),
        name(rpc.output())
    )
}
