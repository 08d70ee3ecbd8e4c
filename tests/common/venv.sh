#!/bin/sh
# Makes the virtual environments of a folder: .venv-NAME for each of its requirements-NAME.txt: venv.sh WHAT FOLDER
#
# Exit code 0: all are ready. 77: they cannot be had here (no suitable Python, no
# packages); one line on standard output says why that which is called WHAT is not run, and the caller reports it.
# Ready environments are recognised by a stamp and cost no more than a hash.
set -u
what=$1
cd "$2" || exit 1

not_run() {
    echo "$what not run: $1"
    exit 77
}

find_python() {
    for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 python3.10; do
        # Some systems ship Python without the parts that make environments.
        if "$candidate" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
}

# What an environment was made from: the requirements and the interpreter.
stamp_of() {
    "$python" -c 'import hashlib, sys
print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest(), sys.version.split()[0])' "$1"
}

make_environment() {
    environment=.venv-$1
    requirements=requirements-$1.txt
    stamp=$(stamp_of "$requirements")
    if [ -f "$environment/stamp" ] && [ "$(cat "$environment/stamp")" = "$stamp" ]; then
        return
    fi
    rm -rf "$environment"
    log=.venv-$1.log
    "$python" -m venv "$environment" >"$log" 2>&1 ||
        not_run "$python cannot make a virtual environment (see $log)"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
        --retries 3 --timeout 30 -r "$requirements" >"$log" 2>&1 ||
        not_run "the packages of $requirements cannot be installed (see $log)"
    # Last, so that an interrupted installation is not taken for a finished one.
    echo "$stamp" >"$environment/stamp"
}

python=$(find_python)
[ -n "$python" ] || not_run "no Python 3.10 or later with venv was found"

# Two test runs may start at once; the second waits and finds everything made.
if command -v flock >/dev/null; then
    exec 9>.venv.lock
    flock 9
fi
for requirements in requirements-*.txt; do
    version=${requirements#requirements-}
    make_environment "${version%.txt}"
done
