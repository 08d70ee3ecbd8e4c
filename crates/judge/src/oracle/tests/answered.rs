//! Whether requests are answered at all.

use std::time::Duration;

use serde_json::{Value, json};

use super::script::Script;
use super::{Row, findings, hold, right, unseen, wrong};
use crate::profile::Operation::GetTask;
use crate::transcript::{AskedTwice, Ended, TransportError, Unanswered};

const SLOW: Ended = Ended::TimedOut(Duration::from_secs(10));
const CLOSED: Ended = Ended::Failed(TransportError::Reset);

/// Two exchanges, of which the second asks again what the first asked; `then` is how the second ends.
fn twice(first: &Ended, then: Option<&Ended>) -> Script {
    let left = |script: Script, ended: &Ended| script.but(|draft| draft.is_lost = true).ended(ended.clone());
    let script = left(Script::v1_0().result("a", GetTask, json!({})), first).result("b", GetTask, json!({}));
    match then {
        Some(ended) => left(script, ended),
        None => script,
    }
}

fn asked(script: Script, left: Option<Unanswered>) -> Script {
    script.asked_twice(AskedTwice { first: 1, second: 2, left, after_streams: 0 })
}

/// A question that is answered, and is not once so many streams were left.
fn after_streams(streams: usize) -> Script {
    let script = Script::v1_0().result("a", GetTask, json!({})).result("b", GetTask, json!({}));
    let script = script.but(|draft| draft.is_lost = true).ended(SLOW.clone());
    let left = Some(Unanswered::Silent(Duration::from_secs(10)));
    script.asked_twice(AskedTwice { first: 1, second: 2, left, after_streams: streams })
}

pub(super) fn rows() -> Vec<Row> {
    let oracle = "answered";
    let silent = || Some(Unanswered::Silent(Duration::from_secs(10)));
    let no_http = || Ended::Failed(TransportError::NotHttp1("invalid chunk size".to_owned()));
    let closed = || Some(Unanswered::Closed(CLOSED));
    vec![
        right(oracle, Value::Null, Script::v1_0().error("a", GetTask, json!({ "code": -32001, "message": "no" }))),
        wrong(oracle, Value::Null, asked(twice(&SLOW, Some(&SLOW)), silent()), "no response, even on retry"),
        wrong(oracle, Value::Null, asked(twice(&CLOSED, Some(&CLOSED)), closed()), "closes the connection"),
        wrong(
            oracle,
            Value::Null,
            asked(twice(&no_http(), Some(&no_http())), Some(Unanswered::Closed(no_http()))),
            "not HTTP",
        ),
        wrong(oracle, Value::Null, after_streams(4), "(number of streams: 4)"),
        // One that was answered in the end was slow, or lost on its way.
        right(oracle, Value::Null, asked(twice(&SLOW, None), None)),
        // One silence shows nothing, and is no answer, either.
        unseen(oracle, Value::Null, twice(&SLOW, None), "no response to GetTask within 10 s"),
        unseen(oracle, Value::Null, twice(&CLOSED, Some(&CLOSED)), "the connection was lost"),
    ]
}

#[test]
fn a_request_that_is_left_twice_is_found() {
    hold(&rows());
    let left = Some(Unanswered::Silent(Duration::from_secs(10)));
    let found = findings("answered", Value::Null, asked(twice(&SLOW, Some(&SLOW)), left));
    let cited: Vec<_> = found.iter().map(|finding| (finding.exchange, finding.against)).collect();
    assert_eq!(cited, [(Some(2), Some(1))]);
}
