//! What is served where: the cards, and the interfaces of each version that the agent speaks.

use std::io;
use std::sync::Arc;

use axum::extract::Request;
use axum::routing::{MethodRouter, any, get, post};
use axum::{Json, Router};

use super::card::CardDocument;
use crate::binding::{extended_card as by_http, grpc, http_json, jsonrpc};
use crate::card::{
    AgentCard, JWKS, UNNAMED_ADDRESS, UNNAMED_EXTENDED_CARD, base_of, extended_card, for_version, public_card,
    public_keys, signed,
};
use crate::config::Config;
use crate::core::Users;
use crate::version::{Family, Interface, RestVersion, Version};

/// The card's address (1.0 and its draft, section 8.2; 0.3, section 5.3).
const CARD: &str = "/.well-known/agent-card.json";

/// The card's address in versions before 0.3 (0.2.5, section 5.3).
const UNNAMED_CARD: &str = "/.well-known/agent.json";

/// The card's address in `version`.
pub fn card_path(version: Version) -> &'static str {
    match Version::UNNAMED.contains(&version) {
        true => UNNAMED_CARD,
        false => CARD,
    }
}

/// The two cards of an agent, with what every version has of them.
#[derive(Debug)]
pub struct Cards {
    only: Option<Version>,
    public: AgentCard,
    extended: AgentCard,
}

impl Cards {
    /// The cards of an agent whose clients find it at `url`.
    pub fn new(config: &Config, url: &str) -> Self {
        Self { only: config.only, public: public_card(config, url), extended: extended_card(config, url) }
    }

    /// The extended card, as operations have it. That of 1.0 and that of 0.3 are one, unless the agent speaks one of the two
    /// alone; the other versions take theirs from it.
    pub fn extended(&self) -> AgentCard {
        match self.only {
            Some(only @ (Version::V1_1Draft | Version::V1_0 | Version::V0_3)) => {
                for_version(only, self.extended.clone())
            }
            _ => self.extended.clone(),
        }
    }

    /// The public card of the only version, or that of 1.0, without signatures.
    pub fn unsigned(&self) -> AgentCard {
        for_version(self.only.unwrap_or(Version::V1_0), self.public.clone())
    }

    /// The public card at the root: that which 1.0 and 0.3 have in common, or that of the only version.
    fn at_root(&self, config: &Config) -> io::Result<CardDocument> {
        match self.only {
            Some(only) => self.public(config, only),
            None => CardDocument::new(&signed(config, &self.public, Version::V1_0)),
        }
    }

    /// The public card of a version.
    fn public(&self, config: &Config, version: Version) -> io::Result<CardDocument> {
        CardDocument::new(&signed(config, &for_version(version, self.public.clone()), version))
    }
}

/// Everything that the agent serves. Each binding brings its own routes; none of them knows the others.
///
/// # Errors
/// None that the cards or the definitions can cause.
pub fn all(config: &Config, users: &Arc<Users>, cards: &Cards) -> io::Result<Router> {
    let spoken = |version: &Version| config.speaks(*version);
    let paths = match config.only {
        Some(only) => vec![card_path(only)],
        None => vec![CARD, UNNAMED_CARD],
    };
    let card = card_at(cards.at_root(config)?);
    let mut routes = Router::new().route(JWKS, get(async || Json(public_keys())));
    for path in paths {
        routes = routes.route(path, card.clone());
    }
    routes = routes.merge(named_routes(config, users));
    let drafts = [(RestVersion::V1_1Draft, "/rest"), (RestVersion::V1_0Draft, "/v1")];
    for (dialect, rest) in drafts.into_iter().filter(|(dialect, _)| config.speaks(dialect.version())) {
        routes = routes.nest(&base_of(dialect.version(), ""), draft_routes(config, users, cards, dialect, rest)?);
    }
    for version in Version::UNNAMED.into_iter().filter(spoken) {
        routes = routes.nest(&base_of(version, ""), unnamed_routes(config, users, version, cards)?);
    }
    let grpc = grpc::routes(users, config).map_err(io::Error::other)?;
    Ok(routes.merge(grpc).fallback(grpc::unknown))
}

fn card_at(card: CardDocument) -> MethodRouter {
    let card = Arc::new(card);
    get(move |request: Request| std::future::ready(card.serve(request.headers())))
}

/// What there is of 1.0 and 0.3 beside gRPC.
fn named_routes(config: &Config, users: &Arc<Users>) -> Router {
    let mut routes = Router::new();
    if config.only.is_none() {
        routes = routes.route("/", jsonrpc_at(users, &Interface::ANY));
    }
    let spoken = [Version::V1_0, Version::V0_3].into_iter().filter(|version| config.speaks(*version));
    for version in spoken.clone() {
        routes = routes.merge(jsonrpc_routes(&base_of(version, ""), users, Interface::of(version)));
    }
    match spoken.count() {
        0 => routes,
        _ => routes.nest_service("/rest", rest_at(users, config.only)),
    }
}

/// An address of JSON-RPC. Clients that take it for a folder put a slash behind it.
fn jsonrpc_routes(address: &str, users: &Arc<Users>, interface: &'static Interface) -> Router {
    let jsonrpc = jsonrpc_at(users, interface);
    Router::new().route(address, jsonrpc.clone()).route(&format!("{address}/"), jsonrpc)
}

fn jsonrpc_at(users: &Arc<Users>, interface: &'static Interface) -> MethodRouter {
    let users = Arc::clone(users);
    post(move |request: Request| jsonrpc::serve(users, interface, request))
}

/// The binding does the rest of the way: HTTP routers know no verbs after a colon.
fn rest_at(users: &Arc<Users>, only: Option<Version>) -> MethodRouter {
    let users = Arc::clone(users);
    any(move |request: Request| http_json::serve(users, only, request))
}

/// What there is below the base of a draft, with the base of HTTP+JSON. Its service of gRPC is among those of the others.
fn draft_routes(
    config: &Config,
    users: &Arc<Users>,
    cards: &Cards,
    dialect: RestVersion,
    rest: &str,
) -> io::Result<Router> {
    let (version, for_rest) = (dialect.version(), Arc::clone(users));
    Ok(Router::new()
        .route(CARD, card_at(cards.public(config, version)?))
        .merge(jsonrpc_routes(UNNAMED_ADDRESS, users, Interface::of(version)))
        .nest_service(rest, any(move |request: Request| http_json::serve_draft(for_rest, dialect, request))))
}

/// What there is below the base of a version of [`Version::UNNAMED`].
fn unnamed_routes(config: &Config, users: &Arc<Users>, version: Version, cards: &Cards) -> io::Result<Router> {
    let routes = Router::new().route(UNNAMED_CARD, card_at(cards.public(config, version)?)).merge(jsonrpc_routes(
        UNNAMED_ADDRESS,
        users,
        Interface::of(version),
    ));
    if matches!(version.family(), Family::V0_1(_)) {
        return Ok(routes);
    }
    let (extended, for_card) = (Arc::new(for_version(version, cards.extended.clone())), Arc::clone(users));
    let extended = get(move |request: Request| by_http::serve(for_card, version, extended, request));
    Ok(routes.route(UNNAMED_EXTENDED_CARD, extended))
}
