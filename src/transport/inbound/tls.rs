//! TLS in front of webhooks: a certificate that the user has, or one that is made for the run.

use std::net::IpAddr;
use std::sync::Arc;

use jiff::{ToSpan as _, tz::TimeZone};
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::transport::dialing::{NoPem, certificates, private_key, provide};

/// How long a certificate is good that is made for a run, which is far shorter.
const DAYS: i64 = 2;

/// What a receiver shows of itself.
#[derive(Clone)]
pub struct ServerTls {
    config: Arc<ServerConfig>,
    /// The certificate, and those between it and its authority, in PEM.
    chain: Vec<u8>,
    /// Whether it was made for the run.
    is_made: bool,
}

impl ServerTls {
    /// A chain of certificates and the key of the first of them, both in PEM.
    ///
    /// # Errors
    /// One of the texts holds nothing of its kind, or they do not belong together.
    pub fn read(chain: &[u8], key: &[u8]) -> Result<Self, NoPem> {
        let config = config(certificates(chain)?, private_key(key)?);
        let config = config.map_err(|error| NoPem(format!("does not go with its key: {error}")))?;
        Ok(Self { config, chain: chain.to_vec(), is_made: false })
    }

    /// A certificate for these hosts, signed by itself: whoever is to trust the receiver has to trust exactly this one.
    ///
    /// # Errors
    /// The machine cannot make one.
    pub fn made(hosts: &[String]) -> Result<Self, String> {
        let wrong = |error: rcgen::Error| format!("no certificate can be made: {error}");
        let mut params = CertificateParams::new(hosts).map_err(wrong)?;
        params.distinguished_name.push(DnType::CommonName, "webhooks of a2aspec");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        // By whole days, one of them before today: clocks differ.
        let today = crate::clock::now().to_zoned(TimeZone::UTC).date();
        let day = |day: jiff::civil::Date| {
            let [month, of_month] = [day.month(), day.day()].map(i8::unsigned_abs);
            date_time_ymd(day.year().into(), month, of_month)
        };
        params.not_before = day(today.saturating_sub(1.day()));
        params.not_after = day(today.saturating_add(DAYS.days()));
        let key = KeyPair::generate().map_err(wrong)?;
        let certificate = params.self_signed(&key).map_err(wrong)?;
        let pem = certificate.pem();
        let key = PrivateKeyDer::try_from(key.serialize_der()).map_err(str::to_owned)?;
        let config = config(vec![certificate.into()], key).map_err(|error| error.to_string())?;
        Ok(Self { config, chain: pem.into_bytes(), is_made: true })
    }

    /// The certificate, and those between it and its authority, in PEM.
    pub fn chain(&self) -> &[u8] {
        &self.chain
    }

    /// Whether the certificate was made for the run.
    pub fn is_made(&self) -> bool {
        self.is_made
    }

    /// What shows it to those who come, and agrees with them on one of these protocols (RFC 7301).
    pub(crate) fn acceptor_for(&self, protocols: &[&[u8]]) -> TlsAcceptor {
        let mut config = ServerConfig::clone(&self.config);
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.config))
    }
}

/// The hosts that lead to a receiver: this machine, the address that it listens on, and the host of its URL.
pub(crate) fn hosts(listen: Option<IpAddr>, url: Option<&url::Url>) -> Vec<String> {
    let mut hosts = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
    let address = listen.filter(|address| !address.is_unspecified()).map(|address| address.to_string());
    let named = url.and_then(url::Url::host_str).map(|host| host.trim_matches(['[', ']']).to_owned());
    for host in address.into_iter().chain(named) {
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    hosts
}

fn config(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> Result<Arc<ServerConfig>, rustls::Error> {
    provide();
    let mut config = ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

impl std::fmt::Debug for ServerTls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerTls").field("is_made", &self.is_made).finish_non_exhaustive()
    }
}
