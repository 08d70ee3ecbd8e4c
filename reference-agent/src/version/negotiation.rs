use super::Version;
use crate::core::Error;

/// An address of the agent, and the versions that are spoken there (section 3.6.2).
#[derive(Debug)]
pub struct Interface {
    /// The versions, and as requests name them.
    versions: &'static [Version],
    names: &'static [&'static str],
    /// What a request that names none is in.
    silent: Silent,
}

/// What a request without `A2A-Version` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Silent {
    /// That it is in 0.3 (section 3.6.2).
    V0_3,
    /// Nothing: there is one version. The draft asks its clients to name it, and does not insist (1.0-draft, section 3.6).
    TheOne,
    /// Nothing, nor does the header: the version is older than it.
    Always,
}

impl Interface {
    /// Where only 1.0 is spoken.
    pub const V1_0: Self = Self { versions: &[Version::V1_0], names: &["1.0"], silent: Silent::V0_3 };

    /// Where only the draft of 1.1 is spoken.
    pub const V1_1_DRAFT: Self = Self { versions: &[Version::V1_1Draft], names: &["1.1"], silent: Silent::V0_3 };

    /// Where only the draft of 1.0 is spoken.
    pub const V1_0_DRAFT: Self = Self { versions: &[Version::V1_0Draft], names: &["1.0"], silent: Silent::TheOne };

    /// Where only 0.3 is spoken.
    pub const V0_3: Self = Self { versions: &[Version::V0_3], names: &["0.3"], silent: Silent::V0_3 };

    /// Where only 0.2.5 is spoken.
    pub const V0_2_5: Self = Self { versions: &[Version::V0_2_5], names: &["0.2.5"], silent: Silent::Always };

    /// Where only 0.2.1 is spoken.
    pub const V0_2_1: Self = Self { versions: &[Version::V0_2_1], names: &["0.2.1"], silent: Silent::Always };

    /// Where only 0.1 is spoken.
    pub const V0_1: Self = Self { versions: &[Version::V0_1], names: &["0.1"], silent: Silent::Always };

    /// Where only the proposal is spoken.
    pub const PROPOSAL: Self = Self { versions: &[Version::Proposal], names: &["proposal"], silent: Silent::Always };

    /// Where the header decides.
    pub const ANY: Self =
        Self { versions: &[Version::V1_0, Version::V0_3], names: &["1.0", "0.3"], silent: Silent::V0_3 };

    /// Where only this version is spoken.
    pub const fn of(version: Version) -> &'static Self {
        match version {
            Version::Proposal => &Self::PROPOSAL,
            Version::V0_1 => &Self::V0_1,
            Version::V0_2_1 => &Self::V0_2_1,
            Version::V0_2_5 => &Self::V0_2_5,
            Version::V0_3 => &Self::V0_3,
            Version::V1_0Draft => &Self::V1_0_DRAFT,
            Version::V1_0 => &Self::V1_0,
            Version::V1_1Draft => &Self::V1_1_DRAFT,
        }
    }

    /// The version that serves a request with this `A2A-Version`. An empty one is the same as none.
    ///
    /// # Errors
    /// [`Error::VersionNotSupported`], for a text that names no version, too.
    pub fn choose(&self, requested: Option<&str>) -> Result<Version, Error> {
        let requested = requested.map(str::trim).filter(|text| !text.is_empty());
        let requested = match (self.silent, requested) {
            (Silent::Always, _) | (Silent::TheOne, None) => return Ok(self.default_version()),
            (Silent::V0_3, None) => Version::V0_3.name(),
            (Silent::V0_3 | Silent::TheOne, Some(requested)) => requested,
        };
        let place = major_and_minor(requested).and_then(|name| self.names.iter().position(|known| *known == name));
        place
            .and_then(|place| self.versions.get(place).copied())
            .ok_or_else(|| Error::VersionNotSupported { requested: requested.to_owned(), supported: self.names })
    }

    /// The version in whose words to refuse a request that asks for none of the interface's own: the first.
    pub fn default_version(&self) -> Version {
        self.versions.first().copied().unwrap_or(Version::V1_0)
    }
}

/// `1.0` of `1.0` and of `1.0.1`: patch numbers do not matter (section 3.6).
fn major_and_minor(text: &str) -> Option<&str> {
    let is_number = |piece: &str| !piece.is_empty() && piece.bytes().all(|byte| byte.is_ascii_digit());
    let pieces: Vec<&str> = text.split('.').collect();
    match pieces.as_slice() {
        [major, minor] if is_number(major) && is_number(minor) => Some(text),
        [major, minor, patch] if is_number(major) && is_number(minor) && is_number(patch) => {
            text.get(..major.len() + 1 + minor.len())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_interface_serves_its_own_versions() {
        use Version::{V0_3, V1_0};
        for (requested, at_1_0, at_0_3, at_any) in [
            (None, None, Some(V0_3), Some(V0_3)),
            (Some(""), None, Some(V0_3), Some(V0_3)),
            (Some(" "), None, Some(V0_3), Some(V0_3)),
            (Some("0.3"), None, Some(V0_3), Some(V0_3)),
            (Some("0.3.0"), None, Some(V0_3), Some(V0_3)),
            (Some("1.0"), Some(V1_0), None, Some(V1_0)),
            (Some("1.0.1"), Some(V1_0), None, Some(V1_0)),
            (Some("1.00"), None, None, None),
            (Some("1"), None, None, None),
            (Some("1.0."), None, None, None),
            (Some("1.0.x"), None, None, None),
            (Some("1.0.1.2"), None, None, None),
            (Some("1.1"), None, None, None),
            (Some("99.0"), None, None, None),
            (Some("abc"), None, None, None),
        ] {
            assert_eq!(Interface::V1_0.choose(requested).ok(), at_1_0, "{requested:?} at /1.0");
            assert_eq!(Interface::V0_3.choose(requested).ok(), at_0_3, "{requested:?} at /0.3");
            assert_eq!(Interface::ANY.choose(requested).ok(), at_any, "{requested:?} at /");
            let at_draft = Interface::V1_0_DRAFT.choose(requested).ok();
            let is_silent = requested.is_none_or(|text| text.trim().is_empty());
            assert_eq!(
                at_draft,
                (is_silent || at_1_0.is_some()).then_some(Version::V1_0Draft),
                "{requested:?} at the draft"
            );
            let is_1_1 = requested == Some("1.1");
            assert_eq!(Interface::V1_1_DRAFT.choose(requested).is_ok(), is_1_1, "{requested:?} at the draft of 1.1");
            for older in Version::UNNAMED {
                assert_eq!(Interface::of(older).choose(requested).ok(), Some(older), "{requested:?} at {older:?}");
            }
        }
    }
}
