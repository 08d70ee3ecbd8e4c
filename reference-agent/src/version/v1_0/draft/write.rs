//! From the model to the JSON of the draft: what is not as in 1.0.

use serde::Serialize;

use super::super::traits::{DRAFT, Form};
use super::super::write::{write_answer_of, write_event_of};
use crate::core::Answer;
use crate::model::StreamEvent;
use crate::version::v0_3::rest::TaskPushNotificationConfig;
use crate::version::{Json, Version};

/// Writes the answer to an operation.
///
/// # Errors
/// None that the model can cause.
pub fn write_answer(answer: &Answer, form: Form) -> serde_json::Result<Json> {
    match answer {
        Answer::PushConfig(config) => Json::of(&TaskPushNotificationConfig::from(config)),
        Answer::PushConfigs(response) => Json::of(&ListTaskPushNotificationConfigResponse {
            configs: response.configs.iter().map(Into::into).collect(),
            next_page_token: response.next_page_token.as_deref(),
        }),
        Answer::ExtendedCard(card) => Json::of(card.of(Version::V1_0Draft)),
        Answer::Sent(_) | Answer::Task(_) | Answer::Tasks(_) | Answer::Deleted | Answer::NoPushConfig => {
            write_answer_of(answer, form, &DRAFT)
        }
    }
}

/// Writes an element of a stream.
///
/// # Errors
/// None that the model can cause.
pub fn write_event(event: &StreamEvent, is_last: bool, form: Form) -> serde_json::Result<Json> {
    write_event_of(event, is_last, form, &DRAFT)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListTaskPushNotificationConfigResponse<'a> {
    configs: Vec<TaskPushNotificationConfig<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<&'a str>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Event, TaskState, TaskStatus, TaskStatusUpdateEvent, Timestamp};
    use serde_json::json;

    #[test]
    fn events_stand_by_themselves_or_in_a_member() {
        let status =
            TaskStatus { state: TaskState::Canceled, message: None, timestamp: Timestamp::from_milliseconds(1) };
        let update =
            TaskStatusUpdateEvent { task_id: "t".to_owned(), context_id: "c".to_owned(), status, generation: 0 };
        let event = StreamEvent::Update(Event::Status(update));
        let bare = |is_final: bool| {
            let status = json!({"state": "cancelled", "timestamp": "1970-01-01T00:00:00.001Z"});
            json!({"taskId": "t", "contextId": "c", "status": status, "final": is_final})
        };
        assert_eq!(write_event(&event, true, Form::Bare).unwrap(), bare(true));
        assert_eq!(write_event(&event, false, Form::Bare).unwrap(), bare(false));
        assert_eq!(write_event(&event, true, Form::Wrapped).unwrap(), json!({"statusUpdate": bare(true)}));
    }
}
