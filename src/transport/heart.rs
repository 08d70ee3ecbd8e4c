//! Whether connections to a host break: the sign by which a restart is seen from outside.
//!
//! Nothing is sent. A connection is never older than one beat, so that none is closed for having been idle.

use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::io::AsyncReadExt as _;

use super::http::Http;
use super::raw::Duplex;
use crate::transcript::Ended;

/// How long a connection is held before the next takes its place.
const BEAT: Duration = Duration::from_millis(50);

/// A connection to the host of a URL, renewed again and again.
pub(crate) struct Heart<'a> {
    http: &'a Http,
    url: String,
    held: Box<dyn Duplex>,
    is_broken: bool,
}

impl<'a> Heart<'a> {
    /// Makes the first connection.
    ///
    /// # Errors
    /// How that ended.
    pub async fn of(http: &'a Http, url: String) -> Result<Self, Ended> {
        let held = http.dial(&url).await?;
        Ok(Self { http, url, held, is_broken: false })
    }

    /// Goes on until a connection breaks, or none can be made.
    pub async fn until_broken(&mut self) {
        while !self.is_broken {
            if tokio::time::timeout(BEAT, closed(&mut self.held)).await.is_ok() {
                self.is_broken = true;
                return;
            }
            // The one that is held can break while the next is made.
            let next = self.http.dial(&self.url).await;
            self.is_broken = next.is_err() || self.has_closed();
            if let Ok(next) = next {
                self.held = next;
            }
        }
    }

    /// Whether a connection has broken by now.
    pub fn is_broken(&mut self) -> bool {
        self.is_broken || self.has_closed()
    }

    fn has_closed(&mut self) -> bool {
        closed(&mut self.held).now_or_never().is_some()
    }
}

/// Waits until the other side closes a connection. What it says on its own, as a server of HTTP/2 does, is of no interest.
async fn closed(connection: &mut Box<dyn Duplex>) {
    let mut said = [0; 256];
    while matches!(connection.read(&mut said).await, Ok(1..)) {}
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;
    use tokio::net::TcpListener;

    use super::*;
    use crate::auth::Credentials;
    use crate::transport::http::Settings;

    fn http() -> Http {
        Http::new(Settings { credentials: Credentials::default(), timeout: Duration::from_secs(10) }).unwrap()
    }

    /// A server that accepts connections and greets, and where it is.
    async fn server() -> (tokio::task::JoinHandle<()>, std::net::SocketAddr) {
        serve("127.0.0.1:0").await
    }

    async fn serve(address: &str) -> (tokio::task::JoinHandle<()>, std::net::SocketAddr) {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move {
            let mut all = Vec::new();
            loop {
                let (mut accepted, _) = listener.accept().await.unwrap();
                accepted.write_all(b"hello").await.unwrap();
                all.push(accepted);
            }
        });
        (serving, address)
    }

    #[tokio::test]
    async fn a_server_that_stays_shows_no_sign() {
        let (serving, address) = server().await;
        let http = http();
        let mut heart = Heart::of(&http, format!("http://{address}/")).await.unwrap();
        let ended = tokio::time::timeout(BEAT * 6, heart.until_broken()).await;
        assert!(ended.is_err() && !heart.is_broken());
        serving.abort();
    }

    #[tokio::test]
    async fn a_server_that_goes_and_comes_back_at_once_is_seen() {
        let (serving, address) = server().await;
        let http = http();
        let mut heart = Heart::of(&http, format!("http://{address}/")).await.unwrap();
        serving.abort();
        assert!(serving.await.unwrap_err().is_cancelled());
        let (again, _) = serve(&address.to_string()).await;
        heart.until_broken().await;
        assert!(heart.is_broken());
        again.abort();
    }

    #[tokio::test]
    async fn a_server_that_is_away_is_seen() {
        let (serving, address) = server().await;
        let http = http();
        let mut heart = Heart::of(&http, format!("http://{address}/")).await.unwrap();
        serving.abort();
        heart.until_broken().await;
        assert!(heart.is_broken());
        assert!(Heart::of(&http, format!("http://{address}/")).await.is_err());
    }
}
