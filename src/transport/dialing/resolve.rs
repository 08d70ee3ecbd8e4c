//! Where hosts are.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::vec::IntoIter;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use tower_service::Service;

use crate::interface::is_routed;

/// How the refusal to go to a private address ends.
pub(in crate::transport) const NOT_PUBLIC: &str = "which is not a public address";

/// Finds hosts: where the user says that they are, and else where this machine says.
#[derive(Clone)]
pub(in crate::transport) struct Resolver {
    known: Arc<BTreeMap<String, Vec<IpAddr>>>,
    /// The hosts that may be at private addresses; every host, if there is no such list.
    private: Option<Arc<BTreeSet<String>>>,
    system: GaiResolver,
}

impl Resolver {
    pub fn new(known: BTreeMap<String, Vec<IpAddr>>, private: Option<Arc<BTreeSet<String>>>) -> Self {
        Self { known: Arc::new(known), private, system: GaiResolver::new() }
    }

    /// Whether a host may only be at public addresses.
    fn is_held(&self, host: &str) -> bool {
        self.private.as_ref().is_some_and(|private| !private.contains(host))
    }
}

/// The public addresses of a host that the system found. A connection goes to one of these, so that nobody can change the
/// address between the check and the connection.
fn public(host: &str, found: Vec<SocketAddr>) -> io::Result<Vec<SocketAddr>> {
    let (public, private): (Vec<_>, Vec<_>) = found.into_iter().partition(|found| is_routed(found.ip()));
    match (public.is_empty(), private.first()) {
        (true, Some(private)) => {
            let text = format!("not called: {host} is at {}, {NOT_PUBLIC}", private.ip());
            Err(io::Error::new(io::ErrorKind::PermissionDenied, text))
        }
        _ => Ok(public),
    }
}

impl Service<Name> for Resolver {
    type Response = IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<IntoIter<SocketAddr>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.system.poll_ready(context)
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let host = name.as_str().to_ascii_lowercase();
        if let Some(addresses) = self.known.get(&host) {
            // The port is that of the URL.
            let found: Vec<_> = addresses.iter().map(|address| SocketAddr::new(*address, 0)).collect();
            return std::future::ready(Ok(found.into_iter())).boxed();
        }
        let is_held = self.is_held(&host);
        let found = self.system.call(name);
        async move {
            let found = found.await?.collect::<Vec<_>>();
            Ok(if is_held { public(&host, found)? } else { found }.into_iter())
        }
        .boxed()
    }
}

/// For the client of a library that has a form of its own for names.
impl reqwest::dns::Resolve for Resolver {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let mut own = self.clone();
        async move {
            let name: Name = name.as_str().parse()?;
            let found = own.call(name).await?;
            Ok(Box::new(found) as reqwest::dns::Addrs)
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn found(resolver: &Resolver, name: &str) -> Result<Vec<IpAddr>, String> {
        let found = resolver.clone().call(name.parse().unwrap()).await;
        found.map(|found| found.map(|found| found.ip()).collect()).map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn a_host_that_must_be_public_is_not_looked_for_at_private_addresses() {
        let free = Resolver::new(BTreeMap::new(), None);
        assert!(found(&free, "localhost").await.is_ok());
        let held = Resolver::new(BTreeMap::new(), Some(Arc::default()));
        let error = found(&held, "LOCALHOST").await.unwrap_err();
        assert!(error.contains("localhost is at") && error.contains("not a public address"), "{error}");
        let named = Resolver::new(BTreeMap::new(), Some(Arc::new(BTreeSet::from(["localhost".to_owned()]))));
        assert!(found(&named, "localhost").await.is_ok());
        // Where the user says that a host is, it may be.
        let told = BTreeMap::from([("agent.example.com".to_owned(), vec!["127.0.0.1".parse().unwrap()])]);
        assert!(found(&Resolver::new(told, Some(Arc::default())), "agent.example.com").await.is_ok());
    }

    #[test]
    fn of_several_addresses_the_public_ones_are_left() {
        let all = ["10.0.0.1:0", "93.184.216.34:0", "[::1]:0"].map(|text| text.parse().unwrap()).to_vec();
        assert_eq!(public("a", all).unwrap(), ["93.184.216.34:0".parse().unwrap()]);
        assert!(public("a", Vec::new()).unwrap().is_empty());
    }
}
