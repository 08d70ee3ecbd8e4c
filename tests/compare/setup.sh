#!/bin/sh
# Installs the proxies beside this file. 0: ready; 77: cannot be had.
set -u
cd "$(dirname "$0")" || exit 1
exec sh ../common/npm.sh proxies "$PWD/http-proxy"
