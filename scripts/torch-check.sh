#!/usr/bin/env bash
# On a machine with a GPU and PyTorch: measures what PyTorch costs there, runs every experiment's scripts in PyTorch and
# the same loops in Lanescope, on the GPU and in simulation, and prints a table. Takes about twenty minutes.
#
#   scripts/torch-check.sh [--python PYTHON] [options of torch_check.py, such as --rounds 3 --experiments P09,P10]
#
# Calibration runs on one core at a time: on a virtual machine the hand-over to autograd's thread takes 10 to 100 us and
# varies as much. LANESCOPE names another program than build/release/lanescope.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
lanescope="${LANESCOPE:-$root/build/release/lanescope}"
python=python3
if [ "${1:-}" = --python ]; then
  python="${2:?--python needs a program}"
  shift 2
fi

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
printf '#!/bin/sh\nexec %q "$@" --one-core\n' "$python" >"$folder/python"
chmod +x "$folder/python"
"$lanescope" calibrate --torch="$folder/python" --out torch-check.toml >/dev/null
"$python" "$root/scripts/torch_check.py" --lanescope "$lanescope" --profile torch-check.toml "$@"
