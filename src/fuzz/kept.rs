//! A message with much in it, and every way of reading it back: by itself, on a list, over the same binding and another. What is shown of it
//! is compared with what was sent.

use base64::Engine as _;
use serde_json::{Value, json};

use super::across::{partner_or_none, reads_back};
use super::aim::Aim;
use super::probe::{Probe, Reading, step};
use super::request;
use crate::case::Trigger;
use crate::generate::{Choices, free};
use crate::profile::Operation;

/// An address that nobody has (RFC 2606).
const NOBODY: &str = "https://a2aspec.invalid/file";
/// What extensions of nobody's begin with.
const EXTENSION: &str = "https://a2aspec.invalid/extensions/";
/// The most things that are said beside the word.
const MOST: usize = 3;
/// Lengths of a history that have room for the message.
const LENGTHS: [u32; 8] = [1, 2, 5, 10, 50, 100, 1_000, 2_147_483_647];

/// The steps that these decisions come to.
pub(super) fn make(aims: &[Aim], aim: &Aim, choices: &mut Choices<'_>) -> Option<Vec<Probe>> {
    let sends: Vec<Operation> =
        aim.operations.iter().copied().filter(|operation| operation.sends_a_message()).collect();
    let operation = *choices.pick(&sends)?;
    let mut params = request::message(&aim.word);
    match choices.below(3) {
        2 => say_all(aim, operation, &mut params, choices),
        _ => {
            for _ in 0..=choices.below(MOST) {
                say(aim, operation, &mut params, choices)?;
            }
        }
    }
    // What is shown of a task that is at work shows the message, too.
    if choices.below(4) == 3 {
        return Some(at_work(aim, params, choices));
    }
    let made = Probe { name: "made".to_owned(), is_needed: true, reading: Reading::Whole, ..step(operation, params) };
    let other = partner_or_none(aims, aim, choices);
    let mut steps = vec![made];
    for over in [None, other] {
        let on = over.unwrap_or(aim);
        let of = |mut params: Value, operation: Operation, choices: &mut Choices<'_>| {
            if choices.below(2) == 1
                && let Some(length) = choices.pick(&LENGTHS)
            {
                on.add(operation, &mut params, ("/historyLength", json!(length)));
            }
            Probe { over: over.map(|over| over.index), ..step(operation, params) }
        };
        let has = |operation: Operation| on.operations.contains(&operation);
        if has(Operation::GetTask) {
            steps.push(of(reads_back(), Operation::GetTask, choices));
        }
        if has(Operation::ListTasks) && choices.below(2) == 1 {
            let list = json!({ "contextId": "${made.task.contextId}", "historyLength": 10 });
            steps.push(of(list, Operation::ListTasks, choices));
        }
        if other.is_none() {
            break;
        }
    }
    Some(steps)
}

/// The same of a task that is at work: it is watched, looked at, canceled, and read once more.
fn at_work(aim: &Aim, mut params: Value, choices: &mut Choices<'_>) -> Vec<Probe> {
    const SEND: Operation = Operation::SendMessage;
    let slow = aim.session.options.words.say(Trigger::Slow).text;
    request::put(&mut params, "/message/parts/0/text", json!(slow));
    aim.answer_at_once(&mut params, true);
    let made = Probe { name: "made".to_owned(), is_needed: true, ..step(SEND, params) };
    let mut asked = [Operation::SubscribeToTask, Operation::GetTask, Operation::CancelTask];
    // Most often it is canceled last.
    asked.rotate_left(choices.below(8).saturating_sub(5));
    let reading = |operation| if operation == Operation::SubscribeToTask { Reading::Left(1) } else { Reading::Brief };
    let asked = asked.into_iter().filter(|operation| aim.operations.contains(operation));
    let ask = |(number, operation): (usize, Operation)| {
        let name = if operation == Operation::SubscribeToTask { format!("watched{number}") } else { String::new() };
        Probe { name, reading: reading(operation), ..step(operation, reads_back()) }
    };
    std::iter::once(made).chain(asked.enumerate().map(ask)).collect()
}

/// Says all that a message can say beside its word: a part of each kind with everything that a part can have, metadata, and several extensions
/// and references. What becomes of any of it is seen in one message.
pub(super) fn say_all(aim: &Aim, operation: Operation, params: &mut Value, choices: &mut Choices<'_>) {
    let (dialect, kind) = (&aim.session.connection.interface.dialect, aim.params(operation));
    let Some(kind) = kind else { return };
    let text = |choices: &mut Choices<'_>| json!(free::text(choices, 1_000));
    let name = |choices: &mut Choices<'_>| json!(free::text(choices, 100));
    let noted = |choices: &mut Choices<'_>| json!({ "a2aspec": free::object_of_all(choices), "text": free::text(choices, 200) });
    let contents = [
        ("text", text(choices)),
        ("data", json!({ "a2aspec": free::any(choices, &aim.learned.numbers()), "text": text(choices) })),
        ("url", json!(NOBODY)),
        ("raw", json!("YTJhc3BlYw==")),
    ];
    // An agent may refuse media types that it does not know.
    let has_types = choices.below(2) == 1;
    let parts = contents.map(|(name_of, content)| {
        let mut part = json!({ name_of: content, "filename": name(choices), "metadata": noted(choices) });
        if has_types {
            let words = free::text(choices, 60).replace(['"', '\\'], "~");
            part["mediaType"] = json!(format!("application/x-a2aspec; a=\"{words}\""));
        }
        part
    });
    // A version that has no place for some of it has one for the rest.
    let whole = |params: &Value| dialect.without_place(kind, params).is_none();
    let mut said = params.clone();
    if let Some(Value::Array(own)) = said.pointer_mut("/message/parts") {
        own.extend(parts);
    }
    if whole(&said) {
        *params = said;
    }
    // An agent may refuse what names no task.
    let other = if choices.below(2) == 1 { "${unknown-id}" } else { "${done.id}" };
    let extensions: Vec<String> = (0..2 + choices.below(4)).map(|number| format!("{EXTENSION}{number}")).collect();
    for more in [
        ("/message/metadata", noted(choices)),
        ("/message/extensions", json!(extensions)),
        ("/message/referenceTaskIds", json!(["${done.id}", other])),
    ] {
        request::add(params, dialect, kind, more);
    }
}

/// Says one thing more: metadata, or a further part.
pub(super) fn say(aim: &Aim, operation: Operation, params: &mut Value, choices: &mut Choices<'_>) -> Option<()> {
    let dialect = &aim.session.connection.interface.dialect;
    let kind = aim.params(operation)?;
    let numbers = aim.learned.numbers();
    let part = match choices.below(9) {
        7 => {
            let extensions: Vec<String> = (0..=choices.below(4)).map(|number| format!("{EXTENSION}{number}")).collect();
            request::add(params, dialect, kind, ("/message/extensions", json!(extensions)));
            return Some(());
        }
        8 => {
            let others = vec!["${done.id}"; 1 + choices.below(3)];
            request::add(params, dialect, kind, ("/message/referenceTaskIds", json!(others)));
            return Some(());
        }
        0 => {
            let value = free::any(choices, &numbers);
            let name = if choices.below(2) == 1 { free::text(choices, 100) } else { "a2aspec".to_owned() };
            request::add(params, dialect, kind, ("/message/metadata", json!({ name: value })));
            return Some(());
        }
        1 => {
            let value = free::any(choices, &numbers);
            request::add(params, dialect, kind, ("/message/parts/0/metadata", json!({ "a2aspec": value })));
            return Some(());
        }
        2 => json!({ "data": free::object(choices, &numbers) }),
        3 => json!({ "data": { "a2aspec": free::any(choices, &numbers) } }),
        4 => {
            let length = 1_usize << choices.below(13);
            let mut random = fastrand::Rng::with_seed(choices.bits());
            let mut bytes = vec![0; length + choices.below(3)];
            random.fill(&mut bytes);
            let raw = base64::engine::general_purpose::STANDARD.encode(bytes);
            json!({ "raw": raw, "filename": free::text(choices, 200), "mediaType": "application/octet-stream" })
        }
        5 => json!({ "url": NOBODY, "filename": free::text(choices, 200), "mediaType": "image/png" }),
        _ => json!({ "text": free::text(choices, free::LONGEST) }),
    };
    let parts = params.pointer_mut("/message/parts")?.as_array_mut()?;
    parts.push(part);
    Some(())
}
