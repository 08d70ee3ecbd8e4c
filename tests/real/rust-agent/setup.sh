#!/bin/sh
# Builds the agent on the Rust crates: target/debug/rust-agent beside this file. 0: ready; 77: cannot be had.
set -u
cd "$(dirname "$0")" || exit 1
exec sh ../../common/cargo.sh "agent on the Rust crates" "$PWD"
