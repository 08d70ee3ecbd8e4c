#!/bin/sh
# Builds the programs of a package by its lock file, into its folder target/debug: cargo.sh WHAT FOLDER
#
# The folder is named as the package is. Exit code 0: it is ready. 77: it cannot be had here (the crates can neither be fetched nor
# built); one line on standard output says why that which is called WHAT is not run, and the caller reports it. What is ready costs
# two looks of cargo, and no network.
set -u
what=$1
cd "$2" || exit 1

not_run() {
    echo "$what not run: $1"
    exit 77
}

# The one that runs the test, where cargo does.
cargo=${CARGO:-cargo}
host=$("$cargo" -vV 2>/dev/null | sed -n 's/^host: //p')
[ -n "$host" ] || not_run "there is no cargo"

mkdir -p target
log=target/setup.log
"$cargo" fetch --locked --target "$host" >"$log" 2>&1 ||
    not_run "the crates cannot be fetched (see $PWD/$log)"
# A folder of its own, whatever the environment says: the project's build neither pays for this nor waits for it.
"$cargo" build --locked --offline --target-dir target >"$log" 2>&1 && exit 0

# A mistake of ours is no reason to leave it out.
if grep -q "could not compile \`$(basename "$PWD")\`" "$log"; then
    cat "$log" >&2
    exit 1
fi
not_run "the crates cannot be built (see $PWD/$log)"
