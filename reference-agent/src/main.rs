//! Runs the reference agent until it is interrupted.

use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;

use a2a_reference_agent::{Capability, Config, RestDialect, Tenant, User, Version};
use clap::Parser;

/// A complete A2A agent that conforms to every requirement of the protocol
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Address to listen on. Beyond the loopback interface, webhooks in private networks are refused, this machine's among them
    #[arg(long, default_value = "127.0.0.1")]
    host: IpAddr,

    /// Port to listen on; 0 takes any free one
    #[arg(long, default_value_t = 8080)]
    port: u16,

    /// Speak this version of the protocol alone, with a card that says nothing of the others
    #[arg(long, value_name = "VERSION")]
    only: Option<Version>,

    /// Capabilities to leave out: streaming, push, extended-card
    #[arg(long, value_name = "CAPABILITY", value_delimiter = ',')]
    without: Vec<Capability>,

    /// The address that the card gives to clients, if it is not the one listened on. Requests for any other host are refused, apart
    /// from loopback and the address that is listened on
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,

    /// Speak this dialect of A2A 0.3 over HTTP+JSON alone: json or proto [default: both, each task in that of its messages]
    #[arg(long, value_name = "DIALECT")]
    rest_dialect: Option<RestDialect>,

    /// Somebody who may ask, as NAME=TOKEN: then each must bring a bearer token, and sees what is theirs. A token that ends with
    /// :expired or :wrong-audience is refused, and who has one that ends with :narrow may send no messages
    #[arg(long = "user", value_name = "NAME=TOKEN")]
    users: Vec<User>,

    /// A tenant that has interfaces in the card of 1.0 and tasks of its own, beside what there is without one; may be repeated
    #[arg(long = "tenant", value_name = "NAME")]
    tenants: Vec<Tenant>,

    /// Refuse requests that do not ask for the extension urn:a2aspec:echo:v1
    #[arg(long)]
    require_extension: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let config = Config {
        only: arguments.only,
        without: arguments.without.into_iter().collect(),
        public_url: arguments.public_url.map(|url| url.trim_end_matches('/').to_owned()),
        rest_dialect: arguments.rest_dialect,
        users: arguments.users,
        tenants: arguments.tenants,
        requires_extension: arguments.require_extension,
        ..Config::default()
    };
    let address = SocketAddr::new(arguments.host, arguments.port);
    let agent = match a2a_reference_agent::start(config, address).await {
        Ok(agent) => agent,
        Err(error) => {
            eprintln!("error: failed to listen on {address}: {error}");
            return ExitCode::FAILURE;
        }
    };
    for (version, card) in agent.cards() {
        println!("card  {card}  (A2A {version})");
    }
    for (url, description) in agent.interfaces() {
        println!("at    {url}  ({description})");
    }
    let interrupted = tokio::signal::ctrl_c().await;
    agent.stop().await;
    match interrupted {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: failed to wait for Ctrl-C: {error}");
            ExitCode::FAILURE
        }
    }
}
