#!/bin/sh
# Installs vitest and the compiler of TypeScript beside this file. 0: ready; 77: cannot be had.
set -u
cd "$(dirname "$0")" || exit 1
exec sh ../../common/npm.sh "the npm package" "$PWD"
