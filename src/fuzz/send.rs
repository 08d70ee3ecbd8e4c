//! How a request is sent, and its answer read.

use std::time::Duration;

use futures_util::FutureExt as _;

use super::probe::{Reading, Ready};
use crate::session::Session;
use crate::session::streams::read_out;
use crate::transcript::Answer;
use crate::transport::OpenStream;

/// How long a stream may be silent between two events before it is left.
const BETWEEN_EVENTS: Duration = Duration::from_millis(100);

/// Sends it, and tells what came of it; with the stream that is held open, where it is one.
pub(super) async fn send(session: &Session, ready: Ready) -> Option<(Answer, Option<OpenStream>)> {
    let (answer, held) = match ready {
        Ready::Call(call, Reading::Held(events)) if call.operation.streams() => {
            let connection = &session.connection;
            let mut stream = connection.open(&call).boxed().await;
            let is_stream = stream.is_stream();
            while is_stream && stream.events().len() < events && connection.next(&mut stream, None).await.is_some() {}
            match is_stream && !stream.is_over() {
                true => (Some(stream.so_far(connection)), Some(stream)),
                false => (Some(connection.finish(stream, false).boxed().await), None),
            }
        }
        ready => (answer(session, ready).await, None),
    };
    answer.iter().for_each(|answer| session.tell(answer));
    answer.map(|answer| (answer, held))
}

/// Sends it. A stream is read as long as it goes on; who waits for more work is left alone.
async fn answer(session: &Session, ready: Ready) -> Option<Answer> {
    Some(match ready {
        Ready::Bytes(number, script) => {
            let (answers, ..) = session.connection.converse(number, &script).boxed().await;
            return answers.into_iter().next();
        }
        Ready::Call(call, Reading::Whole) if call.operation.streams() => {
            let stream = session.connection.open(&call).boxed().await;
            read_out(session, stream).boxed().await
        }
        Ready::Call(call, reading) if call.operation.streams() => {
            let connection = &session.connection;
            let mut stream = connection.open(&call).boxed().await;
            let is_stream = stream.is_stream();
            // What is no stream is read to its end below, and the first event may take as long as any answer.
            let mut patience = None;
            let mut is_left = false;
            while is_stream && !is_left && connection.next(&mut stream, patience).await.is_some() {
                is_left = matches!(reading, Reading::Left(after) if stream.events().len() >= after);
                // Who leaves after some events waits for them.
                patience = (reading == Reading::Brief).then_some(BETWEEN_EVENTS);
            }
            let left_open = is_stream && !is_left && !stream.is_over();
            connection.finish(stream, left_open).boxed().await
        }
        Ready::Call(call, _) => session.connection.call(&call).boxed().await,
        Ready::Raw(raw) => session.connection.raw(raw).boxed().await,
    })
}
