#!/bin/sh
# Builds the wrapper of the Rust SDK, by the lock file. 0: ready; 77: cannot be had.
set -u
cd "$(dirname "$0")" || exit 1
exec sh ../../tests/common/cargo.sh "the wrapper of the Rust SDK" "$PWD"
