//! The agent on the network: routes, start and stop.

mod card;
mod coding;
mod connections;
mod front;
mod host;
mod hosts;
pub(crate) mod routes;
mod tls;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderValue;
use axum::http::header::STRICT_TRANSPORT_SECURITY;
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::Response;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use self::hosts::Hosts;
pub(crate) use self::routes::Cards;
use self::tls::Shield;
use crate::card::{Address, UNNAMED_ADDRESS, addresses, addresses_of_1_1, base_of, draft_addresses};
use crate::config::{Config, Tenant};
use crate::core::Users;
use crate::fault::{self, Faults, Sockets};
use crate::version::Version;

/// How long requests may take to end once the agent is told to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// An agent at work. It stops when this is dropped, or with more care by [`RunningAgent::stop`].
#[derive(Debug)]
pub struct RunningAgent {
    url: String,
    replicas: Vec<String>,
    served: Served,
    servers: JoinSet<()>,
}

impl RunningAgent {
    /// Where the agent is, such as `http://127.0.0.1:40123`: the base of all its addresses, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where its other replicas are, each as [`Self::url`] says where it is itself.
    #[must_use]
    pub fn replicas(&self) -> &[String] {
        &self.replicas
    }

    /// The versions that the agent speaks, the newest first, each with the base of its addresses: below it, at one of
    /// the well-known paths of the version, is a card that leads to the rest.
    #[must_use]
    pub fn bases(&self) -> Vec<(&'static str, String)> {
        let base = |version: Version| match version {
            Version::V1_0 | Version::V0_3 => self.url.clone(),
            _ => base_of(version, &self.url),
        };
        self.versions().map(|version| (version.name(), base(version))).collect()
    }

    /// The versions that the agent speaks, as in [`Self::bases`], each with the URL of its card.
    #[must_use]
    pub fn cards(&self) -> Vec<(&'static str, String)> {
        let bases = self.versions().zip(self.bases());
        bases.map(|(version, (name, base))| (name, format!("{base}{}", routes::card_path(version)))).collect()
    }

    /// The addresses at which the agent is spoken to, with what is spoken at each: those that the cards list, and one
    /// more.
    #[must_use]
    pub fn interfaces(&self) -> Vec<(String, String)> {
        let described =
            |address: Address| (address.url, format!("A2A {}, {}", address.version.name(), address.binding));
        let is_spoken = |address: &Address| self.versions().any(|version| version == address.version);
        let listed = addresses(&self.url).into_iter().filter(is_spoken).map(described);
        let of_tenant = |tenant: &Tenant| {
            let own = addresses(&self.url).into_iter().filter(|address| address.version == Version::V1_0);
            let own = own.filter(is_spoken).map(described);
            let name = tenant.to_string();
            own.map(|(url, what)| (url, format!("{what}, tenant {name}"))).collect::<Vec<_>>()
        };
        let of_tenants = self.served.config.tenants.iter().flat_map(of_tenant);
        let drafts = addresses_of_1_1(&self.url).into_iter().chain(draft_addresses(&self.url));
        let drafts = drafts.filter(is_spoken).map(described);
        let by_header = "A2A 1.0 or 0.3 by the A2A-Version header, JSONRPC".to_owned();
        let by_header = self.served.config.only.is_none().then(|| (format!("{}/", self.url), by_header));
        let is_unnamed = |version: &Version| Version::UNNAMED.contains(version);
        let unnamed = self.versions().filter(is_unnamed).map(|version| {
            let url = format!("{}{UNNAMED_ADDRESS}", base_of(version, &self.url));
            (url, format!("A2A {}, JSONRPC", version.name()))
        });
        listed.chain(of_tenants).chain(by_header).chain(drafts).chain(unnamed).collect()
    }

    /// The versions that the agent speaks, the newest first.
    fn versions(&self) -> impl Iterator<Item = Version> {
        let only = self.served.config.only;
        Version::ALL.into_iter().filter(move |version| only.is_none_or(|only| only == *version))
    }

    /// Lets the faults act that act at [places](crate::Place). What finds out how to speak to an agent may ask the same as what
    /// judges it then.
    pub fn go_wrong(&self) {
        if let Some(faults) = &self.served.faults {
            faults.go_wrong();
        }
    }

    /// Ends every connection, and serves at the same addresses again as a process that was started anew. What is not
    /// [shared](Config::unshared) with it is lost; all else is in a store that lasts.
    ///
    /// # Errors
    /// An address is taken meanwhile.
    pub async fn restart(&mut self) -> io::Result<()> {
        self.servers.shutdown().await;
        self.served.generation += 1;
        let mut listeners = Vec::new();
        for address in &self.served.addresses {
            listeners.push(TcpListener::bind(address).await?);
        }
        self.servers = self.served.by(listeners)?;
        Ok(())
    }

    /// Ends streams and tasks, lets requests under way be answered, and waits until that is done; 2 s at most.
    pub async fn stop(mut self) {
        self.served.users.close();
        // Either it has ended in time, or dropping `self` ends it now.
        let ended = async { while self.servers.join_next().await.is_some() {} };
        let _in_time = tokio::time::timeout(STOP_TIMEOUT, ended).await;
    }
}

impl Drop for RunningAgent {
    fn drop(&mut self) {
        self.served.users.close();
        self.servers.abort_all();
    }
}

/// What is served, apart from the addresses at which.
#[derive(Debug)]
struct Served {
    config: Config,
    addresses: Vec<SocketAddr>,
    /// How often it was restarted.
    generation: usize,
    users: Arc<Users>,
    cards: Cards,
    hosts: Arc<Hosts>,
    shield: Option<Shield>,
    faults: Option<Arc<Faults>>,
    sockets: Option<Arc<Sockets>>,
}

impl Served {
    /// Serves at these listeners, each a replica of its own.
    fn by(&self, listeners: Vec<TcpListener>) -> io::Result<JoinSet<()>> {
        let mut servers = JoinSet::new();
        let first = self.generation * listeners.len();
        for (number, listener) in (first..).zip(listeners) {
            let own = if number == 0 { Arc::clone(&self.users) } else { self.users.replica(number) };
            let routes = routes::all(&self.config, &own, &self.cards)?;
            let routes = match self.shield.is_some() {
                true => routes.layer(map_response(keep_to_https)),
                false => routes,
            };
            let routes = match &self.faults {
                Some(faults) => routes.layer(from_fn_with_state(Arc::clone(faults), fault::apply)),
                None => routes,
            };
            let mortal =
                self.faults.as_ref().map(|faults| connections::Mortal { crashes: faults.crashes(), users: own });
            let (shield, hosts, sockets) = (self.shield.clone(), Arc::clone(&self.hosts), self.sockets.clone());
            servers.spawn(connections::serve(listener, shield, hosts, routes, sockets, mortal, self.users.closing()));
        }
        Ok(servers)
    }
}

/// Starts an agent at `address`; port 0 takes any free one. Must be called within a tokio runtime, and the agent lives
/// no longer than that.
///
/// # Errors
/// Where the address cannot be listened on, a certificate cannot be used, a scheme lacks what it takes, or the platform has no usable
/// TLS for webhooks.
pub async fn start(config: Config, address: SocketAddr) -> io::Result<RunningAgent> {
    config.check_schemes()?;
    let config = Config { is_exposed: is_beyond_loopback(address.ip()), ..config };
    let shield = Shield::of(&config)?;
    let listener = TcpListener::bind(address).await?;
    let scheme = if shield.is_some() { "https" } else { "http" };
    let url_of = |listener: &TcpListener| {
        let here = reachable(listener.local_addr()?);
        Ok::<_, io::Error>(match &config.host {
            Some(host) => format!("{scheme}://{host}:{}", here.port()),
            None => format!("{scheme}://{here}"),
        })
    };
    let url = url_of(&listener)?;
    let mut listeners = vec![listener];
    for number in (1..=config.more_replicas).map(|number| u16::try_from(number).unwrap_or(u16::MAX)) {
        // Those of a free port have free ports.
        let port = if address.port() == 0 { 0 } else { address.port().saturating_add(number) };
        listeners.push(TcpListener::bind(SocketAddr::new(address.ip(), port)).await?);
    }
    let replicas = listeners.iter().skip(1).map(url_of).collect::<io::Result<Vec<_>>>()?;
    let public_url = config.public_url.clone().unwrap_or_else(|| url.clone());
    let cards = Cards::new(&config, &public_url);
    let hosts = Arc::new(Hosts::of(&config, address.ip()));
    let (faults, sockets) = (Faults::new(&config), Sockets::new(&config.changes()));
    let users = Users::new(config.clone(), cards.extended()).map_err(io::Error::other)?;
    let addresses = listeners.iter().map(TcpListener::local_addr).collect::<io::Result<_>>()?;
    let served = Served { config, addresses, generation: 0, users, cards, hosts, shield, faults, sockets };
    let servers = served.by(listeners)?;
    Ok(RunningAgent { url, replicas, served, servers })
}

/// Clients that came by TLS come by nothing else (section 13.4).
async fn keep_to_https(mut response: Response) -> Response {
    response.headers_mut().entry(STRICT_TRANSPORT_SECURITY).or_insert(HeaderValue::from_static("max-age=31536000"));
    response
}

/// Whether others than this machine get to who listens there.
fn is_beyond_loopback(listening: IpAddr) -> bool {
    !listening.to_canonical().is_loopback()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_listens_everywhere_listens_beyond_loopback() {
        for (listening, is_beyond) in [
            ("127.0.0.1", false),
            ("127.9.9.9", false),
            ("::1", false),
            ("::ffff:127.0.0.1", false),
            ("0.0.0.0", true),
            ("::", true),
            ("192.0.2.1", true),
        ] {
            assert_eq!(is_beyond_loopback(listening.parse().unwrap()), is_beyond, "{listening}");
        }
    }
}
