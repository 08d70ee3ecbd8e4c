//! The two forms of the draft hold each other, but for the names of enum values: what this agent writes is the same message
//! in both, and what one refuses the other refuses, under the same name.

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::card::{extended_card, for_version};
use crate::config::Config;
use crate::core::{Answer, Operation, OperationName};
use crate::model::{self, Content, samples};
use crate::version::Version;
use crate::version::field::Checked;
use crate::version::protobuf::same::{json_of, message_in, message_of};
use crate::version::v1_0::draft::{Form, read as read_json, write_answer, write_event};

/// A part as the messages of the draft can hold it.
fn held(part: model::Part) -> model::Part {
    let is_file = matches!(part.content, Content::Raw(_) | Content::Url(_));
    let content = match part.content {
        Content::Data(data) if !data.is_object() => Content::Data(Value::Object(serde_json::Map::new())),
        content => content,
    };
    model::Part {
        filename: part.filename.filter(|_| is_file),
        media_type: part.media_type.filter(|_| is_file),
        content,
        ..part
    }
}

/// JSON of the draft with the enum values of the protobuf definition.
fn with_names(json: Value) -> Value {
    match json {
        Value::Object(members) => {
            let named = members.into_iter().map(|(name, value)| {
                let value = match (name.as_str(), &value) {
                    ("state" | "status", Value::String(word)) => {
                        Value::from(format!("TASK_STATE_{}", word.replace('-', "_").to_ascii_uppercase()))
                    }
                    ("role", Value::String(word)) => Value::from(format!("ROLE_{}", word.to_ascii_uppercase())),
                    ("metadata" | "data", _) => value,
                    _ => with_names(value),
                };
                (name, value)
            });
            Value::Object(named.collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(with_names).collect()),
        other => other,
    }
}

/// The opposite.
fn without_names(json: Value) -> Value {
    match json {
        Value::Object(members) => {
            let named = members.into_iter().map(|(name, value)| {
                let value = match (name.as_str(), &value) {
                    ("state" | "status" | "role", Value::String(word)) => {
                        let word = word.trim_start_matches("TASK_STATE_").trim_start_matches("ROLE_");
                        Value::from(word.replace('_', "-").to_ascii_lowercase())
                    }
                    ("metadata" | "data", _) => value,
                    _ => without_names(value),
                };
                (name, value)
            });
            Value::Object(named.collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_names).collect()),
        other => other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn messages_come_back(message in samples::message()) {
        let parts = message.parts.into_iter().map(held).collect();
        let message = model::Message { parts, ..message };
        prop_assert_eq!(read::message(message.clone().into()), Ok(message));
    }

    #[test]
    fn tasks_are_the_same_in_both_forms(task in samples::task()) {
        let json = with_names(write_answer(&Answer::Task(task.clone()), Form::Bare).unwrap().value());
        prop_assert_eq!(message_of::<Task>("draft/a2a.v1.Task", &json), Task::from(task));
    }

    #[test]
    fn events_are_the_same_in_both_forms(event in samples::stream_event(), is_last in any::<bool>()) {
        let json = with_names(write_event(&event, is_last, Form::Wrapped).unwrap().value());
        let message = message_of::<StreamResponse>("draft/a2a.v1.StreamResponse", &json);
        prop_assert_eq!(message, write::event(event, is_last));
    }

    #[test]
    fn lists_are_the_same_in_both_forms(tasks in vec(samples::task(), 0..3), token in ".*", configs in vec(samples::push_config(), 0..3)) {
        let page = || Answer::Tasks(model::ListTasksResponse {
            tasks: tasks.clone(),
            next_page_token: token.clone(),
            page_size: 50,
            total_size: 7,
        });
        let json = with_names(write_answer(&page(), Form::Bare).unwrap().value());
        let message = message_of::<ListTasksResponse>("draft/a2a.v1.ListTasksResponse", &json);
        prop_assert_eq!(Some(message), write::tasks(page()));

        let page = || Answer::PushConfigs(model::ListPushConfigsResponse {
            configs: configs.clone(),
            next_page_token: Some(token.clone()),
        });
        let json = write_answer(&page(), Form::Bare).unwrap().value();
        let name = "draft/a2a.v1.ListTaskPushNotificationConfigResponse";
        let message = message_of::<ListTaskPushNotificationConfigResponse>(name, &json);
        prop_assert_eq!(Some(message), write::push_configs(page()));
    }
}

#[test]
fn cards_are_the_same_in_both_forms() {
    let card = extended_card(&Config::default(), "http://host");
    let json = serde_json::to_value(for_version(Version::V1_0Draft, card.clone())).unwrap();
    // Additional interfaces have the name of 0.3 for their binding, too.
    assert_eq!(message_in::<AgentCard>("draft/a2a.v1.AgentCard", &json), AgentCard::from(card));
}

/// What reading a request gives: the operation, or the name of what is wrong.
fn outcome(read: Checked<Operation>) -> Result<Operation, String> {
    read.map_err(|violation| violation.field)
}

/// What reading the JSON form of a request gives.
fn in_json(name: OperationName, message: &str, request: &impl prost::Message) -> Result<Operation, String> {
    let json = without_names(json_of(&format!("draft/a2a.v1.{message}"), request));
    outcome(read_json(name, Some(json)))
}

/// Texts that are often empty, and as often as not an id or an address.
fn loose_text() -> impl Strategy<Value = String> + Clone {
    prop_oneof![Just(String::new()), Just("http://host/".to_owned()), samples::text()]
}

fn loose_part() -> impl Strategy<Value = Part> {
    let bare = |part| Part { metadata: None, part };
    prop_oneof![
        6 => samples::part().prop_map(Part::from),
        1 => Just(bare(None)),
        1 => Just(bare(Some(part::Part::File(FilePart::default())))),
        1 => Just(bare(Some(part::Part::Data(DataPart::default())))),
    ]
}

prop_compose! {
    fn loose_message()(
        message in samples::message(),
        message_id in loose_text(),
        role in prop_oneof![Just(1), Just(2), -1..4_i32],
        parts in vec(loose_part(), 0..3),
    ) -> Message {
        Message { message_id, role, parts, ..message.into() }
    }
}

prop_compose! {
    fn loose_push_config()(
        (id, url, token) in (loose_text(), loose_text(), loose_text()),
        authentication in of((vec(loose_text(), 0..3), loose_text())),
    ) -> PushNotificationConfig {
        let authentication = authentication.map(|(schemes, credentials)| AuthenticationInfo { schemes, credentials });
        PushNotificationConfig { id, url, token, authentication }
    }
}

prop_compose! {
    fn loose_send()(
        request in of(loose_message()),
        configuration in of((of(loose_push_config()), of(-2..5_i32), any::<bool>())),
    ) -> SendMessageRequest {
        let configuration = configuration.map(|(push_notification_config, history_length, blocking)| {
            let accepted_output_modes = Vec::new();
            SendMessageConfiguration { accepted_output_modes, push_notification_config, history_length, blocking }
        });
        SendMessageRequest { request, configuration, metadata: None }
    }
}

prop_compose! {
    fn loose_list()(
        (context_id, page_token) in (loose_text(), loose_text()),
        status in -1..11_i32,
        (page_size, history_length) in (of(any::<i32>()), of(any::<i32>())),
        last_updated_after in prop_oneof![Just(0), Just(i64::MAX), 0..2_000_000_000_000_i64],
        include_artifacts in of(any::<bool>()),
    ) -> ListTasksRequest {
        ListTasksRequest {
            context_id, status, page_size, page_token, history_length, last_updated_after, include_artifacts, metadata: None,
        }
    }
}

/// Texts that are as often as not a resource name.
fn loose_name() -> impl Strategy<Value = String> + Clone {
    prop_oneof![
        loose_text(),
        samples::text().prop_map(|id| format!("tasks/{id}")),
        samples::text().prop_map(|id| format!("tasks/t/pushNotificationConfigs/{id}")),
    ]
}

proptest! {
    #[test]
    fn sends_are_read_alike(request in loose_send()) {
        let expected = in_json(OperationName::SendMessage, "SendMessageRequest", &request);
        prop_assert_eq!(outcome(read::send_message(request)), expected);
    }

    #[test]
    fn lists_are_read_alike(request in loose_list()) {
        let expected = in_json(OperationName::ListTasks, "ListTasksRequest", &request);
        prop_assert_eq!(outcome(read::list_tasks(request)), expected);
    }

    #[test]
    fn requests_by_name_are_read_alike(name in loose_name(), number in any::<i32>()) {
        // Where JSON has no name it could have an id, and names that; a message has nothing but a name.
        let named = |outcome: Result<Operation, String>| outcome.map_err(|field| field.replace("id", "name"));

        let request = GetTaskRequest { name: name.clone(), history_length: Some(number) };
        let expected = in_json(OperationName::GetTask, "GetTaskRequest", &request);
        prop_assert_eq!(outcome(read::get_task(request)), named(expected));

        let request = SubscribeToTaskRequest { name: name.clone() };
        let expected = in_json(OperationName::SubscribeToTask, "SubscribeToTaskRequest", &request);
        prop_assert_eq!(outcome(read::subscribe_to_task(request)), named(expected));

        let request = GetTaskPushNotificationConfigRequest { name: name.clone() };
        let expected = in_json(OperationName::GetPushConfig, "GetTaskPushNotificationConfigRequest", &request);
        prop_assert_eq!(outcome(read::get_push_config(request)), expected);

        let request = ListTaskPushNotificationConfigRequest { parent: name, page_size: 3, page_token: String::new() };
        let expected = in_json(OperationName::ListPushConfigs, "ListTaskPushNotificationConfigRequest", &request);
        prop_assert_eq!(outcome(read::list_push_configs(request)), expected);
    }
}
