use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{Http, Settings};
use crate::auth::Credentials;
use crate::transcript::{Ended, TransportError};

/// Answers as many requests as it may on one connection, and hangs up on the next.
async fn serve(mut connection: TcpStream, answers: usize) {
    let mut buffer = [0; 4096];
    for _ in 0..answers {
        if connection.read(&mut buffer).await.unwrap_or(0) == 0 {
            return;
        }
        connection.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await.expect("write");
    }
    let _ = connection.read(&mut buffer).await;
}

/// A server whose connections bear `answers` requests each; its address, and how many connections it has seen.
async fn server(answers: usize) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let seen = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(serve(connection, answers));
        }
    });
    (url, seen)
}

fn client() -> Http {
    Http::new(Settings { credentials: Credentials::default(), timeout: Duration::from_secs(10) }).expect("a client")
}

#[tokio::test]
async fn a_connection_that_the_server_gave_up_costs_no_answer() {
    let (url, seen) = server(1).await;
    let http = client();
    for _ in 0..3 {
        let exchange = http.fetch("GET", &url, &[], "test").await;
        assert_eq!(exchange.response.map(|response| response.status), Some(200), "{:?}", exchange.ended);
    }
    assert_eq!(seen.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn a_server_that_always_hangs_up_is_asked_twice() {
    let (url, seen) = server(0).await;
    let exchange = client().fetch("GET", &url, &[], "test").await;
    assert_eq!(exchange.ended, Ended::Failed(TransportError::Reset));
    assert_eq!(seen.load(Ordering::Relaxed), 2);
}
