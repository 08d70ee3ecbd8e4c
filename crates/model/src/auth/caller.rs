//! Who asks: whose credentials go along with a request.

use serde::Deserialize;

/// Whoever may stand behind a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Caller {
    /// The identity of the run.
    #[default]
    Own,
    /// Somebody without any credentials.
    Nobody,
    /// Somebody with credentials of the same form, which nobody was ever given.
    Stranger,
    /// The second identity that the user gave, which has no right to what the first one has.
    Other,
    /// An identity whose credentials were good until they expired.
    Expired,
    /// An identity whose credentials are good, and for another audience than this agent (RFC 9068, section 4).
    WrongAudience,
    /// An identity whose credentials are good, and do not allow to send messages (RFC 6750, section 3.1).
    Narrow,
}

impl Caller {
    /// Those whose credentials a user gives, that of the run first.
    pub const GIVEN: [Self; 5] = [Self::Own, Self::Other, Self::Expired, Self::WrongAudience, Self::Narrow];

    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Own, Self::Nobody, Self::Stranger, Self::Other, Self::Expired, Self::WrongAudience, Self::Narrow];

    /// The name, as case files and reports have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Nobody => "nobody",
            Self::Stranger => "stranger",
            Self::Other => "other",
            Self::Expired => "expired",
            Self::WrongAudience => "wrong-audience",
            Self::Narrow => "narrow",
        }
    }
}

/// A value of a header of the same form that no agent has given to anybody. Of a value with a scheme of HTTP authentication
/// the scheme stays (RFC 9110, section 11.4).
pub(super) fn made_up(name: &str, value: &str) -> String {
    const TOKEN: &str = "a2aspec-0000000000000000";
    /// `a2aspec:a2aspec`, as RFC 7617 has it.
    const PAIR: &str = "YTJhc3BlYzphMmFzcGVj";
    match value.split_once(' ').filter(|_| name.eq_ignore_ascii_case("authorization")) {
        Some((scheme, _)) if scheme.eq_ignore_ascii_case("basic") => format!("{scheme} {PAIR}"),
        Some((scheme, _)) => format!("{scheme} {TOKEN}"),
        None => TOKEN.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_case_files() {
        for caller in Caller::ALL {
            assert_eq!(serde_json::from_value::<Caller>(caller.name().into()).ok(), Some(caller));
        }
    }

    #[test]
    fn what_is_made_up_has_the_form_of_what_was_given() {
        for (name, value, wanted) in [
            ("Authorization", "Bearer s3cr3t", "Bearer a2aspec-0000000000000000"),
            ("authorization", "basic dXNlcjpwdw==", "basic YTJhc3BlYzphMmFzcGVj"),
            ("authorization", "s3cr3t", "a2aspec-0000000000000000"),
            ("X-Api-Key", "one two", "a2aspec-0000000000000000"),
        ] {
            assert_eq!(made_up(name, value), wanted, "{name}: {value}");
        }
    }
}
