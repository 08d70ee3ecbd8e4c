//! Webhooks with real addresses: they are set with a message or for a task that waits, several at once, with tokens and credentials of every
//! length, and what the agent posts there is held against the task and against what was set.

use serde_json::{Value, json};

use super::aim::Aim;
use super::class::Classes;
use super::posted::POSTED;
use super::probe::{Hold, Probe, Reading, Send, step};
use super::request;
use crate::case::{Deliveries, Enough, Trigger};
use crate::generate::{Choices, free};
use crate::profile::Operation;

const SET: Operation = Operation::CreateTaskPushNotificationConfig;
const DELETE: Operation = Operation::DeleteTaskPushNotificationConfig;

/// The names of steps.
const MADE: &str = "made";
const ENDED: &str = "ended";
/// The names of webhooks, as many as one task has at most.
const HOOKS: [&str; 4] = ["one", "two", "three", "four"];
/// Where a message holds its webhook.
const IN_A_MESSAGE: &str = "/configuration/taskPushNotificationConfig";
/// The id of a configuration.
const ID: &str = "a2aspec-${unique}";
/// The state of a task that waits for its client.
const WAITS: &str = "TASK_STATE_INPUT_REQUIRED";
/// What addresses have behind their webhook.
const FURTHER: [&str; 5] = ["", "/deep/path", "?a=1&b=2", "/a%20b?c=%C3%A9", "?a=1&a=2"];
/// How long tokens and credentials are: at the limits that programs and databases have, and within those of servers for their heads.
const LENGTHS: [usize; 9] = [1, 7, 64, 128, 255, 256, 257, 1_024, 4_000];
/// The most characters of a text that is sent along: all deliveries share the room of the receiver.
const LONGEST: usize = 2_000;

/// The cases on which everything rests that is judged here, beside those that classes name.
pub(super) const LIKE: [&str; 16] = [
    TO_THE_END, SOMETHING, SET_BY_ID, SET_ONCE, PAYLOAD, MEDIA_TYPE, REASON, TOKEN, BEARER, BASIC, SCHEME, LOWER_CASE,
    ORDER, STREAMED, DELETED, EACH,
];
const TO_THE_END: &str = "push/posted";
const SOMETHING: &str = "push/posted-something";
const SET_BY_ID: &str = "push/posted-once-set-by-id";
const SET_ONCE: &str = "push/posted-once-set";
const PAYLOAD: &str = "push/posted-payload";
const MEDIA_TYPE: &str = "push/posted-media-type";
const REASON: &str = "push/posted-reason";
const TOKEN: &str = "push/posted-with-token";
const BEARER: &str = "push/posted-with-bearer";
const BASIC: &str = "push/posted-with-basic";
const SCHEME: &str = "push/posted-with-scheme";
const LOWER_CASE: &str = "push/posted-with-scheme-in-lower-case";
const ORDER: &str = "push/posted-in-order";
const STREAMED: &str = "push/posted-as-streamed";
const DELETED: &str = "push/deleted-not-posted";
const EACH: &str = "push/posted-to-each";

/// The classes of waits, by what versions demand.
const CLASSES: [&str; 3] = ["posted-to-the-end", "posted-at-all", "posted-once-set"];

/// The steps that these decisions come to; nothing where there are no webhooks.
pub(super) fn make(aim: &Aim, classes: &Classes, choices: &mut Choices<'_>) -> Option<Vec<Probe>> {
    let has = |operation: Operation| aim.operations.contains(&operation) && aim.refuses(operation).is_none();
    if !aim.inbox.is_open() || ![Operation::SendMessage, Operation::GetTask].into_iter().all(has) {
        return None;
    }
    let maker = Maker { aim, classes };
    match choices.below(8) {
        4 | 5 if has(SET) => maker.for_a_task_that_waits(choices),
        6 if has(SET) && has(DELETE) && aim.ground(&[DELETED]).is_some() => maker.deleted(choices),
        7 if has(Operation::SendStreamingMessage) => maker.with_a_message(Operation::SendStreamingMessage, choices),
        _ => maker.with_a_message(Operation::SendMessage, choices),
    }
}

struct Maker<'a> {
    aim: &'a Aim,
    classes: &'a Classes,
}

/// What a webhook was set with, as far as every delivery brings it.
struct Brought {
    hook: &'static str,
    /// The step that sets it, and its operation.
    by: String,
    operation: Operation,
    token: Option<String>,
    scheme: Option<(String, String)>,
    /// Whether it can be brought in a head.
    is_legal: bool,
}

impl Maker<'_> {
    /// A webhook comes with the message.
    fn with_a_message(&self, operation: Operation, choices: &mut Choices<'_>) -> Option<Vec<Probe>> {
        let is_streamed = operation == Operation::SendStreamingMessage;
        let trigger = *choices.pick(&[Trigger::Complete, Trigger::Complete, Trigger::Fail, Trigger::Chunks])?;
        let mut params = self.message(operation, trigger, choices);
        let brought = self.configured(operation, MADE, (&mut params, IN_A_MESSAGE), HOOKS[0], choices)?;
        if choices.below(2) == 1 && !is_streamed {
            self.aim.add(operation, &mut params, ("/configuration/returnImmediately", json!(true)));
        }
        said(&mut params, choices);
        let reading = if is_streamed { Reading::Whole } else { Reading::Brief };
        let made = Probe { name: MADE.to_owned(), is_needed: true, reading, ..step(operation, params) };
        let mut all = vec![made, self.end()];
        all.extend(self.posted(&brought, is_streamed, choices));
        Some(all)
    }

    /// Some are set for a task that waits for its client, and comes to its end by a further message.
    fn for_a_task_that_waits(&self, choices: &mut Choices<'_>) -> Option<Vec<Probe>> {
        let count = if self.aim.has_webhook_ids() { 1 + choices.below(HOOKS.len()) } else { 1 };
        let (mut all, mut every) = (vec![self.waiting(choices)], Vec::new());
        for hook in HOOKS.into_iter().take(count) {
            let (set, brought) = self.set(hook, choices)?;
            all.push(set);
            every.push(brought);
        }
        all.extend([self.further(choices), self.end()]);
        for brought in &every {
            all.extend(self.posted(brought, false, choices));
        }
        Some(all)
    }

    /// One of two is deleted before the task comes to its end. When the other one has heard of the end, nothing of it has come here.
    fn deleted(&self, choices: &mut Choices<'_>) -> Option<Vec<Probe>> {
        if !self.aim.has_webhook_ids() {
            return None;
        }
        let [gone, kept] = [HOOKS[0], HOOKS[1]];
        let made = self.waiting(choices);
        let (first, _) = self.set(gone, choices)?;
        let (second, brought) = self.set(kept, choices)?;
        let id = format!("${{{}.result.id}}", first.name);
        let delete = step(DELETE, json!({ "taskId": "${made.task.id}", "id": id }));
        let mut all = vec![made, first, second, Probe { is_needed: true, ..delete }];
        all.extend([self.further(choices), self.end()]);
        let mut heard = self.posted(&brought, false, choices);
        heard.iter_mut().for_each(|step| step.is_needed = true);
        all.extend(heard);
        let name = "after".to_owned();
        let holds = self.hold("delivery-end-untold", json!(name), &[DELETED]).into_iter().collect();
        let quiet = Send::Deliveries(Deliveries { to: gone.to_owned(), enough: Enough::Quiet });
        all.push(Probe { name, holds, send: quiet, class: POSTED.to_owned(), ..step(DELETE, Value::Null) });
        Some(all)
    }

    fn message(&self, operation: Operation, trigger: Trigger, choices: &mut Choices<'_>) -> Value {
        let mut params = request::message(&self.aim.session.options.words.say(trigger).text);
        for configuration in [json!({}), json!({ "acceptedOutputModes": ["text/plain"] })] {
            if params.get("configuration").is_none() {
                self.aim.add(operation, &mut params, ("/configuration", configuration));
            }
        }
        if choices.below(4) == 3 {
            self.aim.add(operation, &mut params, ("/configuration/historyLength", json!(choices.below(4))));
        }
        params
    }

    /// A task that waits for its client.
    fn waiting(&self, choices: &mut Choices<'_>) -> Probe {
        let mut params = self.message(Operation::SendMessage, Trigger::InputRequired, choices);
        // Some versions answer at once if nothing is said.
        self.aim.add(Operation::SendMessage, &mut params, ("/configuration/returnImmediately", json!(false)));
        let made = step(Operation::SendMessage, params);
        Probe { name: MADE.to_owned(), is_needed: true, state: Some(WAITS), ..made }
    }

    /// The message by which it comes to its end.
    fn further(&self, choices: &mut Choices<'_>) -> Probe {
        let mut params = self.message(Operation::SendMessage, Trigger::Complete, choices);
        request::put(&mut params, "/message/taskId", json!("${made.task.id}"));
        request::put(&mut params, "/message/contextId", json!("${made.task.contextId}"));
        said(&mut params, choices);
        Probe { is_needed: true, ..step(Operation::SendMessage, params) }
    }

    fn end(&self) -> Probe {
        let send = Send::End { task: "${made.task.id}".to_owned() };
        let end = step(Operation::GetTask, Value::Null);
        Probe { name: ENDED.to_owned(), is_needed: true, class: "plain-read".to_owned(), send, ..end }
    }

    /// Sets a webhook of the task.
    fn set(&self, hook: &'static str, choices: &mut Choices<'_>) -> Option<(Probe, Brought)> {
        let name = format!("set-{hook}");
        let mut params = json!({ "taskId": "${made.task.id}" });
        let brought = self.configured(SET, &name, (&mut params, ""), hook, choices)?;
        Some((Probe { name, is_needed: true, ..step(SET, params) }, brought))
    }

    /// Puts a webhook into a request; nothing where the version has no place for it.
    fn configured(
        &self,
        operation: Operation,
        by: &str,
        (params, at): (&mut Value, &str),
        hook: &'static str,
        choices: &mut Choices<'_>,
    ) -> Option<Brought> {
        let further = if self.aim.inbox.may_go_on() { *choices.pick(&FURTHER)? } else { "" };
        let url = json!(format!("${{webhook.{hook}}}{further}"));
        match at {
            IN_A_MESSAGE => self.address_in_a_message(operation, params, url),
            _ => self.address(operation, params, url, choices),
        }
        params.pointer(&format!("{at}/url"))?;
        let mut brought = Brought { hook, by: by.to_owned(), operation, token: None, scheme: None, is_legal: true };
        // What the version has no place for is not set.
        let mut add = |name: &str, value: Value| {
            let place = format!("{at}/{name}");
            self.aim.add(operation, params, (&place, value));
            params.pointer(&place).is_some()
        };
        if choices.below(2) == 1 {
            let (token, is_legal) = token(choices);
            brought.is_legal = is_legal;
            brought.token = add("token", json!(token)).then_some(token);
        }
        if choices.below(2) == 1 {
            let (scheme, credentials) = credentials(choices);
            let is_there = add("authentication", json!({ "scheme": scheme, "credentials": credentials }));
            brought.scheme = is_there.then_some((scheme, credentials));
        }
        Some(brought)
    }

    /// The address in a request that sets a webhook.
    fn address(&self, operation: Operation, params: &mut Value, url: Value, choices: &mut Choices<'_>) {
        request::put(params, "/url", url);
        if self.aim.has_webhook_ids() {
            let id = format!("{ID}{}", if choices.below(2) == 1 { free::text(choices, 40) } else { String::new() });
            self.aim.add(operation, params, ("/id", json!(id)));
        }
    }

    /// The address in a message: some versions want an id with it.
    fn address_in_a_message(&self, operation: Operation, params: &mut Value, url: Value) {
        for config in [json!({ "url": url }), json!({ "id": ID, "url": url })] {
            if params.pointer(IN_A_MESSAGE).is_none() {
                self.aim.add(operation, params, (IN_A_MESSAGE, config));
            }
        }
    }

    /// Waits for what is posted there, and holds it against what was set, and against the task.
    fn posted(&self, brought: &Brought, is_streamed: bool, choices: &mut Choices<'_>) -> Vec<Probe> {
        let name = format!("posted-{}", brought.hook);
        let rests =
            |class: &&&str| self.classes.get(class).is_some_and(|class| self.aim.rests(class, brought.operation, ""));
        // What cannot be brought in a head need not be posted.
        let class = CLASSES.iter().find(rests).filter(|_| brought.is_legal).copied().unwrap_or(POSTED);
        let is_to_the_end = class == CLASSES[0];
        let wait = |enough: Enough| {
            let send = Send::Deliveries(Deliveries { to: brought.hook.to_owned(), enough });
            Probe { send, class: class.to_owned(), ..step(brought.operation, Value::Null) }
        };
        let holds = self.holds(&name, brought, is_streamed, choices);
        // All that comes along with the first, or behind the end.
        let is_watched_on = !is_to_the_end || choices.below(4) == 3;
        let first = match is_to_the_end {
            true => wait(Enough::Ended),
            false => wait(Enough::Count(1)),
        };
        match is_watched_on {
            true => {
                let first = Probe { name: format!("first-{}", brought.hook), is_needed: true, ..first };
                let rest = Probe { name, holds, class: POSTED.to_owned(), ..wait(Enough::Quiet) };
                vec![first, rest]
            }
            false => vec![Probe { name, holds, ..first }],
        }
    }

    fn holds(&self, name: &str, brought: &Brought, is_streamed: bool, choices: &mut Choices<'_>) -> Vec<Hold> {
        let of_task = || json!({ "deliveries": name, "task": ENDED });
        let of_any = if brought.operation == SET {
            [TO_THE_END, SET_BY_ID, SET_ONCE].as_slice()
        } else {
            [TO_THE_END, SOMETHING].as_slice()
        };
        let mut all = vec![
            self.hold("delivery-task", of_task(), of_any),
            self.hold("delivery-target", json!({ "asked": brought.by, "deliveries": name }), of_any),
            self.hold("delivery-state", of_task(), &[TO_THE_END]),
            self.hold("delivery-message", of_task(), &[REASON]),
        ];
        if let Some(token) = &brought.token {
            let args = || json!({ "deliveries": name, "token": token });
            all.push(self.hold("delivery-token", args(), &[TOKEN]));
            // No text lets an agent bring another one.
            all.push(Some(Hold::of_sense("delivery-token-as-set", args(), TOKEN)));
        }
        if let Some((scheme, credentials)) = &brought.scheme {
            let whole = json!({ "deliveries": name, "scheme": scheme, "credentials": credentials });
            let like = match scheme.as_str() {
                "Basic" => BASIC,
                "bearer" => LOWER_CASE,
                _ => BEARER,
            };
            let whole = self.hold("delivery-authorization", whole, &[like]);
            let named = json!({ "deliveries": name, "scheme": scheme });
            all.push(whole.or_else(|| self.hold("delivery-authorization", named, &[SCHEME])));
        }
        if !brought.is_legal {
            all.retain(|hold| hold.as_ref().is_some_and(|hold| !hold.oracle.starts_with("delivery-token")));
        }
        if is_streamed {
            all.push(self.hold("delivery-as-streamed", json!({ "deliveries": name, "stream": MADE }), &[STREAMED]));
        }
        all.extend([
            self.hold("delivery-payload", json!(name), &[PAYLOAD]),
            self.hold("delivery-order", json!(name), &[ORDER]),
            self.hold("delivery-once", json!(name), &[ORDER]),
            self.hold("delivery-media-type", json!(name), &[MEDIA_TYPE]),
        ]);
        let mut all: Vec<Hold> = all.into_iter().flatten().collect();
        // The first that is wrong is told: what is always wrong hides the rest from some attempts only.
        if !all.is_empty() {
            let first = choices.below(all.len());
            all.rotate_left(first);
        }
        all
    }

    /// An oracle, where one of these cases is demanded.
    fn hold(&self, oracle: &'static str, args: Value, like: &[&'static str]) -> Option<Hold> {
        self.aim.ground(like).map(|like| Hold::new(oracle, args, like))
    }
}

/// What a message says beside its word.
fn said(params: &mut Value, choices: &mut Choices<'_>) {
    match choices.below(4) {
        0 | 1 => {}
        2 => {
            let text = free::text(choices, LONGEST);
            request::put(params, "/message/metadata", json!({ "a2aspec": text }));
        }
        _ => {
            let more = json!({ "text": free::text(choices, LONGEST) });
            if let Some(Value::Array(parts)) = params.pointer_mut("/message/parts") {
                parts.push(more);
            }
        }
    }
}

/// A token, and whether a field of a head can hold it (RFC 9110, section 5.5).
fn token(choices: &mut Choices<'_>) -> (String, bool) {
    if choices.below(4) == 3 {
        let text = free::text(choices, 200);
        let is_legal = text.chars().all(|one| one.is_ascii_graphic()) && !text.contains('$');
        return (format!("a2aspec-{text}"), is_legal);
    }
    // All but the sign with which references begin.
    let all: Vec<char> = ('!'..='~').filter(|one| *one != '$').collect();
    (format!("a2aspec-{}", of(&all, choices)), true)
}

/// A scheme, and credentials of it: `token68` of RFC 9110, section 11.2.
fn credentials(choices: &mut Choices<'_>) -> (String, String) {
    let scheme = choices.pick(&["Bearer", "Bearer", "Basic", "bearer"]).copied().unwrap_or("Bearer");
    let all: Vec<char> = ('a'..='z').chain('A'..='Z').chain('0'..='9').chain("-._~+/".chars()).collect();
    match scheme {
        // Of a user and a password.
        "Basic" => (scheme.to_owned(), "YTJhc3BlYzp3ZWJob29r".to_owned()),
        _ => (scheme.to_owned(), format!("a2aspec-{}", of(&all, choices))),
    }
}

/// A text of these characters, with a length at some limit.
fn of(all: &[char], choices: &mut Choices<'_>) -> String {
    let length = choices.pick(&LENGTHS).copied().unwrap_or(1);
    let mut random = fastrand::Rng::with_seed(choices.bits());
    (0..length).filter_map(|_| all.get(random.usize(..all.len()))).collect()
}
