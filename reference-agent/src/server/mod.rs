//! The agent on the network: routes, start and stop.

mod card;
mod connections;
mod front;
mod host;
mod tls;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::Router;
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::STRICT_TRANSPORT_SECURITY;
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::Response;
use axum::routing::{MethodRouter, any, get, post};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use self::card::CardDocument;
use self::tls::Shield;
use crate::binding::{extended_card as by_http, grpc, http_json, jsonrpc};
use crate::card::{
    Address, AgentCard, JWKS, UNNAMED_ADDRESS, UNNAMED_EXTENDED_CARD, addresses, base_of, draft_addresses,
    extended_card, for_version, public_card, public_keys, signed,
};
use crate::config::Config;
use crate::core::Users;
use crate::fault::{self, Faults, Sockets};
use crate::version::{Family, Interface, Version};

/// How long requests may take to end once the agent is told to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// An agent at work. It stops when this is dropped, or with more care by [`RunningAgent::stop`].
#[derive(Debug)]
pub struct RunningAgent {
    url: String,
    users: Arc<Users>,
    server: JoinHandle<()>,
    faults: Option<Arc<Faults>>,
}

impl RunningAgent {
    /// Where the agent is, such as `http://127.0.0.1:40123`: the base of all its addresses, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The versions that the agent speaks, the newest first, each with the base of its addresses: below it, at one of
    /// the well-known paths of the version, is a card that leads to the rest.
    #[must_use]
    pub fn bases(&self) -> Vec<(&'static str, String)> {
        let at_root = |version: Version| (version.name(), self.url.clone());
        let below = |version: Version| (version.name(), base_of(version, &self.url));
        let named = [at_root(Version::V1_0), below(Version::V1_0Draft), at_root(Version::V0_3)];
        named.into_iter().chain(Version::UNNAMED.map(below)).collect()
    }

    /// The versions that the agent speaks, as in [`Self::bases`], each with the URL of its card.
    #[must_use]
    pub fn cards(&self) -> Vec<(&'static str, String)> {
        let is_old = |name: &str| Version::UNNAMED.into_iter().any(|version| version.name() == name);
        let card = |name: &str| if is_old(name) { UNNAMED_CARD } else { CARD };
        self.bases().into_iter().map(|(name, base)| (name, format!("{base}{}", card(name)))).collect()
    }

    /// The addresses at which the agent is spoken to, with what is spoken at each: those that the cards list, and one
    /// more.
    #[must_use]
    pub fn interfaces(&self) -> Vec<(String, String)> {
        let described =
            |address: Address| (address.url, format!("A2A {}, {}", address.version.name(), address.binding));
        let listed = addresses(&self.url).into_iter().map(described);
        let draft = draft_addresses(&self.url).into_iter().map(described);
        let by_header = "A2A 1.0 or 0.3 by the A2A-Version header, JSONRPC".to_owned();
        let unnamed = Version::UNNAMED.map(|version| {
            let url = format!("{}{UNNAMED_ADDRESS}", base_of(version, &self.url));
            (url, format!("A2A {}, JSONRPC", version.name()))
        });
        listed.chain([(format!("{}/", self.url), by_header)]).chain(draft).chain(unnamed).collect()
    }

    /// Lets the faults act that act at [places](crate::Place). What finds out how to speak to an agent may ask the same as what
    /// judges it then.
    pub fn go_wrong(&self) {
        if let Some(faults) = &self.faults {
            faults.go_wrong();
        }
    }

    /// Ends streams and tasks, lets requests under way be answered, and waits until that is done; 2 s at most.
    pub async fn stop(mut self) {
        self.users.close();
        // Either it has ended in time, or dropping `self` ends it now.
        let _in_time = tokio::time::timeout(STOP_TIMEOUT, &mut self.server).await;
    }
}

impl Drop for RunningAgent {
    fn drop(&mut self) {
        self.users.close();
        self.server.abort();
    }
}

/// Starts an agent at `address`; port 0 takes any free one. Must be called within a tokio runtime, and the agent lives
/// no longer than that.
///
/// # Errors
/// Where the address cannot be listened on, the certificate cannot be used, or the platform has no usable TLS for webhooks.
pub async fn start(config: Config, address: SocketAddr) -> io::Result<RunningAgent> {
    let shield = Shield::of(&config)?;
    let listener = TcpListener::bind(address).await?;
    let here = reachable(listener.local_addr()?);
    let scheme = if shield.is_some() { "https" } else { "http" };
    let url = match &config.host {
        Some(host) => format!("{scheme}://{host}:{}", here.port()),
        None => format!("{scheme}://{here}"),
    };
    let public_url = config.public_url.clone().unwrap_or_else(|| url.clone());
    let (public, extended) = (public_card(&config, &public_url), extended_card(&config, &public_url));
    let (faults, sockets) = (Faults::new(&config.faults), Sockets::new(&config.faults));
    let sign = {
        let config = config.clone();
        move |card: &AgentCard, version| signed(&config, card, version)
    };
    let users = Users::new(config, extended.clone()).map_err(io::Error::other)?;

    let mut routes = routes(&users, &sign(&public, Version::V1_0))?;
    let draft = Version::V1_0Draft;
    routes = routes.nest(&base_of(draft, ""), draft_routes(&users, &sign(&for_version(draft, public.clone()), draft))?);
    for version in Version::UNNAMED {
        let cards = [&public, &extended].map(|card| for_version(version, card.clone()));
        routes = routes.nest(&base_of(version, ""), unnamed_routes(&users, version, cards)?);
    }
    let routes = match shield.is_some() {
        true => routes.layer(map_response(keep_to_https)),
        false => routes,
    };
    let routes = match &faults {
        Some(faults) => routes.layer(from_fn_with_state(Arc::clone(faults), fault::apply)),
        None => routes,
    };

    let mortal =
        faults.as_ref().map(|faults| connections::Mortal { crashes: faults.crashes(), users: Arc::clone(&users) });
    let server = tokio::spawn(connections::serve(listener, shield, routes, sockets, mortal, users.closing()));
    Ok(RunningAgent { url, users, server, faults })
}

/// Clients that came by TLS come by nothing else (section 13.4).
async fn keep_to_https(mut response: Response) -> Response {
    response.headers_mut().entry(STRICT_TRANSPORT_SECURITY).or_insert(HeaderValue::from_static("max-age=31536000"));
    response
}

/// An address for clients: one that listens everywhere is reached on this machine.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

/// What the agent serves of 1.0 and 0.3. Each binding brings its own routes; none of them knows the others.
fn routes(users: &Arc<Users>, card: &Value) -> io::Result<Router> {
    let card = CardDocument::new(card)?;
    let grpc = grpc::routes(users).map_err(io::Error::other)?;
    let all = card_routes(card).merge(jsonrpc_routes(users)).merge(rest_routes(users)).merge(grpc);
    Ok(all.fallback(grpc::unknown))
}

fn card_routes(card: CardDocument) -> Router {
    let card = card_at(card);
    let keys = get(async || Json(public_keys()));
    Router::new().route(CARD, card.clone()).route(UNNAMED_CARD, card).route(JWKS, keys)
}

/// The card's address (1.0 and its draft, section 8.2; 0.3, section 5.3).
const CARD: &str = "/.well-known/agent-card.json";

/// The card's address in versions before 0.3 (0.2.5, section 5.3).
const UNNAMED_CARD: &str = "/.well-known/agent.json";

fn card_at(card: CardDocument) -> MethodRouter {
    let card = Arc::new(card);
    get(move |request: Request| std::future::ready(card.serve(request.headers())))
}

fn jsonrpc_routes(users: &Arc<Users>) -> Router {
    Router::new()
        .route("/", jsonrpc_at(users, &Interface::ANY))
        .route("/1.0", jsonrpc_at(users, &Interface::V1_0))
        .route("/0.3", jsonrpc_at(users, &Interface::V0_3))
        // Clients that take the address for a folder put a slash behind it.
        .route("/1.0/", jsonrpc_at(users, &Interface::V1_0))
        .route("/0.3/", jsonrpc_at(users, &Interface::V0_3))
}

fn jsonrpc_at(users: &Arc<Users>, interface: &'static Interface) -> MethodRouter {
    let users = Arc::clone(users);
    post(move |request: Request| jsonrpc::serve(users, interface, request))
}

/// What there is below the base of the draft, given its public card. Its service of gRPC is among those of the others.
fn draft_routes(users: &Arc<Users>, card: &Value) -> io::Result<Router> {
    let for_rest = Arc::clone(users);
    Ok(Router::new()
        .route(CARD, card_at(CardDocument::new(card)?))
        .route(UNNAMED_ADDRESS, jsonrpc_at(users, &Interface::V1_0_DRAFT))
        .nest_service("/v1", any(move |request: Request| http_json::serve_draft(for_rest, request))))
}

/// What there is below the base of a version of [`Version::UNNAMED`], given its public card and the extended one.
fn unnamed_routes(users: &Arc<Users>, version: Version, [public, extended]: [AgentCard; 2]) -> io::Result<Router> {
    let routes = Router::new()
        .route(UNNAMED_CARD, card_at(CardDocument::new(&serde_json::to_value(&public)?)?))
        .route(UNNAMED_ADDRESS, jsonrpc_at(users, Interface::of(version)));
    if matches!(version.family(), Family::V0_1(_)) {
        return Ok(routes);
    }
    let (extended, for_card) = (Arc::new(extended), Arc::clone(users));
    let extended = get(move |request: Request| by_http::serve(for_card, version, extended, request));
    Ok(routes.route(UNNAMED_EXTENDED_CARD, extended))
}

fn rest_routes(users: &Arc<Users>) -> Router {
    let users = Arc::clone(users);
    // The binding does the rest of the way: HTTP routers know no verbs after a colon.
    Router::new().nest_service("/rest", any(move |request: Request| http_json::serve(users, request)))
}
