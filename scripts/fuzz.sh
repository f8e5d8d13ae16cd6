#!/usr/bin/env bash
# Installs Clang, builds the fuzz targets (fuzz/) with the sanitizers of scripts/test.sh asan, and runs each of them: foreign
# bytes are mutated, and whatever does not end in a result or in one line of an error is a crash.
#
#   scripts/fuzz.sh [TARGET...]    default: all targets; a table on standard output
#   --seconds N                    of CPU time for each target (default: 1200)
#   --replay                       mutates nothing: each target reads its first inputs once, always the same ones
#   --seed N                       mutates in the same order each time; 0, which is the default: in another order
#   --json FILE                    [{"target", "seconds", "executions", "per_second", "edges", "features", "result", "input",
#                                  "date", "commit"}]; what it says of other targets stays, so that all of them can be run
#                                  in several sittings
#   --list                         the names of the targets
#
# First inputs: fuzz/corpus, and what fuzz/seeds.py takes from tests/data and assets. What was found is kept in
# build/asan/corpus for the next run. Exit status 1 if a target crashes: then the input is named, and how to run it again.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

seconds=1200 seed=0 json='' list='' replay='' targets=()
while [ "$#" -gt 0 ]; do
  case "$1" in
    --replay) replay=1 ;;
    --seconds | --seed | --json)
      [ "$#" -gt 1 ] || die "$1 needs a value"
      case "$1" in
        --json) json="$(realpath -m -- "$2")" ;;
        --seed) seed="$2" ;;
        --seconds) seconds="$2" ;;
      esac
      shift
      ;;
    --list) list=1 ;;
    -*) die "unknown option '$1'; allowed: --seconds N, --replay, --seed N, --json FILE, --list" ;;
    *) targets+=("$1") ;;
  esac
  shift
done
[[ "$seconds" =~ ^[1-9][0-9]{0,6}$ ]] || die "--seconds '$seconds'; allowed: 1 to 9999999"
[[ "$seed" =~ ^[0-9]{1,9}$ ]] || die "--seed '$seed'; allowed: 0 to 999999999"

folder="$root/build/asan"
known=" $(sed -nE 's/^ *lanescope_fuzz\(([a-z_]+).*/\1/p' "$root/fuzz/CMakeLists.txt" | awk '!known[$0]++' | tr '\n' ' ')"
for target in "${targets[@]}"; do
  [[ "$known" == *" $target "* ]] || die "there is no target '$target'; allowed:$known"
done
[ -z "$list" ] || {
  tr ' ' '\n' <<<"$known" | sed '/^$/d'
  exit 0
}
"$root/scripts/install-deps.sh" build run test sanitizers
build asan fuzz_targets "${sanitizer_options[@]}"
[ "${#targets[@]}" -gt 0 ] || mapfile -t targets <"$folder/fuzz/targets.txt"
for target in "${targets[@]}"; do
  [ -x "$folder/fuzz/fuzz_$target" ] || die "target '$target' is not built here: preferences needs LANESCOPE_UI=ON"
done

say "first inputs"
python3 "$root/fuzz/seeds.py" "$folder/seeds" "$folder/fuzz/fuzz_seeds" </dev/null >&2
# Files that a target writes for readers that take a path: in memory, where there is room.
scratch="$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)")"
commit="$(commit_here)" status=0
end() { # also if it is interrupted: the targets that have ended are in the file
  rm -rf "$scratch"
  [ ! -f "$json" ] || stamp "$json" "$commit"
}
trap end EXIT
python3 "$root/fuzz/run.py" --folder "$folder" --scratch "$scratch" --seconds "$seconds" --seed "$seed" --json "$json" \
  ${replay:+--replay} "${targets[@]}" </dev/null || status=$?
exit "$status"
