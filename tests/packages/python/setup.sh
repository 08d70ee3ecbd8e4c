#!/bin/sh
# Makes the environment with maturin, pytest and mypy beside this file. 0: ready; 77: cannot be had.
set -u
cd "$(dirname "$0")" || exit 1
exec sh ../../common/venv.sh "the Python package" "$PWD"
