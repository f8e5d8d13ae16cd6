#!/bin/sh
# Two clones that share a compiler cache never get a precompiled header of older headers: check_precompiled.sh CCACHE COMPILER
set -eu
ccache="$1" compiler="$2"
launcher="$(cd "$(dirname "$0")/.." && pwd)/cmake/cached-compiler.sh"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
export CCACHE_DIR="$folder/cache"
for clone in a b; do
  mkdir -p "$folder/$clone/src" "$folder/$clone/build"
  printf '#pragma once\n#include "number.h"\n' >"$folder/$clone/src/all.h"
  printf '#pragma GCC system_header\n#include "%s/src/all.h"\n' "$folder/$clone" >"$folder/$clone/build/all.hxx"
  : >"$folder/$clone/build/all.hxx.cxx"
done

# build CLONE NUMBER: changes the header, precompiles, and compiles with it.
build() {
  printf '#pragma once\nconstexpr int kNumber = %s;\n' "$2" >"$folder/$1/src/number.h"
  cd "$folder/$1/build"
  "$launcher" "$ccache" "$folder/$1" "$compiler" "-I$folder/$1/src" -x c++-header -include "$folder/$1/build/all.hxx" \
    -o all.hxx.gch -c "$folder/$1/build/all.hxx.cxx"
  printf 'static_assert(kNumber == %s);\n' "$2" >use.cpp
  "$compiler" "-I$folder/$1/src" -include "$folder/$1/build/all.hxx" -fsyntax-only use.cpp
}
for each in 'a 1' 'b 1' 'a 2' 'b 2' 'a 3' 'b 3' 'b 1' 'a 2'; do
  # shellcheck disable=SC2086
  build $each || { echo "FAILED: clone and number $each" >&2; exit 1; }
done
