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
options=(-DLANESCOPE_TESTS=ON -DLANESCOPE_WERROR=ON)
# In release each source of the program is compiled alone, as users compile it.
case "$preset" in
  release | debug) options+=(-DLANESCOPE_BENCH=ON "-DLANESCOPE_UNITY=tests") ;;
  asan | tsan) options+=(-DLANESCOPE_BENCH=OFF "-DLANESCOPE_UNITY=modules;tests") ;;
  *) die "'$preset' is not a preset; allowed: release, debug, asan, tsan" ;;
esac

"$root/scripts/install-deps.sh" build run test
build "$preset" all "${options[@]}"

# GCC 12's ThreadSanitizer does not start if the kernel randomises addresses more than it expects.
launcher=()
if [ "$preset" = tsan ] && setarch "$(uname -m)" -R true 2>/dev/null; then
  launcher=(setarch "$(uname -m)" -R)
fi
say "testing build/$preset"
cd "$root"
"${launcher[@]}" ctest --preset "$preset" "$@" </dev/null
