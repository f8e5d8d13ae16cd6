#!/usr/bin/env bash
# Runs the whole release suite again and again, the last runs with other load on every CPU: a test that passes only sometimes
# is found here.
#
#   scripts/repeat.sh [RUNS [LOADED]]    default: 10 runs, the last 2 of them loaded; build/repeats.json says how they ended
#   scripts/repeat.sh 4-10 2             the fourth to the tenth of them: all of them take hours
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

runs="${1:-10}" loaded="${2:-2}" first=1
[[ "$runs" =~ ^([1-9][0-9]{0,3})-([1-9][0-9]{0,3})$ ]] && first="${BASH_REMATCH[1]}" runs="${BASH_REMATCH[2]}"
[[ "$runs" =~ ^[1-9][0-9]{0,3}$ && "$first" -le "$runs" && "$loaded" =~ ^[0-9]{1,4}$ && "$loaded" -le "$runs" ]] ||
  die "usage: repeat.sh [RUNS [LOADED]]; RUNS: 1 to 9999, or two of them as 4-10; LOADED: at most RUNS"
"$root/scripts/test.sh" release -N >/dev/null
"$root/scripts/install-deps.sh" load
rows=() failed=0 commit="$(commit_here)"
for ((run = first; run <= runs; ++run)); do
  name="$run" load=''
  if [ "$run" -gt $((runs - loaded)) ]; then
    name="$run, loaded"
    stress-ng --quiet --cpu "$(nproc)" --timeout 0 </dev/null >/dev/null 2>&1 &
    load=$!
  fi
  say "run $name"
  begin=$SECONDS result=passed
  if ! (cd "$root" && ctest --preset release </dev/null >"$root/build/repeat-$run.log" 2>&1); then
    result="failed: $(sed -nE 's/^[[:space:]]*[0-9]+ - ([a-z_0-9]+) \(.*/\1/p' "$root/build/repeat-$run.log" | paste -sd' ')"
    failed=1
  fi
  [ -z "$load" ] || { kill "$load"; wait "$load" 2>/dev/null || true; }
  say "$result in $((SECONDS - begin)) s"
  rows+=("{\"run\": \"$name\", \"seconds\": $((SECONDS - begin)), \"result\": \"$result\"}")
  (IFS=,; printf '[%s]\n' "${rows[*]}") >"$root/build/repeats.json"
  stamp "$root/build/repeats.json" "$commit"
done
exit "$failed"
