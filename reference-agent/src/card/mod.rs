//! The agent cards: one document that is a card of 1.0 (section 4.4.1) and of 0.3 (0.3, section 5.5) at once, and one
//! for each other version.
//!
//! Where the two name a thing differently, the card says it twice; readers of either ignore what they do not know. A
//! card from before names neither versions nor bindings, and one of the draft has one version for all that it names, so
//! each of these can have room for one version only.

mod document;
mod signing;

pub use signing::{JWKS, public_keys, signed};

pub use document::{AdditionalInterface, AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentSkill};

use document::{
    AgentAuthentication, AgentProvider, HttpAuthScheme, OauthScheme, OpenApiScheme, SecurityScheme, SecuritySchemes,
};
use serde_json::{Map, Value, json};

use crate::config::{Capability, Config};
use crate::core::{ECHO_EXTENSION, INPUT_MODES, OUTPUT_MODES, Trigger};
use crate::version::{Family, Version};

/// The extension that tells a tester what to send to bring a task into a state.
pub const TRIGGERS_EXTENSION: &str = "urn:a2aspec:triggers:v1";

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

/// The base of all addresses of the draft, or of a version of [`Version::UNNAMED`]: its card is below it, and everything
/// that the card leads to by HTTP. `base` is that of the agent.
pub fn base_of(version: Version, base: &str) -> String {
    format!("{base}/{}", version.name())
}

/// The address of JSON-RPC in such a version, given its base. The text puts the extended card beside what follows the last slash
/// (0.2.5, section 7.10), so there must be something below the base.
pub const UNNAMED_ADDRESS: &str = "/a2a";

/// Where the extended card of such a version is, below its base, if it has one. 0.1 has none.
pub const UNNAMED_EXTENDED_CARD: &str = "/agent/authenticatedExtendedCard";

/// The card for everybody. `base` is the agent's URL without a slash at the end.
pub fn public_card(config: &Config, base: &str) -> AgentCard {
    let addresses = addresses(base);
    let of_0_3: Vec<&Address> = addresses.iter().filter(|address| address.version == Version::V0_3).collect();
    // What a client of 0.3 that reads no further finds.
    let (url, preferred_transport) =
        of_0_3.first().map(|address| (address.url.clone(), address.binding)).unwrap_or_default();
    let has_extended_card = config.has(Capability::ExtendedCard);
    AgentCard {
        base: base.to_owned(),
        protocol_version: Some("0.3.0"),
        name: "Reference agent",
        description: "Keeps every requirement of the A2A protocol and does what the first word of a message says.",
        version: env!("CARGO_PKG_VERSION"),
        provider: AgentProvider { organization: "a2aspec", url: base.to_owned() },
        supported_interfaces: addresses
            .iter()
            .map(|address| AgentInterface {
                url: address.url.clone(),
                protocol_binding: address.binding,
                protocol_version: Some(address.version.name()),
            })
            .collect(),
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
            state_transition_history: false,
            extensions: vec![triggers(), echo(config)],
        },
        supports_authenticated_extended_card: Some(has_extended_card),
        authentication: None,
        security_schemes: Some(SecuritySchemes { bearer: bearer(config), oauth: config.offers_oauth.then(oauth) }),
        security: if config.users.is_empty() { Vec::new() } else { vec![json!({ "bearer": [] })] },
        security_requirements: if config.users.is_empty() { Vec::new() } else { vec![requirement()] },
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

/// The card for authenticated callers (section 3.1.11): one skill more. Who reads it has found a way in, and it names no other.
pub fn extended_card(config: &Config, base: &str) -> AgentCard {
    let mut card = public_card(&Config { offers_oauth: false, ..config.clone() }, base);
    card.skills.push(AgentSkill {
        id: "inner-circle",
        name: "Inner circle",
        description: "Is listed for authenticated callers only, and does what the other skill does.",
        tags: &["testing", "authenticated"],
        examples: vec![Trigger::Complete.word()],
    });
    card
}

/// What the draft or a version of [`Version::UNNAMED`] has of a card.
pub fn for_version(version: Version, card: AgentCard) -> AgentCard {
    match version {
        Version::V1_0Draft => of_draft(card),
        _ => of_unnamed(version, card),
    }
}

/// The card of the draft: its interfaces, and once more for clients of 0.3 (1.0-draft, sections 4.4.1 and 8.3.1).
fn of_draft(card: AgentCard) -> AgentCard {
    let addresses = draft_addresses(&card.base);
    let interface = |address: &Address| AgentInterface {
        url: address.url.clone(),
        protocol_binding: address.binding,
        protocol_version: None,
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
        security_schemes: card.security_schemes.map(|SecuritySchemes { bearer, oauth }| SecuritySchemes {
            bearer: SecurityScheme { open_api: None, ..bearer },
            oauth: oauth.map(|oauth| OauthScheme { open_api: None, ..oauth }),
        }),
        ..card
    }
}

/// A card from before versions were named (0.2.5, section 5.5): one address, which speaks JSON-RPC.
fn of_unnamed(version: Version, card: AgentCard) -> AgentCard {
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
        security_requirements: Vec::new(),
        security_schemes: card.security_schemes.map(|SecuritySchemes { bearer, oauth }| SecuritySchemes {
            bearer: bearer.in_words_of_open_api(),
            oauth: oauth.map(|oauth| OauthScheme { oauth2_security_scheme: None, ..oauth }),
        }),
        ..card
    };
    match version.family() {
        // 0.1, section 5.4: only an agent with users asks for credentials, for there is no extended card that could.
        Family::V0_1(traits) => AgentCard {
            default_input_modes: card.default_input_modes.filter(|_| traits.card_names_input_modes),
            supports_authenticated_extended_card: None,
            authentication: Some(AgentAuthentication { schemes: card.security.iter().map(|_| BEARER).collect() }),
            security_schemes: None,
            security: Vec::new(),
            ..card
        },
        Family::V0_3(_) | Family::V1_0Draft | Family::V1_0 => card,
    }
}

/// The scheme of HTTP authentication that the agent knows (RFC 6750).
const BEARER: &str = "Bearer";

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

/// What an agent with users asks for. One without asks for it for the extended card alone, so its card demands no scheme.
fn bearer(config: &Config) -> SecurityScheme {
    let description = match config.users.is_empty() {
        true => "Any bearer token that is not empty.",
        false => "The bearer token of a user.",
    };
    SecurityScheme {
        open_api: Some(OpenApiScheme { kind: "http", scheme: BEARER, description }),
        http_auth_security_scheme: Some(HttpAuthScheme { scheme: BEARER, description }),
    }
}

/// A further way to the tokens, of an authorization server that nobody asks (1.0, sections 4.5.4, 4.5.7 and 4.5.9).
fn oauth() -> OauthScheme {
    let flows = json!({
        "clientCredentials": {
            "tokenUrl": "https://login.example.com/token",
            "scopes": { "a2a": "Speak to the agent." }
        }
    });
    let metadata = "https://login.example.com/.well-known/oauth-authorization-server";
    let description = "Tokens by OAuth 2.0.";
    let of_1_0 = json!({ "description": description, "flows": flows, "oauth2MetadataUrl": metadata });
    let Value::Object(mut open_api) = of_1_0.clone() else {
        return OauthScheme { open_api: None, oauth2_security_scheme: None };
    };
    open_api.insert("type".to_owned(), json!("oauth2"));
    OauthScheme { open_api: Some(open_api), oauth2_security_scheme: Some(of_1_0) }
}

/// A demand for the scheme, without scopes, in the form of protobuf (1.0, section 4.4.1).
fn requirement() -> Value {
    json!({ "schemes": { "bearer": {} } })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

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
    fn older_cards_have_one_address_and_nothing_of_later_versions() {
        let card = |version| {
            let card = for_version(version, public_card(&Config::default(), "http://host"));
            serde_json::to_value(card).unwrap()
        };
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
            let card = for_version(version, public_card(&Config::default(), "http://host"));
            let card = serde_json::to_value(card).unwrap();
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
    fn the_card_of_the_draft_has_one_version_for_its_interfaces() {
        let card = for_version(Version::V1_0Draft, public_card(&Config::default(), "http://host"));
        let card = serde_json::to_value(card).unwrap();
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
