#!/bin/sh
# Installs the packages of folders, each by its lock file: npm.sh WHAT FOLDER..
#
# Exit code 0: all are ready. 77: they cannot be had here (no suitable Node.js, no packages); one line on standard output
# says why that which is called WHAT is not run, and the caller reports it. What is ready is recognised by a stamp, and costs no
# more than a hash.
set -u
what=$1
shift

not_run() {
    echo "$what not run: $1"
    exit 77
}

node -e 'process.exit(process.versions.node.split(".")[0] < 20 ? 1 : 0)' 2>/dev/null || not_run "no Node.js 20 or later was found"
command -v npm >/dev/null || not_run "npm was not found"

for folder in "$@"; do
    cd "$folder" || exit 1
    # Two test runs may start at once; the second waits and finds everything installed.
    if command -v flock >/dev/null; then
        exec 9>.setup.lock
        flock 9
    fi
    stamp=$(cat package.json package-lock.json | cksum)-$(node --version)
    if [ "$(cat node_modules/.stamp 2>/dev/null)" = "$stamp" ]; then
        continue
    fi
    # None of the packages needs a script of its own to be installed.
    npm ci --ignore-scripts --no-audit --no-fund >.setup.log 2>&1 ||
        not_run "the packages of package-lock.json cannot be installed (see $folder/.setup.log)"
    # Last, so that an interrupted installation is not taken for a finished one.
    echo "$stamp" >node_modules/.stamp
done
