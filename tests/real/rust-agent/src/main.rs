//! An agent for A2A 1.0 on the published Rust crates (a2a-server-lf with a2a-grpc).
//!
//! Written as the crates' documentation and examples show, without any workaround: it is here to show how they really
//! behave under the suite. One request handler serves JSON-RPC, HTTP+JSON and gRPC.

mod card;
mod executor;
mod securing;
mod triggers;

use std::future::IntoFuture as _;
use std::io::Read as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use a2a_grpc::GrpcHandler;
use a2a_pb::proto::a2a_service_server::A2aServiceServer;
use a2a_server::agent_card::agent_card_router;
use a2a_server::jsonrpc::jsonrpc_router;
use a2a_server::rest::rest_router;
use a2a_server::{
    DefaultRequestHandler, HttpPushSender, HttpPushSenderConfig, InMemoryPushConfigStore, InMemoryTaskStore,
    StaticAgentCard,
};
use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;
use tonic::service::InterceptorLayer;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use executor::Triggered;
use securing::Users;

type Failure = Box<dyn std::error::Error>;

/// How the agent is started.
#[derive(Default)]
struct Arguments {
    /// Where HTTP is served; 0 asks the system for a free port. The port of gRPC is always the system's choice.
    port: u16,
    /// End when standard input is closed, for tests that must leave nothing behind.
    end_with_stdin: bool,
    /// Post to webhooks.
    push: bool,
    /// Who is let in; everybody if nobody is named.
    users: Users,
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments = arguments()?;
    if arguments.end_with_stdin {
        std::thread::spawn(end_with_standard_input);
    }
    let http = listen(arguments.port).await?;
    let grpc = listen(0).await?;
    let (http_address, grpc_address) = (http.local_addr()?, grpc.local_addr()?);

    let Arguments { push, users, .. } = arguments;
    let users = Arc::new(users);
    let card = card::agent_card(http_address, grpc_address, push, !users.is_empty());
    let mut handler = DefaultRequestHandler::new(Triggered, InMemoryTaskStore::new());
    if push {
        handler = handler.with_push_notifications(InMemoryPushConfigStore::new(), sender());
    }
    let handler = Arc::new(handler.with_capabilities(card.capabilities.clone()));
    let app = Router::new()
        .nest(card::JSONRPC, jsonrpc_router(handler.clone()))
        .nest(card::REST, rest_router(handler.clone()))
        .layer(from_fn_with_state(users.clone(), securing::guard))
        // Outside of the guard, for the card says how to get in.
        .merge(agent_card_router(Arc::new(StaticAgentCard::new(card))));
    let service = A2aServiceServer::new(GrpcHandler::new(handler));
    let interceptor = InterceptorLayer::new(move |request| securing::intercept(&users, request));

    // Both sockets listen already: whoever reads this may connect.
    println!("listening on http://{http_address}");
    // Without Nagle's algorithm, which would hold back each answer for a delayed acknowledgement.
    let http = http.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let grpc = TcpIncoming::from(grpc).with_nodelay(Some(true));
    tokio::select! {
        ended = axum::serve(http, app).into_future() => ended?,
        ended = Server::builder().layer(interceptor).add_service(service).serve_with_incoming(grpc) => ended?,
    }
    Ok(())
}

/// What posts to webhooks. The crate has none at private addresses, as 13.2 recommends, unless it is told that it is
/// in a test; and the webhooks here are on the loopback.
fn sender() -> HttpPushSender {
    HttpPushSender::new(Some(HttpPushSenderConfig { validate_urls: false, ..Default::default() }))
}

fn arguments() -> Result<Arguments, Failure> {
    let mut arguments = Arguments::default();
    let mut given = std::env::args().skip(1);
    while let Some(argument) = given.next() {
        match argument.as_str() {
            "--port" => arguments.port = given.next().ok_or("--port needs a number")?.parse()?,
            "--end-with-stdin" => arguments.end_with_stdin = true,
            "--push" => arguments.push = true,
            "--user" => arguments.users.add(&given.next().ok_or("--user needs NAME=TOKEN")?)?,
            other => {
                let known = "--port N, --end-with-stdin, --push, --user NAME=TOKEN";
                return Err(format!("{other} is none of {known}").into());
            }
        }
    }
    Ok(arguments)
}

async fn listen(port: u16) -> std::io::Result<TcpListener> {
    TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await
}

/// Ends the agent when whoever started it is gone, however it went.
fn end_with_standard_input() {
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    std::process::exit(0);
}
