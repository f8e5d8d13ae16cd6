#!/bin/sh
# Runs a compiler through ccache: cached-compiler.sh CCACHE SOURCE_DIR COMPILER ARGUMENTS...
#
# Paths are relative to the project for the cache, so that another clone finds what one has compiled. With precompiled headers
# it works only if it may trust the compiler on what these define, and on __TIME__. To precompile, ccache runs the
# preprocessor first, which would take what was precompiled before for the headers as they are now: that is removed.
ccache="$1"
export CCACHE_BASEDIR="$2" CCACHE_NOHASHDIR=true
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
shift 2
before=
for argument in "$@"; do
  case "$before $argument" in
    "-o "*.gch)
      rm -f "$argument"
      export CCACHE_NAMESPACE=precompiled-anew # what was kept before may be of older headers
      ;;
  esac
  before="$argument"
done
exec "$ccache" "$@"
