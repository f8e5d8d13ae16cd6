#!/usr/bin/env bash
# Installs missing packages, builds, and starts Lanescope.
#
#   scripts/run.sh               with a display: the window, with a training loop running.
#                                without one: two headless runs, with the loss read every iteration and every 100
#                                iterations; a table of the two, and a picture of both in out/.
#   scripts/run.sh ARGUMENTS...  the same as: lanescope ARGUMENTS...
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$root/scripts/install-deps.sh" build run
build_program
lanescope="$root/build/release/lanescope"

if [ "$#" -gt 0 ] || [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; then
  exec "$lanescope" "$@"
fi

say "no display: running without a window"
picture="$root/out/lanescope.png"
mkdir -p "$root/out"
xvfb-run -a "$lanescope" run --workload linear-mse --iterations 1000 \
  --set log_interval=1 --compare log_interval=100 --screenshot "$picture" </dev/null
printf '\nPicture of both: %s\n' "$picture"
