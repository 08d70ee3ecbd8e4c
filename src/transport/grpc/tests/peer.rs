//! An HTTP/2 server that answers every request by a script, frame by frame.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use h2::server::SendResponse;
use h2::{Reason, RecvStream, SendStream};
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_rustls::TlsAcceptor;

/// How each request is answered.
#[derive(Clone)]
pub(super) struct Script {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, &'static str)>,
    /// What comes after the headers. With nothing after them, they end the response.
    pub(super) rest: Vec<Piece>,
}

/// A part of an answer after its headers.
#[derive(Clone)]
pub(super) enum Piece {
    /// Bytes of the body.
    Data(Bytes),
    /// Trailers, which end the response.
    Trailers(Vec<(&'static str, &'static str)>),
    /// The end of the response, without trailers.
    End,
    /// Nothing, until the client resets the call.
    Silence,
    /// The server resets the call.
    Reset(Reason),
    /// The server drops the connection.
    HangUp,
    /// The server takes no more calls over the connection and closes it after this one.
    GoAway,
}

/// What the server saw.
#[derive(Debug)]
pub(super) enum Event {
    /// A connection was made.
    Connected,
    /// A request came, whole.
    Asked(Box<http::request::Parts>, Bytes),
    /// The client reset a call.
    Reset(Reason),
}

/// A server that runs as long as the test.
pub(super) struct Peer {
    pub(super) address: SocketAddr,
    events: UnboundedReceiver<Event>,
}

impl Script {
    /// The headers of an answer that is gRPC, and what follows them.
    pub(super) fn grpc(rest: Vec<Piece>) -> Self {
        Self { status: 200, headers: vec![("content-type", "application/grpc")], rest }
    }
}

impl Peer {
    /// Serves the script in plain text.
    pub(super) async fn start(script: Script) -> Self {
        Self::start_with(script, None).await
    }

    /// Serves the script, in TLS where there is an acceptor.
    pub(super) async fn start_with(script: Script, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, events) = unbounded_channel();
        let script = Arc::new(script);
        tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                tokio::spawn(accept(tcp, tls.clone(), script.clone(), sender.clone()));
            }
        });
        Self { address, events }
    }

    /// The next thing that the server sees.
    pub(super) async fn event(&mut self) -> Event {
        let event = tokio::time::timeout(super::LONG, self.events.recv()).await;
        event.expect("the server sees something in time").expect("the server runs")
    }

    /// What the server has seen and nobody has asked for.
    pub(super) fn events_so_far(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.events.try_recv().ok()).collect()
    }
}

async fn accept(tcp: TcpStream, tls: Option<TlsAcceptor>, script: Arc<Script>, events: UnboundedSender<Event>) {
    match tls {
        None => serve(tcp, script, events).await,
        Some(tls) => {
            if let Ok(stream) = tls.accept(tcp).await {
                serve(stream, script, events).await;
            }
        }
    }
}

async fn serve<IO: AsyncRead + AsyncWrite + Unpin>(io: IO, script: Arc<Script>, events: UnboundedSender<Event>) {
    let Ok(mut connection) = h2::server::handshake(io).await else { return };
    let _ = events.send(Event::Connected);
    let (to_connection, mut orders) = unbounded_channel();
    loop {
        tokio::select! {
            request = connection.accept() => {
                let Some(Ok((request, respond))) = request else { return };
                tokio::spawn(answer(request, respond, script.clone(), events.clone(), to_connection.clone()));
            }
            order = orders.recv() => match order {
                Some(Piece::GoAway) => connection.graceful_shutdown(),
                _ => return,
            },
        }
    }
}

async fn answer(
    request: http::Request<RecvStream>,
    mut respond: SendResponse<Bytes>,
    script: Arc<Script>,
    events: UnboundedSender<Event>,
    to_connection: UnboundedSender<Piece>,
) {
    let (parts, mut body) = request.into_parts();
    let mut received = BytesMut::new();
    while let Some(Ok(chunk)) = body.data().await {
        let _ = body.flow_control().release_capacity(chunk.len());
        received.extend_from_slice(&chunk);
    }
    let _ = events.send(Event::Asked(Box::new(parts), received.freeze()));
    let mut response = http::Response::new(());
    *response.status_mut() = script.status.try_into().unwrap();
    *response.headers_mut() = header_map(&script.headers);
    let mut stream = respond.send_response(response, script.rest.is_empty()).unwrap();
    for piece in &script.rest {
        match piece {
            Piece::Data(bytes) => send(&mut stream, bytes.clone()).await,
            Piece::Trailers(trailers) => stream.send_trailers(header_map(trailers)).unwrap(),
            Piece::End => stream.send_data(Bytes::new(), true).unwrap(),
            Piece::Silence => report_reset(&mut stream, &events).await,
            Piece::Reset(reason) => stream.send_reset(*reason),
            Piece::HangUp | Piece::GoAway => {
                let _ = to_connection.send(piece.clone());
            }
        }
    }
}

/// Sends bytes as the client takes them; stops when it no longer does.
async fn send(stream: &mut SendStream<Bytes>, mut bytes: Bytes) {
    while !bytes.is_empty() {
        stream.reserve_capacity(bytes.len());
        let Some(Ok(capacity)) = poll_fn(|context| stream.poll_capacity(context)).await else { return };
        let chunk = bytes.split_to(capacity.min(bytes.len()));
        if stream.send_data(chunk, false).is_err() {
            return;
        }
    }
}

async fn report_reset(stream: &mut SendStream<Bytes>, events: &UnboundedSender<Event>) {
    if let Ok(reason) = poll_fn(|context| stream.poll_reset(context)).await {
        let _ = events.send(Event::Reset(reason));
    }
}

fn header_map(fields: &[(&'static str, &'static str)]) -> HeaderMap {
    let field =
        |(name, value): &(&'static str, &'static str)| (HeaderName::from_static(name), HeaderValue::from_static(value));
    fields.iter().map(field).collect()
}
