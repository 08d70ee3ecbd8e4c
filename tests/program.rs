//! The program as a whole: its help, its reports, and what must hold of them whatever the agent does.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[cfg(unix)]
#[path = "program/action.rs"]
mod action;
#[path = "program/acts.rs"]
mod acts;
use crate::common::agent;
#[path = "program/baselines.rs"]
mod baselines;
#[path = "program/below.rs"]
mod below;
#[path = "program/agent.rs"]
mod bundled_agent;
#[path = "program/cards.rs"]
mod cards;
#[path = "program/census.rs"]
mod census;
#[path = "program/claims.rs"]
mod claims;
#[path = "program/conditions.rs"]
mod conditions;
#[path = "program/dry_run.rs"]
mod dry_run;
#[path = "program/growth.rs"]
mod growth;
#[path = "program/grpc.rs"]
mod grpc;
#[path = "program/help.rs"]
mod help;
#[path = "program/identities.rs"]
mod identities;
#[path = "program/init.rs"]
mod init;
#[cfg(unix)]
#[path = "program/interrupt.rs"]
mod interrupt;
use crate::common::issuer;
#[path = "program/judge.rs"]
mod judge;
#[path = "program/lists.rs"]
mod lists;
#[path = "program/long_secrets.rs"]
mod long_secrets;
#[path = "program/memory.rs"]
mod memory;
#[path = "program/minimal.rs"]
mod minimal;
#[path = "program/mutual_tls.rs"]
mod mutual_tls;
#[path = "program/named_interface.rs"]
mod named_interface;
#[path = "program/near_misses.rs"]
mod near_misses;
#[path = "program/oauth.rs"]
mod oauth;
#[path = "program/one_by_one.rs"]
mod one_by_one;
#[path = "program/origins.rs"]
mod origins;
#[path = "program/other_reading.rs"]
mod other_reading;
#[cfg(unix)]
#[path = "program/outputs.rs"]
mod outputs;
#[path = "program/overwhelmed.rs"]
mod overwhelmed;
use crate::common::program;
#[path = "program/parts.rs"]
mod parts;
#[path = "program/proxies.rs"]
mod proxies;
use crate::common::proxy;
#[path = "program/renamed.rs"]
mod renamed;
#[path = "program/replay.rs"]
mod replay;
#[path = "program/replicas.rs"]
mod replicas;
#[path = "program/reports.rs"]
mod reports;
#[cfg(unix)]
#[path = "program/restarts.rs"]
mod restarts;
use crate::common::rerun;
#[path = "program/reruns.rs"]
mod reruns;
#[path = "program/retry.rs"]
mod retry;
#[path = "program/schemes.rs"]
mod schemes;
#[path = "program/secret_ways.rs"]
mod secret_ways;
#[path = "program/secrets.rs"]
mod secrets;
#[path = "program/sets.rs"]
mod sets;
use crate::common::snapshot;
use crate::common::stock;
#[path = "program/tenants.rs"]
mod tenants;
#[path = "program/terminal.rs"]
mod terminal;
#[path = "program/tls.rs"]
mod tls;
#[cfg(unix)]
#[path = "program/trust.rs"]
mod trust;
#[cfg(unix)]
#[path = "program/ui.rs"]
mod ui;
#[path = "program/undone.rs"]
mod undone;
use crate::common::vectors;
#[path = "program/verbatim.rs"]
mod verbatim;
#[cfg(unix)]
#[path = "program/watch.rs"]
mod watch;
#[path = "program/webhooks.rs"]
mod webhooks;
