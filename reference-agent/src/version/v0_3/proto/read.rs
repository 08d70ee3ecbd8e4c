//! From the messages of 0.3 to the model.

use super::super::read::in_words_of_0_3;
use super::super::resource_name;
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
    each_of_some, member, optional, optional_text, read_metadata, read_struct, required, text,
};

/// 0.3, section 7.1.
pub fn send_message(request: SendMessageRequest) -> Checked<Operation> {
    sent(request).map(Box::new).map(Operation::SendMessage)
}

/// 0.3, section 7.2.
pub fn send_streaming_message(request: SendMessageRequest) -> Checked<Operation> {
    sent(request).map(Box::new).map(Operation::SendStreamingMessage)
}

/// 0.3, section 7.3.
pub fn get_task(request: GetTaskRequest) -> Checked<Operation> {
    Ok(Operation::GetTask {
        id: task_id(&request.name)?,
        history_length: member(request.history_length, "historyLength", limit)?,
    })
}

/// 0.3, section 7.4.
pub fn cancel_task(request: CancelTaskRequest) -> Checked<Operation> {
    Ok(Operation::CancelTask { id: task_id(&request.name)? })
}

/// 0.3, section 7.9.
pub fn task_subscription(request: TaskSubscriptionRequest) -> Checked<Operation> {
    Ok(Operation::SubscribeToTask { id: task_id(&request.name)? })
}

/// 0.3, section 7.5. The request names the configuration, and the configuration may name itself once more.
pub fn create_push_config(request: CreateTaskPushNotificationConfigRequest) -> Checked<Operation> {
    let task_id = parent(&request.parent)?;
    let config = member(required(request.config, "config")?, "config", task_push_config)?;
    let id = optional_text(request.config_id).unwrap_or(config.id);
    Ok(Operation::CreatePushConfig(model::TaskPushNotificationConfig { task_id, id, ..config }))
}

/// 0.3, section 7.6.
pub fn get_push_config(request: GetTaskPushNotificationConfigRequest) -> Checked<Operation> {
    push_config_name(&request.name).map(Operation::GetPushConfig)
}

/// 0.3, section 7.7.
pub fn list_push_configs(request: ListTaskPushNotificationConfigRequest) -> Checked<Operation> {
    let page_size = u32::try_from(request.page_size).map_err(|_| Violation::new("pageSize", "must not be negative"));
    Ok(Operation::ListPushConfigs(model::ListPushConfigsRequest {
        task_id: parent(&request.parent)?,
        page_size: Some(page_size?).filter(|size| *size > 0),
        page_token: optional_text(request.page_token),
    }))
}

/// 0.3, section 7.8.
pub fn delete_push_config(request: DeleteTaskPushNotificationConfigRequest) -> Checked<Operation> {
    push_config_name(&request.name).map(Operation::DeletePushConfig)
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

/// Reads where and how to deliver (0.3, section 6.8).
pub fn push_config(config: PushNotificationConfig) -> Checked<model::TaskPushNotificationConfig> {
    let config = model::TaskPushNotificationConfig {
        tenant: None,
        id: config.id,
        task_id: String::new(),
        url: text(config.url, "url")?,
        token: optional_text(config.token),
        authentication: optional(config.authentication, "authentication", authentication)?,
    };
    check_webhook(&config).map_err(in_words_of_0_3)?;
    Ok(config)
}

/// Its name says nothing that the request around it does not say.
fn task_push_config(config: TaskPushNotificationConfig) -> Checked<model::TaskPushNotificationConfig> {
    member(required(config.push_notification_config, "pushNotificationConfig")?, "pushNotificationConfig", push_config)
}

fn authentication(authentication: AuthenticationInfo) -> Checked<model::AuthenticationInfo> {
    let mut schemes = each_of_some(authentication.schemes, "schemes", Ok)?.into_iter();
    Ok(model::AuthenticationInfo {
        scheme: schemes.next().unwrap_or_default(),
        alternatives: schemes.collect(),
        credentials: optional_text(authentication.credentials),
    })
}

fn task_id(name: &str) -> Checked<String> {
    let id = resource_name::read_task(name).filter(|id| !id.is_empty());
    id.map(str::to_owned).ok_or_else(|| Violation::new("name", "must be tasks/{id}"))
}

/// The task that a configuration belongs to. The definition calls it `tasks/{id}` and, where it gives the route to
/// create one, `task/{id}/pushNotificationConfigs`; either will do.
fn parent(name: &str) -> Checked<String> {
    let id = name.strip_prefix("tasks/").or_else(|| name.strip_prefix("task/"));
    let id = id.map(|id| id.strip_suffix("/pushNotificationConfigs").unwrap_or(id)).filter(|id| !id.is_empty());
    id.map(str::to_owned).ok_or_else(|| Violation::new("parent", "must be tasks/{id}"))
}

fn push_config_name(name: &str) -> Checked<model::PushConfigName> {
    let ids = resource_name::read_push_config(name).filter(|(task_id, id)| !task_id.is_empty() && !id.is_empty());
    ids.map(|(task_id, id)| model::PushConfigName { task_id: task_id.to_owned(), id: Some(id.to_owned()) })
        .ok_or_else(|| Violation::new("name", "must be tasks/{id}/pushNotificationConfigs/{id}"))
}

/// How much history the client wants to see. Zero, which protobuf cannot tell from nothing, is no limit.
fn limit(length: i32) -> Checked<Option<u32>> {
    Ok(Some(history_length(length)?).filter(|length| *length > 0))
}

fn role(number: i32) -> Checked<model::Role> {
    match Role::try_from(number) {
        Ok(Role::User) => Ok(model::Role::User),
        Ok(Role::Agent) => Ok(model::Role::Agent),
        Ok(Role::Unspecified) | Err(_) => Err(Violation::new("", "must be ROLE_USER or ROLE_AGENT")),
    }
}
