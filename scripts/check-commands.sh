#!/usr/bin/env bash
# Starts each kind of command that the program has, in an empty folder: does it do its work, with nothing beside it but what
# was built with it?
#
#   scripts/check-commands.sh [program]     default: build/release/lanescope
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

program="$(realpath -m "${1:-$root/build/release/lanescope}")"
[ -x "$program" ] || die "$program: no such program; allowed: a built lanescope"
"$root/scripts/install-deps.sh" run
trace="$root/tests/data/pytorch-event-sync.json.gz"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C.UTF-8 NO_COLOR=1 XDG_CONFIG_HOME="$folder/config" XDG_STATE_HOME="$folder/state"
unset DISPLAY WAYLAND_DISPLAY
cd "$folder"

# says <status> <words> <command...>: how it must end, and what it must say.
says() {
  local wanted="$1" words="$2" said status=0
  shift 2
  tried+=("${1:-}")
  said="$(timeout 300 "${screen[@]}" "$program" "$@" </dev/null 2>&1)" || status=$?
  [ "$status" -eq "$wanted" ] || die "lanescope $*: exit status $status, not $wanted: $said"
  [[ "$said" == *"$words"* ]] || die "lanescope $*: does not say '$words': $said"
  say "lanescope $*"
}
# writes <file> <command...>: it must end well and write that.
writes() {
  local file="$1"
  shift
  says 0 "" "$@"
  [ -s "$file" ] || die "lanescope $*: wrote no $file"
}
tried=() screen=()

version="$(sed -nE 's/^project\(lanescope VERSION ([0-9.]+).*/\1/p' "$root/CMakeLists.txt")"
says 0 "lanescope $version" --version
says 0 "Subcommands:" --help
mapfile -t commands < <("$program" --help --lang en | sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
[ "${#commands[@]}" -ge 11 ] || die "--help lists only ${commands[*]}"

for what in workloads devices settings figures experiments lessons; do says 0 "" list "$what"; done
loop=(--workload linear-mse --device sim --iterations 100)
writes before.lanescope run "${loop[@]}" --set log_interval=1 --trace before.lanescope
writes after.json.gz run "${loop[@]}" --set log_interval=100 --trace after.json.gz
writes both.png run "${loop[@]}" --set log_interval=1 --compare log_interval=100 --screenshot both.png
says 0 "published" run --experiment P09
says 0 "log_interval" sweep "${loop[@]}" --over log_interval=1,10
says 0 "GPU busy" report "$trace"
writes page.html report --workload linear-mse --iterations 100 --html page.html
says 0 "" compare before.lanescope after.json.gz
mkdir job
cp before.lanescope job/
writes job/before.summary reduce job/
says 0 "1 rank" join job/
writes tables/events.csv export "$trace" --csv tables
writes tables.db export before.lanescope --sqlite tables.db
writes trace.json.gz export before.lanescope --chrome trace.json.gz
says 0 "import torch" script --experiment P09
writes notes.html lesson why-the-gpu-waits --notes notes.html --worksheet sheet.html
# Only the window writes a student's file; one that was written by hand is read, too.
printf '{"lanescope": "%s", "format": 2, "student": "Ann Lee", "lesson": "why-the-gpu-waits", "lesson_digest": "0", "steps": []}' \
  "$version" >ann.answers.json
says 0 "Ann Lee" grade ann.answers.json
says 0 "What if graph" report before.lanescope --what-if graph
says 0 "" calibrate --device sim --out mine.toml
# Beside the program, where the CUDA toolkit is: what attaching puts into the watched program, and the back end.
if [[ "$("$program" --version --lang en)" == *"attaching to programs"* ]]; then
  says 0 "" attach --record attached.lanescope -- true
else
  says 1 "is not beside this program" attach --record attached.lanescope -- true
fi
for command in "${commands[@]}"; do
  [[ " ${tried[*]} " == *" $command "* ]] || die "$command is not tried here"
  says 0 "Usage:" "$command" --help
done
screen=(xvfb-run -a -s "-screen 0 1600x900x24")
LANESCOPE_MEASURE=start says 0 "first_picture"
