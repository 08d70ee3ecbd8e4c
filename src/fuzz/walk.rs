//! Sequences: a task is made, and then asked for, changed, canceled and spoken to in an order that no client of yours has, some
//! of it at once.

use serde_json::{Map, Value, json};

use super::across;
use super::aim::Aim;
use super::class::Classes;
use super::kept;
use super::others::{self, Place};
use super::pages;
use super::probe::{Hold, Probe, step};
use super::varied::varied;
use super::{request, steps};
use crate::auth::Caller;
use crate::case::Trigger;
use crate::generate::{Choices, free};
use crate::profile::Operation;

/// The most things that are done behind the step that makes the task.
const MOST_STEPS: usize = 8;
/// The most things that the first message says beside its word.
const MOST_SAID: usize = 2;
/// How often the same thing is done at most: limits of programs are seldom lower, and each time costs a request.
const MOST_TIMES: usize = 8;
/// The name of the first step.
pub(super) const FIRST: &str = "made";
/// The oracle about a task and a list.
const LISTED: &str = "listed-once";

/// The classes of a configuration that is asked for under another task than its own, by what versions say of it.
const OF_ANOTHER_TASK: [&str; 2] = ["config-of-another-task", "config-of-another-task-if-any"];

/// Whether a step asks for something of one task under another.
pub(super) fn is_of_another_task(step: &Probe) -> bool {
    OF_ANOTHER_TASK.contains(&step.class.as_str())
}

/// What tasks are made by: most are at work, wait for their client, or have just ended.
const WORDS: [Trigger; 14] = [
    Trigger::Complete,
    Trigger::InputRequired,
    Trigger::Slow,
    Trigger::Message,
    Trigger::AuthRequired,
    Trigger::Fail,
    Trigger::Reject,
    Trigger::Chunks,
    Trigger::File,
    Trigger::Data,
    Trigger::Complete,
    Trigger::InputRequired,
    Trigger::InputRequired,
    Trigger::Slow,
];

/// What is known so far.
struct Model {
    /// What made the task.
    word: String,
    /// The steps that set a push configuration, and whether another took it back.
    configs: Vec<(String, bool)>,
    /// Whether the interface has an operation that deletes them.
    may_delete: bool,
}

/// The steps that these decisions come to; nothing where the interface sends no messages.
pub(super) fn make((aims, aim): (&[Aim], &Aim), classes: &Classes, choices: &mut Choices<'_>) -> Option<Vec<Probe>> {
    let has = |operation: Operation| aim.operations.contains(&operation);
    if !has(Operation::SendMessage) {
        return None;
    }
    let word = choices.pick(&WORDS).map(|trigger| aim.session.options.words.say(*trigger).text)?;
    let first = first(aim, &word, choices);
    let mut all = vec![varied(aim, first, choices)];
    let may_delete = has(Operation::DeleteTaskPushNotificationConfig);
    let mut model = Model { word, configs: Vec::new(), may_delete };
    let has_other = aim.other.session().is_some();
    // The other caller asks over the interface of the walk, or over another.
    let over = if has_other { across::partner_or_none(aims, aim, choices) } else { None };
    let place = Place { aim, over: over.filter(|over| over.other.session().is_some()), classes };
    for number in 0..=choices.below(MOST_STEPS) {
        let kinds = if has_other { OWN_KINDS + KINDS_OF_OTHERS } else { OWN_KINDS };
        let made = match choices.below(kinds) {
            own @ ..OWN_KINDS => next((own, &place), &mut model, number, choices),
            _ => others_ask(&place, &mut model, number, choices),
        };
        let made = steps::keep(&made, |_, step| has(step.operation));
        // What is made at once is about its order.
        all.extend(steps::groups(&made).flat_map(|group| match group {
            [alone] => vec![varied(aim, alone.clone(), choices)],
            several => several.to_vec(),
        }));
    }
    let is_asked_by_another = all.iter().any(|step| step.by == Caller::Other);
    if is_asked_by_another && aim.other.may_make() && choices.below(2) == 1 {
        all = others::swapped(all);
    }
    Some(all)
}

/// What makes the task: what follows finds it at work, where nobody waits for the work.
fn first(aim: &Aim, word: &str, choices: &mut Choices<'_>) -> Probe {
    let mut params = request::message(word);
    if choices.below(2) == 1 {
        aim.answer_at_once(&mut params, true);
    }
    // What is lost or changed of a message on the way is seen if there is much in it.
    match choices.below(MOST_SAID + 2) {
        count @ ..=MOST_SAID => {
            for _ in 0..count {
                kept::say(aim, Operation::SendMessage, &mut params, choices);
            }
        }
        _ => kept::say_all(aim, Operation::SendMessage, &mut params, choices),
    }
    // A context that its client has named. An agent may refuse it.
    if choices.one_in(8) {
        let name = format!("a2aspec-${{unique}} {}", free::of_all(choices.bits()));
        aim.add(Operation::SendMessage, &mut params, ("/message/contextId", json!(name)));
    }
    Probe { name: FIRST.to_owned(), is_needed: true, ..step(Operation::SendMessage, params) }
}

/// How many kinds of things are done next, and how many times another caller stands among them.
const OWN_KINDS: usize = 19;
const KINDS_OF_OTHERS: usize = 4;

/// What is done next.
fn next((kind, at): (usize, &Place<'_>), model: &mut Model, number: usize, choices: &mut Choices<'_>) -> Vec<Probe> {
    match kind {
        alone @ 0..6 => vec![about_the_task(alone, model, choices)],
        6 => vec![set_config(model, number)],
        7 | 8 if model.configs.is_empty() => vec![set_config(model, number)],
        7 => {
            let deleted = delete_config(model);
            deleted.into_iter().chain(read_config(model).filter(|_| choices.below(2) == 0)).collect()
        }
        8 => read_config(model).into_iter().collect(),
        9 => pages::further(number, choices),
        10 => there(number),
        11 => of_another_task(at, model, number),
        12 => again(model, choices),
        13 => webhooks(model, number, choices),
        14 => messages(model, choices),
        15 => vec![beside_the_task(model, choices)],
        _ => at_once(model, choices),
    }
}

/// Something that is asked of the task, or done to it.
fn about_the_task(which: usize, model: &Model, choices: &mut Choices<'_>) -> Probe {
    let id = json!("${made.task.id}");
    match which {
        0 => step(Operation::GetTask, json!({ "id": id })),
        1 => step(Operation::CancelTask, json!({ "id": id })),
        2 => further_message(model, choices),
        3 => step(Operation::SubscribeToTask, json!({ "id": id })),
        4 => step(Operation::ListTasks, json!({ "contextId": "${made.task.contextId}" })),
        _ => step(Operation::ListTaskPushNotificationConfigs, json!({ "taskId": id })),
    }
}

/// A message to the task, or into its context: a new one, or the first once more, as clients send it that saw no answer.
fn further_message(model: &Model, choices: &mut Choices<'_>) -> Probe {
    let is_again = choices.below(4) == 3;
    let mut params = request::message(if is_again { &model.word } else { "go on" });
    if let Some(Value::Object(message)) = params.get_mut("message") {
        name_task(message, choices);
        if is_again {
            message.insert("messageId".to_owned(), json!("${made.request.message.messageId}"));
        }
    }
    step(Operation::SendMessage, params)
}

/// The same thing again and again: what counts how often is seen by nobody who does it once.
fn again(model: &Model, choices: &mut Choices<'_>) -> Vec<Probe> {
    let which = choices.below(6);
    let times = 2 + choices.below(MOST_TIMES - 1);
    // The members that a step says beside its own are other ones each time.
    (0..times).map(|_| about_the_task(which, model, choices)).collect()
}

/// Some webhooks, their list, and one of them.
fn webhooks(model: &mut Model, number: usize, choices: &mut Choices<'_>) -> Vec<Probe> {
    let count = 1 + choices.below(MOST_TIMES);
    let mut all: Vec<Probe> = (0..count).map(|one| set_config(model, 100 * (number + 1) + one)).collect();
    if choices.below(3) == 2 {
        all.push(further_message(model, choices));
    }
    all.push(about_the_task(5, model, choices));
    all.extend(read_config(model));
    // What is done to a task that has some.
    all.push(about_the_task(choices.below(5), model, choices));
    if choices.below(2) == 1 {
        all.extend(delete_config(model));
        all.push(about_the_task(5, model, choices));
    }
    all
}

/// Several messages to the task, by which it has a history, and a look at it.
fn messages(model: &Model, choices: &mut Choices<'_>) -> Vec<Probe> {
    let message = || {
        let mut params = request::message(&model.word);
        request::put(&mut params, "/message/taskId", json!("${made.task.id}"));
        step(Operation::SendMessage, params)
    };
    let mut all: Vec<Probe> = (0..1 + choices.below(MOST_TIMES)).map(|_| message()).collect();
    all.push(about_the_task(choices.below(6), model, choices));
    all
}

/// What few clients do behind something else: a stream of the task, the extended card, a list of all tasks, a cancellation for the second
/// time.
fn beside_the_task(model: &Model, choices: &mut Choices<'_>) -> Probe {
    match choices.below(4) {
        0 => {
            let mut params = request::message(&model.word);
            request::put(&mut params, "/message/taskId", json!("${made.task.id}"));
            step(Operation::SendStreamingMessage, params)
        }
        1 => step(Operation::GetExtendedAgentCard, json!({})),
        2 => step(Operation::ListTasks, json!({ "pageSize": 3 })),
        _ => step(Operation::CancelTask, json!({ "id": "${made.task.id}" })),
    }
}

/// Names the task, or its context, or both.
fn name_task(message: &mut Map<String, Value>, choices: &mut Choices<'_>) {
    let how = choices.below(3);
    if how != 1 {
        message.insert("taskId".to_owned(), json!("${made.task.id}"));
    }
    if how != 0 {
        message.insert("contextId".to_owned(), json!("${made.task.contextId}"));
    }
}

/// The task is there for who made it, and on the list of its context.
fn there(number: usize) -> Vec<Probe> {
    let [read, listed] = ["read", "listed"].map(|name| format!("{name}{number}"));
    let hold = Hold::new(LISTED, json!({ "list": listed, "task": read }), "list/filter-context");
    let read = Probe { name: read, is_needed: true, ..step(Operation::GetTask, json!({ "id": "${made.task.id}" })) };
    let list = step(Operation::ListTasks, json!({ "contextId": "${made.task.contextId}" }));
    vec![
        Probe { class: "read-after-making".to_owned(), ..read },
        Probe { name: listed, class: "plain-read".to_owned(), holds: vec![hold], ..list },
    ]
}

/// Another caller asks for something of it; for a webhook where one is there, which is set for that if need be.
fn others_ask(place: &Place<'_>, model: &mut Model, number: usize, choices: &mut Choices<'_>) -> Vec<Probe> {
    let is_there = |model: &Model| model.configs.iter().rev().find(|(_, is_gone)| !is_gone).map(|(of, _)| of.clone());
    let set = (is_there(model).is_none() && choices.below(2) == 1).then(|| set_config(model, number));
    let config = is_there(model);
    let asked = others::ask(place, (&place.aim.word, config.as_deref()), number, choices);
    set.into_iter().chain(asked).collect()
}

fn set_config(model: &mut Model, number: usize) -> Probe {
    let name = format!("config{number}");
    let webhook = "https://a2aspec.invalid/webhook";
    let params = json!({ "taskId": "${made.task.id}", "id": "a2aspec-${unique}", "url": webhook });
    model.configs.push((name.clone(), false));
    Probe { name, is_needed: true, ..step(Operation::CreateTaskPushNotificationConfig, params) }
}

fn config(of: &str) -> Value {
    json!({ "taskId": "${made.task.id}", "id": format!("${{{of}.result.id}}") })
}

/// The last configuration that is there is deleted, where that can be done.
fn delete_config(model: &mut Model) -> Option<Probe> {
    let left = model.configs.iter_mut().rev().find(|(_, is_gone)| !is_gone);
    let (of, is_gone) = left.filter(|_| model.may_delete)?;
    *is_gone = true;
    Some(Probe { is_needed: true, ..step(Operation::DeleteTaskPushNotificationConfig, config(of)) })
}

/// The last configuration is read, be it there or not.
fn read_config(model: &Model) -> Option<Probe> {
    let (of, is_gone) = model.configs.last()?;
    let class = if *is_gone { "use-after-delete" } else { "open" };
    Some(Probe { class: class.to_owned(), ..step(Operation::GetTaskPushNotificationConfig, config(of)) })
}

/// The last configuration that is there is asked for under another task.
fn of_another_task(at: &Place<'_>, model: &mut Model, number: usize) -> Vec<Probe> {
    const GET: Operation = Operation::GetTaskPushNotificationConfig;
    let rests = |class: &&&str| at.classes.get(class).is_some_and(|class| at.aim.rests(class, GET, ""));
    let Some(class) = OF_ANOTHER_TASK.iter().find(rests) else { return Vec::new() };
    let set = model.configs.iter().all(|(_, is_gone)| *is_gone).then(|| set_config(model, number));
    let config = model.configs.iter().rev().find(|(_, is_gone)| !is_gone).map(|(of, _)| of.clone());
    let Some(config) = config else { return Vec::new() };
    let name = format!("second{number}");
    let params = json!({ "taskId": format!("${{{name}.task.id}}"), "id": format!("${{{config}.result.id}}") });
    let second = Probe { name, is_needed: true, ..step(Operation::SendMessage, request::message(&model.word)) };
    set.into_iter().chain([second, Probe { class: (*class).to_owned(), ..step(GET, params) }]).collect()
}

/// Several things at once, and then a look at the task: whatever their order was, what an answer has said of its end holds.
fn at_once(model: &mut Model, choices: &mut Choices<'_>) -> Vec<Probe> {
    // What is set or deleted meanwhile may be there or not.
    let read = read_config(model).map(|read| Probe { class: "open".to_owned(), ..read });
    let mut all = Vec::new();
    for _ in 0..2 + choices.below(2) {
        match choices.below(8) {
            6 if read.is_some() => all.extend(delete_config(model)),
            7 if read.is_some() => all.extend(read.clone()),
            // Mostly, the task is to change.
            6.. => all.push(about_the_task(2, model, choices)),
            which => all.push(about_the_task(which, model, choices)),
        }
    }
    let mut all = steps::at_once(all);
    all.push(step(Operation::GetTask, json!({ "id": "${made.task.id}" })));
    all
}
