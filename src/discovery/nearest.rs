//! By which version an interface is checked whose card says one that is not known: a later one, or a text that is none.

use std::sync::Arc;

use serde_json::Value;

use super::interfaces::of_name;
use crate::profile::Profile;

/// The version that `said` means, of those in whose words the card can be read. A version with a letter before it is that version. A
/// later one is taken for the newest that fits, and a major number for the newest release of that number. Any other text says nothing:
/// then it is the version whose cards this one looks most like.
pub(super) fn version(
    said: &str,
    fits: impl Fn(&Profile) -> bool,
    card: &Value,
    profiles: &[Arc<Profile>],
) -> Option<Arc<Profile>> {
    let bare = said.trim().trim_start_matches(['v', 'V']);
    if let Some(named) = of_name(profiles, bare).find(|profile| fits(profile)) {
        return Some(Arc::clone(named));
    }
    let fitting = || profiles.iter().rev().filter(|profile| fits(profile));
    let numbered = || fitting().filter_map(|profile| Some((numbers(profile.name().split('-').next()?)?, profile)));
    let by_number = numbers(bare).and_then(|wanted| {
        let of_major = numbered().find(|(numbers, _)| numbers.starts_with(&wanted));
        let earlier = || numbered().filter(|(numbers, _)| *numbers < wanted).max_by(|one, other| one.0.cmp(&other.0));
        of_major.or_else(earlier).map(|(_, profile)| profile)
    });
    by_number.or_else(|| fitting().min_by_key(|profile| profile.strangeness_of_card(card))).cloned()
}

/// What reports say of it.
pub(super) fn note(said: &str, profile: &Profile) -> String {
    let what = match numbers(said) {
        Some(_) => format!("A2A {said} is not known"),
        None => format!("{said:?} is not a version of A2A"),
    };
    format!("{what}; the interface is checked as {}", profile.name())
}

/// The numbers of a version.
fn numbers(text: &str) -> Option<Vec<u32>> {
    text.split('.').map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_that_is_not_known_is_checked_as_one_that_fits() {
        let profiles = crate::profile::bundled().unwrap();
        let later = |profile: &Profile| ["1.0", "1.1-draft"].contains(&profile.name());
        for (said, checked_as) in [
            ("1.2", "1.1-draft"),
            ("2.0", "1.1-draft"),
            ("2", "1.1-draft"),
            ("v1.0", "1.0"),
            ("V1.1", "1.1-draft"),
            ("1", "1.0"),
            ("latest", "1.0"),
            ("", "1.0"),
            ("0.9", "1.0"),
        ] {
            let found = version(said, later, &Value::Null, &profiles).unwrap();
            assert_eq!(found.name(), checked_as, "{said:?}");
        }
        assert!(version("2.0", |_| false, &Value::Null, &profiles).is_none());
    }

    #[test]
    fn the_note_says_what_the_card_says() {
        let profiles = crate::profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
        assert_eq!(note("2.0", profile), "A2A 2.0 is not known; the interface is checked as 1.0");
        assert_eq!(note("v1.0", profile), "\"v1.0\" is not a version of A2A; the interface is checked as 1.0");
    }
}
