//! From the messages of 1.0 to the model. What is refused, and under which name, is the same as in JSON.

use super::{
    AuthenticationInfo, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest, ListTasksRequest,
    Message, Part, Role, SendMessageConfiguration, SendMessageRequest, SubscribeToTaskRequest,
    TaskPushNotificationConfig, TaskState, part,
};
use crate::core::{Operation, Violation, check_webhook};
use crate::model;
use crate::version::field::{Checked, history_length};
use crate::version::protobuf::{
    alike, each_of_some, member, optional, optional_text, read_metadata, read_timestamp, read_value, required, text,
};

alike::read_sends!();
alike::read_turns!();

/// Section 3.1.3.
pub fn get_task(request: GetTaskRequest) -> Checked<Operation> {
    Ok(Operation::GetTask {
        id: text(request.id, "id")?,
        history_length: optional(request.history_length, "historyLength", history_length)?,
        current_generation: request.current_generation,
    })
}

/// Section 3.1.4.
pub fn list_tasks(request: ListTasksRequest) -> Checked<Operation> {
    Ok(Operation::ListTasks(model::ListTasksRequest {
        context_id: optional_text(request.context_id),
        status: member(request.status, "status", task_state)?,
        status_timestamp_after: optional(request.status_timestamp_after, "statusTimestampAfter", read_timestamp)?,
        page_size: request.page_size,
        page_token: optional_text(request.page_token),
        history_length: optional(request.history_length, "historyLength", history_length)?,
        include_artifacts: request.include_artifacts.unwrap_or_default(),
        is_whole: false,
    }))
}

/// Section 3.1.5.
pub fn cancel_task(request: CancelTaskRequest) -> Checked<Operation> {
    read_metadata(request.metadata, "metadata")?;
    Ok(Operation::CancelTask { id: text(request.id, "id")? })
}

/// Section 3.1.6.
pub fn subscribe_to_task(request: SubscribeToTaskRequest) -> Checked<Operation> {
    Ok(Operation::SubscribeToTask { id: text(request.id, "id")? })
}

/// Section 3.1.7.
pub fn create_push_config(config: TaskPushNotificationConfig) -> Checked<Operation> {
    let config = push_config(config)?;
    if config.task_id.is_empty() {
        return Err(Violation::new("taskId", "is required"));
    }
    Ok(Operation::CreatePushConfig(config))
}

/// Section 3.1.8.
pub fn get_push_config(request: GetTaskPushNotificationConfigRequest) -> Checked<Operation> {
    push_config_name(request.task_id, request.id).map(Operation::GetPushConfig)
}

/// Section 3.1.9.
pub fn list_push_configs(request: ListTaskPushNotificationConfigsRequest) -> Checked<Operation> {
    let page_size = u32::try_from(request.page_size).map_err(|_| Violation::new("pageSize", "must not be negative"));
    Ok(Operation::ListPushConfigs(model::ListPushConfigsRequest {
        task_id: text(request.task_id, "taskId")?,
        // Zero is how protobuf leaves this one out.
        page_size: Some(page_size?).filter(|size| *size > 0),
        page_token: optional_text(request.page_token),
    }))
}

/// Section 3.1.10.
pub fn delete_push_config(request: DeleteTaskPushNotificationConfigRequest) -> Checked<Operation> {
    push_config_name(request.task_id, request.id).map(Operation::DeletePushConfig)
}

/// Section 3.1.11.
pub fn get_extended_agent_card(_: GetExtendedAgentCardRequest) -> Checked<Operation> {
    Ok(Operation::GetExtendedAgentCard)
}

fn sent(request: SendMessageRequest) -> Checked<model::SendMessageRequest> {
    read_metadata(request.metadata, "metadata")?;
    Ok(model::SendMessageRequest {
        message: member(required(request.message, "message")?, "message", message)?,
        configuration: optional(request.configuration, "configuration", configuration)?.unwrap_or_default(),
    })
}

fn configuration(configuration: SendMessageConfiguration) -> Checked<model::SendMessageConfiguration> {
    Ok(model::SendMessageConfiguration {
        push: optional(configuration.task_push_notification_config, "taskPushNotificationConfig", push_config)?,
        history_length: optional(configuration.history_length, "historyLength", history_length)?,
        return_immediately: configuration.return_immediately,
        if_generation_match: configuration.if_generation_match,
    })
}

fn part(part: Part) -> Checked<model::Part> {
    let content = match part.content {
        None => return Err(Violation::new("", "must have exactly one of text, raw, url and data")),
        Some(part::Content::Text(text)) => model::Content::Text(text),
        Some(part::Content::Raw(bytes)) => model::Content::Raw(bytes),
        Some(part::Content::Url(url)) => model::Content::Url(url),
        Some(part::Content::Data(data)) => model::Content::Data(member(data, "data", read_value)?),
    };
    Ok(model::Part {
        content,
        metadata: read_metadata(part.metadata, "metadata")?,
        filename: optional_text(part.filename),
        media_type: optional_text(part.media_type),
    })
}

/// Reads a push notification configuration (section 4.3).
pub fn push_config(config: TaskPushNotificationConfig) -> Checked<model::TaskPushNotificationConfig> {
    let config = model::TaskPushNotificationConfig {
        tenant: optional_text(config.tenant),
        id: config.id,
        task_id: config.task_id,
        url: text(config.url, "url")?,
        token: optional_text(config.token),
        authentication: optional(config.authentication, "authentication", authentication)?,
    };
    check_webhook(&config)?;
    Ok(config)
}

fn authentication(authentication: AuthenticationInfo) -> Checked<model::AuthenticationInfo> {
    Ok(model::AuthenticationInfo {
        scheme: text(authentication.scheme, "scheme")?,
        alternatives: Vec::new(),
        credentials: optional_text(authentication.credentials),
    })
}

fn push_config_name(task_id: String, id: String) -> Checked<model::PushConfigName> {
    Ok(model::PushConfigName { task_id: text(task_id, "taskId")?, id: Some(text(id, "id")?) })
}

/// The state that a list is narrowed to; the unspecified one is how protobuf leaves the filter out.
fn task_state(number: i32) -> Checked<Option<model::TaskState>> {
    let state = TaskState::try_from(number).map_err(|_| Violation::new("", "must name a task state"))?;
    Ok(match state {
        TaskState::Unspecified => None,
        TaskState::Submitted => Some(model::TaskState::Submitted),
        TaskState::Working => Some(model::TaskState::Working),
        TaskState::Completed => Some(model::TaskState::Completed),
        TaskState::Failed => Some(model::TaskState::Failed),
        TaskState::Canceled => Some(model::TaskState::Canceled),
        TaskState::InputRequired => Some(model::TaskState::InputRequired),
        TaskState::Rejected => Some(model::TaskState::Rejected),
        TaskState::AuthRequired => Some(model::TaskState::AuthRequired),
    })
}
