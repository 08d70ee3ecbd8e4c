//! The card as a message: what the draft has of it.

use std::collections::HashMap;

use super::{
    AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentProvider, AgentSkill, ApiKeySecurityScheme,
    ClientCredentialsOAuthFlow, HttpAuthSecurityScheme, MutualTlsSecurityScheme, OAuth2SecurityScheme, OAuthFlows,
    OpenIdConnectSecurityScheme, Security, SecurityScheme, StringList, o_auth_flows, security_scheme,
};
use crate::card;
use crate::version::Version;
use crate::version::protobuf::{alike, write_metadata};

impl From<card::AgentCard> for AgentCard {
    // The members for clients of 0.3 are told to be deprecated.
    #[expect(deprecated, reason = "the JSON form of the card has them, too")]
    fn from(card: card::AgentCard) -> Self {
        let card = card::for_version(Version::V1_0Draft, card);
        let (security_schemes, demands) = write_security(card.security_schemes);
        let interface = |url: String, binding: &str| AgentInterface { url, protocol_binding: binding.to_owned() };
        Self {
            protocol_version: card.protocol_version.map(str::to_owned),
            name: card.name.to_owned(),
            description: card.description.to_owned(),
            supported_interfaces: card
                .supported_interfaces
                .into_iter()
                .map(|listed| interface(listed.url, listed.protocol_binding))
                .collect(),
            url: Some(card.url),
            preferred_transport: card.preferred_transport.map(str::to_owned),
            additional_interfaces: card
                .additional_interfaces
                .into_iter()
                .map(|listed| interface(listed.url, listed.transport))
                .collect(),
            provider: Some(AgentProvider {
                url: card.provider.url,
                organization: card.provider.organization.to_owned(),
            }),
            version: card.version.to_owned(),
            capabilities: Some(card.capabilities.into()),
            security_schemes,
            security: demands,
            default_input_modes: card.default_input_modes.into_iter().flatten().map(str::to_owned).collect(),
            default_output_modes: card.default_output_modes.map(str::to_owned).to_vec(),
            skills: card.skills.into_iter().map(Into::into).collect(),
            supports_authenticated_extended_card: card.supports_authenticated_extended_card,
            ..Self::default()
        }
    }
}

impl From<card::AgentCapabilities> for AgentCapabilities {
    fn from(capabilities: card::AgentCapabilities) -> Self {
        Self {
            streaming: Some(capabilities.streaming),
            push_notifications: Some(capabilities.push_notifications),
            extensions: capabilities.extensions.into_iter().map(Into::into).collect(),
            state_transition_history: capabilities.state_transition_history,
        }
    }
}

alike::write_card_items!(Security);
