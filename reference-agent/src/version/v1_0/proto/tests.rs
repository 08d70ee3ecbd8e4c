//! The two forms of 1.0 hold each other: what this agent writes is the same message in both, and what one refuses the
//! other refuses, under the same name.

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::card::{extended_card, public_card};
use crate::config::Config;
use crate::core::{Answer, Operation, OperationName};
use crate::model::{self, samples};
use crate::version::field::Checked;
use crate::version::protobuf::same::{json_of, message_in, message_of};
use crate::version::v1_0::{RULES_OF_1_1, read as read_json, write_answer, write_event};

/// Configurations of few cases: each one is big.
fn some() -> ProptestConfig {
    ProptestConfig::with_cases(64)
}

proptest! {
    #![proptest_config(some())]

    #[test]
    fn messages_come_back(message in samples::message()) {
        prop_assert_eq!(read::message(message.clone().into()), Ok(message));
    }

    #[test]
    fn push_configs_come_back(config in samples::push_config()) {
        prop_assert_eq!(read::push_config(config.clone().into()), Ok(config));
    }

    #[test]
    fn tasks_are_the_same_in_both_forms(task in samples::task(), generation in 0..i64::MAX) {
        let task = model::Task { generation, ..task };
        let json = write_answer(&Answer::Task(task.clone())).unwrap().value();
        prop_assert_eq!(message_of::<Task>("lf.a2a.v1.Task", &json), Task::from(task));
    }

    #[test]
    fn events_are_the_same_in_both_forms(event in samples::stream_event(), generation in 0..i64::MAX) {
        let mut event = event;
        if let model::StreamEvent::Update(update) = &mut event {
            *update.generation_mut() = generation;
        }
        let json = write_event(&event).unwrap().value();
        prop_assert_eq!(message_of::<StreamResponse>("lf.a2a.v1.StreamResponse", &json), write::event(event, false));
    }

    #[test]
    fn lists_are_the_same_in_both_forms(tasks in vec(samples::task(), 0..3), token in ".*", configs in vec(samples::push_config(), 0..3)) {
        let page = || model::ListTasksResponse {
            tasks: tasks.clone(),
            next_page_token: token.clone(),
            page_size: 50,
            total_size: 7,
        };
        let json = write_answer(&Answer::Tasks(page())).unwrap().value();
        let message = message_of::<ListTasksResponse>("lf.a2a.v1.ListTasksResponse", &json);
        prop_assert_eq!(Some(message), write::tasks(Answer::Tasks(page())));

        let page = || Answer::PushConfigs(model::ListPushConfigsResponse {
            configs: configs.clone(),
            next_page_token: Some(token.clone()),
        });
        let json = write_answer(&page()).unwrap().value();
        let name = "lf.a2a.v1.ListTaskPushNotificationConfigsResponse";
        let message = message_of::<ListTaskPushNotificationConfigsResponse>(name, &json);
        prop_assert_eq!(Some(message), write::push_configs(page()));
    }
}

#[test]
fn cards_are_the_same_in_both_forms() {
    for card in [public_card(&Config::default(), "http://host"), extended_card(&Config::default(), "http://host")] {
        let json = serde_json::to_value(&card).unwrap();
        // The document has the members of 0.3, too.
        assert_eq!(message_in::<AgentCard>("lf.a2a.v1.AgentCard", &json), AgentCard::from(card));
    }
}

/// What reading a request gives: the operation, or the name of what is wrong.
fn outcome(read: Checked<Operation>) -> Result<Operation, String> {
    read.map_err(|violation| violation.field)
}

/// What reading the JSON form of a request gives.
fn in_json(name: OperationName, message: &str, request: &impl prost::Message) -> Result<Operation, String> {
    let json: Value = json_of(&format!("lf.a2a.v1.{message}"), request);
    outcome(read_json(name, Some(json), &RULES_OF_1_1))
}

/// Texts that are often empty, and as often as not an id or an address.
fn loose_text() -> impl Strategy<Value = String> + Clone {
    prop_oneof![Just(String::new()), Just("http://host/".to_owned()), samples::text()]
}

fn loose_part() -> impl Strategy<Value = Part> {
    let content = prop_oneof![
        3 => samples::part().prop_map(|part| Part::from(part).content),
        1 => Just(None),
    ];
    (content, loose_text(), loose_text()).prop_map(|(content, filename, media_type)| Part {
        metadata: None,
        filename,
        media_type,
        content,
    })
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
        (id, task_id, url, token) in (loose_text(), loose_text(), loose_text(), loose_text()),
        authentication in of((loose_text(), loose_text())),
    ) -> TaskPushNotificationConfig {
        let authentication = authentication.map(|(scheme, credentials)| AuthenticationInfo { scheme, credentials });
        TaskPushNotificationConfig { tenant: String::new(), id, task_id, url, token, authentication }
    }
}

prop_compose! {
    fn loose_send()(
        message in of(loose_message()),
        configuration in of((of(loose_push_config()), of(-2..5_i32), any::<bool>(), of(any::<i64>()))),
    ) -> SendMessageRequest {
        let configuration = configuration.map(|(push, history_length, return_immediately, if_generation_match)| SendMessageConfiguration {
            accepted_output_modes: Vec::new(),
            task_push_notification_config: push,
            history_length,
            return_immediately,
            if_generation_match,
        });
        SendMessageRequest { tenant: String::new(), message, configuration, metadata: None }
    }
}

prop_compose! {
    fn loose_list()(
        (context_id, page_token) in (loose_text(), loose_text()),
        status in -1..11_i32,
        (page_size, history_length) in (of(any::<i32>()), of(any::<i32>())),
        moment in of((-62_135_596_800..253_402_207_200_i64, 0..1_000_000_000_i32)),
        include_artifacts in of(any::<bool>()),
    ) -> ListTasksRequest {
        let status_timestamp_after = moment.map(|(seconds, nanos)| prost_types::Timestamp { seconds, nanos });
        ListTasksRequest {
            tenant: String::new(), context_id, status, page_size, page_token, history_length, status_timestamp_after, include_artifacts,
        }
    }
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
    fn push_configs_are_read_alike(config in loose_push_config()) {
        let expected = in_json(OperationName::CreatePushConfig, "TaskPushNotificationConfig", &config);
        prop_assert_eq!(outcome(read::create_push_config(config)), expected);
    }

    #[test]
    fn small_requests_are_read_alike(id in loose_text(), task_id in loose_text(), number in any::<i32>(), has_number in any::<bool>(), current_generation in of(any::<i64>())) {
        let tenant = String::new;
        let history_length = Some(number).filter(|_| has_number);
        let request = GetTaskRequest { tenant: tenant(), id: id.clone(), history_length, current_generation };
        let expected = in_json(OperationName::GetTask, "GetTaskRequest", &request);
        prop_assert_eq!(outcome(read::get_task(request)), expected);

        let request = CancelTaskRequest { tenant: tenant(), id: id.clone(), metadata: None };
        let expected = in_json(OperationName::CancelTask, "CancelTaskRequest", &request);
        prop_assert_eq!(outcome(read::cancel_task(request)), expected);

        let request = SubscribeToTaskRequest { tenant: tenant(), id: id.clone() };
        let expected = in_json(OperationName::SubscribeToTask, "SubscribeToTaskRequest", &request);
        prop_assert_eq!(outcome(read::subscribe_to_task(request)), expected);

        let request = GetTaskPushNotificationConfigRequest { tenant: tenant(), task_id: task_id.clone(), id: id.clone() };
        let expected = in_json(OperationName::GetPushConfig, "GetTaskPushNotificationConfigRequest", &request);
        prop_assert_eq!(outcome(read::get_push_config(request)), expected);

        let request = DeleteTaskPushNotificationConfigRequest { tenant: tenant(), task_id: task_id.clone(), id };
        let expected = in_json(OperationName::DeletePushConfig, "DeleteTaskPushNotificationConfigRequest", &request);
        prop_assert_eq!(outcome(read::delete_push_config(request)), expected);

        let page_size = number;
        let request = ListTaskPushNotificationConfigsRequest { tenant: tenant(), page_token: task_id.clone(), task_id, page_size };
        let expected = in_json(OperationName::ListPushConfigs, "ListTaskPushNotificationConfigsRequest", &request);
        prop_assert_eq!(outcome(read::list_push_configs(request)), expected);
    }
}
