//! Steps (4), what they expect (6), and how long they are repeated (9).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::condition::{Places, add, add_all};
use super::path::{self, Segment};
use super::template::Captured;
use super::{Behaviour, Reader};
use crate::auth::Caller;
use crate::case::convert::inner;
use crate::case::{Act, Call, CardRequest, Expect, Matcher, Outcome, Side, Step, Until, Wait};
use crate::profile::Operation;
use crate::yaml::tree::Part;

/// Names that references of cases begin with, and that no step of theirs can have.
const TAKEN: [&str; 10] =
    ["times", "params", "unique", "unknown-id", "method", "route", "webhook", "extension", "interface", "card"];
pub(super) const CARD: &str = "get_agent_card";
pub(super) const OPERATIONS: [(&str, Operation); 11] = [
    ("send_message", Operation::SendMessage),
    ("send_streaming_message", Operation::SendStreamingMessage),
    ("get_task", Operation::GetTask),
    ("list_tasks", Operation::ListTasks),
    ("cancel_task", Operation::CancelTask),
    ("subscribe_to_task", Operation::SubscribeToTask),
    ("get_extended_agent_card", Operation::GetExtendedAgentCard),
    ("create_push_config", Operation::CreateTaskPushNotificationConfig),
    ("get_push_config", Operation::GetTaskPushNotificationConfig),
    ("list_push_configs", Operation::ListTaskPushNotificationConfigs),
    ("delete_push_config", Operation::DeleteTaskPushNotificationConfig),
];
const KEYS: [&str; 10] = [
    "id",
    "description",
    "action",
    "request",
    "expect",
    "expect_error",
    "expect_stream",
    "capture",
    "repeat",
    "delay_ms",
];
/// Errors that A2A 1.0 has, by the names of the format (6.2); where the two differ, the specification counts.
pub(super) const ERRORS: [(&str, &[&str]); 13] = [
    ("TaskNotFoundError", &["TaskNotFoundError"]),
    ("TaskNotCancelableError", &["TaskNotCancelableError"]),
    ("UnsupportedOperationError", &["UnsupportedOperationError"]),
    ("ContentTypeNotSupportedError", &["ContentTypeNotSupportedError"]),
    ("InvalidParamsError", &["InvalidParamsError"]),
    ("VersionNotSupportedError", &["VersionNotSupportedError"]),
    ("PushNotificationNotSupportedError", &["PushNotificationNotSupportedError"]),
    ("StreamingNotSupportedError", &["UnsupportedOperationError"]),
    ("ExtensionSupportRequiredError", &["ExtensionSupportRequiredError"]),
    ("ExtendedCardNotSupportedError", &["UnsupportedOperationError", "ExtendedAgentCardNotConfiguredError"]),
    ("JSONParseError", &["JSONParseError"]),
    ("MethodNotFoundError", &["MethodNotFoundError"]),
    ("InternalError", &["InternalError"]),
];
/// States that a task does not leave.
pub(super) const TERMINAL: [&str; 4] =
    ["TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED"];
/// Those, and the states in which it waits for its client.
pub(super) const RESTING: [&str; 6] =
    [TERMINAL[0], TERMINAL[1], TERMINAL[2], TERMINAL[3], "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED"];

/// The name that a step has in the case.
pub(super) fn name_of(id: &str) -> String {
    let plain: String = id.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect();
    if TAKEN.contains(&plain.as_str()) { format!("{plain}-step") } else { plain }
}

/// A step that gets the card.
pub(super) fn card(id: &str, at: &str, line: u64) -> Step {
    plain(Act::Card(CardRequest { method: "GET".to_owned(), extended: false }), Some(name_of(id)), at, line)
}

/// A step of a case with nothing but an act.
pub(super) fn plain(act: Act, name: Option<String>, at: &str, line: u64) -> Step {
    Step {
        act,
        name,
        after: None,
        unless: None,
        after_restart: None,
        over: Side::default(),
        by: Caller::default(),
        headers: BTreeMap::new(),
        extensions: Vec::new(),
        required_extensions: true,
        applies: BTreeMap::new(),
        reach: BTreeMap::new(),
        expect: None,
        at: at.to_owned(),
        line: Some(line).filter(|line| *line > 0),
    }
}

impl<'a> Reader<'a> {
    /// The steps of a test.
    pub(super) fn steps(&mut self, entries: &'a [Value], at: &str) -> Vec<Step> {
        let (mut steps, mut captured) = (Vec::new(), Captured::default());
        for (index, entry) in entries.iter().enumerate() {
            let at = inner(at, index);
            let Some(members) = self.map(entry, &at) else { continue };
            let id = self.needed(members, &at, "id");
            if captured.has(id) {
                self.wrong(&inner(&at, "id"), &Part::Value, format!("the id `{id}` is taken by an earlier step"));
            }
            let kinds = ["action", "type", "assertion", "raw_request"];
            let kinds: Vec<&str> = kinds.into_iter().filter(|kind| members.contains_key(*kind)).collect();
            match kinds.as_slice() {
                ["action"] => self.server_step(members, &at, &mut captured, &mut steps),
                ["assertion"] => self.assertion_step(members, &at, &captured, &mut steps),
                ["raw_request"] => self.raw_step(members, &at, &mut captured, &mut steps),
                ["type"] => self.beyond(
                    &inner(&at, "type"),
                    &Part::Value,
                    "it is a test of a client, and the suite checks agents",
                ),
                _ => self.wrong(&at, &Part::Value, "a step has one of `action`, `raw_request`, `assertion` and `type`"),
            }
            captured.step(id);
        }
        steps
    }

    fn server_step(
        &mut self,
        members: &'a Map<String, Value>,
        at: &str,
        captured: &mut Captured,
        steps: &mut Vec<Step>,
    ) {
        self.only(members, at, &KEYS);
        if members.contains_key("delay_ms") {
            self.beyond(&inner(at, "delay_ms"), &Part::Name, "`delay_ms` is a pause, and cases wait for states");
        }
        let id = self.needed(members, at, "id");
        let action = self.needed(members, at, "action");
        let operation = OPERATIONS.iter().find(|(name, _)| *name == action).map(|(_, operation)| *operation);
        if operation.is_none() && action != CARD {
            let known: Vec<&str> = OPERATIONS.iter().map(|(name, _)| *name).chain([CARD]).collect();
            self.wrong_name(&inner(at, "action"), "operation", action, &known);
            return;
        }
        let expected = ["expect", "expect_error", "expect_stream"].map(|name| members.contains_key(name));
        if expected.iter().filter(|is_there| **is_there).count() > 1 {
            self.wrong(at, &Part::Value, "a step has one of `expect`, `expect_error` and `expect_stream`");
            return;
        }
        let line = self.tree.line(at);
        let mut step = match operation {
            None => card(id, at, line),
            Some(operation) => self.call(operation, members, at, captured),
        };
        step.expect = self.expected(operation, members, at, captured);
        let streams = operation.is_some_and(Operation::streams);
        if let Some(stream) = members.get("expect_stream") {
            let at = inner(at, "expect_stream");
            match streams {
                true => step.expect = self.expected_stream(stream, &at, captured),
                false => self.wrong(&at, &Part::Name, format!("`expect_stream` goes with streams, not with {action}")),
            }
        }
        if let Some(repeat) = members.get("repeat") {
            self.repeat(repeat, &inner(at, "repeat"), &mut step, steps);
        }
        self.capture(members, at, captured, streams);
        steps.push(step);
    }

    /// A call, and what shows that the agent behaves as the message asks.
    fn call(&mut self, operation: Operation, members: &'a Map<String, Value>, at: &str, captured: &Captured) -> Step {
        let nothing = Value::Object(Map::new());
        let of_request = inner(at, "request");
        let written = members.get("request").unwrap_or(&nothing);
        if !written.is_object() {
            self.wrong(&of_request, &Part::Value, "a map is expected here");
        }
        let with = self.filled(written, &of_request, captured);
        let behaviour = operation.sends_a_message().then(|| behaviour_of(&with)).flatten();
        let with = self.request(operation, with, &of_request, behaviour.is_some());
        let at_once = with.pointer("/configuration/returnImmediately") == Some(&Value::Bool(true));
        // The author of the test answers for the request, which may be wrong on purpose.
        let call = Call { operation, with, trigger: behaviour.map(|one| one.trigger), invalid: true, rpc_id: None };
        let act = if operation.streams() { Act::Stream(call) } else { Act::Call(call) };
        let id = self.text(members, at, "id").unwrap_or_default();
        let mut step = plain(act, Some(name_of(id)), at, self.tree.line(at));
        if let Some(behaviour) = behaviour.filter(|_| !members.contains_key("expect_error")) {
            step.reach = behaviour.reached(operation.streams(), at_once);
        }
        step
    }

    /// What a step expects of a unary answer (6).
    fn expected(
        &mut self,
        operation: Option<Operation>,
        members: &'a Map<String, Value>,
        at: &str,
        captured: &Captured,
    ) -> Option<Expect> {
        if let Some(error) = members.get("expect_error") {
            return self.expected_error(error, &inner(at, "expect_error"), captured);
        }
        let Some(expect) = members.get("expect") else { return Some(Expect::default()) };
        let at = inner(at, "expect");
        let expect = self.map(expect, &at)?;
        if operation.is_some_and(Operation::streams) {
            self.wrong(&at, &Part::Name, "a stream has `expect_stream`, not `expect`");
        }
        let mut places = Places::new();
        let mut rest = expect.clone();
        if let Some(kind) = rest.remove("result_type") {
            let other = match kind.as_str() {
                Some("task") => "message",
                Some("message") => "task",
                _ => {
                    self.wrong(&inner(&at, "result_type"), &Part::Value, "`result_type` is `task` or `message`");
                    return None;
                }
            };
            add(&mut places, format!("/{}", kind.as_str().unwrap_or_default()), Matcher::Present(true));
            add(&mut places, format!("/{other}"), Matcher::Present(false));
        }
        if !rest.is_empty() {
            add_all(&mut places, self.conditions(&Value::Object(rest), &at, captured));
        }
        Some(Expect { at: places, ..Expect::default() })
    }

    fn expected_error(&mut self, error: &'a Value, at: &str, captured: &Captured) -> Option<Expect> {
        let error = self.map(error, at)?;
        self.only(error, at, &["error_type", "message", "details"]);
        let name = self.needed(error, at, "error_type");
        let known = ERRORS.iter().find(|(known, _)| *known == name).map(|(_, ours)| *ours);
        if known.is_none() && !name.is_empty() {
            self.wrong_name(&inner(at, "error_type"), "error", name, &ERRORS.map(|(name, _)| name));
        }
        if error.contains_key("details") {
            let what = "ACTS does not say where an error has `details`";
            self.beyond(&inner(at, "details"), &Part::Name, what);
        }
        let mut error_at = Places::new();
        if let Some(message) = error.get("message") {
            for (place, matcher) in self.conditions(message, &inner(at, "message"), captured) {
                error_at.insert(format!("/message{place}"), matcher);
            }
        }
        let outcome = known.into_iter().flatten().map(|name| Outcome::Error((*name).to_owned())).collect();
        Some(Expect { outcome, error_at, ..Expect::default() })
    }

    /// What later steps may name. Paths begin at the assertion root (4.2).
    fn capture(&mut self, members: &'a Map<String, Value>, at: &str, captured: &mut Captured, streams: bool) {
        let id = self.text(members, at, "id").unwrap_or_default();
        let at = inner(at, "capture");
        let paths = members.get("capture").and_then(|paths| self.map(paths, &at));
        for variable in paths.into_iter().flat_map(Map::keys) {
            let Some(written) = paths.and_then(|paths| self.text(paths, &at, variable)) else { continue };
            let root = if streams { "" } else { "result." };
            match path::plain(written) {
                // Of a stream it is known what task it is about.
                Some(names)
                    if !streams
                        || matches!(names.as_slice(), [task, id] if task == "task" && matches!(id.as_str(), "id" | "contextId")) =>
                {
                    captured.capture(id, variable, format!("{}.{root}{}", name_of(id), names.join(".")));
                }
                Some(_) => {
                    let what = format!("`{written}` leads into a stream, whose events ACTS does not name");
                    self.beyond(&inner(&at, variable), &Part::Value, what);
                    captured.capture(id, variable, format!("{}.events", name_of(id)));
                }
                None => self.wrong(&inner(&at, variable), &Part::Value, format!("`{written}` is no path")),
            }
        }
    }

    /// Repeats (9) that wait for a task to come to rest; the step itself then asks once.
    fn repeat(&mut self, repeat: &'a Value, at: &str, step: &mut Step, steps: &mut Vec<Step>) {
        let Some(repeat) = self.map(repeat, at) else { return };
        self.only(repeat, at, &["until", "max_attempts", "delay_ms", "backoff"]);
        let until = self.needed(repeat, at, "until");
        let states = until_states(until);
        let task = match &step.act {
            Act::Call(call) if call.operation == Operation::GetTask => call.with.get("id").and_then(Value::as_str),
            _ => None,
        };
        let all = |known: &[&str]| states.iter().all(|state| known.contains(&state.as_str()));
        let (Some(task), false, true) = (task, states.is_empty(), all(&RESTING)) else {
            let what = "`repeat` can wait for a task to end or to need its client, and for nothing else";
            self.beyond(&inner(at, "until"), &Part::Value, what);
            return;
        };
        let until = if all(&TERMINAL) { Until::Terminal } else { Until::Settled };
        let wait = Act::Wait(Wait { task: task.to_owned(), until });
        steps.push(plain(wait, None, at, self.tree.line(at)));
        let reached = Matcher::OneOf(states.into_iter().map(Value::from).collect());
        // It says when to go on. What is demanded of the task is in `expect`: one that rests elsewhere is not at fault.
        add(&mut step.reach, "/status/state".to_owned(), reached);
    }

    /// Collection assertions (5.5) belong to the answer that they name.
    fn assertion_step(&mut self, members: &'a Map<String, Value>, at: &str, captured: &Captured, steps: &mut [Step]) {
        self.only(members, at, &["id", "description", "assertion"]);
        let at = inner(at, "assertion");
        let Some(assertion) = members.get("assertion").and_then(|assertion| self.map(assertion, &at)) else { return };
        self.only(assertion, &at, &["source", "any", "all", "none"]);
        let source = self.needed(assertion, &at, "source");
        let named = source.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")).map(str::trim);
        let id = named.and_then(|name| name.strip_suffix(".response"));
        let name = id.map(name_of);
        let Some(step) = steps.iter_mut().rev().find(|step| name.is_some() && step.name == name) else {
            let message = format!("`{source}` is not the response of an earlier step, as in `{{{{send.response}}}}`");
            self.wrong(&inner(&at, "source"), &Part::Value, message);
            return;
        };
        if matches!(step.act, Act::Stream(_) | Act::Raw(_)) {
            self.beyond(
                &at,
                &Part::Value,
                "an assertion on elements is about a unary answer, not about a stream or a raw answer",
            );
            return;
        }
        for (name, matched) in ["any", "all", "none"].into_iter().filter_map(|name| Some((name, assertion.get(name)?)))
        {
            let at = inner(&at, name);
            let Some((list, matcher)) = self.collection(name, matched, &at, captured) else { continue };
            add(&mut step.expect.get_or_insert_default().at, list, matcher);
        }
    }

    /// The list that a path with wildcards leads to, and what must hold of its elements.
    fn collection(
        &mut self,
        name: &str,
        matched: &'a Value,
        at: &str,
        captured: &Captured,
    ) -> Option<(String, Matcher)> {
        let matched = self.map(matched, at)?;
        self.only(matched, at, &["path", "match"]);
        let written = self.needed(matched, at, "path");
        // The example of 5.5 begins with `result`, the root of 4.2 is below it.
        let path = path::read(written.strip_prefix("result.").unwrap_or(written));
        let Some(path) = path.filter(|path| path.last() == Some(&Segment::Every)) else {
            let message = format!("`{written}` is no path to the elements of a list, such as `task.artifacts[*]`");
            self.wrong(&inner(at, "path"), &Part::Value, message);
            return None;
        };
        let at = inner(at, "match");
        let mut places = self.conditions(matched.get("match").unwrap_or(&Value::Null), &at, captured);
        let mut list = String::new();
        for segment in path.iter().rev() {
            match segment {
                Segment::Name(name) => list = format!("{}{list}", inner("", name)),
                Segment::Every => {
                    if !places.contains_key("") || !list.is_empty() {
                        places = nest(places, &mut list);
                    }
                    let each = name == "all";
                    let items = if each { Matcher::Each(places) } else { Matcher::Some(places) };
                    places = BTreeMap::from([(String::new(), items)]);
                }
            }
        }
        let matcher = places.remove("")?;
        Some((
            list,
            if name == "none" { Matcher::NoneOf(vec![BTreeMap::from([(String::new(), matcher)])]) } else { matcher },
        ))
    }
}

/// Conditions under the way to them, which is then used up.
fn nest(places: Places, way: &mut String) -> Places {
    let way = std::mem::take(way);
    places.into_iter().map(|(place, matcher)| (format!("{way}{place}"), matcher)).collect()
}

/// The behaviour that the message of a request asks for.
fn behaviour_of(with: &Value) -> Option<Behaviour> {
    Behaviour::of(with.pointer("/message/parts/0/text")?.as_str()?)
}

/// The states of `status.state in [A, B]` or `status.state == A`; none where it is another expression.
fn until_states(until: &str) -> Vec<String> {
    let Some(rest) = until.trim().strip_prefix("status.state") else { return Vec::new() };
    let rest = rest.trim_start();
    let listed = rest.strip_prefix("in").map(str::trim).and_then(|rest| rest.strip_prefix('[')?.strip_suffix(']'));
    let states = listed.or_else(|| rest.strip_prefix("==")).unwrap_or_default();
    let bare = |state: &str| state.trim().trim_matches(['"', '\'']).to_owned();
    states.split(',').map(bare).filter(|state| !state.is_empty()).collect()
}
