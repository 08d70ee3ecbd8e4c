//! What comes over a connection whose bytes a case chose.

use serde_json::json;

use super::*;
use crate::transcript::{Fate, TransportError};
use crate::{Connected, Observation};

/// A step over a connection that came to this.
fn connected(expect: &Expect, answers: &[Script], fate: Fate) -> StepRecord {
    let answers = answers.iter().filter_map(|script| script.play().last().seen.answer().cloned()).collect();
    let seen = Observation::Connection(Connected { answers, interim: vec![100], fate });
    StepRecord { seen, ..played(expect, &got(json!({}))) }
}

fn told_of(expect: &Expect, answers: &[Script], fate: Fate) -> String {
    told(&step(got(json!({})).play().profile(), &connected(expect, answers, fate)).judgement)
}

#[test]
fn a_connection_that_ends_without_an_answer_is_an_outcome_where_a_case_allows_it() {
    let lost_by = |error: TransportError| lost(Ended::Failed(error));
    for (outcomes, script, wanted) in [
        (&[Outcome::Http, Outcome::Closed][..], lost(Ended::Closed), "right"),
        (&[Outcome::HttpRefusal, Outcome::Closed], lost_by(TransportError::Reset), "right"),
        (
            &[Outcome::Closed],
            got(json!({})),
            "the agent accepts a request that it must refuse: wanted the end of the connection, got the result {}",
        ),
        (
            &[Outcome::Result],
            lost(Ended::Closed),
            "no response: wanted a result, got closed by the agent without an answer",
        ),
        (
            &[Outcome::Http, Outcome::Closed],
            lost(too_slow()),
            "unseen: no response to GetTask within 10 s; increase --timeout for a slow agent",
        ),
    ] {
        assert_eq!(told_of(&any_of(outcomes), &[script], Fate::Closed), wanted, "{outcomes:?}");
    }
    // Nobody knows who refused a connection, and garbage is no refusal.
    for error in [TransportError::Refused, TransportError::NotHttp1("x".to_owned())] {
        let told = told_of(&any_of(&[Outcome::Closed]), &[lost_by(error)], Fate::Unreadable);
        assert!(told.starts_with("broken: "), "{told}");
    }
    let reset = told_of(&any_of(&[Outcome::Result]), &[lost_by(TransportError::Reset)], Fate::Reset);
    assert!(reset.starts_with("unseen: "), "{reset}");
}

#[test]
fn any_answer_is_one_and_nothing_is_none() {
    let lost_by = |error: TransportError| lost(Ended::Failed(error));
    let silent = "no response, even on retry";
    let closed = "the agent closes the connection without a response, even on retry";
    for (script, wanted) in [
        (got(json!({})), "right"),
        (refused(-32603), "right"),
        (lost(too_slow()), silent),
        (lost(Ended::Closed), closed),
        (lost_by(TransportError::Reset), closed),
        (lost_by(TransportError::Refused), closed),
    ] {
        let told = told(&step(script.play().profile(), &played(&any_of(&[Outcome::Answered]), &script)).judgement);
        assert_eq!(told.split(": ").next(), Some(wanted), "{told}");
    }
}

#[test]
fn conditions_on_the_connection_are_judged_by_all_that_came() {
    let on_connection = |name: &str, condition| Expect { connection: on(name, condition), ..any_of(&[]) };
    let answers = || [got(json!({})), refused(-32001)];
    for (name, condition, wanted) in [
        ("answers", json!(2), "right"),
        ("answers", json!({ "at-most": 1 }), "the connection (answers) is not as required"),
        ("statuses", json!([200, 200]), "right"),
        ("interim", json!([100]), "right"),
        ("closed", json!(true), "right"),
        ("closed", json!(false), "the connection (closed) is not as required"),
    ] {
        let expect = on_connection(name, condition);
        let told = told_of(&expect, &answers(), Fate::Closed);
        assert_eq!(told == "right", wanted == "right", "{name}: {told}");
        let judged = step(got(json!({})).play().profile(), &connected(&expect, &answers(), Fate::Closed));
        let assertion = format!("connection:{name}");
        let seen = if wanted == "right" { judged.held } else { judged.violated };
        assert!(seen.contains(&assertion), "{seen:?}");
    }
    // A lost answer is none.
    let none = on_connection("answers", json!(0));
    let none = Expect { outcome: vec![Outcome::Closed], ..none };
    assert_eq!(told_of(&none, &[lost(Ended::Closed)], Fate::Closed), "right");
}
