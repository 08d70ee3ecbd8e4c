//! The hosts that the agent is reached by. A page in a browser can have its own name resolve to the loopback address (DNS rebinding):
//! its requests arrive here, and only their Host shows that they are meant for somebody else.

use std::net::IpAddr;

use axum::http::Uri;
use axum::http::uri::Authority;

use crate::config::Config;

/// The hosts that the agent answers to.
#[derive(Debug, Clone)]
pub struct Hosts {
    /// In lower case, without a port.
    names: Vec<String>,
    /// The address that is listened on.
    listening: IpAddr,
}

impl Hosts {
    /// Those of an agent that listens on this address: loopback, the address, and the hosts of [`Config::host`] and
    /// [`Config::public_url`].
    pub fn of(config: &Config, listening: IpAddr) -> Self {
        let public = config.public_url.iter().filter_map(|url| Some(url.parse::<Uri>().ok()?.host()?.to_owned()));
        let names = config.host.iter().cloned().chain(public);
        Self { names: names.map(|name| plain(&name)).collect(), listening: listening.to_canonical() }
    }

    /// Checks that each of these, with or without a port, is a host of the agent. An agent that listens everywhere answers to any
    /// address, because no rebound name is one.
    ///
    /// # Errors
    /// What to do about it, as a sentence for the client (RFC 9110, section 7.4).
    pub fn check<'a>(&self, meant: impl IntoIterator<Item = &'a str>) -> Result<(), &'static str> {
        match meant.into_iter().all(|host| self.has(&plain(host))) {
            true => Ok(()),
            false => Err("this agent does not answer to that host; start it with --name HOST if it should"),
        }
    }

    fn has(&self, host: &str) -> bool {
        if self.names.iter().any(|name| name == host) {
            return true;
        }
        match host.parse::<IpAddr>().map(|address| address.to_canonical()) {
            Ok(address) => address.is_loopback() || self.listening.is_unspecified() || address == self.listening,
            // RFC 6761, section 6.3: these names are loopback, whoever resolves them.
            Err(_) => host == "localhost" || host.ends_with(".localhost"),
        }
    }
}

/// A host in lower case, without its port, the brackets of IPv6, and the dot of a name that is absolute.
fn plain(host: &str) -> String {
    let host = host.parse::<Authority>().map_or_else(|_| host.to_owned(), |authority| authority.host().to_owned());
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(&host);
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(config: &Config, listening: &str, host: &str) -> bool {
        Hosts::of(config, listening.parse().unwrap()).check([host]).is_ok()
    }

    #[test]
    fn loopback_is_known_by_every_name() {
        let config = Config::default();
        for host in [
            "localhost",
            "LocalHost:8080",
            "localhost.",
            "agent.localhost:1",
            "127.0.0.1",
            "127.8.9.1:80",
            "[::1]:8080",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(answers(&config, "127.0.0.1", host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example:8080",
            "evillocalhost",
            "127.0.0.1.evil.example",
            "localhost@evil.example",
            "192.0.2.1",
            "0.0.0.0:8080",
            "2130706433",
            "127.1",
            "[::2]",
            "%6cocalhost",
        ] {
            assert!(!answers(&config, "127.0.0.1", host), "{host}");
        }
    }

    #[test]
    fn the_names_and_the_address_of_the_agent_are_known() {
        let named = Config { host: Some("Agent.Test".to_owned()), ..Config::default() };
        assert!(answers(&named, "127.0.0.1", "agent.test:443") && !answers(&named, "127.0.0.1", "x.agent.test"));
        let public = Config { public_url: Some("https://agent.example:8443/a".to_owned()), ..Config::default() };
        assert!(answers(&public, "127.0.0.1", "agent.example") && !answers(&public, "127.0.0.1", "example"));
        let plain = Config::default();
        assert!(answers(&plain, "192.0.2.1", "192.0.2.1:80") && !answers(&plain, "192.0.2.1", "192.0.2.2:80"));
        // Who listens everywhere has every address, and still no name.
        for everywhere in ["0.0.0.0", "::"] {
            assert!(answers(&plain, everywhere, "198.51.100.7:9000") && answers(&plain, everywhere, "[2001:db8::1]"));
            assert!(!answers(&plain, everywhere, "evil.example"), "{everywhere}");
        }
    }

    #[test]
    fn each_host_of_a_request_counts() {
        let hosts = Hosts::of(&Config::default(), "127.0.0.1".parse().unwrap());
        assert!(hosts.check([]).is_ok());
        assert!(
            hosts.check(["localhost", "evil.example"]).is_err() && hosts.check(["evil.example", "localhost"]).is_err()
        );
    }
}
