#!/usr/bin/env bash
# Builds the release preset and measures the promises of docs/architecture.md, in about 5 minutes.
#
#   scripts/bench.sh           a table
#   scripts/bench.sh --json    [{"promise", "value", "goal", "ok", "step_ns", "date", "commit"}]; step_ns: how fast the
#                              machine was, see bench/promises.py
#   --check                    exit status 1 when a promise is not kept
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for argument in "$@"; do
  case "$argument" in
    --json | --check) ;;
    *) die "unknown argument '$argument'; allowed: --json, --check" ;;
  esac
done
"$root/scripts/install-deps.sh" build run test
build release benchmarks -DLANESCOPE_TESTS=ON -DLANESCOPE_BENCH=ON
commit="$(commit_here)" status=0
said="$(mktemp)"
trap 'rm -f "$said"' EXIT
python3 "$root/bench/promises.py" "$root/build/release" "$@" </dev/null >"$said" || status=$?
[[ " $* " != *" --json "* ]] || stamp "$said" "$commit"
cat "$said"
exit "$status"
