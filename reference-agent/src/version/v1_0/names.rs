//! Enum values, by the names and numbers of the protobuf definition (sections 4.1.3, 4.1.5 and 5.5).

use serde::Deserialize;
use serde_json::Value;

use crate::model::{Role, TaskState};
use crate::version::field::ProtoInt;

/// An enum value as a client may write it: a name, or the number of a name.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub enum EnumValue {
    /// `TASK_STATE_WORKING`
    Name(String),
    /// `2`
    Number(i32),
}

impl TryFrom<Value> for EnumValue {
    type Error = &'static str;

    fn try_from(value: Value) -> Result<Self, Self::Error> {
        match value {
            Value::String(name) => Ok(Self::Name(name)),
            number @ Value::Number(_) => ProtoInt::try_from(number).map(|ProtoInt(number)| Self::Number(number)),
            _ => Err("must be the name of an enum value"),
        }
    }
}

impl EnumValue {
    fn names(&self, name: &str, number: i32) -> bool {
        match self {
            Self::Name(given) => given == name,
            Self::Number(given) => *given == number,
        }
    }

    /// The task state that this names; `Some(None)` for the unspecified one.
    pub fn task_state(&self) -> Option<Option<TaskState>> {
        if self.names("TASK_STATE_UNSPECIFIED", 0) {
            return Some(None);
        }
        TASK_STATES
            .into_iter()
            .zip(1..)
            .find(|((_, name), number)| self.names(name, *number))
            .map(|((state, _), _)| Some(state))
    }

    /// The role that this names. The unspecified one is not a role to send.
    pub fn role(&self) -> Option<Role> {
        [(Role::User, 1), (Role::Agent, 2)]
            .into_iter()
            .find(|(role, number)| self.names(role_name(*role), *number))
            .map(|(role, _)| role)
    }
}

/// The states in the order of their numbers, from 1.
const TASK_STATES: [(TaskState, &str); 8] = [
    (TaskState::Submitted, "TASK_STATE_SUBMITTED"),
    (TaskState::Working, "TASK_STATE_WORKING"),
    (TaskState::Completed, "TASK_STATE_COMPLETED"),
    (TaskState::Failed, "TASK_STATE_FAILED"),
    (TaskState::Canceled, "TASK_STATE_CANCELED"),
    (TaskState::InputRequired, "TASK_STATE_INPUT_REQUIRED"),
    (TaskState::Rejected, "TASK_STATE_REJECTED"),
    (TaskState::AuthRequired, "TASK_STATE_AUTH_REQUIRED"),
];

/// The name of a state.
pub fn task_state_name(state: TaskState) -> &'static str {
    TASK_STATES.into_iter().find(|(known, _)| *known == state).map_or("TASK_STATE_UNSPECIFIED", |(_, name)| name)
}

/// The name of a role.
pub const fn role_name(role: Role) -> &'static str {
    match role {
        Role::User => "ROLE_USER",
        Role::Agent => "ROLE_AGENT",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_read() {
        for ((state, name), number) in TASK_STATES.into_iter().zip(1..) {
            assert_eq!(task_state_name(state), name);
            assert_eq!(EnumValue::Name(name.to_owned()).task_state(), Some(Some(state)));
            assert_eq!(EnumValue::Number(number).task_state(), Some(Some(state)));
        }
        assert_eq!(EnumValue::Number(0).task_state(), Some(None));
        for unknown in ["completed", "task_state_working", "TASK_STATE_CANCELLED", ""] {
            assert_eq!(EnumValue::Name(unknown.to_owned()).task_state(), None, "{unknown}");
        }
        assert_eq!(EnumValue::Number(9).task_state(), None);
        assert_eq!(EnumValue::Number(2).role(), Some(Role::Agent));
        assert_eq!(EnumValue::Number(0).role(), None);
        assert_eq!(EnumValue::Name("ROLE_UNSPECIFIED".to_owned()).role(), None);
    }
}
