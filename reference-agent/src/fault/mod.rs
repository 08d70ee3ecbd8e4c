//! Ways of being wrong on purpose, so that each check of the suite can be seen to fail.
//!
//! A *fault* is one named wrongness, declared in `faults.yaml`. Most of them are done to what goes in and out of the
//! right agent, by a layer around it: `layer` finds out what is asked, lets the agent answer, and changes requests,
//! answers and events as the fault says. What only the inside can get wrong is a [`Switch`], which `core` asks for at
//! the one place that it breaks. Without a fault the layer is not there at all.
//!
//! | module | what it knows |
//! |---|---|
//! | `data` | what a fault can say |
//! | `composed` | faults that are in no file: an effect times an operation |
//! | `asked` | which version, binding and operation a request is for, and its parameters |
//! | `carrier` | answers of each binding as JSON, and back |
//! | `objects`, `edit` | tasks, messages and so on within JSON, and changes to them |
//! | `place` | which request of a run it is, from one run to the next |
//! | `names` | where the oldest versions have what faults name |
//! | `errors` | the names of errors in each binding |
//! | `given` | answers in place of the agent's |
//! | `delivery` | changes to what is posted to webhooks |
//! | `events` | changes to the order and number of events |
//! | `hello` | agreeing on TLS that should be refused |
//! | `socket` | changes to bytes before they are a request |
//! | `writing` | other ways to write what the agent says |
//! | `layer` | the way of a request through all this |

mod asked;
mod carrier;
mod composed;
mod data;
mod delivery;
mod edit;
mod errors;
mod events;
mod given;
pub(crate) mod hello;
mod layer;
mod names;
mod objects;
mod place;
mod socket;
#[cfg(test)]
mod tests;
mod writing;

pub use asked::Asked;
pub use composed::NotComposed;
pub(crate) use data::{Edit, EventChange, GrpcChange, HttpChange, RequestChange, SocketChange, When};
pub use data::{Fault, Switch, UnknownFault};
pub(crate) use delivery::{DeliveryChange, Posted, change as change_delivery};
pub(crate) use edit::apply as apply_edit;
pub(crate) use layer::{Faults, apply};
pub use place::Place;
pub(crate) use socket::Sockets;
pub(crate) use writing::Writing;
