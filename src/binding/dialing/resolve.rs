//! Where hosts are.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::vec::IntoIter;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use tower_service::Service;

/// Finds hosts: where the user says that they are, and else where this machine says.
#[derive(Clone)]
pub(in crate::binding) struct Resolver {
    known: Arc<BTreeMap<String, Vec<IpAddr>>>,
    system: GaiResolver,
}

impl Resolver {
    pub fn new(known: BTreeMap<String, Vec<IpAddr>>) -> Self {
        Self { known: Arc::new(known), system: GaiResolver::new() }
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
        if let Some(addresses) = self.known.get(&name.as_str().to_ascii_lowercase()) {
            // The port is that of the URL.
            let found: Vec<_> = addresses.iter().map(|address| SocketAddr::new(*address, 0)).collect();
            return std::future::ready(Ok(found.into_iter())).boxed();
        }
        let found = self.system.call(name);
        async { Ok(found.await?.collect::<Vec<_>>().into_iter()) }.boxed()
    }
}
