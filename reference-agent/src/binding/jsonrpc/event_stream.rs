//! Streams as server-sent events (section 9.4.2): each event is a JSON-RPC response with the id of the call.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;

use super::envelope::{Id, Response};
use crate::core::TaskStream;
use crate::version::Version;

/// How long a stream may be silent before a comment shows that it is alive (HTML standard, section 9.2.7).
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The body of a stream. Dropping it, because the client has gone, leaves the task alone (section 3.5.2).
pub fn body(events: TaskStream, id: Id, version: Version) -> Body {
    Body::from_stream(stream::unfold(events, move |mut events| {
        let id = id.clone();
        async move {
            let frame = match tokio::time::timeout(KEEP_ALIVE, events.next()).await {
                Err(_) => Bytes::from_static(b": still here\n\n"),
                Ok(next) => {
                    let (event, is_last) = next?;
                    frame(&Response::result(id, version.write_event(&event, is_last).ok()?))?
                }
            };
            Some((Ok::<Bytes, Infallible>(frame), events))
        }
    }))
}

/// One event. JSON written in compact form has no line breaks, so one line of data is enough.
fn frame(response: &Response) -> Option<Bytes> {
    let json = serde_json::to_string(response).ok()?;
    Some(format!("data: {json}\n\n").into())
}
