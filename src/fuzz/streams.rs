//! Streams: they are left in their middle, joined by several clients at once, held open by clients that do not read, and held against
//! the task behind them.

use std::time::Duration;

use serde_json::{Value, json};

use super::aim::Aim;
use super::probe::{Hold, Probe, Reading, Send, bare, step};
use super::{request, steps};
use crate::case::{Last, Piece, Trigger, Written};
use crate::generate::{Choices, free};
use crate::profile::{Binding, Operation};

/// The most clients that join a stream at once, and the most events after which one is left.
const MOST_READERS: usize = 4;
/// How long a client waits that has said that it sends no more.
const PATIENCE: Duration = Duration::from_millis(300);
const MOST_EVENTS: usize = 4;
/// The names of the first stream, and of the first that joins it.
const MADE: &str = "made";
const JOINED: &str = "joined";
const ALSO_JOINED: &str = "joined-too";
/// That of the last look at the task.
const END: &str = "end";

/// The decision by which streams are held open.
const HELD: usize = 3;

/// What tasks are made by.
const WORDS: [Trigger; 3] = [Trigger::Slow, Trigger::Complete, Trigger::InputRequired];

/// The steps that these decisions come to; nothing where the interface has no streams.
pub(super) fn make(aim: &Aim, choices: &mut Choices<'_>) -> Option<Vec<Probe>> {
    let has = |operation: Operation| aim.operations.contains(&operation);
    if !has(Operation::SendStreamingMessage) || !has(Operation::GetTask) {
        return None;
    }
    let how = choices.below(4);
    // What is held open is to go on meanwhile.
    let trigger = if how == HELD { Trigger::Slow } else { *choices.pick(&WORDS)? };
    let word = aim.session.options.words.say(trigger).text;
    let mut params = request::message(&word);
    said(aim, &mut params, choices);
    let made = Probe { name: MADE.to_owned(), is_needed: true, ..step(Operation::SendStreamingMessage, params) };
    let id = json!({ "id": "${made.task.id}" });
    let mut read = id.clone();
    if choices.below(4) > 0 {
        aim.add(Operation::GetTask, &mut read, ("/historyLength", json!(choices.below(100))));
    }
    let look = || Probe { class: "plain-read".to_owned(), ..step(Operation::GetTask, read.clone()) };
    let has_more = has(Operation::SubscribeToTask);
    Some(match how {
        HELD => {
            // Some clients read the first event and no more, one says that it sends no more: others are served meanwhile.
            let readers = if has_more { choices.below(MOST_READERS) } else { 0 };
            let reading = Reading::Held(1);
            let join = |number: usize| {
                let name = format!("{JOINED}{number}");
                Probe { name, reading, ..step(Operation::SubscribeToTask, id.clone()) }
            };
            let mut all = vec![Probe { reading, ..made }];
            all.extend(steps::at_once((0..readers).map(join).collect()));
            let is_http1 = aim.session.connection.interface.binding != Binding::Grpc;
            all.extend((is_http1 && has_more && choices.below(2) > 0).then(|| half_closed(id.clone())));
            all.push(look());
            all
        }
        1.. if has_more => {
            let left = Reading::Left(1 + choices.below(MOST_EVENTS));
            let readers = 1 + choices.below(MOST_READERS);
            let join = |number: usize| {
                let name = match number {
                    0 => JOINED.to_owned(),
                    1 => ALSO_JOINED.to_owned(),
                    _ => String::new(),
                };
                let subscribe = step(Operation::SubscribeToTask, id.clone());
                Probe { name, reading: Reading::Whole, ..subscribe }
            };
            let mut joined: Vec<Probe> = (0..readers).map(join).collect();
            // One of them is held against the others' task; its own holds are judged once it has been read.
            if let Some(first) = joined.first_mut() {
                first.holds = of_a_stream(JOINED);
            }
            let mut holds = vec![shows_state(JOINED)];
            if readers > 1 {
                holds.push(hold("same-events", json!([JOINED, ALSO_JOINED]), "subscribe/same-events"));
            }
            // It may end by a cancellation, too.
            if has(Operation::CancelTask) && choices.below(3) == 2 {
                joined.push(step(Operation::CancelTask, id.clone()));
            }
            let mut all = vec![Probe { reading: left, ..made }, look()];
            all.extend(steps::at_once(joined));
            all.push(Probe { name: END.to_owned(), holds, ..look() });
            all
        }
        _ => {
            let holds = of_a_stream(MADE);
            let made = Probe { reading: Reading::Whole, holds, ..made };
            let artifacts = json!({ "stream": MADE, "task": END });
            let both = json!({ "stream": MADE, "task": END });
            let holds = vec![
                shows_state(MADE),
                hold("artifacts-match", artifacts, "stream/artifacts-match-task"),
                hold("status-message-as-read", both, "stream/status-message-as-read"),
            ];
            vec![made, Probe { name: END.to_owned(), holds, ..look() }]
        }
    })
}

/// What a message says beside the word: metadata, or one more part.
fn said(aim: &Aim, params: &mut Value, choices: &mut Choices<'_>) {
    let mut configured = |place: &str, value: Value| aim.add(Operation::SendStreamingMessage, params, (place, value));
    match choices.below(4) {
        0 => {}
        1 => {
            configured("/configuration", json!({ "acceptedOutputModes": ["text/plain"] }));
            if choices.below(2) == 1 {
                configured("/configuration/historyLength", json!(choices.below(4)));
            }
        }
        2 => {
            let metadata = json!({ "a2aspec": free::any(choices, &aim.learned.numbers()) });
            request::put(params, "/message/metadata", metadata);
        }
        _ => {
            let more = json!({ "text": free::text(choices, free::LONGEST) });
            if let Some(Value::Array(parts)) = params.pointer_mut("/message/parts") {
                parts.push(more);
            }
        }
    }
}

/// A client of a stream that sends no more after its request, and says so: an agent may take that for the end.
fn half_closed(params: Value) -> Probe {
    let request = Piece::Write { what: Written::Text("${bytes.request}".to_owned()), at_once: None };
    let send = vec![request, Piece::Then(Last::HalfClose), Piece::Pause(PATIENCE), Piece::Then(Last::Close)];
    let send = Send::Bytes { params, send };
    Probe { send, class: "odd-bytes".to_owned(), ..bare(Operation::SubscribeToTask) }
}

fn hold(oracle: &'static str, args: Value, like: &'static str) -> Hold {
    Hold::new(oracle, args, like)
}

/// What holds of every stream.
fn of_a_stream(name: &str) -> Vec<Hold> {
    vec![
        hold("stream-pattern", json!(name), "stream/pattern"),
        hold("stream-ids", json!(name), "stream/ids"),
        hold("stream-closes", json!(name), "stream/closes"),
        hold("chunk-flags", json!(name), "stream/chunks"),
    ]
}

/// A stream that was read to its end has shown the state that the task has then.
fn shows_state(name: &str) -> Hold {
    hold("shows-state", json!({ "stream": name, "task": END }), "stream/shows-the-end")
}
