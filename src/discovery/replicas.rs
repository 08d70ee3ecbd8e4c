//! Where the other replicas of an agent have its interfaces: `--replica`.

use std::collections::BTreeMap;

use url::Url;

use super::bases::{Base, BaseError, parts};
use super::reach;
use crate::binding::address;
use crate::interface::Interface;
use crate::profile::Binding;

/// The base URLs of the replicas: those of every interface, and those of a binding, which win.
#[derive(Debug, Clone, Default)]
pub(crate) struct Replicas {
    every: Vec<Base>,
    of_binding: BTreeMap<Binding, Vec<Base>>,
}

impl Replicas {
    /// Adds one as the user writes it, without credentials: `URL` or `BINDING=URL`.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn add(&mut self, text: &str) -> Result<(), BaseError> {
        let (binding, url) = parts(text);
        let base: Base = url.parse()?;
        let of = match binding {
            None => &mut self.every,
            Some(name) => {
                let binding = name.parse().map_err(|_| BaseError::Binding(name.to_owned()))?;
                self.of_binding.entry(binding).or_default()
            }
        };
        if of.contains(&base) {
            return Err(BaseError::Again);
        }
        of.push(base);
        Ok(())
    }

    /// Whether there are none.
    pub(crate) fn are_none(&self) -> bool {
        self.every.is_empty() && self.of_binding.is_empty()
    }

    /// Where they have an interface of the agent at this URL; nothing where that is not known, since the interface is at a place of its
    /// own and none is named for its binding.
    pub(crate) fn of(&self, interface: &Interface, agent: &Url) -> Option<Vec<String>> {
        let at = address(interface);
        let bases = match self.of_binding.get(&interface.binding) {
            Some(own) => own,
            None if reach::is_on_host_of(interface, agent) && port(&at) == agent.port_or_known_default() => &self.every,
            None => return None,
        };
        Some(bases.iter().map(|base| base.map(&at)).collect())
    }
}

fn port(url: &str) -> Option<u16> {
    Url::parse(url).ok()?.port_or_known_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile;

    fn replicas(texts: &[&str]) -> Replicas {
        let mut replicas = Replicas::default();
        texts.iter().for_each(|text| replicas.add(text).unwrap());
        replicas
    }

    fn at(replicas: &Replicas, binding: Binding, url: &str) -> Option<Vec<String>> {
        let profiles = profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
        let interface = Interface::new(profile, binding, url.to_owned()).unwrap();
        replicas.of(&interface, &"http://agent.example:8080/".parse().unwrap())
    }

    #[test]
    fn each_has_the_interfaces_of_the_agent() {
        let two = replicas(&["http://10.0.0.1:8080", "https://10.0.0.2/two", "grpc=http://10.0.0.1:50051"]);
        let rpc = at(&two, Binding::Jsonrpc, "http://agent.example:8080/rpc");
        assert_eq!(rpc.unwrap(), ["http://10.0.0.1:8080/rpc", "https://10.0.0.2/two/rpc"]);
        for url in ["agent.example:50051", "http://agent.example:50051"] {
            assert_eq!(at(&two, Binding::Grpc, url).unwrap(), ["http://10.0.0.1:50051"], "{url}");
        }
        let elsewhere = at(&two, Binding::HttpJson, "http://agent.example:9090/rest");
        assert_eq!(elsewhere, None, "a port of its own, of which nothing is known");
    }

    #[test]
    fn says_what_is_wrong() {
        for (texts, error) in [
            (&["rest=http://a.example"][..], BaseError::Binding("rest".to_owned())),
            (&["a.example"], BaseError::Url),
            (&["http://a.example", "http://a.example/"], BaseError::Again),
        ] {
            let mut replicas = Replicas::default();
            assert_eq!(texts.iter().try_for_each(|text| replicas.add(text)), Err(error), "{texts:?}");
        }
    }
}
