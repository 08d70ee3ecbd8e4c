#!/bin/sh
# Makes the environment with the linters of pipelines and recipes beside this file. 0: ready; 77: cannot be had.
set -u
cd "$(dirname "$0")" || exit 1
exec sh ../../common/venv.sh "the linters of pipelines" "$PWD"
