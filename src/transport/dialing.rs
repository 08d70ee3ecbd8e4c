//! How connections are made: where hosts are, whom TLS trusts, and how the suite shows itself.

mod hello;
mod proxy;
mod resolve;
mod verify;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hyper_util::client::legacy::connect::HttpConnector;
use rustls::ClientConfig;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use thiserror::Error;

use crate::auth::Caller;
use crate::interface::is_routed;

pub use proxy::NoProxy;
use proxy::Proxies;
pub(super) use proxy::{Proxy, Tcp};
pub(super) use resolve::{NOT_PUBLIC, Resolver};

/// How connections are made: by what this machine knows and trusts, and what the user adds.
#[derive(Debug, Clone, Default)]
pub struct Dialing {
    /// Authorities that are trusted beside those of this machine.
    authorities: Vec<CertificateDer<'static>>,
    /// What the suite shows to a server that asks for a certificate.
    own: Option<Arc<Own>>,
    /// What callers show instead.
    of_callers: BTreeMap<Caller, Arc<Own>>,
    /// Whether certificates of servers are taken as they come.
    verifies_nothing: bool,
    /// Addresses of hosts, before those that the resolver of this machine gives.
    hosts: BTreeMap<String, Vec<IpAddr>>,
    /// The hosts that may be at private addresses; every host, if there is no such list.
    private: Option<Arc<BTreeSet<String>>>,
    /// What stands between this machine and hosts.
    proxies: Proxies,
}

/// A chain of certificates, and the key of the first of them.
#[derive(Debug)]
struct Own {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

impl Own {
    fn read(chain: &[u8], key: &[u8]) -> Result<Self, NoPem> {
        let chain = certificates(chain)?;
        let key =
            PrivateKeyDer::from_pem_slice(key).map_err(|error| NoPem(format!("holds no private key: {error}")))?;
        Ok(Self { chain, key })
    }
}

/// A text in PEM that holds nothing that can be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NoPem(pub(super) String);

impl Dialing {
    /// Trusts the certificates in a text in PEM (RFC 7468), too.
    ///
    /// # Errors
    /// It holds none, or one that cannot be read.
    pub fn trust(&mut self, pem: &[u8]) -> Result<(), NoPem> {
        self.authorities.extend(certificates(pem)?);
        Ok(())
    }

    /// Shows this chain to servers that ask for a certificate, with this key.
    ///
    /// # Errors
    /// One of the texts in PEM holds nothing of its kind, or cannot be read.
    pub fn show(&mut self, chain: &[u8], key: &[u8]) -> Result<(), NoPem> {
        self.own = Some(Arc::new(Own::read(chain, key)?));
        Ok(())
    }

    /// Shows this chain with this key in the name of one caller. Callers without one of their own show what [all](Self::show) do.
    ///
    /// # Errors
    /// One of the texts in PEM holds nothing of its kind, or cannot be read.
    pub fn show_as(&mut self, caller: Caller, chain: &[u8], key: &[u8]) -> Result<(), NoPem> {
        self.of_callers.insert(caller, Arc::new(Own::read(chain, key)?));
        Ok(())
    }

    /// The callers who have a certificate of their own.
    pub(crate) fn certified(&self) -> impl Iterator<Item = Caller> {
        self.of_callers.keys().copied()
    }

    /// The same as one caller does it.
    pub(crate) fn of(&self, caller: Caller) -> Self {
        let own = self.of_callers.get(&caller).or(self.own.as_ref()).cloned();
        Self { own, of_callers: BTreeMap::new(), ..self.clone() }
    }

    /// The certificate of one caller's own.
    pub(crate) fn certificate_of(&self, caller: Caller) -> Option<&[u8]> {
        self.of_callers.get(&caller).and_then(|own| own.chain.first()).map(|first| first.as_ref())
    }

    /// Whether a certificate is shown.
    pub fn has_certificate(&self) -> bool {
        self.own.is_some()
    }

    /// Takes certificates of servers as they come.
    pub fn verify_nothing(&mut self) {
        self.verifies_nothing = true;
    }

    /// Whether certificates of servers are taken as they come.
    pub fn verifies_nothing(&self) -> bool {
        self.verifies_nothing
    }

    /// Looks for a host at this address.
    pub fn find_at(&mut self, host: &str, address: IpAddr) {
        self.hosts.insert(host.to_ascii_lowercase(), vec![address]);
    }

    /// Whether the user says where a host is.
    pub fn is_told(&self, host: &str) -> bool {
        self.hosts.contains_key(&host.to_ascii_lowercase())
    }

    /// The same, but that a host is at these addresses, and is looked for nowhere else.
    pub(super) fn looking_at(&self, host: &str, addresses: &[IpAddr]) -> Self {
        let mut dialing = self.clone();
        dialing.hosts.insert(host.to_ascii_lowercase(), addresses.to_vec());
        dialing
    }

    /// The same, but that hosts beside these are connected to at public addresses only.
    pub(super) fn only_public(&self, beside: &BTreeSet<String>) -> Self {
        Self { private: Some(Arc::new(beside.clone())), ..self.clone() }
    }

    /// Where a host is, if that is said.
    #[cfg(test)]
    pub(crate) fn addresses_of(&self, host: &str) -> &[IpAddr] {
        self.hosts.get(host).map_or(&[], Vec::as_slice)
    }

    fn client_config(&self) -> Result<ClientConfig, String> {
        provide();
        let provider = CryptoProvider::get_default().ok_or("there is no provider of cryptography")?;
        let verifier = verify::verifier(self, provider).map_err(|error| error.to_string())?;
        let builder = ClientConfig::builder_with_provider(Arc::clone(provider)).with_safe_default_protocol_versions();
        let builder = builder.map_err(|error| error.to_string())?.dangerous();
        let builder = builder.with_custom_certificate_verifier(verifier);
        match &self.own {
            None => Ok(builder.with_no_client_auth()),
            Some(own) => builder
                .with_client_auth_cert(own.chain.clone(), own.key.clone_key())
                .map_err(|error| format!("the certificate of the suite cannot be used: {error}")),
        }
    }
}

pub(super) fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, NoPem> {
    let all = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
    match all {
        Ok(all) if all.is_empty() => Err(NoPem("holds no certificate in PEM".to_owned())),
        Ok(all) => Ok(all),
        Err(error) => Err(NoPem(format!("cannot be read as PEM: {error}"))),
    }
}

pub(super) fn private_key(pem: &[u8]) -> Result<PrivateKeyDer<'static>, NoPem> {
    PrivateKeyDer::from_pem_slice(pem).map_err(|error| NoPem(format!("holds no private key: {error}")))
}

/// Makes sure that this process has a provider of cryptography for TLS: ours, unless whoever embeds the library chose one.
pub(super) fn provide() {
    // An error says that there is one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// What all clients of a run share to make connections.
pub(super) struct Ways {
    dialing: Arc<Dialing>,
    /// Made when it is first needed: it reads what this machine trusts.
    tls: OnceLock<Result<ClientConfig, String>>,
}

impl Ways {
    pub fn new(dialing: Dialing) -> Self {
        Self { dialing: Arc::new(dialing), tls: OnceLock::new() }
    }

    pub fn dialing(&self) -> &Dialing {
        &self.dialing
    }

    /// TLS, without any protocol to negotiate.
    ///
    /// # Errors
    /// It cannot be set up on this machine.
    pub fn tls(&self) -> Result<ClientConfig, String> {
        self.tls.get_or_init(|| self.dialing.client_config()).clone()
    }

    /// Whether any way leads through a proxy.
    pub fn has_proxies(&self) -> bool {
        self.dialing.has_proxies()
    }

    /// The proxy on the way to a URL; nothing where the way is straight.
    pub fn proxy_to(&self, url: &str) -> Option<Proxy> {
        self.dialing.proxy_to(&url.parse().ok()?)
    }

    /// Connections without TLS, which may take so long to be made.
    pub fn tcp(&self, limit: Duration) -> Tcp {
        let mut tcp = HttpConnector::new_with_resolver(self.resolver());
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(limit));
        Tcp::new(tcp, Arc::clone(&self.dialing), limit)
    }

    /// What finds hosts.
    pub fn resolver(&self) -> Resolver {
        Resolver::new(self.dialing.hosts.clone(), self.dialing.private.clone())
    }

    /// Whether a host is in the public internet with all its addresses; one without any is not. Where the user says where it
    /// is, that is another place, and its name counts.
    pub async fn is_routed(&self, host: &str) -> bool {
        if self.dialing.is_told(host) {
            return true;
        }
        let addresses = looked_up(host).await.unwrap_or_default();
        !addresses.is_empty() && addresses.into_iter().all(is_routed)
    }

    /// The same trust, with other connections.
    pub fn along(&self, dialing: Dialing) -> Self {
        Self { dialing: Arc::new(dialing), tls: self.tls.clone() }
    }
}

/// The addresses of a host, as the resolver of this machine gives them.
pub(crate) async fn looked_up(host: &str) -> io::Result<Vec<IpAddr>> {
    let found = tokio::net::lookup_host((host, 0)).await?;
    Ok(found.map(|found| found.ip()).collect())
}

#[cfg(test)]
pub(super) mod tests;
