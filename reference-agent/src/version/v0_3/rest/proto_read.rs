//! From the JSON form of the protobuf definition of 0.3 to the model: the messages that differ from those of `read`. Members are
//! read by their JSON names and by their original ones, as ProtoJSON has it: clients write either.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::read::{PushNotificationConfig, push_config};
use crate::core::Violation;
use crate::model;
use crate::model::Metadata;
use crate::version::field::{
    Bytes, Checked, Field, List, Nested, Object, ProtoInt, Strings, check_value, history_length, parameters,
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SendMessageRequest {
    #[serde(alias = "request")]
    message: Nested<Message>,
    configuration: Nested<SendMessageConfiguration>,
    metadata: Field<Metadata>,
}

/// Reads the body of a send.
///
/// # Errors
/// The first member that is missing or wrong.
pub fn send_message(body: Map<String, Value>) -> Checked<model::SendMessageRequest> {
    let request: SendMessageRequest = parameters(Some(Value::Object(body)))?;
    request.metadata.metadata("metadata")?;
    Ok(model::SendMessageRequest {
        message: request.message.required_as("message", message)?,
        configuration: request.configuration.optional_as("configuration", configuration)?.unwrap_or_default(),
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SendMessageConfiguration {
    #[serde(alias = "accepted_output_modes")]
    accepted_output_modes: Strings,
    #[serde(alias = "push_notification")]
    push_notification: Nested<PushNotificationConfig>,
    #[serde(alias = "history_length")]
    history_length: Field<ProtoInt>,
    blocking: Field<bool>,
}

fn configuration(Object(read): Object<SendMessageConfiguration>) -> Checked<model::SendMessageConfiguration> {
    read.accepted_output_modes.all("acceptedOutputModes")?;
    let length = read.history_length.optional_as("historyLength", |ProtoInt(length)| history_length(length))?;
    Ok(model::SendMessageConfiguration {
        push: read.push_notification.optional_as("pushNotification", push_config)?,
        // Protobuf knows no difference between 0 and nothing, and calls both unlimited.
        history_length: length.filter(|length| *length > 0),
        // Nor between false and nothing: who configures a send and does not ask to wait does not want to.
        return_immediately: !read.blocking.optional("blocking")?.unwrap_or_default(),
        if_generation_match: None,
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Message {
    #[serde(alias = "message_id")]
    message_id: Field<String>,
    #[serde(alias = "context_id")]
    context_id: Field<String>,
    #[serde(alias = "task_id")]
    task_id: Field<String>,
    role: Field<Role>,
    content: List<Part>,
    metadata: Field<Metadata>,
    extensions: Strings,
}

fn message(Object(read): Object<Message>) -> Checked<model::Message> {
    Ok(model::Message {
        message_id: read.message_id.text("messageId")?,
        context_id: read.context_id.optional_text("contextId")?,
        task_id: read.task_id.optional_text("taskId")?,
        role: read.role.required_as("role", |Role(role)| Ok(role))?,
        parts: read.content.each_of_some("content", part)?,
        metadata: read.metadata.metadata("metadata")?,
        extensions: read.extensions.all("extensions")?,
        reference_task_ids: Vec::new(),
    })
}

/// A role by its name or its number.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Value")]
struct Role(model::Role);

impl TryFrom<Value> for Role {
    type Error = &'static str;

    fn try_from(value: Value) -> Result<Self, Self::Error> {
        match (value.as_str(), value.as_i64()) {
            (Some("ROLE_USER"), _) | (_, Some(1)) => Ok(Self(model::Role::User)),
            (Some("ROLE_AGENT"), _) | (_, Some(2)) => Ok(Self(model::Role::Agent)),
            _ => Err("must be ROLE_USER or ROLE_AGENT"),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Part {
    text: Field<String>,
    file: Nested<FilePart>,
    data: Nested<DataPart>,
}

fn part(Object(read): Object<Part>) -> Checked<model::Part> {
    let text = read.text.optional("text")?.map(model::Part::text);
    let file = read.file.optional_as("file", file)?;
    let data = read.data.optional_as("data", data)?;
    let mut parts = [text, file, data].into_iter().flatten();
    match (parts.next(), parts.next()) {
        (Some(part), None) => Ok(part),
        _ => Err(Violation::new("", "must have exactly one of text, file and data")),
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct FilePart {
    #[serde(alias = "file_with_uri")]
    file_with_uri: Field<String>,
    #[serde(alias = "file_with_bytes")]
    file_with_bytes: Field<Bytes>,
    #[serde(alias = "mime_type")]
    mime_type: Field<String>,
}

fn file(Object(read): Object<FilePart>) -> Checked<model::Part> {
    let bytes = read.file_with_bytes.optional("fileWithBytes")?;
    let content = match (bytes, read.file_with_uri.optional("fileWithUri")?) {
        (Some(Bytes(bytes)), None) => model::Content::Raw(bytes),
        (None, Some(uri)) => model::Content::Url(uri),
        _ => return Err(Violation::new("", "must have exactly one of fileWithBytes and fileWithUri")),
    };
    Ok(model::Part { media_type: read.mime_type.optional_text("mimeType")?, ..model::Part::new(content) })
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DataPart {
    data: Field<Map<String, Value>>,
}

fn data(Object(read): Object<DataPart>) -> Checked<model::Part> {
    let data = check_value("data", Value::Object(read.data.required("data")?))?;
    Ok(model::Part::new(model::Content::Data(data)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sent(body: Value) -> Checked<model::SendMessageRequest> {
        send_message(body.as_object().unwrap().clone())
    }

    fn with_content(content: Value) -> Value {
        json!({"message": {"messageId": "m", "role": "ROLE_USER", "content": content}})
    }

    #[test]
    fn a_message_is_read() {
        let mut body = with_content(json!([
            {"text": "hello"},
            {"file": {"fileWithBytes": "Zm9v", "mimeType": "text/plain"}},
            {"file": {"fileWithUri": "https://example.com/"}},
            {"data": {"data": {"a": null}}},
        ]));
        body["message"]["role"] = json!(1);
        let request = sent(body).unwrap();
        assert_eq!(request.message.role, model::Role::User);
        let contents: Vec<_> = request.message.parts.iter().map(|part| &part.content).collect();
        assert_eq!(
            contents,
            [
                &model::Content::Text("hello".to_owned()),
                &model::Content::Raw(b"foo".to_vec()),
                &model::Content::Url("https://example.com/".to_owned()),
                &model::Content::Data(json!({"a": null})),
            ],
        );
        assert_eq!(request.message.parts[1].media_type.as_deref(), Some("text/plain"));
        assert!(!request.configuration.return_immediately);
    }

    /// What the published Python client of 0.3 sends.
    #[test]
    fn original_names_are_read() {
        let request = sent(json!({
            "request": {
                "message_id": "m", "context_id": "c", "task_id": "t", "role": "ROLE_USER",
                "content": [{"file": {"file_with_bytes": "Zm9v", "mime_type": "text/plain"}}],
            },
            "configuration": {"accepted_output_modes": ["text/plain"], "history_length": 2, "blocking": true},
        }));
        let request = request.unwrap();
        assert_eq!(request.message.message_id, "m");
        assert_eq!((request.message.context_id.as_deref(), request.message.task_id.as_deref()), (Some("c"), Some("t")));
        assert_eq!(request.message.parts[0].content, model::Content::Raw(b"foo".to_vec()));
        assert_eq!(request.configuration.history_length, Some(2));
        assert!(sent(json!({"request": {}, "message": {}})).is_err(), "one member has one value");
    }

    #[test]
    fn defaults_of_protobuf_are_read_as_such() {
        let configured = |configuration: Value| {
            let mut body = with_content(json!([{"text": "x"}]));
            body["configuration"] = configuration;
            sent(body).unwrap().configuration
        };
        assert!(configured(json!({})).return_immediately);
        assert!(!configured(json!({"blocking": true})).return_immediately);
        assert_eq!(configured(json!({"historyLength": 0})).history_length, None);
        assert_eq!(configured(json!({"historyLength": "2"})).history_length, Some(2));
        let push = configured(json!({"pushNotification": {"url": "http://x/"}})).push.unwrap();
        assert_eq!(push.url, "http://x/");
    }

    #[test]
    fn mistakes_are_named() {
        for (body, field) in [
            (json!({}), "message"),
            (json!({"message": {"messageId": "m", "content": [{"text": "x"}]}}), "message.role"),
            (json!({"message": {"messageId": "m", "role": "user", "content": [{"text": "x"}]}}), "message.role"),
            (json!({"message": {"messageId": "m", "role": 0, "content": [{"text": "x"}]}}), "message.role"),
            (with_content(json!([])), "message.content"),
            (with_content(json!([{}])), "message.content[0]"),
            (with_content(json!([{"text": "x", "data": {"data": {}}}])), "message.content[0]"),
            (with_content(json!([{"file": {}}])), "message.content[0].file"),
            (with_content(json!([{"file": {"fileWithBytes": "?"}}])), "message.content[0].file.fileWithBytes"),
            (with_content(json!([{"data": {"data": []}}])), "message.content[0].data.data"),
        ] {
            assert_eq!(sent(body.clone()).unwrap_err().field, field, "{body}");
        }
    }
}
