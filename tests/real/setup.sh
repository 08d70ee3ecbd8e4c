#!/bin/sh
# Makes the virtual environments in which the agents in Python run, one for each profile: .venv-1.0 and so on beside this
# file. 0: ready; 77: cannot be had.
set -u
cd "$(dirname "$0")" || exit 1
exec sh ../common/venv.sh "agents in Python" "$PWD"
