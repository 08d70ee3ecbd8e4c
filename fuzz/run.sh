#!/bin/sh
# Runs every fuzz target for so many seconds (60 unless another number is given), seeded by `a2aspec corpus`.
# It needs cargo-fuzz (`cargo install cargo-fuzz`) and a C++ compiler; stable Rust will do, without a sanitizer.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
seeds=$(mktemp -d)
trap 'rm -rf "$seeds"' EXIT
failed=""
cargo run -q -- corpus "$seeds/corpus" --profile 1.0 --profile 0.3 > /dev/null
for target in $(cargo fuzz list); do
    case $target in
        json) from="json" ;;
        sse) from="sse" ;;
        agent) from="request" ;;
        envelope) from="envelope request" ;;
        card | signature) from="1.0/card 0.3/card" ;;
        frames) from="grpc" ;;
        *) from="" ;;
    esac
    folders=""
    for folder in $from; do folders="$folders $seeds/corpus/$folder"; done
    # Texts that others have collected, where they are at hand.
    if [ "$target" = json ] && [ -d ../shared/vectors/json-parsing/test_parsing ]; then
        folders="$folders ../shared/vectors/json-parsing/test_parsing"
    fi
    mkdir -p "fuzz/corpus/$target" "fuzz/regressions/$target"
    echo "== $target: $seconds s"
    # shellcheck disable=SC2086
    cargo fuzz run -s none "$target" "fuzz/corpus/$target" "fuzz/regressions/$target" $folders -- \
        -max_total_time="$seconds" -max_len=65536 -timeout=10 -verbosity=0 -print_final_stats=1 ||
        failed="$failed $target"
done
# What one target finds says nothing of the others.
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
