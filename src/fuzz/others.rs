//! What belongs to one caller, asked for by another: in the middle of a walk, each request as the authorization matrix of the suite has
//! it (`cases/security/others.yaml`), and over whichever interface of the version.

use serde_json::{Value, json};

use super::aim::Aim;
use super::class::Classes;
use super::pages::{self, Paged};
use super::probe::{Hold, Probe, step};
use super::request;
use crate::auth::Caller;
use crate::case::Trigger;
use crate::generate::Choices;
use crate::profile::Operation;

/// The classes of such requests.
const OF_ANOTHER: &str = "of-another";
const LIST_OF_ANOTHER: &str = "list-of-another";
const PAGE_OF_ANOTHER: &str = "page-of-another";
/// Where the only webhook of a task is asked for, in the versions in which it has no id.
const ONLY: &str = "/only";
/// The oracles of the matrix.
const UNAUTHORIZED: &str = "unauthorized";
const KEPT: &str = "kept";

/// Where the other caller asks.
pub(super) struct Place<'a> {
    /// The interface of the walk.
    pub aim: &'a Aim,
    /// Another interface of the version over which the caller asks, instead.
    pub over: Option<&'a Aim>,
    pub classes: &'a Classes,
}

impl Place<'_> {
    fn on(&self) -> &Aim {
        self.over.unwrap_or(self.aim)
    }

    /// The case on which a request rests; nothing where the version does not say what comes of it, or the interface does not have it.
    fn like(&self, class: &str, operation: Operation, place: &str) -> Option<String> {
        let class = self.classes.get(class)?;
        let rests = self.on().operations.contains(&operation) && self.on().rests(class, operation, place);
        class.like(operation, place).filter(|_| rests).map(str::to_owned)
    }
}

/// Something that the other caller asks for, of those that the version keeps from it. `config` is the step that has set the last
/// webhook which is still there.
pub(super) fn ask(
    place: &Place<'_>,
    (word, config): (&str, Option<&str>),
    number: usize,
    choices: &mut Choices<'_>,
) -> Vec<Probe> {
    let is_kept_apart = |operation: &&Operation| {
        let class = if **operation == Operation::ListTasks { LIST_OF_ANOTHER } else { OF_ANOTHER };
        place.like(class, **operation, ONLY).or_else(|| place.like(class, **operation, "")).is_some()
    };
    let all: Vec<Operation> = Operation::ALL.iter().filter(is_kept_apart).copied().collect();
    let Some(operation) = choices.pick(&all).copied() else { return Vec::new() };
    let params = |task: &str| match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => {
            let mut params = request::message(word);
            request::put(&mut params, "/message/taskId", json!(task));
            params
        }
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => json!({ "id": task }),
        Operation::CreateTaskPushNotificationConfig => {
            json!({ "taskId": task, "id": "a2aspec-${unique}", "url": "https://a2aspec.invalid/other" })
        }
        _ => json!({ "taskId": task }),
    };
    let all = match operation {
        Operation::ListTasks => list(place, number, choices),
        Operation::DeleteTaskPushNotificationConfig => {
            let like = place.like(OF_ANOTHER, operation, "");
            deleted(config, like, number)
        }
        Operation::GetTaskPushNotificationConfig => {
            let (own, only) = (place.like(OF_ANOTHER, operation, ""), place.like(OF_ANOTHER, operation, ONLY));
            config.map(|config| read((config, own, only), number)).unwrap_or_default()
        }
        _ => place.like(OF_ANOTHER, operation, "").map_or_else(Vec::new, |like| {
            let state = needed(operation).filter(|_| !choices.one_in(4));
            let begun = state.map(|trigger| begin(place.aim, trigger, number));
            let task = begun.as_ref().map_or("made", |step| &step.name).to_owned();
            begun.into_iter().chain(pair(operation, &task, params, like, number)).collect()
        }),
    };
    let over = place.over.map(|over| over.index);
    let of = |step: Probe| if step.by == Caller::Other { Probe { over, ..step } } else { step };
    all.into_iter().map(of).collect()
}

/// A request of the other caller's.
fn theirs(operation: Operation, params: Value) -> Probe {
    Probe { by: Caller::Other, class: OF_ANOTHER.to_owned(), ..step(operation, params) }
}

/// The trigger of a task for which an agent does the operation: for one that has ended it refuses it, whoever asks.
fn needed(operation: Operation) -> Option<Trigger> {
    match operation {
        Operation::CancelTask | Operation::SubscribeToTask => Some(Trigger::Slow),
        Operation::SendMessage | Operation::SendStreamingMessage => Some(Trigger::InputRequired),
        _ => None,
    }
}

/// A new task: the first one of the walk has often ended.
fn begin(aim: &Aim, trigger: Trigger, number: usize) -> Probe {
    let mut params = request::message(&aim.session.options.words.say(trigger).text);
    if trigger == Trigger::Slow {
        aim.answer_at_once(&mut params, true);
    }
    Probe { name: format!("begun{number}"), is_needed: true, ..step(Operation::SendMessage, params) }
}

/// A request for the task of a step, and two for one that does not exist: it is refused, and as they are.
fn pair(operation: Operation, task: &str, params: impl Fn(&str) -> Value, like: String, number: usize) -> Vec<Probe> {
    let [own, missing, again] = ["theirs", "missing", "again"].map(|name| format!("{name}{number}"));
    let args = json!({ "theirs": own, "missing": [missing, again] });
    let unknown = || theirs(operation, params("${unknown-id}"));
    vec![
        Probe { name: own, ..theirs(operation, params(&format!("${{{task}.task.id}}"))) },
        Probe { name: missing, ..unknown() },
        Probe { name: again, holds: vec![Hold::new(UNAUTHORIZED, args, like)], ..unknown() },
    ]
}

/// The same of a webhook: by its id, or of the only one in the versions in which it has none.
fn read((config, own, only): (&str, Option<String>, Option<String>), number: usize) -> Vec<Probe> {
    const GET: Operation = Operation::GetTaskPushNotificationConfig;
    match (own, only) {
        (Some(like), _) => {
            let id = format!("${{{config}.result.id}}");
            pair(GET, "made", |task| json!({ "taskId": task, "id": id }), like, number)
        }
        (None, Some(like)) => pair(GET, "made", |task| json!({ "taskId": task }), like, number),
        (None, None) => Vec::new(),
    }
}

/// A webhook that the other caller asks to be deleted is there afterwards.
fn deleted(config: Option<&str>, like: Option<String>, number: usize) -> Vec<Probe> {
    let (Some(config), Some(like)) = (config, like) else { return Vec::new() };
    let names @ [own, before, after] = &["theirs", "before", "after"].map(|name| format!("{name}{number}"));
    let params = || json!({ "taskId": "${made.task.id}", "id": format!("${{{config}.result.id}}") });
    let args = json!({ "theirs": names[0], "before": names[1], "after": names[2] });
    let read = |name: &String| Probe { name: name.clone(), ..step(Operation::GetTaskPushNotificationConfig, params()) };
    vec![
        // Seen first: it is read by its id, and not another in its place.
        Probe { is_needed: true, ..read(before) },
        Probe { name: own.clone(), ..theirs(Operation::DeleteTaskPushNotificationConfig, params()) },
        Probe { class: OF_ANOTHER.to_owned(), holds: vec![Hold::new(KEPT, args, like)], ..read(after) },
    ]
}

/// What a list may be asked for beside its context. An agent may make its query anew for each.
fn filters() -> [Vec<(&'static str, Value)>; 2] {
    [
        vec![("/status", json!("TASK_STATE_COMPLETED"))],
        vec![("/statusTimestampAfter", json!("2000-01-01T00:00:00.000Z")), ("/includeArtifacts", json!(true))],
    ]
}

/// The other caller's list does not show the task: of all, of the context, or through a filter; nor does the page to which a token
/// leads that was not given to them.
fn list(place: &Place<'_>, number: usize, choices: &mut Choices<'_>) -> Vec<Probe> {
    const LIST: Operation = Operation::ListTasks;
    let theirs = |class: &str, params| {
        let class = class.to_owned();
        Probe { by: Caller::Other, class, ..step(LIST, params) }
    };
    let of_context = json!({ "contextId": "${made.task.contextId}", "pageSize": 100 });
    let filters = filters();
    match choices.below(3 + filters.len()) {
        0 => vec![theirs(LIST_OF_ANOTHER, of_context)],
        1 if place.like(PAGE_OF_ANOTHER, LIST, "").is_some() => {
            // Without the token first: where that shows the tasks, it is not the token that does.
            let Paged { mut steps, context, token } = pages::first(number);
            let params = json!({ "contextId": context, "pageSize": 1, "pageToken": token });
            steps.extend([theirs(LIST_OF_ANOTHER, of_context), theirs(PAGE_OF_ANOTHER, params)]);
            steps
        }
        filter @ 3.. => {
            let (mut params, on) = (of_context, place.on());
            for more in filters.into_iter().nth(filter - 3).into_iter().flatten() {
                on.add(LIST, &mut params, more);
            }
            vec![theirs(LIST_OF_ANOTHER, params)]
        }
        _ => vec![theirs(LIST_OF_ANOTHER, json!({ "pageSize": 100 }))],
    }
}

/// The same steps with the callers in each other's place: what the second one makes is asked for by the first.
pub(super) fn swapped(mut steps: Vec<Probe>) -> Vec<Probe> {
    for step in &mut steps {
        step.by = if step.by == Caller::Own { Caller::Other } else { Caller::Own };
    }
    steps
}
