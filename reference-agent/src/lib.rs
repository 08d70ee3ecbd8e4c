//! A complete A2A agent: the peer that keeps every requirement of the protocol.
//!
//! It serves A2A 1.0 and 0.3, each over JSON-RPC 2.0 and HTTP+JSON, both with server-sent events, and over gRPC, and
//! 0.2.5, 0.2.1, 0.1 and the proposal before it over JSON-RPC, each below a base of its own. The draft of 1.0 has such a
//! base, too, and all three bindings. Its answers are scripted: the first word of a message chooses what happens to the
//! task, so a test can bring it into any state of the protocol.
//!
//! Reading order, from the protocol's heart outwards:
//!
//! | module | what it knows | what it refuses to know |
//! |---|---|---|
//! | `model` | tasks, messages, artifacts and events, as A2A 1.0 defines them | JSON, protobuf |
//! | `core` | the operations, task life, streams, push delivery | versions' spellings, HTTP requests |
//! | `version` | how one protocol version writes the model as JSON and as protobuf messages | where they travel |
//! | `binding` | how they travel: envelopes, verbs and addresses, event streams, rpcs | what an operation does |
//! | `card` | the agent card | |
//! | `server` | HTTP routes, connections, start and stop | |
//! | `scripted` | agents that are scripted for one case each, for tests of clients | who asks |
//! | `fault` | ways of being wrong on purpose, laid around all this | |
//! | `variation` | legal ways in which agents differ, done by the same layer | |

mod binding;
mod card;
mod config;
mod core;
mod fault;
mod model;
pub mod scripted;
mod server;
mod variation;
mod version;

pub use binding::grpc::reads_over_grpc;
pub use binding::http_json::reads_over_http;
pub use binding::jsonrpc::reads;
pub use card::public_keys;
pub use config::{
    Capability, Config, Issuer, KeyPlace, NoIssuer, NoScheme, NoTenant, NoUser, Preset, RestDialect, Scheme, Standing,
    Tenant, Tls, UnknownCapability, UnknownRestDialect, UnknownUnshared, Unshared, User,
};
pub use fault::{Asked, Fault, NotComposed, Place, Switch, UnknownFault};
pub use server::{RunningAgent, start};
pub use variation::{UnknownVariation, Variation};
pub use version::{UnknownVersion, Version};
