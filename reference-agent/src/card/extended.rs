//! The extended card, as each version has it.

use std::sync::OnceLock;

use serde_json::Value;

use super::{AgentCard, for_version, signed};
use crate::config::Config;
use crate::version::Version;

/// The versions in which the extended card is the answer to an operation, written as JSON.
const VERSIONS: [Version; 4] = [Version::V1_0, Version::V1_1Draft, Version::V1_0Draft, Version::V0_3];

/// The extended card (section 3.1.11), with a signature of its own in each version that knows signatures (section 8.4): it is
/// another card than the public one.
#[derive(Debug)]
pub struct ExtendedCard {
    /// The card, without a signature.
    pub card: AgentCard,
    config: Config,
    /// Signed when it is first asked for, which few ever do.
    signed: [(Version, OnceLock<Value>); 4],
}

impl ExtendedCard {
    /// A card that is to be signed as the configuration says.
    pub fn new(config: &Config, card: AgentCard) -> Self {
        Self { card, config: config.clone(), signed: VERSIONS.map(|version| (version, OnceLock::new())) }
    }

    /// The card as the answer to an operation of a version. That of 1.0 and that of 0.3 are one; a signature is over what the
    /// reader of its version knows of it.
    pub fn of(&self, version: Version) -> &Value {
        let sign = || match version {
            Version::V1_1Draft | Version::V1_0Draft => {
                signed(&self.config, &for_version(version, self.card.clone()), version)
            }
            _ => signed(&self.config, &self.card, version),
        };
        let known = self.signed.iter().find(|(known, _)| *known == version);
        known.map_or(&Value::Null, |(_, card)| card.get_or_init(sign))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::extended_card;

    #[test]
    fn each_version_has_a_signature_of_its_own() {
        let config = Config::default();
        let extended = ExtendedCard::new(&config, extended_card(&config, "http://host"));
        let [new, next, draft, old] =
            VERSIONS.map(|version| extended.of(version)["signatures"][0]["signature"].clone());
        assert!([&new, &next, &draft, &old].iter().all(|signature| signature.is_string()));
        assert!(new != next && new != draft && draft != old && new != old);
    }
}
