#!/bin/sh
# Installs the lines of the JavaScript SDK, each in a folder of its own beside this file: 0.3 and 1.0, by their lock files.
#
# Exit code 0: both are ready. 77: they cannot be had here (no suitable Node.js, no packages); one line on standard
# output says why, and the caller reports "not run". What is ready is recognised by a stamp, and costs no more than a hash.
set -u
cd "$(dirname "$0")" || exit 1

not_run() {
    echo "clients in JavaScript not run: $1"
    exit 77
}

node -e 'process.exit(process.versions.node.split(".")[0] < 20 ? 1 : 0)' 2>/dev/null || not_run "no Node.js 20 or later was found"
command -v npm >/dev/null || not_run "npm was not found"

# Two test runs may start at once; the second waits and finds everything installed.
if command -v flock >/dev/null; then
    exec 9>.setup.lock
    flock 9
fi
for line in 0.3 1.0; do
    stamp=$(cat "$line/package.json" "$line/package-lock.json" | cksum)-$(node --version)
    if [ "$(cat "$line/node_modules/.stamp" 2>/dev/null)" = "$stamp" ]; then
        continue
    fi
    log=.setup-$line.log
    # None of the packages needs a script of its own to be installed.
    (cd "$line" && npm ci --ignore-scripts --no-audit --no-fund) >"$log" 2>&1 ||
        not_run "the packages of $line/package-lock.json cannot be installed (see tests/clients/javascript/$log)"
    # Last, so that an interrupted installation is not taken for a finished one.
    echo "$stamp" >"$line/node_modules/.stamp"
done
