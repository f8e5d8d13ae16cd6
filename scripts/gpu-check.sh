#!/usr/bin/env bash
# Checks and measures the CUDA device and its capture on a machine with a GPU, in under 8 minutes.
#
#   scripts/gpu-check.sh [OUT]     default: out/gpu-check. Writes OUT/gpu-check.json, OUT/profile.toml, OUT/experiments
#                                     and small traces.
#
# Uses the programs in the folder that LANESCOPE_BUILD names, or those beside this script, or those of build/server, which it
# builds if necessary. The server build can therefore be copied to a machine where nothing can be installed:
#   cmake --preset server && cmake --build --preset server
#   tar -C build/server -cz lanescope lanescope-gpu-check liblanescope_cuda.so tests/gpu/gpu_tests | ssh gpu tar -xz
# LANESCOPE_ROUNDS: processes per capture level (3); LANESCOPE_SOAK: duration of the soak test in seconds (20).
# Exit status 1 if a part failed; the JSON names it.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
out="${1:-$here/../out/gpu-check}"
programs="lanescope lanescope-gpu-check liblanescope_cuda.so"

say() { printf '== %s\n' "$*" >&2; }
die() {
  printf 'gpu-check: %s\n' "$*" >&2
  exit 1
}
complete() { for p in $programs; do [ -e "$1/$p" ] || return 1; done; }

build="${LANESCOPE_BUILD:-}"
if [ -n "$build" ]; then
  complete "$build" || die "LANESCOPE_BUILD: $build does not hold all of: $programs"
elif complete "$here"; then
  build="$here"
elif complete "$here/../build/server"; then
  build="$here/../build/server"
else
  command -v cmake >/dev/null || die "no programs beside this script and no cmake to build them; see its head"
  say "building build/server"
  (cd "$here/.." && cmake --preset server -Wno-dev && cmake --build --preset server --parallel "$(nproc)") >&2
  build="$here/../build/server"
fi
tests=''
for candidate in "$build/gpu_tests" "$build/tests/gpu/gpu_tests"; do [ ! -x "$candidate" ] || tests="$candidate"; done

"$build/lanescope" run --device cuda:0 --workload linear-mse --iterations 1 --json - >/dev/null ||
  die "lanescope cannot use a GPU here"

mkdir -p "$out"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
failed=()

# part NAME SECONDS COMMAND...: keeps the JSON object that the command prints; null if it fails.
part() {
  local name="$1" seconds="$2"
  shift 2
  if ! timeout "$seconds" "$@" >"$scratch/$name" 2>"$scratch/$name.err" || [ ! -s "$scratch/$name" ]; then
    say "$name failed: $(tail -n 1 "$scratch/$name.err" | cut -c1-300)"
    failed+=("$name")
    echo null >"$scratch/$name"
  fi
}
# list NAME...: the parts as a JSON array.
list() {
  local first=1 name
  printf '['
  for name in "$@"; do
    [ "$first" = 1 ] || printf ','
    first=0
    cat "$scratch/$name"
  done
  printf ']'
}

say "GPU: $("$build/lanescope" list devices --json | grep -A1 '"cuda:0"' | tail -n 1 | cut -d'"' -f4)"

# tests_part NAME FILTER: "passed", "some skipped", "failed" or "not here". Tests that make the device fail run in a process
# of their own.
tests_part() {
  local name="$1" filter="$2" log="$out/gpu-tests-$1.log" status='"not here"'
  if [ -n "$tests" ]; then
    if timeout 120 "$tests" --gtest_filter="$filter" >"$log" 2>&1; then
      status='"passed"'
      ! grep -q SKIPPED "$log" || status='"some skipped"'
      # Without a test that ran, nothing has been checked.
      grep -q 'PASSED.* [1-9][0-9]* test' "$log" || failed+=("tests-$name")
    else
      status='"failed"'
      failed+=("tests-$name")
    fi
    say "tests, $name: $status; $(tail -n 1 "$log")"
  fi
  echo "$status" >"$scratch/tests-$name"
}
tests_part all '-FailureOnGpu.IsSticky*'
tests_part failure 'FailureOnGpu.IsSticky*'

say "matching launches and operations"
part match 60 "$build/lanescope-gpu-check" match

say "overhead of the capture"
rounds="${LANESCOPE_ROUNDS:-3}"
ladder=()
for round in $(seq "$rounds"); do
  for level in $("$build/lanescope-gpu-check" levels); do
    part "ladder-$level-$round" 40 "$build/lanescope-gpu-check" ladder "$level"
    ladder+=("ladder-$level-$round")
  done
done

say "latency from the end of a kernel to the trace"
latency=()
for rate in 100 1000 10000 100000; do
  part "latency-$rate" 30 "$build/lanescope-gpu-check" latency "$rate" 4
  latency+=("latency-$rate")
done

say "soak test at the maximum launch rate"
soak="${LANESCOPE_SOAK:-20}"
part soak "$((soak + 60))" "$build/lanescope-gpu-check" soak "$soak"

say "the workloads"
runs=()
# run NAME WORKLOAD ITERATIONS SETTING...
run() {
  local name="$1" workload="$2" iterations="$3" sets=() s
  shift 3
  for s in "$@"; do sets+=(--set "$s"); done
  part "run-$name" 60 "$build/lanescope" run --device cuda:0 --workload "$workload" --iterations "$iterations" \
    "${sets[@]}" --json -
  runs+=("run-$name")
}
for n in 1 10 100 0; do
  run "linear-mse-log-$n" linear-mse 5000 "log_interval=$n"
  run "iris-mlp-log-$n" iris-mlp 3000 "log_interval=$n"
done
for pinned in false true; do
  for non_blocking in false true; do
    run "linear-mse-feed-$pinned-$non_blocking" linear-mse 1500 log_interval=0 feed=per-iteration "pinned=$pinned" \
      "non_blocking=$non_blocking"
  done
done

say "the experiments"
mkdir -p "$out/experiments"
while read -r id workload; do
  fewer=()
  [ "$workload" != dataloader ] || fewer=(--iterations 256) # theirs take milliseconds, and there are up to 6,144
  timeout 60 "$build/lanescope" run --experiment "$id" --device cuda:0 "${fewer[@]}" --json "$out/experiments/$id.json" \
    </dev/null >"$out/experiments/$id.txt" 2>"$scratch/experiment.err" ||
    { failed+=("experiment-$id") && say "experiment $id failed: $(tail -n 1 "$scratch/experiment.err" | cut -c1-300)"; }
done < <("$build/lanescope" list experiments --json | sed -nE 's/^    "(id|workload)": "(.*)",$/\2/p' | paste -d ' ' - -)

say "small traces"
for workload in linear-mse iris-mlp; do
  for n in 1 100; do
    timeout 60 "$build/lanescope" run --device cuda:0 --workload "$workload" --iterations 150 --set "log_interval=$n" \
      --trace "$out/$workload--log-$n.json.gz" >/dev/null 2>"$scratch/trace.err" ||
      { failed+=("trace-$workload-$n") && say "trace failed: $(tail -n 1 "$scratch/trace.err")"; }
  done
done

say "calibrating"
calibrated=false
if timeout 120 "$build/lanescope" calibrate --device cuda:0 --out "$out/profile.toml" >"$out/profile.txt" \
  2>"$scratch/calibrate.err"; then
  calibrated=true
else
  say "calibrate failed: $(tail -n 1 "$scratch/calibrate.err" | cut -c1-300)"
  failed+=(calibrate)
fi

{
  printf '{"date":"%s","seconds":%s,"driver":"%s","tests":{"all":%s,"failure":%s},"calibrated":%s,' "$(date -u +%F)" "$SECONDS" \
    "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1)" \
    "$(cat "$scratch/tests-all")" "$(cat "$scratch/tests-failure")" "$calibrated"
  printf '"failed":['
  first=1
  for f in "${failed[@]+"${failed[@]}"}"; do
    [ "$first" = 1 ] || printf ','
    first=0
    printf '"%s"' "$f"
  done
  printf '],"match":' && cat "$scratch/match"
  printf ',"ladder":' && list "${ladder[@]}"
  printf ',"latency":' && list "${latency[@]}"
  printf ',"soak":' && cat "$scratch/soak"
  printf ',"runs":' && list "${runs[@]}"
  printf '}\n'
} >"$out/.gpu-check.json"
mv "$out/.gpu-check.json" "$out/gpu-check.json"
say "$out/gpu-check.json, after $SECONDS s"
[ "${#failed[@]}" -eq 0 ] || die "failed: ${failed[*]}"
