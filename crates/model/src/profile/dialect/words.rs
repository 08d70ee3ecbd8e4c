//! Canonical spellings in sentences, as the version has them: who reads a report knows the words of their own version.

use std::collections::BTreeMap;

use super::Dialect;

impl Dialect {
    /// A text in which the values of enumerations have this version's spelling: `completed` for `TASK_STATE_COMPLETED`. Words
    /// that `keep` names stay as they are, such as those that the agent itself wrote so.
    pub fn in_own_words(&self, text: &str, keep: impl Fn(&str) -> bool) -> String {
        let shapes = self.types.values().filter_map(|shape| shape.values.as_ref());
        let spelled: BTreeMap<&str, &str> =
            shapes.flatten().map(|(canonical, own)| (canonical.as_str(), own.as_str())).collect();
        let is_word = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(is_word) {
            let (before, from) = rest.split_at(start);
            let (word, after) = from.split_at(from.find(|c| !is_word(c)).unwrap_or(from.len()));
            out.push_str(before);
            // A short word such as `DONE` may be anybody's.
            let own = spelled.get(word).filter(|_| word.contains('_') && !keep(word));
            out.push_str(own.copied().unwrap_or(word));
            rest = after;
        }
        out.push_str(rest);
        out
    }
}

#[cfg(test)]
mod tests {
    use crate::profile;

    #[test]
    fn the_values_of_enumerations_are_spelled_as_in_the_version() {
        let profiles = profile::bundled().unwrap();
        let dialect = |name: &str| {
            let profile = profiles.iter().find(|profile| profile.name() == name).unwrap();
            profile.dialects_over(profile::Binding::Jsonrpc).next().unwrap()
        };
        let text =
            "`/status/state` is \"TASK_STATE_COMPLETED\", expected TASK_STATE_INPUT_REQUIRED, ROLE_AGENTS or A_B";
        let own = dialect("0.3").in_own_words(text, |_| false);
        assert_eq!(own, "`/status/state` is \"completed\", expected input-required, ROLE_AGENTS or A_B");
        assert_eq!(dialect("1.0").in_own_words(text, |_| false), text);
        assert_eq!(
            dialect("0.3").in_own_words("ROLE_USER, ROLE_AGENT", |word| word == "ROLE_USER"),
            "ROLE_USER, agent"
        );
    }
}
