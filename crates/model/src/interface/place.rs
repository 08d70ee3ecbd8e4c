//! What the host in a URL tells of who can get there.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// The last labels of names that mean something in a network of its own, or nothing at all: RFC 6761, 6762, 8375, 9476, and those
/// that ICANN keeps for private use or gives to nobody.
const OF_PRIVATE_NETWORKS: [&str; 12] =
    ["alt", "arpa", "corp", "example", "home", "internal", "invalid", "lan", "local", "localhost", "onion", "test"];

/// Whether a host is this machine, by one of its several names.
pub fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

/// Whether the host of a URL is one of the public internet: an address that is routed there, or a name in the common tree of
/// names. To what address a name leads is for others to ask.
pub fn is_public(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name.rsplit_once('.').is_some_and(|(_, last)| !OF_PRIVATE_NETWORKS.contains(&last))
        }
        Some(Host::Ipv4(address)) => is_routed(address.into()),
        Some(Host::Ipv6(address)) => is_routed(address.into()),
        None => false,
    }
}

/// Whether an address is routed in the public internet.
pub fn is_routed(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_routed_v4(address),
        IpAddr::V6(address) => is_routed_v6(&address),
    }
}

/// By the registry of RFC 6890.
fn is_routed_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast()
        || first == 0
        || first >= 240
        || (first == 100 && second & 0xc0 == 64)
        || (first == 192 && second == 0 && third == 0)
        || (first == 198 && second & 0xfe == 18);
    !is_special
}

fn is_routed_v6(address: &Ipv6Addr) -> bool {
    if let Some(address) = address.to_ipv4_mapped() {
        return is_routed_v4(address);
    }
    let [first, second, third, _, _, _, seventh, eighth] = address.segments();
    let holds = |high: u16, low: u16| is_routed_v4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)));
    match (first, second) {
        // These lead where the address of IPv4 in them leads: 6to4 (RFC 3056), and a translator's (RFC 6052 section 2.1).
        (0x2002, _) => holds(second, third),
        (0x64, 0xff9b) if address.segments()[2..6] == [0; 4] => holds(seventh, eighth),
        // Protocols' own (RFC 2928), Teredo among them, and two ranges for documents (RFC 3849, RFC 9637).
        (0x2001, 0..0x200 | 0xdb8) | (0x3fff, 0..0x1000) => false,
        // All that is given out so far is below 2000::/3.
        _ => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where an agent must not post is no public address, and where it may is one.
    #[test]
    fn addresses_are_told_apart_as_the_vectors_say() {
        let Some(bytes) = crate::vectors::vectors("webhook-url/ssrf-urls.json") else { return };
        let file: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let mut judged = 0;
        for case in file["cases"].as_array().unwrap() {
            let url = Url::parse(case["url"].as_str().unwrap());
            assert_eq!(url.is_ok(), case["whatwg_parse"] == "ok", "{case}");
            let (Ok(url), Some(class)) = (url, case["class"].as_str()) else { continue };
            // Names lead where a resolver says. The address of a cloud is a public one, at which this program listens nowhere.
            if matches!(class, "name" | "scheme") || case["host"] == "168.63.129.16" {
                continue;
            }
            assert_eq!(is_public(&url), case["verdict"] == "accept", "{case}");
            judged += 1;
        }
        assert!(judged > 45, "{judged}");
    }

    /// Whatever a host is written like, its address is the one that is judged. Where the parser, which is a library's, differs from
    /// the standard, those are files, and URLs that it refuses.
    #[test]
    fn addresses_are_seen_in_every_spelling() {
        let Some(bytes) = crate::vectors::vectors("webhook-url/whatwg-urltestdata.json") else { return };
        let file: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let (mut addresses, mut otherwise) = (Vec::new(), Vec::new());
        let cases = file.as_array().unwrap();
        for case in cases {
            let text = |name: &str| case[name].as_str();
            let base = text("base").map(Url::parse).transpose();
            let url = base.and_then(|base| Url::options().base_url(base.as_ref()).parse(text("input").unwrap())).ok();
            let is_public = url.as_ref().is_some_and(is_public);
            let address = text("hostname").and_then(|name| name.trim_matches(['[', ']']).parse::<IpAddr>().ok());
            let seen = match url.as_ref().and_then(Url::host) {
                Some(Host::Ipv4(address)) => Some(IpAddr::from(address)),
                Some(Host::Ipv6(address)) => Some(IpAddr::from(address)),
                Some(Host::Domain(_)) | None => None,
            };
            // Of a file on a drive the parser forgets the host; nobody is called by such a URL.
            if seen.is_some() || url.as_ref().is_none_or(|url| url.scheme() != "file") {
                assert_eq!(seen, address, "{case}");
            }
            if let Some(address) = seen {
                assert_eq!(is_public, is_routed(address), "{case}");
                addresses.push(format!("{address} {}", if is_public { "public" } else { "private" }));
            }
            let host = url.as_ref().map(|url| url.host_str().unwrap_or_default());
            if host != text("hostname") {
                otherwise.push(format!("{} from {}: {host:?}", case["input"], case["base"]));
            }
        }
        assert_eq!((cases.len(), addresses.len()), (435, 12));
        insta::assert_snapshot!(format!("{}\n\n{}", addresses.join("\n"), otherwise.join("\n")));
    }

    #[test]
    fn what_is_public_is_told_by_its_host() {
        for public in [
            "https://agent.example.com/",
            "http://example.org.:8080",
            "http://8.8.8.8/",
            "http://[2606:4700::1]/",
            "http://[::ffff:8.8.8.8]/",
            "http://[64:ff9b::8.8.8.8]/",
            "http://[2002:808:808::1]/",
            "http://100.128.0.1/",
        ] {
            assert!(is_public(&Url::parse(public).unwrap()), "{public}");
        }
        for private in [
            "http://agent/",
            "http://agent.localhost:1/",
            "http://agent.default.svc.cluster.local/",
            "http://agent.example/",
            "http://agent.internal/",
            "http://router.home.arpa/",
            "http://10.1.2.3/",
            "http://172.16.0.1/",
            "http://192.168.0.1/",
            "http://127.0.0.1/",
            "http://169.254.169.254/",
            "http://100.64.0.1/",
            "http://192.0.2.1/",
            "http://198.18.0.1/",
            "http://0.0.0.0/",
            "http://255.255.255.255/",
            "http://[::1]/",
            "http://[fd00::1]/",
            "http://[fe80::1]/",
            "http://[2001:db8::1]/",
            "http://[::ffff:10.0.0.1]/",
            "http://[64:ff9b::10.0.0.1]/",
            "http://[64:ff9b:1::8.8.8.8]/",
            "http://[2002:a00:1::]/",
            "http://[2001::1]/",
            "http://[3fff::1]/",
            "http://192.0.0.1/",
            "http://240.0.0.1/",
            "data:,x",
        ] {
            assert!(!is_public(&Url::parse(private).unwrap()), "{private}");
        }
    }
}
