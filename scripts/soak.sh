#!/usr/bin/env bash
# Builds bench/soak.cpp and lets a window run for long on a virtual display: does it stay as fast and as large as it was, and is
# everything accounted for?
#
#   scripts/soak.sh [PART...]    live, attached, churn; default: all, one after the other
#   --minutes N                  of live and of attached (default: 60)
#
# build/soak-PART.json says how a part ended: [{"check", "value", "goal", "ok", "date", "commit"}]. Exit status 1 if a check
# fails.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

minutes=60 parts=()
while [ "$#" -gt 0 ]; do
  case "$1" in
    --minutes)
      [ "$#" -gt 1 ] || die "$1 needs a value"
      minutes="$2"
      shift
      ;;
    live | attached | churn) parts+=("$1") ;;
    *) die "unknown argument '$1'; allowed: --minutes N, live, attached, churn" ;;
  esac
  shift
done
[ "${#parts[@]}" -gt 0 ] || parts=(churn live attached)
"$root/scripts/install-deps.sh" build run test
build release soak -DLANESCOPE_TESTS=ON -DLANESCOPE_BENCH=ON
commit="$(commit_here)" failed=0
for part in "${parts[@]}"; do
  say "soak: $part"
  json="$root/build/soak-$part.json"
  rm -f "$json"
  xvfb-run -a -s "-screen 0 1920x1200x24" "$root/build/release/bench/soak" --minutes "$minutes" --json "$json" "$part" \
    </dev/null || failed=1
  [ ! -f "$json" ] || stamp "$json" "$commit"
done
exit "$failed"
