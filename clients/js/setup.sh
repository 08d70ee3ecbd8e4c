#!/bin/sh
# Installs the JavaScript SDK beside this file, by the lock file. 0: ready; 77: cannot be had.
set -u
cd "$(dirname "$0")" || exit 1
exec sh ../../tests/common/npm.sh "the wrapper of the JavaScript SDK" "$PWD"
