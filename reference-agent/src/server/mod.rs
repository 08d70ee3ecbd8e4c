//! The agent on the network: routes, start and stop.

mod card;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodRouter, any, get, post};
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use self::card::CardDocument;
use crate::binding::{grpc, http_json, jsonrpc};
use crate::card::{addresses, extended_card, public_card};
use crate::config::{Config, RestForm};
use crate::core::Engine;
use crate::fault::{self, Faults};
use crate::version::Interface;

/// How long requests may take to end once the agent is told to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// An agent at work. It stops when this is dropped, or with more care by [`RunningAgent::stop`].
#[derive(Debug)]
pub struct RunningAgent {
    url: String,
    engine: Arc<Engine>,
    server: JoinHandle<()>,
}

impl RunningAgent {
    /// Where the agent is, such as `http://127.0.0.1:40123`: the base of all its addresses, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The addresses at which the agent is spoken to, with what is spoken at each: those that the card lists, and one
    /// more.
    #[must_use]
    pub fn interfaces(&self) -> Vec<(String, String)> {
        let listed = addresses(&self.url)
            .into_iter()
            .map(|address| (address.url, format!("A2A {}, {}", address.version.name(), address.binding)));
        let by_header = "A2A 1.0 or 0.3 by the A2A-Version header, JSONRPC".to_owned();
        listed.chain([(format!("{}/", self.url), by_header)]).collect()
    }

    /// Ends streams and tasks, lets requests under way be answered, and waits until that is done; 2 s at most.
    pub async fn stop(mut self) {
        self.engine.close();
        // Either it has ended in time, or dropping `self` ends it now.
        let _in_time = tokio::time::timeout(STOP_TIMEOUT, &mut self.server).await;
    }
}

impl Drop for RunningAgent {
    fn drop(&mut self) {
        self.engine.close();
        self.server.abort();
    }
}

/// Starts an agent at `address`; port 0 takes any free one. Must be called within a tokio runtime, and the agent lives
/// no longer than that.
///
/// # Errors
/// Where the address cannot be listened on, or the platform has no usable TLS for webhooks.
pub async fn start(config: Config, address: SocketAddr) -> io::Result<RunningAgent> {
    let listener = TcpListener::bind(address).await?;
    let url = format!("http://{}", reachable(listener.local_addr()?));
    let public_url = config.public_url.clone().unwrap_or_else(|| url.clone());
    let card = CardDocument::new(&public_card(&config, &public_url))?;
    let extended_card = extended_card(&config, &public_url);
    let rest_form = config.rest_form;
    let faults = Faults::new(&config.faults);
    let engine = Engine::new(config, extended_card).map_err(io::Error::other)?;

    let routes = routes(&engine, rest_form, card)?;
    let routes = match faults {
        Some(faults) => routes.layer(from_fn_with_state(faults, fault::apply)),
        None => routes,
    };

    let mut closing = engine.closing();
    let closed = async move {
        // An engine that is gone is closed, too.
        let _closed = closing.wait_for(|is_closing| *is_closing).await;
    };
    // Events are small, and are to leave at once rather than wait for company.
    let listener = listener.tap_io(|connection| {
        let _unchanged = connection.set_nodelay(true);
    });
    let serve = axum::serve(listener, routes).with_graceful_shutdown(closed);
    let server = tokio::spawn(async move {
        // It ends when told to; errors of single connections stay with them.
        let _ended = serve.await;
    });
    Ok(RunningAgent { url, engine, server })
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

/// Everything that the agent serves. Each binding brings its own routes; none of them knows the others.
fn routes(engine: &Arc<Engine>, rest_form: RestForm, card: CardDocument) -> io::Result<Router> {
    let grpc = grpc::routes(engine).map_err(io::Error::other)?;
    let all = card_routes(card).merge(jsonrpc_routes(engine)).merge(rest_routes(engine, rest_form)).merge(grpc);
    Ok(all.fallback(grpc::unknown))
}

fn card_routes(card: CardDocument) -> Router {
    let card = Arc::new(card);
    let card = get(move |request: Request| std::future::ready(card.serve(request.headers())));
    Router::new()
        .route("/.well-known/agent-card.json", card.clone())
        // The address of versions before 0.3.
        .route("/.well-known/agent.json", card)
}

fn jsonrpc_routes(engine: &Arc<Engine>) -> Router {
    let jsonrpc = |interface: &'static Interface| -> MethodRouter {
        let engine = Arc::clone(engine);
        post(move |request: Request| jsonrpc::serve(engine, interface, request))
    };
    Router::new()
        .route("/", jsonrpc(&Interface::ANY))
        .route("/1.0", jsonrpc(&Interface::V1_0))
        .route("/0.3", jsonrpc(&Interface::V0_3))
}

fn rest_routes(engine: &Arc<Engine>, form: RestForm) -> Router {
    let engine = Arc::clone(engine);
    // The binding does the rest of the way: HTTP routers know no verbs after a colon.
    Router::new().nest_service("/rest", any(move |request: Request| http_json::serve(engine, form, request)))
}
