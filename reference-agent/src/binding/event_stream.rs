//! Streams as server-sent events (sections 9.4.2 and 11.7).

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;

use crate::core::TaskStream;
use crate::model::StreamEvent;

/// How long a stream may be silent before a comment shows that it is alive (HTML standard, section 9.2.7).
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The response whose body is a stream. `write` makes the JSON of an event; the flag says whether it is the last one.
/// JSON written in compact form has no line breaks, so one line of data is enough.
///
/// Dropping the body, because the client has gone, leaves the task alone (section 3.5.2).
pub fn respond(
    events: TaskStream,
    write: impl Fn(&StreamEvent, bool) -> serde_json::Result<String> + Clone + Send + 'static,
) -> Response {
    let frames = stream::unfold(events, move |mut events| {
        let write = write.clone();
        async move {
            let frame = match tokio::time::timeout(KEEP_ALIVE, events.next()).await {
                Err(_) => Bytes::from_static(b": still here\n\n"),
                Ok(next) => {
                    let (event, is_last) = next?;
                    format!("data: {}\n\n", write(&event, is_last).ok()?).into()
                }
            };
            Some((Ok::<Bytes, Infallible>(frame), events))
        }
    });
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
    (headers, Body::from_stream(frames)).into_response()
}
