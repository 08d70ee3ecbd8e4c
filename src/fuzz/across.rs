//! Across: what was made over one binding is read over another, the same request is written in two ways, and a task is shown in two.

use serde_json::{Value, json};

use super::aim::Aim;
use super::bytes::written;
use super::ended;
use super::hunt::judging::AGREES;
use super::kept;
use super::lists;
use super::probe::{Body, Hold, Probe, Send, call, step};
use super::request;
use super::spoken_otherwise::otherwise;
use crate::generate::Choices;
use crate::profile::{Binding, Operation};

/// The names of the steps that are compared.
pub(super) const HERE: &str = "here";
pub(super) const THERE: &str = "there";
/// What stands where an odd value is to be, until the request is written.
const ODD: &str = "a2aspec-odd";
/// How deep values are that every binding can hold: libraries stop at a hundred messages in each other, and a value of JSON
/// is two or three.
const DEPTH: usize = 24;

/// Places of a message where any text may stand.
const TEXTS_AT: [&str; 5] = [
    "/message/parts/0/text",
    "/message/metadata",
    "/message/parts/0/metadata",
    "/message/messageId",
    "/message/contextId",
];
/// Places where any value may.
const VALUES_AT: [&str; 2] = ["/message/metadata", "/message/parts/0/metadata"];

/// What is put into a message.
enum Odd {
    /// A value that every binding can hold.
    Held(Value),
    /// A number of which not every reader holds all digits (RFC 8259, section 6).
    Rounded(Value),
    /// A piece of JSON that not every reader reads: what takes it has to give it back somehow.
    Written(&'static str),
}

/// The steps that these decisions come to; nothing where the version has no other binding.
pub(super) fn make(aims: &[Aim], aim: &Aim, choices: &mut Choices<'_>) -> Option<Vec<Probe>> {
    Some(match choices.below(19) {
        6 => configured(aim, partner(aims, aim, choices)?, choices)?,
        7 => rewritten(aim, choices)?,
        8 => ended::listed(aim)?,
        9 => ended::waited(aim)?,
        10 => lists::paged(aim, choices)?,
        11 => lists::respelled(aim, choices)?,
        12 => lists::grown(aim, choices)?,
        13 => lists::of_webhooks(aim, choices)?,
        14..18 => kept::make(aims, aim, choices)?,
        _ => elsewhere(aim, partner(aims, aim, choices)?, choices)?,
    })
}

/// The two readings say the same.
pub(super) fn agree(like: &'static str) -> Hold {
    Hold::new(AGREES, json!([HERE, THERE]), like)
}

/// Whether there is another binding of the same version.
pub(super) fn has_partner(aims: &[Aim], aim: &Aim) -> bool {
    aims.iter().any(|other| is_partner(aim, other))
}

fn is_partner(aim: &Aim, other: &Aim) -> bool {
    let reads = other.operations.contains(&Operation::GetTask);
    other.index != aim.index && other.session.profile().name() == aim.session.profile().name() && reads
}

/// Another interface of the version, or none.
pub(super) fn partner_or_none<'a>(aims: &'a [Aim], aim: &Aim, choices: &mut Choices<'_>) -> Option<&'a Aim> {
    let partner = partner(aims, aim, choices);
    partner.filter(|_| choices.below(3) == 2)
}

fn partner<'a>(aims: &'a [Aim], aim: &Aim, choices: &mut Choices<'_>) -> Option<&'a Aim> {
    let partners: Vec<&Aim> = aims.iter().filter(|other| is_partner(aim, other)).collect();
    choices.pick(&partners).copied()
}

/// A message with something odd, and its task read over another binding. The answers are compared where the task is the same
/// afterwards.
fn elsewhere(aim: &Aim, other: &Aim, choices: &mut Choices<'_>) -> Option<Vec<Probe>> {
    let sends: Vec<Operation> =
        aim.operations.iter().copied().filter(|operation| operation.sends_a_message()).collect();
    let operation = *choices.pick(&sends)?;
    let (place, odd) = odd(choices)?;
    let made = Probe { name: "made".to_owned(), is_needed: true, ..message(aim, operation, place, &odd)? };
    let is_held = matches!(odd, Odd::Held(_)) && can_say(other, &made);
    let get = || Probe { class: "elsewhere".to_owned(), ..task() };
    let there = Probe { name: THERE.to_owned(), over: Some(other.index), ..get() };
    let holds = is_held.then(|| agree("equivalence/text")).into_iter().collect();
    let again = Probe { holds, is_needed: true, ..get() };
    let here = Probe { name: HERE.to_owned(), is_needed: true, ..task() };
    let list = |over: Option<usize>| {
        // Lists may leave the history out unless it is asked for, and one message is what every agent gives.
        // What is odd in a context stands in a URL, too, where servers have limits of their own.
        let class = if place == "/message/contextId" { "open" } else { "elsewhere" };
        let params = json!({ "contextId": "${made.task.contextId}", "pageSize": 10, "historyLength": 1 });
        Probe { over, class: class.to_owned(), ..step(Operation::ListTasks, params) }
    };
    let mut steps = vec![made, here, there, again];
    if aim.operations.contains(&Operation::ListTasks) && other.operations.contains(&Operation::ListTasks) {
        steps.extend([list(None), list(Some(other.index))]);
    }
    Some(steps)
}

/// Whether an interface has a place for all that a message says: bindings of the older versions lack some members.
fn can_say(aim: &Aim, message: &Probe) -> bool {
    match &message.send {
        Send::Call { params } => aim.session.connection.has_place_for(&call(Operation::SendMessage, params.clone())),
        Send::Raw { .. } | Send::Bytes { .. } | Send::Deliveries(_) | Send::End { .. } => false,
    }
}

/// The task is read, with as much of its history as the agent shows by itself: it may limit what clients ask for.
fn task() -> Probe {
    Probe { class: "plain-read".to_owned(), ..step(Operation::GetTask, reads_back()) }
}

/// What asks for the task.
pub(super) fn reads_back() -> Value {
    json!({ "id": "${made.task.id}" })
}

/// A message with something odd in it.
fn message(aim: &Aim, operation: Operation, place: &str, odd: &Odd) -> Option<Probe> {
    let mut params = request::message(&aim.word);
    let put = |params: &mut Value, value: Value| {
        let value = if place.ends_with("/metadata") { json!({ "a2aspec": value }) } else { value };
        request::put(params, place, value)
    };
    match odd {
        Odd::Held(value) | Odd::Rounded(value) => {
            // The word is still what the agent goes by.
            let value = match (place.ends_with("/text"), value) {
                (true, Value::String(text)) => json!(format!("{} {text}", aim.word)),
                (_, value) => value.clone(),
            };
            put(&mut params, value);
            Some(step(operation, params))
        }
        Odd::Written(json) => {
            put(&mut params, json!(ODD));
            let request = written(aim, operation, params)?;
            let text = request.body.replace(&format!("\"{ODD}\""), json);
            Some(request.with_body(operation, "open", Body::Text(text)))
        }
    }
}

/// A webhook with something odd in its token, which is read over another binding, deleted there, and asked for once more.
fn configured(aim: &Aim, other: &Aim, choices: &mut Choices<'_>) -> Option<Vec<Probe>> {
    const SET: Operation = Operation::CreateTaskPushNotificationConfig;
    const GET: Operation = Operation::GetTaskPushNotificationConfig;
    const DELETE: Operation = Operation::DeleteTaskPushNotificationConfig;
    let has = |aim: &Aim, operation| aim.operations.contains(&operation);
    if !has(aim, SET) || !has(aim, GET) || !has(other, GET) || !has(other, DELETE) {
        return None;
    }
    let mut params = aim.base(SET, false)?.params.clone();
    request::put(&mut params, "/token", json!(choices.pick(&TEXTS)?));
    // Others set webhooks of the same task meanwhile: under an id that is used twice, one of theirs would be there.
    request::put(&mut params, "/id", json!("a2aspec-${unique}"));
    let made = Probe { name: "set".to_owned(), is_needed: true, ..step(SET, params) };
    let id = json!({ "taskId": "${done.id}", "id": "${set.result.id}" });
    let get = |class: &str, over| Probe { class: class.to_owned(), over, is_needed: true, ..step(GET, id.clone()) };
    let over = Some(other.index);
    let delete = Probe { over, is_needed: true, ..step(DELETE, id.clone()) };
    Some(vec![made, get("elsewhere", over), delete, get("use-after-delete", None)])
}

/// Texts at the edges of what texts are.
const TEXTS: [&str; 10] = [
    "\0",
    "a\u{0}b",
    "\u{feff}a2aspec",
    "\u{202e}txet",
    "e\u{301}",
    "\u{1f469}\u{200d}\u{1f680}",
    "\u{ffff}",
    "\u{2028}\u{2029}",
    "\u{7f}\u{80}\u{9f}",
    "a/b?c=d&e%2f#g",
];

/// Something odd, and where it is to stand.
fn odd(choices: &mut Choices<'_>) -> Option<(&'static str, Odd)> {
    let values = || {
        let nested = (0..DEPTH).fold(json!(1), |inner, _| json!([inner]));
        [json!(null), json!([null, [], {}, ""]), json!(0.1), json!(-1.5e-7), json!(9_007_199_254_740_991_u64), nested]
    };
    let numbers = || {
        [json!(9_007_199_254_740_993_u64), json!(i64::MAX), json!(u64::MAX), json!(-0.0), json!(1e308), json!(5e-324)]
    };
    let pieces = [r#""\ud800""#, r#""a\udfffb""#, "1e400", "123456789012345678901234567890", r#"{"a":1,"a":2}"#];
    let texts_at = *choices.pick(&TEXTS_AT)?;
    let values_at = *choices.pick(&VALUES_AT)?;
    Some(match choices.below(4) {
        0 | 1 => (texts_at, Odd::Held(json!(choices.pick(&TEXTS)?))),
        2 if choices.below(2) == 0 => (values_at, Odd::Held(choices.pick(&values())?.clone())),
        2 => (values_at, Odd::Rounded(choices.pick(&numbers())?.clone())),
        _ => {
            let piece = *choices.pick(&pieces)?;
            (if piece.contains("\\u") { texts_at } else { values_at }, Odd::Written(piece))
        }
    })
}

/// The same question in another spelling of its JSON.
fn rewritten(aim: &Aim, choices: &mut Choices<'_>) -> Option<Vec<Probe>> {
    let is_here = aim.operations.contains(&Operation::GetTask);
    if aim.session.connection.interface.binding != Binding::Jsonrpc || !is_here {
        return None;
    }
    let params = aim.base(Operation::GetTask, choices.below(2) == 1)?.params.clone();
    let request = written(aim, Operation::GetTask, params.clone())?;
    let text = otherwise(&request.body, choices)?;
    let get = |params| Probe { class: "plain-read".to_owned(), ..step(Operation::GetTask, params) };
    let here = Probe { name: HERE.to_owned(), is_needed: true, ..get(params.clone()) };
    let rewritten = request.with_body(Operation::GetTask, "plain-read", Body::Text(text));
    let there = Probe { name: THERE.to_owned(), ..rewritten };
    let again = Probe { holds: vec![agree("get/existing")], is_needed: true, ..get(params) };
    Some(vec![here, there, again])
}
