#!/bin/sh
# Installs hadolint, a linter of Dockerfiles, beside this file. 0: ready, and the last line on standard output is its path; 77: cannot
# be had, with one line that says why.
set -u
cd "$(dirname "$0")" || exit 1
sh ../common/venv.sh hadolint "$PWD" || exit $?
echo "$PWD/.venv-hadolint/bin/hadolint"
