//! The members of the card, with those of all versions side by side. What a card leaves out is `None` or empty.

use serde::Serialize;
use serde_json::{Map, Value};

use super::schemes::SecuritySchemes;

/// The card (1.0, section 4.4.1; 0.3, section 5.5; 0.1, section 5.1).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentCard {
    /// What all addresses of the agent begin with, without a slash at the end. No version has such a member.
    #[serde(skip)]
    pub base: String,
    /// Only 0.3 and the draft of 1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<&'static str>,
    pub name: &'static str,
    pub description: &'static str,
    pub version: &'static str,
    pub provider: AgentProvider,
    /// Only 1.0 and its draft.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supported_interfaces: Vec<AgentInterface>,
    /// Up to 0.3, and deprecated in the draft.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// Only 0.3 and the draft, like the next one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferred_transport: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub additional_interfaces: Vec<AdditionalInterface>,
    pub capabilities: AgentCapabilities,
    /// From 0.2 to the draft of 1.0; 1.0 has it among the capabilities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_authenticated_extended_card: Option<bool>,
    /// Only up to 0.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authentication: Option<AgentAuthentication>,
    /// From 0.2 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub security_schemes: Option<SecuritySchemes>,
    /// What clients must bring: from 0.2 to the draft of 1.0, which has it in the form of the next one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub security: Vec<Value>,
    /// Only 1.0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub security_requirements: Vec<Value>,
    /// Left out where plain text goes without saying.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_input_modes: Option<[&'static str; 4]>,
    pub default_output_modes: [&'static str; 3],
    pub skills: Vec<AgentSkill>,
}

/// Who runs the agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentProvider {
    pub organization: &'static str,
    pub url: String,
}

/// Where and how to reach the agent (1.0, section 4.4.6).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentInterface {
    pub url: String,
    pub protocol_binding: &'static str,
    /// Only 1.0; the draft has one version for all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<&'static str>,
    /// Only 1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

/// The same in 0.3 (0.3, section 5.5.5).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdditionalInterface {
    pub url: String,
    pub transport: &'static str,
    /// Only the draft of 1.0, which has it for clients of 0.3 and by another name (1.0-draft, section 8.3.1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_binding: Option<&'static str>,
}

/// What the agent can do beyond the core (1.0, section 4.4.3; 0.3, section 5.5.2).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentCapabilities {
    pub streaming: bool,
    pub push_notifications: bool,
    /// Only 1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extended_agent_card: Option<bool>,
    /// Up to the draft.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_transition_history: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<AgentExtension>,
}

/// An extension that the agent knows (1.0, section 4.4.4).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentExtension {
    pub uri: &'static str,
    pub description: &'static str,
    pub required: bool,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
}

/// How clients must authenticate themselves (0.1, section 5.4).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentAuthentication {
    pub schemes: Vec<&'static str>,
}

/// Something that the agent is good at (1.0, section 4.4.5).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentSkill {
    pub id: &'static str,
    pub name: &'static str,
    pub description: &'static str,
    pub tags: &'static [&'static str],
    pub examples: Vec<&'static str>,
}
