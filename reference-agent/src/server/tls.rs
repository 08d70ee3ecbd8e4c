//! TLS in front of everything that the agent serves.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::server::danger::ClientCertVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};
use tokio_rustls::server::TlsStream;
use webpki::EndEntityCert;

use crate::config::{Config, Tls};
use crate::fault::{Switch, hello};

/// How long the first bytes of a client are, as far as faults look at them.
const FIRST_BYTES: usize = 512;

/// Makes a connection one with TLS.
#[derive(Clone)]
pub struct Shield {
    acceptor: TlsAcceptor,
    takes_old_versions: bool,
    takes_weak_ciphers: bool,
}

impl fmt::Debug for Shield {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Shield").finish_non_exhaustive()
    }
}

impl Shield {
    /// What the configuration asks for: nothing for an agent without a certificate.
    ///
    /// # Errors
    /// Where certificate or key cannot be used.
    pub fn of(config: &Config) -> io::Result<Option<Self>> {
        let Some(Tls { chain, key }) = config.tls.as_ref().filter(|_| !config.breaks(Switch::ServesWithoutTls)) else {
            return Ok(None);
        };
        let _provided = rustls::crypto::ring::default_provider().install_default();
        let wrong = |what: &str, error: &dyn std::fmt::Display| {
            io::Error::new(io::ErrorKind::InvalidInput, format!("the {what} cannot be used: {error}"))
        };
        let chain = CertificateDer::pem_slice_iter(chain).collect::<Result<Vec<_>, _>>();
        let chain = chain.map_err(|error| wrong("certificate", &error))?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| wrong("key", &error))?;
        let tls = match &config.client_authorities {
            None => ServerConfig::builder().with_no_client_auth(),
            Some(authorities) => ServerConfig::builder().with_client_cert_verifier(
                known_clients(authorities).map_err(|error| wrong("certificate of who certifies clients", &*error))?,
            ),
        };
        let mut tls = tls.with_single_cert(chain, key).map_err(|error| wrong("certificate", &error))?;
        tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Some(Self {
            acceptor: TlsAcceptor::from(Arc::new(tls)),
            takes_old_versions: config.breaks(Switch::TakesOldTls),
            takes_weak_ciphers: config.breaks(Switch::TakesWeakCiphers),
        }))
    }

    /// Agrees on TLS with a client.
    ///
    /// # Errors
    /// Where they do not agree.
    pub async fn accept(&self, mut stream: TcpStream) -> io::Result<Stream> {
        if self.takes_old_versions || self.takes_weak_ciphers {
            let mut first = [0; FIRST_BYTES];
            let read = stream.peek(&mut first).await?;
            if let Some(answer) = self.wrong_answer(first.get(..read).unwrap_or_default()) {
                return stream.write_all(&answer).await.and(Err(io::ErrorKind::ConnectionAborted.into()));
            }
        }
        Ok(Stream::Tls(Box::new(self.acceptor.accept(stream).await?)))
    }

    /// What an agent says that agrees on what it should refuse: it takes the version that is offered, and the first cipher suite.
    fn wrong_answer(&self, first: &[u8]) -> Option<Vec<u8>> {
        let offer = hello::read(first)?;
        let is_taken = match offer.is_old() {
            true => self.takes_old_versions,
            false => self.takes_weak_ciphers && offer.is_weak(),
        };
        is_taken.then(|| offer.agreed())
    }
}

/// Takes certificates of these authorities. A client may do without one: the card is for everybody, and other schemes may do.
fn known_clients(authorities: &[u8]) -> Result<Arc<dyn ClientCertVerifier>, Box<dyn std::error::Error>> {
    let mut roots = RootCertStore::empty();
    for authority in CertificateDer::pem_slice_iter(authorities) {
        roots.add(authority?)?;
    }
    Ok(WebPkiClientVerifier::builder(Arc::new(roots)).allow_unauthenticated().build()?)
}

/// A connection, plain or with TLS.
pub enum Stream {
    /// Plain.
    Plain(TcpStream),
    /// With TLS.
    Tls(Box<TlsStream<TcpStream>>),
}

impl Stream {
    /// The DNS names in the subjectAltName of the certificate that the client has shown; its common name is for people (RFC 9525,
    /// section 2).
    pub fn certified_names(&self) -> Vec<String> {
        let Self::Tls(stream) = self else { return Vec::new() };
        let shown = stream.get_ref().1.peer_certificates().and_then(|chain| chain.first());
        let read = shown.and_then(|certificate| EndEntityCert::try_from(certificate).ok());
        read.iter().flat_map(|certificate| certificate.valid_dns_names()).map(str::to_owned).collect()
    }
}

/// Does the same with either.
macro_rules! either {
    ($self:ident, $stream:ident => $does:expr) => {
        match $self.get_mut() {
            Self::Plain($stream) => {
                let $stream = Pin::new($stream);
                $does
            }
            Self::Tls($stream) => {
                let $stream = Pin::new($stream.as_mut());
                $does
            }
        }
    };
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => stream.poll_read(context, buffer))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        either!(self, stream => stream.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        either!(self, stream => stream.poll_write_vectored(context, pieces))
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(stream) => stream.is_write_vectored(),
            Self::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => stream.poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => stream.poll_shutdown(context))
    }
}
