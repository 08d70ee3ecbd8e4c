//! Writes requests byte by byte.

use super::scope::Scope;
use crate::binding::CallRequest;
use crate::case::BytesCall;
use crate::judge::{Connected, Observation};
use crate::reason::Reason;
use crate::session::{Session, StepError, bytes::script};
use crate::transcript::{Ended, TransportError};

/// Sends what a step says; `call` is what the bytes are meant to be. `must_serve` tells whether the case is about nothing unless
/// the agent serves it.
pub(super) async fn converse(
    session: &Session,
    scope: &Scope<'_>,
    bytes: &BytesCall,
    call: CallRequest,
    must_serve: bool,
) -> Result<Observation, StepError> {
    let (number, meant) = session.write(call, bytes.call.invalid)?;
    let script = script((meant, session.connection.interface.binding), (&bytes.send, bytes.answers), scope)?;
    let (answers, interim, fate) = session.converse(number, &script).await;
    if let Some(Ended::Failed(error @ (TransportError::Tls(_) | TransportError::NotHttp1(_)))) =
        answers.first().map(|answer| &answer.exchange.ended)
        && must_serve
    {
        // Who speaks no HTTP/1.1 here, such as HTTP/2 alone, need not.
        return Err(StepError::Unreached(Reason::ConnectionLost { how: error.to_string() }));
    }
    Ok(Observation::Connection(Connected { answers, interim, fate }))
}
