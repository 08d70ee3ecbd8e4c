use super::Version;
use crate::core::Error;

/// An address of the agent, and the versions that are spoken there (section 3.6.2).
#[derive(Debug)]
pub struct Interface {
    versions: &'static [Version],
    names: &'static [&'static str],
}

impl Interface {
    /// Where only 1.0 is spoken.
    pub const V1_0: Self = Self { versions: &[Version::V1_0], names: &["1.0"] };

    /// Where only 0.3 is spoken.
    pub const V0_3: Self = Self { versions: &[Version::V0_3], names: &["0.3"] };

    /// Where only 0.2.5 is spoken.
    pub const V0_2_5: Self = Self { versions: &[Version::V0_2_5], names: &["0.2.5"] };

    /// Where only 0.2.1 is spoken.
    pub const V0_2_1: Self = Self { versions: &[Version::V0_2_1], names: &["0.2.1"] };

    /// Where only 0.1 is spoken.
    pub const V0_1: Self = Self { versions: &[Version::V0_1], names: &["0.1"] };

    /// Where only the proposal is spoken.
    pub const PROPOSAL: Self = Self { versions: &[Version::Proposal], names: &["proposal"] };

    /// Where the header decides.
    pub const ANY: Self = Self { versions: &[Version::V1_0, Version::V0_3], names: &["1.0", "0.3"] };

    /// Where only this version is spoken.
    pub const fn of(version: Version) -> &'static Self {
        match version {
            Version::Proposal => &Self::PROPOSAL,
            Version::V0_1 => &Self::V0_1,
            Version::V0_2_1 => &Self::V0_2_1,
            Version::V0_2_5 => &Self::V0_2_5,
            Version::V0_3 => &Self::V0_3,
            Version::V1_0 => &Self::V1_0,
        }
    }

    /// The version that serves a request with this `A2A-Version`. A missing or empty one means 0.3. Versions that are
    /// older than the header do not look at it.
    ///
    /// # Errors
    /// [`Error::VersionNotSupported`], for a text that names no version, too.
    pub fn choose(&self, requested: Option<&str>) -> Result<Version, Error> {
        if let [version] = self.versions
            && Version::UNNAMED.contains(version)
        {
            return Ok(*version);
        }
        let requested = requested.map(str::trim).filter(|text| !text.is_empty()).unwrap_or(Version::V0_3.name());
        major_and_minor(requested)
            .and_then(|name| self.versions.iter().copied().find(|version| version.name() == name))
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
            (Some("99.0"), None, None, None),
            (Some("abc"), None, None, None),
        ] {
            assert_eq!(Interface::V1_0.choose(requested).ok(), at_1_0, "{requested:?} at /1.0");
            assert_eq!(Interface::V0_3.choose(requested).ok(), at_0_3, "{requested:?} at /0.3");
            assert_eq!(Interface::ANY.choose(requested).ok(), at_any, "{requested:?} at /");
            for older in Version::UNNAMED {
                assert_eq!(Interface::of(older).choose(requested).ok(), Some(older), "{requested:?} at {older:?}");
            }
        }
    }
}
