//! From the messages of the draft to the model. What is refused, and under which name, is the same as in JSON.

use super::super::read::updated_after;
use super::{
    AuthenticationInfo, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigRequest, ListTasksRequest,
    Message, Part, PushNotificationConfig, Role, SendMessageConfiguration, SendMessageRequest,
    SetTaskPushNotificationConfigRequest as CreateTaskPushNotificationConfigRequest, SubscribeToTaskRequest,
    TaskPushNotificationConfig, TaskState, file_part, part,
};
use crate::core::{Operation, Violation, check_webhook};
use crate::model;
use crate::version::field::{Checked, history_length};
use crate::version::protobuf::{
    alike, each_of_some, member, optional, optional_text, read_metadata, read_struct, required, text,
};
use crate::version::resource_name;
use crate::version::v0_3::in_words_of_0_3;

alike::read_sends!();
alike::read_turns!();
alike::read_resources!();

/// Section 3.1.3.
pub fn get_task(request: GetTaskRequest) -> Checked<Operation> {
    Ok(Operation::GetTask {
        id: resource_name::task(&request.name)?,
        history_length: optional(request.history_length, "historyLength", history_length)?,
        current_generation: None,
    })
}

/// Section 3.1.4.
pub fn list_tasks(request: ListTasksRequest) -> Checked<Operation> {
    read_metadata(request.metadata, "metadata")?;
    Ok(Operation::ListTasks(model::ListTasksRequest {
        context_id: optional_text(request.context_id),
        status: member(request.status, "status", task_state)?,
        page_size: request.page_size,
        page_token: optional_text(request.page_token),
        // Where the client does not say, none.
        history_length: optional(request.history_length, "historyLength", history_length)?.or(Some(0)),
        include_artifacts: request.include_artifacts.unwrap_or_default(),
        is_whole: false,
        status_timestamp_after: member(request.last_updated_after, "lastUpdatedAfter", updated_after)?,
    }))
}

/// Section 3.1.6.
pub fn subscribe_to_task(request: SubscribeToTaskRequest) -> Checked<Operation> {
    Ok(Operation::SubscribeToTask { id: resource_name::task(&request.name)? })
}

/// Section 3.1.11.
pub fn get_extended_agent_card(_: GetExtendedAgentCardRequest) -> Checked<Operation> {
    Ok(Operation::GetExtendedAgentCard)
}

fn sent(request: SendMessageRequest) -> Checked<model::SendMessageRequest> {
    read_metadata(request.metadata, "metadata")?;
    // In the JSON form `request` is called `message`, too.
    Ok(model::SendMessageRequest {
        message: member(required(request.request, "message")?, "message", message)?,
        configuration: member(request.configuration.unwrap_or_default(), "configuration", configuration)?,
    })
}

fn configuration(configuration: SendMessageConfiguration) -> Checked<model::SendMessageConfiguration> {
    Ok(model::SendMessageConfiguration {
        push: optional(configuration.push_notification_config, "pushNotificationConfig", push_config)?,
        history_length: optional(configuration.history_length, "historyLength", history_length)?,
        // Nobody waits who does not ask to (3.2.2).
        return_immediately: !configuration.blocking,
        if_generation_match: None,
    })
}

fn part(part: Part) -> Checked<model::Part> {
    let metadata = read_metadata(part.metadata, "metadata")?;
    let part = match part.part {
        None => return Err(Violation::new("", "must have exactly one of text, file and data")),
        Some(part::Part::Text(text)) => model::Part::text(text),
        Some(part::Part::File(file)) => {
            let content = match file.file {
                None => return Err(Violation::new("file", "must have exactly one of fileWithBytes and fileWithUri")),
                Some(file_part::File::FileWithUri(uri)) => model::Content::Url(uri),
                Some(file_part::File::FileWithBytes(bytes)) => model::Content::Raw(bytes),
            };
            model::Part {
                filename: optional_text(file.name),
                media_type: optional_text(file.media_type),
                ..model::Part::new(content)
            }
        }
        Some(part::Part::Data(data)) => {
            let data = member(required(data.data, "data.data")?, "data.data", read_struct)?;
            model::Part::new(model::Content::Data(data.into()))
        }
    };
    Ok(model::Part { metadata, ..part })
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
        TaskState::Cancelled => Some(model::TaskState::Canceled),
        TaskState::InputRequired => Some(model::TaskState::InputRequired),
        TaskState::Rejected => Some(model::TaskState::Rejected),
        TaskState::AuthRequired => Some(model::TaskState::AuthRequired),
    })
}
