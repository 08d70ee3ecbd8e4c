//! What an agent may keep when it restarts.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Something that an agent may keep when it restarts. No version of A2A requires that; who runs an agent may declare it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Durable {
    /// Tasks, with their states, histories and artifacts.
    Tasks,
    /// The tokens of pages of tasks.
    PageTokens,
    /// The configurations of push notifications.
    PushConfigs,
    /// That tasks can be subscribed to again.
    Subscriptions,
}

impl Durable {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 4] = [Self::Tasks, Self::PageTokens, Self::PushConfigs, Self::Subscriptions];

    /// Its name in settings and cases.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tasks => "tasks",
            Self::PageTokens => "page-tokens",
            Self::PushConfigs => "push-configs",
            Self::Subscriptions => "subscriptions",
        }
    }

    /// What it is, for people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Tasks => "tasks",
            Self::PageTokens => "page tokens",
            Self::PushConfigs => "push configurations",
            Self::Subscriptions => "subscriptions",
        }
    }
}

impl fmt::Display for Durable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Durable {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let all = || Self::ALL.map(Self::name).join(", ");
        Self::ALL.into_iter().find(|it| it.name() == word).ok_or_else(|| format!("expected one of {}", all()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for it in Durable::ALL {
            assert_eq!(it.to_string().parse(), Ok(it));
            assert_eq!(serde_json::to_value(it).unwrap(), it.name());
        }
        assert_eq!(
            "task".parse::<Durable>().unwrap_err(),
            "expected one of tasks, page-tokens, push-configs, subscriptions"
        );
    }
}
