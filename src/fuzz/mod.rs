//! The fuzzer: the other scheduler over a session, beside `run`.
//!
//! Enters: sessions over the interfaces of an agent, the cases that judge everything that a run sees, a budget. Leaves:
//! [`Found`], what is wrong with the agent, one for each cause, each as small as it could be made and written as a case that
//! anybody can run again.
//!
//! Every request is made of choices ([`crate::generate::Choices`]), changed in ways whose right outcomes are known
//! ([`class`]), and judged by the judge of the cases. So nothing is said of an agent here that a case does not say.

mod across;
mod aim;
mod base;
mod bisect;
mod bucket;
mod bytes;
mod change;
mod changed;
pub mod class;
mod crowd;
mod dressed;
mod ended;
mod envelope;
mod feedback;
mod frames;
mod free;
mod generated;
mod growth;
mod headed;
mod health;
mod http2;
mod hunt;
mod ids;
mod inbox;
mod kept;
mod learned;
mod level;
mod lists;
mod masked;
mod other;
mod others;
mod pages;
mod pool;
mod posted;
mod probe;
mod repeats;
mod request;
mod send;
mod shrink;
mod spelling;
mod spoken;
mod spoken_otherwise;
mod steps;
mod streams;
mod transport;
mod usual;
mod varied;
mod walk;
mod watch;
mod webhooks;
mod write;

pub use bucket::Found;
pub use growth::Growth;
pub use hunt::{AFTER, Budget, Hunted, Phase, Progress, hunt};
pub use write::{as_bytes, comments, entry, file, without_request};
