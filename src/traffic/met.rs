//! A recorded request as the judge of clients reads it.

use std::sync::Arc;

use url::Url;

use crate::case::visit::Behind;
use crate::interface::Interface;
use crate::judge::visit::read::{Incoming, read_in};
use crate::judge::visit::{Met, What, document};
use crate::transcript::Exchange;

/// The request of an exchange with an interface, whose URL this follows in the path.
pub(super) fn met(interface: &Interface, suffix: &str, exchange: Arc<Exchange>) -> Met {
    let request = &exchange.request;
    let url = Url::parse(&request.url).ok();
    let query = url.as_ref().and_then(Url::query);
    let incoming = Incoming { method: &request.method, suffix, query, body: &request.body };
    let call = read_in(&interface.profile, Some(&interface.dialect), interface.binding, incoming);
    // Its place among the requests, and whether the client left, are not for what holds of every request.
    let document = document(&exchange, &request.params, &call.rpc, suffix, (1, false));
    Met {
        what: request.operation.map_or(What::Unknown, What::Operation),
        place: None,
        is: Behind::Served,
        document,
        base: call.base,
        exchange,
    }
}
