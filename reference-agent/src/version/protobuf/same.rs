//! Whether JSON and messages say the same, judged by a reader and writer that is neither of this agent's.

use std::sync::LazyLock;

use prost::Message;
use prost_reflect::{DescriptorPool, DeserializeOptions, DynamicMessage, MessageDescriptor};
use serde_json::Value;

use crate::binding::grpc::{DESCRIPTORS, DRAFT_DESCRIPTORS};

/// A message by its name; `draft/` before it means that of the draft of 1.0, which has names of 0.3.
fn descriptor(name: &str) -> MessageDescriptor {
    static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| DescriptorPool::decode(DESCRIPTORS).unwrap());
    static DRAFT: LazyLock<DescriptorPool> = LazyLock::new(|| DescriptorPool::decode(DRAFT_DESCRIPTORS).unwrap());
    match name.strip_prefix("draft/") {
        Some(name) => DRAFT.get_message_by_name(name).unwrap(),
        None => POOL.get_message_by_name(name).unwrap(),
    }
}

/// The message that JSON stands for, of which every member must be known.
pub fn message_of<M: Message + Default>(name: &str, json: &Value) -> M {
    read(name, json, &DeserializeOptions::new())
}

/// The message that JSON stands for, whatever else it says.
pub fn message_in<M: Message + Default>(name: &str, json: &Value) -> M {
    read(name, json, &DeserializeOptions::new().deny_unknown_fields(false))
}

fn read<M: Message + Default>(name: &str, json: &Value, options: &DeserializeOptions) -> M {
    let dynamic = DynamicMessage::deserialize_with_options(descriptor(name), json, options)
        .unwrap_or_else(|error| panic!("{error}: {json}"));
    M::decode(dynamic.encode_to_vec().as_slice()).unwrap()
}

/// The JSON form of a message.
pub fn json_of(name: &str, message: &impl Message) -> Value {
    let dynamic = DynamicMessage::decode(descriptor(name), message.encode_to_vec().as_slice()).unwrap();
    serde_json::to_value(dynamic).unwrap()
}
