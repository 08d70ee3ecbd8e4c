//! Offers of TLS that no client should make, and what a server makes of them.

use std::sync::Arc;

use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::Instant;
use url::{Host, Url};

use super::proxy::BYTES_OF_TLS;
use crate::transcript::{Direction, Ended, Exchange, Request, TransportError};
use crate::transport::http::Http;
use crate::wire::tls::{Offer, client_hello, server_reply};

/// What stands in place of the method of HTTP.
const METHOD: &str = "ClientHello";

impl Http {
    /// Offers TLS to the host of a URL, over a connection of its own, and looks at the first that comes back. No credentials
    /// are sent, and nothing follows.
    pub(in crate::transport) async fn hello(&self, url: &str, offer: Offer, purpose: &str) -> Exchange {
        let (number, sent) = (self.next_number(), Instant::now());
        let name = Url::parse(url).ok().and_then(|url| match url.host()? {
            Host::Domain(name) => Some(name.to_owned()),
            Host::Ipv4(_) | Host::Ipv6(_) => None,
        });
        let hello = client_hello(offer, name.as_deref());
        let answered = tokio::time::timeout(self.timeout(), self.greet(url, offer, &hello)).await;
        Exchange {
            number,
            purpose: purpose.to_owned(),
            direction: Direction::Outbound,
            request: Request {
                method: METHOD.to_owned(),
                url: url.to_owned(),
                headers: Vec::new(),
                body: Bytes::from(hello),
                is_verbatim: true,
                operation: None,
                params: Arc::default(),
                rpc_id: None,
            },
            response: None,
            ended: answered.unwrap_or(Ended::TimedOut(self.timeout())),
            started: self.since_start(sent),
            elapsed: sent.elapsed(),
            share: None,
        }
    }

    async fn greet(&self, url: &str, offer: Offer, hello: &[u8]) -> Ended {
        // A server may close the connection in whatever way it likes: it has refused.
        const REFUSED: Ended = Ended::Closed;
        let Some(place) = plain(url) else {
            return Ended::Failed(TransportError::Other(format!("{url} is no URL with a host")));
        };
        let mut stream = match self.dial(&place).await {
            Ok(stream) => stream,
            Err(ended) => return ended,
        };
        if stream.write_all(hello).await.is_err() {
            return REFUSED;
        }
        let mut received = Vec::new();
        loop {
            match stream.read_buf(&mut received).await {
                Ok(0) | Err(_) => return REFUSED,
                Ok(_) => {}
            }
            if let Some(reply) = server_reply(&received) {
                return Ended::Hello(offer, reply);
            }
        }
    }
}

/// The same host and port, for bytes of TLS as they are.
fn plain(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let (host, port) = (url.host_str()?, url.port_or_known_default()?);
    Some(format!("{BYTES_OF_TLS}://{host}:{port}/"))
}
