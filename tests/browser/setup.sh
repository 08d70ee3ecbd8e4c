#!/bin/sh
# Makes ready what pages are opened with: Chromium of the system, and beside this file what drives it. 0: ready, and the last line on
# standard output is the path of the browser; 77: cannot be had, with one line that says why.
set -u
cd "$(dirname "$0")" || exit 1
sh ../common/npm.sh browser "$PWD" || exit $?

find_browser() {
    for candidate in ${CHROMIUM:-} chromium chromium-browser google-chrome-stable google-chrome; do
        command -v "$candidate" && return
    done
    return 1
}

install_browser() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    # The lists of packages may be missing or old.
    DEBIAN_FRONTEND=noninteractive
    export DEBIAN_FRONTEND
    {
        apt-get install -y --no-install-recommends chromium ||
            { apt-get update && apt-get install -y --no-install-recommends chromium; }
    } >.setup-chromium.log 2>&1
}

find_browser && exit
install_browser
find_browser && exit
echo "browser not run: no Chromium was found, and it cannot be installed here"
exit 77
