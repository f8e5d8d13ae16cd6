#!/usr/bin/env bash
# Runs the program for Windows under Wine, on a virtual display: its figures are those of the native program, it writes
# pictures and traces, also into folders with spaces and Chinese letters, and its window opens.
#
#   scripts/check-windows.sh [ZIP] [NATIVE]     default: what scripts/windows.sh makes, build/release/lanescope
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [ "$#" -lt 2 ]; then
  "$root/scripts/install-deps.sh" build windows
  build_program
fi
archive="$(realpath -m "${1:-$("$root/scripts/windows.sh")}")"
native="$(realpath -m "${2:-$root/build/release/lanescope}")"
[ -f "$archive" ] || die "$archive: no such file; scripts/windows.sh makes it"
[ -x "$native" ] || die "$native: no such program; allowed: a built lanescope"

folder="$root/build/windows/check"
rm -rf "$folder"
mkdir -p "$folder/a folder 文件夹"
python3 -m zipfile -e "$archive" "$folder"
mv "$folder"/lanescope-*-windows "$folder/a folder 文件夹/lanescope"
export WINEPREFIX="$root/build/windows/wine" WINEDEBUG=-all LANESCOPE_CUDA=off LC_ALL=C.UTF-8
export WINEDLLOVERRIDES="mscoree,mshtml=" # so that Wine does not ask for what nothing here needs

# Everything on one display, in a shell of its own.
if [ -z "${LANESCOPE_CHECK_DISPLAY:-}" ]; then
  LANESCOPE_CHECK_DISPLAY=1 exec xvfb-run -a -s "-screen 0 1600x900x24" "$0" "$archive" "$native"
fi
trap 'wineserver -k 2>/dev/null || true' EXIT
cd "$folder/a folder 文件夹"
windows() { timeout 120 wine lanescope/lanescope.exe "$@" </dev/null; }

say "first start"
[ "$(windows --version | head -n 1)" = "$("$native" --version | head -n 1)" ] || die "the versions differ"

# The same seed gives the same bytes on every system.
same() {
  say "figures of $*"
  windows run "$@" --json "$folder/windows.json" >/dev/null 2>"$folder/said" || die "$(cat "$folder/said")"
  "$native" run "$@" --json "$folder/native.json" >/dev/null 2>&1
  cmp "$folder/windows.json" "$folder/native.json" || die "the figures of $* differ"
}
for experiment in P09 R3 P11 P01 T4; do same --experiment "$experiment"; done
for workload in linear-mse iris-mlp; do same --workload "$workload" --iterations 300; done

say "a picture and traces"
windows run --workload linear-mse --iterations 40 --screenshot "图片 1.png" --trace "跟踪 1.lanescope" >/dev/null 2>&1
windows run --workload linear-mse --iterations 40 --trace "跟踪 1.json.gz" --html "页 1.html" >/dev/null 2>&1
for file in "图片 1.png" "跟踪 1.lanescope" "跟踪 1.json.gz" "页 1.html"; do
  [ -s "$file" ] || die "$file was not written"
done
"$native" report "跟踪 1.lanescope" --json "$folder/native.json" >/dev/null
windows report "跟踪 1.lanescope" --json "$folder/windows.json" >/dev/null
cmp "$folder/windows.json" "$folder/native.json" || die "the same trace gives other figures"

say "what is not there is said"
said="$(windows attach -- python train.py 2>&1 >/dev/null || true)"
[[ "$said" == *"this build cannot attach to programs"* ]] || die "attach says: $said"

say "the window"
for _ in 1 2 3; do  # it once hung in one of a few starts
  windows --measure frames >"$folder/frames.json" || die "the window does not open, or does not end"
  cat "$folder/frames.json"
done
