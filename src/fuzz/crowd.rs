//! A crowd: many clients join the stream of one task at once, and leave it early or stay; or, over gRPC in clear text, many calls
//! are made on one connection and taken back at once. Then a plain question.

use serde_json::json;

use super::aim::Aim;
use super::http2;
use super::probe::{Probe, Reading, Send, bare};
use super::{request, steps};
use crate::case::Trigger;
use crate::generate::Choices;
use crate::profile::{Binding, Operation};

/// How many clients there are at least, and at most: enough for a limit to be met, and no more than an agent on a small machine
/// has to bear.
const LEAST: usize = 16;
const MOST: usize = 128;
/// How many calls are taken back together at least, and at most.
const LEAST_TAKEN_BACK: usize = 100;
const MOST_TAKEN_BACK: usize = 400;

/// The steps that these decisions come to; nothing where the interface has no streams.
pub(super) fn make(aim: &Aim, choices: &mut Choices<'_>) -> Option<Vec<Probe>> {
    if aim.session.connection.interface.binding == Binding::Grpc && choices.below(2) == 1 {
        return taken_back(aim, choices);
    }
    let needed = [Operation::SendStreamingMessage, Operation::SubscribeToTask, Operation::GetTask];
    if !needed.iter().all(|operation| aim.operations.contains(operation)) {
        return None;
    }
    let word = aim.session.options.words.say(Trigger::Slow).text;
    let params = request::message(&word);
    let step = |operation, params| Probe { send: Send::Call { params }, ..bare(operation) };
    let id = json!({ "id": "${made.task.id}" });
    let made = Probe {
        name: "made".to_owned(),
        is_needed: true,
        reading: Reading::Left(1),
        ..step(Operation::SendStreamingMessage, params)
    };
    // Over HTTP/2 each that leaves is a reset.
    let reading = if choices.below(2) == 0 { Reading::Left(1) } else { Reading::Whole };
    let count = LEAST + choices.below(MOST - LEAST + 1);
    let join = |number: usize| Probe {
        class: "crowd".to_owned(),
        name: format!("joined{number}"),
        reading,
        ..step(Operation::SubscribeToTask, id.clone())
    };
    let mut all = vec![made];
    all.extend(steps::at_once((0..count).map(join).collect()));
    all.push(Probe { class: "plain-read".to_owned(), ..step(Operation::GetTask, id.clone()) });
    Some(all)
}

/// Calls that are made and taken back at once, and a plain question.
fn taken_back(aim: &Aim, choices: &mut Choices<'_>) -> Option<Vec<Probe>> {
    if !aim.operations.contains(&Operation::GetTask) {
        return None;
    }
    let calls = LEAST_TAKEN_BACK + choices.below(MOST_TAKEN_BACK - LEAST_TAKEN_BACK + 1);
    let send = Send::Call { params: json!({ "id": "${done.id}" }) };
    let question = Probe { class: "plain-read".to_owned(), send, ..bare(Operation::GetTask) };
    Some(vec![http2::flood(calls), question])
}
