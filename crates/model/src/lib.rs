//! The nouns of a2aspec and the data that it carries. Nothing here connects to anything.
//!
//! [`profile`] knows each version of the protocol as data, [`case`] reads the checks and the requirements, and [`bundle`] holds
//! both. [`auth`] says which credentials go where, and [`secrets`] what of them is masked. A conversation is recorded as a
//! [`transcript`] between the suite and an [`interface`]; what was wrong with it is a [`finding`], why something was not seen a
//! [`reason`], and how a case came out a [`verdict`], each of which travels as an [`event`].

pub mod auth;
pub mod bundle;
pub mod case;
pub mod clock;
pub mod event;
pub mod extension;
pub mod files;
pub mod finding;
pub mod interface;
pub mod profile;
pub mod reason;
pub mod room;
pub mod secrets;
pub mod signature;
pub mod transcript;
mod typed_text;
pub mod verdict;

pub(crate) use a2aspec_wire::{self as wire, diagnostic, yaml};

#[cfg(test)]
mod vectors;
