//! What is kept of the exchanges of a case: a large answer takes the room of others as long as it is held, so that only its beginning
//! is.

use std::sync::Arc;

use bytes::Bytes;

use crate::transcript::Exchange;

/// The most bytes of a body that are kept, and that the page gets.
pub(super) const LONGEST: usize = 256 << 10;

/// An exchange as it is kept.
pub(super) fn kept(exchange: &Arc<Exchange>) -> Arc<Exchange> {
    if exchange.share.is_none() {
        return Arc::clone(exchange);
    }
    let mut short = Exchange { share: None, ..(**exchange).clone() };
    short.request.body = beginning(&short.request.body);
    if let Some(response) = &mut short.response {
        response.body = beginning(&response.body);
        if let Some(text) = &mut response.text {
            text.truncate(text.floor_char_boundary(LONGEST));
            text.shrink_to_fit();
        }
    }
    Arc::new(short)
}

/// Bytes of their own: a part of others would keep all of these.
fn beginning(bytes: &Bytes) -> Bytes {
    Bytes::copy_from_slice(bytes.get(..LONGEST).unwrap_or(bytes))
}
