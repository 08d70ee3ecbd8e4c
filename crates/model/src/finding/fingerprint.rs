//! What makes two findings one: equal from run to run, over cases, bindings and versions.

use sha2::{Digest as _, Sha256};

use super::{Finding, Kind};

impl Finding {
    /// A short name of its cause. It holds no id, time, port or text of the agent: what was wrong, and in what kind of place.
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        let mut add = |text: &str| {
            hash.update(text.as_bytes());
            // No text has it, so that no two lists of texts look alike.
            hash.update([0]);
        };
        // Who serves what it must refuse, and who looks for the task that it names, have both left out the check of that input.
        if let Some(input) = self.unchecked() {
            add(UNCHECKED);
            add(input);
            return named(hash);
        }
        add(&self.kind.name());
        // A task without its kind is no answer and no event of a stream either.
        let is_unmarked = matches!(&self.kind, Kind::SchemaObject { of, condition }
            if condition == UNMARKED && WITH_TASKS.contains(&of.as_str()));
        // An object of the proto comes bare, as an answer or as an event.
        let is_unwrapped = matches!(&self.kind, Kind::SchemaObject { of, condition }
            if WRAPPED.contains(&of.as_str()) && condition.starts_with("one of the members task"));
        let is_denied = matches!(self.kind, Kind::OperationDenied { .. } | Kind::NotFoundOverHttp { .. });
        for text in self.kind.fixed() {
            match text.starts_with('/') {
                false if is_unmarked && WITH_TASKS.contains(&text) => {}
                false if is_unwrapped => {}
                // Who knows nothing of webhooks knows none of these operations.
                false if is_denied && text.contains(WEBHOOKS) => add(WEBHOOKS),
                true => add(&without_indexes(text).join("/")),
                // A version that takes null there, too, wants the same of what is there.
                false => add(text.strip_prefix("null or ").unwrap_or(text)),
            }
        }
        if let Some(pointer) = self.pointer.as_deref().filter(|_| !self.kind.is_placed()) {
            add(&kind_of_place(pointer));
        }
        if let Some(input) = &self.input {
            add(input);
        }
        named(hash)
    }

    /// The fingerprint of the problem that it belongs to: that of its cause, where the run shows one.
    pub fn problem(&self) -> String {
        self.cause.clone().unwrap_or_else(|| self.fingerprint())
    }

    /// The kind of input that it shows to be unchecked.
    pub fn unchecked(&self) -> Option<&str> {
        let is_unchecked = match &self.kind {
            Kind::RequestServed { .. } => true,
            Kind::WrongError { received, .. } => AFTER_CHECKS.contains(&received.as_str()),
            _ => false,
        };
        self.input.as_deref().filter(|_| is_unchecked)
    }

    /// The fingerprint of a cause that no finding tells alone, by its name.
    pub fn fingerprint_of(cause: &str) -> String {
        named(Sha256::new().chain_update(cause.as_bytes()))
    }
}

/// Errors about the task that a request names: who answers so has taken the request for a right one.
pub const AFTER_CHECKS: [&str; 2] = ["TaskNotFoundError", "TaskNotCancelableError"];

/// What is hashed in place of the kind where an input is not checked.
const UNCHECKED: &str = "unchecked";

fn named(hash: Sha256) -> String {
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// What an object of 0.2 and 0.3 lacks that does not say what it is.
const UNMARKED: &str = "the member \"kind\"";

/// A task, and what is one where it is a task that comes.
const WITH_TASKS: [&str; 3] = ["Task", "SendMessageResult", "StreamEvent"];

/// What the names of the operations on webhooks have in common.
const WEBHOOKS: &str = "TaskPushNotificationConfig";

/// What holds a task or a message under its name.
const WRAPPED: [&str; 2] = ["WrappedSendMessageResult", "WrappedStreamEvent"];

/// The last two names of a pointer: the same mistake in every item of an array, or in the same member of a thing that comes
/// alone here and in an array there, is one mistake. What a binding wraps around all results and errors does not count.
fn kind_of_place(pointer: &str) -> String {
    let names = without_indexes(pointer);
    let names = match names.as_slice() {
        ["result" | "error", rest @ ..] => rest,
        all => all,
    };
    names.get(names.len().saturating_sub(2)..).unwrap_or_default().join("/")
}

/// The names in a pointer. Names that an agent may have made up, such as ids that are keys, are one.
fn without_indexes(pointer: &str) -> Vec<&str> {
    const ANY: &str = "*";
    let is_index = |token: &str| !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
    let is_made_up = |token: &str| token.len() > 40 || token.bytes().filter(u8::is_ascii_digit).count() > 3;
    let tokens = pointer.split('/').skip(1).filter(|token| !is_index(token));
    tokens.map(|token| if is_made_up(token) { ANY } else { token }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn left(task: &str, state: &str) -> Finding {
        Finding::new(Kind::TerminalStateLeft { task: task.to_owned(), state: state.to_owned() })
    }

    fn value(place: &str, condition: &str) -> Finding {
        Finding::new(Kind::Value { place: place.to_owned(), condition: condition.to_owned() })
    }

    #[test]
    fn what_varies_from_run_to_run_does_not_count() {
        let one = left("task-1", "TASK_STATE_COMPLETED").in_exchange(1).compare("a", "b");
        let other = left("task-2", "TASK_STATE_COMPLETED").in_exchange(2).in_event(3).compare("c", "d");
        assert_eq!(one.fingerprint(), other.fingerprint());
        // Whoever lets a task leave one state that is final lets it leave the others, too.
        assert_eq!(one.fingerprint(), left("task-1", "TASK_STATE_FAILED").fingerprint());
    }

    #[test]
    fn the_same_mistake_in_another_item_or_over_another_binding_is_the_same() {
        let untyped = |pointer: &str| Finding::new(Kind::DetailUntyped).at(1, pointer).fingerprint();
        assert_eq!(untyped("/error/data/0"), untyped("/error/details/1"));
        let bare = |pointer: &str| Finding::new(Kind::ErrorWithoutMessage).at(1, pointer).fingerprint();
        assert_eq!(bare("/error/message"), bare("/message"));
        assert_ne!(bare("/error/message"), bare("/error/text"));
        let role = |pointer: &str| Finding::new(Kind::AgentInOtherRole).at(1, pointer).fingerprint();
        assert_eq!(role("/result/message/role"), role("/message/role"));
        assert_eq!(role("/result/metadata/0a1b2c3d-4e5f/role"), role("/result/metadata/9a8b7c6d-5e4f/role"));
        assert_eq!(value("/0/status", "x").fingerprint(), value("/1/status", "x").at(7, "/result").fingerprint());
        assert_ne!(value("/status", "x").fingerprint(), value("/status", "y").fingerprint());
        assert_eq!(value("/id", "null or a string").fingerprint(), value("/id", "a string").fingerprint());
    }

    #[test]
    fn a_task_without_its_kind_is_one_mistake_wherever_it_comes() {
        let lacks = |of: &str, condition: &str| {
            Finding::new(Kind::SchemaObject { of: of.to_owned(), condition: condition.to_owned() }).fingerprint()
        };
        assert_eq!(lacks("Task", UNMARKED), lacks("SendMessageResult", UNMARKED));
        assert_eq!(lacks("Task", UNMARKED), lacks("StreamEvent", UNMARKED));
        assert_ne!(lacks("Task", UNMARKED), lacks("TextPart", UNMARKED));
        assert_ne!(lacks("Task", "an object"), lacks("StreamEvent", "an object"));
        let mode = |pointer: &str| Finding::new(Kind::ModeNoMediaType).at(1, pointer).fingerprint();
        assert_eq!(mode("/defaultInputModes/0"), mode("/skills/1/outputModes/2"));
    }

    #[test]
    fn it_is_stable_from_release_to_release() {
        assert_eq!(left("t", "TASK_STATE_COMPLETED").fingerprint(), "1dc97c46cbc1bc65");
        assert_eq!(value("/tasks/0/id", "present").fingerprint(), "71612f2c27a07087");
    }

    proptest! {
        #[test]
        fn any_pointer_has_one(pointer in ".*") {
            let finding = Finding::new(Kind::StreamsDiffer).at(1, pointer);
            prop_assert_eq!(finding.fingerprint().len(), 16);
        }
    }
}
