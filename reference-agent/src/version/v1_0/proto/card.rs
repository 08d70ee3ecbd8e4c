//! The card as a message: the members of 1.0, without those that are there for 0.3 alone.

use std::collections::HashMap;

use super::{
    AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentProvider, AgentSkill, ApiKeySecurityScheme,
    ClientCredentialsOAuthFlow, HttpAuthSecurityScheme, MutualTlsSecurityScheme, OAuth2SecurityScheme, OAuthFlows,
    OpenIdConnectSecurityScheme, SecurityRequirement, SecurityScheme, StringList, o_auth_flows, security_scheme,
};
use crate::card;
use crate::version::protobuf::{alike, write_metadata};

impl From<card::AgentCard> for AgentCard {
    fn from(card: card::AgentCard) -> Self {
        let (security_schemes, demands) = write_security(card.security_schemes);
        Self {
            name: card.name.to_owned(),
            description: card.description.to_owned(),
            supported_interfaces: card.supported_interfaces.into_iter().map(Into::into).collect(),
            provider: Some(AgentProvider {
                url: card.provider.url,
                organization: card.provider.organization.to_owned(),
            }),
            version: card.version.to_owned(),
            capabilities: Some(card.capabilities.into()),
            security_schemes,
            security_requirements: demands,
            default_input_modes: card.default_input_modes.into_iter().flatten().map(str::to_owned).collect(),
            default_output_modes: card.default_output_modes.map(str::to_owned).to_vec(),
            skills: card.skills.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }
}

impl From<card::AgentInterface> for AgentInterface {
    fn from(interface: card::AgentInterface) -> Self {
        Self {
            url: interface.url,
            protocol_binding: interface.protocol_binding.to_owned(),
            tenant: interface.tenant.unwrap_or_default(),
            protocol_version: interface.protocol_version.unwrap_or_default().to_owned(),
        }
    }
}

impl From<card::AgentCapabilities> for AgentCapabilities {
    fn from(capabilities: card::AgentCapabilities) -> Self {
        Self {
            streaming: Some(capabilities.streaming),
            push_notifications: Some(capabilities.push_notifications),
            extensions: capabilities.extensions.into_iter().map(Into::into).collect(),
            extended_agent_card: capabilities.extended_agent_card,
        }
    }
}

alike::write_card_items!(SecurityRequirement);
