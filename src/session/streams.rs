//! Streams that are read to their end.

use std::time::Duration;

use super::Session;
use crate::transcript::{Answer, state_in};
use crate::transport::OpenStream;

/// How long a stream may stay silent once its task waits for the client. The specification lets the agent close the
/// stream there or keep it open (1.0 sections 3.1.2, 7.6.1 and 11.7), so the suite only makes sure that nothing follows
/// at once.
const GRACE: Duration = Duration::from_millis(300);

/// Reads a stream to its end, or until its task waits for the client and the agent has fallen silent.
pub(crate) async fn read_out(session: &Session, mut stream: OpenStream) -> Answer {
    let connection = &session.connection;
    let mut left_open = false;
    if stream.is_stream() {
        loop {
            let waits = stream
                .events()
                .iter()
                .rev()
                .find_map(|event| state_in(event.value()?))
                .is_some_and(|state| session.profile().is_interrupted(state));
            let event = connection.next(&mut stream, waits.then_some(GRACE)).await;
            if event.is_none() {
                left_open = waits && !stream.is_over();
                break;
            }
        }
    }
    connection.finish(stream, left_open).await
}
