use std::collections::BTreeSet;

use crate::fault::{Fault, UnknownFault};

#[test]
fn the_file_can_be_read_and_names_each_fault_once() {
    let faults = Fault::all().unwrap();
    let ids: BTreeSet<&str> = faults.iter().map(|fault| fault.id.as_str()).collect();
    assert_eq!(ids.len(), faults.len(), "two faults have one id");
    for fault in faults {
        assert!(!fault.requirements.is_empty(), "{} breaks no requirement", fault.id);
        assert!(fault.id.split('/').count() == 2, "{} has no area", fault.id);
        assert_eq!(Fault::find(&fault.id).unwrap().id, fault.id);
    }
}

#[test]
fn what_no_case_meets_breaks_no_requirement_of_a_case() {
    for fault in Fault::planted().unwrap() {
        assert!(fault.requirements.is_empty() && fault.id.starts_with("planted/"), "{}", fault.id);
        assert_eq!(Fault::find(&fault.id).unwrap().id, fault.id);
    }
}

#[test]
fn every_fault_does_something() {
    for fault in Fault::all().unwrap().iter().chain(Fault::planted().unwrap()) {
        let does = [
            fault.request.is_some(),
            fault.respond.is_some(),
            fault.silent,
            fault.crash.is_some(),
            fault.leak.is_some(),
            fault.slower.is_some(),
            fault.delay.is_some(),
            fault.error.is_some(),
            fault.result.is_some(),
            fault.stream.is_some(),
            !fault.cached_by.is_empty(),
            !fault.edit.is_empty(),
            !fault.events.is_empty(),
            fault.http.is_some(),
            fault.grpc.is_some(),
            fault.socket.is_some(),
            fault.delivery.is_some(),
            fault.switch.is_some(),
        ];
        assert!(does.contains(&true), "{} does nothing", fault.id);
    }
}

#[test]
fn other_names_are_told() {
    assert_eq!(Fault::find("no/such").unwrap_err(), UnknownFault::Id("no/such".to_owned()));
}
