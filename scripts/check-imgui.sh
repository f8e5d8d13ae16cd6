#!/usr/bin/env bash
# Checks that what uses Dear ImGui compiles against another version of it, with GCC and with Clang. Debian 12 has 1.86,
# Debian 13 has 1.90.
#
#   scripts/check-imgui.sh                       the newest that Debian has
#   scripts/check-imgui.sh FOLDER                the sources in this folder
#   scripts/check-imgui.sh FOLDER VERSION...     FOLDER: a git clone; VERSION: a tag or commit
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$root/scripts/suite.sh"

"$root/scripts/install-deps.sh" build run sources clang

# check <name> <sources>: with each compiler. Only what sees Dear ImGui is compiled, and no code is generated.
check() {
  local name="$1" sources="$2" compiler
  say "Dear ImGui $(sed -n 's/^#define IMGUI_VERSION  *"\(.*\)"$/\1/p' "$sources/imgui.h")"
  for compiler in g++ clang++-19; do
    local folder="$root/build/imgui-$name/$compiler"
    cmake -S "$root" -B "$folder" -G Ninja -Wno-dev -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_COMPILER=$compiler" \
      -DFETCHCONTENT_SOURCE_DIR_IMGUI="$sources" -DLANESCOPE_TESTS=OFF -DLANESCOPE_BENCH=OFF -DLANESCOPE_CUDA=OFF \
      -DLANESCOPE_PRECOMPILED=OFF -DLANESCOPE_UNITY=modules >/dev/null
    cmake --build "$folder" --target lanescope_shaders lanescope_captures lanescope_assets lanescope_experiments \
      lanescope_lessons lanescope_translations lanescope_report >/dev/null
    python3 "$root/scripts/check_syntax.py" "$folder/compile_commands.json" render shell window >&2
    say "it compiles with $compiler"
  done
}

if [ "$#" -eq 0 ]; then
  sources="$root/build/imgui-newest/sources"
  if [ ! -e "$sources/imgui.h" ]; then
    rm -rf "$sources" "$sources.part"
    mkdir -p "$sources.part"
    suite_apt "$sources.part/.lists" sid deb-src
    (cd "$sources.part" && apt-get "${apt_from[@]}" source -q imgui </dev/null >&2)
    mv "$sources.part"/imgui-*/ "$sources"
    rm -rf "$sources.part"
  fi
  check newest "$sources"
elif [ "$#" -eq 1 ]; then
  [ -e "$1/imgui.h" ] || die "'$1' has no imgui.h"
  check folder "$(cd "$1" && pwd)"
else
  clone="$1"
  shift
  git -C "$clone" rev-parse HEAD >/dev/null 2>&1 || die "'$clone' is not a git clone"
  for version in "$@"; do
    git -C "$clone" rev-parse --verify --quiet "$version^{commit}" >/dev/null || die "'$version' is not in '$clone'"
    sources="$root/build/imgui-$version/sources"
    mkdir -p "$sources"
    git -C "$clone" archive "$version" | tar -x -C "$sources"
    check "$version" "$sources"
  done
fi
