//! Draws bugs of an A2A agent at random, and measures what a fuzzer finds of them.
//!
//! A bench whose bugs are written by the authors of a fuzzer shows that the fuzzer goes through its own lists. Here nobody writes
//! them: a seed draws the place, the relation, the value and the effect of each ([`draw`]), a proxy in front of the reference agent
//! has it ([`proxy`]), a sender that knows it shows that it can be met ([`reach`]), and the fuzzer is started as a program that knows
//! nothing of it ([`hunt`]). The crate does not depend on `a2aspec`, nor `a2aspec` on it; `tests/apart.rs` checks that.

pub mod apply;
pub mod bug;
pub mod call;
pub mod chance;
pub mod client;
pub mod draw;
pub mod hold;
pub mod hunt;
pub mod memory;
pub mod pointer;
pub mod proxy;
pub mod reach;
pub mod report;
pub mod satisfy;
pub mod schema;
mod stream;
pub mod time;
pub mod value;
