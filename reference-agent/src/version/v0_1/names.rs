//! The words for states (0.1, section 6.3). Those for roles are the ones of 0.3.

use serde::Serialize;

use crate::model;

/// Where a task stands. The state `unknown` is left out: this agent knows its tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskState {
    Submitted,
    Working,
    InputRequired,
    Completed,
    Canceled,
    Failed,
}

impl From<model::TaskState> for TaskState {
    fn from(state: model::TaskState) -> Self {
        match state {
            model::TaskState::Submitted => Self::Submitted,
            model::TaskState::Working => Self::Working,
            model::TaskState::Completed => Self::Completed,
            model::TaskState::Canceled => Self::Canceled,
            // There is no word for a task that the agent does not want.
            model::TaskState::Failed | model::TaskState::Rejected => Self::Failed,
            // Credentials are input like any other (0.1, section 4).
            model::TaskState::InputRequired | model::TaskState::AuthRequired => Self::InputRequired,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_states_have_an_earlier_word() {
        for (state, word) in [
            (model::TaskState::InputRequired, "input-required"),
            (model::TaskState::AuthRequired, "input-required"),
            (model::TaskState::Rejected, "failed"),
            (model::TaskState::Canceled, "canceled"),
        ] {
            assert_eq!(serde_json::to_value(TaskState::from(state)).unwrap(), word);
        }
    }
}
