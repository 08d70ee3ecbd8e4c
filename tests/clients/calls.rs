//! What is in the messages of gRPC.

use std::path::Path;

use prost_reflect::{DescriptorPool, DynamicMessage, SerializeOptions};
use protox::Compiler;
use protox::file::{ChainFileResolver, GoogleFileResolver, IncludeFileResolver};
use serde_json::Value;

/// The service of a version.
pub struct Calls(DescriptorPool);

impl Calls {
    /// Reads the definition of a version.
    pub fn of(version: &str) -> Result<Self, String> {
        let mut files = ChainFileResolver::new();
        files.add(IncludeFileResolver::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas")));
        files.add(GoogleFileResolver::new());
        let mut compiler = Compiler::with_file_resolver(files);
        let name = format!("{version}/a2a.proto");
        compiler.include_imports(true).open_file(&name).map_err(|error| format!("{name}: {error:?}"))?;
        Ok(Self(compiler.descriptor_pool()))
    }

    /// The message of a call, in its JSON form: what is behind the five bytes of its frame.
    pub fn message(&self, path: &str, body: &[u8]) -> Result<Value, String> {
        let mut names = path.trim_start_matches('/').split('/');
        let (service, method) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
        let service = self.0.get_service_by_name(service).ok_or_else(|| format!("there is no service {service}"))?;
        let method = service.methods().find(|one| one.name() == method);
        let method = method.ok_or_else(|| format!("there is no rpc {path}"))?;
        let message = body.get(5..).ok_or("a call without a message")?;
        let message = DynamicMessage::decode(method.input(), message).map_err(|error| error.to_string())?;
        message
            .serialize_with_options(serde_json::value::Serializer, &SerializeOptions::new())
            .map_err(|error| error.to_string())
    }
}
