//! Where the agent is spoken to: an address for each version and binding.

use crate::version::Version;

/// An address at which the agent speaks one version over one binding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Where.
    pub url: String,
    /// The name that both versions have for the binding.
    pub binding: &'static str,
    /// The version.
    pub version: Version,
}

/// The addresses that the card declares, the preferred ones of each version first. `base` is the agent's URL without a
/// slash at the end.
pub fn addresses(base: &str) -> Vec<Address> {
    [
        ("/1.0", "JSONRPC", Version::V1_0),
        ("/rest", "HTTP+JSON", Version::V1_0),
        ("", "GRPC", Version::V1_0),
        ("/0.3", "JSONRPC", Version::V0_3),
        ("/rest", "HTTP+JSON", Version::V0_3),
        ("", "GRPC", Version::V0_3),
    ]
    .into_iter()
    .map(|(path, binding, version)| {
        let url = if binding == "GRPC" { channel(base) } else { format!("{base}{path}") };
        Address { url, binding, version }
    })
    .collect()
}

/// The address of gRPC as its libraries take it, `host:port`: clients pass it to them as it is. One that needs TLS says so.
fn channel(base: &str) -> String {
    let Some(host) = base.strip_prefix("http://").filter(|host| !host.contains('/')) else { return base.to_owned() };
    let is_port = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match host.rsplit_once(':') {
        Some((_, port)) if is_port(port) => host.to_owned(),
        _ => format!("{host}:80"),
    }
}

/// The addresses that the card of the draft declares, the preferred one first. `base` is that of the agent: the services
/// of gRPC have no room for a path.
pub fn draft_addresses(base: &str) -> Vec<Address> {
    let version = Version::V1_0Draft;
    let below = base_of(version, base);
    [(format!("{below}{UNNAMED_ADDRESS}"), "JSONRPC"), (below, "HTTP+JSON"), (channel(base), "GRPC")]
        .into_iter()
        .map(|(url, binding)| Address { url, binding, version })
        .collect()
}

/// The addresses that the card of the draft of 1.1 declares, likewise.
pub fn addresses_of_1_1(base: &str) -> Vec<Address> {
    let version = Version::V1_1Draft;
    let below = base_of(version, base);
    [(format!("{below}{UNNAMED_ADDRESS}"), "JSONRPC"), (format!("{below}/rest"), "HTTP+JSON"), (channel(base), "GRPC")]
        .into_iter()
        .map(|(url, binding)| Address { url, binding, version })
        .collect()
}

/// The base of all addresses of a draft, or of a version of [`Version::UNNAMED`]: its card is below it, and everything
/// that the card leads to by HTTP. `base` is that of the agent.
pub fn base_of(version: Version, base: &str) -> String {
    format!("{base}/{}", version.name())
}

/// The address of JSON-RPC in such a version, given its base. The text puts the extended card beside what follows the last slash
/// (0.2.5, section 7.10), so there must be something below the base.
pub const UNNAMED_ADDRESS: &str = "/a2a";

/// Where the extended card of such a version is, below its base, if it has one. 0.1 has none.
pub const UNNAMED_EXTENDED_CARD: &str = "/agent/authenticatedExtendedCard";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_grpc_is_that_of_a_channel() {
        for (base, address) in [
            ("http://host", "host:80"),
            ("http://host:8080", "host:8080"),
            ("http://[::1]", "[::1]:80"),
            ("http://[::1]:8080", "[::1]:8080"),
            ("https://host", "https://host"),
            ("http://host/base", "http://host/base"),
        ] {
            assert_eq!(channel(base), address, "{base}");
        }
    }
}
