use std::collections::BTreeMap;
use std::sync::Arc;

use super::engine::Engine;
use super::error::Violation;
use crate::config::Config;
use crate::fault::Switch;

/// Which engine of a user a request is for, by the tenant that it names (1.0, sections 4.4.6 and 8.3.2): nothing that was made for
/// one tenant is there for another, nor for who names none.
#[derive(Debug)]
pub struct Tenants {
    /// For who names no tenant. An agent that has none takes any name, and gives nothing for it.
    common: Arc<Engine>,
    named: BTreeMap<String, Arc<Engine>>,
    /// Whether it is wrong about tenants that it does not have, by a fault.
    takes_strangers: bool,
}

impl Tenants {
    /// Those that `config` names, beside an engine for who names none.
    pub fn new(config: &Config, common: Arc<Engine>) -> Arc<Self> {
        let engine = |number| match config.breaks(Switch::MixesTenants) {
            true => Arc::clone(&common),
            false => common.for_tenant(number),
        };
        let numbered = config.tenants.iter().zip(1..);
        let named = numbered.map(|(tenant, number)| (tenant.to_string(), engine(number))).collect();
        Arc::new(Self { named, common, takes_strangers: config.breaks(Switch::TakesUnknownTenants) })
    }

    /// The same tenants as another replica of the agent has them.
    pub fn replica(&self, number: usize) -> Arc<Self> {
        let named = self.named.iter().map(|(name, engine)| (name.clone(), engine.replica(number))).collect();
        let takes_strangers = self.takes_strangers;
        Arc::new(Self { named, common: self.common.replica(number), takes_strangers })
    }

    /// The engine for a request.
    ///
    /// # Errors
    /// The agent has tenants, and none of that name. The protocol has no error of its own for that.
    pub fn engine(&self, tenant: Option<&str>) -> Result<&Arc<Engine>, Violation> {
        let Some(tenant) = tenant.filter(|_| !self.named.is_empty()) else { return Ok(&self.common) };
        let stranger = || self.named.values().next().filter(|_| self.takes_strangers);
        let found = self.named.get(tenant).or_else(stranger);
        found.ok_or_else(|| Violation::new("tenant", "must be one that the agent card declares, or be left out"))
    }

    /// Loses all that is stored. Only a fault asks for it.
    pub fn forget(&self) {
        self.named.values().chain([&self.common]).for_each(|engine| engine.forget());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::extended_card;

    fn tenants(names: &[&str]) -> Arc<Tenants> {
        let tenants = names.iter().map(|name| name.parse().unwrap()).collect();
        let config = Config { tenants, ..Config::default() };
        let common = Engine::new(config.clone(), extended_card(&config, "http://host")).unwrap();
        Tenants::new(&config, common)
    }

    #[test]
    fn a_tenant_means_nothing_to_an_agent_that_has_none() {
        let none = tenants(&[]);
        assert!(Arc::ptr_eq(none.engine(None).unwrap(), none.engine(Some("any")).unwrap()));
    }

    #[test]
    fn each_tenant_has_what_no_other_has() {
        let tenants = tenants(&["acme", "globex"]);
        let engines = [None, Some("acme"), Some("globex")].map(|name| tenants.engine(name).unwrap());
        for (index, engine) in engines.iter().enumerate() {
            assert!(!engines[..index].iter().any(|other| Arc::ptr_eq(other, engine)), "{index}");
        }
        for unknown in ["Acme", "acme/", " "] {
            assert_eq!(tenants.engine(Some(unknown)).unwrap_err().field, "tenant", "{unknown}");
        }
    }
}
