//! Sequences: a task is made, and then asked for, changed, canceled and spoken to in an order that no client of yours has, some
//! of it at once.

use serde_json::{Map, Value, json};

use super::across;
use super::aim::Aim;
use super::class::Classes;
use super::others::{self, Place};
use super::pages;
use super::probe::{Hold, Probe, step};
use super::varied::varied;
use super::{request, steps};
use crate::auth::Caller;
use crate::case::Trigger;
use crate::generate::Choices;
use crate::profile::Operation;

/// The most things that are done behind the step that makes the task.
const MOST_STEPS: usize = 6;
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

/// What tasks are made by.
const WORDS: [Trigger; 4] = [Trigger::Complete, Trigger::InputRequired, Trigger::Slow, Trigger::Message];

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
pub(super) fn make((aims, aim): (&[Aim], &Aim), classes: &Classes, bytes: &[u8]) -> Option<Vec<Probe>> {
    let mut choices = Choices::new(bytes);
    let has = |operation: Operation| aim.operations.contains(&operation);
    if !has(Operation::SendMessage) {
        return None;
    }
    let word = choices.pick(&WORDS).map(|trigger| aim.session.options.words.say(*trigger).text)?;
    let first = first(aim, &word, &mut choices);
    let mut all = vec![varied(aim, first, &mut choices)];
    let may_delete = has(Operation::DeleteTaskPushNotificationConfig);
    let mut model = Model { word, configs: Vec::new(), may_delete };
    let has_other = aim.other.session().is_some();
    // The other caller asks over the interface of the walk, or over another.
    let over = if has_other { across::partner_or_none(aims, aim, &mut choices) } else { None };
    let place = Place { aim, over: over.filter(|over| over.other.session().is_some()), classes };
    for number in 0..=choices.below(MOST_STEPS) {
        let kinds = if has_other { OWN_KINDS + KINDS_OF_OTHERS } else { OWN_KINDS };
        let made = match choices.below(kinds) {
            own @ ..OWN_KINDS => next((own, &place), &mut model, number, &mut choices),
            _ => others_ask(&place, &mut model, number, &mut choices),
        };
        let made = steps::keep(&made, |_, step| has(step.operation));
        // What is made at once is about its order.
        all.extend(steps::groups(&made).flat_map(|group| match group {
            [alone] => vec![varied(aim, alone.clone(), &mut choices)],
            several => several.to_vec(),
        }));
    }
    let is_asked_by_another = all.iter().any(|step| step.by == Caller::Other);
    if is_asked_by_another && aim.other.may_make() && choices.below(2) == 1 {
        all = others::swapped(all);
    }
    for step in &mut all {
        step.expect = classes.get(&step.class)?.expect(step.operation);
        step.choices = bytes.to_vec();
    }
    Some(all)
}

/// What makes the task: what follows finds it at work, where nobody waits for the work.
fn first(aim: &Aim, word: &str, choices: &mut Choices<'_>) -> Probe {
    let mut params = request::message(word);
    if choices.below(2) == 1 {
        aim.answer_at_once(&mut params, true);
    }
    Probe { name: FIRST.to_owned(), is_needed: true, ..step(Operation::SendMessage, params) }
}

/// How many kinds of things are done next, and how many times another caller stands among them.
const OWN_KINDS: usize = 15;
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
