use std::fmt;
use std::str::FromStr;

/// What one replica of the agent keeps to itself, where all are to share it: what their clients are told by one of them is wrong at
/// another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unshared {
    /// Everything: each has a store of its own.
    Tasks,
    /// The tokens of pages.
    PageTokens,
    /// The events of tasks at work: nobody can subscribe to these elsewhere.
    Streams,
    /// Cancellations of tasks that work elsewhere.
    Cancellations,
    /// The configurations of push notifications.
    PushConfigs,
}

impl Unshared {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 5] = [Self::Tasks, Self::PageTokens, Self::Streams, Self::Cancellations, Self::PushConfigs];

    const fn name(self) -> &'static str {
        match self {
            Self::Tasks => "tasks",
            Self::PageTokens => "page-tokens",
            Self::Streams => "streams",
            Self::Cancellations => "cancellations",
            Self::PushConfigs => "push-configs",
        }
    }
}

impl fmt::Display for Unshared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A word that names nothing [`Unshared`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "replicas cannot keep `{0}` to themselves (there are: tasks, page-tokens, streams, cancellations, push-configs)"
)]
pub struct UnknownUnshared(
    /// The word.
    pub String,
);

impl FromStr for Unshared {
    type Err = UnknownUnshared;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|it| it.name() == word).ok_or_else(|| UnknownUnshared(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_listed() {
        let unknown = "Tasks".parse::<Unshared>().unwrap_err();
        for it in Unshared::ALL {
            assert_eq!(it.to_string().parse(), Ok(it));
            assert!(unknown.to_string().contains(&it.to_string()), "{it}");
        }
    }
}
