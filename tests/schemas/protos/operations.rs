//! The rpcs against the operations of the profiles, and their routes.

use std::collections::BTreeSet;

use a2aspec::profile::{self, Profile};

use super::{Proto, signature};

/// Where 0.3 calls an operation, and what goes in and comes out, otherwise than the canonical vocabulary.
const SPELLINGS_0_3: [(&str, &str); 6] = [
    ("SubscribeToTask", "TaskSubscription"),
    ("SubscribeToTaskRequest", "TaskSubscriptionRequest"),
    ("ListTaskPushNotificationConfigs", "ListTaskPushNotificationConfig"),
    ("ListTaskPushNotificationConfigsRequest", "ListTaskPushNotificationConfigRequest"),
    ("ListTaskPushNotificationConfigsResponse", "ListTaskPushNotificationConfigResponse"),
    ("GetExtendedAgentCard", "GetAgentCard"),
];

#[test]
fn every_operation_has_its_rpc() {
    for proto in Proto::all() {
        let profiles = profile::bundled().expect("the profiles are sound");
        let profile = profiles.iter().find(|profile| profile.name() == proto.version).expect("a profile of the proto");
        let found: BTreeSet<String> = proto.service().methods().map(|rpc| signature(&rpc)).collect();
        assert_eq!(found, expected_signatures(profile), "{}", proto.version);
    }
}

#[test]
fn an_altered_service_lacks_an_rpc() {
    for (from, to) in [
        ("rpc GetTask(", "rpc FetchTask("),
        ("returns (stream StreamResponse)", "returns (StreamResponse)"),
        ("rpc GetTask(GetTaskRequest)", "rpc GetTask(stream GetTaskRequest)"),
        ("rpc CancelTask(CancelTaskRequest)", "rpc CancelTask(GetTaskRequest)"),
        ("returns (google.protobuf.Empty)", "returns (Task)"),
    ] {
        let profiles = profile::bundled().expect("the profiles are sound");
        let profile = profiles.iter().find(|profile| profile.name() == "1.0").expect("a profile");
        let proto = Proto::altered("1.0", from, to);
        let found: BTreeSet<String> = proto.service().methods().map(|rpc| signature(&rpc)).collect();
        assert_ne!(found, expected_signatures(profile), "{to}");
    }
}

fn expected_signatures(profile: &Profile) -> BTreeSet<String> {
    let spelled = |canonical: &str| {
        let other = SPELLINGS_0_3.iter().find(|(name, _)| profile.name() == "0.3" && *name == canonical);
        other.map_or(canonical, |(_, spelling)| *spelling).to_owned()
    };
    let operations = profile.facts.operations.iter();
    operations
        .map(|(operation, facts)| {
            let rpc = spelled(&operation.to_string());
            let mut input = facts.params.as_deref().map_or_else(|| format!("{rpc}Request"), spelled);
            if input == "TaskPushNotificationConfig" && profile.name() == "0.3" {
                // There the configuration is wrapped, together with what it is for.
                input = format!("{rpc}Request");
            }
            let output = facts.result.as_deref().map_or_else(|| "google.protobuf.Empty".to_owned(), spelled);
            format!("{rpc}: {input} -> {}{output}", if facts.stream { "stream " } else { "" })
        })
        .collect()
}

#[test]
fn routes_bind_fields_of_their_request() {
    let mut tried = 0;
    for proto in Proto::all() {
        for rpc in proto.service().methods() {
            for route in proto.routes(&rpc) {
                let here = format!("{} {}: {} {}", proto.version, rpc.name(), route.method, route.path);
                for variable in route.variables() {
                    assert!(rpc.input().get_field_by_name(variable).is_some(), "{here}: {variable} is no field");
                    tried += 1;
                }
                let with_body = route.method == "POST";
                assert_eq!(!route.body.is_empty(), with_body, "{here}: body {:?}", route.body);
                if with_body && route.body != "*" {
                    assert!(rpc.input().get_field_by_name(&route.body).is_some(), "{here}: {} is no field", route.body);
                }
            }
        }
    }
    assert!(tried > 20, "only {tried} variables tried");
}
