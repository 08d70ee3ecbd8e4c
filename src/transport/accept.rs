//! Connections that come to a listener.

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Accepts connections, at most so many at once, and holds each conversation, until nothing more is to begin and what is under way is
/// over.
pub(crate) async fn accept<F: Future<Output = ()> + Send + 'static>(
    listener: TcpListener,
    most: usize,
    mut closing: watch::Receiver<bool>,
    converse: impl Fn(TcpStream) -> F,
) {
    // Dropping the set ends the connections.
    let mut connections = JoinSet::new();
    loop {
        if connections.len() >= most {
            let _ended = connections.join_next().await;
        }
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = closing.wait_for(|is_last| *is_last) => break,
        };
        let Ok((stream, _)) = accepted else {
            // There may be more sockets again once one of ours has ended.
            if connections.join_next().await.is_none() {
                return;
            }
            continue;
        };
        connections.spawn(converse(stream));
        while connections.try_join_next().is_some() {}
    }
    while connections.join_next().await.is_some() {}
}
