use crate::core::OperationName;
use crate::version::Version;

/// The operation that a method stands for (1.0 and its draft, section 5.3; 0.3, section 3.5.6; 0.2.5, section 7).
pub fn operation(version: Version, method: &str) -> Option<OperationName> {
    let methods: &[(&str, OperationName)] = match version {
        Version::V0_2_1 | Version::V0_2_5 | Version::V0_3 => &V0_3,
        Version::V1_0Draft => &V1_0_DRAFT,
        Version::V1_0 => &V1_0,
    };
    let named = methods.iter().find(|(name, _)| *name == method).map(|(_, operation)| *operation);
    named.filter(|operation| version.has(*operation))
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
