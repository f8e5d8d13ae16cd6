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

# build CLONE NUMBER MACRO COMMENT: changes the header, precompiles, and compiles with it. What the preprocessor drops, macros
# and comments, counts as well: with another comment the header would not be known as the one that was included already.
build() {
  printf '#pragma once\n#define MACRO %s\nconstexpr int kNumber = %s; // %s\n' "$3" "$2" "$4" >"$folder/$1/src/number.h"
  cd "$folder/$1/build"
  "$launcher" "$ccache" "$folder/$1" "$compiler" "-I$folder/$1/src" -x c++-header -include "$folder/$1/build/all.hxx" \
    -MD -MT all.hxx.gch -MF all.hxx.gch.d -o all.hxx.gch -c "$folder/$1/build/all.hxx.cxx"
  printf '#include "number.h"\nstatic_assert(kNumber == %s && MACRO == %s);\n' "$2" "$3" >use.cpp
  "$compiler" "-I$folder/$1/src" -Winvalid-pch -Werror -include "$folder/$1/build/all.hxx" -fsyntax-only use.cpp
}
for each in 'a 1 1 x' 'b 1 1 x' 'a 2 1 x' 'b 2 1 x' 'a 3 1 x' 'b 3 1 x' 'b 1 1 x' 'a 2 1 x' \
  'a 1 1 y' 'b 1 1 z' 'a 1 2 z' 'b 1 3 z' 'a 1 1 z'; do
  # shellcheck disable=SC2086
  build $each || { echo "FAILED: clone, number, macro and comment $each" >&2; exit 1; }
done

# What did not change is found again: the cache is of use.
hits() { "$ccache" --print-stats | awk '$1 == "direct_cache_hit" || $1 == "preprocessed_cache_hit" { sum += $2 } END { print sum }'; }
before="$(hits)"
build b 1 1 z
[ "$(hits)" -gt "$before" ] || { echo "FAILED: what another clone precompiled is compiled again" >&2; exit 1; }
