//! Messages, frames and statuses of gRPC as JSON, and back.

use std::sync::LazyLock;

use axum::http::{HeaderMap, HeaderValue};
use bytes::{BufMut, Bytes, BytesMut};
use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, SerializeOptions};
use prost_types::Any;
use serde_json::{Value, json};
use tonic::metadata::MetadataValue;
use tonic_types::pb;

use crate::binding::grpc::{DESCRIPTORS, DRAFT_DESCRIPTORS};
use crate::binding::jsonrpc;
use crate::core::OperationName;
use crate::version::Version;

/// The length of what stands before a message: flags and length.
pub const PREFIX: usize = 5;
/// The type of a `google.rpc.ErrorInfo` among details.
const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
/// The header with the details of a status.
const DETAILS: &str = "grpc-status-details-bin";

/// The definitions of 1.0 and 0.3, and those of the draft, which has names of 0.3.
static POOL: LazyLock<Option<DescriptorPool>> = LazyLock::new(|| DescriptorPool::decode(DESCRIPTORS).ok());
static DRAFT: LazyLock<Option<DescriptorPool>> = LazyLock::new(|| DescriptorPool::decode(DRAFT_DESCRIPTORS).ok());

/// The operation that an rpc stands for: those of 1.0 have its name, those of 0.3 and of the draft names
/// like them.
pub fn operation(path: &str) -> Option<OperationName> {
    let name = path.rsplit('/').next()?;
    let name = match name {
        "TaskSubscription" => "SubscribeToTask",
        "SetTaskPushNotificationConfig" => "CreateTaskPushNotificationConfig",
        "ListTaskPushNotificationConfig" => "ListTaskPushNotificationConfigs",
        "GetAgentCard" => "GetExtendedAgentCard",
        name => name,
    };
    jsonrpc::operation(Version::V1_0, name)
}

/// An rpc, by the messages that it takes and gives.
#[derive(Debug, Clone)]
pub struct Rpc {
    input: MessageDescriptor,
    output: MessageDescriptor,
}

impl Rpc {
    /// The rpc of a version at an address.
    pub fn of(version: Version, path: &str) -> Option<Self> {
        let (service, name) = path.trim_start_matches('/').split_once('/')?;
        let pool = if version == Version::V1_0Draft { &DRAFT } else { &POOL };
        let service = pool.as_ref()?.get_service_by_name(service)?;
        let method = service.methods().find(|method| method.name() == name)?;
        Some(Self { input: method.input(), output: method.output() })
    }

    /// A request as JSON.
    pub fn read_request(&self, body: &[u8]) -> Option<Value> {
        let (_, message) = split(&mut BytesMut::from(body))?;
        read(&self.input, &message)
    }

    /// The body of a request.
    pub fn write_request(&self, params: &Value) -> Option<Bytes> {
        Some(frame(0, &write(&self.input, params)?))
    }

    /// A message of an answer as JSON.
    pub fn read_answer(&self, message: &[u8]) -> Option<Value> {
        read(&self.output, message)
    }

    /// A message of an answer; none where JSON says what no message can.
    pub fn write_answer(&self, value: &Value) -> Option<Bytes> {
        write(&self.output, value)
    }
}

fn read(descriptor: &MessageDescriptor, message: &[u8]) -> Option<Value> {
    let message = DynamicMessage::decode(descriptor.clone(), message).ok()?;
    message.serialize_with_options(serde_json::value::Serializer, &SerializeOptions::new()).ok()
}

fn write(descriptor: &MessageDescriptor, value: &Value) -> Option<Bytes> {
    let options = prost_reflect::DeserializeOptions::new().deny_unknown_fields(false);
    let message = DynamicMessage::deserialize_with_options(descriptor.clone(), value, &options).ok()?;
    Some(message.encode_to_vec().into())
}

/// Takes the first whole frame out of a buffer: its flags and its message.
pub fn split(buffer: &mut BytesMut) -> Option<(u8, Bytes)> {
    let length = u32::from_be_bytes(buffer.get(1..PREFIX)?.try_into().ok()?);
    let length = usize::try_from(length).ok()?;
    if buffer.len() < PREFIX + length {
        return None;
    }
    let flags = buffer[0];
    let message = buffer.split_to(PREFIX + length).freeze().slice(PREFIX..);
    Some((flags, message))
}

/// A message in its frame.
pub fn frame(flags: u8, message: &[u8]) -> Bytes {
    let mut frame = BytesMut::new();
    frame.put_u8(flags);
    frame.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    frame.put_slice(message);
    frame.freeze()
}

/// A status other than OK, as an object of an error.
pub fn read_status(trailers: &HeaderMap) -> Option<Value> {
    let status = tonic::Status::from_header_map(trailers).filter(|status| status.code() != tonic::Code::Ok)?;
    let details = pb::Status::decode(status.details()).map(|status| status.details).unwrap_or_default();
    let details: Vec<Value> = details.iter().map(read_detail).collect();
    Some(json!({ "error": { "code": status.code() as i32, "message": status.message(), "details": details } }))
}

fn read_detail(detail: &Any) -> Value {
    match pb::ErrorInfo::decode(detail.value.as_slice()) {
        Ok(info) if detail.type_url == ERROR_INFO => json!({
            "@type": detail.type_url, "reason": info.reason, "domain": info.domain, "metadata": info.metadata,
        }),
        _ => json!({ "@type": detail.type_url, "value": detail.value }),
    }
}

/// Writes an error object into trailers.
pub fn write_status(value: &Value, trailers: &mut HeaderMap) {
    let error = value.get("error").unwrap_or(value);
    let code = error.get("code").and_then(Value::as_i64).unwrap_or(2);
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    let details: Vec<Any> =
        error.get("details").and_then(Value::as_array).into_iter().flatten().map(write_detail).collect();
    let status = pb::Status { code: i32::try_from(code).unwrap_or(2), message: message.to_owned(), details };
    trailers.insert("grpc-status", HeaderValue::from(code));
    let mut encoded = tonic::Status::new(tonic::Code::Unknown, message).into_http::<axum::body::Body>();
    match encoded.headers_mut().remove("grpc-message") {
        Some(message) => drop(trailers.insert("grpc-message", message)),
        None => drop(trailers.remove("grpc-message")),
    }
    if status.details.is_empty() {
        trailers.remove(DETAILS);
        return;
    }
    let encoded = MetadataValue::from_bytes(&status.encode_to_vec());
    if let Ok(value) = HeaderValue::from_bytes(encoded.as_encoded_bytes()) {
        trailers.insert(DETAILS, value);
    }
}

fn write_detail(detail: &Value) -> Any {
    let text = |name: &str| detail.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let value = match detail.get("value").and_then(Value::as_array) {
        Some(bytes) => bytes.iter().filter_map(|byte| u8::try_from(byte.as_u64()?).ok()).collect(),
        None => {
            let metadata = detail.get("metadata").and_then(Value::as_object).into_iter().flatten();
            let metadata = metadata.map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned()));
            pb::ErrorInfo { reason: text("reason"), domain: text("domain"), metadata: metadata.collect() }
                .encode_to_vec()
        }
    };
    Any { type_url: text("@type"), value }
}
