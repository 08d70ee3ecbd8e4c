#!/bin/sh
# Makes the virtual environments of the wrapper, one for each release of the SDK. 0: ready; 77: cannot be had.
set -u
cd "$(dirname "$0")" || exit 1
exec sh ../../tests/common/venv.sh "the wrapper of the Python SDK" "$PWD"
