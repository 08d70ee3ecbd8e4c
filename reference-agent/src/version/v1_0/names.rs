//! Enum values, by the names and numbers of the protobuf definition (sections 4.1.3, 4.1.5 and 5.5).

use serde::Deserialize;
use serde_json::Value;

use crate::model::{Role, TaskState};
use crate::version::Version;
use crate::version::field::ProtoInt;

/// The states in the order of their numbers, from 1.
const STATES: [TaskState; 8] = [
    TaskState::Submitted,
    TaskState::Working,
    TaskState::Completed,
    TaskState::Failed,
    TaskState::Canceled,
    TaskState::InputRequired,
    TaskState::Rejected,
    TaskState::AuthRequired,
];

/// The words of a version for states and roles.
#[derive(Debug)]
pub struct Names {
    /// In the order of their numbers; the first one stands for none.
    states: [&'static str; 9],
    /// A state that has a second name, which is read and never written.
    other: Option<(&'static str, TaskState)>,
    user: &'static str,
    agent: &'static str,
}

impl Names {
    /// Those of the protobuf definition, which 1.0 has everywhere.
    pub const OF_PROTO: Self = Self {
        states: [
            "TASK_STATE_UNSPECIFIED",
            "TASK_STATE_SUBMITTED",
            "TASK_STATE_WORKING",
            "TASK_STATE_COMPLETED",
            "TASK_STATE_FAILED",
            "TASK_STATE_CANCELED",
            "TASK_STATE_INPUT_REQUIRED",
            "TASK_STATE_REJECTED",
            "TASK_STATE_AUTH_REQUIRED",
        ],
        other: None,
        user: "ROLE_USER",
        agent: "ROLE_AGENT",
    };

    /// The same without their prefix and in lower case, as the draft has them in JSON (1.0-draft, section 5.5). Its text has
    /// `canceled`, too (1.0-draft, sections 3.1.1 and 6.5).
    pub const IN_KEBAB_CASE: Self = Self {
        states: [
            "unspecified",
            "submitted",
            "working",
            "completed",
            "failed",
            "cancelled",
            "input-required",
            "rejected",
            "auth-required",
        ],
        other: Some(("canceled", TaskState::Canceled)),
        user: "user",
        agent: "agent",
    };

    /// Those that a version has in JSON.
    pub const fn of(version: Version) -> &'static Self {
        match version {
            Version::V1_0Draft => &Self::IN_KEBAB_CASE,
            _ => &Self::OF_PROTO,
        }
    }

    /// The name of a state.
    pub fn state(&self, state: TaskState) -> &'static str {
        let named = STATES.into_iter().zip(self.states.into_iter().skip(1));
        named.into_iter().find(|(known, _)| *known == state).map_or(self.states[0], |(_, name)| name)
    }

    /// The name of a role.
    pub const fn role(&self, role: Role) -> &'static str {
        match role {
            Role::User => self.user,
            Role::Agent => self.agent,
        }
    }

    /// The task state that a value names; `Some(None)` for the unspecified one.
    pub fn read_state(&self, value: &EnumValue) -> Option<Option<TaskState>> {
        let number = match value {
            EnumValue::Number(number) => usize::try_from(*number).ok()?,
            EnumValue::Name(name) => match self.states.iter().position(|known| known == name) {
                Some(number) => number,
                None => return self.other.filter(|(other, _)| other == name).map(|(_, state)| Some(state)),
            },
        };
        match number.checked_sub(1) {
            None => Some(None),
            Some(index) => STATES.get(index).copied().map(Some),
        }
    }

    /// The role that a value names. The unspecified one is not a role to send.
    pub fn read_role(&self, value: &EnumValue) -> Option<Role> {
        match value {
            EnumValue::Number(1) => Some(Role::User),
            EnumValue::Number(2) => Some(Role::Agent),
            EnumValue::Number(_) => None,
            EnumValue::Name(name) => [Role::User, Role::Agent].into_iter().find(|role| self.role(*role) == name),
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str) -> EnumValue {
        EnumValue::Name(name.to_owned())
    }

    #[test]
    fn names_and_numbers_are_read() {
        for names in [Names::OF_PROTO, Names::IN_KEBAB_CASE] {
            for (state, number) in STATES.into_iter().zip(1..) {
                assert_eq!(names.read_state(&name(names.state(state))), Some(Some(state)));
                assert_eq!(names.read_state(&EnumValue::Number(number)), Some(Some(state)));
            }
            assert_eq!(names.read_state(&EnumValue::Number(0)), Some(None));
            assert_eq!(names.read_state(&name(names.states[0])), Some(None));
            for unknown in [EnumValue::Number(9), EnumValue::Number(-1), name("Working"), name("")] {
                assert_eq!(names.read_state(&unknown), None, "{unknown:?}");
            }
            assert_eq!(names.read_role(&name(names.user)), Some(Role::User));
            assert_eq!(names.read_role(&EnumValue::Number(2)), Some(Role::Agent));
            assert_eq!(names.read_role(&EnumValue::Number(0)), None);
            assert_eq!(names.read_role(&name("ROLE_UNSPECIFIED")), None);
        }
    }

    #[test]
    fn each_version_has_its_words() {
        for (word, of_proto, in_kebab_case) in [
            ("TASK_STATE_CANCELED", true, false),
            ("TASK_STATE_CANCELLED", false, false),
            ("cancelled", false, true),
            ("canceled", false, true),
            ("input-required", false, true),
            ("input_required", false, false),
        ] {
            assert_eq!(Names::OF_PROTO.read_state(&name(word)).is_some(), of_proto, "{word}");
            assert_eq!(Names::IN_KEBAB_CASE.read_state(&name(word)).is_some(), in_kebab_case, "{word}");
        }
        assert_eq!(Names::IN_KEBAB_CASE.state(TaskState::Canceled), "cancelled");
    }
}
