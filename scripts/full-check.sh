#!/usr/bin/env bash
# What .ci/run has no time for, and what is about other systems; all of it takes a day. docs/reliability.md gets a row for each
# part, and the rows of what a part has run. As root, where a part needs another system.
#
#   scripts/full-check.sh [PART...]     default: all, in this order
#   scripts/full-check.sh --help        lists them
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$root/scripts/suite.sh"

parts="
readme      the scripts that README.md names, on machines that have never seen the project
packages    the packages, installed into bare systems and run there
web         the page, in a browser
imgui       the newest Dear ImGui, with GCC and with Clang
debian13    all tests in Debian 13
sanitizers  all tests under both sanitizers, with the window
fuzz        20 minutes of each fuzz target
soak        a window for hours, and a thousand starts
repeats     all tests ten times, twice beside other load
promises    what docs/architecture.md promises about speed
"

part_readme() { as_root "$root/scripts/check-readme.sh"; }
part_packages() { as_root "$root/scripts/check-packages.sh"; }
part_web() {
  "$root/scripts/web.sh"
  "$root/scripts/install-deps.sh" build run page
  build_program
  python3 "$root/tests/web/check_page.py" "$root/build/web" "$root/build/release/lanescope" </dev/null
}
# Only what sees Dear ImGui is compiled, and no code is generated.
part_imgui() {
  "$root/scripts/install-deps.sh" build run sources clang
  local folder="$root/build/imgui" compiler
  if [ ! -e "$folder/sources/imgui.h" ]; then
    rm -rf "$folder"
    mkdir -p "$folder/part"
    suite_apt "$folder/part/.lists" sid deb-src
    (cd "$folder/part" && apt-get "${apt_from[@]}" source -q imgui </dev/null >&2)
    mv "$folder"/part/imgui-*/ "$folder/sources"
  fi
  say "Dear ImGui $(sed -n 's/^#define IMGUI_VERSION  *"\(.*\)"$/\1/p' "$folder/sources/imgui.h")"
  for compiler in g++ clang++-19; do
    cmake -S "$root" -B "$folder/$compiler" -G Ninja -Wno-dev -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_COMPILER=$compiler" \
      -DFETCHCONTENT_SOURCE_DIR_IMGUI="$folder/sources" -DLANESCOPE_TESTS=OFF -DLANESCOPE_BENCH=OFF -DLANESCOPE_CUDA=OFF >/dev/null
    cmake --build "$folder/$compiler" --target lanescope_shaders lanescope_captures lanescope_assets lanescope_experiments \
      lanescope_lessons lanescope_translations lanescope_report >/dev/null
    python3 "$root/scripts/check_syntax.py" "$folder/$compiler/compile_commands.json" render shell window >&2
    say "it compiles with $compiler"
  done
}
# In a clone, because objects of another system do not fit.
part_debian13() {
  rm -rf "$root/build/debian13"
  git clone -q "$root" "$root/build/debian13"
  as_root "$root/build/debian13/scripts/in-debian.sh" trixie scripts/test.sh release
}
part_sanitizers() {
  LANESCOPE_UI=ON "$root/scripts/test.sh" asan
  LANESCOPE_UI=ON "$root/scripts/test.sh" tsan
}
part_fuzz() { LANESCOPE_UI=ON "$root/scripts/fuzz.sh" --json "$root/build/asan/fuzz.json"; }
part_soak() { "$root/scripts/soak.sh"; }
part_repeats() { "$root/scripts/repeat.sh"; }
part_promises() { "$root/scripts/bench.sh" --json --check >"$root/build/promises.json"; }

mapfile -t known < <(awk 'NF { print $1 }' <<<"$parts")
[[ "${1:-}" != --help && "${1:-}" != -h ]] || {
  printf 'scripts/full-check.sh [PART...]\n%s' "$parts"
  exit 0
}
for part in "$@"; do
  [[ " ${known[*]} " == *" $part "* ]] || die "there is no part '$part'; allowed: ${known[*]}"
done
[ "$#" -gt 0 ] || set -- "${known[@]}"

commit="$(commit_here)" failed=()
mkdir -p "$root/build"
for part in "$@"; do
  say "full check: $part"
  begin=$SECONDS result=passed
  set +e # the part itself ends at its first error
  (
    set -e
    "part_$part"
  )
  [ "$?" -eq 0 ] || result=FAILED
  set -e
  say "$part: $result in $((SECONDS - begin)) s"
  [ "$result" = passed ] || failed+=("$part")
  printf '[{"part": "%s", "result": "%s", "seconds": %s}]\n' "$part" "$result" "$((SECONDS - begin))" \
    >"$root/build/full-check-$part.json"
  stamp "$root/build/full-check-$part.json" "$commit"
  python3 "$root/scripts/reliability.py" --rows
done
[ "${#failed[@]}" -eq 0 ] || die "failed: ${failed[*]}"
