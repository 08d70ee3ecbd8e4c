//! What comes to webhooks.

use serde_json::json;

use super::*;
use crate::Observation;
use crate::transcript::Delivered;

const STATUS: &str = r#"{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}"#;

/// A step that waited for deliveries, of which these came.
fn delivered(expect: Option<&Expect>, bodies: &[&str], is_enough: bool, was_reached: bool) -> StepRecord {
    let posted = bodies.iter().map(|body| (vec![("x-token", "t")], (*body).to_owned())).collect();
    let mut record = Script::v1_0().delivered("d", posted).play().last().clone();
    if let Observation::Deliveries(delivered) = &mut record.seen {
        *delivered = Delivered { is_enough, was_reached, ..delivered.clone() };
    }
    StepRecord { expect: expect.cloned(), written: expect.cloned(), ..record }
}

fn told_of(record: &StepRecord) -> String {
    told(&step(Script::v1_0().play().profile(), record).judgement)
}

#[test]
fn silence_is_wrong_only_of_an_agent_that_gets_here() {
    let expect = Expect::default();
    let missing = "an update of the task was not posted to its webhook: wanted a delivery, got ";
    assert_eq!(told_of(&delivered(Some(&expect), &[], false, true)), format!("{missing}none within 10 s"));
    let other = told_of(&delivered(Some(&expect), &["{}"], false, true));
    assert_eq!(other, format!("{missing}1 delivery, none of which is it, within 10 s"));
    for record in [delivered(Some(&expect), &[], false, false), delivered(None, &[], false, true)] {
        assert!(
            told_of(&record).starts_with("unseen: no delivery reached the webhooks at http://"),
            "{}",
            told_of(&record)
        );
    }
    assert!(
        told_of(&delivered(None, &["{}"], false, true)).starts_with("unseen: the expected delivery did not arrive")
    );
    assert_eq!(told_of(&delivered(Some(&expect), &[STATUS], true, true)), "right");
    assert_eq!(told_of(&delivered(None, &[STATUS], true, true)), "right");
}

#[test]
fn every_delivery_is_held_against_what_is_expected() {
    let state = "/1/statusUpdate/status/state";
    let expect = Expect {
        at: on(state, json!("TASK_STATE_COMPLETED")),
        http: [on("method", json!("POST")), on("x-token", json!("t"))].into_iter().flatten().collect(),
        ..Expect::default()
    };
    assert_eq!(told_of(&delivered(Some(&expect), &[STATUS, STATUS], true, true)), "right");
    let held = step(Script::v1_0().play().profile(), &delivered(Some(&expect), &[STATUS, STATUS], true, true)).held;
    assert_eq!(held, [state, "http:method", "http:x-token", "result"]);
    let wrong = Expect {
        http: [on("method", json!("PUT")), on("x-token", json!("u"))].into_iter().flatten().collect(),
        ..expect.clone()
    };
    let record = delivered(Some(&wrong), &[STATUS, STATUS], true, true);
    let Judgement::Wrong(findings) = step(Script::v1_0().play().profile(), &record).judgement else {
        panic!("it is wrong")
    };
    let numbers: Vec<Option<u64>> = findings.iter().map(|finding| finding.exchange).collect();
    assert_eq!(numbers, [Some(1), Some(1), Some(2), Some(2)]);
    let elsewhere = Expect { at: on(state, json!("TASK_STATE_FAILED")), ..Expect::default() };
    let record = delivered(Some(&elsewhere), &[STATUS, STATUS], true, true);
    let Judgement::Wrong(findings) = step(Script::v1_0().play().profile(), &record).judgement else {
        panic!("it is wrong")
    };
    assert_eq!(findings[0].exchange, Some(2));
    assert_eq!(findings[0].pointer.as_deref(), Some("/statusUpdate/status/state"));
}

#[test]
fn what_did_not_come_leaves_the_case_unreached() {
    let with_reach = |record: StepRecord| StepRecord { reach: on("/0/statusUpdate/taskId", json!("t")), ..record };
    assert_eq!(reached(&with_reach(delivered(None, &[STATUS], true, true))), Ok(()));
    assert!(matches!(reached(&with_reach(delivered(None, &[], false, true))), Err(Reason::NothingDelivered { .. })));
    assert!(matches!(reached(&with_reach(delivered(None, &["{}"], true, true))), Err(Reason::WrongState { .. })));
    assert!(reached(&delivered(None, &[], false, true)).is_ok());
}
