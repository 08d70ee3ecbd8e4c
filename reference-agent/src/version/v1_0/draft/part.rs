//! Parts, in which a file or data is an object of its own (4.1.6 to 4.1.8).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::core::Violation;
use crate::model;
use crate::model::Metadata;
use crate::version::base64;
use crate::version::field::{Bytes, Checked, Field, Nested, Object, check_value, parameters};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Read {
    text: Field<String>,
    file: Nested<ReadFile>,
    data: Nested<ReadData>,
    metadata: Field<Metadata>,
}

/// Reads a part.
///
/// # Errors
/// The first member that is wrong, or that there is not exactly one content.
pub fn read_part(members: Map<String, Value>) -> Checked<model::Part> {
    let read: Read = parameters(Some(Value::Object(members)))?;
    let text = read.text.optional("text")?.map(model::Part::text);
    let file = read.file.optional_as("file", file)?;
    let data = read.data.optional_as("data", data)?;
    let mut parts = [text, file, data].into_iter().flatten();
    let (Some(part), None) = (parts.next(), parts.next()) else {
        return Err(Violation::new("", "must have exactly one of text, file and data"));
    };
    Ok(model::Part { metadata: read.metadata.metadata("metadata")?, ..part })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ReadFile {
    #[serde(alias = "file_with_uri")]
    file_with_uri: Field<String>,
    #[serde(alias = "file_with_bytes")]
    file_with_bytes: Field<Bytes>,
    #[serde(alias = "media_type")]
    media_type: Field<String>,
    name: Field<String>,
}

fn file(Object(read): Object<ReadFile>) -> Checked<model::Part> {
    let bytes = read.file_with_bytes.optional("fileWithBytes")?;
    let content = match (bytes, read.file_with_uri.optional("fileWithUri")?) {
        (Some(Bytes(bytes)), None) => model::Content::Raw(bytes),
        (None, Some(uri)) => model::Content::Url(uri),
        _ => return Err(Violation::new("", "must have exactly one of fileWithBytes and fileWithUri")),
    };
    Ok(model::Part {
        filename: read.name.optional_text("name")?,
        media_type: read.media_type.optional_text("mediaType")?,
        ..model::Part::new(content)
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ReadData {
    data: Field<Map<String, Value>>,
}

fn data(Object(read): Object<ReadData>) -> Checked<model::Part> {
    let data = check_value("data", Value::Object(read.data.required("data")?))?;
    Ok(model::Part::new(model::Content::Data(data)))
}

/// A part to be written. The media types of text and data are left out: there is no member for them.
#[derive(Serialize)]
pub struct Part<'a> {
    #[serde(flatten)]
    content: Content<'a>,
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    metadata: &'a Metadata,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Content<'a> {
    Text(&'a str),
    File(FilePart<'a>),
    Data(DataPart<'a>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FilePart<'a> {
    #[serde(flatten)]
    file: File<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum File<'a> {
    FileWithUri(&'a str),
    FileWithBytes(String),
}

#[derive(Serialize)]
struct DataPart<'a> {
    data: Cow<'a, Value>,
}

impl<'a> From<&'a model::Part> for Part<'a> {
    fn from(part: &'a model::Part) -> Self {
        let (media_type, name) = (part.media_type.as_deref(), part.filename.as_deref());
        let file = |file| Content::File(FilePart { file, media_type, name });
        let content = match &part.content {
            model::Content::Text(text) => Content::Text(text),
            model::Content::Raw(bytes) => file(File::FileWithBytes(base64::encode(bytes))),
            model::Content::Url(url) => file(File::FileWithUri(url)),
            model::Content::Data(object @ Value::Object(_)) => Content::Data(DataPart { data: Cow::Borrowed(object) }),
            // Data of the draft is an object (4.1.8); a message of 1.0 may have brought any value.
            model::Content::Data(other) => Content::Data(DataPart { data: Cow::Owned(json!({ "value": other })) }),
        };
        Self { content, metadata: &part.metadata }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(part: Value) -> Result<model::Part, String> {
        read_part(part.as_object().unwrap().clone()).map_err(|violation| violation.field)
    }

    #[test]
    fn parts_are_told_by_their_member() {
        for part in [
            json!({"text": "x", "metadata": {"k": 1}}),
            json!({"file": {"fileWithBytes": "Zm9v", "mediaType": "text/plain", "name": "f"}}),
            json!({"file": {"fileWithUri": "https://example.com/", "mediaType": "image/png"}}),
            json!({"data": {"data": {"a": null}}, "metadata": {"k": []}}),
        ] {
            assert_eq!(serde_json::to_value(Part::from(&read(part.clone()).unwrap())).unwrap(), part);
        }
        let data = model::Part::new(model::Content::Data(json!([1])));
        assert_eq!(serde_json::to_value(Part::from(&data)).unwrap(), json!({"data": {"data": {"value": [1]}}}));
    }

    #[test]
    fn mistakes_are_named() {
        for (part, field) in [
            (json!({}), ""),
            (json!({"text": "x", "data": {"data": {}}}), ""),
            (json!({"raw": "Zm9v"}), ""),
            (json!({"text": 5}), "text"),
            (json!({"file": {}}), "file"),
            (json!({"file": {"fileWithBytes": "Zm9v", "fileWithUri": "u:"}}), "file"),
            (json!({"file": {"fileWithBytes": "?"}}), "file.fileWithBytes"),
            (json!({"data": []}), "data"),
            (json!({"data": {}}), "data.data"),
            (json!({"data": {"data": [1]}}), "data.data"),
            (json!({"text": "x", "metadata": []}), "metadata"),
        ] {
            assert_eq!(read(part.clone()).unwrap_err(), field, "{part}");
        }
    }
}
