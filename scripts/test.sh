#!/usr/bin/env bash
# Installs missing packages, builds, and runs all tests.
#
#   scripts/test.sh [release|debug|asan|tsan] [ctest options...]     default: release, with the benchmarks built too
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

preset=release
if [ "$#" -gt 0 ] && [[ "$1" != -* ]]; then
  preset="$1"
  shift
fi
purposes=(build run test)
case "$preset" in
  release | debug) options=(-DLANESCOPE_TESTS=ON -DLANESCOPE_BENCH=ON) ;;
  asan | tsan) options=("${sanitizer_options[@]}") purposes+=(sanitizers) ;;
  *) die "'$preset' is not a preset; allowed: release, debug, asan, tsan" ;;
esac

"$root/scripts/install-deps.sh" "${purposes[@]}"
build "$preset" all "${options[@]}"

say "testing build/$preset"
cd "$root"
ctest --preset "$preset" "$@" </dev/null
