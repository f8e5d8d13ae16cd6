#!/bin/sh
# Runs a compiler through ccache: cached-compiler.sh CCACHE SOURCE_DIR COMPILER ARGUMENTS...
#
# Paths are relative to the project for the cache, so that another clone finds what one has compiled. With precompiled headers
# it works only if it may trust the compiler on what these define, and on __TIME__. To precompile, ccache compares what the
# preprocessor makes of the headers. That takes what was precompiled before for the headers as they are now, which is removed;
# and macros and comments are dropped by it, so that the texts themselves are compared as well.
ccache="$1" project="$2"
export CCACHE_BASEDIR="$project" CCACHE_NOHASHDIR=true
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
shift 2

# texts_of COMPILER ARGUMENTS...: a checksum of all files that are read, whichever folder the project is in.
texts_of() {
  skip=
  for argument; do
    shift
    case "$skip$argument" in
      skip*) skip= ;;
      -MD | -c) ;;
      -MF | -MT | -o) skip=skip ;;
      *) set -- "$@" "$argument" ;;
    esac
  done
  "$@" -E | sed -n 's/^# [0-9]* "\([^"<]*\)".*/\1/p' | awk '!seen[$0]++' | while IFS= read -r file; do
    [ ! -f "$file" ] || cat "$file"
  done | sed "s|$project/||g" | sha256sum | cut -c 1-32
}

before=
for argument; do
  case "$before $argument" in
    "-o "*.gch)
      rm -f "$argument"
      CCACHE_NAMESPACE="headers-$(texts_of "$@")"
      export CCACHE_NAMESPACE
      ;;
  esac
  before="$argument"
done
exec "$ccache" "$@"
