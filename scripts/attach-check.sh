#!/usr/bin/env bash
# Measures, on a machine with a GPU and PyTorch, what `lanescope attach` costs a PyTorch loop at each level, beside a plain run
# and PyTorch's own profiler.
#
#   scripts/attach-check.sh [LANESCOPE] [--rounds N] [--seconds S] [--json FILE]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

lanescope="$root/build/release/lanescope"
if [ "$#" -gt 0 ] && [[ "$1" != -* ]]; then
  lanescope="$1"
  shift
fi
[ -x "$lanescope" ] || die "$lanescope is not there; build it with scripts/run.sh --version"
python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null ||
  die "python3 has no PyTorch with a GPU here"
exec python3 "$root/scripts/attach_check.py" "$lanescope" "$@"
