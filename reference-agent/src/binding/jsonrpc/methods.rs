use crate::core::OperationName;
use crate::version::{Family, Version};

/// The operation that a method stands for (1.0 and its draft, section 5.3; 0.3, section 3.5.6; 0.2.5 and 0.1, section 7).
pub fn operation(version: Version, method: &str) -> Option<OperationName> {
    let (methods, lacks): (&[(&str, OperationName)], &[OperationName]) = match version.family() {
        Family::V0_1(_) => (&V0_1, &[]),
        Family::V0_3(traits) => (&V0_3, traits.lacks),
        Family::V1_0Draft => (&V1_0_DRAFT, &[]),
        Family::V1_0(_) => (&V1_0, &[]),
    };
    let named = methods.iter().find(|(name, _)| *name == method).map(|(_, operation)| *operation);
    named.filter(|operation| !lacks.contains(operation))
}

/// The names of the draft, two of which 1.0 changed.
const V1_0_DRAFT: [(&str, OperationName); 11] = {
    let mut methods = V1_0;
    methods[6].0 = "SetTaskPushNotificationConfig";
    methods[8].0 = "ListTaskPushNotificationConfig";
    methods
};

const V1_0: [(&str, OperationName); 11] = [
    ("SendMessage", OperationName::SendMessage),
    ("SendStreamingMessage", OperationName::SendStreamingMessage),
    ("GetTask", OperationName::GetTask),
    ("ListTasks", OperationName::ListTasks),
    ("CancelTask", OperationName::CancelTask),
    ("SubscribeToTask", OperationName::SubscribeToTask),
    ("CreateTaskPushNotificationConfig", OperationName::CreatePushConfig),
    ("GetTaskPushNotificationConfig", OperationName::GetPushConfig),
    ("ListTaskPushNotificationConfigs", OperationName::ListPushConfigs),
    ("DeleteTaskPushNotificationConfig", OperationName::DeletePushConfig),
    ("GetExtendedAgentCard", OperationName::GetExtendedAgentCard),
];

const V0_3: [(&str, OperationName); 10] = [
    ("message/send", OperationName::SendMessage),
    ("message/stream", OperationName::SendStreamingMessage),
    ("tasks/get", OperationName::GetTask),
    ("tasks/cancel", OperationName::CancelTask),
    ("tasks/resubscribe", OperationName::SubscribeToTask),
    ("tasks/pushNotificationConfig/set", OperationName::CreatePushConfig),
    ("tasks/pushNotificationConfig/get", OperationName::GetPushConfig),
    ("tasks/pushNotificationConfig/list", OperationName::ListPushConfigs),
    ("tasks/pushNotificationConfig/delete", OperationName::DeletePushConfig),
    ("agent/getAuthenticatedExtendedCard", OperationName::GetExtendedAgentCard),
];

const V0_1: [(&str, OperationName); 7] = [
    ("tasks/send", OperationName::SendMessage),
    ("tasks/sendSubscribe", OperationName::SendStreamingMessage),
    ("tasks/get", OperationName::GetTask),
    ("tasks/cancel", OperationName::CancelTask),
    ("tasks/resubscribe", OperationName::SubscribeToTask),
    ("tasks/pushNotification/set", OperationName::CreatePushConfig),
    ("tasks/pushNotification/get", OperationName::GetPushConfig),
];
