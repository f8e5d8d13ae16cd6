#!/usr/bin/env bash
# Compiles what uses Dear ImGui against other versions of it. Debian 12 has 1.86, Debian 13 has 1.90.
#
#   scripts/check-imgui.sh FOLDER [VERSION...]    FOLDER: a git clone of Dear ImGui; VERSION: a tag or commit;
#                                                 by default v1.86 v1.90.1 v1.92.0 and the newest commit
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[ "$#" -gt 0 ] || die "no folder; usage: scripts/check-imgui.sh FOLDER [VERSION...]"
clone="$1"
shift
git -C "$clone" rev-parse HEAD >/dev/null 2>&1 || die "'$clone' is not a git clone"
[ "$#" -gt 0 ] || set -- v1.86 v1.90.1 v1.92.0 HEAD
"$root/scripts/install-deps.sh" build run

for version in "$@"; do
  git -C "$clone" rev-parse --verify --quiet "$version^{commit}" >/dev/null || die "'$version' is not in '$clone'"
  folder="$root/build/imgui-$version"
  mkdir -p "$folder/imgui"
  git -C "$clone" archive "$version" | tar -x -C "$folder/imgui"
  say "Dear ImGui $version: $(sed -n 's/^#define IMGUI_VERSION  *"\(.*\)"$/\1/p' "$folder/imgui/imgui.h")"
  # What does not see Dear ImGui is not compiled.
  cmake -S "$root" -B "$folder/build" -G Ninja -Wno-dev -DCMAKE_BUILD_TYPE=Debug -DCMAKE_OPTIMIZE_DEPENDENCIES=ON \
    -DFETCHCONTENT_SOURCE_DIR_IMGUI="$folder/imgui" -DLANESCOPE_TESTS=OFF -DLANESCOPE_BENCH=OFF -DLANESCOPE_WERROR=ON >&2
  cmake --build "$folder/build" --parallel "$(nproc)" --target lanescope_render lanescope_shell lanescope_window >&2
  say "Dear ImGui $version compiles"
done
