//! Steps that come in another dress: with fields in their heads that few clients send, or under an unusual id of JSON-RPC. What depends on the
//! state of a task may depend on these, too, and what is lost of an answer only then is not seen where a request is made alone.

use super::aim::{Aim, side};
use super::envelope;
use super::headed::{fields, place_of};
use super::probe::{Probe, Send};
use crate::auth::Caller;
use crate::generate::Choices;
use crate::profile::Binding;

/// Classes of right calls; the last one says of what is asked for no more than that it is served or refused.
const CLASSES: [&str; 3] = ["plain-read", "right-message", OPEN];
const OPEN: &str = "open";

/// Dresses some of the calls, of one attempt in two. An agent may refuse what it does not take there.
pub(super) fn dress((aims, aim): (&[Aim], &Aim), steps: &mut [Probe], choices: &mut Choices<'_>) {
    if choices.below(2) == 0 {
        return;
    }
    for step in steps {
        let is_a_call = matches!(step.send, Send::Call { .. }) && step.by == Caller::Own;
        if !is_a_call || !CLASSES.contains(&step.class.as_str()) {
            continue;
        }
        let on = side(aims, aim, step.over);
        let is_jsonrpc = on.session.connection.interface.binding == Binding::Jsonrpc;
        match choices.below(4) {
            0 | 1 => continue,
            2 if is_jsonrpc => step.rpc_id = Some(envelope::id(&on.learned.numbers(), choices)),
            _ => {
                step.headers = fields(on, step.operation, choices);
                if let (Some(last), true) = (step.headers.last(), step.place.is_empty()) {
                    step.place = place_of(last);
                }
            }
        }
        OPEN.clone_into(&mut step.class);
    }
}
