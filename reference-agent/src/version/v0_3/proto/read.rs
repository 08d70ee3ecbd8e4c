//! From the messages of 0.3 to the model.

use super::super::read::in_words_of_0_3;
use super::{
    AuthenticationInfo, CancelTaskRequest, CreateTaskPushNotificationConfigRequest,
    DeleteTaskPushNotificationConfigRequest, GetAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigRequest, Message, Part, PushNotificationConfig, Role, SendMessageConfiguration,
    SendMessageRequest, TaskPushNotificationConfig, TaskSubscriptionRequest, file_part, part,
};
use crate::core::{Operation, Violation, check_webhook};
use crate::model;
use crate::version::field::{Checked, history_length};
use crate::version::protobuf::{
    alike, each_of_some, member, optional, optional_text, read_metadata, read_struct, required, text,
};
use crate::version::resource_name;

alike::read_sends!();
alike::read_resources!();

/// 0.3, section 7.3.
pub fn get_task(request: GetTaskRequest) -> Checked<Operation> {
    Ok(Operation::GetTask {
        id: resource_name::task(&request.name)?,
        history_length: member(request.history_length, "historyLength", limit)?,
        current_generation: None,
    })
}

/// 0.3, section 7.9.
pub fn task_subscription(request: TaskSubscriptionRequest) -> Checked<Operation> {
    Ok(Operation::SubscribeToTask { id: resource_name::task(&request.name)? })
}

/// 0.3, section 7.10: this is the card for authenticated callers.
pub fn get_agent_card(_: GetAgentCardRequest) -> Checked<Operation> {
    Ok(Operation::GetExtendedAgentCard)
}

fn sent(request: SendMessageRequest) -> Checked<model::SendMessageRequest> {
    read_metadata(request.metadata, "metadata")?;
    // In the JSON form `request` is called `message`, too.
    Ok(model::SendMessageRequest {
        message: member(required(request.request, "message")?, "message", message)?,
        configuration: optional(request.configuration, "configuration", configuration)?.unwrap_or_default(),
    })
}

fn configuration(configuration: SendMessageConfiguration) -> Checked<model::SendMessageConfiguration> {
    let history_length = member(configuration.history_length, "historyLength", limit)?;
    Ok(model::SendMessageConfiguration {
        push: optional(configuration.push_notification, "pushNotification", push_config)?,
        history_length,
        // Protobuf knows no difference between false and nothing: who configures a send and does not ask to wait does
        // not want to.
        return_immediately: !configuration.blocking,
        if_generation_match: None,
    })
}

/// Reads a message (0.3, section 6.4).
pub fn message(message: Message) -> Checked<model::Message> {
    Ok(model::Message {
        message_id: text(message.message_id, "messageId")?,
        context_id: optional_text(message.context_id),
        task_id: optional_text(message.task_id),
        role: member(message.role, "role", role)?,
        parts: each_of_some(message.content, "content", part)?,
        metadata: read_metadata(message.metadata, "metadata")?,
        extensions: message.extensions,
        reference_task_ids: Vec::new(),
    })
}

fn part(part: Part) -> Checked<model::Part> {
    match part.part {
        None => Err(Violation::new("", "must have exactly one of text, file and data")),
        Some(part::Part::Text(text)) => Ok(model::Part::text(text)),
        Some(part::Part::File(file)) => {
            let content = match file.file {
                None => Err(Violation::new("file", "must have exactly one of fileWithUri and fileWithBytes")),
                Some(file_part::File::FileWithUri(uri)) => Ok(model::Content::Url(uri)),
                Some(file_part::File::FileWithBytes(bytes)) => Ok(model::Content::Raw(bytes)),
            };
            Ok(model::Part { media_type: optional_text(file.mime_type), ..model::Part::new(content?) })
        }
        Some(part::Part::Data(data)) => {
            let data = member(required(data.data, "data.data")?, "data.data", read_struct)?;
            Ok(model::Part::new(model::Content::Data(data.into())))
        }
    }
}

/// How much history the client wants to see. Zero, which protobuf cannot tell from nothing, is no limit.
fn limit(length: i32) -> Checked<Option<u32>> {
    Ok(Some(history_length(length)?).filter(|length| *length > 0))
}
