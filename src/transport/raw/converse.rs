//! Plays a script.

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, ReadHalf, WriteHalf};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use super::reader::Reader;
use super::{Conversation, Duplex, Move, Part, Script};
use crate::auth::Header;
use crate::binding::Outgoing;
use crate::transcript::{Ended, Fate, Request, TransportError};
use crate::transport::http::Http;

/// How far each side of a conversation is.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    /// Answers that are complete.
    complete: usize,
    /// Whether nothing more can come.
    is_over: bool,
    /// Whether all moves are made.
    is_played: bool,
    /// Bytes that have been written.
    written: usize,
}

/// How a connection is to be given up.
enum Leave {
    Close,
    Reset,
}

impl Http {
    /// Plays a script over a connection of its own, and reads what comes: until there are as many answers as it waits for, the
    /// agent closes the connection, or the time limit is over, which begins anew after the pauses of the script. The first
    /// answer has the number `number`.
    pub async fn converse(&self, number: u64, script: &Script) -> Conversation {
        let held = self.may_go(&script.meant.url).await;
        let credentials = self.headers_for(&script.meant.url);
        let request = recorded(&script.meant, &script.moves, &credentials);
        let mut received = Reader::new(self, number, request, script);
        if let Err(ended) = held {
            received.end(ended);
            return finish(received, 0, Fate::Unreadable);
        }
        let limit = self.timeout();
        let deadline = Instant::now() + script.pauses() + limit;
        let dialed = tokio::time::timeout(limit, self.dial(&script.meant.url)).await;
        let stream = match dialed.unwrap_or(Err(Ended::TimedOut(limit))) {
            Ok(stream) => stream,
            Err(ended) => {
                received.end(ended);
                return finish(received, 0, Fate::Unreadable);
            }
        };
        let (mut reader, mut writer) = tokio::io::split(stream);
        let progress = watch::Sender::new(Progress::default());
        let (fate, leave) = tokio::select! {
            // What has come is read before anything else is done.
            biased;
            fate = read(&mut reader, &mut received, script, &progress) => (Some(fate), None),
            leave = play(&mut writer, script, &credentials, &progress) => (None, Some(leave)),
            () = sleep_until(deadline) => (None, None),
        };
        let fate = match (fate, &leave) {
            (Some(fate), _) => fate,
            (None, Some(_)) => {
                received.end(Ended::HungUp);
                Fate::Open
            }
            (None, None) => {
                received.end(Ended::TimedOut(limit));
                Fate::Open
            }
        };
        let written = progress.borrow().written;
        let mut stream = reader.unsplit(writer);
        if matches!(leave, Some(Leave::Reset)) {
            stream.reset_on_drop();
        }
        drop(stream);
        finish(received, written, fate)
    }
}

fn finish(received: Reader<'_>, written: usize, fate: Fate) -> Conversation {
    let (answers, interim) = received.into_answers();
    Conversation { answers, interim, written, fate }
}

/// Reads what comes; says what the connection came to once nothing more is waited for.
async fn read(
    reader: &mut ReadHalf<Box<dyn Duplex>>,
    received: &mut Reader<'_>,
    script: &Script,
    progress: &watch::Sender<Progress>,
) -> Fate {
    let mut played = progress.subscribe();
    let mut buffer = BytesMut::zeroed(script.reading.piece.max(1));
    let fate = loop {
        let is_enough = received.complete() >= script.answers;
        if is_enough && progress.borrow().is_played {
            break Fate::Open;
        }
        if !script.reading.pause.is_zero() {
            sleep(script.reading.pause).await;
        }
        let size = tokio::select! {
            biased;
            size = reader.read(&mut buffer) => size,
            _ = played.wait_for(|progress| progress.is_played), if is_enough => continue,
        };
        match size {
            Ok(0) => break received.close(),
            Ok(size) => {
                if let Some(fate) = received.take(&buffer[..size]).await {
                    break fate;
                }
                progress.send_modify(|progress| progress.complete = received.complete());
            }
            // TLS that ends without a `close_notify` is a connection that was lost, too.
            Err(_) => {
                received.end(Ended::Failed(TransportError::Reset));
                break Fate::Reset;
            }
        }
    };
    progress.send_modify(|progress| progress.is_over = true);
    fate
}

/// Makes the moves; comes back only where the connection is to be given up.
async fn play(
    writer: &mut WriteHalf<Box<dyn Duplex>>,
    script: &Script,
    credentials: &[Header],
    progress: &watch::Sender<Progress>,
) -> Leave {
    // Whoever does not want to read all has a reason, which the other side of the connection tells.
    let mut can_write = true;
    for one in &script.moves {
        match one {
            Move::Send(_) | Move::Drip { .. } if !can_write => {}
            Move::Send(parts) => {
                let bytes = joined(parts, credentials);
                can_write = write(writer, &bytes, progress).await;
            }
            Move::Drip { parts, size, pause } => {
                for piece in joined(parts, credentials).chunks((*size).max(1)) {
                    can_write = can_write && write(writer, piece, progress).await;
                    sleep(*pause).await;
                }
            }
            Move::Pause(pause) => sleep(*pause).await,
            Move::Await(answers) => {
                let mut heard = progress.subscribe();
                let _ = heard.wait_for(|progress| progress.complete >= *answers || progress.is_over).await;
            }
            Move::HalfClose => {
                let _ = writer.shutdown().await;
                can_write = false;
            }
            Move::Close => return Leave::Close,
            Move::Reset => return Leave::Reset,
        }
    }
    progress.send_modify(|progress| progress.is_played = true);
    std::future::pending().await
}

/// Writes all of these bytes; `false` where the connection takes no more.
async fn write(writer: &mut WriteHalf<Box<dyn Duplex>>, bytes: &[u8], progress: &watch::Sender<Progress>) -> bool {
    let mut rest = bytes;
    while !rest.is_empty() {
        match writer.write(rest).await {
            Ok(size @ 1..) => {
                rest = rest.get(size..).unwrap_or_default();
                progress.send_modify(|progress| progress.written += size);
            }
            _ => return false,
        }
    }
    writer.flush().await.is_ok()
}

/// The bytes of some parts.
fn joined(parts: &[Part], credentials: &[Header]) -> Bytes {
    parts.iter().flat_map(|part| part.bytes(credentials)).collect()
}

/// The record of what is written: credentials by name only.
fn recorded(meant: &Outgoing, moves: &[Move], credentials: &[Header]) -> Request {
    let masked: Vec<Header> = credentials.iter().map(|(name, _)| (name.clone(), "***".to_owned())).collect();
    let parts: Vec<Part> = moves.iter().flat_map(Move::parts).cloned().collect();
    let body = joined(&parts, &masked);
    Request {
        method: meant.method.clone(),
        url: meant.url.clone(),
        headers: Vec::new(),
        body,
        is_verbatim: true,
        operation: meant.operation,
        params: meant.params.clone(),
        rpc_id: meant.rpc_id.clone(),
    }
}
