//! The messages of 0.3 and their JSON form, which HTTP+JSON has, hold each other.

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::card::extended_card;
use crate::config::{Config, RestDialect};
use crate::core::{Answer, Operation, OperationName};
use crate::model::{self, Content, samples};
use crate::version::field::Checked;
use crate::version::protobuf::same::{json_of, message_in, message_of};
use crate::version::v0_3::rest;

/// A part as the messages of 0.3 can hold it.
fn held(part: model::Part) -> model::Part {
    let media_type = part.media_type.filter(|_| matches!(part.content, Content::Raw(_) | Content::Url(_)));
    let content = match part.content {
        Content::Data(data) if !data.is_object() => Content::Data(Value::Object(serde_json::Map::new())),
        content => content,
    };
    model::Part { media_type, ..model::Part::new(content) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn messages_come_back(message in samples::message()) {
        let parts = message.parts.into_iter().map(held).collect();
        let message = model::Message { parts, reference_task_ids: Vec::new(), ..message };
        prop_assert_eq!(read::message(message.clone().into()), Ok(message));
    }

    #[test]
    fn push_configs_come_back(config in samples::push_config(), alternatives in vec(samples::text(), 0..3)) {
        let mut config = model::TaskPushNotificationConfig { tenant: None, task_id: String::new(), ..config };
        if let Some(authentication) = &mut config.authentication {
            authentication.alternatives = alternatives;
        }
        prop_assert_eq!(read::push_config(config.clone().into()), Ok(config));
    }

    #[test]
    fn tasks_are_the_same_in_both_forms(task in samples::task()) {
        let json = rest::write_answer(&Answer::Task(task.clone()), RestDialect::Proto).unwrap().value();
        prop_assert_eq!(message_of::<Task>("a2a.v1.Task", &json), Task::from(task));
    }

    #[test]
    fn events_are_the_same_in_both_forms(event in samples::stream_event(), is_last in any::<bool>()) {
        let json = rest::write_event(&event, is_last, RestDialect::Proto).unwrap().value();
        prop_assert_eq!(message_of::<StreamResponse>("a2a.v1.StreamResponse", &json), write::event(event, is_last));
    }

    #[test]
    fn push_configs_are_the_same_in_both_forms(config in samples::push_config()) {
        let json = rest::write_answer(&Answer::PushConfig(config.clone()), RestDialect::Proto).unwrap().value();
        let message = message_of::<TaskPushNotificationConfig>("a2a.v1.TaskPushNotificationConfig", &json);
        prop_assert_eq!(message, TaskPushNotificationConfig::from(config));
    }
}

#[test]
fn cards_are_the_same_in_both_forms() {
    let card = extended_card(&Config::default(), "http://host");
    // The document has the members of 1.0, too.
    let json = serde_json::to_value(&card).unwrap();
    assert_eq!(message_in::<AgentCard>("a2a.v1.AgentCard", &json), AgentCard::from(card));
}

/// What reading a request gives: the operation, or the name of what is wrong.
fn outcome(read: Checked<Operation>) -> Result<Operation, String> {
    read.map_err(|violation| violation.field)
}

/// Texts that are often empty, and as often as not an id or an address.
fn loose_text() -> impl Strategy<Value = String> + Clone {
    prop_oneof![Just(String::new()), Just("http://host/".to_owned()), samples::text()]
}

fn loose_part() -> impl Strategy<Value = Part> {
    prop_oneof![
        6 => samples::part().prop_map(Part::from),
        1 => Just(Part { part: None }),
        1 => Just(Part { part: Some(part::Part::File(FilePart::default())) }),
        1 => Just(Part { part: Some(part::Part::Data(DataPart::default())) }),
    ]
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
    fn loose_message()(
        message in samples::message(),
        message_id in loose_text(),
        role in prop_oneof![Just(1), Just(2), -1..4_i32],
        content in vec(loose_part(), 0..3),
    ) -> Message {
        Message { message_id, role, content, ..message.into() }
    }
}

prop_compose! {
    fn loose_send()(
        request in of(loose_message()),
        configuration in of((of(loose_push_config()), -2..5_i32, any::<bool>())),
    ) -> SendMessageRequest {
        let configuration = configuration.map(|(push_notification, history_length, blocking)| {
            SendMessageConfiguration { accepted_output_modes: Vec::new(), push_notification, history_length, blocking }
        });
        SendMessageRequest { request, configuration, metadata: None }
    }
}

proptest! {
    #[test]
    fn sends_are_read_alike(request in loose_send()) {
        let Value::Object(json) = json_of("a2a.v1.SendMessageRequest", &request) else { panic!() };
        let expected = outcome(rest::read(OperationName::SendMessage, json, RestDialect::Proto));
        prop_assert_eq!(outcome(read::send_message(request)), expected);
    }
}
