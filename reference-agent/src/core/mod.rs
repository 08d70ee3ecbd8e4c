//! The agent itself: what each operation does (A2A 1.0, section 3), whatever version or binding asked for it.
//!
//! An [`Operation`] enters [`Engine::perform`], an [`Outcome`] or an [`Error`] leaves. The few points on which protocol
//! versions differ in behaviour, rather than in spelling, are the [`Rules`] that the caller brings along.

mod behaviour;
mod clock;
mod dialects;
mod digest;
mod echo;
mod engine;
mod error;
mod generations;
mod guard;
mod ids;
mod kit;
mod log;
mod marks;
mod operation;
mod order;
mod paging;
mod push;
mod send;
mod store;
mod stream;
mod tenants;
mod users;

pub use behaviour::Trigger;
pub use digest::fnv1a;
pub use echo::{ECHO_EXTENSION, Echo};
pub use engine::Engine;
pub use error::{Error, Unauthenticated, Violation};
pub use marks::{Samples, TIMESTAMP_EXTENSION, TRACEABILITY_EXTENSION};
pub use operation::{Answer, Caller, Notification, Operation, OperationName, Outcome, Rules};
pub use push::check_webhook;
pub use stream::TaskStream;
pub use tenants::Tenants;
pub use users::{Credential, Users};

/// Media types that a message part may have (section 4.1.6); the card declares them.
pub const INPUT_MODES: [&str; 4] = ["text/plain", "application/json", "application/octet-stream", "image/png"];

/// Media types that artifacts may have; the card declares them.
pub const OUTPUT_MODES: [&str; 3] = ["text/plain", "application/json", "image/png"];
