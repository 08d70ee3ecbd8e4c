//! The agent's card.

use std::net::SocketAddr;

use a2a::{
    AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentSkill, HttpAuthSecurityScheme, SecurityScheme,
    TRANSPORT_PROTOCOL_GRPC, TRANSPORT_PROTOCOL_HTTP_JSON, TRANSPORT_PROTOCOL_JSONRPC,
};
use serde_json::json;

use crate::triggers;

/// Path of the JSON-RPC endpoint.
pub const JSONRPC: &str = "/jsonrpc";

/// Path below which the HTTP+JSON routes are.
pub const REST: &str = "/rest";

/// The name of the scheme by which users show who they are.
const SCHEME: &str = "token";

/// The card of an agent that listens at these addresses, with the triggers in an extension that clients may ignore.
///
/// `push`: it posts to webhooks; `secured`: it lets in nobody without a token.
pub fn agent_card(http: SocketAddr, grpc: SocketAddr, push: bool, secured: bool) -> AgentCard {
    let text = |text: &str| text.to_owned();
    let bearer = HttpAuthSecurityScheme { scheme: text("bearer"), description: None, bearer_format: None };
    let bearer = SecurityScheme::HttpAuth(bearer);
    AgentCard {
        name: text("Rust crates agent, A2A 1.0"),
        description: text("Does what the first word of a message asks for."),
        version: text("1.0.0"),
        supported_interfaces: vec![
            AgentInterface::new(format!("http://{http}{JSONRPC}"), TRANSPORT_PROTOCOL_JSONRPC),
            AgentInterface::new(format!("http://{http}{REST}"), TRANSPORT_PROTOCOL_HTTP_JSON),
            AgentInterface::new(format!("http://{grpc}"), TRANSPORT_PROTOCOL_GRPC),
        ],
        capabilities: AgentCapabilities {
            streaming: Some(true),
            push_notifications: Some(push),
            extensions: Some(vec![AgentExtension {
                uri: text(triggers::EXTENSION),
                description: Some(text("How to bring this agent into each task state.")),
                required: Some(false),
                params: Some(triggers::ALL.iter().map(|name| (text(name), json!({ "text": name }))).collect()),
            }]),
            extended_agent_card: Some(false),
        },
        default_input_modes: vec![text("text/plain")],
        default_output_modes: ["text/plain", "application/json", "application/octet-stream"].map(text).to_vec(),
        skills: vec![AgentSkill {
            id: text("triggers"),
            name: text("Triggers"),
            description: text("Brings a task into the state that the first word names."),
            tags: vec![text("test")],
            examples: Some(triggers::ALL.map(text).to_vec()),
            input_modes: None,
            output_modes: None,
            security_requirements: None,
        }],
        provider: None,
        documentation_url: None,
        icon_url: None,
        security_schemes: secured.then(|| [(text(SCHEME), bearer)].into()),
        security_requirements: secured.then(|| vec![[(text(SCHEME), Vec::new())].into()]),
        signatures: None,
    }
}
