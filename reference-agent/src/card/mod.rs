//! The agent cards: one document that is a card of 1.0 (section 4.4.1) and of 0.3 (0.3, section 5.5) at once, and one
//! for each other version.
//!
//! Where the two name a thing differently, the card says it twice; readers of either ignore what they do not know. A
//! card from before names neither versions nor bindings, and one of the draft has one version for all that it names, so
//! each of these can have room for one version only.

mod address;
mod document;
mod extended;
mod of_version;
mod schemes;
mod signing;

pub use address::{
    Address, UNNAMED_ADDRESS, UNNAMED_EXTENDED_CARD, addresses, addresses_of_1_1, base_of, draft_addresses,
};
pub use document::{AdditionalInterface, AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentSkill};
pub use extended::ExtendedCard;
pub use of_version::for_version;
pub use schemes::{ClientCredentials, Kind, SecurityScheme, SecuritySchemes};
pub use signing::{JWKS, public_keys, signed};

use document::AgentProvider;
use serde_json::{Map, Value, json};

use crate::config::{Capability, Config, Tenant};
use crate::core::{ECHO_EXTENSION, INPUT_MODES, OUTPUT_MODES, TIMESTAMP_EXTENSION, TRACEABILITY_EXTENSION, Trigger};
use crate::version::Version;

/// The extension that tells a tester what to send to bring a task into a state.
pub const TRIGGERS_EXTENSION: &str = "urn:a2aspec:triggers:v1";

/// The card for everybody, with what every version has of it. `base` is the agent's URL without a slash at the end.
pub fn public_card(config: &Config, base: &str) -> AgentCard {
    let addresses = addresses(base);
    let of_0_3: Vec<&Address> = addresses.iter().filter(|address| address.version == Version::V0_3).collect();
    // What a client of 0.3 that reads no further finds.
    let (url, preferred_transport) =
        of_0_3.first().map(|address| (address.url.clone(), address.binding)).unwrap_or_default();
    let has_extended_card = config.has(Capability::ExtendedCard);
    let schemes = SecuritySchemes::of(config);
    AgentCard {
        base: base.to_owned(),
        protocol_version: Some("0.3.0"),
        name: "Reference agent",
        description: "Keeps every requirement of the A2A protocol and does what the first word of a message says.",
        version: env!("CARGO_PKG_VERSION"),
        provider: AgentProvider { organization: "a2aspec", url: base.to_owned() },
        supported_interfaces: supported_interfaces(config, &addresses),
        url,
        preferred_transport: Some(preferred_transport),
        additional_interfaces: of_0_3
            .iter()
            .map(|address| AdditionalInterface {
                url: address.url.clone(),
                transport: address.binding,
                protocol_binding: None,
            })
            .collect(),
        capabilities: AgentCapabilities {
            streaming: config.has(Capability::Streaming),
            push_notifications: config.has(Capability::Push),
            extended_agent_card: Some(has_extended_card),
            state_transition_history: Some(false),
            extensions: vec![triggers(), echo(config), timestamp(), traceability(), payments(config)],
        },
        supports_authenticated_extended_card: Some(has_extended_card),
        authentication: None,
        security: schemes.security(),
        security_requirements: schemes.security_requirements(),
        security_schemes: Some(schemes),
        default_input_modes: Some(INPUT_MODES),
        default_output_modes: OUTPUT_MODES,
        skills: vec![AgentSkill {
            id: "scripted-task",
            name: "Scripted task",
            description: "Takes a task through the states that the first word of the message asks for.",
            tags: &["testing", "conformance"],
            examples: Trigger::ALL.map(Trigger::word).to_vec(),
        }],
    }
}

/// The interfaces without a tenant, which is what most clients want, and then those of each tenant.
fn supported_interfaces(config: &Config, addresses: &[Address]) -> Vec<AgentInterface> {
    let interface = |address: &Address, tenant: Option<&Tenant>| AgentInterface {
        url: address.url.clone(),
        protocol_binding: address.binding,
        protocol_version: Some(address.version.name()),
        tenant: tenant.map(ToString::to_string),
    };
    let common = addresses.iter().map(|address| interface(address, None));
    let has_tenants = |address: &&Address| address.version == Version::V1_0;
    let of_tenant = |tenant| addresses.iter().filter(has_tenants).map(move |address| interface(address, Some(tenant)));
    common.chain(config.tenants.iter().flat_map(of_tenant)).collect()
}

/// The card for authenticated callers (section 3.1.11): one skill more.
pub fn extended_card(config: &Config, base: &str) -> AgentCard {
    let mut card = public_card(config, base);
    card.skills.push(AgentSkill {
        id: "inner-circle",
        name: "Inner circle",
        description: "Is listed for authenticated callers only, and does what the other skill does.",
        tags: &["testing", "authenticated"],
        examples: vec![Trigger::Complete.word()],
    });
    card
}

fn triggers() -> AgentExtension {
    let param = |trigger: Trigger| (trigger.word().to_owned(), json!({ "text": trigger.word() }));
    let params: Map<String, Value> = Trigger::ALL.into_iter().map(param).collect();
    AgentExtension {
        uri: TRIGGERS_EXTENSION,
        description: "What to send to see a behaviour: for each, the text of a message.",
        required: false,
        params,
    }
}

fn echo(config: &Config) -> AgentExtension {
    AgentExtension {
        uri: ECHO_EXTENSION,
        description: "The mark in the metadata of a message comes back on what is made of the message.",
        required: config.requires_extension,
        params: Map::new(),
    }
}

fn timestamp() -> AgentExtension {
    AgentExtension {
        uri: TIMESTAMP_EXTENSION,
        description: "Messages and artifacts have the time of their creation in their metadata.",
        required: false,
        params: Map::new(),
    }
}

/// A role is declared and nothing else: there is nothing to pay for. A merchant has to require the extension.
fn payments(config: &Config) -> AgentExtension {
    let role = if config.requires_extension { "merchant" } else { "shopper" };
    AgentExtension {
        uri: "https://github.com/google-agentic-commerce/ap2/tree/v0.1",
        description: "Declares a role of the Agent Payments Protocol, so that such cards can be tested. No payment is made.",
        required: config.requires_extension,
        params: Map::from_iter([("roles".to_owned(), json!([role]))]),
    }
}

fn traceability() -> AgentExtension {
    AgentExtension {
        uri: TRACEABILITY_EXTENSION,
        description: "Artifacts have a trace of the steps that made them in their metadata.",
        required: false,
        params: Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_card_is_a_card_of_both_versions() {
        let card = serde_json::to_value(public_card(&Config::default(), "http://host")).unwrap();
        // 1.0, section 4.4.1
        assert_eq!(
            card["supportedInterfaces"],
            json!([
                {"url": "http://host/1.0", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
                {"url": "http://host/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
                {"url": "host:80", "protocolBinding": "GRPC", "protocolVersion": "1.0"},
                {"url": "http://host/0.3", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
                {"url": "http://host/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "0.3"},
                {"url": "host:80", "protocolBinding": "GRPC", "protocolVersion": "0.3"},
            ]),
        );
        assert_eq!(card["capabilities"]["extendedAgentCard"], json!(true));
        // 0.3, section 5.5
        assert_eq!(card["protocolVersion"], "0.3.0");
        assert_eq!(card["url"], "http://host/0.3");
        assert_eq!(card["preferredTransport"], "JSONRPC");
        assert_eq!(
            card["additionalInterfaces"],
            json!([
                {"url": "http://host/0.3", "transport": "JSONRPC"},
                {"url": "http://host/rest", "transport": "HTTP+JSON"},
                {"url": "host:80", "transport": "GRPC"},
            ]),
        );
        assert_eq!(card["supportsAuthenticatedExtendedCard"], json!(true));
        // Both.
        assert_eq!(card["securitySchemes"]["bearer"]["type"], "http");
        assert_eq!(card["securitySchemes"]["bearer"]["httpAuthSecurityScheme"]["scheme"], "Bearer");
        assert_eq!(card["capabilities"]["extensions"][0]["params"]["slow"], json!({"text": "slow"}));
    }

    #[test]
    fn tenants_have_interfaces_of_1_0_behind_the_others() {
        let tenants = ["a", "b"].map(|name| name.parse().unwrap()).to_vec();
        let card = serde_json::to_value(public_card(&Config { tenants, ..Config::default() }, "http://host")).unwrap();
        let listed = card["supportedInterfaces"].as_array().unwrap();
        let of_tenants: Vec<_> =
            listed.iter().filter(|listed| listed.get("tenant").is_some()).map(|listed| &listed["tenant"]).collect();
        assert_eq!(of_tenants, ["a", "a", "a", "b", "b", "b"]);
        assert_eq!(
            listed[6],
            json!({"url": "http://host/1.0", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": "a"})
        );
    }

    #[test]
    fn capabilities_can_be_left_out() {
        let config = Config { without: Capability::ALL.into(), ..Config::default() };
        let card = serde_json::to_value(public_card(&config, "http://host")).unwrap();
        for name in ["streaming", "pushNotifications", "extendedAgentCard"] {
            assert_eq!(card["capabilities"][name], json!(false), "{name}");
        }
        assert_eq!(card["supportsAuthenticatedExtendedCard"], json!(false));
    }
}
