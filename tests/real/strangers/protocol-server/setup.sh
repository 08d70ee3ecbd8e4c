#!/bin/sh
# Builds the agent on a2a-protocol-server: target/debug/protocol-server beside this file. 0: ready; 77: cannot be had.
set -u
cd "$(dirname "$0")" || exit 1
exec sh ../../../common/cargo.sh "agent on a2a-protocol-server" "$PWD"
