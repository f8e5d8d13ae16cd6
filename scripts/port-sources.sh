#!/usr/bin/env bash
# Gets the sources of the libraries that have no package for the browser and for the portable Linux build:
# the distribution's own source packages, with the distribution's patches.
#
#   scripts/port-sources.sh [FOLDER]     default: build/sources; prints the folder, in which each library has its own
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

folder="${1:-$root/build/sources}"
libraries=(imgui libstb freetype libpng1.6 zlib libzstd sqlite3 fmtlib glfw3 libepoxy)

"$root/scripts/install-deps.sh" sources
mkdir -p "$folder"
folder="$(cd "$folder" && pwd)"

missing=()
for library in "${libraries[@]}"; do
  [ -e "$folder/$library/.complete" ] || missing+=("$library")
done
if [ "${#missing[@]}" -gt 0 ]; then
  # The distribution's entries as this system has them, for sources instead of programs.
  lists="$folder/.lists"
  rm -rf "$lists"
  mkdir -p "$lists/parts" "$lists/state/partial"
  suite="$(. /etc/os-release && printf %s "${VERSION_CODENAME:?no VERSION_CODENAME in /etc/os-release}")"
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -e "$file" ] || continue
    sed -nE "s/^deb +((\[[^]]*\] +)?[^ ]+ +$suite(-updates|-security)? .*)/deb-src \1/p" "$file" >>"$lists/sources.list"
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    [ -e "$file" ] || continue
    grep -qE "^Suites:.*\b$suite\b" "$file" || continue
    sed -E 's/^Types:.*/Types: deb-src/' "$file" >"$lists/parts/$(basename "$file")"
  done
  from=(-o "Dir::Etc::sourcelist=$lists/sources.list" -o "Dir::Etc::sourceparts=$lists/parts"
    -o "Dir::State::lists=$lists/state" -o APT::Sandbox::User=root)
  touch "$lists/sources.list"
  say "getting the sources of ${missing[*]}"
  apt-get "${from[@]}" update -q </dev/null >&2
  for library in "${missing[@]}"; do
    rm -rf "${folder:?}/$library" "$folder/.unpacked"
    mkdir "$folder/.unpacked"
    # A mirror may list a version before it has it; then the one before will do.
    for version in $(apt-cache "${from[@]}" showsrc "$library" | sed -n 's/^Version: //p' | sort -rVu); do
      (cd "$folder/.unpacked" && apt-get "${from[@]}" source -q "$library=$version" </dev/null >&2) && break
      rm -rf "$folder/.unpacked"/*
    done
    if [ -z "$(ls "$folder/.unpacked")" ]; then  # without the distribution's patches, then
      (cd "$folder/.unpacked" && apt-get "${from[@]}" source -q --tar-only "$library" </dev/null >&2 &&
        tar -xf ./*.orig.tar.*) || true
    fi
    rm -f "$folder/.unpacked"/*.tar.* "$folder/.unpacked"/*.dsc
    [ -n "$(ls "$folder/.unpacked")" ] || die "the sources of $library cannot be had"
    mv "$folder/.unpacked"/*/ "$folder/$library"
    touch "$folder/$library/.complete"
  done
  rm -rf "$lists" "$folder/.unpacked"
fi
printf '%s\n' "$folder"
