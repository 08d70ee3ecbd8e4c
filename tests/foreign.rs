//! What this project writes, read by tools that are not its own: pages by a browser, reports by validators, the Dockerfile by a linter.
//!
//! Each needs programs from elsewhere, which `setup.sh` of `tests/browser`, `tests/validators` and `tests/dockerfile` make ready. Where
//! they cannot be had, a line says so.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::agent;
use crate::common::browser;
#[path = "foreign/container.rs"]
mod container;
use crate::common::deadline;
#[path = "foreign/formats.rs"]
mod formats;
#[path = "foreign/pages.rs"]
mod pages;
use crate::common::program;
#[path = "foreign/reports.rs"]
mod reports;
use crate::common::tools;
#[cfg(unix)]
#[path = "foreign/ui.rs"]
mod ui;
