//! What one version has of a card.

use super::address::{Address, UNNAMED_ADDRESS, addresses_of_1_1, base_of, draft_addresses};
use super::document::{AdditionalInterface, AgentAuthentication, AgentCapabilities, AgentCard, AgentInterface};
use super::schemes::SecuritySchemes;
use crate::version::{Family, Version};

/// What `version` has of a card that has everything.
pub fn for_version(version: Version, card: AgentCard) -> AgentCard {
    match version {
        Version::V1_0 => of_1_0(card),
        Version::V1_1Draft => of_1_1(card),
        Version::V1_0Draft => of_draft(card),
        Version::V0_3 => of_0_3(card),
        Version::V0_2_5 | Version::V0_2_1 | Version::V0_1 | Version::Proposal => of_unnamed(version, card),
    }
}

/// A card of 1.0 that says nothing to clients of 0.3 (section 4.4.1).
fn of_1_0(card: AgentCard) -> AgentCard {
    AgentCard {
        protocol_version: None,
        supported_interfaces: listed(Version::V1_0, card.supported_interfaces),
        url: String::new(),
        preferred_transport: None,
        additional_interfaces: Vec::new(),
        capabilities: AgentCapabilities { state_transition_history: None, ..card.capabilities },
        supports_authenticated_extended_card: None,
        security: Vec::new(),
        security_schemes: card.security_schemes.map(SecuritySchemes::in_words_of_1_0),
        ..card
    }
}

/// A card of 1.0 with the interfaces of 1.1.
fn of_1_1(card: AgentCard) -> AgentCard {
    let addresses = addresses_of_1_1(&card.base);
    let card = of_1_0(card);
    let moved = |interface: AgentInterface| {
        let address = addresses.iter().find(|address| address.binding == interface.protocol_binding)?;
        Some(AgentInterface { url: address.url.clone(), protocol_version: Some("1.1"), ..interface })
    };
    AgentCard { supported_interfaces: card.supported_interfaces.into_iter().filter_map(moved).collect(), ..card }
}

/// A card of 0.3 that says nothing to clients of 1.0 (0.3, section 5.5).
fn of_0_3(card: AgentCard) -> AgentCard {
    AgentCard {
        supported_interfaces: Vec::new(),
        capabilities: AgentCapabilities { extended_agent_card: None, ..card.capabilities },
        security_requirements: Vec::new(),
        security_schemes: card.security_schemes.map(SecuritySchemes::in_words_of_open_api),
        ..card
    }
}

fn listed(version: Version, interfaces: Vec<AgentInterface>) -> Vec<AgentInterface> {
    interfaces.into_iter().filter(|interface| interface.protocol_version == Some(version.name())).collect()
}

/// The card of the draft: its interfaces, and once more for clients of 0.3 (1.0-draft, sections 4.4.1 and 8.3.1).
fn of_draft(card: AgentCard) -> AgentCard {
    let addresses = draft_addresses(&card.base);
    let interface = |address: &Address| AgentInterface {
        url: address.url.clone(),
        protocol_binding: address.binding,
        protocol_version: None,
        tenant: None,
    };
    let additional = |address: &Address| AdditionalInterface {
        url: address.url.clone(),
        transport: address.binding,
        protocol_binding: Some(address.binding),
    };
    AgentCard {
        protocol_version: Some("1.0"),
        supported_interfaces: addresses.iter().map(interface).collect(),
        url: addresses.first().map(|address| address.url.clone()).unwrap_or_default(),
        preferred_transport: addresses.first().map(|address| address.binding),
        additional_interfaces: addresses.iter().map(additional).collect(),
        capabilities: AgentCapabilities { extended_agent_card: None, ..card.capabilities },
        security: card.security_requirements,
        security_requirements: Vec::new(),
        security_schemes: card.security_schemes.map(SecuritySchemes::in_words_of_1_0),
        ..card
    }
}

/// A card from before versions were named (0.2.5, section 5.5): one address, which speaks JSON-RPC.
fn of_unnamed(version: Version, card: AgentCard) -> AgentCard {
    let names = card.security_schemes.as_ref().map(SecuritySchemes::names).unwrap_or_default();
    let schemes = card.security_schemes.map(SecuritySchemes::in_words_of_open_api).map(SecuritySchemes::before_0_3);
    let card = AgentCard {
        protocol_version: None,
        supported_interfaces: Vec::new(),
        url: format!("{}{UNNAMED_ADDRESS}", base_of(version, &card.base)),
        preferred_transport: None,
        additional_interfaces: Vec::new(),
        capabilities: AgentCapabilities {
            extended_agent_card: None,
            extensions: if version.extensions_headers().is_empty() { Vec::new() } else { card.capabilities.extensions },
            ..card.capabilities
        },
        security: schemes.as_ref().map(SecuritySchemes::security).unwrap_or_default(),
        security_requirements: Vec::new(),
        security_schemes: schemes,
        ..card
    };
    match version.family() {
        // 0.1, section 5.4: only an agent with users asks for credentials, for there is no extended card that could.
        Family::V0_1(traits) => AgentCard {
            default_input_modes: card.default_input_modes.filter(|_| traits.card_names_input_modes),
            supports_authenticated_extended_card: None,
            authentication: Some(AgentAuthentication { schemes: names }),
            security_schemes: None,
            security: Vec::new(),
            ..card
        },
        Family::V0_3(_) | Family::V1_0Draft | Family::V1_0(_) => card,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::*;
    use crate::card::public_card;
    use crate::config::Config;

    fn card(version: Version) -> Value {
        serde_json::to_value(for_version(version, public_card(&Config::default(), "http://host"))).unwrap()
    }

    #[test]
    fn older_cards_have_one_address_and_nothing_of_later_versions() {
        let (oldest, card) = (card(Version::V0_2_1), card(Version::V0_2_5));
        let names = |object: &Value| -> BTreeSet<String> { object.as_object().unwrap().keys().cloned().collect() };
        assert_eq!(
            names(&card),
            [
                "capabilities",
                "defaultInputModes",
                "defaultOutputModes",
                "description",
                "name",
                "provider",
                "securitySchemes",
                "skills",
                "supportsAuthenticatedExtendedCard",
                "url",
                "version",
            ]
            .map(str::to_owned)
            .into(),
        );
        assert_eq!(names(&oldest), names(&card));
        assert_eq!(card["url"], "http://host/0.2.5/a2a");
        assert_eq!(oldest["url"], "http://host/0.2.1/a2a");
        let capabilities = ["extensions", "pushNotifications", "stateTransitionHistory", "streaming"];
        assert_eq!(names(&card["capabilities"]), capabilities.map(str::to_owned).into());
        assert_eq!(oldest["capabilities"].get("extensions"), None, "0.2.1 has none");
        assert_eq!(card["securitySchemes"]["bearer"]["scheme"], "Bearer");
        assert_eq!(card["securitySchemes"]["bearer"].get("httpAuthSecurityScheme"), None);
    }

    #[test]
    fn the_oldest_cards_name_schemes_of_authentication() {
        for (version, url) in [(Version::V0_1, "http://host/0.1/a2a"), (Version::Proposal, "http://host/proposal/a2a")]
        {
            let card = card(version);
            assert_eq!(card["url"], url);
            // Nothing asks for credentials.
            assert_eq!(card["authentication"], json!({ "schemes": [] }));
            assert_eq!(
                card["capabilities"],
                json!({ "streaming": true, "pushNotifications": true, "stateTransitionHistory": false }),
            );
            assert_eq!(card.get("defaultInputModes").is_some(), version == Version::Proposal);
            for later in ["protocolVersion", "securitySchemes", "supportsAuthenticatedExtendedCard"] {
                assert_eq!(card.get(later), None, "{version:?} {later}");
            }
        }
    }

    #[test]
    fn a_card_of_one_version_says_nothing_to_clients_of_the_other() {
        let (newer, older) = (card(Version::V1_0), card(Version::V0_3));
        let versions = |card: &Value| -> Option<Vec<Value>> {
            let interfaces = card["supportedInterfaces"].as_array()?;
            Some(interfaces.iter().map(|interface| interface["protocolVersion"].clone()).collect())
        };
        assert_eq!(versions(&newer), Some(vec![json!("1.0"); 3]));
        for of_0_3 in ["protocolVersion", "url", "preferredTransport", "additionalInterfaces"] {
            assert_eq!(newer.get(of_0_3), None, "{of_0_3}");
            assert!(older.get(of_0_3).is_some(), "{of_0_3}");
        }
        assert_eq!(newer["capabilities"].get("stateTransitionHistory"), None);
        assert_eq!(newer["securitySchemes"]["bearer"].get("type"), None);
        assert_eq!(newer["securitySchemes"]["bearer"]["httpAuthSecurityScheme"]["scheme"], "Bearer");
        assert_eq!(versions(&older), None);
        assert_eq!(older["capabilities"].get("extendedAgentCard"), None);
        assert_eq!(older["securitySchemes"]["bearer"]["type"], "http");
        assert_eq!(older["securitySchemes"]["bearer"].get("httpAuthSecurityScheme"), None);
    }

    #[test]
    fn the_card_of_1_1_is_one_of_1_0_with_other_interfaces() {
        let (card, of_1_0) = (card(Version::V1_1Draft), card(Version::V1_0));
        let interfaces = json!([
            {"url": "http://host/1.1-draft/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.1"},
            {"url": "http://host/1.1-draft/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.1"},
            {"url": "host:80", "protocolBinding": "GRPC", "protocolVersion": "1.1"},
        ]);
        assert_eq!(card["supportedInterfaces"], interfaces);
        for same in ["capabilities", "securitySchemes", "skills"] {
            assert_eq!(card[same], of_1_0[same], "{same}");
        }
    }

    #[test]
    fn the_card_of_the_draft_has_one_version_for_its_interfaces() {
        let card = card(Version::V1_0Draft);
        assert_eq!(card["protocolVersion"], "1.0");
        let interfaces = json!([
            {"url": "http://host/1.0-draft/a2a", "protocolBinding": "JSONRPC"},
            {"url": "http://host/1.0-draft", "protocolBinding": "HTTP+JSON"},
            {"url": "host:80", "protocolBinding": "GRPC"},
        ]);
        assert_eq!(card["supportedInterfaces"], interfaces);
        assert_eq!((&card["url"], &card["preferredTransport"]), (&interfaces[0]["url"], &json!("JSONRPC")));
        let additional = |index: usize| (&card["additionalInterfaces"][index], &interfaces[index]);
        for (additional, interface) in (0..3).map(additional) {
            for (name, old_name) in
                [("url", "url"), ("protocolBinding", "protocolBinding"), ("protocolBinding", "transport")]
            {
                assert_eq!(additional[old_name], interface[name]);
            }
        }
        assert_eq!(card["capabilities"].get("extendedAgentCard"), None);
        assert_eq!(card["supportsAuthenticatedExtendedCard"], json!(true));
        let bearer = json!({"scheme": "Bearer", "description": "Any bearer token that is not empty."});
        assert_eq!(card["securitySchemes"], json!({"bearer": {"httpAuthSecurityScheme": bearer}}));
    }
}
