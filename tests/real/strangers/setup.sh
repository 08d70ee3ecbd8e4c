#!/bin/sh
# Makes the virtual environments in which the strangers in Python run, one for each: .venv-NAME beside this file. 0: ready;
# 77: cannot be had.
set -u
cd "$(dirname "$0")" || exit 1
exec sh ../../common/venv.sh "strangers in Python" "$PWD"
