//! The card as a message: the members of 0.3, without those that are there for 1.0 alone.

use std::collections::HashMap;

use super::{
    AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentProvider, AgentSkill, ApiKeySecurityScheme,
    ClientCredentialsOAuthFlow, HttpAuthSecurityScheme, MutualTlsSecurityScheme, OAuth2SecurityScheme, OAuthFlows,
    OpenIdConnectSecurityScheme, Security, SecurityScheme, StringList, o_auth_flows, security_scheme,
};
use crate::card;
use crate::version::protobuf::{alike, write_metadata};

impl From<card::AgentCard> for AgentCard {
    fn from(card: card::AgentCard) -> Self {
        let (security_schemes, demands) = write_security(card.security_schemes);
        Self {
            protocol_version: card.protocol_version.unwrap_or_default().to_owned(),
            name: card.name.to_owned(),
            description: card.description.to_owned(),
            url: card.url,
            preferred_transport: card.preferred_transport.unwrap_or_default().to_owned(),
            additional_interfaces: card.additional_interfaces.into_iter().map(Into::into).collect(),
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
            supports_authenticated_extended_card: card.supports_authenticated_extended_card.unwrap_or_default(),
            ..Self::default()
        }
    }
}

impl From<card::AdditionalInterface> for AgentInterface {
    fn from(interface: card::AdditionalInterface) -> Self {
        Self { url: interface.url, transport: interface.transport.to_owned() }
    }
}

impl From<card::AgentCapabilities> for AgentCapabilities {
    fn from(capabilities: card::AgentCapabilities) -> Self {
        Self {
            streaming: capabilities.streaming,
            push_notifications: capabilities.push_notifications,
            extensions: capabilities.extensions.into_iter().map(Into::into).collect(),
        }
    }
}

alike::write_card_items!(Security);
