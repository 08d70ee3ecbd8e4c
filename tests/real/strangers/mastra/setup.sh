#!/bin/sh
# Installs what the agent on Mastra needs beside this file. 0: ready; 77: cannot be had.
set -u
cd "$(dirname "$0")" || exit 1
exec sh ../../../common/npm.sh "agent on Mastra" "$PWD"
