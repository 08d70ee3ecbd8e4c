#!/bin/sh
# Installs the lines of the JavaScript SDK, each in a folder of its own beside this file: 0.3 and 1.0. 0: ready; 77: cannot be had.
set -u
cd "$(dirname "$0")" || exit 1
exec sh ../../common/npm.sh "clients in JavaScript" "$PWD/0.3" "$PWD/1.0"
