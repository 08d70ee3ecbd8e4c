//! The rpcs against the operations of the profiles, and their routes.

use std::collections::BTreeSet;

use a2aspec::profile::{self, Binding, Profile};

use super::{Proto, signature};

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

/// What the profile says of each operation with an rpc: what JSON-RPC has not (ListTasks in 0.3), the proto has not, either.
fn expected_signatures(profile: &Profile) -> BTreeSet<String> {
    let dialect = profile.dialects_over(Binding::Grpc).next().expect("a form over gRPC");
    let offered = profile.facts.operations.iter().filter(|(_, facts)| facts.method.is_some());
    offered
        .map(|(operation, facts)| {
            let rpc = facts.rpc.clone().unwrap_or_else(|| operation.to_string());
            let input = facts
                .params
                .as_deref()
                .map_or_else(|| format!("{rpc}Request"), |kind| dialect.wire_type(kind).to_owned());
            let output = facts.result.as_deref().map_or("google.protobuf.Empty", |kind| dialect.wire_type(kind));
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
