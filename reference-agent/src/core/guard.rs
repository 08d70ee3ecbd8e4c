//! What keeps clients from making the agent call its own network (section 13.2): an agent that others get to takes no webhook at an
//! address of this machine or of a private network, and goes to no name that leads to one.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::error::Violation;
use crate::config::Config;
use crate::fault::Switch;
use crate::model::TaskPushNotificationConfig;

/// The last labels of names that mean something in a network of its own (RFC 6761, 6762, 8375; `internal` is kept for private use).
const OF_PRIVATE_NETWORKS: [&str; 4] = ["arpa", "internal", "local", "localhost"];

/// The address at which a cloud answers its own machines, though it is a public one.
const OF_A_CLOUD: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);

/// Whether the agent is one that others get to: by a name, or by the address that it listens on. Where it has but an address, its
/// user may want it to post into the network that it shares with its clients.
pub fn is_on(config: &Config) -> bool {
    let has_name = config.host.as_deref().is_some_and(|host| host != "localhost");
    let is_exposed = config.is_exposed && !config.delivers_anywhere;
    (has_name || is_exposed) && !config.breaks(Switch::TrustsWebhooks)
}

/// Looks where a webhook of a client is.
///
/// # Errors
/// The address cannot be used.
pub fn guard(config: &Config, webhook: Option<&TaskPushNotificationConfig>) -> Result<(), Violation> {
    let leads_inside =
        |webhook: &TaskPushNotificationConfig| Url::parse(&webhook.url).is_ok_and(|url| !is_public(&url));
    match is_on(config) && webhook.is_some_and(leads_inside) {
        true => Err(Violation::new("url", "must not be in a private network")),
        false => Ok(()),
    }
}

/// Whether a URL leads to this machine and no further (RFC 6761, section 6.3; RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3).
pub fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    address(host).map_or(host == "localhost", |address| address.is_loopback())
}

/// Whether a URL may lead out of the network of the agent. Where a name leads, only a resolver knows: [`PublicOnly`].
fn is_public(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    if let Some(address) = address(host) {
        return is_routed(address);
    }
    let labels = host.trim_end_matches('.').rsplit_once('.');
    labels.is_some_and(|(_, last)| !OF_PRIVATE_NETWORKS.contains(&last))
}

fn address(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Whether an address is one of the public internet (RFC 6890).
fn is_routed(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_routed_v4(address),
        IpAddr::V6(address) => is_routed_v6(address),
    }
}

fn is_routed_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_special = match first {
        0 | 10 | 127 | 224.. => true,
        100 => second & 0xc0 == 64,
        169 => second == 254,
        172 => second & 0xf0 == 16,
        192 => second == 168 || (second == 0 && (third == 0 || third == 2)),
        198 => second & 0xfe == 18 || (second == 51 && third == 100),
        203 => second == 0 && third == 113,
        _ => false,
    };
    !is_special && address != OF_A_CLOUD
}

/// All that is given out is below 2000::/3. What stands for an address of IPv4 there leads where that leads (RFC 3056).
fn is_routed_v6(address: Ipv6Addr) -> bool {
    let [first, second, third, ..] = address.segments();
    match (first, second) {
        (0x2001, 0x0db8 | 0..=0x01ff) | (0x3fff, 0..=0x0fff) => false,
        (0x2002, _) => {
            let ([a, b], [c, d]) = (second.to_be_bytes(), third.to_be_bytes());
            is_routed_v4(Ipv4Addr::new(a, b, c, d))
        }
        _ => first & 0xe000 == 0x2000,
    }
}

/// Finds only hosts all of whose addresses are public. A connection is made to the very addresses that were looked at: a name that
/// leads elsewhere the next time is looked at the next time.
pub struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            match found.iter().all(|address| is_routed(address.ip())) {
                true => Ok(Box::new(found.into_iter()) as Addrs),
                false => Err(format!("{} leads into a private network", name.as_str()).into()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::path::Path;

    use serde_json::Value;

    use super::*;
    use crate::core::check_webhook;

    fn webhook(url: &str) -> TaskPushNotificationConfig {
        TaskPushNotificationConfig {
            tenant: None,
            id: String::new(),
            task_id: String::new(),
            url: url.to_owned(),
            token: None,
            authentication: None,
        }
    }

    /// Whether an agent with a public name takes a webhook.
    fn takes(url: &str) -> bool {
        let config = Config { host: Some("agent.example.com".to_owned()), ..Config::default() };
        let webhook = webhook(url);
        check_webhook(&webhook).and_then(|()| guard(&config, Some(&webhook))).is_ok()
    }

    #[test]
    fn an_agent_that_others_get_to_takes_no_webhook_inside() {
        for inside in [
            "http://127.1/",
            "http://[::ffff:10.0.0.1]/",
            "http://[2002:7f00:1::]/",
            "http://[64:ff9b::7f00:1]/",
            "http://100.64.0.1/",
            "http://localhost./",
            "http://metadata.google.internal/",
            "http://intranet/",
        ] {
            assert!(!takes(inside), "{inside}");
        }
        for outside in ["https://example.com/", "http://8.8.8.8/", "http://[2606:4700::1]/", "http://[2002:808:808::]/"]
        {
            assert!(takes(outside), "{outside}");
        }
    }

    #[test]
    fn who_listens_for_others_is_guarded_unless_the_user_says_otherwise() {
        let inside = |config: &Config| {
            let webhook = webhook("http://127.0.0.1:9/");
            guard(config, Some(&webhook)).is_err()
        };
        let exposed = Config { is_exposed: true, ..Config::default() };
        let named = Config { host: Some("agent.example.com".to_owned()), ..Config::default() };
        assert!(!inside(&Config::default()));
        assert!(!inside(&Config { host: Some("localhost".to_owned()), ..Config::default() }));
        assert!(inside(&exposed));
        assert!(!inside(&Config { delivers_anywhere: true, ..exposed }));
        assert!(inside(&named));
        assert!(inside(&Config { delivers_anywhere: true, ..named }));
    }

    /// A name is looked at when it is gone to.
    #[tokio::test]
    async fn a_name_that_leads_inside_is_not_found() {
        let found = PublicOnly.resolve("localhost".parse().unwrap()).await;
        assert!(found.is_err_and(|error| error.to_string().contains("private network")));
    }

    #[test]
    fn webhooks_are_taken_as_the_vectors_say() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/vectors");
        if !root.is_dir() {
            std::io::stderr().write_all(b"not run: ../shared/vectors is absent\n").unwrap();
            return;
        }
        let text = std::fs::read_to_string(root.join("webhook-url/ssrf-urls.json")).unwrap();
        let file: Value = serde_json::from_str(&text).unwrap();
        let cases = file["cases"].as_array().unwrap();
        assert!(cases.len() > 70, "{}", cases.len());
        for case in cases {
            let url = case["url"].as_str().unwrap();
            // Names are looked up when something is posted; those that nobody could mean honestly are refused before.
            let is_odd = url.contains(['@', '\\']) || case["host"] == ".";
            let expected = match case["verdict"].as_str().unwrap() {
                "reject" => false,
                "accept" => true,
                "resolve-then-check" => !is_odd || url == "http://example.com?@127.0.0.1/",
                other => panic!("what is {other}?"),
            };
            assert_eq!(takes(url), expected, "{case}");
        }
    }
}
